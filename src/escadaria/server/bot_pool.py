"""Bots think, and matches are analysed, in processes of their own, so that nobody's move waits for them."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from typing import Any, TypeVar

from escadaria import bots, catalogue
from escadaria.game import AnyGame
from escadaria.server.messages import Refused

T = TypeVar("T")


class BotPool:
    """Thinks about questions, one after the other, with a bounded number waiting."""

    def __init__(self, workers: int, queue: int) -> None:
        self.workers = workers
        self.queue = queue
        self.waiting = 0
        self._pool: ProcessPoolExecutor | None = None

    async def decide(self, game: AnyGame, state: object, bot: str) -> str:
        """What the bot does at this position, as a text. :raises Refused: ``busy``, if too many wait."""
        return await self.run(_decide, game.name, tuple(game.options.items()), str(state), bot)

    async def run(self, function: Callable[..., T], *question: Any) -> T:
        """What the function answers, in a worker. :raises Refused: ``busy``, if too many wait."""
        if self.waiting >= self.queue:
            raise Refused("busy", "too many bots are thinking, or too many matches are being analysed")
        self.waiting += 1
        try:
            return await self._ask(function, *question)
        finally:
            self.waiting -= 1

    async def _ask(self, function: Callable[..., T], *question: Any) -> T:
        """Ask a worker; when one has died (out of memory, killed), ask again with new ones, once."""
        loop, pool = asyncio.get_running_loop(), self._started()
        try:
            return await loop.run_in_executor(pool, function, *question)
        except BrokenProcessPool:
            if self._pool is pool:  # or somebody else has seen it first
                self._pool = None
            return await loop.run_in_executor(self._started(), function, *question)

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Forking a process that has threads is unsafe; a fresh one costs a moment, once.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin)
        return self._pool

    async def close(self) -> None:
        """Let the workers go, after what they think about just now."""
        if self._pool is not None:
            await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)


def _begin() -> None:
    """Leave Ctrl-C to the server, and end with it even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_server, daemon=True).start()


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    assert server is not None, "started by a server"
    server.join()
    os._exit(0)


def _decide(name: str, options: tuple[tuple[str, int | str], ...], state: str, bot: str) -> str:
    game, decide = _made(name, options, bot)
    return str(decide(game, game.parse_state(state)))


@lru_cache(maxsize=256)
def _made(name: str, options: tuple[tuple[str, int | str], ...], bot: str) -> tuple[AnyGame, bots.Bot]:
    game = catalogue.load(name, **dict(options))
    return game, bots.load(bot, game)
