"""An event loop in virtual time: when nothing can run, its clock jumps to the next timer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stuck(Exception):
    """Nothing can run any more, and no timer is set."""


class _Selector:
    """In place of waiting for sockets, the clock advances."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise Stuck
        self._loop.now += timeout
        return []


class VirtualLoop(asyncio.BaseEventLoop):
    """The loop. It has no sockets, signals or threads."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._selector = _Selector(self)
        self._clock_resolution = 1e-9

    def time(self) -> float:
        return self.now

    def _process_events(self, events: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """Nobody calls from another thread."""


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in virtual time, then cancel all that it has left."""
    loop = VirtualLoop()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(main)
    finally:
        while tasks := asyncio.all_tasks(loop):  # tasks that are cancelled may start others
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        asyncio.set_event_loop(None)
        loop.close()
