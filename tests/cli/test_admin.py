"""Maintenance of SQLite and PostgreSQL databases: backup, restore, check, export and deletion."""

from __future__ import annotations

import asyncio
import gzip
import json
import secrets
import sqlite3
import stat
import subprocess
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner, Result

from databases import Postgres, postgres  # noqa: F401 - a fixture
from escadaria import dice, wire
from escadaria.cli import app
from escadaria.events import Created, Sat, Started, TableSettings
from escadaria.match.match import Match, new_match
from escadaria.match.state import MatchEvent
from escadaria.record import read, verify
from escadaria.server.matches import stored
from escadaria.store import StoredEvent, maintenance, open_store
from escadaria.store.migrations import HEAD
from store.conftest import url  # noqa: F401 - a fixture

TIME = 1_700_000_000.0
COLOURS = (["red", "blue"], ["green", "yellow"])


def played(
    match: str, names: tuple[str, str], until: int | None = None, secret: bytes = bytes(32)
) -> list[StoredEvent]:
    """The events of a match of two people, to its end or up to a number of events."""
    created = Created(
        match=match,
        game="rapido",
        options={"players": 2, "finish": 8},
        settings=TableSettings(),
        commitment=dice.commitment(secret),
    )
    entries: list[MatchEvent] = []
    folded = Match()

    def add(*more: MatchEvent) -> None:
        for entry in more:
            folded.apply(entry, TIME + len(entries) + 1)
            entries.append(entry)

    add(new_match(created, "token", secret, ""))
    for seat, name in enumerate(names):
        add(MatchEvent(Sat(seat=seat, name=name, colours=COLOURS[seat], entropy="ab")))
    add(MatchEvent(Started(first=0)))
    while folded.play is not None and folded.play.to_act is not None and len(entries) != until:
        add(*folded.bot_acts(folded.play.to_act, folded.play.choices()[0]))
    return [
        StoredEvent(version, TIME + version, "", wire.encode(entry.event), wire.encode(entry.hidden))
        for version, entry in enumerate(entries, 1)
    ]


def saved(events: list[StoredEvent]) -> tuple[int, str]:
    """A snapshot of a match after these events."""
    return len(events), wire.encode(stored.fold(events).saved())


NAME = "Ana Çelik"


@pytest.fixture
def filled(url: str) -> str:  # noqa: F811
    """A database with three matches, two of them finished."""
    asyncio.run(fill(url))
    return url


async def fill(url: str) -> None:  # noqa: F811
    store = await open_store(url)
    people = {"one": (NAME, "Rui"), "two": ("Rui", "Eva"), "three": (NAME, "Eva")}
    for match, names in people.items():
        events = played(match, names, until=6 if match == "three" else None)
        await store.append(match, events, due=TIME)
        await store.save_snapshot(match, *saved(events[:5]))
    await store.archive("two")
    await store.put("code", "one secret", "value 'ü'", TIME)
    await store.close()


