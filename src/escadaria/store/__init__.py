"""Where matches are kept: what happened, event by event, and nothing else.

A store knows no rules: an event is text with a number. It is durable when ``append`` returns, and
the number decides who was first when two workers store for one match. ``sql`` keeps matches in
SQLite or PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """The disk is full, the database locked or gone: try again later; the store recovers by itself.

    Nothing was stored, with one exception no database can avoid: if the connection (or the disk) fails
    in the middle of the commit itself, nobody knows. So read the match again before trying again, or
    try again with the same versions and take a :class:`Conflict` as the reason to look.
    """


class Store(Protocol):
    """Keeps the events of matches. One store serves all the coroutines of one event loop."""

    async def append(self, match: str, events: Sequence[StoredEvent]) -> None:
        """Add events to the end of a match, all or none; they are durable on disk when it returns.

        Their versions follow one another and the last one stored; version 1 begins a new match. Many
        appends at once share one commit. For one match, wait for each before the next. A caller that
        is cancelled does not learn whether its events were stored.

        :raises Conflict: if they do not follow the last event stored.
        :raises StoreUnavailable: if they could not be stored now.
        :raises ValueError: if they can never be stored: none at all, gaps, no time, text with NUL.
        """

    async def events(self, match: str, after: int = 0) -> list[StoredEvent]:
        """The events with a version above ``after``, in order; none if the match is unknown.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def open_matches(self) -> list[str]:
        """The matches that are not archived, the one left alone for longest first.

        :raises StoreUnavailable: if they cannot be read now.
        """

    async def archive(self, match: str) -> None:
        """Take a match off the open ones, for good; its events stay. Harmless if done or unknown.

        :raises StoreUnavailable: if that could not be stored now.
        """

    async def ping(self) -> None:
        """Return if the store can be read.

        :raises StoreUnavailable: otherwise.
        """

    async def close(self) -> None:
        """Finish the appends under way, then let go of the database. Later ones are refused."""


async def open_store(url: str) -> Store:
    """Open the store at ``url``, creating it or bringing its tables up to date.

    ``url`` is a path or ``sqlite:///path`` for SQLite, ``postgresql://…`` for PostgreSQL.

    :raises StoreUnavailable: if there is no such database, or it does not answer.
    :raises ValueError: if the URL is of neither kind.
    """
    from escadaria.store.sql import SqlStore  # the protocol needs no SQLAlchemy

    return await SqlStore.open(url)
