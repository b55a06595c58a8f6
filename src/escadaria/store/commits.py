"""Many writes share one commit, and no caller waits for a database that hangs.

A commit costs one wait for the disk, however much is in it. So callers do not write: they leave their
jobs with the one thread that writes. It takes all that wait, writes them in one transaction, and answers
them together. Whoever comes meanwhile is in the next one. Other threads read.

The event loop itself refuses calls that are too old, and breaks the connection that they wait for.
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

from escadaria.store import Conflict, Meters, StoredEvent, StoreUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

HEAD = "0002"
"""The newest of the migrations: a database that has it needs no other, nor the time to look for them."""

ANSWER_SECONDS = 8.0
"""How old a call may become before it is refused; looked at once a second."""

SETTLED_SECONDS = 1.0
"""How long no call may have failed before a commit means that the store answers again."""

LOCK_SECONDS = 5.0
"""How long to wait for another worker's lock before giving up."""

READERS = 4
"""How many threads read, each with a connection of its own."""

WINDOW_SECONDS = 0.0018
"""How long a commit waits for others to join it, if others are likely to come."""

CROWD_SECONDS = 0.02
"""Over how long those who come are counted."""

_ADD_MATCH = "INSERT INTO match (id, created, archived) VALUES (?, ?, FALSE)"
SET_DUE = "UPDATE match SET due = ? WHERE id = ?"


