"""The servers of the buses: PostgreSQL as for the store, and a Redis that the tests start and stop."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress

import pytest

from escadaria.bus import Bus, Sent
from escadaria.bus.memory import Exchange
from escadaria.bus.postgres import PostgresBus
from escadaria.bus.redis import RedisBus
from store.conftest import START_SECONDS, Postgres
from store.conftest import postgres as postgres


class Redis:
    """A Redis server on a free port of the loopback interface that stores nothing."""

    def __init__(self) -> None:
        self.program = _program()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.server = subprocess.Popen([self.program, *options], stdout=subprocess.DEVNULL, cwd="/tmp")
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as there:
                there.sendall(b"PING\r\n")
                if there.recv(5) == b"+PONG":
                    return
            assert self.server.poll() is None, "Redis did not start"
            time.sleep(0.02)
        pytest.fail("Redis did not answer")

    def stop(self) -> None:
        """Kill it."""
        self.server.kill()
        self.server.wait()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Suspend it: connections stay open, and nothing is answered."""
        os.kill(self.server.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.server.pid, signal.SIGCONT)


def _program() -> str:
    """Debian's Redis; as root, installed if missing."""
    if not shutil.which("redis-server") and os.geteuid() == 0 and shutil.which("apt-get"):
        install = "apt-get -qq update && apt-get -qq install -y --no-install-recommends redis-server"
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(install, shell=True, env=environment, stdout=subprocess.DEVNULL, check=False)
    return shutil.which("redis-server") or pytest.fail(
        "the bus tests need Redis: install it (apt-get install redis-server)"
    )


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    """One server for all tests."""
    server = Redis()
    yield server
    server.stop()


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


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


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
