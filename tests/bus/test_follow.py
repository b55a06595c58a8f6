"""Two workers on one database: what one stores, the clients of the other receive without asking."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import escadaria
from clocks import EndlessPauses
from databases import Postgres, Redis
from escadaria import bots
from escadaria.bus.redis import RedisBus
from escadaria.server import hub as hub_module
from escadaria.server.clock import Clock
from escadaria.server.room import Room
from escadaria.store import StoredEvent, StoreUnavailable, Survey
from serving import PATIENCE, Inside, eventually, serving
from wire import Wire, duel, opened, wire

pytestmark = pytest.mark.anyio


both = pytest.mark.parametrize("kind", ["postgresql", "redis"])


@pytest.fixture
def kind() -> str:
    """The kind of bus."""
    return "redis"


@pytest.fixture
def options(kind: str, request: pytest.FixtureRequest, postgres: Postgres) -> dict[str, Any]:
    """The settings of all workers."""
    redis: Redis | None = request.getfixturevalue("redis") if kind == "redis" else None
    return {"database": postgres.empty(), "redis": redis.url if redis else ""}


@asynccontextmanager
async def two_workers(
    folder: Path, options: dict[str, Any], clock: Clock | None = None
) -> AsyncIterator[tuple[Inside, Inside]]:
    async with serving(folder, clock, **options) as one, serving(folder, clock, **options) as two:
        yield one, two


def never_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only the bus tell workers of each other, not the periodic check."""
    monkeypatch.setattr(hub_module, "_CHECK_SECONDS", 1e6)


async def act(wire: Wire, now: dict[str, Any], version: int, **options: int) -> dict[str, Any]:
    """Play like the simple bot, and return the answer."""
    if now["legal"] == ["roll"]:
        return await wire.ask("act", version, action="roll")
    game = escadaria.load("rapido", players=2, **options)
    decision = bots.load("simple", game)(game, game.parse_state(now["text"]))
    return await wire.ask("act", version, action=str(decision))


