"""Maintenance of a match database: back up, restore, check, export and delete.

All but restoring can run while servers use the database. A backup is one portable file for SQLite and
PostgreSQL: lines of JSON, compressed with gzip. The first line is a header, each further line is a row, and
the last line has the row counts. It contains the secrets of all seats and dice.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from escadaria import wire
from escadaria.game import GameError
from escadaria.match.match import Hidden, Match, MatchEvent, SavedMatch
from escadaria.record import verify, write
from escadaria.store import StoredEvent, StoreUnavailable
from escadaria.store.database import Session
from escadaria.store.migrations import HEAD, is_current
from escadaria.store.sql import database_at

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with the number done and the total."""

FORMAT = "escadaria backup"

ANONYMOUS = "Anonymous"
"""The name that replaces a deleted name; a number follows if a match has several."""

TABLES = {
    "match": ("id", "created", "archived", "due"),
    "event": ("match", "version", "time", "request", "body", "hidden"),
    "snapshot": ("match", "version", "body"),
    "item": ("kind", "key", "value", "expires"),
}
"""The tables and columns of a backup, in order."""

_ORDER = {"match": "id", "event": "match, version", "snapshot": "match", "item": "kind, key"}
_BATCH = 500

_EVENTS = "SELECT match, version, time, request, body, hidden FROM event ORDER BY match, version"
_EVENTS_OF = "SELECT version, time, request, body, hidden FROM event WHERE match = ? ORDER BY version"


class AdminError(Exception):
    """A command that cannot be carried out; the message says what to do instead."""


@dataclass(frozen=True)
class CheckResult:
    """The result of a check."""

    matches: int = 0
    events: int = 0
    finished: int = 0
    rolls: int = 0
    """Rolls of finished matches that were verified with the secrets of their dice."""
    damaged: dict[str, str] = field(default_factory=dict)
    """The reason, by match."""


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
        raise AdminError(f"database error: {_reason(error)}") from error


# Backup and restore.


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
    session.begin()
    try:
        session.lock()
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
            for table, group in groupby(_rows(lines, file, end), lambda row: row[0]):
                for batch in _batches(group):
                    _insert(session, table, header["tables"][table], [row[1:] for row in batch])
                    counts[table] += len(batch)
                    progress(raw.tell(), size)
        if end != [{"rows": counts}]:
            raise AdminError(f"{file} is damaged: its last line is {end}, but it has {counts}")
        session.commit()
    except (EOFError, gzip.BadGzipFile, zlib.error, LookupError, TypeError, ValueError) as error:
        session.rollback()
        raise AdminError(f"{file} is damaged: {_reason(error)}") from error
    except BaseException:
        session.rollback()
        raise
    return counts


def _insert(session: Session, table: str, columns: list[str], rows: list[list[Any]]) -> None:
    if table == "event":
        at = [columns.index(name) for name in TABLES["event"]]
        values = ([row[index] for index in at] for row in rows)
        session.add_events([(match, StoredEvent(*event)) for match, *event in values])
        return
    known = [name for name in columns if name in TABLES[table]]
    places = ", ".join("?" * len(known))
    statement = f"INSERT INTO {table} ({', '.join(known)}) VALUES ({places})"
    named = (dict(zip(columns, row, strict=True)) for row in rows)
    session.run_many(
        statement,
        [[bool(row[name]) if name == "archived" else row[name] for name in known] for row in named],
    )


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


# Reading matches.


def export(session: Session, match: str) -> str:
    """The record of a finished match.

    :raises AdminError: if it is unknown or not finished.
    """
    events = [StoredEvent(*row) for row in session.run(_EVENTS_OF, (match,))]
    if not events:
        raise AdminError(f"there is no match {match!r} in this database")
    text = record_text(events)
    if text is None:
        raise AdminError(f"match {match!r} is not finished: it has no record yet")
    return text


