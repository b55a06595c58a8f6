"""Matches in SQLite or PostgreSQL, through SQLAlchemy; many appends share one commit.

A commit costs one wait for the disk, however much is in it. So appends do not write: they leave
their events with the one writer of the store, which takes all that wait, writes them in one
transaction, and answers. Whoever comes meanwhile is in the next one. One store therefore has one
connection that writes; readers have others.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import isfinite
from operator import attrgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from escadaria.store import Conflict, StoredEvent, StoreUnavailable

CONNECT_SECONDS = 5
"""How long to wait for a connection before giving up."""

LOCK_SECONDS = 5.0
"""How long to wait for another worker's lock before giving up."""

LAST = 2**31 - 1
"""The highest version there can be."""

MIGRATION_LOCK = 0x65736361  # "esca"
"""What workers on PostgreSQL lock while one of them brings the tables up to date."""

READERS = 4
"""How many connections may read at once."""

tables = sa.MetaData()

matches = sa.Table(
    "match",
    tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("archived", sa.Boolean, nullable=False),
)
# The archived ones grow without end, the open ones do not.
sa.Index(
    "match_open", matches.c.id, sqlite_where=sa.text("NOT archived"), postgresql_where=sa.text("NOT archived")
)

events = sa.Table(
    "event",
    tables,
    sa.Column("match", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("previous", sa.Integer),  # version - 1, or nothing: the database itself refuses a gap
    sa.Column("time", sa.Double, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("hidden", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["match", "previous"], ["event.match", "event.version"]),
    sa.CheckConstraint("version = coalesce(previous, 0) + 1", name="event_follows"),
)

_add_matches = matches.insert()
_add_events = events.insert()
# To PostgreSQL all rows go as one value: sending them one by one costs five times the processor time.
_rows = sa.func.json_to_recordset(sa.bindparam("rows", type_=sa.JSON)).table_valued(
    *(sa.column(column.name, column.type) for column in events.columns)
)
_add_events_postgresql = events.insert().from_select(
    events.columns.keys(), sa.select(_rows.render_derived(with_types=True))
)
_archive = matches.update().where(matches.c.id == sa.bindparam("match")).values(archived=True)
_events_after = (
    sa.select(*(events.c[name] for name in StoredEvent.__slots__))
    .where(events.c.match == sa.bindparam("match"), events.c.version > sa.bindparam("after"))
    .order_by(events.c.version)
)
_open_matches = (
    sa.select(matches.c.id)
    .where(sa.text("NOT archived"))  # word for word as in the index
    .order_by(
        sa.select(events.c.time)
        .where(events.c.match == matches.c.id)
        .order_by(events.c.version.desc())
        .limit(1)
        .scalar_subquery()
    )
)
_any_match = sa.select(matches.c.id).limit(1)
_be_patient = sa.text(
    "SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """One append, or with no events one archiving, and the caller who waits for it."""

    match: str
    events: Sequence[StoredEvent]
    done: asyncio.Future[None]

    def succeed(self) -> None:
        if not self.done.done():  # its caller may have been cancelled
            self.done.set_result(None)

    def fail(self, error: Exception, cause: Exception | None) -> None:
        if not self.done.done():
            error.__cause__ = cause
            self.done.set_exception(error)


class SqlStore:
    """A :class:`~escadaria.store.Store` in a database. Make one with :meth:`open`."""

    def __init__(self, writing: AsyncEngine, reading: AsyncEngine, most: int) -> None:
        self._writing = writing
        self._reading = reading
        self._most = most
        self._jobs: list[_Job] = []
        self._callers = 0
        self._closed = False
        self._wake = asyncio.Event()
        self._writer = asyncio.create_task(self._write(), name="store writer")

    @classmethod
    async def open(cls, url: str, *, most: int = 4096) -> SqlStore:
        """Open the database at ``url``: see :func:`~escadaria.store.open_store`.

        At most ``most`` appends share a commit; further ones are in the next.
        """
        writing, reading = _engines(url)
        try:
            async with _translated():
                await _bring_up_to_date(writing)
        except BaseException:
            await writing.dispose()
            raise
        return cls(writing, reading, most)

    async def append(self, match: str, events: Sequence[StoredEvent]) -> None:
        if not events:
            raise ValueError("there is nothing to append")
        first = events[0].version
        for version, event in enumerate(events, first):
            if event.version != version or first < 1:
                raise ValueError("versions count from 1, without gaps")
            if not _storable(match + event.request + event.body + event.hidden):
                raise ValueError("text with NUL or half a surrogate pair cannot be stored")
            if not isfinite(event.time):
                raise ValueError("an event has a time")
        await self._submit(match, events)

    async def archive(self, match: str) -> None:
        if _storable(match):
            await self._submit(match, ())

    async def events(self, match: str, after: int = 0) -> list[StoredEvent]:
        if not _storable(match):
            return []
        async with self._read() as connection:
            rows = await connection.execute(
                _events_after, {"match": match, "after": max(0, min(after, LAST))}
            )
            return [StoredEvent(*row) for row in rows]

    async def open_matches(self) -> list[str]:
        async with self._read() as connection:
            return list(await connection.scalars(_open_matches))

    async def ping(self) -> None:
        async with self._read() as connection:
            await connection.execute(_any_match)

    async def close(self) -> None:
        self._closed = True
        self._wake.set()
        await self._writer
        await self._writing.dispose()
        await self._reading.dispose()

    async def _submit(self, match: str, events: Sequence[StoredEvent]) -> None:
        """Leave a job with the writer and wait until it is done."""
        if self._closed:
            raise StoreUnavailable("the store is closed")
        self._callers += 1
        try:
            job = _Job(match, events, asyncio.get_running_loop().create_future())
            self._jobs.append(job)
            self._wake.set()
            await job.done
        finally:
            self._callers -= 1
            if self._closed:
                self._wake.set()

    async def _write(self) -> None:
        """Do what waits, all of it at once, until the store is closed and nobody waits any more."""
        while self._callers or not self._closed:
            await self._wake.wait()
            jobs = [job for job in self._jobs[: self._most] if not job.done.done()]
            del self._jobs[: self._most]
            if not self._jobs:
                self._wake.clear()
            if not jobs:
                continue
            # One order for all workers, or PostgreSQL could see two of them wait for each other.
            jobs.sort(key=attrgetter("match"))
            cause: Exception | None = None
            try:
                await self._store(jobs)
            except Exception as error:  # noqa: BLE001 - whatever a driver raises, the writer lives on
                cause = error
            finally:
                for job in jobs:  # those without an answer; after a success there are none
                    job.fail(StoreUnavailable(_reason(cause)), cause)

    async def _store(self, jobs: Sequence[_Job]) -> None:
        """Write the jobs in one transaction, then answer them."""
        late: dict[_Job, IntegrityError] = {}
        try:
            async with self._writing.begin() as connection:
                await _insert(connection, jobs)
                await _set_archived(connection, jobs)
        except IntegrityError:
            async with self._writing.begin() as connection:
                for job in jobs:
                    try:
                        async with connection.begin_nested():
                            await _insert(connection, [job])
                    except IntegrityError as error:
                        late[job] = error
                await _set_archived(connection, jobs)
        for job in jobs:
            if job in late:
                job.fail(Conflict("the events do not follow the last one stored"), late[job])
            else:
                job.succeed()

    @asynccontextmanager
    async def _read(self) -> AsyncIterator[AsyncConnection]:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        async with _translated(), self._reading.connect() as connection:
            yield connection


async def _insert(connection: AsyncConnection, jobs: Sequence[_Job]) -> None:
    first = [
        {"id": job.match, "created": job.events[0].time, "archived": False}
        for job in jobs
        if job.events and job.events[0].version == 1
    ]
    if first:
        await connection.execute(_add_matches, first)
    rows = [
        {
            "match": job.match,
            "version": event.version,
            "previous": event.version - 1 or None,
            "time": event.time,
            "request": event.request,
            "body": event.body,
            "hidden": event.hidden,
        }
        for job in jobs
        for event in job.events
    ]
    if rows and connection.dialect.name == "postgresql":
        await connection.execute(_add_events_postgresql, {"rows": rows})
    elif rows:
        await connection.execute(_add_events, rows)


async def _set_archived(connection: AsyncConnection, jobs: Sequence[_Job]) -> None:
    archived = [{"match": job.match} for job in jobs if not job.events]
    if archived:
        await connection.execute(_archive, archived)


def _storable(text: str) -> bool:
    """Whether both databases can keep the text. All JSON can be kept: it escapes what cannot."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False


@asynccontextmanager
async def _translated() -> AsyncIterator[None]:
    """Errors of the database, as the store's own."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        raise StoreUnavailable(_reason(error)) from error


def _reason(error: Exception | None) -> str:
    """The database's own words, without the statement and its values."""
    return str(getattr(error, "orig", None) or error or "the store is gone").partition("\n")[0]


def _engines(url: str) -> tuple[AsyncEngine, AsyncEngine]:
    """The one that writes, and the one that reads and never waits for the first."""
    try:
        parsed = sa.make_url(url) if "://" in url else sa.URL.create("sqlite", database=url)
    except ArgumentError:
        raise ValueError("this is no URL of a database") from None  # it may hold a password
    backend = parsed.drivername.partition("+")[0]
    if backend == "sqlite":
        if not parsed.database or parsed.database == ":memory:" or parsed.query:
            raise ValueError("SQLite needs the path of a file, and nothing else")
        parsed = parsed.set(drivername="sqlite+aiosqlite")
        arguments: dict[str, Any] = {"timeout": LOCK_SECONDS}
    elif backend in {"postgres", "postgresql"}:
        parsed = parsed.set(drivername="postgresql+psycopg")
        arguments = {
            "connect_timeout": CONNECT_SECONDS,
            "tcp_user_timeout": 1000 * CONNECT_SECONDS,  # for a server that vanished without a word
            "options": f"-c lock_timeout={LOCK_SECONDS}s -c statement_timeout={2 * LOCK_SECONDS}s",
        }
    else:
        raise ValueError(f"matches are kept in SQLite or PostgreSQL, not in {backend!r}")
    common: dict[str, Any] = {
        "connect_args": {key: value for key, value in arguments.items() if key not in parsed.query},
        "hide_parameters": True,
        "max_overflow": 0,
        "pool_timeout": 2 * CONNECT_SECONDS,
        "pool_pre_ping": backend != "sqlite",
    }
    writing = create_async_engine(parsed, pool_size=1, **common)
    reading = create_async_engine(parsed, pool_size=READERS, isolation_level="AUTOCOMMIT", **common)
    if backend == "sqlite":
        for engine in (writing, reading):
            sa.event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        sa.event.listen(writing.sync_engine, "begin", _begin_sqlite)
    return writing, reading


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves: the driver would leave out DDL and SAVEPOINT
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")  # readers and the writer do not wait for each other
    cursor.execute("PRAGMA synchronous = FULL")  # a commit is on disk when it returns
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA wal_autocheckpoint = 1000")  # 4 MB; longer gained nothing in bench/store.py
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")  # waits its turn; a later upgrade would fail at once


async def _bring_up_to_date(engine: AsyncEngine) -> None:
    """Create or migrate the tables; of several workers that start at once, one does it, the others wait."""
    if engine.dialect.name == "sqlite":
        await _create_file(engine)
    async with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            await connection.execute(_be_patient)
            await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
        await connection.run_sync(_migrate)


async def _create_file(engine: AsyncEngine) -> None:
    """Create the database's file if there is none, in the mode that ``_prepare_sqlite`` asks for."""
    await asyncio.to_thread(Path(engine.url.database or "").touch, mode=0o600)  # it will hold secrets
    for pause in (0.05, 0.2, 0.5, 1, 2, None):
        try:
            async with engine.connect():
                return
        except OperationalError as error:
            # SQLite does not wait, as it does elsewhere, when two change the mode at once.
            if pause is None or not _is_locked(error):
                raise
            await asyncio.sleep(pause)


def _is_locked(error: OperationalError) -> bool:
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def _migrate(connection: sa.Connection) -> None:
    from alembic import command  # 0.2 s, and only here
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "escadaria.store:migrations")
    try:
        command.upgrade(config, "head")
    except CommandError as error:  # a revision we do not have
        raise StoreUnavailable("the database was made by a later version of Escadaria") from error
