"""The clock of a turn: its deadline, the warning before it, and which seats go to stand-ins when."""

from __future__ import annotations

from escadaria.server.clock import Clock
from escadaria.server.match import Match
from escadaria.server.presence import Presence

_WARNING_SHARE, _WARNING_MOST = 0.25, 20.0


class TurnClock:
    """When something is due at a match though nobody asks for it."""

    def __init__(self, match: Match, presence: Presence, clock: Clock) -> None:
        self._match = match
        self._presence = presence
        self._clock = clock
        self._loaded = clock.time()
        self._warned = 0.0  # the deadline that was warned of

    def deadline(self) -> float | None:
        """When the time of the seat to act runs out; None if no clock runs for it."""
        match, table = self._match, self._match.table
        if not match.settings.clock or table is None or table.to_act is None or table.bot_of(table.to_act):
            return None
        # A turn that was stored under a clock ahead of ours has begun at the latest when it was loaded.
        began = min(match.turn_time, self._clock.time())
        # If it ran out while the server was down, there is time to come back.
        return max(began + match.settings.clock, self._loaded + self._warning_seconds)

    def next_time(self) -> float | None:
        """When to look again: the next deadline, warning or leaver."""
        times = [at for at, _ in self._leavers()]
        deadline = self.deadline()
        if deadline is not None:
            times.append(deadline if deadline <= self._warned else deadline - self._warning_seconds)
        return min(times, default=None)

    def due(self) -> set[int]:
        """The seats whose owners have been gone too long or whose time is up."""
        now, deadline = self._clock.time(), self.deadline()
        due = {seat for at, seat in self._leavers() if at <= now}
        if deadline is not None and deadline <= now:
            assert self._match.table is not None and self._match.table.to_act is not None, "a clock runs"
            due.add(self._match.table.to_act)
        return due

    def warning(self) -> float | None:
        """The deadline to warn of now; each is given once."""
        deadline = self.deadline()
        if deadline is None or deadline <= self._warned:
            return None
        if not deadline - self._warning_seconds <= self._clock.time() < deadline:
            return None
        self._warned = deadline
        return deadline

    @property
    def _warning_seconds(self) -> float:
        return min(_WARNING_MOST, self._match.settings.clock * _WARNING_SHARE)

    def _leavers(self) -> list[tuple[float, int]]:
        """When which seat goes to a stand-in. Nobody is replaced while nobody waits for them."""
        match, presence = self._match, self._presence
        table, grace = match.table, match.settings.grace
        if table is None or table.outcome or grace is None or not presence.gone or not presence.has_members:
            return []
        return [
            (max(presence.gone[chair.member], presence.awaited) + grace, seat)
            for seat, chair in enumerate(match.chairs)
            if chair.member in presence.gone and not table.bot_of(seat)
        ]
