"""Rate limits, eviction from memory, and shutdown."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sqlite3
import weakref
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from uvicorn.server import ServerState

from clocks import ManualClock
from escadaria.client import MatchClient
from escadaria.refusals import Refused
from escadaria.server.edge.limits import Bucket, Kind, Limits, address_key
from escadaria.server.edge.protocol import Config, Gate, HttpProtocol
from escadaria.settings import Settings
from raw import QUICK, duel, opened, play, playing, raw, socket_to
from server.clients import client, entered, facing, seated
from serving import Inside, Server, eventually, serving, started

pytestmark = pytest.mark.anyio


@pytest.fixture
async def idle(tmp_path: Path) -> AsyncIterator[Inside]:
    """A server whose sweeps evict each match that nobody is connected to."""
    async with serving(tmp_path, idle_seconds=0) as server:
        yield server


async def evicted(server: Inside, match: dict[str, Any]) -> None:
    """Wait until the match is idle, then sweep."""
    await eventually(lambda: server.hub.rooms[match["match"]].idle, "nobody is there")
    await server.hub.sweep()


async def resigned(server: Inside) -> dict[str, Any]:
    """A match that is over."""
    async with seated(server.url) as (match, me):
        await me.ask("resign")
    return match


class Unread(asyncio.Transport):
    """A connection whose client reads nothing, so that it closes only when it is aborted."""

    def __init__(self) -> None:
        super().__init__({"peername": ("203.0.113.1", 1)})
        self.closing = self.aborted = False

    def write(self, data: object) -> None:
        """Keep it in the buffer."""

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.aborted = True


@pytest.mark.parametrize(
    "head", [b"GET / HTTP/1.1", b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close"]
)
async def test_a_connection_that_closes_waits_only_so_long_for_its_client(head: bytes) -> None:
    """After a refusal, and after the last response."""

    async def app(scope: object, receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x"})

    config = Config(app, lifespan="off", log_config=None)
    config.gate = Gate(Settings(send_seconds=0), limits()[0])
    connection, transport = HttpProtocol(config, ServerState(), {}), Unread()
    connection.connection_made(transport)
    connection.data_received(b"GET / HTTP/1.1\r\n" + head + b"\r\n")
    await eventually(lambda: transport.closing, "the connection closes")
    connection.resume_writing()
    assert not transport.aborted
    config.gate.close_expired()
    assert transport.aborted


# Rates and numbers.


def limits(**settings: Any) -> tuple[Limits, ManualClock]:
    clock = ManualClock()
    clock.start = 1_000_000.0
    return Limits(Settings(**settings), clock), clock


def refused_for(limits: Limits, address: str, kind: Kind, amount: float = 1.0) -> float:
    """Take an amount and return the seconds to wait; 0 if it was allowed."""
    try:
        limits.take(address, kind, amount)
    except Refused as refusal:
        return refusal.retry_after or 0.0
    return 0.0


def test_a_bucket_fills_with_time() -> None:
    buckets, clock = limits(requests_per_second=2, requests_burst=3)
    assert [buckets.allows("a", "requests") for _ in range(4)] == [True, True, True, False]
    assert buckets.allows("b", "requests")
    assert buckets.allows("a", "hints"), "kinds are counted apart"
    clock.ahead += 1
    assert [buckets.allows("a", "requests") for _ in range(3)] == [True, True, False]
    assert refused_for(buckets, "a", "requests") == 0.5
    buckets.sweep()
    assert len(buckets._buckets) == 1, "a full bucket is removed"
    bucket = Bucket(1, 1, clock.time)
    assert bucket.full and bucket.take() and not bucket.full and not bucket.take()
    clock.ahead += 1
    assert bucket.full and bucket.take()


def test_an_amount_above_the_burst_leaves_a_negative_level() -> None:
    budget, clock = limits(work_per_second=1, work_burst=10)
    budget.take("a", "work", 25)
    assert refused_for(budget, "a", "work", 5) == 20
    clock.ahead += 20
    assert not refused_for(budget, "a", "work", 5)
    clock.ahead += 100
    budget.charge("a", "work", 30)
    assert refused_for(budget, "a", "work", 1) == 21
    assert refused_for(budget, "a", "work", 99) == 30, "it waits until the bucket is full"


def test_an_ipv6_network_is_one_address() -> None:
    budget, _ = limits(requests_per_second=1, requests_burst=2)
    budget.take("2001:db8:1:2::1", "requests")
    budget.take("2001:db8:1:2:ffff::9%eth0", "requests")
    assert refused_for(budget, "2001:db8:1:2:3:4:5:6", "requests")
    assert not refused_for(budget, "2001:db8:1:3::1", "requests")
    budget.take("192.0.2.1", "requests")
    budget.take("::ffff:192.0.2.1", "requests")
    assert refused_for(budget, "192.0.2.1", "requests")
    assert not refused_for(budget, "192.0.2.2", "requests")
    assert not refused_for(budget, "no address", "requests")


def test_memory_is_bounded_for_any_number_of_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("escadaria.server.edge.limits._MAX_BUCKETS", 100)
    budget, _ = limits(requests_per_second=0.001, requests_burst=1)
    budget.take("192.0.2.1", "requests")
    for number in range(1000):
        budget.take(f"10.0.{number >> 8}.{number & 255}", "requests")
        if number % 50 == 0:
            assert refused_for(budget, "192.0.2.1", "requests"), "a bucket in use is not evicted"
    assert len(budget._buckets) == 100
    assert len(budget.dump()[0]) <= 100


def test_buckets_survive_a_restart_without_storing_addresses() -> None:
    before, clock = limits(requests_per_second=0.5, requests_burst=50, hints_per_second=1, hints_burst=9)
    before.take("192.0.2.1", "requests", 50)
    before.take("192.0.2.1", "hints", 9)
    before.take("192.0.2.7", "requests", 1)
    rows, expires = before.dump()
    assert len(rows) == 1, "nearly full buckets are left out"
    assert expires == clock.time() + 100
    assert "192.0" not in repr(rows)
    assert before.dump()[0] == {}, "nothing has changed since"
    after, later = limits(requests_per_second=0.5, requests_burst=50)
    later.ahead = clock.ahead + 10
    after.load({**rows, "requests:zz": "full of", "what:ever": "1 1", "": ""}, before.key)
    assert refused_for(after, "192.0.2.1", "requests", 10) == 10
    assert not refused_for(after, "192.0.2.1", "requests", 5)
    assert not refused_for(after, "192.0.2.7", "requests", 50)
    assert next(iter(rows)).endswith(address_key("192.0.2.1", before.key))
    assert address_key("192.0.2.1", before.key) != address_key("192.0.2.1", b"another key")


async def test_open_tables_of_an_address_are_limited(tmp_path: Path) -> None:
    async with serving(tmp_path, tables_per_address=3, idle_seconds=0) as server, client(server.url) as http:
        tries = [http.post("/api/matches", json={"game": "rapido"}) for _ in range(8)]
        codes = [answer.json().get("code") for answer in await asyncio.gather(*tries)]
        assert sorted(map(str, codes)) == ["None"] * 3 + ["too_many"] * 5
        await server.hub.sweep()  # evicts the idle ones
        match = await playing(server.url)
        async with MatchClient(server.url, match["match"], match["token"]) as table:
            await table.resign()
            first = await table.rematch()
            async with first:
                await first.start()
                await first.resign()
                second = await first.rematch()
                async with second:
                    await second.start()
                    await second.resign()
                    with pytest.raises(Refused, match="too_many"):
                        await second.rematch()


# Memory.


async def test_an_idle_match_is_evicted_and_loaded_again(idle: Inside) -> None:
    match, token = await duel(idle.url)
    async with raw(idle.url, match["match"], token=match["token"]) as ana:
        await ana.expect("snapshot")
        await idle.hub.sweep()
        assert match["match"] in idle.hub.rooms, "somebody is there"
        assert (await ana.ask("act", version=4, action="roll", id="x"))["type"] == "accepted"
        position = (await ana.expect("event"))["now"]["text"]
    await evicted(idle, match)
    assert not idle.hub.rooms and not idle.hub.tables.counts
    rooms = await asyncio.gather(*(idle.hub.room(match["match"]) for _ in range(20)))
    assert len(set(map(id, rooms))) == 1, "it is loaded once"
    async with raw(idle.url, match["match"], token=token, since=4) as rui:
        assert (await rui.expect("event"))["now"]["text"] == position, "history comes back too"
    async with raw(idle.url, match["match"], token=match["token"]) as ana:
        assert (await ana.ask("act", version=4, action="roll", id="x"))["version"] == 5
    assert match["match"] in await idle.hub.store.abandoned(1e12, 10)


@pytest.mark.parametrize("command, settings", [("resign", {}), ("ping", {"clock": 86_400})])
async def test_an_evicted_match_is_freed_without_garbage_collection(
    idle: Inside, command: str, settings: dict[str, int]
) -> None:
    """Neither sessions nor timers keep a reference to an evicted match."""
    async with seated(idle.url, **settings) as (match, me):
        await me.ask(command)
    gc.disable()
    try:
        room = weakref.ref(idle.hub.rooms[match["match"]])
        await evicted(idle, match)
        await eventually(lambda: room() is None, "it is freed")
    finally:
        gc.enable()


async def test_a_match_with_a_clock_stays_in_memory_or_is_loaded_when_due(tmp_path: Path) -> None:
    """A match with an early deadline stays in memory; a later deadline is in the store."""
    async with serving(tmp_path, ManualClock(), idle_seconds=0) as server:
        soon, later = await playing(server.url, clock=60), await playing(server.url, clock=86_400)
        other = await playing(server.url)
        await server.hub.sweep()
        assert list(server.hub.rooms) == [soon["match"]]
    clock = ManualClock()
    clock.ahead = 2 * 86_400
    async with serving(tmp_path, clock) as server:
        rooms = server.hub.rooms
        await eventually(lambda: soon["match"] in rooms and later["match"] in rooms, "both are due")
        assert other["match"] not in rooms
        # There is time to reconnect: no seat was handed over while the server was down.
        assert not any(taken_over(server, match) for match in (soon, later))
        async with raw(server.url, soon["match"], token=soon["token"]) as me:
            assert (await me.expect("snapshot"))["now"]["deadline"] > clock.time()
        clock.ahead += 86_400
        for match in (soon, later):
            async with raw(server.url, match["match"]):  # a new connection makes the room check the clock
                await eventually(partial(taken_over, server, match), "a bot plays")


def taken_over(server: Inside, match: dict[str, Any]) -> bool:
    table = server.hub.rooms[match["match"]].match.play
    return table is not None and bool(table.bot_of(0))


async def test_a_match_without_events_does_not_stop_the_sweep(tmp_path: Path) -> None:
    """Such a row once ended the sweep task, and a start."""
    async with serving(tmp_path, idle_seconds=0, archive_days=0) as server:
        with sqlite3.connect(tmp_path / "matches.sqlite3") as database:
            database.execute("INSERT INTO match (id, created, archived, due) VALUES ('empty', 0, 0, 1)")
        database.close()
        await evicted(server, await playing(server.url))
        await server.hub.sweep()
        assert not server.hub.rooms
        await server.hub.load_due()
        assert not await server.hub.store.due_matches(1e12, 10), "it is left alone"
        with pytest.raises(Refused, match="unknown_match"):
            async with MatchClient(server.url, "empty"):
                pass


async def test_a_background_task_continues_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("escadaria.server.matches.hub._DUE_SECONDS", 0.01)
    async with serving(tmp_path) as server:
        calls = []

        async def broken(*_: object) -> list[str]:
            calls.append(1)
            raise RuntimeError("a bug")

        monkeypatch.setattr(server.hub.store, "due_matches", broken)
        await eventually(lambda: len(calls) > 3, "it goes on")
    assert {r.getMessage() for r in caplog.records if r.exc_info} == {"a task failed and goes on"}


async def test_a_match_that_is_too_long_ends_by_resigning(tmp_path: Path) -> None:
    async with serving(tmp_path, events_per_match=8) as server, seated(server.url) as (_, ana):
        codes = [(await ana.ask("configure", settings=QUICK)).get("code") for _ in range(6)]
        assert codes == [None] * 4 + ["too_long"] * 2
        assert (await ana.ask("act", version=4, action="roll"))["code"] == "too_long"
        assert (await ana.ask("resign"))["type"] == "accepted"
        assert (await ana.ask("rematch"))["code"] == "too_long"


async def test_finished_matches_are_archived_once_and_can_be_loaded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path, idle_seconds=0) as server:
        match = await resigned(server)
        await eventually(lambda: server.hub.rooms[match["match"]].idle, "nobody is connected")
        await asyncio.gather(server.hub.sweep(), server.hub.sweep())  # two at once evict it once
        assert not server.hub.rooms and not server.hub.tables.counts
        assert not [record for record in caplog.records if record.levelname == "ERROR"]
        assert not await server.hub.store.abandoned(1e12, 10)
        async with raw(server.url, match["match"], token=match["token"]) as me:
            assert (await me.expect("snapshot"))["now"]["secret"]
            next_id = (await me.ask("rematch"))["match"]
        async with client(server.url) as http:
            assert (await http.get(f"/api/matches/{match['match']}/record")).status_code == 200
    async with serving(tmp_path) as server:
        assert not server.hub.rooms, "nobody has come yet"
        assert (await server.hub.room(next_id)).match.id == next_id


async def test_abandoned_matches_are_archived(tmp_path: Path) -> None:
    clock = ManualClock()
    async with serving(tmp_path, clock, idle_seconds=0, archive_days=30) as server:
        match = await playing(server.url)
        await evicted(server, match)
        assert await server.hub.store.abandoned(1e12, 10) == [match["match"]]
        clock.ahead = 31 * 86_400
        await server.hub.sweep()
        assert not await server.hub.store.abandoned(1e12, 10)
        async with raw(server.url, match["match"], token=match["token"]) as me:
            assert (await me.ask("act", version=4, action="roll"))["type"] == "accepted"


async def test_a_client_that_connects_during_eviction_keeps_the_room(
    idle: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that connects while the match is archived must not get an orphaned room."""
    match = await resigned(idle)
    room = idle.hub.rooms[match["match"]]
    archive = idle.hub.store.archive
    async with socket_to(idle.url, match["match"]) as late:

        async def slowly(name: str) -> None:
            await archive(name)
            await late.send({"type": "hello", "token": match["token"]})
            await late.expect("snapshot")

        monkeypatch.setattr(idle.hub.store, "archive", slowly)
        await evicted(idle, match)
        assert idle.hub.rooms[match["match"]] is room