def export_all(
    session: Session, folder: Path, progress: Progress = lambda done, total: None
) -> tuple[int, dict[str, str]]:
    """Write the record of each finished match to a folder; return their number and the damaged matches."""
    folder.mkdir(parents=True, exist_ok=True)
    written, damaged = 0, {}
    for match, events in _matches(session, progress):
        try:
            text = record_text(events)
        except _DAMAGE as error:
            damaged[match] = _reason(error)
            continue
        if text is not None:
            (folder / f"{_file_name(match)}.txt").write_text(text, "utf-8")
            written += 1
    return written, damaged


def check(session: Session, progress: Progress = lambda done, total: None) -> CheckResult:
    """Replay every stored match: check that events are complete, moves legal and dice as committed."""
    matches = events = finished = rolls = 0
    damaged: dict[str, str] = {}
    for match, stored in _matches(session, progress):
        matches += 1
        events += len(stored)
        try:
            snapshot = session.run("SELECT version, body FROM snapshot WHERE match = ?", (match,))
            folded = fold(stored, *snapshot)
            if folded.id != match:
                raise ValueError(f"its first event names another match, {folded.id!r}")
            if folded.status == "over":
                finished += 1
                # at a practice table positions are set up and moves taken back
                if not folded.settings.practice and not folded.real_dice:
                    verdict = verify(folded.record(""))
                    rolls += verdict.rolls
                    if not verdict.fair:
                        raise ValueError(f"the dice are not as committed ({verdict.reason})")
        except _DAMAGE as error:
            damaged[match] = _reason(error)
    for (match,) in session.run(_WITHOUT_EVENTS):
        matches += 1
        damaged[match] = "it has no events"
    for (match,) in session.run(_WITHOUT_MATCH):
        damaged[match] = "it has events but no row in the table of matches"
    return CheckResult(matches, events, finished, rolls, damaged)


_WITHOUT_EVENTS = (
    "SELECT id FROM match WHERE NOT EXISTS (SELECT 1 FROM event WHERE event.match = match.id AND version = 1)"
)
_WITHOUT_MATCH = (
    "SELECT match FROM event WHERE version = 1 AND NOT EXISTS (SELECT 1 FROM match WHERE id = event.match)"
)
_DAMAGE = (
    GameError,
    msgspec.MsgspecError,
    ValueError,
    LookupError,
    AssertionError,
    TypeError,
)
"""What replaying a damaged match raises."""


def fold(events: Iterable[StoredEvent], *snapshots: tuple[int, str]) -> Match:
    """Rebuild a match from its events; raises one of ``_DAMAGE`` if they are damaged.

    Each snapshot (version and body) must equal the match rebuilt up to its version.
    """
    match = Match()
    expected = dict(snapshots)
    for version, stored in enumerate(events, 1):
        if stored.version != version:
            raise ValueError(f"event {version} is missing")
        try:
            hidden = msgspec.json.decode(stored.hidden, type=Hidden) if stored.hidden else Hidden()
            match.apply(MatchEvent(wire.read_event(stored.body), hidden), stored.time)
        except _DAMAGE as error:
            raise ValueError(f"event {version}: {_reason(error)}") from error
        if version in expected:
            saved = msgspec.json.decode(expected.pop(version), type=SavedMatch)
            if saved != match.saved():
                raise ValueError(f"its snapshot of version {version} differs from its events")
    if expected:
        raise ValueError(f"its snapshot is of version {max(expected)}, its last event {match.version}")
    return match


def record_text(events: list[StoredEvent]) -> str | None:
    """The text of a match's record, or None if the match is not finished."""
    match = fold(events)
    if match.status != "over":
        return None
    return write(match.record(time.strftime("%Y-%m-%d", time.gmtime(events[0].time))))


def _matches(session: Session, progress: Progress) -> Iterator[tuple[str, list[StoredEvent]]]:
    """All matches with their events, read in one snapshot transaction."""
    session.begin_snapshot()
    try:
        [(total,)] = session.run("SELECT count(*) FROM match")
        for done, (match, rows) in enumerate(groupby(session.stream(_EVENTS), lambda row: row[0]), 1):
            yield match, [StoredEvent(*row[1:]) for row in rows]
            progress(done, total)
    finally:
        session.rollback()


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _file_name(match: str) -> str:
    return re.sub(r"[^\w-]", "_", match)


