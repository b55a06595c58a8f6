"""Two workers on one database: bots, clocks and stand-ins act once, and presence is known to both."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from bus.test_follow import act, two_workers
from clocks import ShiftedClock
from databases import Postgres
from escadaria.server import hub as hub_module
from escadaria.server import peers
from escadaria.server.room import Room
from escadaria.store import StoredEvent, StoreUnavailable
from serving import PATIENCE, Inside, eventually
from wire import QUICK, duel, opened, playing, wire

pytestmark = pytest.mark.anyio


@pytest.fixture
def options(postgres: Postgres) -> dict[str, Any]:
    return {"database": postgres.empty()}


@pytest.fixture
def short_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers die soon after their last heartbeat."""
    monkeypatch.setattr(peers, "WORKER_SECONDS", 2.0)
    monkeypatch.setattr(hub_module, "BEAT_SECONDS", 0.2)
    monkeypatch.setattr(hub_module, "_CHECK_SECONDS", 0.2)


def count_decisions(monkeypatch: pytest.MonkeyPatch, *servers: Inside) -> Counter[tuple[int, str]]:
    """Count the computed decisions of bots at the only match, by version and position, at all workers.

    A position alone may come again: the same dice after rolling again.
    """
    decisions: Counter[tuple[int, str]] = Counter()
    for server in servers:
        decide, rooms = server.hub.workers.decide, server.hub.rooms

        async def counted(
            game: Any, state: Any, *more: Any, decide: Any = decide, rooms: Any = rooms, **named: Any
        ) -> Any:
            (room,) = rooms.values()
            decisions[room.match.version, str(state)] += 1
            return await decide(game, state, *more, **named)

        monkeypatch.setattr(server.hub.workers, "decide", counted)
    return decisions


def holders(match: str, *servers: Inside) -> list[Inside]:
    return [server for server in servers if server.hub.peers.holds(match)]


async def presence_is_stored(match: str, server: Inside) -> None:
    """Wait until the store knows who is connected to a match at this worker."""
    members = server.hub.rooms[match]._presence.text()

    async def stored() -> bool:
        survey = (await server.hub.store.survey([match], server.hub.clock.time()))[match]
        return survey.members.get(server.hub.peers.worker, "") == members

    await eventually(stored, "it is stored")


