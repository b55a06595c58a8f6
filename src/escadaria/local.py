"""Matches in one process, by the commands and frames of the server: no sockets, threads, HTTP or database.

    matches = LocalMatches()
    opened = matches.open(bodies.Open(game="rapido", bots=["simple", "random"], start=True))
    client = await matches.connect(opened.match, wire.Hello(token=opened.token), receive=print)
    client.submit('{"type": "ping", "id": "1", "version": 0}')

``docs/protocol.md`` describes commands and frames. Nothing here needs NumPy but hints and the stronger bots.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, cast

from escadaria import bodies, bots, dice, wire
from escadaria.bus.memory import Exchange
from escadaria.game import AnyGame, GameError
from escadaria.match.clock import Clock
from escadaria.match.connection import Connection
from escadaria.match.draft import first_events
from escadaria.match.event_log import stored_events
from escadaria.match.leases import Leases
from escadaria.match.match import Match
from escadaria.match.room import Room
from escadaria.match.services import Decisions, Meters
from escadaria.match.state import MatchEvent
from escadaria.match.tokens import Tokens, new_token
from escadaria.refusals import Ending, Refused
from escadaria.settings import Settings
from escadaria.store import Lease, Store, StoredEvent


class LocalMatches:
    """The matches of this process. They play while its event loop runs."""

    def __init__(self, decisions: Decisions | None = None, clock: Clock | None = None) -> None:
        """:param decisions: what computes for bots; by default this process, which waits for it."""
        self.rooms: dict[str, Room] = {}
        self.store = MemoryStore()
        self._clock = clock or Clock()
        self._room = partial(
            Room,
            store=self.store,
            # Leases ask their store nothing while there are no other servers.
            leases=Leases(cast(Store, self.store), Exchange().bus("local"), self._clock),
            compute=decisions or OwnDecisions(),
            limits=NoLimits(),
            settings=Settings(),
            clock=self._clock,
            open_next=self._open_next,
            meters=Meters(),
        )

    def open(self, request: bodies.Open) -> bodies.Opened:
        """Open a match, seat people and bots, and start it if requested.

        :raises GameError: if the request is invalid.
        """
        if request.match is not None:
            raise Refused("not_sealed", "there are no seals in one process")
        match, token = secrets.token_urlsafe(12), new_token()
        secret = b"" if request.settings.dice == "real" else dice.new_secret()
        events = first_events(request, match, secret, token, now=self._clock.time())
        self._create(match, events)
        return bodies.Opened(match=match, token=token, watch=events[0].hidden.watch)

    async def _open_next(self, before: Match) -> str:
        match = secrets.token_urlsafe(12)
        self._create(match, before.next_match(match, partial(Tokens(self.store.key).for_next, match)))
        return match

    def _create(self, match: str, events: list[MatchEvent]) -> None:
        stored = self.store.matches[match] = stored_events(events, 0, self._clock.time())
        room = self.rooms[match] = self._room(Match())
        room.create(stored)

    async def connect(
        self, match: str, hello: wire.Hello, receive: Callable[[bytes], object]
    ) -> LocalConnection:
        """Connect a client. ``receive`` is called with each of its frames, as JSON.

        :raises Refused: ``unknown_match``, ``forbidden``, ``too_many``.
        """
        if match not in self.rooms:
            raise Refused("unknown_match", "there is no such match")
        connection = LocalConnection(self.rooms[match], receive)
        if hello.recover is not None:
            await self.rooms[match].recover(connection, hello)
        else:
            self.rooms[match].admit(connection, hello)
        return connection

    async def close(self) -> None:
        """Finish pending commands, and stop the bots and clocks."""
        for room in self.rooms.values():
            await room.close()


class LocalConnection(Connection):
    """A client in this process."""

    def __init__(self, room: Room, receive: Callable[[bytes], object]) -> None:
        super().__init__("local", "local")
        self._room = room
        self._receive = receive

    def submit(self, text: str | bytes) -> None:
        """Send a command as JSON. It is answered by a frame."""
        try:
            self._room.submit(self, wire.parse(text))
        except GameError as error:
            self.refuse(wire.command_id(text), error, self._room.match.version)

    def send(self, *frames: bytes) -> None:
        if not self.ending:
            for frame in frames:
                self._receive(frame)

    def answer(self, *frames: bytes) -> None:
        self.send(*frames)

    def end(self, code: Ending) -> None:
        if not self.ending:
            self.send(wire.frame(wire.Bye(code=code)))
            self.ending = code
            self._room.leave(self)

    def close(self) -> None:
        """Leave the match."""
        if not self.ending:
            self.ending = "gone"
            self._room.leave(self)


class MemoryStore:
    """The events of matches in memory."""

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        self.matches: dict[str, list[StoredEvent]] = defaultdict(list)
        self._values: dict[tuple[str, str], tuple[str, float]] = {}

    async def append(
        self,
        match: str,
        events: Sequence[StoredEvent],
        *,
        due: float | None = None,
        lease: Lease | None = None,
    ) -> None:
        self.matches[match] += events

    async def events(self, match: str, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        return self.matches[match][after:][:limit]

    async def save_snapshot(self, match: str, version: int, body: str) -> None:
        """Save nothing: the match itself is in memory."""

    async def snapshot(self, match: str) -> tuple[int, str] | None:
        return None

    async def put(self, kind: str, key: str, value: str, expires: float) -> None:
        self._values[kind, key] = value, expires

    async def get(self, kind: str, key: str, now: float) -> str | None:
        value, expires = self._values.get((kind, key), ("", 0.0))
        return value if now < expires else None

    async def take(self, kind: str, key: str, now: float) -> str | None:
        value = await self.get(kind, key, now)
        self._values.pop((kind, key), None)
        return value


class OwnDecisions:
    """Computes in this process."""

    def prepare(self) -> None:
        """Start nothing."""

    async def decide(
        self, game: AnyGame, state: object, bot: str, *, key: str = "", awaited: bool = True
    ) -> str:
        hashable: Any = game
        return str(_bot(bot, hashable)(game, state))

    async def hint(
        self, game: AnyGame, state: object, bot: str, *, key: str = ""
    ) -> tuple[str, wire.Evaluation | None]:
        try:
            from escadaria.server.compute import answers  # the coach needs NumPy
        except ModuleNotFoundError:
            return await self.decide(game, state, bot), None
        return answers.hint(game, str(state), bot)


class NoLimits:
    """No rate limits: all clients are of this process."""

    def take(self, address: str, kind: str, amount: float = 1.0) -> None:
        """Allow everything."""


@cache
def _bot(name: str, game: Any) -> bots.AnyBot:
    return bots.load(name, game)
