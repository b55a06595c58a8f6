"""How much one client may ask for: a bucket that fills with time and is emptied by requests."""

from __future__ import annotations

import time


class Bucket:
    """Allows ``burst`` at once and ``rate`` a second in the long run."""

    __slots__ = ("burst", "level", "rate", "seen")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate = rate
        self.burst = burst
        self.level = burst
        self.seen = time.monotonic()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = time.monotonic()
        self.level = min(self.burst, self.level + (now - self.seen) * self.rate)
        self.seen = now
        if self.level < 1:
            return False
        self.level -= 1
        return True

    @property
    def full(self) -> bool:
        """Whether nothing was taken for so long that the bucket may be forgotten."""
        return self.level + (time.monotonic() - self.seen) * self.rate >= self.burst


class Buckets:
    """A bucket for each address. Full ones are forgotten, so memory stays bounded."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate = rate
        self.burst = burst
        self._by_address: dict[str, Bucket] = {}

    def take(self, address: str) -> bool:
        """Whether one more from this address is allowed now."""
        bucket = self._by_address.get(address)
        if bucket is None:
            bucket = self._by_address[address] = Bucket(self.rate, self.burst)
        return bucket.take()

    def sweep(self) -> None:
        """Forget the addresses that have been silent."""
        self._by_address = {address: b for address, b in self._by_address.items() if not b.full}
