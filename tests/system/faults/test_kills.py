"""The server is killed or stopped at any moment, and continues after a restart."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from serving import Server, eventually, started
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
        print(f"{kills} kills: {findings}; {witness.returns} returns, refused: {dict(witness.refusals)}")
        assert findings.accepted and findings.finished and findings.rolls


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
        print(f"{stops} stops: {findings}; {witness.returns} returns")
        assert "restart" in witness.byes, "clients were sent restart"
