"""The match store: events, snapshots, and values that expire.

A store knows no rules: an event is text with a version number. It is durable when ``append`` returns. If
two servers append to one match, the version number decides which of them was first. ``sql`` implements the
store, ``threads`` pass its calls to a ``database``, ``commits`` writes many of them in one commit, ``sqlite``
and ``postgres`` connect to the two databases, and ``migrations`` has the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec


class StoredEvent(msgspec.Struct, frozen=True, array_like=True):
    """One event of a match, as stored."""

    version: int
    """From 1, without gaps."""

    time: float
    """Seconds since 1970."""

    request: str
    """The id of the request that caused it (opaque, may be empty), to recognise a repeated request."""

    body: str
    """JSON that everyone at the table may see."""

    hidden: str = ""
    """JSON that never leaves the server: hashed tokens, the secret of the dice."""

    def __repr__(self) -> str:
        """Without ``hidden``."""
        return f"StoredEvent({self.version!r}, {self.time!r}, {self.request!r}, {self.body!r})"


class Conflict(Exception):
    """The events do not follow the last one stored: another writer was first. Nothing was stored.

    Read the match again: it may contain this same request, stored by an ``append`` whose answer was lost.
    """


class Fenced(Conflict):
    """The lease that an append carries is no longer held. Nothing was stored."""


Lease = tuple[str, int]
"""The server that holds a lease, and its epoch: a number that the server uses once."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The stored state of a match that several servers may have in memory."""

    version: int
    """The version of its last event."""

    holder: str = ""
    """The living server that holds its lease; empty if there is none."""

    members: Mapping[str, str] = field(default_factory=dict)
    """Who is connected to it, as stored by each living server."""


@dataclass(frozen=True, slots=True)
class Servers:
    """The servers of a database."""

    known: bool
    """Whether the asking server was known and had not expired."""

    living: frozenset[str]
    expired: Mapping[str, float]
    """When each of the others expired."""


class StoreUnavailable(Exception):
    """The database is locked or does not answer, or the disk is full. The store recovers by itself.

    Nothing was stored, with one exception: if the connection or the disk fails during the commit, or the
    commit times out, the result is unknown. So read the match before you retry, or retry with the same
    versions and read the match after a :class:`Conflict`.
    """


@dataclass(slots=True)
class Meters:
    """Counters of a store since it was opened, for monitoring."""

    commits: int = 0
    """Committed transactions."""

    appends: int = 0
    """Appends in them."""

    events: int = 0
    """Events in them."""

    seconds: float = 0.0
    """Total duration of the commits, each from its first statement to its last."""

    errors: int = 0
    """Calls that ended with :class:`StoreUnavailable`."""

    conflicts: int = 0
    """Appends that ended with :class:`Conflict`."""

    lost: float | None = None
    """When the store stopped answering, by the monotonic clock; None while it answers."""

    committed: Callable[[int, float], None] | None = None
    """Called in the event loop after each commit, with its number of events and its seconds."""


