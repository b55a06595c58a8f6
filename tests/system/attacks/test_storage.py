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
from serving import PATIENCE, Server, eventually, serving, started
from system.faults.check import check
from system.faults.people import Witness
from system.faults.tabs import Tab, tab, verdict
from wire import QUICK, duel, get, opened

pytestmark = pytest.mark.anyio

SHORT = {"escadaria.store.commits.ANSWER_SECONDS": 2.0, "escadaria.store.commits.LOCK_SECONDS": 1.0}
"""How long the server waits for its database."""


class Victim:
    """A server with a match that goes on, and the first player's connection."""

    def __init__(self, server: Server, match: str, token: str) -> None:
        self.server = server
        self.match = match
        self.token = token
        self.witness = Witness()

    async def refuses(self, there: Tab) -> None:
        """It is not ready, refuses a roll, and opens no match."""
        assert (await get(self.server, "/readyz")).status_code == 503
        assert verdict(await there.ask("act", action="roll")) == "store_unavailable"
        async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as http:
            answer = await http.post(f"{self.server.url}/api/matches", json={"game": "chain"})
        assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")

    async def plays_on(self) -> None:
        """It is ready again, and accepts a roll, or a decision if a refused roll was stored nevertheless."""
        async with asyncio.timeout(PATIENCE):
            while (await get(self.server, "/readyz")).status_code != 200:
                await asyncio.sleep(0.1)  # polls
        async with tab(self.server, self.match, self.witness, token=self.token) as there:
            await there.ask("ping")
            codes = [verdict(await there.ask("act", action=action)) for action in ("roll", "place 0")]
        assert "accepted" in codes, codes
        findings = check(self.server.database, self.witness)
        assert not findings.wrong, findings.wrong


@asynccontextmanager
async def attacked(folder: Path, **settings: Any) -> AsyncIterator[tuple[Victim, Tab]]:
    errors = ("the store does not answer", "the limits were not saved")
    async with started(Server(folder, patches=SHORT, **settings), errors) as server:
        match, _ = await duel(server.url, grace=None)
        victim = Victim(server, match["match"], match["token"])
        async with tab(server, victim.match, victim.witness, token=victim.token) as there:
            yield victim, there


async def test_a_frozen_postgresql_is_reported_and_survived(tmp_path: Path, postgres: Postgres) -> None:
    async with attacked(tmp_path, database=postgres.empty()) as (victim, there):
        with postgres.frozen():
            await victim.refuses(there)
            assert (await there.ask("ping"))["type"] in ("accepted", "refused")
        await victim.plays_on()


async def test_the_server_ends_while_postgresql_is_frozen(tmp_path: Path, postgres: Postgres) -> None:
    async with attacked(tmp_path, database=postgres.empty(), shutdown_seconds=2) as (victim, there):
        with postgres.frozen():
            version = there.receiver.version
            await there.send({"type": "act", "id": "roll-1", "version": version, "action": "roll"})
            await asyncio.to_thread(victim.server.stop)
        await asyncio.to_thread(victim.server.ends)
        await asyncio.to_thread(victim.server.start)
        await victim.plays_on()


async def test_a_locked_file_is_not_ready(tmp_path: Path) -> None:
    async with attacked(tmp_path) as (victim, there):
        with closing(sqlite3.connect(victim.server.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await victim.refuses(there)
        await victim.plays_on()


async def test_a_missing_file_is_reported_and_no_accepted_event_is_lost(tmp_path: Path) -> None:
    async with attacked(tmp_path) as (victim, there):
        aside = tmp_path / "aside"
        aside.mkdir()
        files = [Path(f"{victim.server.database}{suffix}") for suffix in ("", "-wal", "-shm")]
        for file in files:
            file.rename(aside / file.name)
        await victim.refuses(there)
        for file in files:
            (aside / file.name).replace(file)
        await victim.plays_on()
        await asyncio.to_thread(victim.server.kill)
        await asyncio.to_thread(victim.server.start)
        assert not check(victim.server.database, victim.witness).wrong


# An invalid row.

PAIR: dict[str, Any] = {"people": [{"name": "Ana"}, {"name": "Rui"}], "start": True}


@pytest.mark.parametrize(
    "change",
    ["body = '{'", "hidden = '[1'", """body = '{"type": "freed", "seat": 3}'"""],
    ids=["body", "hidden", "seat"],
)
async def test_a_damaged_match_keeps_no_other_waiting(tmp_path: Path, change: str) -> None:
    database = tmp_path / "matches.sqlite3"
    async with serving(tmp_path) as server:
        damaged, healthy = [
            (await opened(server.url, **PAIR, settings=QUICK | {"clock": clock}))["match"] for clock in (1, 2)
        ]
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(f"UPDATE event SET {change} WHERE match = ? AND version = 1", (damaged,))
        connection.execute("UPDATE match SET due = 1")
        connection.execute("UPDATE match SET due = 2 WHERE id = ?", (healthy,))
    async with serving(tmp_path) as server:
        await eventually(lambda: healthy in server.hub.rooms, "the other match is resumed")
        await eventually(lambda: due_at(database, damaged) > 1e6, "the damaged one is left alone")


async def test_a_match_that_cannot_be_read_now_stays_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "matches.sqlite3"
    async with serving(tmp_path) as server:
        match = (await opened(server.url, **PAIR, settings={"clock": 1}))["match"]
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
