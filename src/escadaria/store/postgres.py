"""PostgreSQL as the database of a store."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from escadaria.store import StoredEvent, database, migrations

CONNECT_SECONDS = 5
"""The timeout of a connection attempt."""

MIGRATION_LOCK = 0x65736361  # "esca"
"""The advisory lock that a server holds while it migrates the tables."""

# All rows are sent as one parameter: one by one they cost five times the CPU time.
_ADD_EVENTS = (
    "INSERT INTO event (match, version, previous, time, request, body, hidden)"
    " SELECT match, version, previous, time, request, body, hidden FROM json_to_recordset(%s::json) AS row"
    " (match text, version integer, previous integer, time double precision, request text, body text,"
    " hidden text)"
)
# Not to_regclass: within a transaction it may not see a table that another one has created meanwhile.
_HAS_TABLE = "SELECT 1 FROM pg_tables WHERE tablename = ? AND schemaname = ANY (current_schemas(false))"


class PostgresDatabase:
    """A database of a PostgreSQL server."""

    errors: tuple[type[Exception], ...] = (psycopg.Error, OSError)

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo
        self.migrating = False

    @classmethod
    def at(cls, url: str) -> PostgresDatabase:
        """The database at ``postgresql://…``, with default timeouts where the URL sets none."""
        lock, statement = database.LOCK_SECONDS, database.ANSWER_SECONDS
        settings: dict[str, Any] = {
            "connect_timeout": CONNECT_SECONDS,
            "tcp_user_timeout": 1000 * CONNECT_SECONDS,  # for a server that vanished without closing
            "options": f"-c lock_timeout={lock}s -c statement_timeout={statement}s",
        }
        try:
            conninfo = f"postgresql://{url.partition('://')[2]}"
            given = conninfo_to_dict(conninfo)
            missing = {name: value for name, value in settings.items() if name not in given}
            return cls(make_conninfo(conninfo, **missing))
        except psycopg.ProgrammingError:
            raise ValueError("invalid database URL") from None  # not shown: it may contain a password

    def prepare(self) -> bytes:
        with contextlib.closing(self.connect()) as session:
            return migrations.prepare(self, session)

    def connect(self) -> PostgresSession:
        return PostgresSession(self.conninfo)

    def close(self) -> None:
        """Nothing to release."""


class PostgresSession:
    """One connection to the server."""

    dialect = "postgresql"
    conflict: type[Exception] = psycopg.IntegrityError

    def __init__(self, conninfo: str) -> None:
        self.connection = psycopg.connect(conninfo, autocommit=True)
        self._cursor = self.connection.cursor()
        # A duplicate of the connection's socket, which stays valid until this session closes it.
        self._socket = socket.socket(fileno=os.dup(self.connection.fileno()))

    @property
    def broken(self) -> bool:
        return self.connection.closed

    def begin(self) -> None:
        self._cursor.execute("BEGIN")

    def commit(self) -> None:
        self._cursor.execute("COMMIT")

    def rollback(self) -> None:
        if self.connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            self._cursor.execute("ROLLBACK")

    def run(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        self._cursor.execute(_translated(statement), parameters)
        return self._cursor.fetchall() if self._cursor.description else []

    def run_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        if len(rows) == 1:
            self._cursor.execute(_translated(statement), rows[0])
        else:
            self._cursor.executemany(_translated(statement), rows)

    def add_events(self, events: Sequence[tuple[str, StoredEvent]]) -> None:
        rows = [
            {
                "match": match,
                "version": event.version,
                "previous": event.version - 1 or None,
                "time": event.time,
                "request": event.request,
                "body": event.body,
                "hidden": event.hidden,
            }
            for match, event in events
        ]
        self._cursor.execute(_ADD_EVENTS, [json.dumps(rows)])

    def begin_snapshot(self) -> None:
        self._cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def stream(self, statement: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        with self.connection.cursor(name="stream") as cursor:
            cursor.itersize = 1000
            yield from cursor.execute(_translated(statement), parameters)

    def use_maintenance_timeouts(self) -> None:
        self._cursor.execute("SET lock_timeout = '60s'")
        self._cursor.execute("SET statement_timeout = 0")

    def vacuum(self) -> None:
        """Rewrite the tables without deleted rows. PostgreSQL's write-ahead log keeps those for a while."""
        self._cursor.execute("VACUUM (FULL, ANALYZE) match, event, snapshot, item")
        with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
            self._cursor.execute("CHECKPOINT")  # removes the old files

    def lock(self) -> None:
        self._cursor.execute("LOCK TABLE match, event, snapshot, item IN SHARE ROW EXCLUSIVE MODE")

    def reserve(self) -> None:
        self._cursor.execute("LOCK TABLE match, event IN ROW EXCLUSIVE MODE")

    def has_table(self, name: str) -> bool:
        return bool(self.run(_HAS_TABLE, (name,)))

    def begin_migration(self) -> None:
        self.begin()
        self.run("SET LOCAL lock_timeout = 0")
        self.run("SET LOCAL statement_timeout = 0")
        self.run("SELECT pg_advisory_xact_lock(?)", (MIGRATION_LOCK,))

    def interrupt(self) -> None:
        with contextlib.suppress(OSError):  # it is closed already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()
        self.connection.close()


@cache
def _translated(statement: str) -> Any:
    return statement.replace("?", "%s")
