"""Hostile clients: they get the right code, and others are not affected."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus

from escadaria.server.edge.access import same_origin
from escadaria.settings import Settings
from raw import QUICK, connected, opened, play, playing, raw, socket_to
from server.clients import PEOPLE, client, entered, facing, seated
from serving import PATIENCE, Inside, eventually, serving
from tables import rows

pytestmark = pytest.mark.anyio

TOKEN = "x" * 43

TOO_LONG = (1009, 1006)
"""A client that is still sending may not receive the close code."""

BAD_FRAMES: list[str | bytes] = [
    *(row[0] for row in rows(Path(__file__).with_name("frames.cases"))),
    "", " ", "\u0000", "[" * 5000, '{"a":' * 2500, "x" * 16_384, b"", b"\xff\xfe", b"\x00" * 100, b"[" * 5000,
    '{"type": "act", "id": "x", "version": 1' + "0" * 5000 + ', "action": "roll"}',
]  # fmt: skip


async def test_malformed_frames(url: str) -> None:
    """They are refused, with their id if they have one. As the first frame they close the connection."""
    async with seated(url) as (match, me):
        for frame in BAD_FRAMES:
            await me.send(frame)
            refusal = await me.expect("refused")
            assert refusal["code"] == "malformed", frame
            assert refusal["id"] in ({"x", None, "", "x\u0000"} if "id" in str(frame) else {None}), frame
        assert (await me.ask("act", version=4, action="roll"))["type"] == "accepted"
    for frame in [frame for frame in BAD_FRAMES if frame != '{"type": "hello"}']:
        async with socket_to(url, match["match"]) as me:
            await me.send(frame)
            assert (await me.read())["code"] == "malformed", frame
            assert await me.read() == {"type": "bye", "code": "malformed"}, frame
            assert await me.closed() == 1002, frame


async def test_text_that_is_not_utf_8(url: str) -> None:
    async with seated(url) as (_, me):
        await me.expect("snapshot")
        await me.socket.send(b"\xff\xff", text=True)
        assert await me.closed() == 1007


@pytest.mark.parametrize("parts, size", [(1, 16_385), (1, 10_000_000), (100_000, 1000)])
async def test_a_frame_that_is_too_long(url: str, parts: int, size: int) -> None:
    async with seated(url) as (_, me):
        await me.expect("snapshot")
        with contextlib.suppress(ConnectionClosed):  # it may be closed while this is still being sent
            await me.socket.send("x" * size if parts == 1 else ("x" * size for _ in range(parts)))
        assert await me.closed() in TOO_LONG


async def test_wrong_tokens_keys_and_codes_are_refused(url: str) -> None:
    match, other = await playing(url), await playing(url)
    for hello in (
        {"token": TOKEN}, {"token": other["token"]}, {"watch": other["watch"]}, {"recover": TOKEN},
        {"token": match["watch"]}, {"watch": match["token"]}, {"recover": match["token"]},
    ):  # fmt: skip
        async with raw(url, match["match"], **hello) as me:
            assert (await me.read())["code"] == "forbidden"
            assert await me.closed() == 4003
    async with raw(url, "no-such-match") as me:
        assert (await me.read())["code"] == "unknown_match"
        assert await me.closed() == 4004


async def test_forged_seats(url: str) -> None:
    async with facing(url) as (match, _, rui), raw(url, match["match"]) as guest:
        for command, fields in (("act", {"action": "roll"}), ("resign", {}), ("take_back", {})):
            for who, seat in ((rui, 0), (rui, 5), (guest, 0), (guest, None)):
                assert (await who.ask(command, version=4, seat=seat, **fields))["code"] == "forbidden"
        for who in (rui, guest):
            assert (await who.ask("start", version=4))["code"] == "forbidden"
            assert (await who.ask("resize", version=4, players=2))["code"] == "forbidden"
            assert (await who.ask("add_bot", version=4, bot="simple"))["code"] == "forbidden"
            assert (await who.ask("configure", version=4, settings={}))["code"] == "forbidden"
            assert (await who.ask("hurry", version=4))["code"] == "forbidden"
        for command in ("rematch", "recover"):
            assert (await guest.ask(command))["code"] == "forbidden"


async def test_a_queued_command_of_the_old_device_is_refused(server: Inside) -> None:
    """The command was queued behind the admission of the new device."""
    async with seated(server.url) as (match, old), socket_to(server.url, match["match"]) as new:
        code = (await old.ask("recover"))["code"]
        room = server.hub.rooms[match["match"]]
        go_on = asyncio.Event()

        async def busy() -> None:
            await go_on.wait()

        room.jobs.enqueue(busy)
        await eventually(lambda: not room.jobs.waiting, "the room is busy")
        await new.send({"type": "hello", "recover": code})
        await eventually(lambda: room.jobs.waiting == 1, "the new one waits")
        await old.send({"type": "act", "id": "x", "version": 4, "action": "roll"})
        await eventually(lambda: room.jobs.waiting == 2, "the old one waits behind it")
        go_on.set()
        assert await old.closed() == 4010
        answer = await new.ask("act", version=4, action="roll")
        assert (answer["type"], answer["version"]) == ("accepted", 6)


async def test_a_connection_without_hello_is_closed(tmp_path: Path) -> None:
    async with serving(tmp_path, hello_seconds=0.05) as server:
        match = await playing(server.url)
        async with socket_to(server.url, match["match"]) as me:
            assert await me.read() == {"type": "bye", "code": "late"}
            assert await me.closed() == 4000


async def test_a_flood_is_refused_and_then_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("escadaria.server.edge.socket.WebSocketProtocol.close_seconds", 0.1)
    async with (
        serving(tmp_path, frames_per_second=1e-5, frames_burst=5) as server,
        seated(server.url) as (match, me),
        raw(server.url, match["match"], token=match["token"]) as friend,
    ):
        with contextlib.suppress(ConnectionClosed):  # it may be closed while this is still being sent
            for _ in range(300):
                await me.send({"type": "ping", "id": "p", "version": 0})
        assert await me.closed() == 4029
        received = [json.loads(text) for text in me.received[2:]]
        assert [frame["type"] for frame in received[:5]] == ["accepted"] * 5
        assert {frame.get("code") for frame in received[5:]} == {"too_fast"}
        assert received[-1]["type"] == "bye"
        assert (await friend.ask("act", version=4, action="roll"))["type"] == "accepted"


def socket_with_small_buffers(server: Inside) -> socket.socket:
    """A socket that is connected to the server. What nobody reads soon fills its buffers."""
    (listener,) = server.server.servers[0].sockets
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # inherited by its connections
    small = socket.socket()
    small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    address = urlsplit(server.url)
    small.connect((address.hostname, address.port))
    return small


async def test_a_slow_reader_is_closed_and_delays_nobody(tmp_path: Path) -> None:
    async with serving(tmp_path, write_buffer=8192) as server:
        match = await playing(server.url)
        there = socket_with_small_buffers(server)
        before = len(asyncio.all_tasks())
        async with socket_to(server.url, match["match"], sock=there, max_queue=1) as slow:
            await slow.send({"type": "hello", "watch": match["watch"]})
            await eventually(lambda: server.hub.rooms[match["match"]].connections, "it is there")
            async with raw(server.url, match["match"], token=match["token"]) as me:
                while any(c.watcher for c in server.hub.rooms[match["match"]].connections):
                    assert (await me.ask("configure", settings=QUICK))["type"] == "accepted"
                assert (await me.ask("act", version=4, action="roll"))["type"] == "accepted"
            assert await slow.closed() == 4008
        await eventually(lambda: not server.hub.connections, "all are forgotten")
        await eventually(lambda: len(asyncio.all_tasks()) <= before, "nothing of them is left")


async def test_a_client_that_never_reads_is_aborted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("escadaria.server.edge.socket.WebSocketProtocol.close_seconds", 0.1)
    async with serving(tmp_path, write_buffer=8192) as server:
        match = await playing(server.url)
        with socket_with_small_buffers(server) as deaf:
            async with socket_to(server.url, match["match"], sock=deaf.dup(), max_queue=1) as slow:
                slow.socket.transport.pause_reading()
                await slow.send({"type": "hello", "watch": match["watch"]})
                async with raw(server.url, match["match"], token=match["token"]) as me:
                    room = server.hub.rooms[match["match"]]
                    await eventually(lambda: len(room.connections) == 2, "both are there")
                    while len(room.connections) == 2:
                        await me.ask("configure", settings=QUICK)
                await eventually(lambda: not server.server.server_state.connections, "the socket is closed")
                slow.socket.transport.abort()


async def test_too_many_connections(tmp_path: Path) -> None:
    async with serving(tmp_path, connections=1) as server:
        async with seated(server.url) as (match, me):
            await me.expect("snapshot")
            async with socket_to(server.url, match["match"]) as other:
                with contextlib.suppress(ConnectionClosed):  # it may be closed already
                    await other.send({"type": "hello"})
                frame = await other.read()
                assert (frame["type"], frame["code"]) == ("bye", "too_many")
                assert await other.closed() == 4029
            assert (await me.ask("act", version=4, action="roll"))["type"] == "accepted"
        await eventually(lambda: not server.hub.connections, "it has gone")
        async with raw(server.url, match["match"]) as other:
            assert (await other.read())["type"] == "welcome"


def test_empty_and_null_origins_are_foreign() -> None:
    assert same_origin(None, "here.example", Settings())
    assert same_origin("https://here.example", "here.example", Settings())
    for host in (None, "", "here.example"):
        assert not same_origin("", host, Settings())
        assert not same_origin("null", host, Settings())


async def test_cross_origin_pages_cannot_connect(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, origins="https://friend.example, https://other.example") as server,
        client(server.url) as http,
    ):
        match = (await playing(server.url))["match"]
        for origin in (
            "http://evil.example", "null", "", "http://[", f"{server.url}.evil.example", "friend.example",
        ):  # fmt: skip
            headers = {"Origin": origin}
            with pytest.raises(InvalidStatus, match="403"):
                await connected(server.url, match, additional_headers=headers)
            response = await http.get("/api/games", headers=headers)
            assert (response.status_code, response.json()["code"]) == (403, "forbidden")
        for origin in (server.url, "https://friend.example", "https://other.example"):
            async with connected(server.url, match, additional_headers={"Origin": origin}):
                pass


PATHS = [
    b"/api/matches/../../../../etc/passwd", b"/../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd",
    b"//etc/passwd", b"/api/matches/%00/socket", b"/api/matches/%00", b"/%00", b"/\xff\xfe",
    b"/api/matches/\xff/socket", b"/api/matches/%ff/socket", b"/api/matches/%ff", b"/api/matches//socket",
    b"/api/matches/socket", b"/api/matches/" + b"a" * 5000, b"/api/matches/" + b"a" * 5000 + b"/socket",
    b"/" + b"a" * 5000, b"/api/matches/x/socket/../socket", b"/api/matches/x%2fsocket",
    b"/api/matches/'; DROP TABLE match; --", b"/api/nothing", b"*", b"http://[/", b"/api/openapi/../../x",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
@pytest.mark.parametrize("upgrade", [False, True])
async def test_hostile_paths(url: str, path: bytes, upgrade: bool) -> None:
    """The server logs no error either, as of every other test; ``live`` sees to that at the end."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    headers = [b"Host: localhost", b"Connection: close"]
    if upgrade:
        headers = [b"Host: localhost", b"Connection: Upgrade", b"Upgrade: websocket",
                   b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]  # fmt: skip
    writer.write(b"\r\n".join([b"GET " + path + b" HTTP/1.1", *headers, b"", b""]))
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read(200 if upgrade else -1)
    writer.close()
    status = int(answer.split(b" ", 2)[1]) if answer else 400
    assert status in ((101, 400, 403, 404) if upgrade else (200, 400, 404, 405)), answer
    assert b"root:" not in answer


