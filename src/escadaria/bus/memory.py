"""The bus between servers of one process; with a single server it does nothing."""

from __future__ import annotations

import asyncio

from escadaria.bus import Changed, Lost, Message, Receive


class Exchange:
    """Connects the buses of all servers."""

    def __init__(self) -> None:
        self.buses: list[MemoryBus] = []

    def bus(self, server: str, *, shared: bool = False) -> MemoryBus:
        """A bus for one more server."""
        return MemoryBus(self, server, shared)

    def send(self, sender: MemoryBus, message: Message) -> None:
        """Pass a message to the other servers that have subscribed to its match."""
        for bus in self.buses:
            if bus is not sender and message.match in bus.matches:
                asyncio.get_running_loop().call_soon(bus.receive, message)


class MemoryBus:
    """A :class:`~escadaria.bus.Bus` in memory."""

    def __init__(self, exchange: Exchange, server: str, shared: bool) -> None:
        self.server = server
        self.shared = shared
        self.connected = True
        self.matches: set[str] = set()
        self._exchange = exchange
        self._receive: Receive | None = None

    async def start(self, receive: Receive) -> None:
        self._receive = receive
        self._exchange.buses.append(self)

    def publish(self, message: Message) -> None:
        if len(self._exchange.buses) > 1:
            self._exchange.send(self, message)

    def receive(self, message: Message | Lost) -> None:
        """Receive a message of another server."""
        if self._receive is not None and (isinstance(message, Lost) or message.match in self.matches):
            self._receive(message)

    def subscribe(self, match: str) -> None:
        if self.shared and match not in self.matches:
            self.matches.add(match)
            asyncio.get_running_loop().call_soon(self.receive, Changed(match))

    def unsubscribe(self, match: str) -> None:
        self.matches.discard(match)

    async def close(self) -> None:
        self._receive = None
        if self in self._exchange.buses:
            self._exchange.buses.remove(self)
