"""Two workers on one database: what one stores, the clients of the other receive without asking."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

import escadaria
from bus.conftest import Pair, Workers
from clocks import EndlessPauses
from escadaria import bots
from escadaria.bus import Message, Stored
from escadaria.bus.redis import RedisBus
from escadaria.match.frames import Frames
from escadaria.store import StoredEvent, StoreUnavailable, Survey
from raw import RawClient, duel, opened, raw
from serving import PATIENCE, eventually

pytestmark = pytest.mark.anyio


both = pytest.mark.parametrize("kind", ["postgresql", "redis"])


@pytest.fixture
def kind() -> str:
    """The kind of bus."""
    return "redis"


async def act(wire: RawClient, now: dict[str, Any], version: int, **options: int) -> dict[str, Any]:
    """Play like the simple bot, and return the answer."""
    if now["legal"] == ["roll"]:
        return await wire.ask("act", version, action="roll")
    game = escadaria.load("rapido", players=2, **options)
    decision = bots.load("simple", game)(game, game.parse_state(now["text"]))
    return await wire.ask("act", version, action=str(decision))


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The events of which a worker has made the frame."""
    made: list[object] = []
    make = Frames.event_frame

    def counted(frames: Frames, event: Any, **named: Any) -> Any:
        made.append(event)
        return make(frames, event, **named)

    monkeypatch.setattr(Frames, "event_frame", counted)
    return made


@both
@pytest.mark.usefixtures("never_check")
async def test_a_match_is_played_by_people_at_two_workers(
    kind: str, frames: list[object], workers: Workers, pair: Pair
) -> None:
    await eventually(lambda: workers.two.hub.bus.connected, "the bus is connected")
    version, now = pair.version, pair.now
    frames.clear()
    while now["status"] != "over":
        player = (pair.ana, pair.rui)[now["to_act"]]
        assert (await act(player, now, version, finish=10))["type"] == "accepted"
        events = [await there.expect("event") for there in (pair.ana, pair.rui)]
        version += 1
        assert [event["version"] for event in events] == [version, version]
        assert events[0]["event"] == events[1]["event"]
        now = events[0]["now"]
    if kind == "redis":  # the worker that stores a move makes its frame for both
        assert len(frames) < 1.5 * (version - pair.version)


@both
@pytest.mark.usefixtures("never_check")
async def test_lobby_and_hidden_data_are_followed(workers: Workers) -> None:
    one, two = workers.one.url, workers.two.url
    match = await opened(one, people=[{"name": "Ana"}])
    name = match["match"]
    async with raw(one, name, token=match["token"]) as host, raw(two, name) as guest:
        await host.expect("snapshot")
        await guest.expect("snapshot")
        token = (await guest.ask("sit", name="Rui"))["token"]
        assert (await host.expect("event"))["now"]["seats"][1]["name"] == "Rui"
        async with raw(one, name, token=token) as same:  # the digest of the token is there
            assert (await same.expect("welcome"))["role"] == "player"
        assert (await host.ask("start", 3))["type"] == "accepted"
        assert (await guest.expect("event", version=4))["now"]["status"] == "playing"


async def test_of_two_moves_for_one_position_the_first_wins(workers: Workers, pair: Pair) -> None:
    async with raw(workers.two.url, pair.match, token=pair.token) as same:
        await same.expect("snapshot")
        answers = await asyncio.gather(
            *(there.ask("act", pair.version, action="roll") for there in (pair.ana, same))
        )
        refused, accepted = sorted(answers, key=lambda answer: str(answer["type"]), reverse=True)
        assert accepted["type"] == "accepted"
        assert (refused["code"], refused["version"]) == ("stale_version", pair.version + 1)
        for there in (pair.ana, same):
            assert (await there.expect("event"))["version"] == pair.version + 1


