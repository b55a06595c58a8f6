"""The work of one match: a queue of jobs that run one at a time, and concurrent tasks."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from escadaria.game import GameError
from escadaria.match.match import Match
from escadaria.refusals import Refused
from escadaria.store import StoreUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")
Job = Callable[[], Coroutine[Any, Any, None]]


class Jobs:
    """The jobs and tasks of one match. A job that fails is logged, and the next one runs."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._queue: deque[tuple[Job, int]] = deque()  # each with the failures before it
        self._failures = 0  # of the store
        self._failures_before = 0  # when the running job was queued
        self._task: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def waiting(self) -> int:
        """The number of jobs that have not started."""
        return len(self._queue)

    @property
    def idle(self) -> bool:
        return self._task is None and not self._tasks

    def enqueue(self, job: Job) -> None:
        """Append a job to the queue."""
        self._queue.append((job, self._failures))
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def run_now(self, work: Callable[[], bool]) -> bool:
        """Run work that does not wait, unless a job is running; return whether it ran and succeeded."""
        if self._task is not None:
            return False
        try:
            return work()
        except Exception:
            log.exception("a job of a match failed", extra={"match": self._match.id})
            return False

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Queue a job and return its result. The job runs even if the caller is cancelled.

        Within a job it is part of that one, and runs immediately.
        """
        if self._task is not None and asyncio.current_task() is self._task:
            return await work()
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def job() -> None:
            try:
                result = await work()
            except Exception as error:  # noqa: BLE001 - re-raised in the caller
                if not done.done():
                    done.set_exception(error)
            else:
                if not done.done():
                    done.set_result(result)

        self.enqueue(job)
        return await done

    async def from_store(self, call: Callable[[], Awaitable[T]]) -> T:
        """The result of a call of the store.

        If the store has failed while the running job waited in the queue, it is not tried again: otherwise
        each of several waiting commands would wait for another time-out.

        :raises Refused: ``store_unavailable``.
        """
        if self._task is None or self._failures == self._failures_before:
            try:
                return await call()
            except StoreUnavailable as error:
                self._failures += 1
                log.debug("the store failed", extra={"match": self._match.id, "why": str(error)})
        raise Refused("store_unavailable", "the store does not answer, try again")

    def spawn(self, work: Coroutine[Any, Any, T]) -> None:
        """Run a task concurrently with the queue. It is cancelled when the match is closed."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    async def close(self) -> None:
        """Cancel the tasks and finish the jobs."""
        for task in list(self._tasks):
            task.cancel()
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _work(self) -> None:
        while self._queue:
            job, self._failures_before = self._queue.popleft()
            try:
                await job()
            except Exception:
                log.exception("a job of a match failed", extra={"match": self._match.id})
        self._task = None

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, GameError | StoreUnavailable):
            log.error("a task of a match failed", extra={"match": self._match.id}, exc_info=error)
