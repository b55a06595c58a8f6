"""A monotonic wall clock for turn clocks, rate limits and stored events."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Seconds since 1970: the system time at the start of the process, advanced by the monotonic clock.

    Later changes of the system clock have no effect until the next start.
    """

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def time(self) -> float:
        """The current time."""
        return time.monotonic() + self._offset

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
