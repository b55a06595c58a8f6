"""Failures of the database of a real server: it hangs, is locked, deleted or damaged.

The server reports this, answers every command, can be stopped, and loses no accepted event.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from databases import Postgres
from escadaria.store import StoreUnavailable
from raw import get, playing
from serving import PATIENCE, Server, eventually, serving, started
from system.faults.check import check
from system.faults.tabs import Scene, Tab, scene, verdict

pytestmark = pytest.mark.anyio

SHORT = {"escadaria.store.database.ANSWER_SECONDS": 2.0, "escadaria.store.database.LOCK_SECONDS": 1.0}
"""How long the server waits for its database."""


@asynccontextmanager
async def attacked(folder: Path, **settings: Any) -> AsyncIterator[Scene]:
    """A server with a match that goes on."""
    server = Server(folder, patches=SHORT, **settings)
    async with started(server, ("the store does not answer",)), scene(server) as here:
        yield here


async def refuses(here: Scene, there: Tab) -> None:
    """It is not ready, refuses a roll, opens no match, and answers a ping."""
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as http:
        ready, opened, rolled = await asyncio.gather(
            get(here.server, "/readyz"),
            http.post(f"{here.server.url}/api/matches", json={"game": "chain"}),
            there.ask("act", action="roll"),
        )
    assert ready.status_code == 503
    assert (opened.status_code, opened.json()["code"]) == (503, "store_unavailable")
    assert verdict(rolled) == "store_unavailable"
    await there.ask("ping")


async def plays_on(here: Scene) -> None:
    """It is ready again, and accepts a roll, or a decision if a refused roll was stored nevertheless."""

    async def acts() -> bool:
        if (await get(here.server, "/readyz")).status_code != 200:
            return False
        async with here.tab(here.ana) as there:
            answers = [await there.ask("act", action=action) for action in ("roll", "place 0")]
        return "accepted" in map(verdict, answers)

    await eventually(acts, "it is ready and accepts a move")
    check(here.server.database, here.witness)


async def test_a_frozen_postgresql_is_reported_and_survived(tmp_path: Path, postgres: Postgres) -> None:
    async with attacked(tmp_path, database=postgres.empty(), shutdown_seconds=1) as here:
        async with here.tab(here.ana) as there:
            with postgres.frozen():
                await refuses(here, there)
            await plays_on(here)
        async with here.tab(here.rui) as there:
            with postgres.frozen():
                await there.send({"type": "resign", "id": "resign-1", "version": there.version})
                await asyncio.to_thread(here.server.stop)
        await asyncio.to_thread(here.server.ends)
        await asyncio.to_thread(here.server.start)
        async with here.tab(here.rui) as there:
            assert (await there.ask("resign", id="resign-1"))["type"] == "accepted"


async def test_a_locked_file_is_not_ready(tmp_path: Path) -> None:
    async with attacked(tmp_path) as here, here.tab(here.ana) as there:
        with closing(sqlite3.connect(here.server.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await refuses(here, there)
        await plays_on(here)


async def test_a_missing_file_is_reported_and_no_accepted_event_is_lost(tmp_path: Path) -> None:
    async with attacked(tmp_path) as here, here.tab(here.ana) as there:
        aside = tmp_path / "aside"
        aside.mkdir()
        files = [Path(f"{here.server.database}{suffix}") for suffix in ("", "-wal", "-shm")]
        for file in files:
            file.rename(aside / file.name)
        await refuses(here, there)
        for file in files:
            (aside / file.name).replace(file)
        await plays_on(here)
        await asyncio.to_thread(here.server.kill)
        await asyncio.to_thread(here.server.start)


# An invalid row.

DAMAGE = ("body = '{'", "hidden = '[1'", """body = '{"type": "freed", "seat": 3}'""")


async def test_damaged_matches_keep_no_other_waiting(tmp_path: Path) -> None:
    database = tmp_path / "matches.sqlite3"
    async with serving(tmp_path) as server:
        *damaged, healthy = [(await playing(server.url, clock=1))["match"] for _ in range(4)]
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE match SET due = 1")
        connection.execute("UPDATE match SET due = 2 WHERE id = ?", (healthy,))
        for match, change in zip(damaged, DAMAGE, strict=True):
            connection.execute(f"UPDATE event SET {change} WHERE match = ? AND version = 1", (match,))
    async with serving(tmp_path) as server:
        await eventually(lambda: healthy in server.hub.rooms, "the other match is resumed")
        await eventually(
            lambda: all(due_at(database, match) > 1e6 for match in damaged), "they are left alone"
        )


async def test_a_match_that_cannot_be_read_now_stays_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "matches.sqlite3"
    async with serving(tmp_path) as server:
        match = (await playing(server.url, clock=1))["match"]
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE match SET due = 1")

    async def fails(*_: object) -> None:
        raise StoreUnavailable("not now")

    with monkeypatch.context() as patch:
        patch.setattr("escadaria.store.sql.SqlStore.snapshot", fails)
        async with serving(tmp_path) as server:
            await server.hub.load_due()
            assert due_at(database, match) == 1
    async with serving(tmp_path) as server:
        await eventually(lambda: match in server.hub.rooms, "it is resumed")


def due_at(database: Path, match: str) -> float:
    """When a match is to be loaded."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return float(connection.execute("SELECT due FROM match WHERE id = ?", (match,)).fetchone()[0] or 0)
