"""The server is killed at any moment, and continues after a restart."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pytest

from serving import Server, eventually, started
from store.conftest import postgres  # noqa: F401 - a fixture
from system.faults.check import check, check_server
from system.faults.people import Witness, every_party_progresses, load, playing, seeded

KILLS = int(os.environ.get("ESCADARIA_FAULTS", "6"))


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    """The settings for a server on either database."""
    return {} if request.param == "sqlite" else {"database": request.getfixturevalue("postgres").empty()}


def test_no_sent_event_is_lost_when_the_server_is_killed(tmp_path: Path, database: dict[str, str]) -> None:
    asyncio.run(kill_often(tmp_path, KILLS, seeded(), database))


async def kill_often(folder: Path, kills: int, rng: random.Random, settings: dict[str, Any]) -> None:
    witness = Witness()
    async with started(Server(folder, **settings)) as server:
        async with playing(witness, [server.url], rng) as parties:
            done = 0
            while done < kills:
                await load(parties, rng)
                await kill(server)
                done += 1
                await asyncio.to_thread(server.spawn)
                while done < kills and rng.random() < 0.15:  # also while it starts
                    await asyncio.sleep(rng.uniform(0, 0.6))
                    await kill(server)
                    done += 1
                    await asyncio.to_thread(server.spawn)
                await asyncio.to_thread(server.ready)
            await every_party_progresses(parties)
            await eventually(witness.saw_a_finished_match, "a match is finished")
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        findings = check(server.database, witness)
        await check_server(server, findings)
        print(f"{done} kills: {findings}; {witness.returns} returns, refused: {dict(witness.refusals)}")
        assert not findings.wrong, "\n".join(findings.wrong[:20])
        assert findings.accepted > 5 * kills
        assert findings.finished and findings.rolls
        assert not server.errors(), server.log.read_text()[-8000:]


async def kill(server: Server) -> None:
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.ends)


def test_nothing_is_lost_when_the_server_is_asked_to_stop(tmp_path: Path, database: dict[str, str]) -> None:
    asyncio.run(stop_often(tmp_path, max(2, KILLS // 10), seeded(), database))


async def stop_often(folder: Path, stops: int, rng: random.Random, settings: dict[str, Any]) -> None:
    witness = Witness()
    async with started(Server(folder, **settings)) as server:
        async with playing(witness, [server.url], rng) as parties:
            for _ in range(stops):
                await load(parties, rng)
                code = await asyncio.to_thread(server.stop)
                assert code in (0, -15), code  # uvicorn passes the signal on when it has finished
                await asyncio.to_thread(server.ends)
                await asyncio.to_thread(server.start)
                await every_party_progresses(parties)
        findings = check(server.database, witness)
        print(f"{stops} stops: {findings}; {witness.returns} returns")
        assert not findings.wrong, "\n".join(findings.wrong[:20])
        assert "restart" in witness.byes, "clients were sent restart"
        assert not server.errors(), server.log.read_text()[-8000:]
