"""A store in an SQLite file."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from os import stat
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from escadaria.store import StoredEvent, StoreUnavailable, commits

MIGRATION_SECONDS = 600.0
"""How long to wait while another worker changes the tables."""

MAINTENANCE_SECONDS = 60.0
"""How long to wait for locks when the database is maintained."""

_TOGETHER = 64
"""How many events one statement inserts. In each statement the thread gives up the interpreter, and may
have to wait 5 ms until another thread gives it back: the fewer the better."""

_ADD_EVENTS = [
    "INSERT INTO event (match, version, previous, time, request, body, hidden) VALUES "
    + ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * rows)
    for rows in range(_TOGETHER + 1)
]
"""By their number."""


class SqliteDatabase:
    """An SQLite file, and the two beside it that hold what is not in it yet.

    SQLite does not notice that a file it has open is deleted or replaced: it goes on with the old one,
    and all that it stores is lost. So the files at the path are compared with the open ones.
    """

    errors: tuple[type[Exception], ...] = (sqlite3.Error, OSError)

    def __init__(self, path: str) -> None:
        self.path = path
        self.uri = f"file:{quote(path)}?mode=rw"
        self.migrating = False
        self._paths = (path, path + "-wal", path + "-shm")
        self._anchor: SqliteSession | None = None  # while it is open, the files stay
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
            raise ValueError("SQLite needs the path of a file, and nothing else")
        return cls(path)

    def prepare(self) -> bytes:
        Path(self.path).touch(mode=0o600)  # it will hold secrets
        session = self._connect_first()
        try:
            if not session.is_current():
                self.migrating = True
                self._migrate()
            [(key,)] = session.run_unchecked("SELECT value FROM meta WHERE name = 'key'")
        except BaseException:
            session.close()
            raise
        self._anchor = session
        self._identity = [(found.st_dev, found.st_ino) for found in map(stat, self._paths)]
        return bytes.fromhex(key)

    def connect(self, seconds: float = 0.0) -> SqliteSession:
        self.check()  # or SQLite would make the files that are missing
        return SqliteSession(self, seconds or commits.LOCK_SECONDS)

    def close(self) -> None:
        if self._anchor is not None:
            self._anchor.close()

    def check(self) -> None:
        """:raises StoreUnavailable: if the files at the path are not the open ones, or were truncated."""
        if not self._identity:  # it is being prepared
            return
        try:
            stats = [*map(stat, self._paths)]
        except OSError as error:
            raise StoreUnavailable("the file of the database is gone") from error
        if [(found.st_dev, found.st_ino) for found in stats] != self._identity:
            raise StoreUnavailable("another file is in the place of the database")
        size = stats[0].st_size
        if size < self._size:  # after VACUUM, or it was truncated
            self._check_content(size)
        self._size = size

    def _check_content(self, size: int) -> None:
        """Read everything anew, with another connection."""
        try:
            if size < 512:  # less than the smallest page: SQLite would take it as new and delete the log
                raise sqlite3.DatabaseError("no page")
            with contextlib.closing(sqlite3.connect(self.uri, uri=True, timeout=0)) as connection:
                healthy = connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
                connection.execute("SELECT * FROM alembic_version")  # an empty file is healthy too
        except sqlite3.Error:
            healthy = False
        if not healthy:
            raise StoreUnavailable("the file of the database was truncated")

    def _connect_first(self) -> SqliteSession:
        """Connect to a file that may be new, and so not yet in the mode that a session asks for."""
        for pause in (0.05, 0.2, 0.5, 1, 2, None):
            try:
                return self.connect()
            except sqlite3.OperationalError as error:
                # SQLite does not wait, as it does elsewhere, when two change the mode at once.
                if pause is None or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                time.sleep(pause)
        raise AssertionError("returned or raised")

    def _migrate(self) -> None:
        """Change the tables; of several workers that start at once, one does it and the others wait."""
        import sqlalchemy as sa

        from escadaria.store.schema import migrate

        engine = sa.create_engine(
            "sqlite://",
            creator=lambda: self.connect(MIGRATION_SECONDS).connection,
            poolclass=sa.NullPool,
            hide_parameters=True,
        )
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
        try:
            with engine.begin() as connection:
                migrate(connection)
        except sa.exc.DBAPIError as error:
            raise (error.orig if isinstance(error.orig, sqlite3.Error) else error) from None


class SqliteSession:
    """One connection to the file."""

    conflict: type[Exception] = sqlite3.IntegrityError

    def __init__(self, database: SqliteDatabase, seconds: float) -> None:
        self.broken = False
        self._database = database
        self.connection = sqlite3.connect(
            database.uri,
            uri=True,
            timeout=seconds,
            cached_statements=2 * _TOGETHER,
            isolation_level=None,  # we say BEGIN ourselves: the driver would leave out DDL and SAVEPOINT
            check_same_thread=False,  # another thread may interrupt
        )
        try:
            for pragma in (
                "journal_mode = WAL",  # readers and the writer do not wait for each other
                "synchronous = FULL",  # a commit is on disk when it returns
                "foreign_keys = ON",
                "wal_autocheckpoint = 1000",  # 4 MB; longer gained nothing in bench/store.py
            ):
                self.connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            self.connection.close()
            raise

    def begin(self) -> None:
        self._database.check()
        self.connection.execute("BEGIN IMMEDIATE")  # waits its turn; a later upgrade would fail at once

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
            return self.run_unchecked(statement, parameters)
        rows = self.run_unchecked(statement, parameters)
        self._database.check()
        return rows

    def run_unchecked(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a statement whatever has become of the file."""
        return self.connection.execute(statement, parameters).fetchall()

    def run_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        self.connection.executemany(statement, rows)

    def add_events(self, events: Sequence[tuple[str, StoredEvent]]) -> None:
        alone = not self.connection.in_transaction
        if alone and len(events) <= _TOGETHER:  # one statement is a transaction
            self._database.check()
            self._insert(events)
            self._database.check()
            return
        if alone:
            self.begin()
        for start in range(0, len(events), _TOGETHER):
            self._insert(events[start : start + _TOGETHER])
        if alone:
            self.commit()

    def _insert(self, events: Sequence[tuple[str, StoredEvent]]) -> None:
        values: list[object] = []
        for match, e in events:
            values += (match, e.version, e.version - 1 or None, e.time, e.request, e.body, e.hidden)
        self.connection.execute(_ADD_EVENTS[len(events)], values)

    def begin_snapshot(self) -> None:
        """Begin to read: all as it is now, whatever others write meanwhile."""
        self.connection.execute("BEGIN")

    def stream(self, statement: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a statement, and give its rows one after the other."""
        yield from self.connection.execute(statement, parameters)

    def be_patient(self) -> None:
        """Wait for locks as long as somebody who maintains the database would."""
        self.connection.execute(f"PRAGMA busy_timeout = {1000 * MAINTENANCE_SECONDS:.0f}")
        self.connection.execute("PRAGMA secure_delete = ON")

    def scrub(self) -> None:
        """Write the file anew, without what was deleted, and empty the log.

        :raises StoreUnavailable: if the log could not be emptied, because others read all the time.
        """
        self.connection.execute("VACUUM")
        until = time.monotonic() + MAINTENANCE_SECONDS
        while self.run_unchecked("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
            if time.monotonic() > until:
                raise StoreUnavailable("the log beside the database is in use: try again, or stop the server")
            time.sleep(0.1)

    def lock(self) -> None:
        """The transaction has the only lock there is."""

    def reserve(self) -> None:
        """The transaction has the only lock there is."""

    def is_current(self) -> bool:
        """Whether the tables are those of this version."""
        tables = self.run_unchecked("SELECT name FROM sqlite_master WHERE name = 'alembic_version'")
        return bool(tables) and self.run_unchecked("SELECT version_num FROM alembic_version") == [
            (commits.HEAD,)
        ]

    def interrupt(self) -> None:
        with contextlib.suppress(sqlite3.ProgrammingError):  # it is closed
            self.connection.interrupt()

    def close(self) -> None:
        self.connection.close()
