"""A store in memory that several simulated workers share, with the faults of a database far away."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from escadaria.store import (
    Conflict,
    Fenced,
    Lease,
    Meters,
    StoredEvent,
    StoreUnavailable,
    Survey,
    Workers,
)

T = TypeVar("T")


class Disk:
    """What is stored. Each method is one transaction."""

    def __init__(self) -> None:
        self.key = b"k" * 32
        self.stored: dict[str, list[StoredEvent]] = defaultdict(list)
        self.leased: dict[tuple[str, int], Lease | None] = {}
        """The lease that each event was stored with."""
        self.times: dict[tuple[str, int], float] = {}
        """When each event was stored."""
        self.archived: set[str] = set()
        self.dues: dict[str, float] = {}
        self.saved: dict[str, tuple[int, str]] = {}
        self.items: dict[tuple[str, str], tuple[str, float]] = {}
        self.workers: dict[str, float] = {}
        self.leases: dict[str, Lease] = {}
        self.presence: dict[tuple[str, str], str] = {}

    def append(
        self,
        match: str,
        events: Sequence[StoredEvent],
        due: float | None = None,
        lease: Lease | None = None,
    ) -> None:
        if lease is not None and self.leases.get(match) != lease:
            raise Fenced("another worker holds the lease of the match")
        if len(self.stored.get(match, ())) != events[0].version - 1:
            raise Conflict("the events do not follow the last one stored")
        for event in events:
            self.stored[match].append(event)
            self.leased[match, event.version] = lease
            self.times[match, event.version] = asyncio.get_running_loop().time()
        if due is not None:
            self.dues[match] = due

    def events(self, match: str, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        return self.stored.get(match, [])[after:][:limit]

    def save_snapshot(self, match: str, version: int, body: str) -> None:
        if match in self.stored and self.saved.get(match, (0, ""))[0] < version:
            self.saved[match] = version, body

    def snapshot(self, match: str) -> tuple[int, str] | None:
        return self.saved.get(match)

    def set_due(self, dues: Mapping[str, float | None]) -> None:
        for match, due in dues.items():
            if match in self.stored and due is not None:
                self.dues[match] = due
            else:
                self.dues.pop(match, None)

    def due_matches(self, before: float, limit: int) -> list[str]:
        due = [(at, match) for match, at in self.dues.items() if at <= before and match not in self.archived]
        return [match for _, match in sorted(due)][:limit]

    def claim_due(self, match: str, worker: str, now: float, until: float) -> bool:
        holder = self.holder(match, now)
        if self.dues.get(match, now + 1) > now or holder not in ("", worker):
            return False
        self.dues[match] = until
        return True

    def holder(self, match: str, now: float) -> str:
        worker = self.leases[match][0] if match in self.leases else ""
        return worker if self.workers.get(worker, now) > now else ""

    def survey(self, matches: Sequence[str], now: float) -> dict[str, Survey]:
        return {
            match: Survey(
                len(self.stored[match]),
                self.holder(match, now),
                {
                    worker: text
                    for (where, worker), text in self.presence.items()
                    if where == match and self.workers.get(worker, now) > now
                },
            )
            for match in matches
            if match in self.stored
        }

    def archive(self, match: str) -> None:
        self.archived.add(match)

    def put(self, kind: str, key: str, value: str, expires: float) -> None:
        self.items[kind, key] = value, expires

    def put_many(self, kind: str, values: Mapping[str, str], expires: float) -> None:
        for key, value in values.items():
            self.put(kind, key, value, expires)

    def change(
        self, kind: str, keys: Sequence[str], change: Callable[[str, str], str], expires: float
    ) -> dict[str, str]:
        changed = {key: change(key, self.items.get((kind, key), ("", 0.0))[0]) for key in keys}
        self.put_many(kind, changed, expires)
        return changed

    def get(self, kind: str, key: str, now: float) -> str | None:
        value, expires = self.items.get((kind, key), ("", now))
        return value if expires > now else None

    def take(self, kind: str, key: str, now: float) -> str | None:
        value = self.get(kind, key, now)
        if value is not None:
            del self.items[kind, key]
        return value

    def values(self, kind: str, now: float) -> dict[str, str]:
        return {key: v for (k, key), (v, expires) in self.items.items() if k == kind and expires > now}

    def heartbeat(self, worker: str, now: float, expires: float) -> Workers:
        known = self.workers.get(worker, now) > now
        self.workers[worker] = expires
        living = frozenset(name for name, until in self.workers.items() if until > now)
        return Workers(known, living, {name: u for name, u in self.workers.items() if u <= now})

    def bury(self, worker: str, now: float) -> None:
        if self.workers.get(worker, now + 1) > now:
            return
        del self.workers[worker]
        for match in [match for match, lease in self.leases.items() if lease[0] == worker]:
            del self.leases[match]
            if self.dues.get(match, now) > now and match not in self.archived:
                self.dues[match] = now
        self.presence = {place: text for place, text in self.presence.items() if place[1] != worker}

    def take_lease(self, match: str, lease: Lease, now: float) -> bool:
        if self.holder(match, now) not in ("", lease[0]):
            return False
        self.leases[match] = lease
        return True

    def release_leases(self, worker: str, matches: Sequence[str]) -> None:
        for match in matches:
            if match in self.leases and self.leases[match][0] == worker:
                del self.leases[match]

    def set_presence(self, worker: str, members: Mapping[str, str]) -> None:
        for match, text in members.items():
            self.presence.pop((match, worker), None)
            if text:
                self.presence[match, worker] = text

    def ping(self) -> None:
        """One more transaction."""


class SimulatedStore:
    """A :class:`~escadaria.store.Store` of one worker over the disk of all."""

    def __init__(self, disk: Disk, rng: random.Random) -> None:
        self.disk = disk
        self.key = disk.key
        self.meters = Meters()
        self.waiting = 0
        self.rng = rng
        self.failures = 0.0
        """The share of calls that fail, half of them after the transaction was committed."""
        self.stalled = 0.0
        """Until when calls wait, by the loop's clock."""
        self.dead = False

    async def _call(self, transaction: Callable[..., T], *arguments: Any, **named: Any) -> T:
        await self._travel()
        if self.rng.random() < self.failures / 2:
            raise StoreUnavailable("not stored")
        result = transaction(*arguments, **named)
        await self._travel()
        if self.rng.random() < self.failures / 2:
            raise StoreUnavailable("stored, but the answer was lost")
        return result

    async def _travel(self) -> None:
        slow = self.rng.random() < 0.02
        await asyncio.sleep(self.rng.uniform(0.0002, 0.3 if slow else 0.003))
        loop = asyncio.get_running_loop()
        refused = loop.time() + 8.0
        while loop.time() < self.stalled:
            if loop.time() > refused:
                raise StoreUnavailable("the database does not answer")
            await asyncio.sleep(0.05)
        if self.dead:
            await asyncio.get_running_loop().create_future()  # its process is gone

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """The call of the database that is named so."""
        return partial(self._call, getattr(self.disk, name))

    async def survey(self, matches: Sequence[str], now: float) -> dict[str, Survey]:
        return await self._call(self.disk.survey, matches, now) if matches else {}

    async def change(self, kind: str, keys: Sequence[str], *how: Any) -> dict[str, str]:
        return await self._call(self.disk.change, kind, keys, *how) if keys else {}

    async def abandoned(self, before: float, limit: int) -> list[str]:
        return []

    async def purge(self, now: float) -> int:
        return 0

    async def close(self, seconds: float = 10) -> None:
        """Nothing to release."""
