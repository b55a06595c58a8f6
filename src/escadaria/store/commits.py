"""Group commit, and timeouts for a database that hangs.

A commit waits for the disk once, however many rows it has. So callers do not write themselves: they queue
jobs for a single writer thread. It takes all queued jobs, writes them in one transaction and answers them
together. Jobs that arrive meanwhile go into the next transaction. Reads have their own threads.

The event loop refuses calls that are too old and interrupts the connections that they wait for.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from escadaria.store import Conflict, Fenced, Lease, Meters, StoredEvent, StoreUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

ANSWER_SECONDS = 8.0
"""Calls older than this are refused; checked once a second."""

SETTLED_SECONDS = 1.0
"""A commit counts as recovery if no call has failed for this long."""

LOCK_SECONDS = 5.0
"""How long to wait for another worker's lock."""

READERS = 4
"""The number of reader threads, each with its own connection."""

WINDOW_SECONDS = 0.0018
"""How long a commit waits for more jobs, if more are likely to arrive."""

ARRIVAL_SECONDS = 0.02
"""The period over which arriving jobs are counted."""

_ADD_MATCH = "INSERT INTO match (id, created, archived) VALUES (?, ?, FALSE)"
_HELD = "SELECT count(*) FROM lease WHERE (match, worker, epoch) IN (VALUES {})"
SET_DUE = "UPDATE match SET due = ? WHERE id = ?"


