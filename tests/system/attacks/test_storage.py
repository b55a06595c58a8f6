"""Failures of the database of a real server: it hangs, is full, locked, deleted or replaced.

The server reports this immediately, answers every command, can be stopped, and loses no accepted event.
"""

from __future__ import annotations

import asyncio
import resource
import shutil
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from escadaria.store import StoreUnavailable
from serving import PATIENCE, Server, eventually, serving, started
from store.conftest import Postgres, postgres  # noqa: F401 - a fixture
from system.faults.check import check
from system.faults.people import Json, Witness
from system.faults.tabs import Tab, tab, two_people, verdict
from wire import get, opened

PAIR = [{"name": "Ana"}, {"name": "Rui"}]

ANSWER_SECONDS = 15.0
"""The server answers within 10 seconds; the machine may be busy."""

READY_SECONDS = 5.0
"""The server answers within a second; the machine may be busy."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def readiness(server: Server) -> int:
    """The status of /readyz."""
    async with httpx.AsyncClient(timeout=READY_SECONDS, trust_env=False, verify=False) as http:
        return (await http.get(f"{server.url}/readyz")).status_code


async def refused(there: Tab, **request: object) -> Json:
    """Send ``roll``, which must be refused."""
    async with asyncio.timeout(ANSWER_SECONDS):
        answer = await there.ask("act", action="roll", **request)  # type: ignore[arg-type]
    assert answer["type"] == "refused" and answer["code"] == "store_unavailable", answer
    return answer


async def becomes_ready(server: Server) -> None:
    until = time.monotonic() + PATIENCE
    while await readiness(server) != 200:
        assert time.monotonic() < until, "it never becomes ready again"
        await asyncio.sleep(0.1)


async def play_once(server: Server, match: str, token: str, witness: Witness) -> None:
    """Roll, or decide if a refused roll was stored nevertheless."""
    async with tab(server, match, witness, token=token) as host:
        await host.ask("ping")
        codes = [verdict(await host.ask("act", action=action)) for action in ("roll", "place 0")]
    assert "accepted" in codes, codes


# A database that hangs.


def test_a_frozen_postgresql_is_reported_and_survived(
    tmp_path: Path,
    postgres: Postgres,  # noqa: F811
) -> None:
    async def scene() -> None:
        witness = Witness()
        async with started(Server(tmp_path, database=postgres.empty()), errors=True) as server:
            match, ana, rui = await two_people(server, witness)
            async with (
                tab(server, match, witness, token=ana) as host,
                tab(server, match, witness, token=rui) as guest,
            ):
                with postgres.frozen():
                    assert await readiness(server) == 503
                    await refused(host, id="roll-1")
                    assert await readiness(server) == 503
                    async with asyncio.timeout(ANSWER_SECONDS):
                        assert (await guest.ask("ping"))["type"] in ("accepted", "refused")
                        opened = await opening(server)
                    assert (opened.status_code, opened.json()["code"]) == (503, "store_unavailable")
                await becomes_ready(server)
            await play_once(server, match, ana, witness)
            findings = check(server.database, witness)
            assert not findings.wrong, findings.wrong

    asyncio.run(scene())


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "while it stores"])
def test_the_server_ends_while_postgresql_is_frozen(
    tmp_path: Path,
    postgres: Postgres,  # noqa: F811
    busy: bool,
) -> None:
    async def scene() -> None:
        witness = Witness()
        async with started(
            Server(tmp_path, database=postgres.empty(), shutdown_seconds=2), errors=True
        ) as server:
            match, ana, _ = await two_people(server, witness)
            async with tab(server, match, witness, token=ana) as host:
                with postgres.frozen():
                    if busy:
                        version = host.receiver.version
                        await host.send(type="act", id="roll-1", version=version, action="roll")
                        await asyncio.sleep(0.2)
                    async with asyncio.timeout(ANSWER_SECONDS):
                        await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.ends)
            await asyncio.to_thread(server.start)
            await play_once(server, match, ana, witness)
            findings = check(server.database, witness)
            assert not findings.wrong, findings.wrong

    asyncio.run(scene())


async def opening(server: Server) -> httpx.Response:
    async with httpx.AsyncClient(timeout=ANSWER_SECONDS, trust_env=False, verify=False) as http:
        return await http.post(f"{server.url}/api/matches", json={"game": "chain"})


# A file that is locked or full.


def test_a_locked_file_is_not_ready(tmp_path: Path) -> None:
    async def scene() -> None:
        witness = Witness()
        async with started(Server(tmp_path), errors=True) as server:
            match, ana, _ = await two_people(server, witness)
            async with tab(server, match, witness, token=ana) as host:
                with closing(sqlite3.connect(server.database, isolation_level=None)) as other:
                    other.execute("BEGIN IMMEDIATE")
                    assert await readiness(server) == 503
                    await refused(host)
                await becomes_ready(server)
            await play_once(server, match, ana, witness)
            assert not check(server.database, witness).wrong

    asyncio.run(scene())


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_a_full_disk_is_not_ready(tmp_path: Path) -> None:
    async def scene() -> None:
        witness = Witness()
        async with started(Server(tmp_path), errors=True) as server:
            match, ana, _ = await two_people(server, witness)
            _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
            size = Path(f"{server.database}-wal").stat().st_size
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, hard))
            async with tab(server, match, witness, token=ana) as host:
                assert await readiness(server) == 503
                await refused(host)
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (hard, hard))
            await becomes_ready(server)
            await play_once(server, match, ana, witness)
            assert not check(server.database, witness).wrong

    asyncio.run(scene())


# A missing file.


@pytest.mark.parametrize("how", ["deleted", "replaced", "without its log"])
def test_a_missing_file_is_reported_and_no_accepted_event_is_lost(tmp_path: Path, how: str) -> None:
    async def scene() -> None:
        witness = Witness()
        async with started(Server(tmp_path), errors=True) as server:
            match, ana, _ = await two_people(server, witness)
            assert isinstance(server.database, Path)
            files = [server.database, Path(f"{server.database}-wal"), Path(f"{server.database}-shm")]
            if how == "without its log":
                files = files[1:2]
            aside = tmp_path / "aside"
            aside.mkdir()
            async with tab(server, match, witness, token=ana) as host:
                for file in files:
                    file.rename(aside / file.name)
                    if how == "replaced":
                        shutil.copy(aside / file.name, file)
                assert await readiness(server) == 503
                for _ in range(3):
                    await refused(host)
                assert (await opening(server)).json()["code"] == "store_unavailable"
                for file in files:
                    (aside / file.name).replace(file)
                await becomes_ready(server)
            await play_once(server, match, ana, witness)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            findings = check(server.database, witness)
            assert not findings.wrong, findings.wrong

    asyncio.run(scene())


# An invalid row.


def test_a_match_without_events_stops_neither_the_start_nor_the_sweeps(tmp_path: Path) -> None:
    async def scene() -> None:
        witness = Witness()
        async with started(Server(tmp_path, archive_days=1), errors=True) as server:
            match, ana, _ = await two_people(server, witness)
            await asyncio.to_thread(server.kill)
            with closing(sqlite3.connect(server.database)) as connection, connection:
                connection.execute(
                    "INSERT INTO match (id, created, archived, due) VALUES ('empty', 1.0, FALSE, 1.0)"
                )
            await asyncio.to_thread(server.start)
            assert (await get(server, "/api/matches/empty")).status_code == 404
            await play_once(server, match, ana, witness)
            await eventually(lambda: not due(server.database, "empty"), "it is looked at, and left alone")
            assert await readiness(server) == 200
            assert (await get(server, "/api/matches/empty")).status_code == 404

    asyncio.run(scene())


@pytest.mark.anyio
@pytest.mark.parametrize(
    "change",
    ["body = '{'", "hidden = '[1'", """body = '{"type": "freed", "seat": 3}'"""],
    ids=["body", "hidden", "seat"],
)
async def test_a_damaged_match_keeps_no_other_waiting(tmp_path: Path, change: str) -> None:
    database = tmp_path / "matches.sqlite3"
    async with serving(tmp_path) as server:
        damaged, healthy = [
            (await opened(server.url, people=PAIR, settings={"clock": clock, "pace": 0}, start=True))["match"]
            for clock in (1, 2)
        ]
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(f"UPDATE event SET {change} WHERE match = ? AND version = 1", (damaged,))
        connection.execute("UPDATE match SET due = 1")
        connection.execute("UPDATE match SET due = 2 WHERE id = ?", (healthy,))
    async with serving(tmp_path) as server:
        await eventually(lambda: healthy in server.hub.rooms, "the other match is resumed")
        await eventually(lambda: due_at(database, damaged) > 1e6, "the damaged one is left alone")


@pytest.mark.anyio
async def test_a_match_that_cannot_be_read_now_stays_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path) as server:
        match = (await opened(server.url, people=PAIR, settings={"clock": 1}, start=True))["match"]
    with closing(sqlite3.connect(tmp_path / "matches.sqlite3")) as connection, connection:
        connection.execute("UPDATE match SET due = 1")

    async def fails(*_: object) -> None:
        raise StoreUnavailable("not now")

    with monkeypatch.context() as patch:
        patch.setattr("escadaria.store.sql.SqlStore.snapshot", fails)
        async with serving(tmp_path) as server:
            await server.hub.load_due()
            assert due_at(tmp_path / "matches.sqlite3", match) == 1
    async with serving(tmp_path) as server:
        await eventually(lambda: match in server.hub.rooms, "it is resumed")


def due_at(database: Path | str, match: str) -> float:
    """When a match is to be loaded."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return float(connection.execute("SELECT due FROM match WHERE id = ?", (match,)).fetchone()[0] or 0)


def due(database: Path | str, match: str) -> bool:
    """Whether a match waits to be loaded."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        found = "SELECT 1 FROM match WHERE id = ? AND NOT archived AND due IS NOT NULL"
        return connection.execute(found, (match,)).fetchone() is not None