async def cut_off(server: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker lose its connection to the store, so that it can neither beat nor append."""

    async def fail(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("a test")

    calls = "heartbeat bury append survey events take_lease release_leases set_presence set_due due_matches"
    for call in (*calls.split(), "claim_due"):
        monkeypatch.setattr(server.hub.store, call, fail)
    await server.hub.bus.close()


async def test_a_bot_decides_once_although_two_workers_have_its_match(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_workers(tmp_path, options) as (one, two):
        decisions = count_decisions(monkeypatch, one, two)
        match = await opened(
            one.url,
            options={"finish": 5},
            people=[{"name": "Ana"}],
            bots=["simple"],
            start=True,
            settings=QUICK,
        )
        async with (
            wire(one.url, match["match"], token=match["token"]) as ana,
            wire(two.url, match["match"], token=match["token"]) as same,
        ):
            snapshot = await ana.expect("snapshot")
            version, now = snapshot["version"], snapshot["now"]
            await same.expect("snapshot")
            while now["status"] != "over":
                if now["to_act"] == 0:
                    await act(same, now, version, finish=5)
                events = [await there.expect("event") for there in (ana, same)]
                assert events[0]["version"] == events[1]["version"] == version + 1
                version, now = version + 1, events[0]["now"]
                assert len(holders(match["match"], one, two)) <= 1
        assert decisions and set(decisions.values()) == {1}


@pytest.mark.usefixtures("short_lives")
async def test_a_worker_that_dies_is_replaced(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_workers(tmp_path, options) as (one, two):
        match = await opened(
            one.url, people=[{"name": "Ana"}], bots=["simple"], start=True, settings=QUICK | {"grace": None}
        )
        async with wire(one.url, match["match"], token=match["token"]) as ana:
            await ana.expect("snapshot")
            await eventually(lambda: holders(match["match"], one, two) == [one], "one holds the lease")
            async with wire(two.url, match["match"], token=match["token"]) as same:
                snapshot = await same.expect("snapshot")
                version, now = snapshot["version"], snapshot["now"]
                await cut_off(one, monkeypatch)
                while now["to_act"] == 0:
                    await act(same, now, version)
                    event = await same.expect("event")
                    version, now = event["version"], event["now"]
                assert (await same.expect("event"))["event"]["seat"] == 1, "the bot acts at the other worker"
                await eventually(lambda: holders(match["match"], one, two) == [two], "it holds the lease")


@pytest.mark.usefixtures("short_lives")
async def test_the_deadline_of_a_match_without_clients_is_kept_by_another_worker(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_workers(tmp_path, options) as (one, two):
        match = await playing(one.url, clock=3, pace=10_000)
        name = match["match"]
        await eventually(lambda: holders(name, one, two) == [one], "one holds the lease")
        await cut_off(one, monkeypatch)
        await eventually(lambda: name in two.hub.rooms, "the other worker has loaded it")
        table = two.hub.rooms[name].match.table
        assert table is not None
        await eventually(lambda: table.bot_of(0), "the stand-in has replaced the first seat")
        events = await two.hub.store.events(name)
        hand_overs = [
            event
            for event in map(json.loads, (event.body for event in events))
            if event["kind"] == "acted" and event["action"] == "bot simple"
        ]
        assert [event["seat"] for event in hand_overs].count(0) == 1


async def test_a_worker_that_stops_gives_up_its_leases_at_once(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "WORKER_SECONDS", 3600.0)  # nobody waits until its leases expire
    async with two_workers(tmp_path, options) as (one, two):
        match, token = await duel(one.url)
        name = match["match"]
        async with wire(one.url, name, token=match["token"]):
            await eventually(lambda: holders(name, one, two) == [one], "one holds the lease")
            async with wire(two.url, name, token=token) as rui:
                await rui.expect("snapshot")
                one.server.should_exit = True
                await eventually(lambda: holders(name, one, two) == [two], "the other has taken it")

                async def gone() -> bool:
                    living = (await two.hub.store.heartbeat("x", 0, 1)).living
                    return one.hub.peers.worker not in living

                await eventually(gone, "it is no longer listed")


async def test_presence_is_known_to_all_workers(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "WORKER_SECONDS", 3600.0)
    clock = ShiftedClock()
    async with two_workers(tmp_path, options, clock) as (one, two):
        match, token = await duel(one.url, grace=5)
        name = match["match"]
        async with wire(one.url, name, token=match["token"]) as ana:
            await ana.expect("snapshot")
            await presence_is_stored(name, one)
            async with wire(two.url, name, token=token) as rui:
                seats = (await rui.expect("snapshot"))["now"]["seats"]
                assert [seat["here"] for seat in seats] == [True, True]
                await ana.expect("presence", seat=1, here=True)
                clock.ahead += 6
                async with wire(one.url, name):  # a new connection makes the room check the clock
                    pass
                assert not [frame for frame in await ana.all_until_pong() if frame["type"] == "event"]
                async with wire(one.url, name, token=token) as both:
                    await both.expect("snapshot")
            gone = await ana.expect("presence", seat=1, here=False)
            assert gone["stand_in_at"] is not None
            clock.ahead += 6
            async with wire(one.url, name):
                pass
            event = await ana.expect("event")
            assert event["event"]["action"] == "bot simple" and event["event"]["seat"] == 1


async def test_a_hand_over_that_meets_a_move_does_not_replace_the_player(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder finds the deadline due while the move is being stored at the other worker."""
    async with two_workers(tmp_path, options) as (one, two):
        match = await playing(one.url)
        name = match["match"]
        async with wire(one.url, name, token=match["token"]) as ana, AsyncExitStack() as stack:
            version = (await ana.expect("snapshot"))["version"]
            await eventually(lambda: holders(name, one, two) == [one], "one holds the lease")
            same = await stack.enter_async_context(wire(two.url, name, token=match["token"]))
            await same.expect("snapshot")
            append, due = one.hub.store.append, asyncio.Event()

            async def after_the_move(match: str, events: Sequence[StoredEvent], **named: Any) -> None:
                if not due.is_set() and "bot simple" in events[0].body:
                    due.set()
                    for frame in ({"action": "roll"}, {"action": "place 0"}):
                        answer = await same.ask("act", two.hub.rooms[name].match.version, **frame)
                        assert answer["type"] == "accepted"
                await append(match, events, **named)

            monkeypatch.setattr(one.hub.store, "append", after_the_move)
            assert (await ana.ask("configure", version, settings=QUICK | {"clock": 2}))["type"] == "accepted"
            await asyncio.wait_for(due.wait(), PATIENCE)
            events = [await ana.expect("event") for _ in range(3)]
            assert [event["version"] for event in events] == [version + 1, version + 2, version + 3]
            assert events[0]["event"]["kind"] == "configured"
            assert [event["event"]["action"] for event in events[1:]] == ["roll", "place 0"]
            room: Room = one.hub.rooms[name]
            assert room.match.table is not None and not room.match.table.bot_of(0)


async def test_a_lease_that_was_taken_without_an_answer_does_not_stay_taken(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_workers(tmp_path, options) as (one, two):
        take_lease = one.hub.store.take_lease

        async def lossy(*arguments: Any) -> bool:
            await take_lease(*arguments)
            raise StoreUnavailable("the connection was lost")

        monkeypatch.setattr(one.hub.store, "take_lease", lossy)
        with pytest.raises(StoreUnavailable):
            await one.hub.peers.take("m")
        await eventually(lambda: two.hub.peers.take("m"), "the other can take it")