# Deleting.


def delete_match(session: Session, match: str) -> int:
    """Delete a match and all data about it, and vacuum the database; return its number of events.

    :raises AdminError: if it is unknown.
    """
    session.begin()
    try:
        session.lock()
        known = session.run("DELETE FROM match WHERE id = ? RETURNING 1", (match,))
        events = session.run("SELECT count(*) FROM event WHERE match = ?", (match,))[0][0]
        if not (known or events):
            raise AdminError(f"there is no match {match!r} in this database")
        session.run_many("DELETE FROM snapshot WHERE match = ?", [(match,)])
        session.run_many("DELETE FROM event WHERE match = ?", [(match,)])
        for table in ("lease", "presence"):
            session.run_many(f"DELETE FROM {table} WHERE match = ?", [(match,)])
        items = session.run("SELECT kind, key, value FROM item")
        mine = [(kind, key) for kind, key, value in items if match in key or match in value]
        if mine:
            session.run_many("DELETE FROM item WHERE kind = ? AND key = ?", mine)
        session.commit()
    except BaseException:
        session.rollback()
        raise
    session.vacuum()
    return int(events)


def delete_name(session: Session, name: str, progress: Progress = lambda done, total: None) -> list[str]:
    """Replace a person's name by a neutral one and vacuum the database; return the affected matches.

    Snapshots of these matches are deleted; servers create new ones.
    """
    with_name = {match for match, events in _matches(session, progress) if _renamed(events, name)}
    # Snapshots by a server that had a match in memory when the name was deleted for the first time.
    snapshots = session.run("SELECT match, body FROM snapshot")
    with_name |= {match for match, body in snapshots if _has_name(body, name)}
    if not with_name:
        return []
    session.begin()
    try:
        session.lock()
        for match in sorted(with_name):
            events = [StoredEvent(*row) for row in session.run(_EVENTS_OF, (match,))]
            renamed = [(body, match, version) for version, body in _renamed(events, name)]
            if renamed:
                session.run_many("UPDATE event SET body = ? WHERE match = ? AND version = ?", renamed)
            session.run_many("DELETE FROM snapshot WHERE match = ?", [(match,)])
        session.commit()
    except BaseException:
        session.rollback()
        raise
    session.vacuum()
    return sorted(with_name)


def _renamed(events: Iterable[StoredEvent], name: str) -> list[tuple[int, str]]:
    """The versions of the events that contain the name, with their new bodies."""
    bodies = [(event.version, json.loads(event.body)) for event in events]
    names = {found for _, body in bodies for found in _names(body)}
    if name not in names:
        return []
    numbered = (f"{ANONYMOUS} {number}" for number in range(2, len(names) + 2))
    other = next(candidate for candidate in (ANONYMOUS, *numbered) if candidate not in names)
    changed = [(version, body, _with_name(body, name, other)) for version, body in bodies]
    return [
        (version, json.dumps(new, ensure_ascii=False, separators=(",", ":")))
        for version, old, new in changed
        if new != old
    ]


def _has_name(body: str, name: str) -> bool:
    """Whether a snapshot contains the name."""
    try:
        return name in _names(json.loads(body))
    except ValueError:  # it is damaged
        return name in body


def _names(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        if isinstance(data.get("name"), str):
            yield data["name"]
        data = list(data.values())
    if isinstance(data, list):
        for part in data:
            yield from _names(part)


def _with_name(data: Any, name: str, other: str) -> Any:
    """A copy of the data with the name replaced."""
    if isinstance(data, list):
        return [_with_name(part, name, other) for part in data]
    if isinstance(data, dict):
        return {
            key: other if key == "name" and value == name else _with_name(value, name, other)
            for key, value in data.items()
        }
    return data


# Helpers.


def _private(path: Path) -> Any:
    """A new file that only its owner may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _batches(rows: Iterable[T]) -> Iterator[list[T]]:
    rows = iter(rows)
    while batch := list(islice(rows, _BATCH)):
        yield batch
