"""Maintenance of a database: a session for it, backup and restore.

All but restoring can run while servers use the database. A backup is one portable file for SQLite and
PostgreSQL: lines of JSON, compressed with gzip. The first line is a header, each further line is a row, and
the last line has the row counts. It contains the secrets of all seats and dice.
"""

from __future__ import annotations

import gzip
import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from escadaria.store import StoredEvent, StoreUnavailable
from escadaria.store.database import Session, first_line
from escadaria.store.migrations import HEAD, is_current
from escadaria.store.sql import database_at

Progress = Callable[[int, int], None]
"""Called with the number done and the total."""

FORMAT = "escadaria backup"

TABLES = {
    "match": ("id", "created", "archived", "due"),
    "event": ("match", "version", "time", "request", "body", "hidden"),
    "snapshot": ("match", "version", "body"),
    "item": ("kind", "key", "value", "expires"),
}
"""The tables and columns of a backup, in order."""

_ORDER = {"match": "id", "event": "match, version", "snapshot": "match", "item": "kind, key"}
_BATCH = 500


class AdminError(Exception):
    """A command that cannot be carried out; the message says what to do instead."""


@contextmanager
def maintenance_session(url: str, *, create: bool = False) -> Iterator[Session]:
    """A connection to the database at ``url``, for maintenance.

    :raises AdminError: if there is no database, its version differs, or it fails.
    :raises ValueError: if the URL is invalid.
    """
    database = database_at(url)
    path = getattr(database, "path", None)
    if not create and path is not None and not Path(path).exists():
        raise AdminError(
            f"there is no database at {path}: name the right one with --database or DATABASE_URL"
        )
    failures: tuple[type[Exception], ...] = (*database.errors, StoreUnavailable)
    try:
        if create:
            database.prepare()
        with closing(database), closing(database.connect()) as session:
            if not is_current(session):
                raise AdminError("the tables belong to another version: start a server of this version once")
            session.use_maintenance_timeouts()
            yield session
    except failures as error:
        if isinstance(error, OSError):
            raise  # an error of a file named on the command line
        raise AdminError(f"database error: {first_line(error)}") from error


@contextmanager
def transaction(session: Session) -> Iterator[None]:
    """A transaction during which no server writes."""
    session.begin()
    try:
        session.lock()
        yield
        session.commit()
    except BaseException:
        session.rollback()
        raise


def backup(session: Session, file: Path, progress: Progress = lambda done, total: None) -> dict[str, int]:
    """Write a snapshot of the whole database to a new file; return the number of rows by table.

    :raises AdminError: if the file exists.
    """
    part = file.with_name(file.name + ".part")
    if file.exists():
        raise AdminError(f"{file} exists already: choose another name")
    session.begin_snapshot()
    try:
        [(key,)] = session.run("SELECT value FROM meta WHERE name = 'key'")
        counts = {table: session.run(f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}
        total, done = sum(counts.values()), 0
        header = {"format": FORMAT, "schema": HEAD, "made": time.time(), "key": key, "tables": TABLES}
        with _private(part) as raw, gzip.open(raw, "wt", encoding="utf-8", compresslevel=6) as lines:
            lines.write(json.dumps(header) + "\n")
            for table, columns in TABLES.items():
                rows = session.stream(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {_ORDER[table]}")
                for row in rows:
                    lines.write(json.dumps([table, *row], ensure_ascii=False) + "\n")
                    done += 1
                    if done % 1000 == 0:
                        progress(done, total)
            lines.write(json.dumps({"rows": counts}) + "\n")
        part.rename(file)  # the file appears only when it is complete
    finally:
        session.rollback()
        part.unlink(missing_ok=True)
    return counts


def restore(session: Session, file: Path, progress: Progress = lambda done, total: None) -> dict[str, int]:
    """Fill an empty database from a backup, all or nothing; return the number of rows by table.

    :raises AdminError: if the database is not empty, or the file is not a complete backup.
    """
    counts = dict.fromkeys(TABLES, 0)
    size = file.stat().st_size
    with _damaged(file), transaction(session):
        for table in TABLES:
            if session.run(f"SELECT 1 FROM {table} LIMIT 1"):
                raise AdminError(f"the database is not empty (table {table}): restore into a new one")
        with file.open("rb") as raw, gzip.open(raw, "rt", encoding="utf-8") as lines:
            header = _read_line(lines, file)
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise AdminError(f"{file} is not a backup of Escadaria")
            if header["schema"] > HEAD:
                raise AdminError(f"{file} was made by a later version of Escadaria: install that one")
            session.run_many("UPDATE meta SET value = ? WHERE name = 'key'", [(header["key"],)])
            end: list[Any] = []
            for table, rows in groupby(_rows(lines, file, end), lambda row: row[0]):
                columns = header["tables"][table]
                while batch := [dict(zip(columns, row[1:], strict=True)) for row in islice(rows, _BATCH)]:
                    _insert(session, table, batch)
                    counts[table] += len(batch)
                    progress(raw.tell(), size)
        if end != [{"rows": counts}]:
            raise AdminError(f"{file} is damaged: its last line is {end}, but it has {counts}")
    return counts


@contextmanager
def _damaged(file: Path) -> Iterator[None]:
    """Report what reading a damaged backup raises."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error, LookupError, TypeError, ValueError) as error:
        raise AdminError(f"{file} is damaged: {first_line(error)}") from error


def _insert(session: Session, table: str, rows: list[dict[str, Any]]) -> None:
    known = TABLES[table]
    values = [[row[column] for column in known if column in row] for row in rows]
    if table == "event":
        session.add_events([(match, StoredEvent(*event)) for match, *event in values])
        return
    columns = [column for column in known if column in rows[0]]
    if table == "match":
        archived = columns.index("archived")
        for row in values:
            row[archived] = bool(row[archived])
    places = ", ".join("?" * len(columns))
    session.run_many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", values)


def _rows(lines: Iterable[str], file: Path, end: list[Any]) -> Iterator[list[Any]]:
    """The rows of a backup; the line after them is added to ``end``."""
    while isinstance(row := _read_line(lines, file), list):
        yield row
    end.append(row)


def _read_line(lines: Iterable[str], file: Path) -> Any:
    line = next(iter(lines), None)
    if line is None:
        raise AdminError(f"{file} is incomplete: its last line is missing")
    return json.loads(line)


def _private(path: Path) -> Any:
    """A new file that only its owner may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
