"""Connections break in the middle of a frame, fall silent, come in twos; requests are repeated."""

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

from faults.check import check, stored_matches
from faults.people import Json, Witness, cut_mid_frame, open_match, reset
from faults.serving import Server, eventually, running
from faults.tabs import TWO, tab, two_people, verdict

PING_SECONDS = 0.5


def run(folder: Path, scene: Callable[[Server, Witness], Awaitable[None]], ping_seconds: float = 15) -> None:
    """Play a scene, then look that nothing was told that is not stored."""

    async def play() -> None:
        witness = Witness()
        async with running(folder, ping_seconds=ping_seconds) as server:
            await scene(server, witness)
            findings = check(server.database, witness)
            assert not findings.wrong, findings.wrong
            assert not server.complaints(), server.log.read_text()[-4000:]

    asyncio.run(play())


def test_half_a_frame_is_no_request_and_hurts_nobody(tmp_path: Path) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        match, ana, rui = await two_people(server, witness)
        rng = random.Random(7)
        async with tab(server, match, witness, token=rui) as other:
            for _ in range(4):
                async with tab(server, match, witness, token=ana) as host:
                    request = {"type": "act", "id": secrets.token_hex(8), "version": host.ear.version}
                    cut_mid_frame(host.there, json.dumps(request | {"action": "roll"}), rng)
                assert (await other.hear("presence"))["here"]  # she came
                assert not (await other.hear("presence"))["here"]  # she is gone, and it is told at once
            before = other.ear.version
            assert (await other.ask("ping"))["version"] == before, "nothing happened"
            async with tab(server, match, witness, token=ana) as host:
                assert (await host.ask("act", action="roll"))["version"] == before + 1

    run(tmp_path, scene)


def test_a_request_is_carried_through_when_its_sender_is_cut_off(tmp_path: Path) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        match, ana, rui = await two_people(server, witness)
        async with tab(server, match, witness, token=rui) as other:
            async with tab(server, match, witness, token=ana) as host:
                version = host.ear.version
                await host.say(type="act", id="roll-1", version=version, action="roll")
                await other.hear("event")
                reset(host.there)  # before it has read the answer
            async with tab(server, match, witness, token=ana, since=version) as host:
                await host.hear("event")
                answer = await host.ask("act", id="roll-1", version=version, action="roll")
                assert (answer["type"], answer["version"]) == ("accepted", version + 1)

    run(tmp_path, scene)


def test_a_silent_connection_is_away_after_the_ping_timeout(tmp_path: Path) -> None:
    """It neither reads nor writes nor closes, as when a phone loses its network."""

    async def scene(server: Server, witness: Witness) -> None:
        match, ana, rui = await two_people(server, witness)
        async with (
            tab(server, match, witness, token=ana) as host,
            tab(server, match, witness, token=rui) as lost,
        ):
            assert (await host.hear("presence"))["here"]
            lost.there.transport.pause_reading()  # so no ping is answered either
            told = await host.hear("presence")
            assert (told["seat"], told["here"]) == (1, False)
            assert (await host.ask("act", action="roll"))["type"] == "accepted"  # nobody waited for it
            async with tab(server, match, witness, token=rui):
                assert (await host.hear("presence"))["here"]
            reset(lost.there)

    run(tmp_path, scene, ping_seconds=PING_SECONDS)


@pytest.mark.parametrize("same_id", [False, True], ids=["different ids", "the same id"])
def test_two_tabs_that_act_at_once_act_once(tmp_path: Path, same_id: bool) -> None:
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
                version = left.ear.version
                ids = [f"both-{number}"] * 2 if same_id else [f"left-{number}", f"right-{number}"]
                actions = [now["legal"][0]] * 2 if same_id else [rng.choice(now["legal"]) for _ in ids]
                for there, id, action in zip((left, right), ids, actions, strict=True):
                    await there.say(type="act", id=id, version=version, action=action)
                answers = [await left.answer(ids[0]), await right.answer(ids[1])]
                for other in (a1, a2, r1, r2):
                    await other.ask("ping")
                    assert other.ear.version == version + 1, "one thing happened"
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


def test_requests_that_overtake_each_other_are_done_in_one_order_or_refused(tmp_path: Path) -> None:
    """A retry on a new connection may arrive before, after or together with what went before it."""

    async def scene(server: Server, witness: Witness) -> None:
        match, ana, _ = await two_people(server, witness)
        async with (
            tab(server, match, witness, token=ana) as old,
            tab(server, match, witness, token=ana) as new,
        ):
            version = old.ear.version
            await old.say(type="act", id="first", version=version, action="roll")
            await new.say(type="act", id="first", version=version, action="roll")
            await new.say(type="act", id="second", version=version + 1, action="place 0")
            await old.say(type="act", id="second", version=version + 1, action="place 0")
            await old.say(type="act", id="first", version=version, action="roll")
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


def test_a_guest_gets_the_seat_whose_answer_a_crash_swallowed(tmp_path: Path) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        opened = await open_match(server.url, TWO | {"people": [{"name": "Ana"}]})
        match, guest = opened["match"], secrets.token_urlsafe(32)
        async with tab(server, match, witness, guest=guest) as there:
            version = there.ear.version
            await there.say(type="sit", id="sit-1", version=version, name="Rui", entropy="ab")
            await eventually(lambda: events_stored(server.database, match) == version + 1, "it is stored")
            await server.kill()
        await server.start()
        async with tab(server, match, witness, guest=guest) as there:
            answer = await there.ask("sit", id="sit-1", version=version, name="Rui", entropy="ab")
            assert (answer["type"], answer["version"]) == ("accepted", version + 1)
            token = answer["token"]
        async with tab(server, match, Witness()) as somebody:  # the id alone is worth nothing
            answer = await somebody.ask("sit", id="sit-1", version=version, name="Rui", entropy="ab")
            assert answer["code"] == "table_full"
        async with tab(server, match, witness, token=token) as there:
            assert (await there.ask("free", seat=1))["type"] == "accepted"  # it is theirs

    run(tmp_path, scene)


def test_a_guest_who_finds_the_match_begun_is_told_how_it_stands(tmp_path: Path) -> None:
    async def scene(server: Server, witness: Witness) -> None:
        opened = await open_match(server.url, TWO | {"people": [{"name": "Ana"}]})
        match, guest = opened["match"], secrets.token_urlsafe(32)
        async with tab(server, match, witness, token=opened["token"]) as host:
            async with tab(server, match, witness, guest=guest) as there:
                version = there.ear.version
                await there.say(type="sit", id="sit-1", version=version, name="Rui")
                await host.hear("event")
                reset(there.there)  # before it has read the answer
            await host.ask("start")
            await host.ask("act", action="roll")
            async with tab(server, match, witness, guest=guest) as there:
                await there.say(type="sit", id="sit-1", version=version, name="Rui")
                snapshot = await there.hear("snapshot", "accepted")
                assert snapshot["type"] == "snapshot"
                assert snapshot["now"]["text"] == witness.events[match][host.ear.version]["text"]
                assert (await there.answer("sit-1"))["token"]
                await host.ask("act", action="place 0")
                await there.hear("event")

    run(tmp_path, scene)


def events_stored(database: Path | str, match: str) -> int:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        found = connection.execute("SELECT count(*) FROM event WHERE match = ?", (match,)).fetchone()
        return int(found[0])
