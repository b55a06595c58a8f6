"""What the server computes in worker processes: moves of bots, hints, replays and analyses.

Each kind of work has a pool of its own, so that none keeps another waiting. What requests ask for is paid by
the address that asks: in seconds of computing, estimated before and corrected after. Answers that can be long
are JSON that a worker has encoded and compressed; the server passes them on as they are.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from escadaria.game import AnyGame
from escadaria.server import coach, replays, worker
from escadaria.server.coach import Waiting
from escadaria.server.limits import Limits, network_of
from escadaria.server.match import Match
from escadaria.server.messages import Advice, Position
from escadaria.server.pool import Job, Pool
from escadaria.server.settings import Settings

PATIENCE_SECONDS = 2.0
"""How long a request waits for an analysis before it is told to ask again."""

_CACHED_ANSWERS, _CACHED_BYTES = 500, 16_000_000
_FAILURES_KEPT = 100

_POSITION_SECONDS, _ROLLS_SECONDS = 0.03, 0.2
_REPLAY_SECONDS, _ANALYSIS_SECONDS = 0.0001, 0.01  # for a ply
_LEAST_SECONDS = 0.01

T = TypeVar("T")


class Workers:
    """All worker processes of a server."""

    def __init__(self, settings: Settings, limits: Limits) -> None:
        self.bots = Pool(
            "bots",
            processes=settings.bot_workers,
            queue=settings.bot_queue,
            queue_each=_each(settings.bot_queue),
            seconds=20,
        )
        self.hints = Pool("hints", queue=100, queue_each=25, seconds=20, nice=5)
        self.replays = Pool("replays", queue=100, queue_each=25, seconds=30, nice=10)
        self.analyses = Pool(
            "analyses",
            queue=settings.analysis_queue,
            queue_each=_each(settings.analysis_queue),
            seconds=180,
            nice=15,
        )
        self._limits = limits
        self._cache = _Cache(_CACHED_ANSWERS, _CACHED_BYTES)
        self._jobs: dict[str, Job[bytes]] = {}  # by what they answer; those that failed stay for a while

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All pools."""
        return self.bots, self.hints, self.replays, self.analyses

    async def close(self, seconds: float = 2.0) -> None:
        """End all workers whatever they compute, in ``seconds`` at most."""
        await asyncio.gather(*(pool.close(seconds) for pool in self.pools))

    # Short questions.

    async def decide(
        self, game: AnyGame, state: object, bot: str, *, key: str = "", awaited: bool = True
    ) -> str:
        """What a bot does at a position. A bot that is not ``awaited`` by a person decides after all others.

        :param key: tables that share it, such as those of one address, share one turn in the queue.
        :raises Refused: ``busy``, if too many wait.
        """
        options = tuple(game.options.items())
        return await self.bots.run(
            worker.decide, game.name, options, str(state), bot, key=network_of(key), first=awaited
        )

    async def hint(
        self, game: AnyGame, state: object, bot: str, *, key: str = ""
    ) -> tuple[str, Advice | None]:
        """The best action and what it is worth; where no evaluator knows, what the bot does, and None.

        :raises Refused: ``busy``, if too many wait.
        """
        options = tuple(game.options.items())
        return await self.hints.run(coach.hint, game.name, options, str(state), bot, key=network_of(key))

    async def position(self, asked: Position, address: str) -> bytes:
        """A ``PositionSeen``. :raises Refused: ``busy``, ``too_fast``. :raises GameError: if it is none."""
        return await self._submit(self.hints, address, _POSITION_SECONDS, coach.position, asked).future

    async def rolls(self, asked: Position, address: str) -> bytes:
        """A ``RollsView``. :raises Refused: ``busy``, ``too_fast``. :raises GameError: as ``coach.rolls``."""
        return await self._submit(self.replays, address, _ROLLS_SECONDS, coach.rolls, asked).future

    # Whole matches.

    async def record(self, match: Match, date: str, address: str) -> bytes:
        """The text of a match that is over."""
        played = replays.played(match, date)
        seconds = len(played.plies) * _REPLAY_SECONDS
        key = f"record {match.id} {match.version}"
        return await self._whole(key, self.replays, address, seconds, replays.record_text, played)

    async def replay(self, match: Match, date: str, address: str) -> bytes:
        """A ``Replay`` of a match that is over. :raises Refused: ``busy``, ``too_fast``, ``too_large``."""
        played = replays.played(match, date)
        seconds = len(played.plies) * _REPLAY_SECONDS
        key = f"replay {match.id} {match.version}"
        return await self._whole(key, self.replays, address, seconds, replays.replay_match, played)

    async def replay_text(self, text: str, address: str) -> bytes:
        """A ``Replay`` of a record file. :raises Refused: ``busy``, ``too_fast``, ``too_large``."""
        seconds = replays.most_plies(text) * _REPLAY_SECONDS
        return await self._whole(
            _key("replay", text), self.replays, address, seconds, replays.replay_text, text
        )

    async def analysis(self, match: Match, date: str, address: str) -> bytes | Waiting:
        """An ``AnalysisView`` of a match that is over, or how many others are before it.

        :raises Refused: ``busy``, ``too_fast``, ``too_large``, ``no_evaluator``.
        """
        played = replays.played(match, date)
        seconds = len(played.plies) * _ANALYSIS_SECONDS
        key = f"analysis {match.id} {match.version}"
        return await self._patiently(key, address, seconds, coach.analyse_match, played)

    async def analysis_text(self, text: str, address: str) -> bytes | Waiting:
        """The same of a record file."""
        seconds = replays.most_plies(text) * _ANALYSIS_SECONDS
        return await self._patiently(_key("analysis", text), address, seconds, coach.analyse_text, text)

    async def _patiently(
        self, key: str, address: str, seconds: float, function: Callable[..., bytes], *arguments: Any
    ) -> bytes | Waiting:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._whole(key, self.analyses, address, seconds, function, *arguments)
        except TimeoutError:
            return Waiting(ahead=self.analyses.ahead(self._jobs[key]) if key in self._jobs else 0)

    async def _whole(
        self,
        key: str,
        pool: Pool,
        address: str,
        seconds: float,
        function: Callable[..., bytes],
        *arguments: Any,
    ) -> bytes:
        """The answer with this key: from the cache, from a job that is under way, or from a new job."""
        found = self._cache.get(key)
        if found is not None:
            return found
        job = self._jobs.get(key)
        if job is None:
            job = self._jobs[key] = self._submit(pool, address, seconds, function, *arguments)
            job.future.add_done_callback(lambda future: self._keep(key, future))
        try:
            return await asyncio.shield(job.future)
        finally:
            if job.future.done():
                self._jobs.pop(key, None)

    def _keep(self, key: str, future: asyncio.Future[bytes]) -> None:
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
        """Queue a job that the address pays for. :raises Refused: ``busy``, ``too_fast``."""
        paid = max(_LEAST_SECONDS, seconds)
        self._limits.take(address, "work", paid)
        try:
            job = pool.submit(function, *arguments, key=network_of(address))
        except Exception:
            self._limits.charge(address, "work", -paid)
            raise
        job.future.add_done_callback(lambda _: self._limits.charge(address, "work", job.seconds - paid))
        return job


class _Cache:
    """The answers that were asked for last, bounded in number and bytes."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self.most, self.most_bytes = most, most_bytes
        self.size = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def get(self, key: str) -> bytes | None:
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: str, answer: bytes) -> None:
        self.size += len(answer) - len(self._kept.get(key, b""))
        self._kept[key] = answer
        while len(self._kept) > self.most or self.size > self.most_bytes:
            self.size -= len(self._kept.popitem(last=False)[1])


def _key(kind: str, text: str) -> str:
    return f"{kind} {hashlib.sha256(text.encode(errors='replace')).hexdigest()}"


def _each(queue: int) -> int:
    """How many jobs of one key may wait where ``queue`` may in all."""
    return max(2, queue // 4)
