"""Leases: which server runs the bots and clocks of a match, and what servers share besides.

Bots, deadlines and stand-ins of a match must act once, so only the server with the lease of the match runs
them. A lease is valid as long as its server, which renews one row for all of its leases. If a server stalls,
another one may take its leases while it still believes to hold them: therefore appends carry the lease, and
the store refuses those of a former holder.
"""

from __future__ import annotations

import asyncio
import itertools
import logging

from escadaria.bus import Bus, Changed, Message
from escadaria.match.clock import Clock
from escadaria.store import Lease, Store, StoreUnavailable, Survey

log = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
"""The seconds between two heartbeats."""

SERVER_SECONDS = 4.0
"""How long a server counts as living after a heartbeat."""


class Leases:
    """What this server shares with others. Without others it holds all leases and stores nothing."""

    def __init__(self, store: Store, bus: Bus, clock: Clock) -> None:
        self.shared = bus.shared
        """Whether there may be other servers."""
        self.server = bus.server
        """The name of this server."""
        self.living = frozenset({bus.server})
        """The living servers, as of the last heartbeat."""
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
        """The other living servers."""
        return self.living - {self.server}

    def holds(self, match: str) -> bool:
        """Whether this server holds the lease of a match."""
        return not self.shared or (match in self._held and self._clock.time() < self._expires)

    def lease(self, match: str) -> Lease | None:
        """The lease for an append; None without other servers."""
        return (self.server, self._held.get(match, 0)) if self.shared else None

    async def take(self, match: str) -> bool:
        """Take the lease of a match, and return whether it was free.

        :raises StoreUnavailable: if the store cannot be written.
        """
        self._released.discard(match)
        lease = self.server, next(self._epochs)
        try:
            taken = await self._store.take_lease(match, lease, self._clock.time())
        except StoreUnavailable:
            # Perhaps it was taken: if this server does not ask again, others must be able to.
            self._released.add(match)
            self._wake.set()
            raise
        if taken:
            self._held[match] = lease[1]
        return taken

    def release(self, match: str) -> None:
        """Give up the lease of a match, so that another server can take it."""
        if self._held.pop(match, None) is not None:
            self._released.add(match)
            self._wake.set()

    def forget(self, match: str) -> None:
        """Note that another server has taken the lease."""
        self._held.pop(match, None)

    def share(self, match: str, members: str, *, follow: bool) -> None:
        """Share who is connected to a match here (an empty text for nobody), and follow its events or not."""
        if follow:
            self._bus.subscribe(match)
        else:
            self._bus.unsubscribe(match)
        if not self.shared or self._present.get(match, "") == members:
            return
        if members:
            self._present[match] = members
        else:
            del self._present[match]
        self._changed.add(match)
        self._wake.set()

    def publish(self, message: Message) -> None:
        """Send a message about a match to the other servers."""
        self._bus.publish(message)

    async def survey(self, match: str) -> Survey | None:
        """What the store knows of a match. :raises StoreUnavailable: if it cannot be read."""
        return (await self._store.survey([match], self._clock.time())).get(match)

    async def beat(self) -> bool:
        """Renew this server, and return whether leases may be free now: a server is gone, perhaps this one.

        :raises StoreUnavailable: if the store cannot be written.
        """
        now = self._clock.time()
        servers = await self._store.heartbeat(self.server, now, now + SERVER_SECONDS)
        if not servers.known:  # new, or so late that others may have taken its leases
            self._held.clear()
            self._changed.update(self._present)
            self._wake.set()
        self._expires = now + SERVER_SECONDS
        gone, self.living = self.living - servers.living, servers.living
        for server, expired in servers.expired.items():
            if expired < now - SERVER_SECONDS:
                log.warning("a server has died", extra={"server": server})
                await self._store.bury(server, now - SERVER_SECONDS)
        return bool(gone) or not servers.known

    async def flush(self) -> None:
        """Wait for a change, store all changes together, and then tell the other servers.

        :raises StoreUnavailable: if the store cannot be written. The changes are kept.
        """
        await self._wake.wait()
        self._wake.clear()
        released, self._released = self._released, set()
        changed, self._changed = self._changed, set()
        try:
            await self._store.release_leases(self.server, sorted(released - self._held.keys()))
            if changed:
                await self._store.set_presence(
                    self.server, {match: self._present.get(match, "") for match in sorted(changed)}
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
        """Give up everything, when the server stops."""
        if self.shared:
            self._held.clear()
            await self._store.bury(self.server, self._clock.time() + 2 * SERVER_SECONDS)
