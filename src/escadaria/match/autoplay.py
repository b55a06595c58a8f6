"""Actions of a match that no client requests: clock warnings, stand-ins for absent players, and bots."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from weakref import WeakMethod

from escadaria import wire
from escadaria.game import GameError
from escadaria.match.event_log import EventLog
from escadaria.match.jobs import Jobs
from escadaria.match.match import Match, MatchEvent
from escadaria.match.presence import Presence
from escadaria.match.services import Services
from escadaria.match.turn_clock import TurnClock
from escadaria.play import ROLL, Play
from escadaria.refusals import Refused
from escadaria.store import Fenced, StoreUnavailable

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
        lease_changed: Callable[[], None],
    ) -> None:
        """:param lease_changed: a method of the room."""
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
        self._paced: int | None = None  # the bot that has waited before its turn
        self._hurried = False  # whether bots do not wait, until a person is to act
        self._pause: asyncio.Task[None] | None = None
        self._closed = False
        self._peers = services.peers
        self._lease_changed = WeakMethod(lease_changed)
        self._asking = False  # whether the lease was asked for
        self._denied = False  # whether another worker holds the lease

    def schedule(self) -> None:
        """Set the timer for the next deadline, and start the bot if one is to act."""
        self.cancel()
        if self._closed:
            return
        table = self._match.play
        seat = None if table is None else table.to_act
        self._update_lease(wanted=seat is not None)
        if table is None or seat is None:
            return
        if (at := self._turn_clock.next_time()) is not None:
            # Without the lease another worker acts; only the warnings are sent.
            delay = max(0.0 if self._holds else 1.0, at - self._clock.time())
            self._timer = asyncio.get_running_loop().call_later(delay, self._jobs.enqueue, self._run_due)
        if seat != self._paced:
            self._paced = None
        if not table.bot_of(seat):
            self._hurried = False
        elif (
            not self._thinking
            and table.to_enter() is None  # people roll real dice for bots too
            and self._bots_play
            and self._holds
        ):
            self._thinking = True
            self._jobs.spawn(self._run_bot())

    def hurry(self) -> None:
        """Let bots act without waiting until a person is to act."""
        table = self._match.play
        self._hurried = table is not None and table.to_act is not None and bool(table.bot_of(table.to_act))
        if self._hurried and self._pause is not None:
            self._pause.cancel()

    # The lease.

    @property
    def _holds(self) -> bool:
        return self._peers.holds(self._match.id)

    def _update_lease(self, *, wanted: bool) -> None:
        """Take the lease if it is wanted, and this worker has connections or nobody else has."""
        here = self._presence.connections or (self._match.settings.clock and not self._presence.anyone)
        wanted = wanted and bool(here)
        if not wanted and self._peers.shared:
            if not self._thinking:  # or another worker would let a bot decide the same position
                self.release()
        elif wanted and not (self._holds or self._asking or self._denied):
            self._asking = True
            self._jobs.spawn(self._take_lease())

    async def _take_lease(self) -> None:
        try:
            taken = await self._peers.take(self._match.id)
        except StoreUnavailable:
            await self._clock.sleep(1)  # before the retry
            taken = False
        else:
            self._denied = not taken
        finally:
            self._asking = False
        if self._closed:
            self._peers.release(self._match.id)
            return
        if taken:
            self._announce()
        self.schedule()

    def surveyed(self, holder: str, *, changed: bool) -> None:
        """Note which worker holds the lease, as the store says, and whether the presence has changed."""
        held, denied = self._holds, holder not in ("", self._peers.worker)
        if held and holder != self._peers.worker:
            self._peers.forget(self._match.id)
        if changed or denied != self._denied or held != self._holds or not (held or denied):
            self._denied = denied
            self._announce()
            self.schedule()

    def release(self) -> None:
        """Give up the lease."""
        if self._peers.shared:
            self._peers.release(self._match.id)
            self._announce()

    def _announce(self) -> None:
        if (lease_changed := self._lease_changed()) is not None:
            lease_changed()

    def close(self) -> None:
        """Cancel the timer and schedule nothing more."""
        self._closed = True
        self.cancel()

    @property
    def due_soon(self) -> bool:
        """Whether the timer fires too soon for eviction to be worthwhile."""
        if self._timer is None or not self._holds:
            return False
        left = self._timer.when() - asyncio.get_running_loop().time()
        return left < self._settings.idle_seconds + 60

    def due(self) -> float | None:
        """When the match must be loaded if it is evicted now; None if it has no deadline."""
        table = self._match.play
        if table is None or table.outcome or not self._match.settings.clock:
            return None
        return self._turn_clock.deadline() or self._clock.time()

    @property
    def _bots_play(self) -> bool:
        """Bots play while a client is connected, or if the table has a clock."""
        return self._presence.anyone or self._match.settings.clock > 0

    def cancel(self) -> None:
        """Cancel the timer until the next ``schedule``."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _run_due(self) -> None:
        """Broadcast a clock warning if one is due, and replace overdue and absent players by stand-ins."""
        self._timer = None
        if (deadline := self._turn_clock.warning()) is not None:
            assert self._match.play is not None and self._match.play.to_act is not None, "a clock runs"
            warning = wire.ClockWarning(seat=self._match.play.to_act, deadline=deadline)
            self._presence.broadcast(wire.frame(warning), guests=False)
        seats = self._turn_clock.due() if self._holds else set()
        done = [await self._commit(partial(self._hand_over, seat)) for seat in seats]
        self._jobs.spawn(self._reschedule(all(done)))

    def _hand_over(self, seat: int) -> list[MatchEvent]:
        """The events that replace a player; none if the player has acted at another worker meanwhile."""
        return self._match.hand_over(seat) if self._holds and seat in self._turn_clock.due() else []

    async def _run_bot(self) -> None:
        """Compute and commit the action of the bot to act; before a turn, wait as long as the table says."""
        match, table = self._match, self._match.play
        assert table is not None and table.to_act is not None, "a bot is to act"
        seat, state, done = table.to_act, table.state, False
        self._workers.bots.start()
        waits = seat != self._paced and not self._hurried
        await self._wait(match.settings.pace / 500 / max(2, match.game.players - 1) if waits else 0)
        self._paced = seat
        try:
            action = ROLL
            if not table.awaits_roll:
                action = await self._workers.decide(
                    match.game,
                    state,
                    table.bot_of(seat) or match.settings.stand_in,
                    key=match.opener or match.id,  # the queue is fair between addresses that open tables
                    awaited=self._presence.anyone,
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

    async def _wait(self, seconds: float) -> None:
        """Wait, or until ``hurry``."""
        if not seconds:
            await self._clock.sleep(0)
            return
        self._pause = asyncio.create_task(self._clock.sleep(seconds))
        try:
            await asyncio.wait([self._pause])
        finally:
            self._pause.cancel()
            self._pause = None

    def _bot_events(self, table: Play, state: object, seat: int, action: str) -> list[MatchEvent]:
        """The events of the bot's action; none if the position has changed since it was computed."""
        match = self._match
        current = match.play is table and table.state is state and table.to_act == seat
        return match.bot_acts(seat, action) if current and table.bot_of(seat) and self._holds else []

    async def _reschedule(self, done: bool) -> None:
        if not done:
            await self._clock.sleep(1)  # before the retry
        self.schedule()

    async def _commit(self, handle: Callable[[], list[MatchEvent]]) -> bool:
        """Commit events that no client requested. Return whether they were accepted."""
        try:
            await self._events.commit(handle, lease=partial(self._peers.lease, self._match.id))
        except Fenced:
            log.info("another worker has taken over", extra={"match": self._match.id})
            self._peers.forget(self._match.id)
            return False
        except GameError as error:
            log.warning("an automatic action was refused", extra={"match": self._match.id, "why": str(error)})
            return False
        return True
