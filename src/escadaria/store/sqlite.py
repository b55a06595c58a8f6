"""An SQLite file as the database of a store."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from os import stat
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from escadaria.store import StoredEvent, StoreUnavailable, database, migrations

MIGRATION_SECONDS = 600.0
"""How long to wait while another server migrates the tables."""

MAINTENANCE_SECONDS = 60.0
"""How long to wait for locks during maintenance."""

_BATCH = 64
"""The most events that one statement inserts. Each statement releases the interpreter lock (GIL) and may
wait 5 ms to get it back, so fewer statements are faster."""

_ADD_EVENTS = [
    "INSERT INTO event (match, version, previous, time, request, body, hidden) VALUES "
    + ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * rows)
    for rows in range(_BATCH + 1)
]
"""The statement by number of rows."""


class SqliteDatabase:
    """An SQLite file with its write-ahead log and shared-memory file.

    SQLite does not notice when a file that it has open is deleted or replaced: it writes to the old one,
    and the data is lost. So the files at the path are compared with the open ones.
    """

    errors: tuple[type[Exception], ...] = (sqlite3.Error, OSError)

    def __init__(self, path: str) -> None:
        self.path = path
        self.uri = f"file:{quote(path)}?mode=rw"
        self.migrating = False
        self._paths = (path, path + "-wal", path + "-shm")
        self._anchor: SqliteSession | None = None  # open as long as the database, so that the log stays
        self._identity: list[tuple[int, int]] = []
        self._size = 0

    @classmethod
    def at(cls, url: str) -> SqliteDatabase:
        """The file at a path or ``sqlite:///path``."""
        path = url
        if "://" in url:
            place, _, path = url.partition("://")[2].partition("/")
            if place or "?" in path:
                path = ""
            path = unquote(path)
        if not path or path == ":memory:":
            raise ValueError("a URL of SQLite must contain the path of a file and nothing else")
        return cls(path)

    def prepare(self) -> bytes:
        Path(self.path).touch(mode=0o600)  # it will contain secrets
        session = self._connect_first()
        try:
            key = migrations.prepare(self, session)
        except BaseException:
            session.close()
            raise
        self._anchor = session
        self._identity = [(found.st_dev, found.st_ino) for found in map(stat, self._paths)]
        return key

    def connect(self) -> SqliteSession:
        self.check()  # or SQLite would create missing files
        return SqliteSession(self, database.LOCK_SECONDS)

    def close(self) -> None:
        if self._anchor is not None:
            self._anchor.close()

    def check(self) -> None:
        """:raises StoreUnavailable: if the files at the path are not the open ones, or were truncated."""
        if not self._identity:  # not prepared yet
            return
        try:
            stats = [*map(stat, self._paths)]
        except OSError as error:
            raise StoreUnavailable("the database file is missing") from error
        if [(found.st_dev, found.st_ino) for found in stats] != self._identity:
            raise StoreUnavailable("the database file was replaced")
        size = stats[0].st_size
        if size < self._size:  # after VACUUM, or it was truncated
            self._check_content(size)
        self._size = size

    def _check_content(self, size: int) -> None:
        """Check the whole file, with a new connection."""
        try:
            if size < 512:  # less than the smallest page: SQLite would treat it as new and delete the log
                raise sqlite3.DatabaseError("no page")
            with contextlib.closing(sqlite3.connect(self.uri, uri=True, timeout=0)) as connection:
                healthy = connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
                connection.execute("SELECT * FROM alembic_version")  # fails for an empty file
        except sqlite3.Error:
            healthy = False
        if not healthy:
            raise StoreUnavailable("the database file was truncated")

    def _connect_first(self) -> SqliteSession:
        """Connect to a file that may be new, so that the connection switches it to WAL mode."""
        for pause in (0.05, 0.2, 0.5, 1, 2, None):
            try:
                return self.connect()
            except sqlite3.OperationalError as error:
                # The busy timeout does not apply when two connections switch the mode at once.
                if pause is None or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                time.sleep(pause)
        raise AssertionError("returned or raised")


class SqliteSession:
    """One connection to the file."""

    dialect = "sqlite"
    conflict: type[Exception] = sqlite3.IntegrityError

    def __init__(self, database: SqliteDatabase, seconds: float) -> None:
        self.broken = False
        self._database = database
        self.connection = sqlite3.connect(
            database.uri,
            uri=True,
            timeout=seconds,
            cached_statements=2 * _BATCH,
            isolation_level=None,  # explicit BEGIN: the driver's own excludes DDL and SAVEPOINT
            check_same_thread=False,  # another thread may interrupt
        )
        try:
            for pragma in (
                "journal_mode = WAL",  # readers do not block the writer, nor the writer readers
                "synchronous = FULL",  # a commit is on disk when it returns
                "foreign_keys = ON",
                "wal_autocheckpoint = 1000",  # 4 MB; a higher value gained nothing in bench/store.py
            ):
                self.connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            self.connection.close()
            raise

    def begin(self) -> None:
        self._database.check()
        self.connection.execute("BEGIN IMMEDIATE")  # waits for the lock; a later upgrade would not

    def commit(self) -> None:
        self.connection.execute("COMMIT")
        self._database.check()

    def rollback(self) -> None:
        if self.connection.in_transaction:
            self.broken = True
            self.connection.execute("ROLLBACK")
            self.broken = False

    def run(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        if self.connection.in_transaction:
            return self.connection.execute(statement, parameters).fetchall()
        rows = self.connection.execute(statement, parameters).fetchall()
        self._database.check()
        return rows

    def run_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        self.connection.executemany(statement, rows)

    def add_events(self, events: Sequence[tuple[str, StoredEvent]]) -> None:
        alone = not self.connection.in_transaction
        if alone and len(events) > _BATCH:  # a single statement is a transaction
            self.begin()
        elif alone:
            self._database.check()
        for start in range(0, len(events), _BATCH):
            batch = events[start : start + _BATCH]
            values: list[object] = []
            for match, e in batch:
                values += (match, e.version, e.version - 1 or None, e.time, e.request, e.body, e.hidden)
            self.run(_ADD_EVENTS[len(batch)], values)
        if alone and len(events) > _BATCH:
            self.commit()

    def begin_snapshot(self) -> None:
        self.connection.execute("BEGIN")

    def stream(self, statement: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        yield from self.connection.execute(statement, parameters)

    def use_maintenance_timeouts(self) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {1000 * MAINTENANCE_SECONDS:.0f}")
        self.connection.execute("PRAGMA secure_delete = ON")

    def vacuum(self) -> None:
        """Rewrite the file without deleted data, and truncate the write-ahead log.

        :raises StoreUnavailable: if the log could not be truncated because it was always in use.
        """
        self.connection.execute("VACUUM")
        until = time.monotonic() + MAINTENANCE_SECONDS
        while self.run("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
            if time.monotonic() > until:
                raise StoreUnavailable("the write-ahead log is in use: try again, or stop the server")
            time.sleep(0.1)

    def lock(self) -> None:
        """The transaction has the only lock there is."""

    def reserve(self) -> None:
        """The transaction has the only lock there is."""

    def has_table(self, name: str) -> bool:
        return bool(self.run("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)))

    def begin_migration(self) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {1000 * MIGRATION_SECONDS:.0f}")
        self.begin()

    def interrupt(self) -> None:
        with contextlib.suppress(sqlite3.ProgrammingError):  # it is closed
            self.connection.interrupt()

    def close(self) -> None:
        self.connection.close()
