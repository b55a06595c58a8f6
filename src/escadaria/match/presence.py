"""The connections to a match, and the presence of its members."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Literal

from escadaria import wire
from escadaria.match.clock import Clock
from escadaria.match.match import HOST, Match
from escadaria.match.tokens import digest, new_token
from escadaria.refusals import Ending, Refused
from escadaria.server import metrics
from escadaria.server.edge.limits import subnet
from escadaria.server.settings import Settings
from escadaria.views import previews, sequences


class Connection:
    """One client's connection. A client that reads too slowly is disconnected."""

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
        """The client's network address, the key of rate limits."""
        self.member: int | None = None
        self.token = ""
        """The digest of the member's token."""
        self.guest = new_token()
        """The secret that identifies the client until it is a member."""
        self.guest_digest = digest(self.guest)
        self.watcher = False
        self.previews = False
        self.mine: list[int] = []
        self.ending: Ending | Literal["", "gone"] = ""
        """Why the connection is being closed; empty while it is open."""
        self.hinting = False
        """Whether a hint is being computed."""
        self._held: list[bytes] | None = None
        self._transport = transport
        self._buffer = buffer
        self._answered = answered
        self._close = close

    @property
    def role(self) -> wire.Role:
        if self.member is not None:
            return "host" if self.member == HOST else "player"
        return "watcher" if self.watcher else "guest"

    @property
    def sees_play(self) -> bool:
        return self.member is not None or self.watcher

    def push(self, frame: bytes) -> None:
        """Send an encoded frame without waiting. Close the connection if its write buffer is too full."""
        if self._held is not None:
            self._held.append(frame)
            return
        if self.ending or self._transport.is_closing():
            return
        self._transport.write(frame)
        if self._transport.get_write_buffer_size() > self._buffer:
            self.end("too_slow")

    def send(self, message: wire.Frame) -> None:
        """Encode and send a message."""
        self.push(wire.frame(message))

    def answer(self, frame: bytes) -> None:
        """Send the answer to a command, and let the session handle the next one."""
        self._release(frame)
        self._answered()

    def hold(self) -> None:
        """Hold frames back until the answer, which follows without waiting: one write sends all of them."""
        if self._held is None:
            self._held = []

    def _release(self, *more: bytes) -> None:
        held, self._held = self._held or [], None
        if held or more:
            self.push(b"".join((*held, *more)))

    def detach(self) -> None:
        """Drop the references to the session, after the connection has closed."""
        self._answered = lambda: None
        self._close = lambda code: None

    def end(self, code: Ending) -> None:
        """Send ``bye`` and close the connection."""
        if not self.ending:
            self._release()
            if not self._transport.is_closing():
                self._transport.write(wire.frame(wire.Bye(code=code)))
            self.ending = code
            metrics.DROPPED.labels(code).inc()
            self._close(code)


