"""What this worker shares with others: that it lives, the leases that it holds, and who is connected to it.

Bots, deadlines and stand-ins of a match must act once, so only the worker with the lease of the match runs
them. A lease is valid as long as its worker, which renews one row for all of its leases. If a worker stalls,
another one may take its leases while it still believes to hold them: therefore appends carry the lease, and
the store refuses those of a former holder.
"""

from __future__ import annotations

import asyncio
import itertools
import logging

from escadaria.bus import Bus, Changed
from escadaria.match.clock import Clock
from escadaria.store import Lease, Store, StoreUnavailable

log = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
"""The seconds between two heartbeats."""

WORKER_SECONDS = 4.0
"""How long a worker counts as living after a heartbeat."""


class Leases:
    """The shared state of this worker. Without other workers it holds all leases and stores nothing."""

    def __init__(self, store: Store, bus: Bus, clock: Clock) -> None:
        self.shared = bus.shared
        self.worker = bus.server
        self.living = frozenset({bus.server})
        """The living workers, as of the last heartbeat."""
        self._store = store
        self._bus = bus
        self._clock = clock
        self._expires = 0.0
        self._held: dict[str, int] = {}  # epochs
        self._epochs = itertools.count(1)
        self._released: set[str] = set()
        self._present: dict[str, str] = {}
        self._changed: set[str] = set()  # the matches whose presence is to be stored
        self._wake = asyncio.Event()

    @property
    def others(self) -> frozenset[str]:
        """The other living workers."""
        return self.living - {self.worker}

    # Leases.

    def holds(self, match: str) -> bool:
        """Whether this worker holds the lease of a match."""
        return not self.shared or (match in self._held and self._clock.time() < self._expires)

    def lease(self, match: str) -> Lease | None:
        """The lease for an append; None without other workers."""
        return (self.worker, self._held.get(match, 0)) if self.shared else None

    async def take(self, match: str) -> bool:
        """Take the lease of a match, and return whether it was free.

        :raises StoreUnavailable: if the store cannot be written.
        """
        if not self.shared:
            return True
        self._released.discard(match)
        lease = self.worker, next(self._epochs)
        try:
            taken = await self._store.take_lease(match, lease, self._clock.time())
        except (
            StoreUnavailable
        ):  # perhaps it was taken: if this worker does not ask again, others must be able to
            self._released.add(match)
            self._wake.set()
            raise
        if taken:
            self._held[match] = lease[1]
        return taken

    def release(self, match: str) -> None:
        """Give up the lease of a match, so that another worker can take it."""
        if self._held.pop(match, None) is not None:
            self._released.add(match)
            self._wake.set()

    def forget(self, match: str) -> None:
        """Note that another worker has taken the lease."""
        self._held.pop(match, None)

    # Presence.

    def set_present(self, match: str, members: str) -> None:
        """Share who is connected to a match at this worker; an empty text for nobody."""
        if not self.shared or self._present.get(match, "") == members:
            return
        if members:
            self._present[match] = members
        else:
            del self._present[match]
        self._changed.add(match)
        self._wake.set()

    # Storing.

    async def beat(self) -> bool:
        """Renew this worker, and return whether leases may be free now: a worker is gone, perhaps this one.

        :raises StoreUnavailable: if the store cannot be written.
        """
        now = self._clock.time()
        workers = await self._store.heartbeat(self.worker, now, now + WORKER_SECONDS)
        if not workers.known:  # new, or so late that others may have taken its leases
            self._held.clear()
            self._changed.update(self._present)
            self._wake.set()
        self._expires = now + WORKER_SECONDS
        gone, self.living = self.living - workers.living, workers.living
        for worker, expired in workers.expired.items():
            if expired < now - WORKER_SECONDS:
                log.warning("a worker has died", extra={"worker": worker})
                await self._store.bury(worker, now - WORKER_SECONDS)
        return bool(gone) or not workers.known

    async def flush(self) -> None:
        """Wait for a change, store all changes together, and then tell the other workers.

        :raises StoreUnavailable: if the store cannot be written. The changes are kept.
        """
        await self._wake.wait()
        self._wake.clear()
        released, self._released = self._released, set()
        changed, self._changed = self._changed, set()
        try:
            await self._store.release_leases(self.worker, sorted(released - self._held.keys()))
            if changed:
                await self._store.set_presence(
                    self.worker, {match: self._present.get(match, "") for match in sorted(changed)}
                )
        except StoreUnavailable:
            self._released |= released
            self._changed |= changed
            self._wake.set()
            await self._clock.sleep(BEAT_SECONDS)
            raise
        for match in sorted(released | changed):
            self._bus.publish(Changed(match))

    async def leave(self) -> None:
        """Give up everything, when the worker stops."""
        if self.shared:
            self._held.clear()
            await self._store.bury(self.worker, self._clock.time() + 2 * WORKER_SECONDS)
