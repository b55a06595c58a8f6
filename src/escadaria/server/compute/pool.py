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
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

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
    """The time that a worker computed, set when the job is done."""
    tries: int = 0


class Pool:
    """Worker processes for one kind of work. They start on demand and end when idle."""

    def __init__(
        self,
        name: str,
        *,
        processes: int = 1,
        queue: int = 100,
        queue_each: int = 25,
        seconds: float = 10.0,
        nice: int = 0,
        idle_seconds: float = 300.0,
    ) -> None:
        self.name = name
        self.processes = processes
        self.queue = queue
        """The maximum number of running and waiting jobs, for each of the two priorities."""
        self.queue_each = queue_each
        """The maximum number of waiting jobs per key."""
        self.seconds = seconds
        """The time limit of a job, after which its worker is killed."""
        self.nice = nice
        self.idle_seconds = idle_seconds
        self.deaths = 0
        """The number of workers that died or were killed."""
        self._queues = (_Queue(), _Queue())  # first, and others
        self.running = 0
        """The number of running jobs."""
        self._workers: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._mean_seconds = 0.0  # of a job, for Retry-After
        self._closed = False

    @property
    def waiting(self) -> int:
        """The number of waiting jobs."""
        return sum(len(queue) for queue in self._queues)

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that have started."""
        return [worker.pid for worker in self._workers if worker.pid is not None]

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
            raise Refused("closing", "the server is shutting down", 5)
        queue = self._queues[not first]
        if self.running + len(queue) >= self.queue or queue.count(key) >= self.queue_each:
            metrics.QUEUE_REFUSALS.labels(self.name).inc()
            raise Refused("busy", f"too many {self.name} are waiting", self._wait_seconds())
        call = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        job = Job[T](call, key, first, asyncio.get_running_loop().create_future())
        queue.push(job)
        self._assign()
        return job

    def ahead(self, job: Job[Any]) -> int:
        """An upper bound of the number of jobs before a waiting job; 0 if it is running or done."""
        place = self._queues[not job.first].ahead(job)
        if place is None:
            return 0
        return place + self.running + (0 if job.first else len(self._queues[0]))

    def start(self) -> None:
        """Start a worker if there is none, so that the first job does not wait for it."""
        if not self._workers and not self._closed:
            self._add_worker()

    async def close(self, seconds: float = 2.0) -> None:
        """Kill the workers and refuse the waiting jobs. Return after ``seconds`` at most."""
        self._closed = True
        for queue in self._queues:
            while (job := queue.pop()) is not None:
                _fail(job, Refused("closing", "the server is shutting down", 5))
        for worker in self._workers:
            self._spawn(worker.end())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._tasks:
                    await asyncio.wait(self._tasks)

    # Jobs.

    def _assign(self) -> None:
        """Give waiting jobs to idle workers, and start one more worker if all are busy."""
        metrics.QUEUE.labels(self.name).set(self.waiting)
        for worker in [worker for worker in self._idle if not worker.alive]:
            self._idle.remove(worker)
            self._discard(worker, "died")
        while self._idle and (job := self._next()) is not None:
            self.running += 1
            self._spawn(self._run(self._idle.pop(), job))
        starting = sum(not worker.ready for worker in self._workers)
        if self.waiting > starting and len(self._workers) < self.processes and not self._closed:
            self._add_worker()

    def _next(self) -> Job[Any] | None:
        for queue in self._queues:
            while (job := queue.pop()) is not None:
                if not job.future.done():  # cancelled by the caller
                    return job
        return None

    async def _run(self, worker: _Worker, job: Job[Any]) -> None:
        started = time.monotonic()
        metrics.WAIT_SECONDS.labels(self.name).observe(started - job.created)
        worker.retire.cancel()
        job.tries += 1
        try:
            async with asyncio.timeout(self.seconds):
                answer = await worker.ask(job.call)
        except (TimeoutError, EOFError, OSError) as error:
            job.seconds += time.monotonic() - started
            self._discard(worker, "took too long" if isinstance(error, TimeoutError) else "died")
            if self._closed:
                _fail(job, Refused("closing", "the server is shutting down", 5))
            elif isinstance(error, TimeoutError) or job.tries == _MAX_TRIES:
                _fail(job, Refused("busy", "the computation took too long or failed, try later", 60))
            else:
                self._queues[not job.first].push_front(job)
        else:
            job.seconds += time.monotonic() - started
            self._mean_seconds += (job.seconds - self._mean_seconds) / 8
            metrics.WORK_SECONDS.labels(self.name).observe(job.seconds)
            self._make_idle(worker)
            _finish(job, answer)
        finally:
            self.running -= 1
        self._assign()

    def _wait_seconds(self) -> float:
        return max(1.0, self.waiting * self._mean_seconds / self.processes)

    # Workers.

    def _add_worker(self) -> None:
        worker = _Worker()
        self._workers.add(worker)
        self._spawn(self._start(worker))

    async def _start(self, worker: _Worker) -> None:
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker.start(self.nice)
        except (TimeoutError, EOFError, OSError):
            self._discard(worker, "did not start")
            job = self._next()  # refuse one job per failed start, so that none waits forever
            if job is not None:
                _fail(job, Refused("busy", "no worker process can be started, try later", 60))
        else:
            self._make_idle(worker)
        self._assign()

    def _make_idle(self, worker: _Worker) -> None:
        if self._closed:
            self._spawn(worker.end())
            return
        self._idle.append(worker)
        worker.retire = asyncio.get_running_loop().call_later(self.idle_seconds, self._end_idle, worker)

    def _end_idle(self, worker: _Worker) -> None:
        if worker in self._idle:
            self._idle.remove(worker)
            self._workers.discard(worker)
            self._spawn(worker.end())

    def _discard(self, worker: _Worker, why: str) -> None:
        self._workers.discard(worker)
        self._spawn(worker.end())
        if not self._closed:
            self.deaths += 1
            metrics.WORKER_DEATHS.labels(self.name).inc()
            log.warning("a worker was replaced", extra={"pool": self.name, "why": why})

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a pool failed", extra={"pool": self.name}, exc_info=task.exception())


class WorkerFailed(Exception):
    """A function raised an exception in a worker. The message is the traceback."""


def _finish(job: Job[Any], answer: Answer) -> None:
    if answer.refusal is not None:
        code, message, ruling = answer.refusal
        refused = Refused(code, message)
        refused.ruling = ruling
        _fail(job, refused)
    elif answer.failure:
        _fail(job, WorkerFailed(answer.failure))
    elif not job.future.done():
        job.future.set_result(answer.result)


def _fail(job: Job[Any], error: Exception) -> None:
    if not job.future.done():
        job.future.set_exception(error)


class _Queue:
    """A fair queue: jobs by key, with the keys served round-robin."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, deque[Job[Any]]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._by_key.values()))

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
        key, jobs = next(iter(self._by_key.items()))
        job = jobs.popleft()
        if jobs:
            self._by_key.move_to_end(key)
        else:
            del self._by_key[key]
        return job

    def ahead(self, job: Job[Any]) -> int | None:
        """The number of jobs before a job; None if it is not in the queue."""
        own = self._by_key.get(job.key, ())
        if job not in own:
            return None
        place = own.index(job)
        keys = list(self._by_key)
        earlier = keys.index(job.key)
        return place + sum(
            min(len(self._by_key[key]), place + (number < earlier))
            for number, key in enumerate(keys)
            if key != job.key
        )


