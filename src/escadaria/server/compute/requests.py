"""Requests to the worker processes: for bots, hints, replays and analyses.

Each kind of work has its own pool. Requests are charged to the rate limit of their address in seconds of
computing, estimated before and corrected after. Large answers are encoded and compressed by the worker.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import msgspec

from escadaria.bodies import PositionRequest
from escadaria.game import AnyGame
from escadaria.match.match import Match
from escadaria.record import REAL, Record, read
from escadaria.refusals import Refused
from escadaria.server.compute import answers
from escadaria.server.compute.pool import Job, Pool
from escadaria.server.edge.limits import Limits, subnet
from escadaria.settings import Settings
from escadaria.wire import Evaluation

RECORD_BYTES = 200_000
"""The maximum size of a request with a record file."""

ANALYSIS_WAIT_SECONDS = 2.0
"""How long a request waits for an analysis before it is answered with ``Waiting``."""

_CACHED_ANSWERS, _CACHED_BYTES = 500, 16_000_000
_FAILURES_KEPT = 100

_POSITION_SECONDS, _ROLLS_SECONDS = 0.03, 0.2
_REPLAY_SECONDS, _ANALYSIS_SECONDS = 0.0001, 0.01  # per ply
_MIN_SECONDS = 0.01

T = TypeVar("T")


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """The analysis is not ready: repeat the request."""

    ahead: int
    """An upper bound of the number of jobs before it."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a worker makes a record from: a finished match, or a record file."""

    key: str
    """Names it in the cache."""
    plies: int
    """An upper bound of their number."""
    record: Callable[[], Record]
    """Makes the record, which replays it."""

    @classmethod
    def of_match(cls, match: Match, date: str) -> Source:
        """:raises Refused: ``running`` unless the match is over."""
        play, proof = match.play, match.proof
        if play is None or match.status != "over":
            raise Refused("running", "the match is not over")
        plies, remarks = tuple(play.plies), tuple(play.remarks)
        dice = "fair" if proof else REAL
        record = partial(Record, match.game, play.seats, plies, remarks, date, dice, proof, play.start)
        return cls(f"{match.id} {match.version}", len(plies), record)

    @classmethod
    def of_text(cls, text: str) -> Source:
        """:raises Refused: ``too_large``, without parsing it."""
        commas, lines = text.count(","), text.count("\n")
        if max(commas, lines) > answers.MAX_PLIES:
            raise answers.too_large()
        key = hashlib.sha256(text.encode(errors="replace")).hexdigest()
        return cls(key, commas + lines, partial(read, text))


