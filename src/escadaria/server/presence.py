"""Who is at a match: the connections of its people, who came and who went, and what each is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Literal

from escadaria.refusals import Ending, Refused
from escadaria.server import messages, metrics
from escadaria.server.clock import Clock
from escadaria.server.match import HOST, Match
from escadaria.server.settings import Settings
from escadaria.server.tokens import digest, new_token
from escadaria.views import previews


class Connection:
    """One client's socket. A client that does not read what it is sent is dropped."""

    def __init__(
        self,
        transport: asyncio.WriteTransport,
        address: str,
        buffer: int,
        *,
        answered: Callable[[], object],
        close: Callable[[Ending], object],
    ) -> None:
        self.address = address
        """The client's network address, by which limits are counted."""
        self.member: int | None = None
        self.token = ""
        """The digest of the member's token."""
        self.guest = new_token()
        """Stands for the client until it is a member,"""
        self.guest_digest = digest(self.guest)
        """and is stored like this."""
        self.watcher = False
        self.previews = False
        self.mine: list[int] = []
        self.ending: Ending | Literal["", "gone"] = ""
        """Why the server closes it; empty while it does not."""
        self.hinting = False
        """Whether it waits for a hint."""
        self._transport = transport
        self._buffer = buffer
        self._answered = answered
        self._close = close

    @property
    def role(self) -> messages.Role:
        if self.member is not None:
            return "host" if self.member == HOST else "player"
        return "watcher" if self.watcher else "guest"

    @property
    def sees_play(self) -> bool:
        return self.member is not None or self.watcher

    def push(self, frame: bytes) -> None:
        """Send a frame. Never waits: what the client has not taken yet lies in the socket's buffer."""
        if self.ending or self._transport.is_closing():
            return
        self._transport.write(frame)
        if self._transport.get_write_buffer_size() > self._buffer:
            self.end("too_slow")

    def send(self, message: messages.Frame) -> None:
        """Send a message."""
        self.push(messages.frame(message))

    def answer(self, frame: bytes) -> None:
        """Send the answer to a request: the next request of this client may be taken."""
        self.push(frame)
        self._answered()

    def detach(self) -> None:
        """Let go of the session: the connection is over."""
        self._answered = lambda: None
        self._close = lambda code: None

    def end(self, code: Ending) -> None:
        """Close the connection after what was sent, or soon if the client takes nothing."""
        if not self.ending:
            if not self._transport.is_closing():
                self._transport.write(messages.frame(messages.Bye(code=code)))
            self.ending = code
            metrics.DROPPED.labels(code).inc()
            self._close(code)


class Presence:
    """The connections to a match."""

    def __init__(self, match: Match, settings: Settings, clock: Clock) -> None:
        self.match = match
        self.connections: dict[Connection, None] = {}  # the oldest first
        self.gone: dict[int, float] = {}
        """Since when each member is gone."""
        self.awaited = clock.time()
        """Since when somebody waits for them."""
        self._settings = settings
        self._clock = clock

    @property
    def has_members(self) -> bool:
        return any(connection.member is not None for connection in self.connections)

    def is_here(self, seat: int) -> bool:
        chair = self.match.chairs[seat]
        return bool(chair.bot) or (chair.member is not None and chair.member not in self.gone)

    def check_space(self, connection: Connection) -> None:
        """Make sure that there is a place for this connection; a member always has one.

        :raises Refused: ``too_many`` for guests and watchers beyond their numbers.
        """
        settings = self._settings
        if connection.member is not None:
            own = [other for other in self.connections if other.member == connection.member]
            if len(own) >= settings.connections_per_member:
                own[0].end("replaced")
            return
        alike = [other for other in self.connections if other.role == connection.role]
        near = [other for other in alike if other.address == connection.address]
        if len(alike) >= settings.connections_per_table:
            raise Refused("too_many", "the table takes no more guests or watchers")
        if connection.role == "guest" and len(near) >= settings.guests_per_address:
            raise Refused("too_many", "the table takes no more guests from this address")

    def enter(self, connection: Connection) -> None:
        """Somebody came. The others are sent that; the newcomer gets a snapshot from the room."""
        if not self.has_members:
            self.awaited = self._clock.time()
        self.update(connection)
        self.connections[connection] = None

    def leave(self, connection: Connection) -> None:
        self.connections.pop(connection, None)
        self.update()

    def update(self, *coming: Connection) -> None:
        """Find out who came and who went, and broadcast it."""
        here = {connection.member for connection in (*self.connections, *coming) if not connection.ending}
        members = {chair.member for chair in self.match.chairs if chair.member is not None}
        if not members & (here ^ (members - self.gone.keys())):
            return
        for seat, chair in enumerate(self.match.chairs):
            if chair.member is None or (chair.member in here) == (chair.member not in self.gone):
                continue
            self.broadcast(messages.frame(messages.Presence(seat=seat, here=chair.member in here)))
        for member in members:
            if member in here:
                self.gone.pop(member, None)
            else:
                self.gone.setdefault(member, self._clock.time())

    def broadcast(self, frame: bytes, *, members: bool = True, guests: bool = True) -> None:
        """``members`` are all who see the play."""
        for connection in list(self.connections):
            if members if connection.sees_play else guests:
                connection.push(frame)

    def send_seats(self, new_watch_key: str = "") -> None:
        """Tell those whose seats changed; before the event, so that they understand it."""
        for connection in list(self.connections):
            mine = self.match.seats_of(connection.member)
            watch = new_watch_key if connection.member == HOST else ""
            if mine != connection.mine or watch:
                connection.mine = mine
                connection.send(messages.You(role=connection.role, mine=mine, watch=watch or None))

    def send_next_tokens(self, token: Callable[[int], str]) -> None:
        """Give each member the token at the next match; before the event, so that it can be followed."""
        for connection in list(self.connections):
            if connection.member is not None:
                connection.send(
                    messages.You(
                        role=connection.role, mine=connection.mine, next_token=token(connection.member)
                    )
                )

    def send_previews(self, connections: Iterable[Connection]) -> None:
        """Send what the choices of the seat to act would bring to those who want to know."""
        table = self.match.table
        if table is None or table.to_act is None:
            return
        wanting = [c for c in connections if c.previews and table.to_act in c.mine]
        if not wanting or table.awaits_roll:
            return
        frame = messages.frame(
            messages.Previews(
                version=self.match.version, seat=table.to_act, choices=previews(table.game, table.state)
            )
        )
        for connection in wanting:
            connection.push(frame)

    def end_watching(self) -> None:
        """Close the connections of those who only watch."""
        for connection in list(self.connections):
            if connection.watcher:
                connection.end("watching_off")

    def end_moved(self, member: int, token: str) -> None:
        """Close the connections of a member's old device: those that came with another token."""
        for connection in list(self.connections):
            if connection.member == member and connection.token != token:
                connection.end("moved")