async def test_closed_connections_leave_no_tasks(server: Inside) -> None:
    match = await playing(server.url)
    before = len(asyncio.all_tasks())
    for hello in ({"token": match["token"]}, {"watch": match["watch"]}, {}, {"token": "x" * 43}, None):
        for rude in (False, True):
            async with socket_to(server.url, match["match"]) as me:
                if hello is not None:
                    await me.send({"type": "hello", **hello})
                    await me.read()
                if rude:
                    me.socket.transport.abort()
    await eventually(lambda: not server.hub.connections, "all have gone")
    await eventually(lambda: len(asyncio.all_tasks()) <= before, "nothing of them is left")
    assert not server.hub.rooms[match["match"]].connections


# Stopping.


async def test_a_shutdown_sends_bye_and_loses_nothing_and_clients_play_on(tmp_path: Path) -> None:
    async with (
        started(Server(tmp_path)) as live,
        entered(live.url, players=3, settings=QUICK) as one,
        MatchClient(live.url, one.match) as other,
    ):
        await one.sit("Eva")
        await other.sit("Zoe")
        await one.add_bot("simple")
        await one.start()
        games = asyncio.gather(play(one), play(other))
        async with (
            facing(live.url) as (match, ana, _),
            raw(live.url, match["match"]) as guest,
            raw(live.url, match["match"], watch=match["watch"]) as watcher,
            socket_to(live.url, match["match"]) as silent,
        ):
            accepted = await ana.ask("act", version=4, action="roll", id="x")
            await asyncio.gather(*(wire_.ask("ping") for wire_ in (guest, watcher)))
            await one.wait_for(lambda: one.version > 12)
            os.kill(live.pid, signal.SIGTERM)
            for wire_ in (ana, guest, watcher, silent):
                assert (await wire_.expect("bye"))["code"] == "restart"
                assert await wire_.closed() == 1012
        await eventually(lambda: not live.runs(), "it ends")
        await asyncio.to_thread(live.start)
        async with raw(live.url, match["match"], token=match["token"], since=4) as ana:
            assert (await ana.expect("event"))["version"] == accepted["version"] == 5
            assert (await ana.ask("act", version=4, action="roll", id="x"))["version"] == 5
        await games
        assert one.winner == other.winner is not None
        assert one.version == other.version


async def test_a_client_reports_why_it_was_closed(url: str) -> None:
    match, token = await duel(url)
    async with MatchClient(url, match["match"], token) as rui:
        asked = asyncio.create_task(rui.wait_for(lambda: False))
        code = (await rui.request("recover"))["code"]
        async with raw(url, match["match"], recover=code) as new:
            await new.expect("welcome")
            with pytest.raises(Refused, match="moved"):
                await asked
            with pytest.raises(Refused, match="moved"):
                await rui.resign()
            with pytest.raises(Refused, match="moved"):
                async for _ in rui.turns():
                    pass
    for bad, why in (
        (MatchClient(url, match["match"], token), "forbidden"),
        (MatchClient(url, match["match"], "short"), "malformed"),
        (MatchClient(url, "none"), "unknown_match"),
    ):
        with pytest.raises(Refused, match=why):
            async with bad:
                pass


async def test_every_match_has_its_own_id_token_and_key(url: str) -> None:
    matches = [await opened(url) for _ in range(5)]
    for key in ("match", "token", "watch"):
        assert len({match[key] for match in matches}) == 5
    assert all(len(match["token"]) >= 43 and len(match["watch"]) >= 43 for match in matches)
