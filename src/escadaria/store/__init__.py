"""Where matches are kept: their events, and the little that a server must not forget.

A store knows no rules: an event is text with a number. It is durable when ``append`` returns, and
the number decides who was first when two workers store for one match. ``sql`` keeps matches in a
database; ``commits`` lets many calls share one commit, ``sqlite`` and ``postgres`` say how either
database is reached, ``schema`` what is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One thing that happened to a match, as it lies on disk."""

    version: int
    """From 1, without gaps."""

    time: float
    """Seconds since 1970."""

    request: str
    """Which request made it (opaque, may be empty): so a request repeated after a crash is known again."""

    body: str
    """JSON that everyone at the table may see."""

    hidden: str = field(default="", repr=False)
    """JSON that never leaves the server: hashed tokens, the secret of the dice."""


class Conflict(Exception):
    """The events do not follow the last one stored: somebody else was first. Nothing was stored.

    Read the match again; perhaps it was this very request, stored by an ``append`` whose answer was lost.
    """


class StoreUnavailable(Exception):
    """The disk is full, the database locked, gone or silent: try again later; the store recovers by itself.

    Nothing was stored, with one exception no database can avoid: if the connection (or the disk) fails
    in the middle of the commit itself, or the commit takes too long, nobody knows. So read the match
    again before trying again, or try again with the same versions and take a :class:`Conflict` as the
    reason to look.
    """


@dataclass(slots=True)
class Meters:
    """What a store has done since it was opened, for an operator."""

    commits: int = 0
    """Transactions that were committed."""

    appends: int = 0
    """Appends in them."""

    events: int = 0
    """Events in them."""

    seconds: float = 0.0
    """How long the commits took together, from the first statement to the last."""

    errors: int = 0
    """Calls that ended with :class:`StoreUnavailable`."""

    conflicts: int = 0
    """Appends that ended with :class:`Conflict`."""

    lost: float | None = None
    """Since when the store does not answer, by the monotonic clock; None while it does."""

    committed: Callable[[int, float], None] | None = None
    """Called in the event loop after each commit, with its number of events and its seconds."""


class Store(Protocol):
    """Keeps the events of matches. One store serves all the coroutines of one event loop.

    Every call returns or raises within ten seconds, whatever the database does.
    """

    @property
    def key(self) -> bytes:
        """32 random bytes that were made with the database, and that nobody is ever shown."""

    @property
    def meters(self) -> Meters:
        """What the store has done so far."""

    @property
    def waiting(self) -> int:
        """How many calls wait for the database now."""

    async def append(self, match: str, events: Sequence[StoredEvent], *, due: float | None = None) -> None:
        """Add events to the end of a match, all or none; they are durable on disk when it returns.

        Their versions follow one another and the last one stored; version 1 begins a new match. Many
        appends at once share one commit. For one match, wait for each before the next. A caller that
        is cancelled does not learn whether its events were stored.

        :param due: when the match must be loaded even if nobody comes, in seconds since 1970: see
            :meth:`due_matches`. None changes nothing.
        :raises Conflict: if they do not follow the last event stored.
        :raises StoreUnavailable: if they could not be stored now.
        :raises ValueError: if they can never be stored: none at all, gaps, no time, text with NUL.
        """

    async def events(self, match: str, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """The events with a version above ``after``, in order; none if the match is unknown.

        With ``limit`` at most so many, the first ones.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def save_snapshot(self, match: str, version: int, body: str) -> None:
        """Keep a text made of the match's events up to ``version``, instead of any older one.

        :raises StoreUnavailable: if it could not be stored now.
        :raises ValueError: if it can never be stored: text with NUL.
        """

    async def snapshot(self, match: str) -> tuple[int, str] | None:
        """The newest snapshot of a match with its version; None if there is none.

        :raises StoreUnavailable: if it cannot be read now.
        """

    async def set_due(self, dues: Mapping[str, float | None]) -> None:
        """Set when each of these matches must be loaded even if nobody comes; None for never.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def due_matches(self, before: float, limit: int) -> list[str]:
        """The open matches that are due at ``before`` or earlier, the earliest first.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def abandoned(self, before: float, limit: int) -> list[str]:
        """The open matches whose last event is older than ``before``; the first one opened comes first.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def archive(self, match: str) -> None:
        """Take a match off the open ones, for good; its events stay. Harmless if done or unknown.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def put(self, kind: str, key: str, value: str, expires: float) -> None:
        """Keep a value until ``expires`` (seconds since 1970), instead of any under the same key.

        Keys of different kinds are independent.

        :raises StoreUnavailable: if it could not be stored now.
        :raises ValueError: if it can never be stored: text with NUL, no time.
        """

    async def put_many(self, kind: str, values: Mapping[str, str], expires: float) -> None:
        """Keep several values, all or none: see :meth:`put`."""

    async def get(self, kind: str, key: str, now: float) -> str | None:
        """The value kept under a key; None if there is none that has not expired.

        :raises StoreUnavailable: if it cannot be read now.
        """

    async def take(self, kind: str, key: str, now: float) -> str | None:
        """The value kept under a key, which is deleted; of several callers at most one gets it.

        :raises StoreUnavailable: if it could not be taken now.
        """

    async def values(self, kind: str, now: float) -> dict[str, str]:
        """All values of a kind that have not expired, by key.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def purge(self, now: float) -> int:
        """Delete what has expired, in portions between which others can write; how many there were.

        :raises StoreUnavailable: if not all could be deleted now.
        """

    async def ping(self) -> None:
        """Return if the store can be read and written now; it answers within one second.

        :raises StoreUnavailable: otherwise.
        """

    async def close(self, seconds: float = 10) -> None:
        """Finish the appends under way, then let go of the database. Later ones are refused.

        Appends that are not finished after ``seconds`` are refused too.
        """


async def open_store(url: str) -> Store:
    """Open the store at ``url``, creating it or bringing its tables up to date.

    ``url`` is a path or ``sqlite:///path`` for SQLite, ``postgresql://…`` for PostgreSQL.

    :raises StoreUnavailable: if there is no such database, or it does not answer.
    :raises ValueError: if the URL is of neither kind.
    """
    from escadaria.store.sql import SqlStore  # the protocol needs no database

    return await SqlStore.open(url)