class Session(Protocol):
    """One connection, used by one thread at a time; it raises the errors of its driver.

    Statements use ``?`` for parameters.
    """

    dialect: str
    """``sqlite`` or ``postgresql``."""

    conflict: type[Exception]
    """The integrity error of the driver: a row exists already, or its predecessor does not."""

    def begin(self) -> None: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def run(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a statement, in the transaction if there is one, and return its rows."""

    def run_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement that returns no rows, once for each row of parameters."""

    def add_events(self, events: Sequence[tuple[str, StoredEvent]]) -> None:
        """Insert events, each with its match, in the current transaction or in a new one."""

    def begin_snapshot(self) -> None:
        """Begin a read transaction that does not see later writes of others."""

    def stream(self, statement: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a statement in a transaction, and yield its rows."""

    def use_maintenance_timeouts(self) -> None:
        """Wait longer for locks, as maintenance may."""

    def vacuum(self) -> None:
        """Rewrite the database so that deleted data is physically gone. Not in a transaction."""

    def has_table(self, name: str) -> bool:
        """Whether the database has a table of this name."""

    def begin_migration(self) -> None:
        """Begin a transaction to migrate the tables; it waits while another server does so."""

    def lock(self) -> None:
        """Keep others from writing until the transaction ends."""

    def reserve(self) -> None:
        """Wait, in the transaction, for any lock that would block the insertion of events."""

    @property
    def broken(self) -> bool:
        """Whether the connection can no longer be used."""

    def interrupt(self) -> None:
        """Abort what the connection is doing. Called from another thread."""

    def close(self) -> None: ...


class Database(Protocol):
    """Opens sessions."""

    errors: tuple[type[Exception], ...]
    """The exceptions that its sessions raise."""

    migrating: bool
    """Whether :meth:`prepare` is creating or migrating tables, which may take long."""

    def prepare(self) -> bytes:
        """Create or migrate the tables, and return the key of the database."""

    def connect(self) -> Session: ...

    def close(self) -> None:
        """Release what :meth:`prepare` has opened."""


class Job(Generic[T]):
    """A call: the work for a thread, and the future that its caller awaits."""

    __slots__ = ("done", "due", "events", "lease", "match", "since", "work")

    def __init__(self, done: asyncio.Future[T], work: Callable[[Session], T] | None) -> None:
        self.done = done
        self.work = work
        """The function to call; None for an append."""
        self.since = time.monotonic()
        self.match = ""
        """The sort key within a transaction."""
        self.events: Sequence[StoredEvent] = ()
        self.due: float | None = None
        self.lease: Lease | None = None

    def answer(self, outcome: T | Exception) -> None:
        if self.done.done():  # its caller was cancelled or refused
            return
        if isinstance(outcome, Exception):
            self.done.set_exception(outcome)
        else:
            self.done.set_result(outcome)


class Threads:
    """The writer thread, the reader threads, and the calls that wait for them."""

    def __init__(self, database: Database, most: int) -> None:
        self.meters = Meters()
        self.writer = _Worker(database)
        self._database = database
        self._most = most
        self._loop = asyncio.get_running_loop()
        self.prepared: asyncio.Future[bytes] = self._loop.create_future()
        """The key of the database, set when the database is prepared."""
        self._new: list[Job[Any]] = []
        self._jobs: SimpleQueue[list[Job[Any]] | None] = SimpleQueue()
        self._reads: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._waiting: dict[Job[Any], None] = {}  # an ordered set, the oldest first
        self._watching = False
        self._closed = False
        self._ended = asyncio.Event()
        self._last_failure = 0.0
        self._arrivals = _Arrivals()
        self._readers = [_Worker(database) for _ in range(READERS)]
        self._running = 1 + READERS
        self._start(self._write)
        for reader in self._readers:
            self._start(partial(self._read, reader))

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def append(
        self, match: str, events: Sequence[StoredEvent], due: float | None, lease: Lease | None
    ) -> None:
        """Store events in the next transaction."""
        job: Job[None] = Job(self._loop.create_future(), None)
        job.match, job.events, job.due, job.lease = match, events, due, lease
        self._add(job)
        await self._answered(job)

    async def write(self, order: str, work: Callable[[Session], T], seconds: float | None = None) -> T:
        """Run ``work`` in the next transaction; ``order`` is its sort key there.

        With ``seconds`` the call is refused if it takes longer.
        """
        job = Job(self._loop.create_future(), work)
        job.match = order
        self._add(job)
        if seconds is None:
            return await self._answered(job)
        late = StoreUnavailable("the database does not answer")
        timer = self._loop.call_later(seconds, job.answer, late)
        try:
            return await self._answered(job)
        finally:
            timer.cancel()

    async def read(self, work: Callable[[Session], T]) -> T:
        """Run ``work`` in one of the reader threads."""
        job = Job(self._loop.create_future(), work)
        self._check_open()
        self._reads.put(job)
        return await self._answered(job)

    async def close(self, seconds: float) -> None:
        """Finish pending calls for at most ``seconds``, then refuse the others and stop the threads."""
        if not self._closed:
            self._closed = True
            self._hand_over()
            self._jobs.put(None)
            for _ in self._readers:
                self._reads.put(None)
        try:
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        except TimeoutError:
            for job in list(self._waiting):
                job.answer(StoreUnavailable("the store is closed"))
            for worker in (self.writer, *self._readers):
                worker.interrupt()

    # In the event loop: hand jobs to the threads and enforce the timeouts.

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")

    def _add(self, job: Job[Any]) -> None:
        """Queue a job for the writer; jobs of one iteration of the event loop are handed over together."""
        self._check_open()
        if not self._new:
            self._loop.call_soon(self._hand_over)
        self._new.append(job)

    def _hand_over(self) -> None:
        jobs, self._new = self._new, []
        if jobs:
            self._jobs.put(jobs)

    async def _answered(self, job: Job[T]) -> T:
        """Wait for the result of a job."""
        self._waiting[job] = None
        if not self._watching:
            self._watch_later()
        try:
            return await job.done
        except StoreUnavailable as error:
            self._failed(error)
            raise
        except Conflict:
            self.meters.conflicts += 1
            raise
        finally:
            del self._waiting[job]

    def _failed(self, error: StoreUnavailable) -> None:
        """Count a failed call; log the first one."""
        self.meters.errors += 1
        self._last_failure = time.monotonic()
        if self.meters.lost is None and not self._closed:
            self.meters.lost = self._last_failure
            log.error("the store does not answer", extra={"why": str(error)})

    def _recovered(self) -> None:
        """Log the first commit after an outage."""
        now = time.monotonic()
        if self.meters.lost is not None and now - self._last_failure > SETTLED_SECONDS:
            log.warning("the store answers again", extra={"seconds": round(now - self.meters.lost, 1)})
            self.meters.lost = None

    def _watch_later(self) -> None:
        self._watching = True
        self._loop.call_later(1, self._watch)

    def _watch(self) -> None:
        """Refuse the calls that are too old, and interrupt the connections that hang."""
        self._watching = False
        too_old = time.monotonic() - ANSWER_SECONDS
        for job in list(self._waiting):
            if job.since > too_old:
                break
            job.answer(StoreUnavailable("the database does not answer"))
        for worker in (self.writer, *self._readers):
            if worker.is_stuck(too_old):
                worker.interrupt()
        if self._waiting:
            self._watch_later()

    def _answer(self, jobs: Sequence[Job[Any]], outcomes: Sequence[Any]) -> None:
        for job, outcome in zip(jobs, outcomes, strict=True):
            job.answer(outcome)

    def _count(self, jobs: Sequence[Job[Any]], outcomes: Sequence[Any], seconds: float) -> None:
        """Count a commit and answer its jobs."""
        appends = [job for job, outcome in zip(jobs, outcomes, strict=True) if job.events and outcome is None]
        events = sum([len(job.events) for job in appends])
        meters = self.meters
        meters.commits += 1
        meters.appends += len(appends)
        meters.events += events
        meters.seconds += seconds
        self._answer(jobs, outcomes)
        if meters.lost is not None:
            self._recovered()
        if meters.committed:
            meters.committed(events, seconds)

    def _end(self) -> None:
        """Note that a thread has ended."""
        self._running -= 1
        if not self._running:
            self._ended.set()

    # In the threads.

    def _start(self, target: Callable[[], None]) -> None:
        """Start a daemon thread."""

        def run() -> None:
            with contextlib.suppress(RuntimeError):  # the event loop is closed
                try:
                    target()
                finally:
                    self._call(self._end)

        threading.Thread(target=run, name="store", daemon=True).start()

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        self._loop.call_soon_threadsafe(function, *arguments)

    def _write(self) -> None:
        """The writer thread: prepare the database, then run queued jobs until the store is closed."""
        try:
            key = self._database.prepare()
        except Exception as error:  # noqa: BLE001 - any error of a driver is passed to the caller
            self._call(_fail, self.prepared, _unavailable(error))
            return
        self._call(_succeed, self.prepared, key)
        waiting: list[Job[Any]] = []
        while self._wait_for_jobs(waiting):
            jobs = [job for job in waiting[: self._most] if not job.done.done()]
            del waiting[: self._most]
            if not jobs:
                continue
            oldest = min(job.since for job in jobs)
            # All workers use the same order, or two of them could deadlock in PostgreSQL.
            jobs.sort(key=_order)
            start = time.perf_counter()
            try:
                outcomes = self.writer.run(partial(_store, jobs), oldest)
            except Exception as error:  # noqa: BLE001 - no error of a driver may end the writer
                self._call(self._answer, jobs, [_unavailable(error) for _ in jobs])
            else:
                self._call(self._count, jobs, outcomes, time.perf_counter() - start)
        self.writer.close()
        self._database.close()

    def _wait_for_jobs(self, jobs: list[Job[Any]]) -> bool:
        """Wait for at least one job and add all queued ones to ``jobs``; False when the store is closed."""
        if not jobs:
            more = self._jobs.get()
            if more is None:
                return False
            jobs += more
        self._take(jobs)
        if self._arrivals.more_expected(jobs):
            time.sleep(WINDOW_SECONDS)
            self._take(jobs)
        return True

    def _take(self, jobs: list[Job[Any]]) -> None:
        with contextlib.suppress(Empty):
            while len(jobs) < self._most:
                more = self._jobs.get_nowait()
                if more is None:
                    self._jobs.put(None)  # for the next call: it is always the last item
                    break
                jobs += more

    def _read(self, reader: _Worker) -> None:
        """A reader thread: run queued reads until the store is closed."""
        while (job := self._reads.get()) is not None:
            if job.done.done() or job.work is None:
                continue
            outcome: Any
            try:
                outcome = reader.run(job.work, job.since)
            except Exception as error:  # noqa: BLE001 - no error of a driver may end the reader
                outcome = _unavailable(error)
            self._call(job.answer, outcome)
        reader.close()


class _Arrivals:
    """Counts the matches that currently store events, to predict whether more jobs arrive soon.

    If so, waiting for them saves a commit. If all active matches are queued already, waiting gains
    nothing: their next jobs arrive only after these are answered.
    """

    def __init__(self) -> None:
        self._since = 0.0
        self._now: set[str] = set()
        self._before: set[str] = set()

    def more_expected(self, jobs: Sequence[Job[Any]]) -> bool:
        """Whether another job is likely to arrive within the window, given the queued ones."""
        now = time.monotonic()
        if now - self._since > ARRIVAL_SECONDS:
            self._before = self._now if now - self._since < 2 * ARRIVAL_SECONDS else set()
            self._now = set()
            self._since = now
        for job in jobs:
            self._now.add(job.match)
        others = max(len(self._before), len(self._now)) - len(jobs)
        return others * WINDOW_SECONDS >= ARRIVAL_SECONDS / 2


class _Worker:
    """A thread's connection, opened on first use and reopened when it is lost."""

    def __init__(self, database: Database) -> None:
        self._started: float | None = None
        self._oldest = 0.0
        self.session: Session | None = None
        self._database = database

    def is_stuck(self, too_old: float) -> bool:
        """Whether it has worked for more than a second on calls that were refused by now."""
        return self._started is not None and self._oldest <= too_old and time.monotonic() - self._started > 1

    def run(self, work: Callable[[Session], T], oldest: float) -> T:
        """Run ``work`` with the connection; if that was lost since the last use, retry with a new one.

        ``oldest`` is the time of the oldest call in ``work``. A retry stores nothing twice: events that
        were committed before the connection was lost cause a conflict.
        """
        self._oldest = oldest
        self._started = started = time.monotonic()
        try:
            known = self.session
            session = self.session = known or self._database.connect()
            try:
                return self._try(session, work)
            except self._database.errors:
                if self.session is not None or known is None or time.monotonic() - started > 1:
                    raise
            session = self.session = self._database.connect()
            return self._try(session, work)
        finally:
            self._started = None

    def _try(self, session: Session, work: Callable[[Session], T]) -> T:
        try:
            return work(session)
        except BaseException:
            with contextlib.suppress(*self._database.errors):
                session.rollback()
            if session.broken:
                self.close()
            raise

    def interrupt(self) -> None:
        """Interrupt the connection that the thread waits for; called from the event loop."""
        if self.session is not None:
            self.session.interrupt()

    def close(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            with contextlib.suppress(*self._database.errors):
                session.close()


def _store(jobs: Sequence[Job[Any]], session: Session) -> list[Any]:
    """Write the jobs in one transaction and return the result of each."""
    try:
        return _store_all(session, jobs)
    except (session.conflict, Fenced):
        session.rollback()
        return _store_each(session, jobs)


def _store_all(session: Session, jobs: Sequence[Job[Any]]) -> list[Any]:
    events = [(job.match, event) for job in jobs for event in job.events]
    first = [(job.match, job.events[0].time) for job in jobs if job.events and job.events[0].version == 1]
    dues = [(job.due, job.match) for job in jobs if job.due is not None]
    leased = [job for job in jobs if job.lease is not None]
    works = any(job.work is not None for job in jobs)
    if not (first or dues or works or leased):
        session.add_events(events)  # the common case
        return [None] * len(jobs)
    session.begin()
    _check_leases(session, leased)
    if first:
        session.run_many(_ADD_MATCH, first)
    if events:
        session.add_events(events)
    if dues:
        session.run_many(SET_DUE, dues)
    outcomes = [None if job.work is None else job.work(session) for job in jobs]
    session.commit()
    return outcomes


def _store_each(session: Session, jobs: Sequence[Job[Any]]) -> list[Any]:
    """Write each job in its own savepoint, so that only conflicting jobs are refused."""
    outcomes: list[Any] = []
    session.begin()
    for job in jobs:
        session.run("SAVEPOINT job")
        try:
            if job.work is not None:
                outcomes.append(job.work(session))
            else:
                _check_leases(session, [job] if job.lease is not None else [])
                if job.events[0].version == 1:
                    session.run_many(_ADD_MATCH, [(job.match, job.events[0].time)])
                session.add_events([(job.match, event) for event in job.events])
                if job.due is not None:
                    session.run_many(SET_DUE, [(job.due, job.match)])
                outcomes.append(None)
        except Fenced as fenced:
            session.run("ROLLBACK TO SAVEPOINT job")
            outcomes.append(fenced)
        except session.conflict as error:
            session.run("ROLLBACK TO SAVEPOINT job")
            conflict = Conflict("the events do not follow the last one stored")
            conflict.__cause__ = error
            outcomes.append(conflict)
        session.run("RELEASE SAVEPOINT job")
    session.commit()
    return outcomes


def _check_leases(session: Session, jobs: Sequence[Job[Any]]) -> None:
    """:raises Fenced: if a job has a lease that its worker no longer holds.

    The lease may still be taken before the commit: then this append counts as the earlier one, and the new
    holder meets its events or a conflict.
    """
    if not jobs:
        return
    statement = _HELD.format(", ".join(["(?, ?, ?)"] * len(jobs)))
    held = session.run(statement, [part for job in jobs for part in (job.match, *job.lease)])  # type: ignore[misc]
    if held != [(len(jobs),)]:
        raise Fenced("another worker holds the lease of the match")


def _order(job: Job[Any]) -> tuple[bool, str]:
    return job.work is not None, job.match


def _unavailable(error: Exception) -> StoreUnavailable:
    """A driver's error as a StoreUnavailable with its first line, without statement and values."""
    if isinstance(error, StoreUnavailable):
        return error
    unavailable = StoreUnavailable(str(error).partition("\n")[0] or "the store is gone")
    unavailable.__cause__ = error
    return unavailable


def _succeed(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
