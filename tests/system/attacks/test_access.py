"""Attacks on seats: derived tokens, tables full of guests, invisible names, and changed system clocks."""

from __future__ import annotations

import base64
import contextlib
import hmac
import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from websockets.exceptions import InvalidMessage, InvalidStatus

from clocks import ShiftedClock
from escadaria import wire
from escadaria.record import read
from escadaria.store import StoredEvent
from raw import QUICK, RawClient, connected, duel, opened, playing, raw, socket_to
from serving import PATIENCE, Inside, eventually, serving

pytestmark = pytest.mark.anyio


GUEST = "a-text-that-the-guest-made-up"


# Tokens.


def derived(secret: str, *parts: str) -> str:
    """The token that an earlier version derived from the secret of the dice."""
    text = "\n".join(("token", *parts)).encode()
    raw = hmac.digest(bytes.fromhex(secret), text, "sha256")
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def browser(server: Inside) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=PATIENCE)


async def may_enter(url: str, match: str, **hello: str) -> bool:
    async with raw(url, match, **hello) as me:
        return bool((await me.read())["type"] == "welcome")


async def test_no_token_can_be_derived_from_a_record_or_a_spent_code(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        url = server.url
        match = await opened(url, people=[{"name": "Ana"}], settings=QUICK)
        name = match["match"]
        async with (
            raw(url, name, token=match["token"]) as ana,
            raw(url, name, guest=GUEST) as rui,
        ):
            await rui.ask("sit", name="Rui", id="sit")
            await ana.ask("start")
            code = (await rui.ask("recover"))["code"]
            async with raw(url, name, recover=code) as moved:
                token = (await moved.expect("welcome"))["token"]
            assert await may_enter(url, name, token=token)
            await ana.ask("resign")
            following = (await ana.ask("rematch"))["match"]
        async with browser(server) as http:
            record = read((await http.get(f"/api/matches/{name}/record")).text)
        assert record.proof is not None and record.proof.secret, "it is public"
        for place in (name, following):
            for parts in ((code, "recover"), (GUEST, "sit")):
                assert not await may_enter(url, place, token=derived(record.proof.secret, *parts))
            assert not await may_enter(url, place, recover=code), "the code is spent"
        for old in (match["token"], token):
            assert not await may_enter(url, following, token=old), "a rematch has tokens of its own"


async def test_a_code_survives_eviction_and_restart(tmp_path: Path) -> None:
    async with serving(tmp_path, idle_seconds=0) as server:
        match, token = await duel(server.url)
        async with (
            raw(server.url, match["match"], token=match["token"]) as ana,
            raw(server.url, match["match"], token=token) as rui,
        ):
            code = (await rui.ask("recover"))["code"]
            others = {(await ana.ask("recover"))["code"] for _ in range(25)}
            assert len(others) == 25
        await eventually(lambda: server.hub.rooms[match["match"]].idle, "nobody is there")
        await server.hub.sweep()
        assert not server.hub.rooms
    with contextlib.closing(sqlite3.connect(tmp_path / "matches.sqlite3")) as database:
        stored = "\n".join(database.iterdump())
    assert code not in stored, "only a digest is stored"
    async with serving(tmp_path) as server:
        async with raw(server.url, match["match"], recover=code) as rui:
            assert (await rui.expect("welcome"))["mine"] == [1]
        assert not await may_enter(server.url, match["match"], token=token)


async def test_codes_and_seals_count_as_writes(tmp_path: Path) -> None:
    async with serving(tmp_path, writes_per_second=0.001, writes_burst=6) as server, browser(server) as http:
        match = await playing(server.url)
        async with raw(server.url, match["match"], token=match["token"]) as me:
            codes = [(await me.ask("recover")).get("code") != "too_fast" for _ in range(3)]
            seals = [(await http.post("/api/seals")).status_code for _ in range(5)]
            assert codes == [True] * 3 and seals == [201] * 3 + [429] * 2
            assert (await me.ask("recover"))["code"] == "too_fast"


async def test_a_code_expires_with_time_or_another_code(tmp_path: Path) -> None:
    clock = ShiftedClock()
    async with serving(tmp_path, clock) as server:
        match, token = await duel(server.url)
        async with raw(server.url, match["match"], token=token) as rui:
            first, second, third = [(await rui.ask("recover"))["code"] for _ in range(3)]
        assert await may_enter(server.url, match["match"], recover=first)
        assert not await may_enter(server.url, match["match"], recover=second), "it was for the old token"
        clock.ahead = 61
        assert not await may_enter(server.url, match["match"], recover=first), "a minute to try again"
        clock.ahead = 901
        assert not await may_enter(server.url, match["match"], recover=third)


# Shutting down.


async def test_a_shutdown_during_a_handshake_logs_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path) as server:
        match = await opened(server.url)

        def shuts_down(*_: object) -> bool:
            server.hub.closing = True
            for protocol in list(server.server.server_state.connections):
                protocol.shutdown()
            return True

        monkeypatch.setattr("escadaria.server.edge.socket.same_origin", shuts_down)
        with pytest.raises((InvalidStatus, InvalidMessage, ConnectionError)):
            async with socket_to(server.url, match["match"]):
                pass
        await eventually(lambda: not server.server.server_state.tasks, "it is over")
        server.hub.closing = False
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_request_on_an_aborted_connection_sends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On uvloop, writing to an aborted transport raises an error."""
    async with serving(tmp_path) as server:
        disconnected: list[bool] = []

        def abort(*_: object) -> None:
            connections: Any = server.server.server_state.connections
            for protocol in list(connections):
                protocol.abort()
                disconnected.append(protocol.cycle.disconnected)

        monkeypatch.setattr(server.hub.limits, "take", abort)
        async with browser(server) as http:
            with pytest.raises(httpx.HTTPError):
                await http.get("/healthz")
        await eventually(lambda: not server.server.server_state.tasks, "the request has ended")
    assert disconnected == [True]


# Limits of connections.


async def test_guests_and_watchers_cannot_take_all_places(tmp_path: Path) -> None:
    """Neither those of one address, nor all of them those of the members."""
    async with serving(tmp_path, connections_per_table=12) as server, contextlib.AsyncExitStack() as stack:
        match, token = await duel(server.url)

        async def enter(address: str, **hello: str) -> str:
            """The first frame that a client at an address of the loopback is sent."""
            socket = connected(server.url, match["match"], local_addr=(address, 0))
            there = RawClient(await stack.enter_async_context(socket))
            await there.send({"type": "hello", **hello})
            frame = await there.read()
            return str(frame.get("code", frame["type"]))

        guests = [await enter("127.0.0.2") for _ in range(12)]
        assert guests == ["welcome"] * 10 + ["too_many"] * 2, "guests_per_address"
        others = [await enter("127.0.0.3") for _ in range(3)]
        assert others == ["welcome"] * 2 + ["too_many"], "connections_per_table"
        for address in ("127.0.0.2", "127.0.0.3"):
            watchers = [await enter(address, watch=match["watch"]) for _ in range(7)]
            assert watchers == ["welcome"] * 6 + ["too_many"], "half of the places for each address"
        assert await enter("127.0.0.4", watch=match["watch"]) == "too_many"
        assert await enter("127.0.0.3", token=token) == "welcome"


async def test_a_sixth_connection_of_a_member_replaces_the_oldest(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, contextlib.AsyncExitStack() as stack:
        match, token = await duel(server.url)
        tabs = []
        for _ in range(6):
            tabs.append(await stack.enter_async_context(raw(server.url, match["match"], token=token)))
            assert (await tabs[-1].read())["type"] == "welcome"
        assert (await tabs[0].expect("bye"))["code"] == "replaced"
        assert await tabs[0].closed() == 4012
        assert (await tabs[1].ask("ping"))["type"] == "accepted"


# Names.


INVISIBLE = [
    "\u3164", "\u2800", "\u115f", "\uffa0", "\u0301", "\u0301\u0308", "Ana\u3164", "\u2800\u2800",
    "\U0001d159", "A\u200dna", "علی\u200c",
]  # fmt: skip
VISIBLE = ["👩‍🚀", "Ana 👨‍👩‍👧", "❤️‍🔥", "Zoë", "Łukasz", "नीला", "李", "👍🏽", "علی\u200cرضا", "श्री\u200dमती"]


async def test_only_names_that_can_be_seen_are_accepted(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        for name in (*INVISIBLE, *VISIBLE):
            match = await opened(server.url)
            async with raw(server.url, match["match"]) as guest:
                answer = await guest.ask("sit", name=name)
                assert answer.get("code") == ("bad_name" if name in INVISIBLE else None), name


# Time.


async def test_a_match_that_was_only_read_is_evicted_early(tmp_path: Path) -> None:
    clock = ShiftedClock()
    async with serving(tmp_path, clock) as server:
        match = await playing(server.url)
        clock.ahead += 31
        await server.hub.sweep()
        assert not server.hub.rooms
        async with raw(server.url, match["match"], token=match["token"]) as me:
            await me.ask("ping")
        room = server.hub.rooms[match["match"]]
        await eventually(lambda: room.idle, "nobody is connected")
        clock.ahead += 31
        await server.hub.sweep()
        assert server.hub.rooms, "a match that somebody was connected to stays for idle_seconds"


async def test_a_system_clock_that_jumps_changes_no_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time
    async with serving(tmp_path) as server:
        match = await playing(server.url, clock=600)
        async with raw(server.url, match["match"], token=match["token"]) as me:
            deadline = (await me.expect("snapshot"))["now"]["deadline"]
            for jump in (3600.0, -7200.0):
                monkeypatch.setattr("time.time", lambda jump=jump: real() + jump)
                async with raw(server.url, match["match"]):  # a new connection makes the room check the clock
                    pass
                assert not [f for f in await me.all_until_pong() if f["type"] in ("event", "clock")]
                async with raw(server.url, match["match"], token=match["token"]) as again:
                    assert (await again.expect("snapshot"))["now"]["deadline"] == deadline


# Events of other versions.


async def test_fields_of_a_later_version_are_ignored(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        match = await playing(server.url)
        events = await server.hub.store.events(match["match"])
    later = "later-" + match["match"]
    async with serving(tmp_path) as server:
        await server.hub.store.append(later, [with_unknown_fields(event) for event in events])
        async with raw(server.url, later, token=match["token"]) as me:
            assert (await me.expect("snapshot"))["now"]["to_act"] == 0
            assert (await me.ask("act", version=4, action="roll"))["type"] == "accepted"


@pytest.mark.parametrize("change", [{"rules_version": 99}, {"kind": "something_new"}], ids=["rules", "kind"])
async def test_events_of_a_later_version_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    async with serving(tmp_path) as server:
        match = await playing(server.url)
        first, *others = await server.hub.store.events(match["match"])
        created = json.loads(first.body)
        assert created["rules_version"] == 1
        body = json.dumps(created | change)
        events = [msgspec.structs.replace(first, body=body), *others]
        later = "later-" + match["match"]
        await server.hub.store.append(later, events)
        async with socket_to(server.url, later) as me:
            await me.send({"type": "hello", "token": match["token"]})
            assert (await me.read())["code"] == "later_version"


def with_unknown_fields(event: StoredEvent) -> StoredEvent:
    """The event with fields that this version does not know."""
    body = json.loads(event.body) | {"unknown": [1, 2]}
    if "settings" in body:
        body["settings"] |= {"more": {"a": 1}}
    return StoredEvent(event.version, event.time, event.request, json.dumps(body), event.hidden)


# Work that one client can cause.


async def test_pings_are_answered_from_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(tmp_path) as server:
        match = await playing(server.url)
        async with raw(server.url, match["match"], token=match["token"]) as me:
            await me.ask("ping")
            reads, events = [], server.hub.store.events

            async def counted(*asked: Any, **options: Any) -> list[StoredEvent]:
                reads.append(asked)
                return await events(*asked, **options)

            monkeypatch.setattr(server.hub.store, "events", counted)
            started = server.hub.clock.time()
            for _ in range(200):
                await me.ask("ping")
            assert len(reads) <= 1 + (server.hub.clock.time() - started) / 0.5


async def test_a_move_and_its_answer_are_one_write(tmp_path: Path) -> None:
    class Counting:
        """A transport that notes what is written."""

        def __init__(self, inner: Any) -> None:
            self.inner, self.written = inner, list[bytes]()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def write(self, data: bytes) -> None:
            self.written.append(data)
            self.inner.write(data)

    async with serving(tmp_path) as server:
        match = await playing(server.url)
        async with raw(server.url, match["match"], token=match["token"]) as me:
            await me.ask("ping")
            connection: Any = next(iter(server.hub.connections))
            transport: Any = Counting(connection._transport)
            connection._transport = transport
            assert (await me.ask("act", version=4, action="roll"))["type"] == "accepted"
            assert [b'"event"' in data and b'"accepted"' in data for data in transport.written] == [True]
            assert (await me.ask("act", version=5, action="nonsense"))["type"] == "refused"
            assert len(transport.written) == 2


async def test_a_long_match_loads_from_its_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the events after the snapshot are read, and a few before it to recognise repeated commands."""
    monkeypatch.setattr("escadaria.match.event_log._SNAPSHOT_EVENTS", 50)
    monkeypatch.setattr("escadaria.match.event_log.COMMANDS_REMEMBERED", 20)
    async with serving(tmp_path, idle_seconds=0) as server:
        match = await playing(server.url, practice=True)
        store, name = server.hub.store, match["match"]
        async with raw(server.url, name, token=match["token"]) as me:
            await me.expect("snapshot")
            position = "turn=0 phase=decide value=64 steps=3,5 tower=-"
            version = (await me.ask("set_up", version=4, position=position))["version"]
            for _ in range(60):
                again = await me.ask("act", version=version, action="again")
                version = (await me.ask("set_up", version=again["version"], position=position))["version"]
        await eventually(lambda: server.hub.rooms[name].idle, "nobody is there")
        await server.hub.sweep()
        assert not server.hub.rooms
        snapshot = await store.snapshot(name)
        assert snapshot is not None and 100 <= snapshot[0] < version
        room = await server.hub.room(name)
        assert room.match.version == version
        text = wire.encode(room.match.saved())
    async with serving(tmp_path) as server:
        with contextlib.closing(sqlite3.connect(tmp_path / "matches.sqlite3")) as database:
            database.execute("DELETE FROM snapshot")
            database.commit()
        assert wire.encode((await server.hub.room(name)).match.saved()) == text, "as from its events"
