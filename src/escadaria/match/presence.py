"""The connections to a match, and the presence of its members."""

from __future__ import annotations

import json
from collections.abc import Iterable

from escadaria import wire
from escadaria.match.clock import Clock
from escadaria.match.connection import Connection, Mail
from escadaria.match.match import Match
from escadaria.refusals import Refused
from escadaria.settings import Settings


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
        """The members who are connected to other servers."""
        self.anyone_elsewhere = False
        """Whether other servers have connections, also of guests and watchers."""
        self._settings = settings
        self._clock = clock

    @property
    def has_members(self) -> bool:
        here = any(connection.member is not None for connection in self.connections)
        return here or bool(self.elsewhere)

    @property
    def anyone(self) -> bool:
        """Whether anyone is connected, at any server."""
        return bool(self.connections) or self.anyone_elsewhere

    @property
    def seeing_play(self) -> list[Connection]:
        """The connections of members and watchers, who see the play."""
        return [connection for connection in self.connections if connection.sees_play]

    @property
    def guests(self) -> list[Connection]:
        return [connection for connection in self.connections if not connection.sees_play]

    def text(self) -> str:
        """Who is connected here, for the other servers; empty if nobody is."""
        members = {c.member for c in self.connections if c.member is not None and not c.ending}
        return json.dumps(sorted(members)) if self.connections else ""

    def is_here(self, seat: int) -> bool:
        chair = self.match.chairs[seat]
        return bool(chair.bot) or (chair.member is not None and chair.member not in self.absent)

    def stand_in_at(self, seat: int) -> float | None:
        """When a bot stands in for the absent owner of a seat. This needs a connected member who waits."""
        match, member = self.match, self.match.chairs[seat].member
        play, grace = match.play, match.settings.grace
        if play is None or play.outcome or grace is None or member not in self.absent or play.bot_of(seat):
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
        same_subnet = [other for other in same_role if other.subnet == connection.subnet]
        if len(same_role) >= settings.connections_per_table:
            raise Refused("too_many", "the table has too many guests or watchers")
        # One address can take all places neither of the guests nor of the watchers.
        most = (
            settings.guests_per_address if connection.role == "guest" else settings.connections_per_table // 2
        )
        if len(same_subnet) >= most:
            raise Refused("too_many", f"the table has too many {connection.role}s from this address")

    # Changes. What they change for clients is added to the mail.

    def enter(self, connection: Connection, mail: Mail) -> None:
        """Add a connection."""
        waited = self.has_members
        if not waited:
            self.waiting_since = self._clock.time()
        self.update(mail, connection)
        others = list(self.connections)
        self.connections[connection] = None
        if self.has_members != waited:
            self._add_absent(mail, others)

    def leave(self, connection: Connection, mail: Mail) -> None:
        waited = self.has_members
        self.connections.pop(connection, None)
        self.update(mail)
        if self.has_members != waited:
            self._add_absent(mail, self.connections)

    def set_elsewhere(self, texts: Iterable[str], mail: Mail) -> bool:
        """Set who is connected to other servers, and return whether anything has changed."""
        waited, before = self.has_members, (self.elsewhere, self.anyone_elsewhere)
        found = [set(json.loads(text)) for text in texts]
        self.elsewhere, self.anyone_elsewhere = set().union(*found), bool(found)
        if before == (self.elsewhere, self.anyone_elsewhere):
            return False
        if self.has_members and not waited:
            self.waiting_since = self._clock.time()
        self.update(mail)
        if self.has_members != waited:
            self._add_absent(mail, self.connections)
        return True

    def update(self, mail: Mail, *new: Connection) -> None:
        """Update who is absent."""
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
            mail.add(wire.frame(self.of(seat)), *self.connections)

    def of(self, seat: int) -> wire.PresenceChanged:
        """The presence of a seat's owner."""
        return wire.PresenceChanged(seat=seat, here=self.is_here(seat), stand_in_at=self.stand_in_at(seat))

    def _add_absent(self, mail: Mail, connections: Iterable[Connection]) -> None:
        """Send the absent players again: whether a stand-in replaces them depends on who waits."""
        for seat, chair in enumerate(self.match.chairs):
            if chair.member in self.absent:
                mail.add(wire.frame(self.of(seat)), *connections)