# Random frames, while a match is played that must not be affected.

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
VALID: list[dict[str, Any]] = [
    {"type": "sit", "name": "Eva", "seat": 1, "colours": ["red", "blue"], "entropy": "ab"},
    {"type": "add_bot", "bot": "simple", "seat": 1, "name": "Robo"}, {"type": "free", "seat": 0},
    {"type": "resize", "players": 3}, {"type": "start"}, {"type": "act", "action": "roll", "seat": 0},
    {"type": "act", "action": "place 0"}, {"type": "undo"}, {"type": "hurry"}, {"type": "resign", "seat": 0},
    {"type": "take_back", "seat": 0}, {"type": "configure", "settings": {"pace": 0}},
    {"type": "set_up", "position": "x"}, {"type": "hint"}, {"type": "rematch"},
    {"type": "recover"}, {"type": "ping"},
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid command with random changes."""
    request: dict[str, Any] = {
        "id": draw(st.sampled_from(["a", "b", "c"])),
        "version": draw(st.integers(0, 9)),
    }
    request |= draw(st.sampled_from(VALID))
    for field in draw(st.lists(st.sampled_from([*request, "more"]), max_size=2)):
        request[field] = draw(JSON)
    text = json.dumps(request)
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(text)))
        text = text[:cut] + draw(st.text(max_size=3)) + text[cut + draw(st.integers(0, 3)) :]
    return text


FRAMES = st.text(max_size=200) | st.binary(max_size=200) | JSON.map(json.dumps) | mutated()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(hello=FRAMES | st.none(), frames=st.lists(FRAMES, max_size=12), practice=st.booleans())
def test_random_frames(
    url: str, hello: str | bytes | None, frames: list[str | bytes], practice: bool
) -> None:
    async def attack() -> None:
        match = await opened(url, people=[{"name": "Ana"}], settings=QUICK | {"practice": practice})
        async with socket_to(url, match["match"]) as me:
            await me.send({"type": "hello", "token": match["token"]} if hello is None else hello)
            if hello is not None and (await me.read())["type"] == "refused":
                assert await me.closed() in (1002, 4003)
                return
            for frame in frames:
                await me.send(frame)
            answers = [f for f in await me.all_until_pong() if f["type"] in ("accepted", "refused")]
            assert len(answers) == len(frames)

    async def beside() -> None:
        match: dict[str, Any] = {"people": PEOPLE, "start": True, "options": {"finish": 5}}
        async with entered(url, settings=QUICK, **match) as table:
            await asyncio.gather(play(table), attack())
            assert table.status == "over"

    asyncio.run(beside())
