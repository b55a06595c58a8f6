"""Stores on an SQLite file and on PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from databases import Postgres
from databases import postgres as postgres
from escadaria.store import StoredEvent, database, sql
from escadaria.store import postgres as postgresql
from escadaria.store.database import Session
from escadaria.store.sql import SqlStore
from serving import PATIENCE

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


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No call is refused because the machine is busy."""
    for module, bound in ((database, "ANSWER"), (database, "LOCK"), (sql, "PING"), (sql, "PURGE")):
        monkeypatch.setattr(module, f"{bound}_SECONDS", 10 * PATIENCE)
    monkeypatch.setattr(postgresql, "CONNECT_SECONDS", int(PATIENCE))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    server: Postgres = request.getfixturevalue("postgres")
    return server.empty()


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