class _Worker:
    """A worker process, which runs one call at a time."""

    def __init__(self) -> None:
        self.ready = False
        self.retire = asyncio.get_running_loop().call_later(0, lambda: None)
        self._process: asyncio.subprocess.Process | None = None
        self._ended = False

    async def start(self, nice: int) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-c", _PROGRAM, str(nice),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=_environment(),
        )  # fmt: skip
        if self._ended:
            raise EOFError("ended before it started")
        await self._read()
        self.ready = True

    @property
    def alive(self) -> bool:
        """Whether the process has not exited."""
        return self._process is None or self._process.returncode is None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    async def ask(self, call: bytes) -> Answer:
        assert self._process is not None and self._process.stdin is not None, "it was started"
        self._process.stdin.writelines((HEADER.pack(len(call)), call))
        await self._process.stdin.drain()
        answer: Answer = pickle.loads(await self._read())
        return answer

    async def _read(self) -> bytes:
        assert self._process is not None and self._process.stdout is not None, "it was started"
        (length,) = HEADER.unpack(await self._process.stdout.readexactly(HEADER.size))
        return await self._process.stdout.readexactly(length)

    async def end(self) -> None:
        """Kill the process and wait for its exit."""
        self._ended = True
        self.retire.cancel()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


def _environment() -> dict[str, str]:
    """The server's environment and import path, with NumPy limited to one thread."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return os.environ | threads | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
