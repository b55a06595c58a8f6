"""The server is killed, stopped or starved of disk at any moment, and continues afterwards."""

from __future__ import annotations

import asyncio
import random
import resource
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from raw import get
from serving import PATIENCE, Server, eventually, started
from system.faults.check import check, check_server
from system.faults.people import Witness, every_party_progresses, load, playing

pytestmark = pytest.mark.anyio


async def test_no_sent_event_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    await kill_often(tmp_path, 4, random.Random(1), tables=3)


async def kill_often(folder: Path, kills: int, rng: random.Random, tables: int, **settings: Any) -> None:
    """Kill the server under load, each third time while it starts."""
    witness = Witness()
    async with started(Server(folder, **settings)) as server:
        async with playing(witness, [server.url], rng, tables) as parties:
            for number in range(1, kills + 1):
                if number % 3:
                    await asyncio.to_thread(server.ready)
                    await load(parties, rng)
                else:
                    await asyncio.sleep(rng.uniform(0, 0.6))  # any moment of its start
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.ends)
                await asyncio.to_thread(server.spawn)
            await asyncio.to_thread(server.ready)
            await every_party_progresses(parties)
            await eventually(witness.saw_a_finished_match, "a match is finished")
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        findings = check(server.database, witness)
        await check_server(server, findings)
        print(f"{kills} kills: {findings.counts}; {witness.returns} returns, refused: {witness.refusals}")
        assert all(findings.counts[what] for what in ("accepted", "finished", "rolls"))


async def test_nothing_is_lost_when_the_server_is_asked_to_stop(tmp_path: Path) -> None:
    await stop_often(tmp_path, 2, random.Random(2), tables=3)


async def stop_often(folder: Path, stops: int, rng: random.Random, tables: int, **settings: Any) -> None:
    witness = Witness()
    async with started(Server(folder, **settings)) as server:
        async with playing(witness, [server.url], rng, tables) as parties:
            for _ in range(stops):
                await load(parties, rng)
                code = await asyncio.to_thread(server.stop)
                assert code in (0, -15), code  # uvicorn passes the signal on when it has finished
                await asyncio.to_thread(server.ends)
                await asyncio.to_thread(server.start)
                await every_party_progresses(parties)
        findings = check(server.database, witness)
        print(f"{stops} stops: {findings.counts}; {witness.returns} returns")
        assert "restart" in witness.byes, "clients were sent restart"


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
async def test_no_event_is_sent_that_a_full_disk_did_not_store(tmp_path: Path) -> None:
    witness, rng = Witness(), random.Random(3)
    async with started(Server(tmp_path), errors=("the store does not answer",)) as server:
        async with playing(witness, [server.url], rng, tables=3) as parties:
            await load(parties, rng)
            fill(server, True)
            await eventually(lambda: witness.refusals["store_unavailable"] > 20, "they are refused")
            assert (await get(server, "/readyz")).status_code == 503
            async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as http:
                await eventually(lambda: refuses_a_match(http, server), "a match does not fit any more")
            check(server.database, witness)
            fill(server, False)
            await every_party_progresses(parties)
        assert len(server.pids) == 1 and (await get(server, "/readyz")).text == "ok"
        check(server.database, witness)
        assert server.errors(), "it is logged"


def fill(server: Server, full: bool) -> None:
    """Let the system refuse or accept writes beyond the current end of the write-ahead log."""
    size = Path(f"{server.database}-wal").stat().st_size
    _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size if full else hard, hard))


async def refuses_a_match(http: httpx.AsyncClient, server: Server) -> bool:
    """Whether a new match is refused; one whose rows fit into existing pages is stored."""
    answer = await http.post(f"{server.url}/api/matches", json={"game": "chain"})
    assert answer.status_code in (201, 503)
    return answer.status_code == 503 and answer.json()["code"] == "store_unavailable"