class Compute:
    """All worker processes of a server."""

    def __init__(self, settings: Settings, limits: Limits) -> None:
        self.bots = Pool(
            "bots",
            processes=settings.bot_workers,
            queue=settings.bot_queue,
            queue_each=_per_key(settings.bot_queue),
            seconds=20,
        )
        self.hints = Pool("hints", seconds=20, nice=5)
        self.replays = Pool("replays", seconds=30, nice=10)
        self.analyses = Pool(
            "analyses",
            queue=settings.analysis_queue,
            queue_each=_per_key(settings.analysis_queue),
            seconds=180,
            nice=15,
        )
        self._limits = limits
        self._cache = _Cache(_CACHED_ANSWERS, _CACHED_BYTES)
        self._jobs: dict[str, Job[bytes]] = {}  # unfinished ones by key, and the latest failed ones

    async def close(self, seconds: float = 2.0) -> None:
        """Kill all workers, in ``seconds`` at most."""
        pools = (self.bots, self.hints, self.replays, self.analyses)
        await asyncio.gather(*(pool.close(seconds) for pool in pools))

    # Single positions.

    def prepare(self) -> None:
        """Start the worker processes of the bots, so that they are ready soon."""
        self.bots.start()

    async def decide(
        self, game: AnyGame, state: object, bot: str, *, key: str = "", awaited: bool = True
    ) -> str:
        """The action of a bot at a position. It has low priority unless ``awaited`` by a person.

        :param key: the key of the fair queue, such as the opener of the table.
        :raises Refused: ``busy`` if the queue is full.
        """
        return await self.bots.run(answers.decide, game, str(state), bot, key=subnet(key), first=awaited)

    async def hint(
        self, game: AnyGame, state: object, bot: str, *, key: str = ""
    ) -> tuple[str, Evaluation | None]:
        """The best action and its evaluation; without an evaluator the bot's action and None.

        :raises Refused: ``busy`` if the queue is full.
        """
        return await self.hints.run(answers.hint, game, str(state), bot, key=subnet(key))

    async def position(self, request: PositionRequest, address: str) -> bytes:
        """A ``PositionSeen``. :raises GameError: as ``answers.position``; Refused: ``busy``, ``too_fast``."""
        return await self._submit(self.hints, address, _POSITION_SECONDS, answers.position, request).future

    async def rolls(self, request: PositionRequest, address: str) -> bytes:
        """A ``RollsView``. :raises GameError: as ``answers.rolls``; Refused: ``busy``, ``too_fast``."""
        return await self._submit(self.replays, address, _ROLLS_SECONDS, answers.rolls, request).future

    # Whole matches.

    async def record(self, source: Source, address: str) -> bytes:
        """The record as text. :raises Refused: ``busy``, ``too_fast``."""
        return await self._cached(answers.record_text, source, self.replays, address, _REPLAY_SECONDS)

    async def replay(self, source: Source, address: str) -> bytes:
        """A ``Replay``. :raises Refused: ``busy``, ``too_fast``, ``too_large``. :raises BadRecord:"""
        return await self._cached(answers.replay, source, self.replays, address, _REPLAY_SECONDS)

    async def analysis(self, source: Source, address: str) -> bytes | Waiting:
        """An ``AnalysisView``, or ``Waiting`` if it takes longer.

        :raises Refused: ``busy``, ``too_fast``, ``too_large``, ``no_evaluator``. :raises BadRecord:
        """
        try:
            async with asyncio.timeout(ANALYSIS_WAIT_SECONDS):
                return await self._cached(answers.analyse, source, self.analyses, address, _ANALYSIS_SECONDS)
        except TimeoutError:
            job = self._jobs.get(_key(answers.analyse, source))
            return Waiting(ahead=self.analyses.ahead(job) if job else 0)

    async def _cached(
        self,
        function: Callable[[Callable[[], Record]], bytes],
        source: Source,
        pool: Pool,
        address: str,
        seconds: float,
    ) -> bytes:
        """The answer from the cache, from a running job, or from a new job; ``seconds`` is for each ply."""
        key = _key(function, source)
        found = self._cache.get(key)
        if found is not None:
            return found
        job = self._jobs.get(key)
        if job is None:
            job = self._submit(pool, address, source.plies * seconds, function, source.record)
            self._jobs[key] = job
            job.future.add_done_callback(lambda future: self._finished(key, future))
        try:
            return await asyncio.shield(job.future)
        finally:
            if job.future.done():
                self._jobs.pop(key, None)

    def _finished(self, key: str, future: asyncio.Future[bytes]) -> None:
        if future.cancelled() or future.exception() is not None:
            failed = [key for key, job in self._jobs.items() if job.future.done()]
            for old in failed[: max(0, len(failed) - _FAILURES_KEPT)]:
                del self._jobs[old]
        else:
            self._cache.put(key, future.result())
            self._jobs.pop(key, None)

    def _submit(
        self, pool: Pool, address: str, seconds: float, function: Callable[..., T], *arguments: Any
    ) -> Job[T]:
        """Queue a job and charge it to the address. :raises Refused: ``busy``, ``too_fast``."""
        estimate = max(_MIN_SECONDS, seconds)
        self._limits.take(address, "work", estimate)
        try:
            job = pool.submit(function, *arguments, key=subnet(address))
        except Exception:
            self._limits.charge(address, "work", -estimate)
            raise
        job.future.add_done_callback(lambda _: self._limits.charge(address, "work", job.seconds - estimate))
        return job


class _Cache:
    """An LRU cache of answers, bounded in number and bytes."""

    def __init__(self, max_answers: int, max_bytes: int) -> None:
        self.max_answers, self.max_bytes = max_answers, max_bytes
        self.size = 0
        self._answers: OrderedDict[str, bytes] = OrderedDict()

    def get(self, key: str) -> bytes | None:
        found = self._answers.get(key)
        if found is not None:
            self._answers.move_to_end(key)
        return found

    def put(self, key: str, answer: bytes) -> None:
        self.size += len(answer) - len(self._answers.get(key, b""))
        self._answers[key] = answer
        while len(self._answers) > self.max_answers or self.size > self.max_bytes:
            self.size -= len(self._answers.popitem(last=False)[1])


def _key(function: Callable[..., bytes], source: Source) -> str:
    return f"{function.__name__} {source.key}"


def _per_key(queue: int) -> int:
    """The maximum number of waiting jobs per key in a pool with this queue."""
    return max(2, queue // 4)
