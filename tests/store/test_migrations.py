"""Databases of earlier versions, made by the statements of their time, are migrated and carried on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from escadaria.store import Conflict, StoredEvent, Survey
from escadaria.store.database import Session
from escadaria.store.migrations import HEAD
from escadaria.store.sql import database_at
from store.conftest import Opener, open_matches

pytestmark = pytest.mark.anyio

VERSIONS = ("0001", "0002", "0003")


@contextmanager
def connected(url: str) -> Iterator[Session]:
    """A transaction without a store."""
    if "://" not in url:
        Path(url).touch()
    with closing(database_at(url).connect()) as session:
        session.begin()
        yield session
        session.commit()


@contextmanager
def earlier(url: str, version: str) -> Iterator[Session]:
    """A connection to a new database with the tables of an earlier version."""
    with connected(url) as session:
        script = (Path(__file__).parent / "old" / f"{session.dialect}.sql").read_text()
        parts = script.split("-- ")[1:]
        for part in parts[: VERSIONS.index(version) + 1]:
            for statement in part.partition("\n")[2].strip().rstrip(";").split(";\n"):
                session.run(statement)
        yield session


TABLES = {
    "sqlite": (
        'SELECT tables.name, columns.name, substr(columns.type, 1, 6), columns."notnull", columns.pk'
        " FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns"
        " WHERE tables.type = 'table' AND tables.name != 'alembic_version'",
        "SELECT name, replace(sql, '\"', '') FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
        "SELECT * FROM pragma_foreign_key_list('event')",
    ),
    "postgresql": (
        "SELECT attrelid::regclass::text, attname, atttypid::regtype::text, attnotnull, attstattarget::text"
        " FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE attnum > 0 AND relkind = 'r'"
        " AND relnamespace = 'public'::regnamespace AND relname != 'alembic_version'",
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename != 'alembic_version'",
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = 'public'::regnamespace AND conrelid != 'alembic_version'::regclass",
    ),
}
"""Queries for the columns, the indexes and the constraints of all tables."""


def tables(url: str) -> list[list[tuple[Any, ...]]]:
    with connected(url) as session:
        return [sorted(session.run(query)) for query in TABLES[session.dialect]]


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_database_of_an_earlier_version_is_carried_on(opened: Opener, url: str, version: str) -> None:
    with earlier(url, version) as session:
        for match, archived in (("open", False), ("done", True)):
            session.run("INSERT INTO match (id, created, archived) VALUES (?, 10.0, ?)", (match, archived))
            session.run("INSERT INTO event VALUES (?, 1, NULL, 10.0, 'r', 'ação', 'h')", (match,))
            session.run("INSERT INTO event VALUES (?, 2, 1, 11.0, '', '{}', '')", (match,))
        if version > "0001":
            session.run("UPDATE match SET due = 10.0")
            session.run("INSERT INTO snapshot VALUES ('open', 2, 'body')")
            session.run("INSERT INTO item VALUES ('code', 'k', 'value', 100.0)")
            [(key,)] = session.run("SELECT value FROM meta WHERE name = 'key'")
        if version > "0002":
            session.run("INSERT INTO worker VALUES ('a', 100.0)")
            session.run("INSERT INTO lease VALUES ('open', 'a', 7)")
            session.run("INSERT INTO presence VALUES ('open', 'a', '[0]')")
    store = await opened(url)
    for match in ("open", "done"):
        assert await store.events(match) == [
            StoredEvent(1, 10.0, "r", "ação", "h"),
            StoredEvent(2, 11.0, "", "{}", ""),
        ]
    assert await open_matches(store) == ["open"]
    assert await store.due_matches(10, 10) == ["open"]  # an unknown deadline: it is loaded once
    assert await store.abandoned(100, 10) == ["open"]
    if version > "0001":
        assert store.key.hex() == key
        assert await store.snapshot("open") == (2, "body")
        assert await store.get("code", "k", 99) == "value"
    held = version > "0002"
    expected = Survey(2, "a", {"a": "[0]"}) if held else Survey(2)
    assert await store.survey(["open"], 99) == {"open": expected}
    assert await store.take_lease("open", ("b", 1), 99) is not held
    await store.append("open", [StoredEvent(3, 12.0, "", "{}")], due=50.0)
    with pytest.raises(Conflict):
        await store.append("done", [StoredEvent(4, 12.0, "", "{}")])
    assert (await opened(url)).key == store.key


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_version_leads_to_the_same_tables(opened: Opener, url: str, version: str) -> None:
    """The tables migrated from it are those of a new database."""
    with earlier(url, version):
        pass
    await (await opened(url)).close()
    migrated = tables(url)
    with connected(url) as session:
        assert session.run("SELECT version_num FROM alembic_version") == [(HEAD,)]
        for table in ("event", "match", "snapshot", "item", "meta", "lease", "presence", "server"):
            session.run(f"DROP TABLE {table}")
        session.run("DROP TABLE alembic_version")
    await opened(url)
    assert tables(url) == migrated


OLD_AND_NEW = [
    (
        '{"kind":"created","match":"m","game":"rapido","options":{},"rules":{"clock":60},"rules_version":1}',
        '{"kind":"created","match":"m","game":"rapido","options":{},"settings":{"clock":60},"rules_version":1}',
    ),
    (r'{"kind":"sat","seat":0,"name":"\"rules\":{"}', r'{"kind":"sat","seat":0,"name":"\"rules\":{"}'),
    (
        '{"kind":"did","seat":0,"deed":"roll","dice":["26"]}',
        '{"kind":"acted","seat":0,"action":"roll","dice":["26"]}',
    ),
    ('{"kind":"configured","rules":{"pace":0}}', '{"kind":"configured","settings":{"pace":0}}'),
    ('{"kind":"was_set_up","position":"turn=0"}', '{"kind":"position_set","position":"turn=0"}'),
    ('{"kind":"moved","seats":[0]}', '{"kind":"moved","seats":[0]}'),
]


async def test_events_of_the_first_version_get_plain_names(opened: Opener, url: str) -> None:
    with earlier(url, "0001") as session:
        session.run("INSERT INTO match VALUES ('m', 10.0, FALSE)")
        for version, (old, _) in enumerate(OLD_AND_NEW, 1):
            row = "INSERT INTO event VALUES ('m', ?, ?, 10.0, '', ?, '')"
            session.run(row, (version, version - 1 or None, old))
    store = await opened(url)
    assert [stored.body for stored in await store.events("m")] == [new for _, new in OLD_AND_NEW]
