"""What happens at a match without a command: clock warnings, stand-ins for those who left, and bots."""

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
    """A timer for what is due next, and the bot whose turn it is."""

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
        self._thinking = False  # whether a bot is about to act
        self._closed = False

    def plan(self) -> None:
        """Set the timer for what is due next, and let a bot act if it is its turn."""
        self.cancel()
        table = self._match.table
        if table is None or table.to_act is None or self._closed:
            return
        if (at := self._turn_clock.next_time()) is not None:
            delay = max(0.0, at - self._clock.time())
            self._timer = asyncio.get_running_loop().call_later(delay, self._jobs.enqueue, self._run_due)
        if not self._thinking and table.bot_of(table.to_act) and self._bots_play:
            self._thinking = True
            self._jobs.spawn(self._let_bot_act())

    def close(self) -> None:
        """Plan nothing more."""
        self._closed = True
        self.cancel()

    @property
    def due_soon(self) -> bool:
        """Whether something is due before it would be worth while to leave the memory."""
        if self._timer is None:
            return False
        left = self._timer.when() - asyncio.get_running_loop().time()
        return left < self._settings.idle_seconds + 60

    def due(self) -> float | None:
        """When the match must be loaded if it leaves the memory now; None if nothing runs out."""
        table = self._match.table
        if table is None or table.outcome or not self._match.settings.clock:
            return None
        return self._turn_clock.deadline() or self._clock.time()

    @property
    def _bots_play(self) -> bool:
        """Bots play while somebody is there to see it, or the clock runs for all."""
        return bool(self._presence.connections) or self._match.settings.clock > 0

    def cancel(self) -> None:
        """Cancel the timer until the next plan."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _run_due(self) -> None:
        """Warn a seat of its deadline, and hand seats over to stand-ins."""
        self._timer = None
        if (deadline := self._turn_clock.warning()) is not None:
            assert self._match.table is not None and self._match.table.to_act is not None, "a clock runs"
            warning = messages.ClockWarning(seat=self._match.table.to_act, deadline=deadline)
            self._presence.broadcast(messages.frame(warning), guests=False)
        seats = self._turn_clock.due()
        done = [await self._commit(partial(self._match.hand_over, seat)) for seat in seats]
        self._jobs.spawn(self._plan_after(all(done)))

    async def _let_bot_act(self) -> None:
        """Let the bot whose turn it is act, at the table's pace."""
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
                    key=match.opener or match.id,  # work is shared out fairly among those who open tables
                    awaited=bool(self._presence.connections),
                )
            handle = partial(self._bot_events, table, state, seat, action)
            done = await self._jobs.run(partial(self._commit, handle))
        except Refused as refused:  # too many bots are thinking
            log.warning("a bot waits", extra={"match": match.id, "why": str(refused)})
        except Exception:  # the match goes on when the bot can
            log.exception("a bot failed", extra={"match": match.id})
        finally:
            self._thinking = False
        await self._plan_after(done)

    def _bot_events(self, table: Table, state: object, seat: int, action: str) -> list[MatchEvent]:
        """The bot's action, or nothing if the match has gone on: another worker may have been first."""
        match = self._match
        current = match.table is table and table.state is state and table.to_act == seat
        return match.bot_acts(seat, action) if current and table.bot_of(seat) else []

    async def _plan_after(self, done: bool) -> None:
        if not done:
            await self._clock.sleep(1)  # what failed is tried again, but not immediately
        self.plan()

    async def _commit(self, handle: Callable[[], list[MatchEvent]]) -> bool:
        """Commit what no client asked for, and return whether that was possible."""
        try:
            await self._events.commit(handle)
        except GameError as error:
            log.warning("not done", extra={"match": self._match.id, "why": str(error)})
            return False
        return True
