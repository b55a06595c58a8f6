"""The stored events of one match. Events are checked, stored, applied and published, in that order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from escadaria import wire
from escadaria.bus import Sent
from escadaria.events import Configured, PositionSet, Started, read_event
from escadaria.game import GameError
from escadaria.match.match import Match
from escadaria.match.services import MatchStore
from escadaria.match.state import Hidden, MatchEvent, SavedMatch
from escadaria.play import RESIGN, Event, Step
from escadaria.refusals import Refused
from escadaria.settings import Settings
from escadaria.store import Lease, StoredEvent

log = logging.getLogger(__name__)

COMMANDS_REMEMBERED = 200
"""The number of commands per match that are recognised when repeated."""

_SLICE_SECONDS = 0.01
_SNAPSHOT_EVENTS = 500
_HIDDEN = Hidden()


class Applied(NamedTuple):
    """A stored event that was applied."""

    event: MatchEvent
    steps: tuple[Step, ...]
    time: float
    frame: bytes = b""
    """Its frame, if another server has made it."""


class EventLog:
    """The events of one match, and the keys of the latest commands."""

    def __init__(self, match: Match, store: MatchStore, settings: Settings) -> None:
        self.match = match
        self.date = ""
        """The day on which the match was opened."""
        self._store = store
        self._settings = settings
        self._versions: dict[str, int] = {}  # the version made by each command, by key
        self._saved_version = match.version

    # Applying stored events.

    async def load(self, id: str) -> AsyncIterator[Applied]:
        """Apply the stored events after the match's version, in slices that do not block the event loop.

        :return: the latest ones, for clients that come back. Without any event there is no such match.
        :raises StoreUnavailable: if the store cannot be read.
        :raises GameError: if it cannot be rebuilt.
        """
        for first in (await self._store.events(id, limit=1))[:1]:
            self._set_date(first)
        known = self.match.version
        after = max(0, known - COMMANDS_REMEMBERED)
        started, more = time.perf_counter(), bool(self.date)
        while more:
            events = await self._store.events(id, after=after, limit=_SNAPSHOT_EVENTS)
            more = len(events) == _SNAPSHOT_EVENTS
            after += len(events)
            latest = after if more else after - self._settings.history
            for stored in events:
                if stored.version > known:
                    applied = self._apply(stored)
                    if stored.version > latest:
                        yield applied
                self.remember(stored.request, stored.version)
                if time.perf_counter() - started > _SLICE_SECONDS:
                    await asyncio.sleep(0)
                    started = time.perf_counter()

    def apply(self, events: Iterable[Sent]) -> Iterator[Applied]:
        """Apply stored events, each with the frame of the server that made it, one after the other."""
        for stored, frame in events:
            if stored.version == 1:
                self._set_date(stored)
            applied = self._apply(stored, frame)
            self.remember(stored.request, stored.version)
            yield applied

    def _apply(self, stored: StoredEvent, frame: bytes = b"") -> Applied:
        hidden = msgspec.json.decode(stored.hidden, type=Hidden) if stored.hidden else _HIDDEN
        event = MatchEvent(read_event(stored.body), hidden)
        return Applied(event, self.match.apply(event, stored.time), stored.time, frame)

    def _set_date(self, first: StoredEvent) -> None:
        self.date = time.strftime("%Y-%m-%d", time.gmtime(first.time))

    async def read_new(self) -> list[Sent]:
        """The events that other servers have stored. :raises StoreUnavailable: if they cannot be read."""
        return [(stored, b"") for stored in await self._store.events(self.match.id, after=self.match.version)]

    def following(self, events: Sequence[Sent]) -> list[Sent]:
        """Those of the events that follow the match's version; none if one between is missing."""
        expected = self.match.version + 1
        new = [sent for sent in events if sent[0].version >= expected]
        versions = [stored.version for stored, _ in new]
        return new if versions == list(range(expected, expected + len(new))) else []

    # Storing new events.

    def version_of(self, key: str) -> int | None:
        """The version made by the command with this key; None if it was not accepted."""
        return self._versions.get(key)

    async def append(
        self, events: list[MatchEvent], now: float, key: str, lease: Lease | None
    ) -> list[StoredEvent]:
        """Store events that follow the match's version, without applying them.

        :raises Refused: ``too_long``.
        :raises Conflict, Fenced, StoreUnavailable: as the store.
        """
        self._check_length(events)
        stored = stored_events(events, self.match.version, now, key)
        await self._store.append(self.match.id, stored, due=self._due_after(events, now), lease=lease)
        return stored

    def _check_length(self, events: list[MatchEvent]) -> None:
        """:raises Refused: ``too_long``. Resigning is always possible."""
        if self.match.version + len(events) <= self._settings.events_per_match:
            return
        if not all(isinstance(e.event, Event) and e.event.action == RESIGN for e in events):
            raise Refused("too_long", "the match has too many events")

    def _due_after(self, events: list[MatchEvent], now: float) -> float | None:
        """When the match is due if the server stops now; None if the events do not advance the deadline."""
        event = events[-1].event
        if not isinstance(event, Started | Configured | PositionSet):
            return None
        settings = event.settings if isinstance(event, Configured) else self.match.settings
        return now + settings.clock if settings.clock else None

    def remember(self, key: str, version: int) -> None:
        """Remember the command that made a version."""
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


async def restored_match(id: str, store: MatchStore) -> Match:
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
