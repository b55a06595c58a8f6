"""The bus between workers of one process; with a single worker it does nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from escadaria.bus import UNKNOWN, Receive, Sent


class Exchange:
    """Connects the buses of all workers."""

    def __init__(self) -> None:
        self.buses: list[MemoryBus] = []

    def bus(self, worker: str, *, shared: bool = False) -> MemoryBus:
        """A bus for one more worker."""
        return MemoryBus(self, worker, shared)

    def send(self, sender: MemoryBus, match: str, version: int, events: Sequence[Sent]) -> None:
        """Pass a message to the other workers that have subscribed to the match."""
        for bus in self.buses:
            if bus is not sender and match in bus.matches:
                asyncio.get_running_loop().call_soon(bus.receive, match, version, events)


class MemoryBus:
    """A :class:`~escadaria.bus.Bus` in memory."""

    def __init__(self, exchange: Exchange, worker: str, shared: bool) -> None:
        self.worker = worker
        self.shared = shared
        self.connected = True
        self.matches: set[str] = set()
        self._exchange = exchange
        self._receive: Receive | None = None

    async def start(self, receive: Receive) -> None:
        self._receive = receive
        self._exchange.buses.append(self)

    def publish(self, match: str, version: int = UNKNOWN, events: Sequence[Sent] = ()) -> None:
        if len(self._exchange.buses) > 1:
            self._exchange.send(self, match, version, events)

    def receive(self, match: str, version: int, events: Sequence[Sent]) -> None:
        """Receive a message of another worker."""
        if self._receive is not None and match in self.matches:
            self._receive(match, version, events)

    def subscribe(self, match: str) -> None:
        if self.shared and match not in self.matches:
            self.matches.add(match)
            asyncio.get_running_loop().call_soon(self.receive, match, UNKNOWN, ())

    def unsubscribe(self, match: str) -> None:
        self.matches.discard(match)

    async def close(self) -> None:
        self._receive = None
        if self in self._exchange.buses:
            self._exchange.buses.remove(self)
