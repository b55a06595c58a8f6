"""Worker processes for one kind of work, with fair queues.

Jobs of one key (an address, say) wait in a queue of their own, and the workers serve the queues in turn: one
address with hundreds of jobs delays another address by one job. The number of waiting jobs is bounded, by
key and in all. A worker that takes too long is killed; one that dies is replaced.
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
from escadaria.server.worker import HEADER, Answer

log = logging.getLogger(__name__)

T = TypeVar("T")

_PROGRAM = "from escadaria.server.worker import main; main()"
_START_SECONDS = 60.0  # a busy machine takes some seconds to start Python and import NumPy
_TRIES = 2


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
    """How long a worker has computed, once the job is done."""
    tries: int = 0


class Pool:
    """Worker processes for one kind of work. They start when needed and end when idle."""

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
        """How many jobs may run and wait in all; as many again if they are not ``first``."""
        self.queue_each = queue_each
        """How many jobs of one key may wait."""
        self.seconds = seconds
        """After how long a job is given up and its worker killed."""
        self.nice = nice
        self.idle_seconds = idle_seconds
        self.deaths = 0
        """How many workers died or were killed since they took too long."""
        self._queues = (_Queue(), _Queue())  # those that somebody waits for, and the others
        self.running = 0
        """How many jobs workers compute just now."""
        self._workers: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._mean_seconds = 0.0  # of a job, for Retry-After
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many jobs wait for a worker."""
        return sum(len(queue) for queue in self._queues)

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that have started."""
        return [worker.pid for worker in self._workers if worker.pid is not None]

    async def run(self, function: Callable[..., T], *arguments: Any, key: str = "", first: bool = True) -> T:
        """Call a function in a worker and return its result.

        :raises Refused: as ``submit`` does; ``busy`` if the worker died or took too long.
        :raises GameError: as the function does.
        :raises WorkerFailed: if the function raises anything else.
        """
        return await self.submit(function, *arguments, key=key, first=first).future

    def submit(
        self, function: Callable[..., T], *arguments: Any, key: str = "", first: bool = True
    ) -> Job[T]:
        """Queue a call; its ``future`` brings the result. Jobs that are not ``first`` come after all others.

        :raises Refused: ``busy``, if too many wait; ``closing``, if the server shuts down.
        """
        if self._closed:
            raise Refused("closing", "the server shuts down", 5)
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
        """At most how many jobs that run or wait now come before a waiting job; 0 if it runs or is done."""
        place = self._queues[not job.first].ahead(job)
        if place is None:
            return 0
        return place + self.running + (0 if job.first else len(self._queues[0]))

    def start(self) -> None:
        """Start a worker if there is none, so that the first job need not wait for it."""
        if not self._workers and not self._closed:
            self._add_worker()

    async def close(self, seconds: float = 2.0) -> None:
        """Kill the workers whatever they do, refuse what waits, and return after ``seconds`` at most."""
        self._closed = True
        for queue in self._queues:
            while (job := queue.pop()) is not None:
                _fail(job, Refused("closing", "the server shuts down", 5))
        for worker in self._workers:
            self._spawn(worker.end())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._tasks:
                    await asyncio.wait(self._tasks)

    # Jobs meet workers.

    def _assign(self) -> None:
        """Give waiting jobs to idle workers, and start one more worker if all are busy."""
        metrics.QUEUE.labels(self.name).set(self.waiting)
        for worker in [worker for worker in self._idle if not worker.alive]:
            self._idle.remove(worker)
            self._lost(worker, "died")
        while self._idle and (job := self._next()) is not None:
            self.running += 1
            self._spawn(self._do(self._idle.pop(), job))
        starting = sum(not worker.ready for worker in self._workers)
        if self.waiting > starting and len(self._workers) < self.processes and not self._closed:
            self._add_worker()

    def _next(self) -> Job[Any] | None:
        for queue in self._queues:
            while (job := queue.pop()) is not None:
                if not job.future.done():  # or whoever asked has gone
                    return job
        return None

    async def _do(self, worker: _Worker, job: Job[Any]) -> None:
        started = time.monotonic()
        metrics.WAIT_SECONDS.labels(self.name).observe(started - job.created)
        worker.retire.cancel()
        job.tries += 1
        try:
            async with asyncio.timeout(self.seconds):
                answer = await worker.ask(job.call)
        except (TimeoutError, EOFError, OSError) as error:
            job.seconds += time.monotonic() - started
            self._lost(worker, "took too long" if isinstance(error, TimeoutError) else "died")
            if self._closed:
                _fail(job, Refused("closing", "the server shuts down", 5))
            elif isinstance(error, TimeoutError) or job.tries == _TRIES:
                _fail(job, Refused("busy", "the computation took too long or failed, try later", 60))
            else:
                self._queues[not job.first].push_front(job)
        else:
            job.seconds += time.monotonic() - started
            self._mean_seconds += (job.seconds - self._mean_seconds) / 8
            metrics.WORK_SECONDS.labels(self.name).observe(job.seconds)
            self._rest(worker)
            _finish(job, answer)
        finally:
            self.running -= 1
        self._assign()

    def _wait_seconds(self) -> float:
        return max(1.0, self.waiting * self._mean_seconds / self.processes)

    # Workers come and go.

    def _add_worker(self) -> None:
        worker = _Worker()
        self._workers.add(worker)
        self._spawn(self._start(worker))

    async def _start(self, worker: _Worker) -> None:
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker.start(self.nice)
        except (TimeoutError, EOFError, OSError):
            self._lost(worker, "did not start")
            job = self._next()  # one job is answered for each failed start: nobody waits for ever
            if job is not None:
                _fail(job, Refused("busy", "no worker process can be started, try later", 60))
        else:
            self._rest(worker)
        self._assign()

    def _rest(self, worker: _Worker) -> None:
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

    def _lost(self, worker: _Worker, why: str) -> None:
        self._workers.discard(worker)
        self._spawn(worker.end())
        if not self._closed:
            self.deaths += 1
            metrics.WORKER_DEATHS.labels(self.name).inc()
            log.warning("a worker was replaced", extra={"pool": self.name, "why": why})

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a pool failed", extra={"pool": self.name}, exc_info=task.exception())


class WorkerFailed(Exception):
    """A function that ran in a worker raised an exception; the message is its traceback."""


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
    """Jobs by key; keys are served in turn."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, deque[Job[Any]]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._by_key.values()))

    def count(self, key: str) -> int:
        return len(self._by_key.get(key, ()))

    def push(self, job: Job[Any]) -> None:
        self._by_key.setdefault(job.key, deque()).append(job)

    def push_front(self, job: Job[Any]) -> None:
        """Put a job back that was taken."""
        self._by_key.setdefault(job.key, deque()).appendleft(job)
        self._by_key.move_to_end(job.key, last=False)

    def pop(self) -> Job[Any] | None:
        """The next job of the key whose turn it is; the key goes to the end."""
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
        """How many jobs here come before it, None if it is not here."""
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
    """A worker process. It takes one call at a time."""

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
        """Whether the process has not ended."""
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
        """Kill the process and wait until it is gone."""
        self._ended = True
        self.retire.cancel()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


def _environment() -> dict[str, str]:
    """Workers import from where the server does, and use one core each; NumPy would use all."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return os.environ | threads | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
