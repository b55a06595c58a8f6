"""A small client for the table server, for bots and tests. It reconnects automatically.

async with await open_match("http://localhost:8000", "rapido", {"players": 2}) as table:
    await table.sit("Ana")
    await table.add_bot("simple")
    await table.start()
    async for turn in table.turns():
        await turn.act(turn.legal[-1])
    print(table.winner)
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import msgspec

try:
    import httpx
    from websockets.asyncio.client import ClientConnection, connect
    from websockets.exceptions import ConnectionClosed, InvalidHandshake
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"the client needs {missing.name}: install escadaria[server]", name=missing.name
    ) from missing

from escadaria.refusals import Ending, Refused

FATAL = frozenset(
    {"forbidden", "malformed", "unknown_match", "moved", "replaced", "watching_off", "too_many"}
)
"""Codes of ``bye`` after which the client does not reconnect."""

_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0


def _refused(code: str, message: str) -> Refused:
    """The refusal of a server, which may know codes that this client does not."""
    return Refused(cast(Ending, code), f"{code}: {message}")


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision that one of the own seats has to make."""

    table: MatchClient
    seat: int
    legal: list[str]
    """The legal actions."""
    position: Any
    """The position, as the server sent it."""
    text: str
    """The position in one line; ``escadaria.load(...).parse_state`` reads it."""
    version: int

    async def act(self, action: str) -> None:
        """Play one of ``legal``. :raises Refused: if the server refuses it."""
        await self.table.request("act", action=action, seat=self.seat, version=self.version)


