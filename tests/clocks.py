"""Clocks of servers in the event loop of a test."""

from __future__ import annotations

import asyncio
import time

from escadaria.match.clock import Clock


class ShiftedClock(Clock):
    """A clock that is ahead by a number of seconds."""

    def __init__(self, ahead: float = 0.0) -> None:
        super().__init__()
        self.ahead = ahead

    def time(self) -> float:
        return super().time() + self.ahead


class ManualClock(Clock):
    """A clock that only the test advances."""

    def __init__(self) -> None:
        self.start = time.time()  # any time will do
        self.ahead = 0.0
        self.paces: list[float] = []
        self.slow_bots = False

    def time(self) -> float:
        return self.start + self.ahead

    async def sleep(self, seconds: float) -> None:
        self.paces.append(seconds)
        if self.slow_bots:  # slower than any test
            await asyncio.Event().wait()


class EndlessPauses(Clock):
    """A clock with which a bot that waits never acts."""

    async def sleep(self, seconds: float) -> None:
        await (asyncio.Event().wait() if seconds == 10 else super().sleep(seconds))
