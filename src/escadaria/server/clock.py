"""Time that never jumps: what the server's clocks, limits and stored events are counted in."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Seconds since 1970 as they were when the process started, counted on by the monotonic clock.

    A system clock that is set forward or back changes nothing here until the next start.
    """

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def time(self) -> float:
        """The time now."""
        return time.monotonic() + self._offset

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
