"""A bus between simulated servers that loses, delays and doubles messages."""

from __future__ import annotations

import asyncio
import random

from escadaria.bus import Lost, Message, Stored
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

    def send(self, sender: MemoryBus, message: Message) -> None:
        if isinstance(message, Stored) and (
            not self.with_events or any(event.hidden for event, _ in message.events)
        ):
            message = Stored(message.match, message.version)
        for bus in self.buses:
            if bus is sender or message.match not in bus.matches:
                continue
            for _ in range(2 if self.rng.random() < self.doubled else 1):
                if self.down or self.rng.random() < self.lost:
                    continue
                seconds = self.rng.uniform(0.0003, 3.0 if self.rng.random() < self.late else 0.002)
                asyncio.get_running_loop().call_later(seconds, bus.receive, message)

    def restore(self) -> None:
        """Connect all servers again."""
        self.down = False
        for bus in self.buses:
            bus.receive(Lost())