def run(*arguments: str | Path, database: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["admin", *map(str, arguments), "--database", database])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def contents(url: str) -> dict[str, list[tuple[object, ...]]]:  # noqa: F811
    """All rows, and the key."""
    with maintenance.maintenance_session(url) as session:
        rows = {
            table: session.run(f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1, 2")
            for table, columns in maintenance.TABLES.items()
        }
        rows["match"] = [(*row[:2], bool(row[2]), *row[3:]) for row in rows["match"]]
        return rows | {"key": session.run("SELECT value FROM meta WHERE name = 'key'")}


# --- backup and restore -----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_backup_restores_into_either_database_and_matches_continue(
    filled: str, target: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file = tmp_path / "backup.gz"
    assert "3 matches" in run("backup", file, database=filled).stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "exists already" in run("backup", file, database=filled, code=1).stderr
    before = contents(filled)
    assert len(before["match"]) == 3 and len(before["snapshot"]) == 3 and len(before["item"]) == 1
    other = str(tmp_path / "other.db") if target == "sqlite" else request.getfixturevalue("postgres").empty()
    rows = json.loads(run("restore", file, "--json", database=other).stdout)["rows"]
    assert rows == {table: len(before[table]) for table in maintenance.TABLES}
    found = json.loads(run("check", "--json", database=other).stdout)
    assert (found["matches"], found["finished"], found["damaged"]) == (3, 2, {})
    assert found["rolls"] > 10 and found["events"] > 30
    refused = run("restore", file, database=other, code=1)
    assert "not empty" in refused.stderr and "new one" in refused.stderr
    assert contents(other) == before

    async def go_on() -> None:
        store = await open_store(other)
        events = await store.events("three")
        await store.append("three", [StoredEvent(len(events) + 1, TIME, "", "{}")])
        assert sorted(await store.due_matches(TIME + 1, 10)) == ["one", "three"]
        await store.close()

    asyncio.run(go_on())


def test_a_backup_is_made_while_a_server_writes(url: str, tmp_path: Path) -> None:  # noqa: F811
    """A backup is a snapshot: no match lacks the events before its last one."""

    async def scene() -> None:
        store = await open_store(url)
        stored: asyncio.Queue[str] = asyncio.Queue()
        stop = False

        async def play(match: str) -> None:
            version = 0
            while not stop:
                version += 1
                await store.append(match, [StoredEvent(version, TIME, "", "{}")])
                stored.put_nowait(match)

        players = [asyncio.create_task(play(f"m{n}")) for n in range(5)]
        for number in range(3):
            for _ in range(20):
                await stored.get()
            await asyncio.to_thread(run, "backup", tmp_path / f"{number}.gz", database=url)
        stop = True
        await asyncio.gather(*players)
        await store.close()

    asyncio.run(scene())
    sizes = []
    for number in range(3):
        other = str(tmp_path / f"{number}.db")
        run("restore", tmp_path / f"{number}.gz", database=other)
        rows = contents(other)
        assert {row[0] for row in rows["event"]} == {row[0] for row in rows["match"]}
        sizes.append(len(rows["event"]))
    assert sizes == sorted(sizes) and sizes[0] > 0


def flipped(lines: list[bytes]) -> bytes:
    whole = bytearray(gzip.compress(b"".join(lines)))
    whole[len(whole) // 2] ^= 0xFF
    return bytes(whole)


DAMAGES: dict[str, Callable[[list[bytes]], bytes]] = {
    "without the end": lambda lines: gzip.compress(b"".join(lines[:-1])),
    "without a row": lambda lines: gzip.compress(b"".join(lines[:-2] + lines[-1:])),
    "cut off": lambda lines: gzip.compress(b"".join(lines))[:-20],
    "a bit flipped": flipped,
    "something else": lambda lines: gzip.compress(b'{"a": 1}\n'),
    "of tomorrow": lambda lines: gzip.compress(b"".join(lines).replace(f'"{HEAD}"'.encode(), b'"9999"', 1)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_backup_restores_nothing(tmp_path: Path, damage: str) -> None:
    source, target, file = str(tmp_path / "source.db"), str(tmp_path / "target.db"), tmp_path / "backup.gz"
    asyncio.run(fill(source))
    run("backup", file, database=source)
    file.write_bytes(DAMAGES[damage](gzip.decompress(file.read_bytes()).splitlines(keepends=True)))
    refused = run("restore", file, database=target, code=1)
    assert str(file) in refused.stderr.replace("\n", "")
    assert not any(contents(target)[table] for table in maintenance.TABLES)


# --- the database -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("check",), ("backup", "x.gz"), ("export", "m"), ("delete", "m")])
def test_a_missing_database_is_not_created(tmp_path: Path, command: tuple[str, ...]) -> None:
    refused = run(*command, database=str(tmp_path / "none.db"), code=1)
    assert "--database" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_invalid_database_or_a_missing_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text " * 1000)
    assert "not a database" in run("check", database=str(tmp_path / "text"), code=1).stderr
    assert "mysql" in run("check", database="mysql://u:p@h/d", code=2).stderr
    refused = run("restore", tmp_path / "none.gz", database=str(tmp_path / "new.db"), code=2)
    assert "none.gz" in refused.stderr.replace("\n", "")


def test_the_database_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(fill(str(tmp_path / "env.db")))
    monkeypatch.setenv("DATABASE_URL", str(tmp_path / "env.db"))
    result = CliRunner().invoke(app, ["admin", "check"])
    assert result.exit_code == 0 and "3 matches" in result.stdout


# --- export -----------------------------------------------------------------------------------------------


def test_the_record_of_a_match_is_exported(filled: str, tmp_path: Path) -> None:
    text = run("export", "one", database=filled).stdout
    record = read(text)
    assert [seat.name for seat in record.seats] == [NAME, "Rui"]
    assert verify(record).fair
    data = json.loads(run("export", "one", "--json", database=filled).stdout)
    assert data["record"].strip() == text.strip()
    run("export", database=filled, code=2)
    run("export", "one", "--all", tmp_path, database=filled, code=2)
    run("delete", database=filled, code=2)
    assert "not finished" in run("export", "three", database=filled, code=1).stderr
    assert "no match" in run("export", "none", database=filled, code=1).stderr
    folder = tmp_path / "records" / "all"
    assert "2 records" in run("export", "--all", folder, database=filled).stdout
    assert sorted(path.name for path in folder.iterdir()) == ["one.txt", "two.txt"]
    assert read((folder / "one.txt").read_text("utf-8")) == record


# --- check ------------------------------------------------------------------------------------------------


def change(url: str, statement: str, *parameters: object) -> None:  # noqa: F811
    """Damage a database with its constraints disabled."""
    if "://" in url:
        with psycopg.connect(url) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(statement.replace("?", "%s"), parameters)
    else:
        with closing(sqlite3.connect(url)) as file, file:
            file.execute(statement, parameters)


def test_a_check_names_each_damaged_match_and_why(filled: str) -> None:
    body = '{"kind":"acted","seat":0,"action":"place 9"}'
    change(filled, "UPDATE event SET body = ? WHERE match = 'one' AND version = 6", body)
    change(filled, "DELETE FROM event WHERE match = 'two' AND version = 7")
    change(filled, "UPDATE snapshot SET version = 99 WHERE match = 'three'")
    change(filled, "INSERT INTO match (id, created, archived) VALUES ('empty', 1.0, FALSE)")
    change(filled, "INSERT INTO event VALUES ('orphan', 1, NULL, 1.0, '', '{}', '')")
    result = run("check", "--json", database=filled, code=1)
    damaged = json.loads(result.stdout)["damaged"]
    assert sorted(damaged) == ["empty", "one", "orphan", "three", "two"]
    assert "event 6" in damaged["one"] and "event 7 is missing" in damaged["two"]
    assert "99" in damaged["three"] and "no events" in damaged["empty"]
    assert "two: event 7 is missing" in run("check", database=filled, code=1).stderr


def test_rolls_and_snapshots_that_do_not_follow_from_the_events_are_damage(filled: str) -> None:
    """Every move is legal, but the rolls of one match do not follow from the secret."""
    other = played("two", ("Rui", "Eva"), secret=bytes([1]) * 32)
    change(filled, "UPDATE event SET hidden = ? WHERE match = 'two' AND version = 1", other[0].hidden)
    change(filled, "UPDATE snapshot SET body = ? WHERE match = 'one'", saved(other[:5])[1])
    damaged = json.loads(run("check", "--json", database=filled, code=1).stdout)["damaged"]
    assert sorted(damaged) == ["one", "two"] and "snapshot" in damaged["one"]


# --- delete -----------------------------------------------------------------------------------------------


def bytes_of(url: str, request: pytest.FixtureRequest) -> bytes:  # noqa: F811
    """The contents of all files of a database; for PostgreSQL without its write-ahead log."""
    if "://" not in url:  # by another process: closing the files in this one would drop SQLite's locks
        files = map(str, Path(url).parent.glob(Path(url).name + "*"))
        return subprocess.run(["cat", *files], capture_output=True, check=True).stdout
    server: Postgres = request.getfixturevalue("postgres")
    found = []
    for path in (server.folder / "data" / "base").rglob("*"):
        with suppress(OSError):  # a folder, or a file that has just been removed
            found.append(path.read_bytes())
    return b"".join(found)


def flush(url: str) -> None:  # noqa: F811
    if "://" in url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")


@pytest.mark.parametrize("open_meanwhile", [False, True], ids=["alone", "with a server"])
def test_a_deleted_match_is_removed_from_the_files(
    filled: str, request: pytest.FixtureRequest, open_meanwhile: bool
) -> None:
    secret = secrets.token_hex(20)

    async def scene() -> None:
        store = await open_store(filled)
        for n in range(100):  # page splits leave copies behind
            await store.append(f"x{n}", [StoredEvent(1, TIME, "", '{"kind": "x"}')])
            await store.append("one", [StoredEvent(len(await store.events("one")) + 1, TIME, "", secret)])
        await store.put("code", "k", f"of one {secret}", TIME)
        await store.save_snapshot("one", 10**6, secret)
        if not open_meanwhile:
            await store.close()
        flush(filled)
        assert secret.encode() in await asyncio.to_thread(bytes_of, filled, request)
        await asyncio.to_thread(run, "delete", "one", database=filled)
        if open_meanwhile:
            await store.append("x0", [StoredEvent(2, TIME, "", "{}")])
            await store.ping()
            assert await store.events("one") == []
            await store.close()
        flush(filled)
        assert secret.encode() not in await asyncio.to_thread(bytes_of, filled, request)
        assert NAME.encode() in await asyncio.to_thread(bytes_of, filled, request)  # of another match

    asyncio.run(scene())
    assert "no match" in run("delete", "one", database=filled, code=1).stderr


def test_a_deleted_name_is_removed_from_the_files_and_the_matches_continue(
    filled: str, request: pytest.FixtureRequest
) -> None:
    flush(filled)
    assert NAME.encode() in bytes_of(filled, request)
    records = {match: read(run("export", match, database=filled).stdout) for match in ("one", "two")}
    result = run("delete", "--name", NAME, "--json", database=filled)
    assert sorted(json.loads(result.stdout)["matches"]) == ["one", "three"]
    flush(filled)
    assert NAME.encode() not in bytes_of(filled, request)
    after = {match: read(run("export", match, database=filled).stdout) for match in ("one", "two")}
    assert [seat.name for seat in after["one"].seats] == ["Anonymous", "Rui"]
    assert after["one"].plies == records["one"].plies and after["two"] == records["two"]
    assert "0 damaged" in run("check", database=filled).stdout
    run("delete", "--name", NAME, database=filled, code=1)
    run("delete", "--name", "Rui", database=filled)
    seats = read(run("export", "one", database=filled).stdout).seats
    assert [seat.name for seat in seats] == ["Anonymous", "Anonymous 2"]


def test_a_server_that_knew_a_deleted_match_or_name_brings_neither_back(filled: str) -> None:
    async def snapshots_later() -> None:
        store = await open_store(filled)
        for match, (version, body) in known.items():
            await store.save_snapshot(match, version, body)
        assert await store.snapshot("one") is None
        await store.close()

    with maintenance.maintenance_session(filled) as session:
        rows = session.run("SELECT match, version, body FROM snapshot")
    known = {match: (version, body) for match, version, body in rows if match != "two"}
    run("delete", "one", database=filled)
    run("delete", "--name", NAME, database=filled)
    asyncio.run(snapshots_later())
    assert "1 damaged" in run("check", database=filled, code=1).stdout
    again = run("delete", "--name", NAME, "--json", database=filled)
    assert json.loads(again.stdout)["matches"] == ["three"]
    assert "0 damaged" in run("check", database=filled).stdout
    assert all(NAME not in str(body) for _, _, body in contents(filled)["snapshot"])
