"""The deadlines of a match: turn clocks, warnings, and when stand-ins replace absent players."""

from __future__ import annotations

from escadaria.match.clock import Clock
from escadaria.match.match import Match
from escadaria.match.presence import Presence

_WARNING_SHARE, _WARNING_MOST = 0.25, 20.0


class TurnClock:
    """The deadlines of one match."""

    def __init__(self, match: Match, presence: Presence, clock: Clock) -> None:
        self._match = match
        self._presence = presence
        self._clock = clock
        self._loaded = clock.time()
        self._warned = 0.0  # the deadline of the last warning

    def deadline(self) -> float | None:
        """When the time of the seat to act runs out; None if it has no clock."""
        match, play = self._match, self._match.play
        if not match.settings.clock or play is None or play.to_act is None or play.bot_of(play.to_act):
            return None
        # A stored time may lie in the future if the system clock was set back.
        began = min(match.turn_time, self._clock.time())
        # If it ran out while the server was down, leave time to reconnect.
        return max(began + match.settings.clock, self._loaded + self._warning_seconds)

    def load_time(self) -> float | None:
        """When the match must be loaded if it is evicted now; None if it has no deadline."""
        play = self._match.play
        if play is None or play.outcome or not self._match.settings.clock:
            return None
        return self.deadline() or self._clock.time()

    def next_time(self) -> float | None:
        """When to check again: the next deadline, warning or stand-in."""
        times = [at for at, _ in self._absences()]
        deadline = self.deadline()
        if deadline is not None:
            times.append(deadline if deadline <= self._warned else deadline - self._warning_seconds)
        return min(times, default=None)

    def due(self) -> set[int]:
        """The seats to hand over now: the owner is absent too long, or the time is up."""
        now, deadline = self._clock.time(), self.deadline()
        due = {seat for at, seat in self._absences() if at <= now}
        if deadline is not None and deadline <= now:
            assert self._match.play is not None and self._match.play.to_act is not None, "a clock runs"
            due.add(self._match.play.to_act)
        return due

    def warning(self) -> float | None:
        """The deadline to warn of now, once per deadline."""
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

    def _absences(self) -> list[tuple[float, int]]:
        """When each seat of an absent player is handed over."""
        if not self._presence.absent:
            return []
        times = ((self._presence.stand_in_at(seat), seat) for seat in range(len(self._match.chairs)))
        return [(at, seat) for at, seat in times if at is not None]