@pytest.mark.usefixtures("beat_often")
async def test_lost_messages_are_found_by_the_check_also_after_it_failed(
    workers: Workers, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    await workers.two.hub.bus.close()
    failed: list[object] = []

    async def fail(*asked: object) -> dict[str, Survey]:
        failed.append(asked)
        raise StoreUnavailable("a test")

    with monkeypatch.context() as patch:
        patch.setattr(workers.two.hub.store, "survey", fail)
        assert (await pair.ana.ask("act", pair.version, action="roll"))["type"] == "accepted"
        await eventually(lambda: len(failed) >= 3, "it checks again and again")
    assert (await pair.rui.expect("event"))["version"] == pair.version + 1


@pytest.mark.usefixtures("never_check")
async def test_the_check_does_not_read_what_messages_bring(
    workers: Workers, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = workers.two.hub
    bus, room = hub.bus, hub.rooms[pair.match]
    await eventually(lambda: bus.connected, "the bus is connected")
    assert isinstance(bus, RedisBus)
    receive, events = bus.received, hub.store.events
    late: list[Message] = []
    reads: list[Any] = []

    def delay(message: Message) -> None:
        if isinstance(message, Stored) and message.version > pair.version:
            late.append(message)

    async def deliver(seconds: float) -> None:
        while late:
            receive(late.pop())

    async def counted(*asked: Any, **more: Any) -> list[StoredEvent]:
        reads.append(asked)
        return await events(*asked, **more)

    monkeypatch.setattr(bus, "received", delay)
    await eventually(lambda: room.jobs.idle, "nothing is being checked")
    monkeypatch.setattr(hub.store, "events", counted)
    monkeypatch.setattr(hub.clock, "sleep", deliver)
    assert (await pair.ana.ask("act", pair.version, action="roll"))["type"] == "accepted"
    await eventually(lambda: late, "the message is late")
    await hub.check()
    assert (await pair.rui.expect("event"))["version"] == pair.version + 1
    assert not reads


@pytest.mark.usefixtures("never_check")
async def test_a_worker_without_clients_at_a_match_does_not_follow_but_answers_with_the_latest(
    workers: Workers,
) -> None:
    one, two = workers.one, workers.two
    match, token = await duel(one.url)
    name = match["match"]
    headers = {"authorization": f"Bearer {match['token']}"}
    address = f"{two.url}/api/matches/{name}"
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE, headers=headers) as http:
        before = (await http.get(address)).json()
        async with raw(one.url, name, token=match["token"]) as ana:
            version = (await ana.expect("snapshot"))["version"]
            await ana.ask("act", version, action="roll")
        room = two.hub.rooms[name]
        assert room.match.version == version and not room.followed
        bus = two.hub.bus
        assert isinstance(bus, RedisBus) and name not in bus.matches
        after = (await http.get(address)).json()
    assert before["text"] != after["text"] and room.match.version == version + 1
    async with raw(two.url, name, token=token) as rui:
        assert (await rui.expect("snapshot"))["version"] == version + 1
        assert room.followed
    await eventually(lambda: not room.followed, "the client has left")


async def test_while_the_store_stalls_nothing_is_broadcast_out_of_order(
    workers: Workers, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message overtakes the append of a worker whose own command is refused later."""
    hub, version = workers.two.hub, pair.version
    append, called, stalled = hub.store.append, asyncio.Event(), asyncio.Event()

    async def late(*arguments: Any, **more: Any) -> None:
        called.set()
        await stalled.wait()
        await append(*arguments, **more)

    monkeypatch.setattr(hub.store, "append", late)
    resigning = asyncio.create_task(pair.rui.ask("resign", version))
    await asyncio.wait_for(called.wait(), PATIENCE)
    assert (await pair.ana.ask("act", version, action="roll"))["type"] == "accepted"
    await eventually(lambda: hub.rooms[pair.match].jobs.waiting, "the message has arrived")
    stalled.set()
    assert (await resigning)["type"] == "accepted"
    for there in (pair.ana, pair.rui):
        events = [await there.expect("event") for _ in range(2)]
        assert [event["version"] for event in events] == [version + 1, version + 2]
        assert events[1]["now"]["status"] == "over"


@pytest.mark.parametrize("clock", [EndlessPauses()])
async def test_bots_hurry_at_the_worker_that_runs_them(workers: Workers) -> None:
    one, two = workers.one, workers.two
    bots: dict[str, Any] = {"bots": ["simple"] * 5, "start": True, "settings": {"pace": 10_000}}
    match = await opened(one.url, players=6, people=[{"name": "Ana"}], **bots)
    id = match["match"]
    async with raw(one.url, id, token=match["token"]) as first:
        version = (await first.expect("snapshot"))["version"]
        await eventually(lambda: workers.holders(id) == [one], "it has the lease")
        async with raw(two.url, id, token=match["token"]) as second:
            now = (await second.expect("snapshot"))["now"]
            while now["to_act"] == 0:
                answer = await second.ask("act", version, action=now["legal"][-1])
                version = answer["version"]
                now = (await second.expect("event", version=version))["now"]
            assert (await second.ask("hurry", version))["type"] == "accepted"
            while now["to_act"] != 0:
                now = (await second.expect("event"))["now"]
            assert workers.holders(id) == [one]
