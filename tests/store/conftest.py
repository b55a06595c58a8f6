"""An SQLite file, and a PostgreSQL server that the tests start, stop and delete."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from escadaria.store import StoredEvent
from escadaria.store.commits import Session
from escadaria.store.sql import SqlStore

PASSWORD = "correct-horse"

Opener = Callable[..., Awaitable[SqlStore]]


def event(version: int, request: str = "", body: str = "{}", hidden: str = "") -> StoredEvent:
    return StoredEvent(version, 1700000000.123456 + version, request, body, hidden)


def versions(events: list[StoredEvent]) -> list[int]:
    return [event.version for event in events]


def writing(store: SqlStore) -> Session:
    """The writer's connection; it exists from the first append on."""
    assert store._threads.writer.session is not None
    return store._threads.writer.session


async def open_matches(store: SqlStore) -> list[str]:
    """The matches that are not archived, the longest idle first."""
    statement = (
        "SELECT id FROM match WHERE NOT archived ORDER BY"
        " (SELECT time FROM event WHERE event.match = match.id ORDER BY version DESC LIMIT 1)"
    )
    return [match for (match,) in await store._threads.read(lambda session: session.run(statement))]


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Hold the write lock from another connection."""
    if url.startswith("postgresql"):
        with psycopg.connect(url) as postgresql:
            postgresql.execute("LOCK TABLE match, event IN EXCLUSIVE MODE")
            yield
    else:
        sqlite = sqlite3.connect(url, isolation_level=None)
        sqlite.execute("BEGIN IMMEDIATE")
        yield
        sqlite.close()


START_SECONDS = 60.0
"""How long a server may take to start; the machine may be busy."""


class Postgres:
    """A PostgreSQL server on a free port of the loopback interface, with its data in a new folder."""

    def __init__(self, folder: Path) -> None:
        self.programs = _programs()
        # PostgreSQL refuses to run as root; Debian's package brings a user for it.
        self.user = "postgres" if os.geteuid() == 0 else None
        self.folder = folder
        if self.user:
            shutil.chown(folder, self.user, self.user)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.url = f"postgresql://escadaria:{PASSWORD}@127.0.0.1:{self.port}/postgres"
        password = folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        options = ["--username=escadaria", f"--pwfile={password}", "--auth=scram-sha-256", "--encoding=UTF8"]
        initdb = self._popen("initdb", "--no-sync", "--locale=C", "-D", str(folder / "data"), *options)
        assert initdb.wait() == 0, self.log()
        self.start()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = ["-D", str(self.folder / "data"), "-p", str(self.port), "-k", str(self.folder)]
        self.server = self._popen("postgres", *options, "-c", "listen_addresses=127.0.0.1")
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError:
                assert self.server.poll() is None, self.log()
                time.sleep(0.05)
            else:
                return
        pytest.fail(f"PostgreSQL did not start:\n{self.log()}")

    def stop(self) -> None:
        """Stop immediately without a checkpoint, as in a crash."""
        self.server.send_signal(signal.SIGQUIT)
        self.server.wait()

    def processes(self) -> list[int]:
        """The server and its child processes, one of them for each connection."""
        children = Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children").read_text().split()
        return [self.server.pid, *map(int, children)]

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Suspend all its processes: connections stay open, and nothing is answered."""
        pids = self.processes()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def empty(self) -> str:
        """Empty the database and return its URL."""
        with psycopg.connect(self.url) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def _popen(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [self.programs / program, *options],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                user=self.user,
                group=self.user,
                extra_groups=[] if self.user else None,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            )


def _programs() -> Path:
    """The folder of PostgreSQL's programs, newest version; as root, installed if missing."""
    if found := _installed():
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install = "apt-get -qq update && apt-get -qq install -y --no-install-recommends postgresql"
        subprocess.run(
            install, shell=True, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, check=False
        )
        if found := _installed():
            return found
    pytest.fail("the store tests need PostgreSQL: install it (apt-get install postgresql)")


def _installed() -> Path | None:
    if initdb := shutil.which("initdb"):
        return Path(initdb).resolve().parent
    found = list(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return max(found, key=lambda path: float(path.parts[-3])).parent if found else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests; each test empties it first."""
    folder = Path(tempfile.mkdtemp(prefix="escadaria-postgres-"))  # not tmp_path: another user needs access
    try:
        server = Postgres(folder)
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    server: Postgres = request.getfixturevalue("postgres")
    return server.empty()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def opened() -> AsyncIterator[Opener]:
    """Open stores, and close them after the test."""
    async with AsyncExitStack() as stack:

        async def open_one(url: str, **options: int) -> SqlStore:
            store = await SqlStore.open(url, **options)
            stack.push_async_callback(store.close)
            return store

        yield open_one


@pytest.fixture
async def store(url: str, opened: Opener) -> SqlStore:
    return await opened(url)