class Store(Protocol):
    """Stores the events of matches. One store serves all coroutines of one event loop.

    Every call returns or raises within ten seconds, even if the database hangs.
    """

    @property
    def key(self) -> bytes:
        """32 random bytes, created with the database and never sent to anyone."""

    @property
    def meters(self) -> Meters:
        """The counters of this store."""

    @property
    def waiting(self) -> int:
        """The number of calls that wait for the database now."""

    async def append(
        self,
        match: str,
        events: Sequence[StoredEvent],
        *,
        due: float | None = None,
        lease: Lease | None = None,
    ) -> None:
        """Append events to a match, all or none; they are durable on disk when it returns.

        Versions are consecutive and continue from the last one stored; version 1 starts a new match.
        Concurrent appends share one commit. For one match, await each append before the next. A caller
        that is cancelled does not learn whether its events were stored.

        :param due: when the match must be loaded even without a connection, in seconds since 1970: see
            :meth:`due_matches`. None leaves it unchanged.
        :param lease: the lease of the match with which the events were made; see :meth:`take_lease`.
        :raises Conflict: if they do not follow the last event stored.
        :raises Fenced: if the lease is no longer held.
        :raises StoreUnavailable: if they could not be stored now.
        :raises ValueError: if they can never be stored: none at all, gaps, no time, text with NUL.
        """

    async def events(self, match: str, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """The events with a version above ``after``, in order; none if the match is unknown.

        At most ``limit`` events are returned.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def survey(self, matches: Sequence[str], now: float) -> dict[str, Survey]:
        """Version, holder and presence of each of these matches; those that are not stored are left out.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def save_snapshot(self, match: str, version: int, body: str) -> None:
        """Store a snapshot of the match at ``version``; it replaces an older one.

        Nothing is kept of a match that is not stored.

        :raises StoreUnavailable: if it could not be stored now.
        :raises ValueError: if it can never be stored: text with NUL.
        """

    async def snapshot(self, match: str) -> tuple[int, str] | None:
        """The newest snapshot of a match with its version; None if there is none.

        :raises StoreUnavailable: if it cannot be read now.
        """

    async def set_due(self, dues: Mapping[str, float | None]) -> None:
        """Set when each of these matches must be loaded even without a connection; None for never.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def due_matches(self, before: float, limit: int) -> list[str]:
        """The open matches that are due at ``before`` or earlier, the earliest first.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def claim_due(self, match: str, server: str, now: float, until: float) -> bool:
        """Claim a match that is due, so that one server loads it; it is due again at ``until``.

        :return: False if another server has claimed it, or a living one holds its lease.
        :raises StoreUnavailable: if that could not be stored now.
        """

    async def abandoned(self, before: float, limit: int) -> list[str]:
        """The open matches whose last event is older than ``before``, sorted by creation time.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def archive(self, match: str) -> None:
        """Mark a match as no longer open; its events stay. Does nothing if it is archived or unknown.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def put(self, kind: str, key: str, value: str, expires: float) -> None:
        """Store a value until ``expires`` (seconds since 1970); it replaces a value with the same key.

        Keys of different kinds are independent.

        :raises StoreUnavailable: if it could not be stored now.
        :raises ValueError: if it can never be stored: text with NUL, no time.
        """

    async def put_many(self, kind: str, values: Mapping[str, str], expires: float) -> None:
        """Store several values, all or none: see :meth:`put`."""

    async def change(
        self, kind: str, keys: Sequence[str], change: Callable[[str, str], str], expires: float
    ) -> dict[str, str]:
        """Replace the values of keys by ``change(key, value)``, atomically, and return the new values.

        The value of a new key is empty. ``change`` runs in another thread and must not fail.

        :raises StoreUnavailable: if they could not be changed now.
        """

    async def get(self, kind: str, key: str, now: float) -> str | None:
        """The value of a key; None if there is none or it has expired.

        :raises StoreUnavailable: if it cannot be read now.
        """

    async def take(self, kind: str, key: str, now: float) -> str | None:
        """Delete the value of a key and return it; of several callers at most one gets it.

        :raises StoreUnavailable: if it could not be taken now.
        """

    async def values(self, kind: str, now: float) -> dict[str, str]:
        """All values of a kind that have not expired, by key.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def heartbeat(self, server: str, now: float, expires: float) -> Servers:
        """Note that a server lives until ``expires``, and return all servers.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def bury(self, server: str, now: float) -> None:
        """Delete a server that expired before ``now``, with its leases and presence.

        Matches whose lease it held are due now if they have a deadline.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def take_lease(self, match: str, lease: Lease, now: float) -> bool:
        """Take the lease of a match unless another living server holds it; return whether it was taken.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def release_leases(self, server: str, matches: Sequence[str]) -> None:
        """Give up the leases of these matches that the server holds.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def set_presence(self, server: str, members: Mapping[str, str]) -> None:
        """Store who is connected to each of these matches at a server; an empty text for nobody.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def purge(self, now: float) -> int:
        """Delete expired values in batches, so that other writes can run between them; return their number.

        :raises StoreUnavailable: if not all could be deleted now.
        """

    async def ping(self) -> None:
        """Return if the store can be read and written now; it answers within one second.

        :raises StoreUnavailable: otherwise.
        """

    async def close(self, seconds: float = 10) -> None:
        """Finish pending calls, then close the database. New calls are refused.

        Calls that are still pending after ``seconds`` are refused too.
        """


async def open_store(url: str) -> Store:
    """Open the store at ``url``; create it or migrate its tables if necessary.

    ``url`` is a path or ``sqlite:///path`` for SQLite, ``postgresql://…`` for PostgreSQL.

    :raises StoreUnavailable: if there is no such database, or it does not answer.
    :raises ValueError: if the URL is of neither kind.
    """
    from escadaria.store.sql import SqlStore  # imported here: the protocol itself needs no database

    return await SqlStore.open(url)