@both
async def test_a_match_is_played_by_people_at_two_workers(
    tmp_path: Path, options: dict[str, Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_check(monkeypatch)
    frames = 0
    make_frame = Room._event_frame

    def counted(*arguments: Any, **more: Any) -> Any:
        nonlocal frames
        frames += 1
        return make_frame(*arguments, **more)

    monkeypatch.setattr(Room, "_event_frame", counted)
    async with two_workers(tmp_path, options) as (one, two):
        match, token = await duel(one.url)
        async with (
            wire(one.url, match["match"], token=match["token"]) as ana,
            wire(two.url, match["match"], token=token) as rui,
        ):
            snapshots = [await wire.expect("snapshot") for wire in (ana, rui)]
            version, now = snapshots[0]["version"], snapshots[0]["now"]
            assert snapshots[1]["version"] == version
            await eventually(lambda: two.hub.bus.connected, "the bus is connected")
            moves = 0
            while now["status"] != "over":
                player = (ana, rui)[now["to_act"]]
                assert (await act(player, now, version))["type"] == "accepted"
                events = [await wire.expect("event") for wire in (ana, rui)]
                version += 1
                assert [event["version"] for event in events] == [version, version]
                assert events[0]["event"] == events[1]["event"]
                now, moves = events[0]["now"], moves + 1
            assert moves > 20
            if kind == "redis":  # the worker that stores a move makes its frame for both
                assert frames < 1.5 * moves


@both
async def test_lobby_and_hidden_data_are_followed(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    never_check(monkeypatch)
    async with two_workers(tmp_path, options) as (one, two):
        match = await opened(one.url, people=[{"name": "Ana"}])
        async with (
            wire(one.url, match["match"], token=match["token"]) as host,
            wire(two.url, match["match"]) as guest,
        ):
            await host.expect("snapshot")
            await guest.expect("snapshot")
            token = (await guest.ask("sit", name="Rui"))["token"]
            assert (await host.expect("event"))["now"]["seats"][1]["name"] == "Rui"
            async with wire(one.url, match["match"], token=token) as same:  # the digest of the token is there
                assert (await same.expect("welcome"))["role"] == "player"
            assert (await host.ask("start", 3))["type"] == "accepted"
            assert (await guest.expect("event", version=4))["now"]["status"] == "playing"


async def test_of_two_moves_for_one_position_the_first_wins(tmp_path: Path, options: dict[str, Any]) -> None:
    async with two_workers(tmp_path, options) as (one, two):
        match, _ = await duel(one.url)
        async with (
            wire(one.url, match["match"], token=match["token"]) as left,
            wire(two.url, match["match"], token=match["token"]) as right,
        ):
            version = (await left.expect("snapshot"))["version"]
            await right.expect("snapshot")
            answers = await asyncio.gather(
                *(wire.ask("act", version, action="roll") for wire in (left, right))
            )
            assert sorted(answer["type"] for answer in answers) == ["accepted", "refused"]
            refused = next(answer for answer in answers if answer["type"] == "refused")
            assert (refused["code"], refused["version"]) == ("stale_version", version + 1)
            for there in (left, right):
                assert (await there.expect("event"))["version"] == version + 1


async def test_lost_messages_are_found_by_the_check(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "_CHECK_SECONDS", 0.1)
    async with two_workers(tmp_path, options) as (one, two):
        match, token = await duel(one.url)
        await two.hub.bus.close()
        async with (
            wire(one.url, match["match"], token=match["token"]) as ana,
            wire(two.url, match["match"], token=token) as rui,
        ):
            version = (await ana.expect("snapshot"))["version"]
            await rui.expect("snapshot")
            assert (await ana.ask("act", version, action="roll"))["type"] == "accepted"
            assert (await rui.expect("event"))["version"] == version + 1


async def test_the_check_does_not_read_what_messages_bring(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    never_check(monkeypatch)
    async with two_workers(tmp_path, options) as (one, two):
        match, token = await duel(one.url)
        async with (
            wire(one.url, match["match"], token=match["token"]) as ana,
            wire(two.url, match["match"], token=token) as rui,
        ):
            version = (await ana.expect("snapshot"))["version"]
            await rui.expect("snapshot")
            bus, store, room = two.hub.bus, two.hub.store, two.hub.rooms[match["match"]]
            await eventually(lambda: bus.connected, "the bus is connected")
            assert isinstance(bus, RedisBus)
            receive, events = bus.received, store.events
            late: list[Any] = []
            reads: list[Any] = []

            def delay(*message: Any) -> None:
                if message[1] > version:
                    late.append(message)

            async def deliver(seconds: float) -> None:
                while late:
                    receive(*late.pop())

            async def counted(*asked: Any, **more: Any) -> list[StoredEvent]:
                reads.append(asked)
                return await events(*asked, **more)

            monkeypatch.setattr(bus, "received", delay)
            await eventually(lambda: room.jobs.idle, "nothing is being checked")
            monkeypatch.setattr(store, "events", counted)
            monkeypatch.setattr(two.hub.clock, "sleep", deliver)
            assert (await ana.ask("act", version, action="roll"))["type"] == "accepted"
            await eventually(lambda: late, "the message is late")
            await two.hub.check()
            assert (await rui.expect("event"))["version"] == version + 1
            assert not reads


async def test_a_worker_without_clients_at_a_match_does_not_follow_but_answers_with_the_latest(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    never_check(monkeypatch)
    async with two_workers(tmp_path, options) as (one, two):
        match, token = await duel(one.url)
        path = f"/api/matches/{match['match']}"
        headers = {"authorization": f"Bearer {match['token']}"}
        async with httpx.AsyncClient(trust_env=False) as http:
            before = (await http.get(two.url + path, headers=headers)).json()
            async with wire(one.url, match["match"], token=match["token"]) as ana:
                version = (await ana.expect("snapshot"))["version"]
                await ana.ask("act", version, action="roll")
            room = two.hub.rooms[match["match"]]
            assert room.match.version == version and not room.followed
            bus = two.hub.bus
            assert isinstance(bus, RedisBus) and match["match"] not in bus.matches
            after = (await http.get(two.url + path, headers=headers)).json()
        assert before["text"] != after["text"] and room.match.version == version + 1
        async with wire(two.url, match["match"], token=token) as rui:
            assert (await rui.expect("snapshot"))["version"] == version + 1
            assert room.followed
        await eventually(lambda: not room.followed, "the client has left")


async def test_while_the_store_stalls_nothing_is_broadcast_out_of_order(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message overtakes the append of a worker whose own command is refused later."""
    async with two_workers(tmp_path, options) as (one, two):
        match, token = await duel(one.url)
        async with (
            wire(one.url, match["match"], token=match["token"]) as ana,
            wire(two.url, match["match"], token=token) as rui,
        ):
            version = (await ana.expect("snapshot"))["version"]
            await rui.expect("snapshot")
            append, called, stalled = two.hub.store.append, asyncio.Event(), asyncio.Event()

            async def late(*arguments: Any, **more: Any) -> None:
                called.set()
                await stalled.wait()
                await append(*arguments, **more)

            monkeypatch.setattr(two.hub.store, "append", late)
            resigning = asyncio.create_task(rui.ask("resign", version))
            await asyncio.wait_for(called.wait(), PATIENCE)
            assert (await ana.ask("act", version, action="roll"))["type"] == "accepted"
            await eventually(lambda: two.hub.rooms[match["match"]].jobs.waiting, "the message has arrived")
            stalled.set()
            assert (await resigning)["type"] == "accepted"
            for there in (ana, rui):
                events = [await there.expect("event") for _ in range(2)]
                assert [event["version"] for event in events] == [version + 1, version + 2]
                assert events[1]["now"]["status"] == "over"


async def test_bots_hurry_at_the_worker_that_runs_them(tmp_path: Path, options: dict[str, Any]) -> None:
    async with two_workers(tmp_path, options, EndlessPauses()) as (one, two):
        bots: dict[str, Any] = {"bots": ["simple"] * 5, "start": True, "settings": {"pace": 10_000}}
        match = await opened(one.url, players=6, people=[{"name": "Ana"}], **bots)
        id = match["match"]
        async with wire(one.url, id, token=match["token"]) as first:
            version = (await first.expect("snapshot"))["version"]
            await eventually(lambda: one.hub.peers.holds(id), "it has the lease")
            async with wire(two.url, id, token=match["token"]) as second:
                now = (await second.expect("snapshot"))["now"]
                while now["to_act"] == 0:
                    answer = await second.ask("act", version, action=now["legal"][-1])
                    version = answer["version"]
                    now = (await second.expect("event", version=version))["now"]
                assert (await second.ask("hurry", version))["type"] == "accepted"
                while now["to_act"] != 0:
                    now = (await second.expect("event"))["now"]
                assert not two.hub.peers.holds(id)


async def test_while_the_store_is_away_the_check_goes_on(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "_CHECK_SECONDS", 0.05)
    async with two_workers(tmp_path, options) as (one, two):
        match, token = await duel(one.url)
        await two.hub.bus.close()
        survey = two.hub.store.survey
        calls = 0

        async def fail(matches: Any, now: float) -> dict[str, Survey]:
            nonlocal calls
            calls += 1
            raise StoreUnavailable("a test")

        async with (
            wire(one.url, match["match"], token=match["token"]) as ana,
            wire(two.url, match["match"], token=token) as rui,
        ):
            version = (await ana.expect("snapshot"))["version"]
            await rui.expect("snapshot")
            monkeypatch.setattr(two.hub.store, "survey", fail)
            await ana.ask("act", version, action="roll")
            await eventually(lambda: calls >= 3, "it checks")
            monkeypatch.setattr(two.hub.store, "survey", survey)
            assert (await rui.expect("event"))["version"] == version + 1