class MatchClient:
    """A connection to one match. Its state is what the server sent."""

    def __init__(self, url: str, match: str, token: str | None = None, watch: str | None = None) -> None:
        self.url = url.rstrip("/")
        self.match = match
        self.token = token
        """The secret that identifies the player. Keep it to reconnect later."""
        self.version = 0
        self.role = "guest"
        self.mine: list[int] = []
        self.game = ""
        self.options: dict[str, Any] = {}
        self.settings: dict[str, Any] = {}
        self.commitment = ""
        self.seats: list[dict[str, Any]] = []
        self.now: dict[str, Any] = {"status": "waiting"}
        self.frames: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        """All received frames, if ``follow`` is set; the caller must empty the queue."""
        self.ended = ""
        """The code with which the connection ended permanently."""
        self.next_token: str | None = None
        """The token for the next match of this table, once it is open; ``now["next"]`` is its id."""
        self.follow = False
        """Whether to put received frames into ``frames``."""
        self.watch_key: str | None = None
        self._watch = watch
        self._guest = secrets.token_urlsafe(32)
        self._socket: ClientConnection | None = None
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._open: dict[str, str] = {}  # unanswered requests, sent again after a reconnect
        self._changed = asyncio.Condition()
        self._connection: asyncio.Task[None] | None = None

    async def __aenter__(self) -> MatchClient:
        self.ended = ""
        self._connection = asyncio.create_task(self._stay_connected())
        try:
            await self.wait_for(lambda: self.version > 0)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection. The seat stays reserved for the token."""
        if self._connection is not None:
            self._connection.cancel()
            await asyncio.gather(self._connection, return_exceptions=True)
            self._connection = None

    # Requests.

    async def request(self, type: str, version: int | None = None, **fields: Any) -> dict[str, Any]:
        """Send a request and return the answer.

        It is sent again after a reconnect; the server recognises its id and does not repeat it.

        :raises Refused: if the server refuses it.
        """
        id = secrets.token_urlsafe(12)
        body = {"type": type, "id": id, "version": self.version if version is None else version, **fields}
        text = msgspec.json.encode(body).decode()
        if self.ended:
            raise _refused(self.ended, "the connection has ended")
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[id] = answer
        self._open[id] = text
        try:
            if self._socket is not None:
                with contextlib.suppress(ConnectionClosed):
                    await self._socket.send(text)
            frame: dict[str, Any] = await answer
        finally:
            del self._answers[id], self._open[id]
        if frame["type"] == "refused":
            raise _refused(frame["code"], frame["message"])
        return frame

    async def sit(self, name: str, seat: int | None = None, entropy: str | None = None) -> None:
        """Take a seat; ``entropy`` goes into the dice and is random by default."""
        entropy = secrets.token_hex(16) if entropy is None else entropy
        answer = await self.request("sit", name=name, seat=seat, entropy=entropy)
        self.token = answer.get("token") or self.token

    async def add_bot(self, bot: str, seat: int | None = None) -> None:
        """Add a bot. Only the host may."""
        await self.request("add_bot", bot=bot, seat=seat)

    async def resize(self, players: int) -> None:
        """Change the number of seats: free ones go or come. Only the host may."""
        await self.request("resize", players=players)

    async def start(self) -> None:
        """Start the match. Only the host may."""
        await self.request("start")

    async def resign(self, seat: int | None = None) -> None:
        """Resign the match."""
        await self.request("resign", seat=seat)

    async def take_back(self, seat: int | None = None) -> None:
        """Take a seat back from the bot that stood in."""
        await self.request("take_back", seat=seat)

    async def rematch(self) -> MatchClient:
        """Open the next match of this table, or return it if it is open; enter it with ``async with``."""
        answer = await self.request("rematch")
        return MatchClient(self.url, answer["match"], answer["token"])

    # State.

    @property
    def status(self) -> str:
        """``waiting``, ``playing`` or ``over``."""
        return str(self.now["status"])

    @property
    def winner(self) -> int | None:
        """The seat that won, or None."""
        return self.now.get("winner")

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition on the state holds.

        :raises Refused: if the connection ended permanently before.
        """
        async with self._changed:
            await self._changed.wait_for(lambda: condition() or bool(self.ended))
        if not condition():
            raise _refused(self.ended, "the connection has ended")

    async def turns(self) -> AsyncIterator[Turn]:
        """Each decision of the own seats, until the match is over.

        A seat for which a bot stood in is taken back.

        :raises Refused: if the connection ended permanently before the match was over.
        """
        seen = -1
        while True:
            await self.wait_for(partial(self._has_turn, seen))
            if self.status == "over":
                return
            seen, now = self.version, self.now
            seat = now["to_act"]
            if self.seats[seat]["bot"]:
                with contextlib.suppress(Refused):  # the bot has already acted
                    await self.take_back(seat)
                continue
            yield Turn(self, seat, now["legal"], now["position"], now["text"], self.version)

    def _has_turn(self, seen: int) -> bool:
        """Whether an own seat is to act in a version after ``seen``, or the match is over."""
        seat = self.now.get("to_act")
        mine = seat in self.mine and not self.seats[seat]["resigned"] and self.version > seen
        return mine or self.status == "over"

    # The connection.

    async def _stay_connected(self) -> None:
        try:
            await self._connect_repeatedly()
        finally:
            self.ended = self.ended or "closed"
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(_refused(self.ended, "the connection has ended"))
            async with self._changed:
                self._changed.notify_all()

    async def _connect_repeatedly(self) -> None:
        wait = _FIRST_WAIT
        while not self.ended:
            try:
                async with connect(self._address(), max_size=2**22) as socket:
                    wait = _FIRST_WAIT
                    await self._receive(socket)
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                pass  # reconnect
            finally:
                self._socket = None
            if not self.ended:
                await asyncio.sleep(wait * (0.5 + secrets.randbelow(1000) / 1000))
                wait = min(2 * wait, _LONGEST_WAIT)

    def _address(self) -> str:
        return f"{self.url.replace('http', 'ws', 1)}/api/matches/{self.match}/socket"

    async def _receive(self, socket: ClientConnection) -> None:
        """Say hello, then handle frames until the connection closes."""
        hello = {
            "type": "hello",
            "token": self.token,
            "watch": self._watch,
            "guest": self._guest,
            "since": self.version or None,
        }
        await socket.send(msgspec.json.encode(hello).decode())
        async for text in socket:
            frame = msgspec.json.decode(text)
            await self._take(frame)
            if frame["type"] == "welcome":
                self._socket = socket
                for request in list(self._open.values()):  # they may have been lost
                    await socket.send(request)

    async def _take(self, frame: dict[str, Any]) -> None:
        async with self._changed:
            self._update(frame)
            self._changed.notify_all()
        if self.follow:
            self.frames.put_nowait(frame)
        if frame["type"] in ("accepted", "refused") and frame["id"] in self._answers:
            answer = self._answers[frame["id"]]
            if not answer.done():
                answer.set_result(frame)

    def _update(self, frame: dict[str, Any]) -> None:
        match frame["type"]:
            case "welcome" | "you":
                self.role, self.mine = frame["role"], frame["mine"]
                self.token = frame.get("token") or self.token
                self.next_token = frame.get("next_token") or self.next_token
                self.watch_key = frame.get("watch") or self.watch_key
            case "snapshot":
                self.version, self.now, self.seats = frame["version"], frame["now"], frame["now"]["seats"]
                self.game, self.options, self.settings = frame["game"], frame["options"], frame["settings"]
                self.commitment = frame["commitment"]
            case "event" if frame["version"] > self.version:
                self.version, self.now = frame["version"], frame["now"]
                self.seats = frame["now"]["seats"] or self.seats
                self.settings = frame["event"].get("settings", self.settings)
                self.options = frame["event"].get("options", self.options)
            case "presence":
                self.seats[frame["seat"]]["here"] = frame["here"]
            case "accepted" if frame["match"]:  # of a rematch: the token is for the next match
                self.next_token = frame["token"]
            case "accepted":
                self.token = frame["token"] or self.token
            case "bye" if frame["code"] in FATAL:
                self.ended = frame["code"]


async def open_match(
    url: str, game: str, options: dict[str, Any] | None = None, **fields: Any
) -> MatchClient:
    """Open a match and return the host's table; enter it with ``async with``.

    ``fields`` are the other fields of the request, see ``docs/protocol.md``: ``settings``, ``people``,
    ``bots``, ``start``.

    :raises Refused: if the server refuses to open it.
    """
    async with httpx.AsyncClient() as http:
        body = {"game": game, "options": options or {}, **fields}
        response = await http.post(f"{url.rstrip('/')}/api/matches", json=body)
    answer = response.json()
    if response.is_error:
        raise _refused(answer.get("code", "http"), answer.get("message", response.text))
    return MatchClient(url, answer["match"], answer["token"])
