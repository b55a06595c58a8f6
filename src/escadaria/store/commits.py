"""Group commit: many calls in one transaction, and the result of each.

A commit waits for the disk once, however many rows it has.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from escadaria.store import Conflict, Fenced, Lease, StoredEvent, StoreUnavailable
from escadaria.store.database import Session

T = TypeVar("T")

_ADD_MATCH = "INSERT INTO match (id, created, archived) VALUES (?, ?, FALSE)"
_HELD = "SELECT count(*) FROM lease WHERE (match, server, epoch) IN (VALUES {})"
SET_DUE = "UPDATE match SET due = ? WHERE id = ?"


@dataclass(eq=False, slots=True)
class Call(Generic[T]):
    """One request to the store, and the future that its caller awaits."""

    done: asyncio.Future[T]

    order: str = ""
    """The sort key within a transaction; for an append the match."""

    work: Callable[[Session], T] | None = None
    """The function to call; None for an append."""

    events: Sequence[StoredEvent] = ()
    due: float | None = None
    lease: Lease | None = None
    since: float = field(default_factory=time.monotonic)

    def answer(self, outcome: T | Exception) -> None:
        if self.done.done():  # its caller was cancelled or refused
            return
        if isinstance(outcome, Exception):
            self.done.set_exception(outcome)
        else:
            self.done.set_result(outcome)

    def refuse(self, reason: str = "the database does not answer") -> None:
        self.answer(StoreUnavailable(reason))


def commit(calls: Sequence[Call[Any]], session: Session) -> list[Any]:
    """Write the calls in one transaction and return the result of each, which may be a :class:`Conflict`."""
    try:
        others = [
            call
            for call in calls
            if call.work or call.due is not None or call.lease is not None or call.events[0].version == 1
        ]
        if not others:  # the common case: further events and nothing else
            session.add_events([(call.order, event) for call in calls for event in call.events])
            return [None] * len(calls)
        session.begin()
        outcomes = _write(calls, session)
        session.commit()
    except (session.conflict, Fenced):
        session.rollback()
        return _commit_each(calls, session)
    return outcomes


def _commit_each(calls: Sequence[Call[Any]], session: Session) -> list[Any]:
    """Write each call in its own savepoint, so that only conflicting calls are refused."""
    outcomes: list[Any] = []
    session.begin()
    for call in calls:
        session.run("SAVEPOINT call")
        try:
            outcomes += _write([call], session)
        except (session.conflict, Fenced) as error:
            session.run("ROLLBACK TO SAVEPOINT call")
            outcomes.append(error if isinstance(error, Fenced) else _conflict(error))
        session.run("RELEASE SAVEPOINT call")
    session.commit()
    return outcomes


def _conflict(error: Exception) -> Conflict:
    conflict = Conflict("the events do not follow the last one stored")
    conflict.__cause__ = error
    return conflict


def _write(calls: Sequence[Call[Any]], session: Session) -> list[Any]:
    """Write the calls in the current transaction."""
    _check_leases([call for call in calls if call.lease is not None], session)
    first = [
        (call.order, call.events[0].time) for call in calls if call.events and call.events[0].version == 1
    ]
    events = [(call.order, event) for call in calls for event in call.events]
    dues = [(call.due, call.order) for call in calls if call.due is not None]
    if first:
        session.run_many(_ADD_MATCH, first)
    if events:
        session.add_events(events)
    if dues:
        session.run_many(SET_DUE, dues)
    return [None if call.work is None else call.work(session) for call in calls]


def _check_leases(calls: Sequence[Call[Any]], session: Session) -> None:
    """:raises Fenced: if a call has a lease that its server no longer holds.

    The lease may still be taken before the commit: then this append counts as the earlier one, and the new
    holder meets its events or a conflict.
    """
    if not calls:
        return
    statement = _HELD.format(", ".join(["(?, ?, ?)"] * len(calls)))
    held = session.run(statement, [part for call in calls for part in (call.order, *call.lease)])  # type: ignore[misc]
    if held != [(len(calls),)]:
        raise Fenced("another server holds the lease of the match")
