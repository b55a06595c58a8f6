"""The store in an SQL database: the statements behind each call."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any

from escadaria.store import Lease, Meters, Servers, StoredEvent, StoreUnavailable, Survey, database
from escadaria.store.commits import SET_DUE
from escadaria.store.database import Database, Session
from escadaria.store.threads import Threads

PING_SECONDS = 0.8
"""The timeout of a ping."""

LAST = 2**31 - 1
"""The highest version."""

SURVEY_BATCH = 200
"""The number of matches that one statement surveys."""

PURGE_BATCH = 500
"""The number of values purged in one transaction."""

PURGE_SECONDS = 5.0
"""The longest that one purge may take."""

_ARCHIVE = "UPDATE match SET archived = TRUE WHERE id = ?"
_EVENTS = (
    "SELECT version, time, request, body, hidden FROM event"
    " WHERE match = ? AND version > ? ORDER BY version LIMIT ?"
)
# A server may have a match in memory that was deleted meanwhile: nothing of it comes back.
_SAVE_SNAPSHOT = (
    "INSERT INTO snapshot (match, version, body) SELECT ?, ?, ?"
    " WHERE EXISTS (SELECT 1 FROM match WHERE id = ?) ON CONFLICT (match) DO UPDATE"
    " SET version = excluded.version, body = excluded.body WHERE snapshot.version < excluded.version"
)
# For each match one step in the primary index, however long the match is.
_SURVEY = (
    "SELECT column1, (SELECT version FROM event WHERE match = column1 ORDER BY version DESC LIMIT 1),"
    " (SELECT lease.server FROM lease JOIN server ON server.id = lease.server"
    " WHERE lease.match = column1 AND server.expires > ?) FROM (VALUES {}) AS wanted"
)
_PRESENT = (
    "SELECT presence.match, presence.server, presence.members FROM presence"
    " JOIN server ON server.id = presence.server WHERE server.expires > ? AND presence.match IN ({})"
)
_CLAIM_DUE = (
    "UPDATE match SET due = ? WHERE id = ? AND due <= ? AND NOT EXISTS (SELECT 1 FROM lease JOIN server"
    " ON server.id = lease.server WHERE lease.match = match.id AND lease.server <> ? AND server.expires > ?)"
    " RETURNING 1"
)
_RENEW = "UPDATE server SET expires = ? WHERE id = ? AND expires > ? RETURNING 1"
_JOIN = (
    "INSERT INTO server (id, expires) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET expires = excluded.expires"
)
_SERVERS = "SELECT id, expires FROM server"
_BURY = "DELETE FROM server WHERE id = ? AND expires <= ? RETURNING 1"
_BURY_LEASES = (
    "UPDATE match SET due = ? WHERE due > ? AND NOT archived"
    " AND id IN (SELECT lease.match FROM lease WHERE lease.server = ?)",
    "DELETE FROM lease WHERE server = ?",
    "DELETE FROM presence WHERE server = ?",
)
_TAKE_LEASE = (
    "INSERT INTO lease (match, server, epoch) VALUES (?, ?, ?) ON CONFLICT (match) DO UPDATE"
    " SET server = excluded.server, epoch = excluded.epoch WHERE lease.server = excluded.server OR NOT EXISTS"
    " (SELECT 1 FROM server WHERE server.id = lease.server AND server.expires > ?) RETURNING 1"
)
_RELEASE = "DELETE FROM lease WHERE match = ? AND server = ?"
_SET_PRESENCE = (
    "INSERT INTO presence (match, server, members) VALUES (?, ?, ?) ON CONFLICT (match, server) DO UPDATE"
    " SET members = excluded.members"
)
_NOBODY = "DELETE FROM presence WHERE match = ? AND server = ?"
_SNAPSHOT = "SELECT version, body FROM snapshot WHERE match = ?"
_DUE = "SELECT id FROM match WHERE NOT archived AND due <= ? ORDER BY due LIMIT ?"
# The cheap test on `created` comes first: the last event is read only for old matches.
_ABANDONED = (
    "SELECT id FROM match WHERE NOT archived AND created < ? AND coalesce("
    "(SELECT time FROM event WHERE event.match = match.id ORDER BY version DESC LIMIT 1), created) < ?"
    " ORDER BY created LIMIT ?"
)
_PUT = (
    "INSERT INTO item (kind, key, value, expires) VALUES (?, ?, ?, ?) ON CONFLICT (kind, key) DO UPDATE"
    " SET value = excluded.value, expires = excluded.expires"
)
# It locks the row until the transaction ends.
_LOCK_ITEM = (
    "INSERT INTO item (kind, key, value, expires) VALUES (?, ?, '', ?) ON CONFLICT (kind, key) DO UPDATE"
    " SET expires = excluded.expires RETURNING value"
)
_CHANGE = "UPDATE item SET value = ? WHERE kind = ? AND key = ?"
_GET = "SELECT value FROM item WHERE kind = ? AND key = ? AND expires > ?"
_TAKE = "DELETE FROM item WHERE kind = ? AND key = ? AND expires > ? RETURNING value"
_VALUES = "SELECT key, value FROM item WHERE kind = ? AND expires > ?"
_PURGE = (
    "DELETE FROM item WHERE (kind, key) IN"
    " (SELECT kind, key FROM item WHERE expires <= ? ORDER BY expires LIMIT ?) RETURNING 1"
)
_PING = (
    "INSERT INTO meta (name, value) VALUES ('ping', ?)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_PONG = "SELECT value FROM meta WHERE name = 'ping'"


class SqlStore:
    """A :class:`~escadaria.store.Store` in a database. Open it with :meth:`open`."""

    def __init__(self, threads: Threads) -> None:
        self.key = b""
        self._threads = threads
        self._pinging: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, url: str, *, most: int = 4096) -> SqlStore:
        """Open the database at ``url``: see :func:`~escadaria.store.open_store`.

        At most ``most`` calls share a commit; the others go into the next one.
        """
        store = cls(Threads(database_at(url), most))
        prepared = store._threads.prepared.done
        try:
            while not prepared.done():
                done, _ = await asyncio.wait([prepared], timeout=database.ANSWER_SECONDS)
                if not (done or store._threads.database.migrating):
                    raise StoreUnavailable("the database does not answer")
            store.key = prepared.result()
        except BaseException:
            await store.close(1)
            raise
        return store

    # Matches.

    async def append(
        self,
        match: str,
        events: Sequence[StoredEvent],
        *,
        due: float | None = None,
        lease: Lease | None = None,
    ) -> None:
        if not events:
            raise ValueError("no events to append")
        first = events[0].version
        for version, event in enumerate(events, first):
            if event.version != version or first < 1:
                raise ValueError("versions must be consecutive and start at 1")
            _check_text(match + event.request + event.body + event.hidden)
            _check_time(event.time)
        if due is not None:
            _check_time(due)
        await self._threads.append(match, events, due, lease)

    async def archive(self, match: str) -> None:
        if _storable(match):
            await self._threads.write(match, lambda session: session.run_many(_ARCHIVE, [(match,)]))

    async def set_due(self, dues: Mapping[str, float | None]) -> None:
        for due in dues.values():
            _check_time(due or 0.0)
        rows = sorted(
            ((due, match) for match, due in dues.items() if _storable(match)), key=lambda row: row[1]
        )
        if rows:
            await self._threads.write(rows[0][1], lambda session: session.run_many(SET_DUE, rows))

    async def save_snapshot(self, match: str, version: int, body: str) -> None:
        _check_text(match + body)
        row = (match, version, body, match)
        await self._threads.write(match, lambda session: session.run_many(_SAVE_SNAPSHOT, [row]))

    async def events(self, match: str, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        if not _storable(match):
            return []
        most = LAST if limit is None else _bounded(limit)
        return [StoredEvent(*row) for row in await self._rows(_EVENTS, match, _bounded(after), most)]

    async def survey(self, matches: Sequence[str], now: float) -> dict[str, Survey]:
        found: dict[str, Survey] = {}
        storable = [match for match in matches if _storable(match)]
        for start in range(0, len(storable), SURVEY_BATCH):
            batch = storable[start : start + SURVEY_BATCH]
            found |= await self._threads.read(partial(_survey, batch, float(now)))
        return found

    async def claim_due(self, match: str, server: str, now: float, until: float) -> bool:
        row = (float(until), match, float(now), server, float(now))
        return bool(await self._threads.write(match, lambda session: session.run(_CLAIM_DUE, row)))

    async def snapshot(self, match: str) -> tuple[int, str] | None:
        rows = await self._rows(_SNAPSHOT, match) if _storable(match) else []
        return (rows[0][0], rows[0][1]) if rows else None

    async def due_matches(self, before: float, limit: int) -> list[str]:
        return [match for (match,) in await self._rows(_DUE, float(before), _bounded(limit))]

    async def abandoned(self, before: float, limit: int) -> list[str]:
        before = float(before)
        return [match for (match,) in await self._rows(_ABANDONED, before, before, _bounded(limit))]

    # Values that expire.

    async def put(self, kind: str, key: str, value: str, expires: float) -> None:
        await self.put_many(kind, {key: value}, expires)

    async def put_many(self, kind: str, values: Mapping[str, str], expires: float) -> None:
        _check_time(expires)
        _check_text("".join((kind, *values, *values.values())))
        rows = [(kind, key, value, float(expires)) for key, value in sorted(values.items())]
        if rows:
            await self._threads.write(kind, lambda session: session.run_many(_PUT, rows))

    async def change(
        self, kind: str, keys: Sequence[str], change: Callable[[str, str], str], expires: float
    ) -> dict[str, str]:
        _check_time(expires)
        _check_text("".join((kind, *keys)))

        def work(session: Session) -> dict[str, str]:
            changed = {}
            for key in sorted(keys):
                [(value,)] = session.run(_LOCK_ITEM, (kind, key, float(expires)))
                changed[key] = change(key, value)
                session.run(_CHANGE, (changed[key], kind, key))
            return changed

        return await self._threads.write(kind, work) if keys else {}

    async def get(self, kind: str, key: str, now: float) -> str | None:
        rows = await self._rows(_GET, kind, key, float(now)) if _storable(kind + key) else []
        return rows[0][0] if rows else None

    async def take(self, kind: str, key: str, now: float) -> str | None:
        if not _storable(kind + key):
            return None
        parameters = (kind, key, float(now))
        rows = await self._threads.write(kind, lambda session: session.run(_TAKE, parameters))
        return rows[0][0] if rows else None

    async def values(self, kind: str, now: float) -> dict[str, str]:
        return dict(await self._rows(_VALUES, kind, float(now))) if _storable(kind) else {}

    async def purge(self, now: float) -> int:
        purged, until = 0, time.monotonic() + PURGE_SECONDS
        parameters = (float(now), PURGE_BATCH)
        while time.monotonic() < until:
            rows = await self._threads.write("", lambda session: session.run(_PURGE, parameters))
            purged += len(rows)
            if len(rows) < PURGE_BATCH:
                break
        return purged

    # Servers.

    async def heartbeat(self, server: str, now: float, expires: float) -> Servers:
        def beat(session: Session) -> Servers:
            known = bool(session.run(_RENEW, (float(expires), server, float(now))))
            if not known:
                session.run(_JOIN, (server, float(expires)))
            rows = session.run(_SERVERS)
            living = frozenset(name for name, until in rows if until > now)
            return Servers(known, living, {name: until for name, until in rows if until <= now})

        return await self._threads.write("", beat)

    async def bury(self, server: str, now: float) -> None:
        def bury(session: Session) -> None:
            if session.run(_BURY, (server, float(now))):
                due, leases, presence = _BURY_LEASES
                session.run(due, (float(now), float(now), server))
                session.run(leases, (server,))
                session.run(presence, (server,))

        await self._threads.write("", bury)

    async def take_lease(self, match: str, lease: Lease, now: float) -> bool:
        row = (match, *lease, float(now))
        return bool(await self._threads.write(match, lambda session: session.run(_TAKE_LEASE, row)))

    async def release_leases(self, server: str, matches: Sequence[str]) -> None:
        rows = [(match, server) for match in sorted(matches)]
        if rows:
            await self._threads.write("", lambda session: session.run_many(_RELEASE, rows))

    async def set_presence(self, server: str, members: Mapping[str, str]) -> None:
        present = [(match, server, text) for match, text in sorted(members.items()) if text]
        nobody = [(match, server) for match, text in sorted(members.items()) if not text]

        def save(session: Session) -> None:
            if present:
                session.run_many(_SET_PRESENCE, present)
            if nobody:
                session.run_many(_NOBODY, nobody)

        await self._threads.write("", save)

    # The store itself.

    @property
    def meters(self) -> Meters:
        return self._threads.meters

    @property
    def waiting(self) -> int:
        return self._threads.waiting

    async def ping(self) -> None:
        if self._pinging is None:  # concurrent callers share one ping
            value = f"{time.time()} ".ljust(2000, ".")  # the size of a few events

            def write_and_read(session: Session) -> None:
                session.reserve()
                session.run_many(_PING, [(value,)])
                session.run(_PONG)

            self._pinging = asyncio.ensure_future(self._threads.write("", write_and_read, PING_SECONDS))
            self._pinging.add_done_callback(self._pinged)
        await asyncio.shield(self._pinging)

    def _pinged(self, pinging: asyncio.Future[None]) -> None:
        self._pinging = None
        if not pinging.cancelled():
            pinging.exception()  # marks it as retrieved: the callers may have been cancelled

    async def close(self, seconds: float = 10) -> None:
        await self._threads.close(seconds)

    async def _rows(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        return await self._threads.read(lambda session: session.run(statement, parameters))


def _survey(matches: Sequence[str], now: float, session: Session) -> dict[str, Survey]:
    rows = session.run(_SURVEY.format(", ".join(["(?)"] * len(matches))), (now, *matches))
    members: dict[str, dict[str, str]] = {match: {} for match in matches}
    for match, server, text in session.run(_PRESENT.format(", ".join("?" * len(matches))), (now, *matches)):
        members[match][server] = text
    return {
        match: Survey(version, holder or "", members[match]) for match, version, holder in rows if version
    }


def _storable(text: str) -> bool:
    """Whether both databases can store the text. JSON always can be stored: it escapes the rest."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False


def _check_text(text: str) -> None:
    if not _storable(text):
        raise ValueError("text with NUL or half a surrogate pair cannot be stored")


def _check_time(time: float) -> None:
    if not isfinite(time):
        raise ValueError("a time must be a finite number")


def _bounded(number: int) -> int:
    return max(0, min(number, LAST))


def database_at(url: str) -> Database:
    """The database that a URL or path names."""
    scheme, separator, _ = url.partition("://")
    if separator and not re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme):
        raise ValueError("invalid database URL")  # not shown: it may contain a password
    backend = scheme.partition("+")[0] if separator else "sqlite"
    if backend == "sqlite":
        from escadaria.store.sqlite import SqliteDatabase

        return SqliteDatabase.at(url)
    if backend in {"postgres", "postgresql"}:
        from escadaria.store.postgres import PostgresDatabase  # an extra

        return PostgresDatabase.at(url)
    raise ValueError(f"the database must be SQLite or PostgreSQL, not {backend!r}")
