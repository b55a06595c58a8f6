"""The event log of one match. Events are checked, stored, applied and published, in that order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol
from weakref import WeakMethod

import msgspec

from escadaria import wire
from escadaria.bus import Sent, Stored
from escadaria.game import GameError
from escadaria.match.jobs import Jobs
from escadaria.match.match import Hidden, Match, MatchEvent, SavedMatch
from escadaria.match.services import Services
from escadaria.play import RESIGN, Event, Step
from escadaria.refusals import Refused
from escadaria.server import metrics
from escadaria.store import Conflict, Fenced, Lease, Store, StoredEvent

log = logging.getLogger(__name__)

COMMANDS_REMEMBERED = 200
"""The number of commands per match that are recognised when repeated."""

_MAX_ATTEMPTS = 5
_SLICE_SECONDS = 0.01
_SNAPSHOT_EVENTS = 500
_HIDDEN = Hidden()

Publish = Callable[[MatchEvent, tuple[Step, ...], float, bytes], bytes]


class CaughtUp(Protocol):
    def __call__(self, *, seats: bool) -> None: ...


class EventLog:
    """The events of one match, and the keys of the latest commands."""

    def __init__(
        self,
        match: Match,
        services: Services,
        jobs: Jobs,
        publish: Publish,
        caught_up: CaughtUp,
    ) -> None:
        """``publish`` and ``caught_up`` are methods of the room.

        :param publish: called with each applied event, its steps, its time, and its frame if another worker
            has made it; returns the frame if other workers can use it, else nothing.
        :param caught_up: called after the events of another worker were applied, with whether they may have
            changed seats.
        """
        self.match = match
        self.date = ""
        """The day on which the match was opened."""
        self.read_time = 0.0
        """When the store was last read for events of other workers."""
        self._jobs = jobs
        self._store = services.store
        self._bus = services.bus
        self._clock = services.clock
        self._settings = services.settings
        # Weak references: a cycle with the room would keep it in memory until a garbage collection.
        self._publish = WeakMethod(publish)
        self._caught_up = WeakMethod(caught_up)
        self._versions: dict[str, int] = {}  # the version made by each command, by key
        self._saved_version = match.version

    # Loading.

    async def load(self, id: str) -> bool:
        """Apply the stored events after the match's version, in slices that do not block the event loop.

        :return: whether the match exists.
        :raises StoreUnavailable: if the store cannot be read.
        :raises GameError: if it cannot be rebuilt.
        """
        first = (await self._store.events(id, limit=1))[:1]
        if not first:
            return False
        self._set_date(first[0])
        known = self.match.version
        after = max(0, known - COMMANDS_REMEMBERED)
        more = True
        while more:
            events = await self._store.events(id, after=after, limit=_SNAPSHOT_EVENTS)
            more = len(events) == _SNAPSHOT_EVENTS
            after += len(events)
            await self._load_slices(events, known, after if more else after - self._settings.history)
        return True

    async def _load_slices(self, events: list[StoredEvent], known: int, published: int) -> None:
        """Apply the events after ``known``; publish those after ``published``, for reconnecting clients."""
        started = time.perf_counter()
        for stored in events:
            if stored.version > known:
                self._load(stored, publish=stored.version > published)
            self._remember(stored.request, stored.version)
            if time.perf_counter() - started > _SLICE_SECONDS:
                await asyncio.sleep(0)
                started = time.perf_counter()

    def load_events(self, events: list[StoredEvent]) -> None:
        """Apply and publish stored events."""
        for stored in events:
            if stored.version == 1:
                self._set_date(stored)
            self._load(stored, publish=True)
            self._remember(stored.request, stored.version)

    def _load(self, stored: StoredEvent, *, publish: bool, frame: bytes = b"") -> None:
        hidden = msgspec.json.decode(stored.hidden, type=Hidden) if stored.hidden else _HIDDEN
        event = MatchEvent(wire.read_event(stored.body), hidden)
        steps = self.match.apply(event, stored.time)
        if publish and (published := self._publish()) is not None:
            published(event, steps, stored.time, frame)

    def _set_date(self, first: StoredEvent) -> None:
        self.date = time.strftime("%Y-%m-%d", time.gmtime(first.time))

    async def catch_up(self) -> bool:
        """Apply the events of other workers, and return whether there were any.

        :raises Refused: ``store_unavailable``.
        """
        read = partial(self._store.events, self.match.id, after=self.match.version)
        events = await self._jobs.from_store(read)
        self.read_time = self._clock.time()
        if events:
            self.load_events(events)
            metrics.followed("store").inc()
            if (caught_up := self._caught_up()) is not None:
                caught_up(seats=True)
        return bool(events)

    def follow(self, events: Sequence[Sent]) -> bool:
        """Apply events that another worker has stored and sent, and return whether that was possible."""
        expected = self.match.version + 1
        new = [sent for sent in events if sent[0].version >= expected]
        if [sent[0].version for sent in new] != list(range(expected, expected + len(new))) or not new:
            return False
        for stored, frame in new:
            self._load(stored, publish=True, frame=frame)
            self._remember(stored.request, stored.version)
        metrics.followed("message").inc()
        if (caught_up := self._caught_up()) is not None:
            caught_up(seats=not all(frame for _, frame in new))  # events with frames are moves
        return True

    # Committing.

    def version_of(self, key: str) -> int | None:
        """The version made by the command with this key; None if it was not accepted."""
        return self._versions.get(key)

    async def commit(
        self,
        handle: Callable[[], list[MatchEvent]],
        key: str = "",
        lease: Callable[[], Lease | None] = lambda: None,
    ) -> None:
        """Check, store, apply and publish. On a conflict with another worker, catch up and retry.

        :param handle: the command handler.
        :param key: identifies the command if it is repeated.
        :param lease: the lease of the match, for events that no client requests.
        :raises GameError: if the command is refused.
        :raises Fenced: if the lease is no longer held.
        """
        for _ in range(_MAX_ATTEMPTS):
            try:
                events = handle()
            except GameError:  # another worker may have stored later events, or this command
                if not key or not await self.catch_up():
                    raise
                if key in self._versions:
                    return
                continue
            if not events:
                return
            self._check_length(events)
            now = self._clock.time()
            stored = stored_events(events, self.match.version, now, key)
            due = self._due_after(events, now)
            append = partial(self._store.append, self.match.id, stored, due=due, lease=lease())
            try:
                await self._jobs.from_store(append)
            except Fenced:
                raise
            except Conflict:
                await self.catch_up()
                if key and key in self._versions:  # another worker stored this command
                    return
                continue
            metrics.STORE_SECONDS.observe(self._clock.time() - now)
            publish = self._publish()
            frames = []
            for event in events:
                metrics.events(type(event.event).__name__).inc()
                steps = self.match.apply(event, now)
                frames.append(publish(event, steps, now, b"") if publish is not None else b"")
            sent = list(zip(stored, frames, strict=True))
            self._bus.publish(Stored(self.match.id, stored[-1].version, sent))
            self._remember(key, self.match.version)
            return
        raise Refused("busy", "too many conflicting commands, try again")

    def _check_length(self, events: list[MatchEvent]) -> None:
        """:raises Refused: ``too_long``. Resigning is always possible."""
        if self.match.version + len(events) <= self._settings.events_per_match:
            return
        if not all(isinstance(e.event, Event) and e.event.action == RESIGN for e in events):
            raise Refused("too_long", "the match has too many events")

    def _due_after(self, events: list[MatchEvent], now: float) -> float | None:
        """When the match is due if the server stops now; None if the events do not advance the deadline."""
        event = events[-1].event
        if not isinstance(event, wire.Started | wire.Configured | wire.PositionSet):
            return None
        settings = event.settings if isinstance(event, wire.Configured) else self.match.settings
        return now + settings.clock if settings.clock else None

    def _remember(self, key: str, version: int) -> None:
        if key:
            self._versions[key] = version
        if len(self._versions) > COMMANDS_REMEMBERED:
            del self._versions[next(iter(self._versions))]

    # Snapshots.

    @property
    def needs_snapshot(self) -> bool:
        """Whether a snapshot of the running match is overdue."""
        return self.match.version - self._saved_version >= 2 * _SNAPSHOT_EVENTS

    async def save_snapshot(self) -> None:
        """Store a snapshot if enough events follow the last one."""
        if self.match.version - self._saved_version >= _SNAPSHOT_EVENTS:
            version, body = self.match.version, wire.encode(self.match.saved())
            self._saved_version = version
            await self._store.save_snapshot(self.match.id, version, body)


async def restored_match(id: str, store: Store) -> Match:
    """The match from its last snapshot; an empty one if there is no usable snapshot.

    :raises StoreUnavailable: if the store cannot be read.
    """
    saved = await store.snapshot(id)
    if saved is None:
        return Match()
    try:
        return Match.restored(msgspec.json.decode(saved[1], type=SavedMatch))
    except (msgspec.DecodeError, GameError) as error:  # written by another version
        log.warning("a snapshot cannot be used", extra={"match": id, "why": str(error)})
        return Match()


def stored_events(events: list[MatchEvent], version: int, now: float, key: str = "") -> list[StoredEvent]:
    """The rows of the events after ``version``. The last one has the key of the command."""
    return [
        StoredEvent(
            version=version + number,
            time=now,
            request=key if number == len(events) else "",
            body=wire.encode(event.event),
            hidden=wire.encode(event.hidden) if event.hidden != _HIDDEN else "",
        )
        for number, event in enumerate(events, 1)
    ]
