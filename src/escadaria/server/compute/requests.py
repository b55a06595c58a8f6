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
    """Names its answers."""
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
        self._jobs: OrderedDict[str, Job[bytes]] = OrderedDict()  # running, and the last done, by key

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
        """The answer of an earlier job or of a new one; ``seconds`` is for each ply."""
        key = _key(function, source)
        if key not in self._jobs:
            self._jobs[key] = self._submit(pool, address, source.plies * seconds, function, source.record)
            self._jobs[key].future.add_done_callback(lambda _: self._forget())
        self._jobs.move_to_end(key)
        job = self._jobs[key]
        try:
            return await asyncio.shield(job.future)
        finally:
            if job.future.done() and not _size(job):  # it failed: the next request tries again
                self._jobs.pop(key, None)

    def _forget(self) -> None:
        """Forget the oldest answers if they are too many or too large."""
        done = {key: _size(job) for key, job in self._jobs.items() if job.future.done()}
        while len(done) > _CACHED_ANSWERS or sum(done.values()) > _CACHED_BYTES:
            oldest = next(iter(done))
            del done[oldest], self._jobs[oldest]

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


def _key(function: Callable[..., bytes], source: Source) -> str:
    return f"{function.__name__} {source.key}"


def _size(job: Job[bytes]) -> int:
    """The size of an answer; 0 if the job failed."""
    failed = job.future.cancelled() or job.future.exception() is not None
    return 0 if failed else len(job.future.result())


def _per_key(queue: int) -> int:
    """The maximum number of waiting jobs per key in a pool with this queue."""
    return max(2, queue // 4)
