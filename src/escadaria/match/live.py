"""A match in memory: its events are stored and sent, its bots and clocks run, other servers are followed.

``event_log`` has the stored events, ``frames`` makes what clients are sent, ``presence`` has the connections,
``autoplay`` and ``turn_clock`` say what is due, ``leases`` whether this server does it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

from escadaria import wire
from escadaria.bus import Hurry, Message, Sent, Stored
from escadaria.events import Moved
from escadaria.game import GameError
from escadaria.match.autoplay import Autoplay, BotTurn
from escadaria.match.clock import Clock
from escadaria.match.connection import Connection, Mail
from escadaria.match.event_log import Applied, EventLog
from escadaria.match.frames import Frames
from escadaria.match.jobs import Jobs
from escadaria.match.leases import Leases
from escadaria.match.match import Match
from escadaria.match.presence import Presence
from escadaria.match.recovery import RecoveryCodes
from escadaria.match.services import Decisions, MatchStore, Meters, RateLimits
from escadaria.match.state import MatchEvent
from escadaria.match.tokens import Tokens
from escadaria.match.turn_clock import TurnClock
from escadaria.play import ROLL
from escadaria.refusals import Refused
from escadaria.settings import Settings
from escadaria.store import Conflict, Fenced, StoredEvent, StoreUnavailable, Survey

log = logging.getLogger(__name__)

_MAX_ATTEMPTS = 5
_RETRY_SECONDS = 1.0


class LiveMatch:
    """A match that runs."""

    def __init__(
        self,
        match: Match,
        *,
        store: MatchStore,
        leases: Leases,
        compute: Decisions,
        limits: RateLimits,
        settings: Settings,
        clock: Clock,
        open_next: Callable[[Match], Awaitable[str]],
        meters: Meters,
    ) -> None:
        """:param open_next: opens the next match at the same table, and returns its id."""
        self.match = match
        self.last_seen = clock.time()
        """When the room was last used."""
        self.visited = False
        """Whether anybody was connected since the match was loaded."""
        self.jobs = Jobs(match)
        self.events = EventLog(match, store, settings)
        self._leases = leases
        self._compute = compute
        self._limits = limits
        self._clock = clock
        self._open_next = open_next
        self._meters = meters
        self._idle_seconds = settings.idle_seconds
        self._tokens = Tokens(store.key)
        self._presence = Presence(match, settings, clock)
        self._turn_clock = TurnClock(match, self._presence, clock)
        self._frames = Frames(match, self._presence, self._turn_clock, self._tokens, settings.history)
        self._codes = RecoveryCodes(match, store, self._tokens, clock, shared=leases.shared)
        self._autoplay = Autoplay(match)
        self._timer: asyncio.TimerHandle | None = None
        self._pause: asyncio.Task[None] | None = None  # before the turn of a bot
        self._asking = False  # whether the lease was asked for
        self._denied = False  # whether another server holds the lease
        self._checking = False  # whether a check for events of other servers is queued
        self._read_time = 0.0  # when the store was last read for them
        self._closed = False

    async def load(self, match: str) -> bool:
        """Apply the stored events of the match, and return whether there is such a match.

        :raises StoreUnavailable: if the store cannot be read.
        :raises GameError: if it cannot be rebuilt.
        """
        async for applied in self.events.load(match):
            self._frames.add_event(Mail(), applied)
        if self.events.date:
            self._update()
        return bool(self.events.date)

    def create(self, events: list[StoredEvent]) -> None:
        """Apply the events of a new match."""
        self._show((stored, b"") for stored in events)
        self._update()

    @property
    def connections(self) -> dict[Connection, None]:
        """The admitted connections, the oldest first."""
        return self._presence.connections

    # Events.

    async def commit(
        self,
        handle: Callable[[], list[MatchEvent]],
        key: str = "",
        mail: Mail | None = None,
        *,
        leased: bool = False,
    ) -> Mail:
        """Check, store and apply. On a conflict with another server, catch up and retry.

        :param handle: the command handler.
        :param key: identifies the command if it is repeated.
        :param mail: what is to be sent is added to it.
        :param leased: whether the lease is needed, as for events that no client requests.
        :raises GameError: if the command is refused.
        :raises Fenced: if the lease is no longer held.
        """
        mail, match = Mail() if mail is None else mail, self.match
        for _ in range(_MAX_ATTEMPTS):
            try:
                events = handle()
            except GameError:  # another server may have stored later events, or this command
                if not key or not await self._catch_up():
                    raise
                if self.events.version_of(key) is not None:
                    return mail
                continue
            if not events:
                return mail
            now = self._clock.time()
            lease = self._leases.lease(match.id) if leased else None
            try:
                stored = await self.jobs.from_store(partial(self.events.append, events, now, key, lease))
            except Fenced:
                raise
            except Conflict:
                await self._catch_up()
                if key and self.events.version_of(key) is not None:  # another server stored this command
                    return mail
                continue
            self._meters.stored(events, self._clock.time() - now)
            frames = [self._add(mail, Applied(event, match.apply(event, now), now)) for event in events]
            sent = list(zip(stored, frames, strict=True))
            self._leases.publish(Stored(match.id, stored[-1].version, sent))
            self.events.remember(key, match.version)
            if self.events.needs_snapshot:
                self.jobs.spawn(self.events.save_snapshot())
            return mail
        raise Refused("busy", "too many conflicting commands, try again")

    def _add(self, mail: Mail, applied: Applied) -> bytes:
        """Add an applied event to the mail, and return the frame that other servers can use."""
        if isinstance(applied.event.event, Moved):
            self._codes.moved(applied.event.hidden.token, applied.time)
        return self._frames.add_event(mail, applied)

    def _update(self, *, seats: bool = True) -> None:
        """Run what is due after events of the store were applied, which may have changed ``seats``."""
        if seats:
            mail = Mail()
            self._presence.update(mail)
            mail.send()
        self._schedule()

    # Other servers.

    async def refresh(self) -> None:
        """Apply the events and the presence of other servers. :raises Refused: ``store_unavailable``."""
        await self.jobs.run(self._refresh)

    async def _refresh(self) -> None:
        if not self._leases.shared:
            await self._catch_up()
            return
        survey = await self.jobs.from_store(partial(self._leases.survey, self.match.id))
        if survey is not None:
            self.surveyed(survey)
            if survey.version > self.match.version:
                await self._catch_up()

    async def try_refresh(self) -> None:
        """Apply the events of other servers if the store can be read."""
        await self.jobs.run(partial(self._try, self._refresh))

    async def _try(self, read: Callable[[], Awaitable[object]]) -> None:
        """Read the store; if that fails, the next check does it."""
        try:
            await read()
        except Refused as refused:
            log.debug("not refreshed", extra={"match": self.match.id, "why": str(refused)})

    async def _catch_up(self) -> bool:
        """Apply new events of the store, and return whether there were any.

        :raises Refused: ``store_unavailable``.
        """
        events = await self.jobs.from_store(self.events.read_new)
        self._read_time = self._clock.time()
        if events:
            self._show(events)
            self._meters.followed("store")
            self._update()
        return bool(events)

    def _show(self, events: Iterable[Sent]) -> None:
        """Apply and broadcast stored events."""
        mail = Mail()
        for applied in self.events.apply(events):
            self._add(mail, applied)
        mail.send()

    @property
    def followed(self) -> bool:
        """Whether events of other servers are to be applied as soon as they are stored."""
        return bool(self.connections) or (self._leases.shared and self._holds)

    def follow(self, message: Message) -> None:
        """Act on a message of another server: apply its events, or all that the store has."""
        if isinstance(message, Stored):
            if message.version > self.match.version and not (
                message.events and self.jobs.run_now(partial(self._follow_events, message.events))
            ):
                self.jobs.enqueue(partial(self._follow, message))
        elif isinstance(message, Hurry):  # after the events before it
            self.jobs.enqueue(self.hurry)
        elif not self._checking:
            self._checking = True
            self.jobs.enqueue(self._check)

    def _follow_events(self, events: Sequence[Sent]) -> bool:
        """Apply events that another server has sent, and return whether that was possible."""
        new = self.events.following(events)
        if new:
            self._show(new)
            self._meters.followed("message")
            self._update(seats=not all(frame for _, frame in new))  # events with frames are moves
        return bool(new)

    async def _follow(self, stored: Stored) -> None:
        if stored.version > self.match.version and not self._follow_events(stored.events):
            await self._try(self._catch_up)

    async def _check(self) -> None:
        self._checking = False
        await self._try(self._refresh)

    def surveyed(self, survey: Survey) -> None:
        """Take over the presence at other servers, and who holds the lease."""
        match, mail, here = self.match.id, Mail(), self._leases.server
        elsewhere = [text for name, text in survey.members.items() if name != here]
        changed = self._presence.set_elsewhere(elsewhere, mail)
        mail.send()
        held, denied = self._holds, survey.holder not in ("", here)
        if held and survey.holder != here:
            self._leases.forget(match)
        if changed or denied != self._denied or held != self._holds or not (held or denied):
            self._denied = denied
            self._share()
            self._schedule()

    def _share(self) -> None:
        """Share the presence, and receive messages of other servers while they matter."""
        self._leases.share(self.match.id, self._presence.text(), follow=self.followed)

    # The lease.

    @property
    def _holds(self) -> bool:
        return self._leases.holds(self.match.id)

    def _update_lease(self, *, wanted: bool) -> None:
        """Take the lease if it is wanted, and this server has connections or nobody else has."""
        here = self.connections or (self.match.settings.clock and not self._presence.anyone)
        if not (wanted and here):
            if not self._autoplay.thinking:  # or another server would let a bot decide the same position
                self._release()
        elif not (self._holds or self._asking or self._denied):
            self._asking = True
            self.jobs.spawn(self._take_lease())

    async def _take_lease(self) -> None:
        try:
            taken = await self._leases.take(self.match.id)
        except StoreUnavailable:
            await self._clock.sleep(_RETRY_SECONDS)
            taken = False
        else:
            self._denied = not taken
        finally:
            self._asking = False
        if self._closed:
            self._leases.release(self.match.id)
            return
        if taken:
            self._share()
        self._schedule()

    def _release(self) -> None:
        self._leases.release(self.match.id)
        self._share()

    # Bots and clocks.

    def _schedule(self) -> None:
        """Set the timer for the next deadline, and start the bot if one is to act."""
        self._cancel_timer()
        if self._closed:
            return
        play = self.match.play
        to_act = play is not None and play.to_act is not None
        self._update_lease(wanted=to_act)
        if not to_act:
            return
        if (at := self._turn_clock.next_time()) is not None:
            # Without the lease another server acts; only the warnings are sent.
            delay = max(0.0 if self._holds else 1.0, at - self._clock.time())
            self._timer = asyncio.get_running_loop().call_later(delay, self.jobs.enqueue, self._run_due)
        turn = self._autoplay.next()
        needed = self._presence.anyone or self.match.settings.clock > 0  # else bots do not play
        if turn is not None and needed and self._holds:
            self._autoplay.thinking = True
            self.jobs.spawn(self._run_bot(turn))

    async def _run_due(self) -> None:
        """Broadcast a clock warning if one is due, and replace overdue and absent players by stand-ins."""
        self._timer = None
        if (deadline := self._turn_clock.warning()) is not None:
            assert self.match.play is not None and self.match.play.to_act is not None, "a clock runs"
            warning = wire.ClockWarning(seat=self.match.play.to_act, deadline=deadline)
            for connection in self._presence.seeing_play:
                connection.send(wire.frame(warning))
        seats = self._turn_clock.due() if self._holds else set()
        done = [await self._commit_leased(partial(self._hand_over, seat)) for seat in seats]
        self.jobs.spawn(self._reschedule(all(done)))

    def _hand_over(self, seat: int) -> list[MatchEvent]:
        """The events that replace a player; none if the player has acted at another server meanwhile."""
        return self.match.hand_over(seat) if seat in self._turn_clock.due() else []

    async def _run_bot(self, turn: BotTurn) -> None:
        """Wait before the bot's turn, compute its action, and commit it."""
        match, done = self.match, False
        self._compute.prepare()
        await self._wait(turn.pause)
        self._autoplay.waited(turn)
        try:
            action = ROLL
            if not turn.play.awaits_roll:
                action = await self._compute.decide(
                    match.game,
                    turn.state,
                    turn.play.bot_of(turn.seat) or match.settings.stand_in,
                    key=match.opener or match.id,  # the queue is fair between addresses that open tables
                    awaited=self._presence.anyone,
                )
            handle = partial(self._autoplay.acts, turn, action)
            done = await self.jobs.run(partial(self._commit_leased, handle))
        except Refused as refused:  # the queue is full
            log.warning("a bot was delayed", extra={"match": match.id, "why": str(refused)})
        except Exception:  # it is tried again
            log.exception("a bot failed", extra={"match": match.id})
        finally:
            self._autoplay.thinking = False
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

    async def hurry(self) -> None:
        """Let bots act without waiting until a person is to act."""
        if self._autoplay.hurry() and self._pause is not None:
            self._pause.cancel()

    async def _reschedule(self, done: bool) -> None:
        if not done:
            await self._clock.sleep(_RETRY_SECONDS)
        self._schedule()

    async def _commit_leased(self, handle: Callable[[], list[MatchEvent]]) -> bool:
        """Commit events that no client requested, with the lease. Return whether they were accepted."""
        try:
            mail = await self.commit(lambda: handle() if self._holds else [], leased=True)
            mail.send()
        except Fenced:
            log.info("another server has taken over", extra={"match": self.match.id})
            self._leases.forget(self.match.id)
            return False
        except GameError as error:
            log.warning("an automatic action was refused", extra={"match": self.match.id, "why": str(error)})
            return False
        return True

    # Eviction.

    def due(self) -> float | None:
        """When the match must be loaded if it is evicted now; None if it has no deadline."""
        return self._turn_clock.load_time()

    @property
    def idle(self) -> bool:
        """Whether nobody is connected, nothing is done, and nothing is due too soon for an eviction."""
        if self.connections or not self.jobs.idle:
            return False
        if self._timer is None or not self._holds:
            return True
        return self._timer.when() - asyncio.get_running_loop().time() >= self._idle_seconds + 60

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def unload(self) -> None:
        """Cancel the timer before the match is evicted. The store knows when it is due."""
        self._cancel_timer()
        self._release()

    async def close(self) -> None:
        """Cancel the timer and finish the queued jobs."""
        self.stop()
        self._leases.share(self.match.id, self._presence.text(), follow=False)
        await self.jobs.close()

    def stop(self) -> None:
        """Cancel the timer, and start nothing more."""
        self._closed = True
        self._cancel_timer()