class Session(Protocol):
    """One connection, used by one thread at a time; it raises the errors of its driver.

    Statements name their parameters ``?``.
    """

    conflict: type[Exception]
    """What is raised if a row is there already, or does not follow another."""

    def begin(self) -> None: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def run(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a statement, in the transaction if there is one; the rows that it gives."""

    def run_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement that gives no rows, once for each of these."""

    def add_events(self, events: Sequence[tuple[str, StoredEvent]]) -> None:
        """Insert events of the matches named with them; without a transaction, in one of their own."""

    def begin_snapshot(self) -> None:
        """Begin to read: all as it is now, whatever others write meanwhile."""

    def stream(self, statement: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a statement in a transaction, and give its rows one after the other."""

    def be_patient(self) -> None:
        """Wait for locks as long as somebody who maintains the database would."""

    def scrub(self) -> None:
        """Write everything anew, so that nothing is left of what was deleted. Not in a transaction."""

    def is_current(self) -> bool:
        """Whether the tables are those of this version."""

    def lock(self) -> None:
        """Keep others from writing until the transaction ends."""

    def reserve(self) -> None:
        """Wait, in the transaction, for any lock that keeps events from being written."""

    @property
    def broken(self) -> bool:
        """Whether the connection is lost for good."""

    def interrupt(self) -> None:
        """Make the thread that uses the connection come back from it. Called from another thread."""

    def close(self) -> None: ...


class Database(Protocol):
    """Where sessions come from."""

    errors: tuple[type[Exception], ...]
    """All that its sessions raise."""

    migrating: bool
    """Whether :meth:`prepare` has found tables that must be made or changed, which may take long."""

    def prepare(self) -> bytes:
        """Create the tables or bring them up to date; the key of the database."""

    def connect(self) -> Session: ...

    def close(self) -> None:
        """Let go of what :meth:`prepare` took."""


class Job(Generic[T]):
    """A call: what a thread does for it, and the caller who waits."""

    __slots__ = ("done", "due", "events", "match", "since", "work")

    def __init__(self, done: asyncio.Future[T], work: Callable[[Session], T] | None) -> None:
        self.done = done
        self.work = work
        """What to do; None for an append."""
        self.since = time.monotonic()
        self.match = ""
        """What the jobs of a transaction are sorted by."""
        self.events: Sequence[StoredEvent] = ()
        self.due: float | None = None

    def answer(self, outcome: T | Exception) -> None:
        if self.done.done():  # its caller was cancelled or refused meanwhile
            return
        if isinstance(outcome, Exception):
            self.done.set_exception(outcome)
        else:
            self.done.set_result(outcome)


class Threads:
    """The threads that write and read, and the calls that wait for them."""

    def __init__(self, database: Database, most: int) -> None:
        self.meters = Meters()
        self.writer = _Worker(database)
        self._database = database
        self._most = most
        self._loop = asyncio.get_running_loop()
        self.prepared: asyncio.Future[bytes] = self._loop.create_future()
        """The key of the database, once it is prepared."""
        self._new: list[Job[Any]] = []
        self._jobs: SimpleQueue[list[Job[Any]] | None] = SimpleQueue()
        self._reads: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._waiting: dict[Job[Any], None] = {}  # the oldest first
        self._watching = False
        self._closed = False
        self._ended = asyncio.Event()
        self._last_failure = 0.0
        self._crowd = _Crowd()
        self._readers = [_Worker(database) for _ in range(READERS)]
        self._running = 1 + READERS
        self._start(self._write)
        for reader in self._readers:
            self._start(partial(self._read, reader))

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def append(self, match: str, events: Sequence[StoredEvent], due: float | None) -> None:
        """Store events in the next transaction."""
        job: Job[None] = Job(self._loop.create_future(), None)
        job.match, job.events, job.due = match, events, due
        self._add(job)
        await self._answered(job)

    async def write(self, order: str, work: Callable[[Session], T], seconds: float | None = None) -> T:
        """Do something in the next transaction, among what sorts before and behind ``order``.

        With ``seconds`` it is refused if it takes longer.
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
        """Do something in any of the threads that read."""
        job = Job(self._loop.create_future(), work)
        self._check_open()
        self._reads.put(job)
        return await self._answered(job)

    async def close(self, seconds: float) -> None:
        """Finish what waits, for so long; then refuse the rest and end."""
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

    # In the event loop: hand jobs to the threads, and let nobody wait for ever.

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")

    def _add(self, job: Job[Any]) -> None:
        """Leave a job for the writer, who gets all of one turn of the event loop at once."""
        self._check_open()
        if not self._new:
            self._loop.call_soon(self._hand_over)
        self._new.append(job)

    def _hand_over(self) -> None:
        jobs, self._new = self._new, []
        if jobs:
            self._jobs.put(jobs)

    async def _answered(self, job: Job[T]) -> T:
        """Wait for the answer."""
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
        """Note that a commit succeeded; log it if none did for a while."""
        now = time.monotonic()
        if self.meters.lost is not None and now - self._last_failure > SETTLED_SECONDS:
            log.warning("the store answers again", extra={"seconds": round(now - self.meters.lost, 1)})
            self.meters.lost = None

    def _watch_later(self) -> None:
        self._watching = True
        self._loop.call_later(1, self._watch)

    def _watch(self) -> None:
        """Refuse the calls that are too old, and break the connections that hang."""
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
        """Answer what was committed together."""
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
        """One thread has ended."""
        self._running -= 1
        if not self._running:
            self._ended.set()

    # In the threads.

    def _start(self, target: Callable[[], None]) -> None:
        """Start a thread; the process does not wait for it when it ends."""

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
        """Prepare the database, then do what waits, all of it at once, until the store is closed."""
        try:
            key = self._database.prepare()
        except Exception as error:  # noqa: BLE001 - whatever a driver raises, the caller is told
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
            # One order for all workers, or PostgreSQL could see two of them wait for each other.
            jobs.sort(key=_order)
            start = time.perf_counter()
            try:
                outcomes = self.writer.run(partial(_store, jobs), oldest)
            except Exception as error:  # noqa: BLE001 - whatever a driver raises, the writer lives on
                self._call(self._answer, jobs, [_unavailable(error) for _ in jobs])
            else:
                self._call(self._count, jobs, outcomes, time.perf_counter() - start)
        self.writer.close()
        self._database.close()

    def _wait_for_jobs(self, jobs: list[Job[Any]]) -> bool:
        """Add all that waits, until there is at least one job; False when the store is closed."""
        if not jobs:
            more = self._jobs.get()
            if more is None:
                return False
            jobs += more
        self._take(jobs)
        if self._crowd.is_worth_waiting(jobs):
            time.sleep(WINDOW_SECONDS)
            self._take(jobs)
        return True

    def _take(self, jobs: list[Job[Any]]) -> None:
        with contextlib.suppress(Empty):
            while len(jobs) < self._most:
                more = self._jobs.get_nowait()
                if more is None:
                    self._jobs.put(None)  # for the next turn: nothing comes behind it
                    break
                jobs += more

    def _read(self, reader: _Worker) -> None:
        """Do the reads that wait, one by one, until the store is closed."""
        while (job := self._reads.get()) is not None:
            if job.done.done() or job.work is None:
                continue
            outcome: Any
            try:
                outcome = reader.run(job.work, job.since)
            except Exception as error:  # noqa: BLE001 - whatever a driver raises, the reader lives on
                outcome = _unavailable(error)
            self._call(job.answer, outcome)
        reader.close()


class _Crowd:
    """How many matches store events at present, to tell whether others will come in a moment.

    If so, waiting for them saves a commit. It would gain nothing if all who are around wait already:
    they come again only when they are answered.
    """

    def __init__(self) -> None:
        self._since = 0.0
        self._now: set[str] = set()
        self._before: set[str] = set()

    def is_worth_waiting(self, jobs: Sequence[Job[Any]]) -> bool:
        """Whether somebody is likely to come within the window, given those who wait now."""
        now = time.monotonic()
        if now - self._since > CROWD_SECONDS:
            self._before = self._now if now - self._since < 2 * CROWD_SECONDS else set()
            self._now = set()
            self._since = now
        for job in jobs:
            self._now.add(job.match)
        others = max(len(self._before), len(self._now)) - len(jobs)
        return others * WINDOW_SECONDS >= CROWD_SECONDS / 2


class _Worker:
    """A thread's connection, made when it is needed and again when it is lost."""

    def __init__(self, database: Database) -> None:
        self._started: float | None = None
        self._oldest = 0.0
        self.session: Session | None = None
        self._database = database

    def is_stuck(self, too_old: float) -> bool:
        """Whether it does something for calls that have been refused, and has been at it for a while."""
        return self._started is not None and self._oldest <= too_old and time.monotonic() - self._started > 1

    def run(self, work: Callable[[Session], T], oldest: float) -> T:
        """Do something with the connection; if it was lost since the last time, do it with a new one.

        ``oldest`` says since when the oldest of the callers waits.
        Nothing is stored twice by that: what was stored before the connection was lost is a conflict.
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
        """Break the connection that the thread waits for; called from the event loop."""
        if self.session is not None:
            self.session.interrupt()

    def close(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            with contextlib.suppress(*self._database.errors):
                session.close()


def _store(jobs: Sequence[Job[Any]], session: Session) -> list[Any]:
    """Write the jobs in one transaction; the outcome of each."""
    try:
        return _store_all(session, jobs)
    except session.conflict:
        session.rollback()
        return _store_each(session, jobs)


def _store_all(session: Session, jobs: Sequence[Job[Any]]) -> list[Any]:
    events = [(job.match, event) for job in jobs for event in job.events]
    first = [(job.match, job.events[0].time) for job in jobs if job.events and job.events[0].version == 1]
    dues = [(job.due, job.match) for job in jobs if job.due is not None]
    works = any(job.work is not None for job in jobs)
    if not (first or dues or works):
        session.add_events(events)  # nearly always
        return [None] * len(jobs)
    session.begin()
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
    """The same job by job, so that only those are refused that do not follow."""
    outcomes: list[Any] = []
    session.begin()
    for job in jobs:
        session.run("SAVEPOINT job")
        try:
            if job.work is not None:
                outcomes.append(job.work(session))
            else:
                if job.events[0].version == 1:
                    session.run_many(_ADD_MATCH, [(job.match, job.events[0].time)])
                session.add_events([(job.match, event) for event in job.events])
                if job.due is not None:
                    session.run_many(SET_DUE, [(job.due, job.match)])
                outcomes.append(None)
        except session.conflict as error:
            session.run("ROLLBACK TO SAVEPOINT job")
            late = Conflict("the events do not follow the last one stored")
            late.__cause__ = error
            outcomes.append(late)
        session.run("RELEASE SAVEPOINT job")
    session.commit()
    return outcomes


def _order(job: Job[Any]) -> tuple[bool, str]:
    return job.work is not None, job.match


def _unavailable(error: Exception) -> StoreUnavailable:
    """The error of a driver as the store's own: the database's words, without statement and values."""
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
