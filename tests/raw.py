"""A raw client, frame by frame, and helpers that open and play matches."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

import escadaria
from escadaria import bots
from escadaria.client import MatchClient
from serving import PATIENCE, Server

QUICK = {"pace": 0}

_numbers = itertools.count(1)


class RawClient:
    """One connection, frame by frame."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.received: list[str] = []
        """All frames that were received."""
        self._unread: deque[dict[str, Any]] = deque()

    async def send(self, frame: str | bytes | dict[str, Any]) -> None:
        await self.socket.send(json.dumps(frame) if isinstance(frame, dict) else frame)

    async def read(self) -> dict[str, Any]:
        """The next frame."""
        return self._unread.popleft() if self._unread else await self._receive()

    async def expect(self, type: str, **fields: Any) -> dict[str, Any]:
        """The next frame of this type with these fields; earlier ones are skipped."""
        while True:
            frame = await self.read()
            if frame["type"] == type and all(frame.get(name) == value for name, value in fields.items()):
                return frame

    async def ask(self, type: str, version: int = 0, **fields: Any) -> dict[str, Any]:
        """Send a command and return its answer. Frames before it stay unread."""
        id = fields.pop("id", None) or f"r{next(_numbers)}"
        await self.send({"type": type, "id": id, "version": version, **fields})
        return await self.answer(id)

    async def answer(self, id: str) -> dict[str, Any]:
        passed: list[dict[str, Any]] = []
        while True:
            frame = await self.read()
            if frame["type"] in ("accepted", "refused") and frame["id"] == id:
                self._unread.extendleft(reversed(passed))
                return frame
            passed.append(frame)

    async def all_until_pong(self) -> list[dict[str, Any]]:
        """All frames up to the answer to a ping."""
        answer = await self.ask("ping")
        assert answer["type"] == "accepted"
        frames = list(self._unread)
        self._unread.clear()
        return frames

    async def closed(self) -> int:
        """Wait until the server closes the connection, and return the close code."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                self._unread.append(await self._receive())
        assert self.socket.close_code is not None
        return self.socket.close_code

    async def _receive(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            text = await self.socket.recv()
        assert isinstance(text, str), "the server sends text"
        self.received.append(text)
        frame: dict[str, Any] = json.loads(text)
        return frame


def connected(url: str, match: str, **options: Any) -> connect:
    """A connection to a match."""
    address = f"{url.replace('http', 'ws', 1)}/api/matches/{match}/socket"
    options = {"max_size": 2**22, "max_queue": None, **options}  # it buffers everything
    return connect(address, proxy=None, open_timeout=PATIENCE, **options)


@contextlib.asynccontextmanager
async def socket_to(url: str, match: str, **options: Any) -> AsyncIterator[RawClient]:
    """A connection that has not sent ``hello``."""
    async with connected(url, match, **options) as socket:
        yield RawClient(socket)


@contextlib.asynccontextmanager
async def raw(url: str, match: str, **hello: Any) -> AsyncIterator[RawClient]:
    """A connection that has sent ``hello``; the next frame is ``welcome``."""
    async with socket_to(url, match) as wire:
        await wire.send({"type": "hello", **hello})
        yield wire


async def get(server: Server, path: str) -> httpx.Response:
    """Send a GET request."""
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as http:
        return await http.get(server.url + path)


async def opened(
    url: str, game: str = "rapido", players: int = 2, retries: bool = False, **fields: Any
) -> dict[str, Any]:
    """A new match: its id, the host's token, the watchers' key.

    :param retries: whether to repeat this until the server is ready.
    """
    wish = {"game": game, "options": {"players": players} | fields.pop("options", {}), **fields}
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as http:
        while True:
            try:
                answer = await http.post(f"{url}/api/matches", json=wish)
                ready = answer.status_code not in (502, 503, 504)  # of the server, or of a proxy
            except httpx.TransportError:
                if not retries:
                    raise
                ready = False
            if ready or not retries:
                break
            await asyncio.sleep(0.05)  # polls
    assert answer.status_code == 201, answer.text
    opened: dict[str, Any] = answer.json()
    return opened


async def playing(url: str, **settings: Any) -> dict[str, Any]:
    """A started match of two people on the host's device; seat 0 is to roll."""
    people = [{"name": "Ana"}, {"name": "Rui"}]
    return await opened(url, people=people, start=True, settings=QUICK | settings)


async def duel(
    url: str, options: dict[str, Any] | None = None, **settings: Any
) -> tuple[dict[str, Any], str]:
    """A started match of the host and a player who joined by the link, and the player's token."""
    match = await opened(url, people=[{"name": "Ana"}], settings=QUICK | settings, options=options or {})
    async with (
        raw(url, match["match"]) as guest,
        raw(url, match["match"], token=match["token"]) as host,
    ):
        answer = await guest.ask("sit", name="Rui")
        assert (await host.ask("start"))["type"] == "accepted"
    return match, answer["token"]


async def play(table: MatchClient) -> None:
    """Play all own seats to the end, like the simple bot."""
    game = escadaria.load(table.game, **table.options)
    decide = bots.load("simple", game)
    async for turn in table.turns():
        await turn.act("roll" if turn.legal == ["roll"] else str(decide(game, game.parse_state(turn.text))))
