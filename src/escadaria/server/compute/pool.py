"""Worker processes for one kind of work, with fair queues.

Each key, such as an address, has its own queue, and workers serve the queues round-robin: an address with
hundreds of jobs delays another address by one job. The number of waiting jobs is bounded, per key and in
total. A worker that exceeds the time limit is killed, and a worker that dies is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import sys
import time
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from itertools import zip_longest
from typing import Any, Generic, TypeVar, cast

from escadaria.refusals import Refused
from escadaria.server import metrics
from escadaria.server.compute.worker import HEADER, Answer

log = logging.getLogger(__name__)

T = TypeVar("T")

_PROGRAM = "from escadaria.server.compute.worker import main; main()"
_START_SECONDS = 60.0  # starting Python and importing NumPy is slow on a busy machine
_MAX_TRIES = 2


@dataclass(eq=False)
class Job(Generic[T]):
    """A function call that waits for a worker, or runs in one."""

    call: bytes
    """The pickled function and its arguments."""
    key: str
    first: bool
    future: asyncio.Future[T]
    created: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    """The time that workers computed."""
    tries: int = 0

    def finish(self, answer: Answer) -> None:
        """Give the answer to those who wait."""
        if answer.refusal is not None:
            code, message, ruling = answer.refusal
            refused = Refused(code, message)
            refused.ruling = ruling
            self.fail(refused)
        elif answer.failure:
            self.fail(WorkerFailed(answer.failure))
        elif not self.future.done():
            self.future.set_result(answer.result)
            self.call = b""

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)
        self.call = b""  # it may be a whole record


class WorkerFailed(Exception):
    """A function raised an exception in a worker. The message is the traceback."""


@dataclass(eq=False)
class Pool:
    """Worker processes for one kind of work. They start on demand and end when idle."""

    name: str
    _: KW_ONLY
    processes: int = 1
    queue: int = 100
    """The maximum number of running and waiting jobs, for each of the two priorities."""
    queue_each: int = 25
    """The maximum number of waiting jobs per key."""
    seconds: float = 10.0
    """The time limit of a job, after which its worker is killed."""
    nice: int = 0
    idle_seconds: float = 300.0

    def __post_init__(self) -> None:
        self.deaths = 0
        """The number of workers that died or were killed."""
        self._queues = (_Queue(), _Queue())  # first, and others
        self._running: set[Job[Any]] = set()
        self._workers: dict[asyncio.Task[None], Process | None] = {}
        self._idle: list[asyncio.Future[None]] = []  # of workers that wait for a job
        self._mean_seconds = 0.0  # of a job, for Retry-After
        self._closed = False

    @property
    def waiting(self) -> int:
        """The number of waiting jobs."""
        return sum(len(queue) for queue in self._queues)

    @property
    def running(self) -> int:
        """The number of running jobs."""
        return len(self._running)

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [process.pid for process in self._workers.values() if process is not None]

    async def run(self, function: Callable[..., T], *arguments: Any, key: str = "", first: bool = True) -> T:
        """Call a function in a worker and return its result.

        :raises Refused: as ``submit``; ``busy`` if the worker died or exceeded the time limit.
        :raises GameError: as the function.
        :raises WorkerFailed: if the function raises another exception.
        """
        return await self.submit(function, *arguments, key=key, first=first).future

    def submit(
        self, function: Callable[..., T], *arguments: Any, key: str = "", first: bool = True
    ) -> Job[T]:
        """Queue a call; the job's ``future`` has the result. Jobs that are not ``first`` have low priority.

        :raises Refused: ``busy`` if the queue is full; ``closing`` if the server is shutting down.
        """
        if self._closed:
            raise _closing()
        queue = self._queues[not first]
        if self.running + len(queue) >= self.queue or queue.count(key) >= self.queue_each:
            metrics.QUEUE_REFUSALS.labels(self.name).inc()
            wait_seconds = max(1.0, self.waiting * self._mean_seconds / self.processes)
            raise Refused("busy", f"too many {self.name} are waiting", wait_seconds)
        call = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        job = Job[T](call, key, first, asyncio.get_running_loop().create_future())
        queue.push(job)
        self._assign()
        return job

    def ahead(self, job: Job[Any]) -> int:
        """An upper bound of the number of jobs before a waiting job; 0 if it is running or done."""
        waiting = (other for queue in self._queues for other in queue)
        places = enumerate(waiting, self.running)
        return next((place for place, other in places if other is job), 0)

    def start(self) -> None:
        """Start a worker if there is none, so that the first job does not wait for it."""
        if not self._workers and not self._closed:
            self._add_worker()

    async def close(self, seconds: float = 2.0) -> None:
        """Kill the workers and refuse all jobs. Return after ``seconds`` at most."""
        self._closed = True
        for jobs in (self._running, *self._queues):
            for job in jobs:
                job.fail(_closing())
        for task in self._workers:
            task.cancel()
        if self._workers:
            await asyncio.wait(self._workers, timeout=seconds)

    def _assign(self) -> None:
        """Wake an idle worker for a waiting job, or start one more if all are busy."""
        metrics.QUEUE.labels(self.name).set(self.waiting)
        coming = len(self._workers) - self.running - len(self._idle)
        if self.waiting <= coming or self._closed:
            return
        if self._idle:
            self._idle.pop().set_result(None)
        elif len(self._workers) < self.processes:
            self._add_worker()

    def _add_worker(self) -> None:
        task = asyncio.get_running_loop().create_task(self._work())
        self._workers[task] = None
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._workers[task]
        if not task.cancelled() and task.exception() is not None:
            log.error("a pool failed", extra={"pool": self.name}, exc_info=task.exception())
        self._assign()

    # The task of each worker.

    async def _work(self) -> None:
        """Start a process and give it jobs, until it is idle, dies or is killed."""
        task = cast(asyncio.Task[None], asyncio.current_task())
        try:
            process = await self._start(task)
            while (job := await self._next(process)) is not None:
                await self._run(process, job)
        except _Death as death:
            self.deaths += 1
            metrics.WORKER_DEATHS.labels(self.name).inc()
            log.warning("a worker was replaced", extra={"pool": self.name, "why": str(death)})
        finally:
            if (started := self._workers[task]) is not None:
                with contextlib.suppress(ProcessLookupError):
                    started.kill()
                await started.wait()

    async def _start(self, task: asyncio.Task[None]) -> Process:
        """Start a process and wait until it is ready."""
        command = (sys.executable, "-P", "-c", _PROGRAM, str(self.nice))
        try:
            process = await create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=_environment())
            self._workers[task] = process
            async with asyncio.timeout(_START_SECONDS):
                await _read(process)
        except (TimeoutError, EOFError, OSError):
            if (job := self._pop()) is not None:  # so that none waits forever
                job.fail(Refused("busy", "no worker process can be started, try later", 60))
            raise _Death("did not start") from None
        return process

    async def _next(self, process: Process) -> Job[Any] | None:
        """Wait for a job; None if there is none for long."""
        while process.returncode is None:
            if (job := self._pop()) is not None:
                return job
            woken = asyncio.get_running_loop().create_future()
            self._idle.append(woken)
            try:
                async with asyncio.timeout(self.idle_seconds):
                    await woken
            except TimeoutError:
                return None
            finally:
                if woken in self._idle:
                    self._idle.remove(woken)
        raise _Death("died")

    def _pop(self) -> Job[Any] | None:
        for queue in self._queues:
            while (job := queue.pop()) is not None:
                if not job.future.done():  # cancelled by the caller
                    return job
        return None

    async def _run(self, process: Process, job: Job[Any]) -> None:
        started = time.monotonic()
        metrics.QUEUE.labels(self.name).set(self.waiting)
        metrics.WAIT_SECONDS.labels(self.name).observe(started - job.created)
        self._running.add(job)
        job.tries += 1
        try:
            async with asyncio.timeout(self.seconds):
                assert process.stdin is not None, "it is a pipe"
                process.stdin.write(HEADER.pack(len(job.call)) + job.call)
                await process.stdin.drain()
                answer = await _read(process)
        except (TimeoutError, EOFError, OSError) as error:
            late = isinstance(error, TimeoutError)
            if late or job.tries == _MAX_TRIES:
                job.fail(Refused("busy", "the computation took too long or failed, try later", 60))
            else:
                self._queues[not job.first].push_front(job)
            raise _Death("took too long" if late else "died") from None
        finally:
            self._running.discard(job)
            job.seconds += time.monotonic() - started
        self._mean_seconds += (job.seconds - self._mean_seconds) / 8
        metrics.WORK_SECONDS.labels(self.name).observe(job.seconds)
        job.finish(answer)


class _Death(Exception):
    """Why a worker is replaced."""


async def _read(process: Process) -> Answer:
    assert process.stdout is not None, "it is a pipe"
    (length,) = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
    answer: Answer = pickle.loads(await process.stdout.readexactly(length))
    return answer


def _environment() -> dict[str, str]:
    """The server's environment and import path, with NumPy limited to one thread."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return os.environ | threads | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _closing() -> Refused:
    return Refused("closing", "the server is shutting down", 5)


class _Queue:
    """A fair queue: jobs by key, with the keys served round-robin."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, deque[Job[Any]]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._by_key.values()))

    def __iter__(self) -> Iterator[Job[Any]]:
        """The jobs in the order in which they are served."""
        rounds = zip_longest(*self._by_key.values())
        return (job for jobs in rounds for job in jobs if job is not None)

    def count(self, key: str) -> int:
        return len(self._by_key.get(key, ()))

    def push(self, job: Job[Any]) -> None:
        self._by_key.setdefault(job.key, deque()).append(job)

    def push_front(self, job: Job[Any]) -> None:
        """Put a job back at the front."""
        self._by_key.setdefault(job.key, deque()).appendleft(job)
        self._by_key.move_to_end(job.key, last=False)

    def pop(self) -> Job[Any] | None:
        """Remove and return the next job. Its key goes to the end of the rotation."""
        if not self._by_key:
            return None
        key, jobs = self._by_key.popitem(last=False)
        job = jobs.popleft()
        if jobs:
            self._by_key[key] = jobs
        return job
