"""A bus between simulated workers that loses, delays and doubles messages."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

from escadaria.bus import ALL, UNKNOWN, Sent
from escadaria.bus.memory import Exchange, MemoryBus


class Network(Exchange):
    """Passes messages on after a while, if at all."""

    def __init__(self, rng: random.Random, *, with_events: bool) -> None:
        super().__init__()
        self.rng = rng
        self.with_events = with_events
        """Whether messages contain the events, as with Redis, or versions only, as with PostgreSQL."""
        self.lost = self.doubled = self.late = 0.0
        """The shares of messages that are lost, doubled, and late."""
        self.down = False

    def send(self, sender: MemoryBus, match: str, version: int, events: Sequence[Sent]) -> None:
        if self.down or any(event.hidden for event, _ in events) or not self.with_events:
            events = ()
        for bus in self.buses:
            if bus is sender or match not in bus.matches:
                continue
            for _ in range(2 if self.rng.random() < self.doubled else 1):
                if self.down or self.rng.random() < self.lost:
                    continue
                seconds = self.rng.uniform(0.0003, 3.0 if self.rng.random() < self.late else 0.002)
                asyncio.get_running_loop().call_later(seconds, bus.receive, match, version, events)

    def restore(self) -> None:
        """Connect all workers again."""
        self.down = False
        for bus in self.buses:
            bus.matches.add(ALL)
            bus.receive(ALL, UNKNOWN, ())
            bus.matches.discard(ALL)
