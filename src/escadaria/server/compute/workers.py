"""The worker pools of the server, for bots, hints, replays and analyses.

Each kind of work has its own pool. Requests are charged to the rate limit of their address in seconds of
computing, estimated before and corrected after. Large answers are encoded and compressed by the worker.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from escadaria.game import AnyGame
from escadaria.match.match import Match
from escadaria.server.compute import coach, replays, worker
from escadaria.server.compute.coach import Waiting
from escadaria.server.compute.pool import Job, Pool
from escadaria.server.edge.limits import Limits, subnet
from escadaria.server.settings import Settings
from escadaria.wire import Evaluation, PositionRequest

ANALYSIS_WAIT_SECONDS = 2.0
"""How long a request waits for an analysis before it is answered with ``Waiting``."""

_CACHED_ANSWERS, _CACHED_BYTES = 500, 16_000_000
_FAILURES_KEPT = 100

_POSITION_SECONDS, _ROLLS_SECONDS = 0.03, 0.2
_REPLAY_SECONDS, _ANALYSIS_SECONDS = 0.0001, 0.01  # per ply
_MIN_SECONDS = 0.01

T = TypeVar("T")


class Workers:
    """All worker processes of a server."""

    def __init__(self, settings: Settings, limits: Limits) -> None:
        self.bots = Pool(
            "bots",
            processes=settings.bot_workers,
            queue=settings.bot_queue,
            queue_each=_per_key(settings.bot_queue),
            seconds=20,
        )
        self.hints = Pool("hints", queue=100, queue_each=25, seconds=20, nice=5)
        self.replays = Pool("replays", queue=100, queue_each=25, seconds=30, nice=10)
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

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All pools."""
        return self.bots, self.hints, self.replays, self.analyses

    async def close(self, seconds: float = 2.0) -> None:
        """Kill all workers, in ``seconds`` at most."""
        await asyncio.gather(*(pool.close(seconds) for pool in self.pools))

    # Single positions.

    async def decide(
        self, game: AnyGame, state: object, bot: str, *, key: str = "", awaited: bool = True
    ) -> str:
        """The action of a bot at a position. It has low priority unless ``awaited`` by a person.

        :param key: the key of the fair queue, such as the opener of the table.
        :raises Refused: ``busy`` if the queue is full.
        """
        options = tuple(game.options.items())
        return await self.bots.run(
            worker.decide, game.name, options, str(state), bot, key=subnet(key), first=awaited
        )

    async def hint(
        self, game: AnyGame, state: object, bot: str, *, key: str = ""
    ) -> tuple[str, Evaluation | None]:
        """The best action and its evaluation; without an evaluator the bot's action and None.

        :raises Refused: ``busy`` if the queue is full.
        """
        options = tuple(game.options.items())
        return await self.hints.run(coach.hint, game.name, options, str(state), bot, key=subnet(key))

    async def position(self, request: PositionRequest, address: str) -> bytes:
        """A ``PositionSeen``. :raises GameError: as ``coach.position``; Refused: ``busy``, ``too_fast``."""
        return await self._submit(self.hints, address, _POSITION_SECONDS, coach.position, request).future

    async def rolls(self, request: PositionRequest, address: str) -> bytes:
        """A ``RollsView``. :raises GameError: as ``coach.rolls``; Refused: ``busy``, ``too_fast``."""
        return await self._submit(self.replays, address, _ROLLS_SECONDS, coach.rolls, request).future

    # Whole matches.

    async def record(self, match: Match, date: str, address: str) -> bytes:
        """The record of a finished match, as text."""
        played = replays.played(match, date)
        seconds = len(played.plies) * _REPLAY_SECONDS
        key = f"record {match.id} {match.version}"
        return await self._cached(key, self.replays, address, seconds, replays.record_text, played)

    async def replay(self, match: Match, date: str, address: str) -> bytes:
        """A ``Replay`` of a finished match. :raises Refused: ``busy``, ``too_fast``, ``too_large``."""
        played = replays.played(match, date)
        seconds = len(played.plies) * _REPLAY_SECONDS
        key = f"replay {match.id} {match.version}"
        return await self._cached(key, self.replays, address, seconds, replays.replay_match, played)

    async def replay_text(self, text: str, address: str) -> bytes:
        """A ``Replay`` of a record file. :raises Refused: ``busy``, ``too_fast``, ``too_large``."""
        seconds = replays.max_plies(text) * _REPLAY_SECONDS
        return await self._cached(
            _key("replay", text), self.replays, address, seconds, replays.replay_text, text
        )

    async def analysis(self, match: Match, date: str, address: str) -> bytes | Waiting:
        """An ``AnalysisView`` of a finished match, or ``Waiting`` if it takes longer.

        :raises Refused: ``busy``, ``too_fast``, ``too_large``, ``no_evaluator``.
        """
        played = replays.played(match, date)
        seconds = len(played.plies) * _ANALYSIS_SECONDS
        key = f"analysis {match.id} {match.version}"
        return await self._analyse(key, address, seconds, coach.analyse_match, played)

    async def analysis_text(self, text: str, address: str) -> bytes | Waiting:
        """An ``AnalysisView`` of a record file, or ``Waiting``."""
        seconds = replays.max_plies(text) * _ANALYSIS_SECONDS
        return await self._analyse(_key("analysis", text), address, seconds, coach.analyse_text, text)

    async def _analyse(
        self, key: str, address: str, seconds: float, function: Callable[..., bytes], *arguments: Any
    ) -> bytes | Waiting:
        try:
            async with asyncio.timeout(ANALYSIS_WAIT_SECONDS):
                return await self._cached(key, self.analyses, address, seconds, function, *arguments)
        except TimeoutError:
            return Waiting(ahead=self.analyses.ahead(self._jobs[key]) if key in self._jobs else 0)

    async def _cached(
        self,
        key: str,
        pool: Pool,
        address: str,
        seconds: float,
        function: Callable[..., bytes],
        *arguments: Any,
    ) -> bytes:
        """The answer with this key, from the cache, a running job or a new job."""
        found = self._cache.get(key)
        if found is not None:
            return found
        job = self._jobs.get(key)
        if job is None:
            job = self._jobs[key] = self._submit(pool, address, seconds, function, *arguments)
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


def _key(kind: str, text: str) -> str:
    return f"{kind} {hashlib.sha256(text.encode(errors='replace')).hexdigest()}"


def _per_key(queue: int) -> int:
    """The maximum number of waiting jobs per key in a pool with this queue."""
    return max(2, queue // 4)