class Presence:
    """The connections to a match, and which members are absent."""

    def __init__(self, match: Match, settings: Settings, clock: Clock) -> None:
        self.match = match
        self.connections: dict[Connection, None] = {}  # the oldest first
        self.absent: dict[int, float] = {}
        """The members without a connection, and when they disconnected."""
        self.waiting_since = clock.time()
        """Since when at least one member has been connected."""
        self.elsewhere: set[int] = set()
        """The members who are connected to other workers."""
        self.anyone_elsewhere = False
        """Whether other workers have connections, also of guests and watchers."""
        self._settings = settings
        self._clock = clock

    @property
    def has_members(self) -> bool:
        here = any(connection.member is not None for connection in self.connections)
        return here or bool(self.elsewhere)

    @property
    def anyone(self) -> bool:
        """Whether anyone is connected, at any worker."""
        return bool(self.connections) or self.anyone_elsewhere

    def text(self) -> str:
        """Who is connected here, for the other workers; empty if nobody is."""
        members = {c.member for c in self.connections if c.member is not None and not c.ending}
        return json.dumps(sorted(members)) if self.connections else ""

    def set_elsewhere(self, texts: Iterable[str]) -> bool:
        """Set who is connected to other workers, broadcast the changes, and return whether there were any."""
        waited, before = self.has_members, (self.elsewhere, self.anyone_elsewhere)
        found = [set(json.loads(text)) for text in texts]
        self.elsewhere, self.anyone_elsewhere = set().union(*found), bool(found)
        if before == (self.elsewhere, self.anyone_elsewhere):
            return False
        if self.has_members and not waited:
            self.waiting_since = self._clock.time()
        self.update()
        if self.has_members != waited:
            self._send_absent(list(self.connections))
        return True

    def is_here(self, seat: int) -> bool:
        chair = self.match.chairs[seat]
        return bool(chair.bot) or (chair.member is not None and chair.member not in self.absent)

    def stand_in_at(self, seat: int) -> float | None:
        """When a bot stands in for the absent owner of a seat. This needs a connected member who waits."""
        match, member = self.match, self.match.chairs[seat].member
        table, grace = match.play, match.settings.grace
        if table is None or table.outcome or grace is None or member not in self.absent or table.bot_of(seat):
            return None
        return max(self.absent[member], self.waiting_since) + grace if self.has_members else None

    def check_space(self, connection: Connection) -> None:
        """Check the limits of connections. For a member, close the oldest connection instead.

        :raises Refused: ``too_many`` for a guest or watcher over the limit.
        """
        settings = self._settings
        if connection.member is not None:
            own = [other for other in self.connections if other.member == connection.member]
            if len(own) >= settings.connections_per_member:
                own[0].end("replaced")
            return
        same_role = [other for other in self.connections if other.role == connection.role]
        network = subnet(connection.address)
        same_network = [other for other in same_role if subnet(other.address) == network]
        if len(same_role) >= settings.connections_per_table:
            raise Refused("too_many", "the table has too many guests or watchers")
        # One address can take all places neither of the guests nor of the watchers.
        most = (
            settings.guests_per_address if connection.role == "guest" else settings.connections_per_table // 2
        )
        if len(same_network) >= most:
            raise Refused("too_many", f"the table has too many {connection.role}s from this address")

    def enter(self, connection: Connection) -> None:
        """Add a connection and broadcast the presence to the others."""
        waited = self.has_members
        if not waited:
            self.waiting_since = self._clock.time()
        self.update(connection)
        others = list(self.connections)
        self.connections[connection] = None
        if self.has_members != waited:
            self._send_absent(others)

    def leave(self, connection: Connection) -> None:
        waited = self.has_members
        self.connections.pop(connection, None)
        self.update()
        if self.has_members != waited:
            self._send_absent(list(self.connections))

    def update(self, *new: Connection) -> None:
        """Update who is absent, and broadcast the changes."""
        here = {connection.member for connection in (*self.connections, *new) if not connection.ending}
        here |= self.elsewhere
        members = {chair.member for chair in self.match.chairs if chair.member is not None}
        if not members & (here ^ (members - self.absent.keys())):
            return
        changed = [
            seat
            for seat, chair in enumerate(self.match.chairs)
            if chair.member is not None and (chair.member in here) != (chair.member not in self.absent)
        ]
        for member in members:
            if member in here:
                self.absent.pop(member, None)
            else:
                self.absent.setdefault(member, self._clock.time())
        for seat in changed:
            self.broadcast(wire.frame(self.of(seat)))

    def of(self, seat: int) -> wire.PresenceChanged:
        """The presence of a seat's owner."""
        return wire.PresenceChanged(seat=seat, here=self.is_here(seat), stand_in_at=self.stand_in_at(seat))

    def _send_absent(self, connections: list[Connection]) -> None:
        """Send the absent players again: whether a stand-in replaces them depends on who waits."""
        for seat, chair in enumerate(self.match.chairs):
            if chair.member in self.absent:
                frame = wire.frame(self.of(seat))
                for connection in connections:
                    connection.push(frame)

    def broadcast(self, frame: bytes, *, members: bool = True, guests: bool = True) -> None:
        """Send a frame to ``members`` (with watchers) and ``guests``."""
        for connection in list(self.connections):
            if members if connection.sees_play else guests:
                connection.push(frame)

    def send_seats(self, new_watch_key: str = "") -> None:
        """Send ``you`` to clients whose seats or keys changed, before the event that explains it."""
        for connection in list(self.connections):
            mine = self.match.seats_of(connection.member)
            watch = new_watch_key if connection.member == HOST else ""
            if mine != connection.mine or watch:
                connection.mine = mine
                connection.send(wire.You(role=connection.role, mine=mine, watch=watch or None))

    def send_next_tokens(self, token: Callable[[int], str]) -> None:
        """Send each member the token of the next match, before the event that links it."""
        for connection in list(self.connections):
            if connection.member is not None:
                connection.send(
                    wire.You(role=connection.role, mine=connection.mine, next_token=token(connection.member))
                )

    def send_previews(self, connections: Iterable[Connection]) -> None:
        """Send the previews of the seat to act to its connections that want them."""
        table = self.match.play
        if table is None or table.to_act is None:
            return
        wanting = [c for c in connections if c.previews and table.to_act in c.mine]
        if not wanting or table.awaits_roll:
            return
        frame = wire.frame(
            wire.Previews(
                version=self.match.version,
                seat=table.to_act,
                choices=previews(table.game, table.state),
                sequences=sequences(table.game, table.state),
            )
        )
        for connection in wanting:
            connection.push(frame)

    def close_watchers(self) -> None:
        """Close the connections of watchers."""
        for connection in list(self.connections):
            if connection.watcher:
                connection.end("watching_off")

    def close_moved(self, member: int, token: str) -> None:
        """Close the connections of a member that have another token: those of the old device."""
        for connection in list(self.connections):
            if connection.member == member and connection.token != token:
                connection.end("moved")
