"""What the server computes in worker processes: moves of bots, hints, replays and analyses.

Each kind of work has a pool of its own, so that none keeps another waiting.
"""

from __future__ import annotations

import asyncio

from escadaria.game import AnyGame
from escadaria.server import coach, worker
from escadaria.server.messages import Advice
from escadaria.server.pool import Pool
from escadaria.server.settings import Settings


class Workers:
    """All worker processes of a server."""

    def __init__(self, settings: Settings) -> None:
        self.bots = Pool(
            "bots",
            processes=settings.bot_workers,
            queue=settings.bot_queue,
            queue_each=_each(settings.bot_queue),
            seconds=20,
        )
        self.hints = Pool("hints", queue=100, queue_each=25, seconds=20, nice=5)
        self.analyses = Pool(
            "analyses",
            queue=settings.analysis_queue,
            queue_each=_each(settings.analysis_queue),
            seconds=120,
            nice=10,
        )

    async def decide(
        self, game: AnyGame, state: object, bot: str, *, key: str = "", awaited: bool = True
    ) -> str:
        """What a bot does at a position. A bot that is ``awaited`` by nobody decides after all others.

        :param key: tables that share it, such as those of one address, share one turn in the queue.
        :raises Refused: ``busy``, if too many wait.
        """
        options = tuple(game.options.items())
        return await self.bots.run(worker.decide, game.name, options, str(state), bot, key=key, first=awaited)

    async def advise(self, game: AnyGame, state: object, *, key: str = "") -> Advice | None:
        """What a position is worth; None if no evaluator knows. :raises Refused: ``busy``."""
        return await self.hints.run(coach.advise, game.name, dict(game.options), str(state), key=key)

    async def close(self, seconds: float = 2.0) -> None:
        """End all workers, in ``seconds`` at most."""
        await asyncio.gather(*(pool.close(seconds) for pool in (self.bots, self.hints, self.analyses)))


def _each(queue: int) -> int:
    """How many jobs of one key may wait where ``queue`` may in all."""
    return max(2, queue // 4)
