"""Two server processes on one database; clients of one match are at both.

Nothing reports to a server what the other one stored: without a bus between them its clients receive it when
one of them next asks it something. So here everybody asks now and then, as a client without events may.
Who is there is known to each worker for its own connections only.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from serving import Server, started
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, load, playing
from system.faults.tabs import race, scene

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def servers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Server, Server]]:
    folder = tmp_path_factory.mktemp("servers")
    async with started(Server(folder)) as one, started(Server(folder)) as two:
        yield one, two


async def test_the_first_of_two_workers_wins_and_the_other_catches_up(servers: tuple[Server, Server]) -> None:
    one, two = servers
    async with (
        scene(one) as here,
        here.tab(here.ana) as a1,
        here.tab(here.ana, two) as a2,
        here.tab(here.rui) as r1,
        here.tab(here.rui, two) as r2,
    ):
        await race(here, ((a1, a2), (r1, r2)), random.Random(5))


async def test_a_rematch_requested_at_both_workers_is_one_match(servers: tuple[Server, Server]) -> None:
    one, two = servers
    async with scene(one) as here, here.tab(here.ana) as a, here.tab(here.rui, two) as b:
        await a.ask("resign")
        await b.catch_up(a.version)
        rematch = {"type": "rematch", "version": a.version}
        await a.send(rematch | {"id": "again-a"})
        await b.send(rematch | {"id": "again-b"})
        answers = [await a.answer("again-a"), await b.answer("again-b")]
        assert answers[0]["match"] == answers[1]["match"] is not None


async def test_nothing_is_lost_or_doubled_by_two_workers_under_load(servers: tuple[Server, Server]) -> None:
    witness, rng = Witness(), random.Random(6)
    async with playing(witness, [server.url for server in servers], rng, tables=3) as parties:
        for server in servers:
            await load(parties, rng)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        await every_party_progresses(parties)
    check(servers[0].database, witness)
