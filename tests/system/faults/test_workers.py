"""Two server processes on one database; clients of one match are at both.

Nothing tells a worker what the other one stored: without a bus between them its clients receive of it when
one of them next asks it something. So here everybody asks now and then, as a client without news may.
Who is there is known to each worker for its own connections only.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from serving import Server, started
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, load, playing
from system.faults.tabs import tab, verdict
from wire import duel

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def two_servers(folder: Path, witness: Witness) -> AsyncIterator[tuple[Server, Server]]:
    """They are compared with what clients received at the end."""
    async with started(Server(folder)) as one, started(Server(folder)) as two:
        yield one, two
        findings = check(one.database, witness)
        assert not findings.wrong, "\n".join(findings.wrong[:20])


async def test_the_first_of_two_workers_wins_and_the_other_catches_up(tmp_path: Path) -> None:
    witness, rng = Witness(), random.Random(5)
    async with two_servers(tmp_path, witness) as (one, two):
        opened, rui = await duel(one.url, grace=None)
        match, ana = opened["match"], opened["token"]
        async with (
            tab(one, match, witness, token=ana) as a1,
            tab(two, match, witness, token=ana) as a2,
            tab(one, match, witness, token=rui) as r1,
            tab(two, match, witness, token=rui) as r2,
        ):
            pairs = {0: (a1, a2), 1: (r1, r2)}
            seat, legal = 0, ["roll"]
            for number in range(30):
                left, right = pairs[seat]
                version = left.receiver.version
                assert right.receiver.version == version
                same = rng.random() < 0.5
                ids = [f"both-{number}"] * 2 if same else [f"left-{number}", f"right-{number}"]
                command = {"type": "act", "version": version, "action": rng.choice(legal)}
                for there, id in zip((left, right), ids, strict=True):
                    await there.send(command | {"id": id})
                answers = [await left.answer(ids[0]), await right.answer(ids[1])]
                event = witness.events[match][version + 1]
                late = "over" if event["status"] == "over" else "stale_version"
                assert sorted(map(verdict, answers)) == ["accepted", "accepted" if same else late]
                assert all(answer["version"] == version + 1 for answer in answers)
                for there in (a1, a2, r1, r2):
                    await there.catch_up(version + 1)
                    assert there.receiver.version == version + 1
                if event["status"] == "over":
                    break
                seat, legal = event["to_act"], event["legal"]


async def test_a_client_that_moves_to_another_worker_misses_nothing(tmp_path: Path) -> None:
    witness = Witness()
    async with two_servers(tmp_path, witness) as (one, two):
        opened, rui = await duel(one.url, grace=None)
        match, ana = opened["match"], opened["token"]
        async with tab(two, match, witness, token=rui) as other:
            before = other.receiver.version
            async with tab(one, match, witness, token=ana) as host:
                await host.ask("act", action="roll")
                version = host.receiver.version
            async with tab(two, match, witness, token=ana, since=version) as host:
                assert (await host.ask("act", action="place 0"))["version"] == version + 1
            assert other.receiver.version == before
            await other.catch_up(version + 1)
            assert other.receiver.version == version + 1


async def test_a_rematch_requested_at_both_workers_is_one_match(tmp_path: Path) -> None:
    witness = Witness()
    async with two_servers(tmp_path, witness) as (one, two):
        opened, rui = await duel(one.url, grace=None)
        match, ana = opened["match"], opened["token"]
        async with tab(one, match, witness, token=ana) as a, tab(two, match, witness, token=rui) as b:
            await a.ask("resign")
            await b.catch_up(a.receiver.version)
            rematch = {"type": "rematch", "version": a.receiver.version}
            await a.send(rematch | {"id": "again-a"})
            await b.send(rematch | {"id": "again-b"})
            answers = [await a.answer("again-a"), await b.answer("again-b")]
            assert answers[0]["match"] == answers[1]["match"] is not None


async def test_nothing_is_lost_or_doubled_by_two_workers_under_load(tmp_path: Path) -> None:
    witness, rng = Witness(), random.Random(6)
    async with (
        two_servers(tmp_path, witness) as servers,
        playing(witness, [server.url for server in servers], rng, tables=3) as parties,
    ):
        for server in servers:
            await load(parties, rng)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        await every_party_progresses(parties)
