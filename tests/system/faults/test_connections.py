"""Lost, silent and duplicate connections, and repeated commands."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from serving import Server, eventually, started
from system.faults.check import check, stored_matches
from system.faults.people import Json, Witness, cut_mid_frame, open_match, reset
from system.faults.tabs import TWO, tab, two_people, verdict

PING_SECONDS = 4.0
"""Long enough for a client on a busy machine to answer in time."""


def run(folder: Path, scene: Callable[[Server, Witness], Awaitable[None]], ping_seconds: float = 15) -> None:
    """Run a scenario, then check that all received events are stored."""

    async def play() -> None:
        witness = Witness()
        async with started(Server(folder, ping_seconds=ping_seconds)) as server:
            await scene(server, witness)
            findings = check(server.database, witness)
            assert not findings.wrong, findings.wrong
            assert not server.errors(), server.log.read_text()[-4000:]

    asyncio.run(play())


def test_half_a_frame_is_ignored(tmp_path: Path) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        match, ana, rui = await two_people(server, witness)
        rng = random.Random(7)
        async with tab(server, match, witness, token=rui) as other:
            for _ in range(4):
                async with tab(server, match, witness, token=ana) as host:
                    request = {"type": "act", "id": secrets.token_hex(8), "version": host.receiver.version}
                    cut_mid_frame(host.there, json.dumps(request | {"action": "roll"}), rng)
                assert (await other.receive("presence"))["here"]  # connected
                assert not (await other.receive("presence"))["here"]  # disconnected
            before = other.receiver.version
            assert (await other.ask("ping"))["version"] == before, "nothing happened"
            async with tab(server, match, witness, token=ana) as host:
                assert (await host.ask("act", action="roll"))["version"] == before + 1

    run(tmp_path, scene)


def test_a_command_is_carried_out_after_its_connection_is_lost(tmp_path: Path) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        match, ana, rui = await two_people(server, witness)
        async with tab(server, match, witness, token=rui) as other:
            async with tab(server, match, witness, token=ana) as host:
                version = host.receiver.version
                await host.send(type="act", id="roll-1", version=version, action="roll")
                await other.receive("event")
                reset(host.there)  # before it has read the answer
            async with tab(server, match, witness, token=ana, since=version) as host:
                await host.receive("event")
                answer = await host.ask("act", id="roll-1", version=version, action="roll")
                assert (answer["type"], answer["version"]) == ("accepted", version + 1)

    run(tmp_path, scene)


def test_a_silent_connection_is_closed_after_the_ping_timeout(tmp_path: Path) -> None:
    """It neither reads nor writes nor closes, as when a phone loses its network."""

    async def scene(server: Server, witness: Witness) -> None:
        match, ana, rui = await two_people(server, witness)
        async with (
            tab(server, match, witness, token=ana) as host,
            tab(server, match, witness, token=rui) as lost,
        ):
            assert (await host.receive("presence"))["here"]
            lost.there.transport.pause_reading()  # so pings are not answered either
            received = await host.receive("presence")
            assert (received["seat"], received["here"]) == (1, False)
            assert (await host.ask("act", action="roll"))["type"] == "accepted"  # without delay
            async with tab(server, match, witness, token=rui):
                assert (await host.receive("presence"))["here"]
            reset(lost.there)

    run(tmp_path, scene, ping_seconds=PING_SECONDS)


@pytest.mark.parametrize("same_id", [False, True], ids=["different ids", "the same id"])
def test_concurrent_actions_of_two_tabs_are_one_action(tmp_path: Path, same_id: bool) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        match, ana, rui = await two_people(server, witness)
        async with (
            tab(server, match, witness, token=ana) as a1,
            tab(server, match, witness, token=ana) as a2,
            tab(server, match, witness, token=rui) as r1,
            tab(server, match, witness, token=rui) as r2,
        ):
            pairs = {0: (a1, a2), 1: (r1, r2)}
            now: Json = {"to_act": 0, "legal": ["roll"]}
            rng = random.Random(11)
            for number in range(40):
                left, right = pairs[now["to_act"]]
                version = left.receiver.version
                ids = [f"both-{number}"] * 2 if same_id else [f"left-{number}", f"right-{number}"]
                actions = [now["legal"][0]] * 2 if same_id else [rng.choice(now["legal"]) for _ in ids]
                for there, id, action in zip((left, right), ids, actions, strict=True):
                    await there.send(type="act", id=id, version=version, action=action)
                answers = [await left.answer(ids[0]), await right.answer(ids[1])]
                for other in (a1, a2, r1, r2):
                    await other.ask("ping")
                    assert other.receiver.version == version + 1, "one thing happened"
                now = witness.events[match][version + 1]
                if same_id:
                    assert [answer["type"] for answer in answers] == ["accepted", "accepted"]
                    assert {answer["version"] for answer in answers} == {version + 1}
                else:
                    late = "over" if now["status"] == "over" else "stale_version"
                    assert sorted(map(verdict, answers)) == ["accepted", late]
                if now["status"] == "over":
                    break

    run(tmp_path, scene)


def test_reordered_commands_are_serialised_or_refused(tmp_path: Path) -> None:
    """A retry on a new connection may arrive before, after or together with the original command."""

    async def scene(server: Server, witness: Witness) -> None:
        match, ana, _ = await two_people(server, witness)
        async with (
            tab(server, match, witness, token=ana) as old,
            tab(server, match, witness, token=ana) as new,
        ):
            version = old.receiver.version
            await old.send(type="act", id="first", version=version, action="roll")
            await new.send(type="act", id="first", version=version, action="roll")
            await new.send(type="act", id="second", version=version + 1, action="place 0")
            await old.send(type="act", id="second", version=version + 1, action="place 0")
            await old.send(type="act", id="first", version=version, action="roll")
            codes = {"future_version", "stale_version", "not_your_turn", "illegal_action"}
            for there, ids in ((old, ("first", "second", "first")), (new, ("first", "second"))):
                for id in ids:
                    answer = await there.answer(id)
                    assert answer["type"] == "accepted" or (id == "second" and answer["code"] in codes), (
                        answer
                    )
            stored = stored_matches(server.database)[match]
            assert sum(request.endswith(":first") for request in stored.requests) == 1
            assert sum(request.endswith(":second") for request in stored.requests) <= 1

    run(tmp_path, scene)


def test_a_guest_gets_the_seat_after_a_crash_before_the_answer(tmp_path: Path) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        opened = await open_match(server.url, TWO | {"people": [{"name": "Ana"}]})
        match, guest = opened["match"], secrets.token_urlsafe(32)
        async with tab(server, match, witness, guest=guest) as there:
            version = there.receiver.version
            await there.send(type="sit", id="sit-1", version=version, name="Rui", entropy="ab")
            await eventually(lambda: events_stored(server.database, match) == version + 1, "it is stored")
            await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        async with tab(server, match, witness, guest=guest) as there:
            answer = await there.ask("sit", id="sit-1", version=version, name="Rui", entropy="ab")
            assert (answer["type"], answer["version"]) == ("accepted", version + 1)
            token = answer["token"]
        async with tab(server, match, Witness()) as somebody:  # the id alone gives no access
            answer = await somebody.ask("sit", id="sit-1", version=version, name="Rui", entropy="ab")
            assert answer["code"] == "table_full"
        async with tab(server, match, witness, token=token) as there:
            assert (await there.ask("free", seat=1))["type"] == "accepted"  # it is theirs

    run(tmp_path, scene)


def test_a_guest_whose_match_has_started_gets_a_snapshot(tmp_path: Path) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        opened = await open_match(server.url, TWO | {"people": [{"name": "Ana"}]})
        match, guest = opened["match"], secrets.token_urlsafe(32)
        async with tab(server, match, witness, token=opened["token"]) as host:
            async with tab(server, match, witness, guest=guest) as there:
                version = there.receiver.version
                await there.send(type="sit", id="sit-1", version=version, name="Rui")
                await host.receive("event")
                reset(there.there)  # before it has read the answer
            await host.ask("start")
            await host.ask("act", action="roll")
            async with tab(server, match, witness, guest=guest) as there:
                await there.send(type="sit", id="sit-1", version=version, name="Rui")
                snapshot = await there.receive("snapshot", "accepted")
                assert snapshot["type"] == "snapshot"
                assert snapshot["now"]["text"] == witness.events[match][host.receiver.version]["text"]
                assert (await there.answer("sit-1"))["token"]
                await host.ask("act", action="place 0")
                await there.receive("event")

    run(tmp_path, scene)


def events_stored(database: Path | str, match: str) -> int:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        found = connection.execute("SELECT count(*) FROM event WHERE match = ?", (match,)).fetchone()
        return int(found[0])
