"""Buses in memory, over PostgreSQL and over Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack

import pytest

from databases import Postgres, Redis
from databases import postgres as postgres
from databases import redis as redis
from escadaria.bus import Bus, Sent
from escadaria.bus.memory import Exchange
from escadaria.bus.postgres import PostgresBus
from escadaria.bus.redis import RedisBus


class Worker:
    """A bus with all that it has received."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.received: list[tuple[str, int, list[Sent]]] = []

    def receive(self, match: str, version: int, events: Sequence[Sent]) -> None:
        self.received.append((match, version, list(events)))

    def versions(self, match: str) -> list[int]:
        """The versions that were received of a match, without the hints to look."""
        return [version for heard, version, _ in self.received if heard == match and version]


Opener = Callable[[str], Awaitable[Worker]]
Server = Redis | Postgres


@pytest.fixture(params=["memory", "postgresql", "redis"])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of bus; a test may name other kinds."""
    return str(request.param)


@pytest.fixture
def server(request: pytest.FixtureRequest, kind: str) -> Server | None:
    """The server behind the bus; None in memory."""
    if kind == "memory":
        return None
    server: Server = request.getfixturevalue("postgres" if kind == "postgresql" else "redis")
    return server


@pytest.fixture
async def worker(kind: str, server: Server | None) -> AsyncIterator[Opener]:
    """Start buses of one database, and close them after the test."""
    exchange = Exchange()
    async with AsyncExitStack() as stack:

        async def start(name: str) -> Worker:
            bus: Bus
            if isinstance(server, Redis):
                bus = RedisBus(name, server.url, b"key")
            elif isinstance(server, Postgres):
                bus = PostgresBus(name, server.url)
            else:
                bus = exchange.bus(name, shared=True)
            opened = Worker(bus)
            stack.push_async_callback(bus.close)
            await bus.start(opened.receive)
            return opened

        yield start
