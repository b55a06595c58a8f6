"""The threads that use the database, and timeouts for one that hangs.

Callers do not write themselves: they queue calls for a single writer thread. It takes all queued calls,
writes them in one transaction and answers them together. Calls that arrive meanwhile go into the next
transaction. Reads have their own threads.

The event loop refuses calls that are too old and interrupts the connections that they wait for.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from escadaria.store import Conflict, Lease, Meters, StoredEvent, StoreUnavailable, database
from escadaria.store.commits import Call, commit
from escadaria.store.database import Database, Session, first_line

log = logging.getLogger(__name__)

T = TypeVar("T")

SETTLED_SECONDS = 1.0
"""A commit counts as recovery if no call has failed for this long."""

READERS = 4
"""The number of reader threads, each with its own connection."""

WINDOW_SECONDS = 0.0018
"""How long a commit waits for more calls, if more are likely to arrive."""

ARRIVAL_SECONDS = 0.02
"""The period over which arriving calls are counted."""


class Threads:
    """The writer thread, the reader threads, and the calls that wait for them."""

    def __init__(self, database: Database, most: int) -> None:
        self.meters = Meters()
        self.writer = ThreadSession(database)
        self.database = database
        self._most = most
        self._loop = asyncio.get_running_loop()
        self.prepared: Call[bytes] = Call(self._loop.create_future())
        """Answered with the key of the database, when it is prepared."""
        self._new: list[Call[Any]] = []
        self._writes: SimpleQueue[list[Call[Any]] | None] = SimpleQueue()
        self._reads: SimpleQueue[Call[Any] | None] = SimpleQueue()
        self._waiting: dict[Call[Any], None] = {}  # an ordered set, the oldest first
        self._watching = False
        self._closed = False
        self._ended = asyncio.Event()
        self._last_failure = 0.0
        self._arrivals = _Arrivals()
        self._readers = [ThreadSession(database) for _ in range(READERS)]
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
        call: Call[None] = Call(self._loop.create_future(), match, None, events, due, lease)
        await self._written(call)

    async def write(self, order: str, work: Callable[[Session], T], seconds: float | None = None) -> T:
        """Run ``work`` in the next transaction; ``order`` is its sort key there.

        With ``seconds`` the call is refused if it takes longer.
        """
        call = Call(self._loop.create_future(), order, work)
        if seconds is not None:
            self._loop.call_later(seconds, call.refuse)
        return await self._written(call)

    async def read(self, work: Callable[[Session], T]) -> T:
        """Run ``work`` in one of the reader threads."""
        call = Call(self._loop.create_future(), "", work)
        self._check_open()
        self._reads.put(call)
        return await self._answered(call)

    async def close(self, seconds: float) -> None:
        """Finish pending calls for at most ``seconds``, then refuse the others and stop the threads."""
        if not self._closed:
            self._closed = True
            self._hand_over()
            self._writes.put(None)
            for _ in self._readers:
                self._reads.put(None)
        try:
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        except TimeoutError:
            for call in list(self._waiting):
                call.refuse("the store is closed")
            for session in (self.writer, *self._readers):
                session.interrupt()

    # In the event loop: hand calls to the threads and enforce the timeouts.

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")

    async def _written(self, call: Call[T]) -> T:
        """Queue a call for the writer; calls of one iteration of the event loop are handed over together."""
        self._check_open()
        if not self._new:
            self._loop.call_soon(self._hand_over)
        self._new.append(call)
        return await self._answered(call)

    def _hand_over(self) -> None:
        calls, self._new = self._new, []
        if calls:
            self._writes.put(calls)

    async def _answered(self, call: Call[T]) -> T:
        """Wait for the result of a call."""
        self._waiting[call] = None
        if not self._watching:
            self._watch_later()
        try:
            return await call.done
        except StoreUnavailable as error:
            self._failed(error)
            raise
        except Conflict:
            self.meters.conflicts += 1
            raise
        finally:
            del self._waiting[call]

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
        too_old = time.monotonic() - database.ANSWER_SECONDS
        for call in list(self._waiting):
            if call.since > too_old:
                break
            call.refuse()
        for session in (self.writer, *self._readers):
            if session.is_stuck(too_old):
                session.interrupt()
        if self._waiting:
            self._watch_later()

    def _answer(self, calls: Sequence[Call[Any]], outcomes: Sequence[Any]) -> None:
        for call, outcome in zip(calls, outcomes, strict=True):
            call.answer(outcome)

    def _count(self, calls: Sequence[Call[Any]], outcomes: Sequence[Any], seconds: float) -> None:
        """Count a commit and answer its calls."""
        stored = [
            len(call.events)
            for call, outcome in zip(calls, outcomes, strict=True)
            if call.events and outcome is None
        ]
        meters = self.meters
        meters.commits += 1
        meters.appends += len(stored)
        meters.events += sum(stored)
        meters.seconds += seconds
        self._answer(calls, outcomes)
        self._recovered()
        if meters.committed:
            meters.committed(sum(stored), seconds)

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
                    self._in_loop(self._end)

        threading.Thread(target=run, name="store", daemon=True).start()

    def _in_loop(self, function: Callable[..., object], *arguments: object) -> None:
        self._loop.call_soon_threadsafe(function, *arguments)

    def _write(self) -> None:
        """The writer thread: prepare the database, then run queued calls until the store is closed."""
        try:
            key = self.database.prepare()
        except Exception as error:  # noqa: BLE001 - any error of a driver is passed to the caller
            self._in_loop(self.prepared.answer, _unavailable(error))
            return
        self._in_loop(self.prepared.answer, key)
        waiting: list[Call[Any]] = []
        while self._wait_for_calls(waiting):
            calls = [call for call in waiting[: self._most] if not call.done.done()]
            del waiting[: self._most]
            if not calls:
                continue
            oldest = min(call.since for call in calls)
            # All servers use the same order, or two of them could deadlock in PostgreSQL.
            calls.sort(key=_order)
            start = time.perf_counter()
            try:
                outcomes = self.writer.run(partial(commit, calls), oldest)
            except Exception as error:  # noqa: BLE001 - no error of a driver may end the writer
                self._in_loop(self._answer, calls, [_unavailable(error) for _ in calls])
            else:
                self._in_loop(self._count, calls, outcomes, time.perf_counter() - start)
        self.writer.close()
        self.database.close()

    def _wait_for_calls(self, calls: list[Call[Any]]) -> bool:
        """Wait for at least one call and add all queued ones to ``calls``; False when the store is closed."""
        if not calls:
            more = self._writes.get()
            if more is None:
                return False
            calls += more
        self._take(calls)
        if self._arrivals.more_expected(calls):
            time.sleep(WINDOW_SECONDS)
            self._take(calls)
        return True

    def _take(self, calls: list[Call[Any]]) -> None:
        with contextlib.suppress(Empty):
            while len(calls) < self._most:
                more = self._writes.get_nowait()
                if more is None:
                    self._writes.put(None)  # for the next turn: it is always the last item
                    break
                calls += more

    def _read(self, reader: ThreadSession) -> None:
        """A reader thread: run queued reads until the store is closed."""
        while (call := self._reads.get()) is not None:
            if call.done.done() or call.work is None:
                continue
            outcome: Any
            try:
                outcome = reader.run(call.work, call.since)
            except Exception as error:  # noqa: BLE001 - no error of a driver may end the reader
                outcome = _unavailable(error)
            self._in_loop(call.answer, outcome)
        reader.close()


class _Arrivals:
    """Counts the matches that currently store events, to predict whether more calls arrive soon.

    If so, waiting for them saves a commit. If all active matches are queued already, waiting gains
    nothing: their next calls arrive only after these are answered.
    """

    def __init__(self) -> None:
        self._since = 0.0
        self._now: set[str] = set()
        self._before: set[str] = set()

    def more_expected(self, calls: Sequence[Call[Any]]) -> bool:
        """Whether another call is likely to arrive within the window, given the queued ones."""
        now = time.monotonic()
        if now - self._since > ARRIVAL_SECONDS:
            self._before = self._now if now - self._since < 2 * ARRIVAL_SECONDS else set()
            self._now = set()
            self._since = now
        for call in calls:
            self._now.add(call.order)
        others = max(len(self._before), len(self._now)) - len(calls)
        return others * WINDOW_SECONDS >= ARRIVAL_SECONDS / 2


class ThreadSession:
    """The session of one thread, opened on first use and reopened when it is lost."""

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


def _order(call: Call[Any]) -> tuple[bool, str]:
    return call.work is not None, call.order


def _unavailable(error: Exception) -> StoreUnavailable:
    """A driver's error as a StoreUnavailable."""
    if isinstance(error, StoreUnavailable):
        return error
    unavailable = StoreUnavailable(first_line(error))
    unavailable.__cause__ = error
    return unavailable
