"""Actions of a match that no client requests: clock warnings, stand-ins for absent players, and bots."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from escadaria.game import GameError
from escadaria.refusals import Refused
from escadaria.server import messages
from escadaria.server.event_log import EventLog
from escadaria.server.jobs import Jobs
from escadaria.server.match import Match, MatchEvent
from escadaria.server.presence import Presence
from escadaria.server.services import Services
from escadaria.server.turn_clock import TurnClock
from escadaria.table import ROLL, Table

log = logging.getLogger(__name__)


class Autoplay:
    """The timer for the next deadline, and the bot to act."""

    def __init__(
        self,
        match: Match,
        presence: Presence,
        turn_clock: TurnClock,
        jobs: Jobs,
        events: EventLog,
        services: Services,
    ) -> None:
        self._match = match
        self._presence = presence
        self._turn_clock = turn_clock
        self._jobs = jobs
        self._events = events
        self._workers = services.workers
        self._clock = services.clock
        self._settings = services.settings
        self._timer: asyncio.TimerHandle | None = None
        self._thinking = False  # whether a bot is computing its action
        self._closed = False

    def schedule(self) -> None:
        """Set the timer for the next deadline, and start the bot if one is to act."""
        self.cancel()
        table = self._match.table
        if table is None or table.to_act is None or self._closed:
            return
        if (at := self._turn_clock.next_time()) is not None:
            delay = max(0.0, at - self._clock.time())
            self._timer = asyncio.get_running_loop().call_later(delay, self._jobs.enqueue, self._run_due)
        if not self._thinking and table.bot_of(table.to_act) and self._bots_play:
            self._thinking = True
            self._jobs.spawn(self._run_bot())

    def close(self) -> None:
        """Cancel the timer and schedule nothing more."""
        self._closed = True
        self.cancel()

    @property
    def due_soon(self) -> bool:
        """Whether the timer fires too soon for eviction to be worthwhile."""
        if self._timer is None:
            return False
        left = self._timer.when() - asyncio.get_running_loop().time()
        return left < self._settings.idle_seconds + 60

    def due(self) -> float | None:
        """When the match must be loaded if it is evicted now; None if it has no deadline."""
        table = self._match.table
        if table is None or table.outcome or not self._match.settings.clock:
            return None
        return self._turn_clock.deadline() or self._clock.time()

    @property
    def _bots_play(self) -> bool:
        """Bots play while a client is connected, or if the table has a clock."""
        return bool(self._presence.connections) or self._match.settings.clock > 0

    def cancel(self) -> None:
        """Cancel the timer until the next ``schedule``."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _run_due(self) -> None:
        """Broadcast a clock warning if one is due, and replace overdue and absent players by stand-ins."""
        self._timer = None
        if (deadline := self._turn_clock.warning()) is not None:
            assert self._match.table is not None and self._match.table.to_act is not None, "a clock runs"
            warning = messages.ClockWarning(seat=self._match.table.to_act, deadline=deadline)
            self._presence.broadcast(messages.frame(warning), guests=False)
        seats = self._turn_clock.due()
        done = [await self._commit(partial(self._match.hand_over, seat)) for seat in seats]
        self._jobs.spawn(self._reschedule(all(done)))

    async def _run_bot(self) -> None:
        """Compute and commit the action of the bot to act, at the table's pace."""
        match, table = self._match, self._match.table
        assert table is not None and table.to_act is not None, "a bot is to act"
        seat, state, done = table.to_act, table.state, False
        self._workers.bots.start()
        await self._clock.sleep(match.settings.pace / 1000)
        try:
            action = ROLL
            if not table.awaits_roll:
                action = await self._workers.decide(
                    match.game,
                    state,
                    table.bot_of(seat) or match.settings.stand_in,
                    key=match.opener or match.id,  # the queue is fair between addresses that open tables
                    awaited=bool(self._presence.connections),
                )
            handle = partial(self._bot_events, table, state, seat, action)
            done = await self._jobs.run(partial(self._commit, handle))
        except Refused as refused:  # the queue is full
            log.warning("a bot was delayed", extra={"match": match.id, "why": str(refused)})
        except Exception:  # it is tried again
            log.exception("a bot failed", extra={"match": match.id})
        finally:
            self._thinking = False
        await self._reschedule(done)

    def _bot_events(self, table: Table, state: object, seat: int, action: str) -> list[MatchEvent]:
        """The events of the bot's action; none if the position has changed since it was computed."""
        match = self._match
        current = match.table is table and table.state is state and table.to_act == seat
        return match.bot_acts(seat, action) if current and table.bot_of(seat) else []

    async def _reschedule(self, done: bool) -> None:
        if not done:
            await self._clock.sleep(1)  # before the retry
        self.schedule()

    async def _commit(self, handle: Callable[[], list[MatchEvent]]) -> bool:
        """Commit events that no client requested. Return whether they were accepted."""
        try:
            await self._events.commit(handle)
        except GameError as error:
            log.warning("an automatic action was refused", extra={"match": self._match.id, "why": str(error)})
            return False
        return True
