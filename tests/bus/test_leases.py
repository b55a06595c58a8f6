"""Two workers on one database: bots, clocks and stand-ins act once, and presence is known to both."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from bus.conftest import LIFE, Pair, Workers
from bus.test_follow import act
from clocks import ShiftedClock
from escadaria.match import turn_clock
from escadaria.server.matches.hub import Hub
from escadaria.store import StoredEvent, StoreUnavailable
from raw import QUICK, duel, opened, playing, raw
from serving import PATIENCE, Inside, eventually

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("kind", ["postgresql"])]

AGAINST_A_BOT: dict[str, Any] = {
    "options": {"finish": 5},
    "people": [{"name": "Ana"}],
    "bots": ["simple"],
    "settings": QUICK | {"grace": None},
    "start": True,
}


def counting(hub: Hub, decisions: Counter[tuple[int, str]]) -> Any:
    """How a worker decides, with a count by version and position.

    A position alone may come again: the same dice after rolling again.
    """
    decide = hub.compute.decide

    async def counted(game: Any, state: Any, *more: Any, **named: Any) -> Any:
        (room,) = hub.rooms.values()
        decisions[room.match.version, str(state)] += 1
        return await decide(game, state, *more, **named)

    return counted


async def holds(workers: Workers, worker: Inside, match: str) -> None:
    await eventually(lambda: workers.holders(match) == [worker], "this worker alone holds the lease")


async def cut_off(workers: Workers, monkeypatch: pytest.MonkeyPatch, clock: ShiftedClock) -> None:
    """Let the first worker lose its connection to the store and the bus, and expire; the other notices it."""

    async def fail(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("a test")

    calls = "heartbeat bury append survey events take_lease release_leases set_presence set_due due_matches"
    for call in (*calls.split(), "claim_due"):
        monkeypatch.setattr(workers.one.hub.store, call, fail)
    await workers.one.hub.bus.close()
    clock.ahead += 3 * LIFE
    await workers.two.hub.beat()


async def test_a_bot_decides_once_although_two_workers_have_its_match(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = workers.one, workers.two
    decisions: Counter[tuple[int, str]] = Counter()
    for hub in (one.hub, two.hub):
        monkeypatch.setattr(hub.compute, "decide", counting(hub, decisions))
    match = await opened(one.url, **AGAINST_A_BOT)
    name, token = match["match"], match["token"]
    async with raw(one.url, name, token=token) as ana, raw(two.url, name, token=token) as same:
        snapshot = await ana.expect("snapshot")
        version, now = snapshot["version"], snapshot["now"]
        await same.expect("snapshot")
        while now["status"] != "over":
            if now["to_act"] == 0:
                await act(same, now, version, finish=5)
            events = [await there.expect("event") for there in (ana, same)]
            assert events[0]["version"] == events[1]["version"] == version + 1
            version, now = version + 1, events[0]["now"]
            assert len(workers.holders(name)) <= 1
    assert decisions and set(decisions.values()) == {1}


@pytest.mark.usefixtures("beat_often")
async def test_a_worker_that_dies_is_replaced(
    workers: Workers, clock: ShiftedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = workers.one, workers.two
    match = await opened(one.url, **AGAINST_A_BOT)
    name, token = match["match"], match["token"]
    async with raw(one.url, name, token=token) as ana:
        await ana.expect("snapshot")
        await holds(workers, one, name)
        async with raw(two.url, name, token=token) as same:
            snapshot = await same.expect("snapshot")
            version, now = snapshot["version"], snapshot["now"]
            await cut_off(workers, monkeypatch, clock)
            while now["to_act"] == 0:
                await act(same, now, version, finish=5)
                event = await same.expect("event")
                version, now = event["version"], event["now"]
            assert (await same.expect("event"))["event"]["seat"] == 1, "the bot acts at the other worker"
            await holds(workers, two, name)


@pytest.mark.usefixtures("beat_often")
async def test_the_deadline_of_a_match_without_clients_is_kept_by_another_worker(
    workers: Workers, clock: ShiftedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = workers.one, workers.two
    monkeypatch.setattr(turn_clock, "_WARNING_MOST", 0.1)  # no more time to reconnect
    deadline = int(3.5 * LIFE)
    name = (await playing(one.url, clock=deadline, grace=None, pace=10_000))["match"]
    await holds(workers, one, name)
    await cut_off(workers, monkeypatch, clock)
    clock.ahead += 0.6 * LIFE
    await eventually(lambda: name in two.hub.rooms, "the other worker has loaded it")
    table = two.hub.rooms[name].match.play
    assert table is not None
    await eventually(lambda: table.bot_of(0), "the stand-in has replaced the first seat")
    events = [json.loads(event.body) for event in await two.hub.store.events(name)]
    hand_overs = [event["seat"] for event in events if event.get("action") == "bot simple"]
    assert hand_overs.count(0) == 1


@pytest.mark.usefixtures("beat_often")
async def test_a_worker_that_stops_gives_up_its_leases_at_once(workers: Workers, pair: Pair) -> None:
    """Nobody waits until they expire."""
    await eventually(lambda: workers.holders(pair.match), "one of them holds the lease")
    [holder] = workers.holders(pair.match)
    other = workers.two if holder is workers.one else workers.one
    holder.server.should_exit = True
    await holds(workers, other, pair.match)

    async def gone() -> bool:
        return holder.hub.leases.server not in (await other.hub.store.heartbeat("x", 0, 1)).living

    await eventually(gone, "it is no longer listed")


async def test_presence_is_known_to_all_workers(workers: Workers, clock: ShiftedClock) -> None:
    one, two = workers.one, workers.two
    match, token = await duel(one.url, grace=60)
    name = match["match"]
    peers, store, room = one.hub.leases, one.hub.store, one.hub.rooms[name]

    async def stored() -> bool:
        members = (await store.survey([name], clock.time()))[name].members
        return members.get(peers.server, "") == room._presence.text()

    async with raw(one.url, name, token=match["token"]) as ana:
        await ana.expect("snapshot")
        await eventually(stored, "who is connected is stored")
        async with raw(two.url, name, token=token) as rui:
            seats = (await rui.expect("snapshot"))["now"]["seats"]
            assert [seat["here"] for seat in seats] == [True, True]
            await ana.expect("presence", seat=1, here=True)
            clock.ahead += 61
            async with raw(one.url, name):  # a new connection makes the room check the clock
                pass
            assert not [frame for frame in await ana.all_until_pong() if frame["type"] == "event"]
            async with raw(one.url, name, token=token) as both:
                await both.expect("snapshot")
        gone = await ana.expect("presence", seat=1, here=False)
        assert gone["stand_in_at"] is not None
        clock.ahead += 61
        async with raw(one.url, name):
            pass
        event = await ana.expect("event")
        assert event["event"]["action"] == "bot simple" and event["event"]["seat"] == 1


async def test_a_hand_over_that_meets_a_move_does_not_replace_the_player(
    workers: Workers, clock: ShiftedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder finds the deadline due while the move is being stored at the other worker."""
    one, two = workers.one, workers.two
    match = await playing(one.url, clock=600)  # less than a lease lasts
    name, token = match["match"], match["token"]
    async with raw(one.url, name, token=token) as ana:
        version = (await ana.expect("snapshot"))["version"]
        await holds(workers, one, name)
        async with raw(two.url, name, token=token) as same:
            await same.expect("snapshot")
            append, due = one.hub.store.append, asyncio.Event()

            async def after_the_move(match: str, events: Sequence[StoredEvent], **named: Any) -> None:
                if not due.is_set() and "bot simple" in events[0].body:
                    due.set()
                    for action in ("roll", "place 0"):
                        version = two.hub.rooms[name].match.version
                        assert (await same.ask("act", version, action=action))["type"] == "accepted"
                await append(match, events, **named)

            monkeypatch.setattr(one.hub.store, "append", after_the_move)
            clock.ahead += 601
            async with raw(one.url, name):  # a new connection makes the room check the clock
                await asyncio.wait_for(due.wait(), PATIENCE)
            events = [await ana.expect("event") for _ in range(2)]
            assert [event["version"] for event in events] == [version + 1, version + 2]
            assert [event["event"]["action"] for event in events] == ["roll", "place 0"]
            table = one.hub.rooms[name].match.play
            assert table is not None and not table.bot_of(0)


async def test_a_lease_that_was_taken_without_an_answer_does_not_stay_taken(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = workers.one.hub, workers.two.hub
    take_lease = one.store.take_lease

    async def lossy(*arguments: Any) -> bool:
        await take_lease(*arguments)
        raise StoreUnavailable("the connection was lost")

    monkeypatch.setattr(one.store, "take_lease", lossy)
    with pytest.raises(StoreUnavailable):
        await one.leases.take("m")
    await eventually(lambda: two.leases.take("m"), "the other can take it")
