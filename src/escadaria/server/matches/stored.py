"""The matches in a database: rebuilt to check and to export them, or deleted."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from escadaria.events import read_event
from escadaria.game import GameError
from escadaria.match.match import Match
from escadaria.match.state import Hidden, MatchEvent, SavedMatch
from escadaria.record import verify, write
from escadaria.store import StoredEvent
from escadaria.store.database import Session, first_line
from escadaria.store.maintenance import AdminError, Progress, transaction

ANONYMOUS = "Anonymous"
"""The name that replaces a deleted name; a number follows if a match has several."""

_EVENTS = "SELECT match, version, time, request, body, hidden FROM event ORDER BY match, version"
_EVENTS_OF = "SELECT version, time, request, body, hidden FROM event WHERE match = ? ORDER BY version"


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
            damaged[match] = first_line(error)
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
            damaged[match] = first_line(error)
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
_DAMAGE = (GameError, msgspec.MsgspecError, ValueError, LookupError, AssertionError, TypeError)
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
            match.apply(MatchEvent(read_event(stored.body), hidden), stored.time)
        except _DAMAGE as error:
            raise ValueError(f"event {version}: {first_line(error)}") from error
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


def _file_name(match: str) -> str:
    return re.sub(r"[^\w-]", "_", match)


# Deleting.


def delete_match(session: Session, match: str) -> int:
    """Delete a match and all data about it, and vacuum the database; return its number of events.

    :raises AdminError: if it is unknown.
    """
    with transaction(session):
        known = session.run("DELETE FROM match WHERE id = ? RETURNING 1", (match,))
        events = session.run("SELECT count(*) FROM event WHERE match = ?", (match,))[0][0]
        if not (known or events):
            raise AdminError(f"there is no match {match!r} in this database")
        for table in ("snapshot", "event", "lease", "presence"):
            session.run(f"DELETE FROM {table} WHERE match = ?", (match,))
        items = session.run("SELECT kind, key, value FROM item")
        mine = [(kind, key) for kind, key, value in items if match in key or match in value]
        if mine:
            session.run_many("DELETE FROM item WHERE kind = ? AND key = ?", mine)
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
    with transaction(session):
        for match in sorted(with_name):
            events = [StoredEvent(*row) for row in session.run(_EVENTS_OF, (match,))]
            renamed = [(body, match, version) for version, body in _renamed(events, name)]
            if renamed:
                session.run_many("UPDATE event SET body = ? WHERE match = ? AND version = ?", renamed)
            session.run("DELETE FROM snapshot WHERE match = ?", (match,))
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
    return [
        (version, msgspec.json.encode(_with_name(body, name, other)).decode())
        for version, body in bodies
        if name in _names(body)
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
