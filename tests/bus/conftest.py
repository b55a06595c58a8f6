"""Buses in memory, over PostgreSQL and over Redis, and two workers on one database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clocks import ShiftedClock
from databases import Postgres, Redis
from databases import postgres as postgres
from databases import redis as redis
from escadaria.bus import Bus, Lost, Message, Stored, remote
from escadaria.bus.memory import Exchange
from escadaria.bus.notify import PostgresBus
from escadaria.bus.redis import RedisBus
from escadaria.match import leases
from escadaria.match.clock import Clock
from escadaria.server.matches import hub as hub_module
from raw import RawClient, duel, raw
from serving import PATIENCE, Inside, serving


class Worker:
    """A bus with all that it has received."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.received: list[Message | Lost] = []

    def stored(self, match: str) -> list[Stored]:
        """The messages that were received about stored events of a match."""
        return [
            message for message in self.received if isinstance(message, Stored) and message.match == match
        ]

    def versions(self, match: str) -> list[int]:
        """The versions that were received of a match."""
        return [message.version for message in self.stored(match)]


Opener = Callable[[str], Awaitable[Worker]]
Server = Redis | Postgres

LIFE = 3600.0
"""A worker that does not beat expires after this time, which only a test lets pass."""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing counts as lost because the machine is busy, and a worker that stops does so at once."""
    monkeypatch.setattr(remote, "SILENT_SECONDS", PATIENCE)
    monkeypatch.setattr(remote, "START_SECONDS", PATIENCE)
    monkeypatch.setattr(leases, "SERVER_SECONDS", LIFE)
    monkeypatch.setattr(hub_module, "_SPREAD_SECONDS", 0.0)


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
            await bus.start(opened.received.append)
            return opened

        yield start


# Two workers.


@dataclass
class Workers:
    """Two workers on one database, which was empty."""

    one: Inside
    two: Inside

    def holders(self, match: str) -> list[Inside]:
        """The workers that hold the lease of a match: one at most."""
        return [worker for worker in (self.one, self.two) if worker.hub.leases.holds(match)]


@pytest.fixture
def beat_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers notice soon who lives and what is due."""
    for pause in ("BEAT_SECONDS", "_CHECK_SECONDS", "_DUE_SECONDS"):
        monkeypatch.setattr(hub_module, pause, 0.1)


@pytest.fixture
def never_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers learn of each other only by the bus, not the periodic check."""
    monkeypatch.setattr(hub_module, "_CHECK_SECONDS", 1e6)


@pytest.fixture
def options(kind: str, request: pytest.FixtureRequest, postgres: Postgres) -> dict[str, Any]:
    """The settings of both workers; the bus is over Redis or PostgreSQL."""
    redis: Redis | None = request.getfixturevalue("redis") if kind == "redis" else None
    return {"database": postgres.empty(), "redis": redis.url if redis else ""}


@pytest.fixture
def clock() -> Clock:
    """The clock of both workers."""
    return ShiftedClock()


@pytest.fixture
async def workers(tmp_path: Path, options: dict[str, Any], clock: Clock) -> AsyncIterator[Workers]:
    async with serving(tmp_path, clock, **options) as one, serving(tmp_path, clock, **options) as two:
        yield Workers(one, two)
        one.server.should_exit = two.server.should_exit = True  # both stop at once


@dataclass
class Pair:
    """Ana, the host, is connected to the first worker, and Rui to the second."""

    match: str
    token: str
    guest_token: str
    version: int
    now: dict[str, Any]
    ana: RawClient
    rui: RawClient


@pytest.fixture
async def pair(workers: Workers) -> AsyncIterator[Pair]:
    """A started match of two people; both have been sent the position."""
    match, guest_token = await duel(workers.one.url, {"finish": 10})
    name, token = match["match"], match["token"]
    async with (
        raw(workers.one.url, name, token=token) as ana,
        raw(workers.two.url, name, token=guest_token) as rui,
    ):
        first, second = [await there.expect("snapshot") for there in (ana, rui)]
        assert first["version"] == second["version"]
        yield Pair(name, token, guest_token, first["version"], first["now"], ana, rui)
