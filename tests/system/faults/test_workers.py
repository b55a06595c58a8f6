"""Two server processes on one database; clients of one match are at both.

Nothing tells a worker what the other one stored: without a bus between them its clients receive of it when
one of them next asks it something. So here everybody asks now and then, as a client without news may.
Who is there is known to each worker for its own connections only.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from serving import Server, started
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, load, playing, seeded
from system.faults.tabs import tab, two_people, verdict


def test_the_first_of_two_workers_wins_and_the_other_catches_up(tmp_path: Path) -> None:
    asyncio.run(race(tmp_path))


async def race(folder: Path) -> None:
    witness = Witness()
    async with started(Server(folder)) as one, started(Server(folder)) as two:
        match, ana, rui = await two_people(one, witness)
        rng = random.Random(5)
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
                action = rng.choice(legal)
                for there, id in zip((left, right), ids, strict=True):
                    await there.send(type="act", id=id, version=version, action=action)
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
        findings = check(one.database, witness)
        assert not findings.wrong, "\n".join(findings.wrong)


def test_a_client_that_moves_to_another_worker_misses_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        witness = Witness()
        async with started(Server(tmp_path)) as one, started(Server(tmp_path)) as two:
            match, ana, rui = await two_people(one, witness)
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
            assert not check(one.database, witness).wrong

    asyncio.run(scene())


def test_a_rematch_requested_at_both_workers_is_one_match(tmp_path: Path) -> None:
    async def scene() -> None:
        witness = Witness()
        async with started(Server(tmp_path)) as one, started(Server(tmp_path)) as two:
            match, ana, rui = await two_people(one, witness)
            async with tab(one, match, witness, token=ana) as a, tab(two, match, witness, token=rui) as b:
                await a.ask("resign")
                await b.catch_up(a.receiver.version)
                await a.send(type="rematch", id="again-a", version=a.receiver.version)
                await b.send(type="rematch", id="again-b", version=b.receiver.version)
                answers = [await a.answer("again-a"), await b.answer("again-b")]
                assert answers[0]["match"] == answers[1]["match"] is not None

    asyncio.run(scene())


def test_nothing_is_lost_or_doubled_by_two_workers_under_load(tmp_path: Path) -> None:
    asyncio.run(share(tmp_path, seeded()))


async def share(folder: Path, rng: random.Random) -> None:
    witness = Witness()
    async with started(Server(folder)) as one, started(Server(folder)) as two:
        async with playing(witness, [one.url, two.url], rng) as parties:
            for server in (one, two):
                for _ in range(2):
                    await load(parties, rng)
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
            await every_party_progresses(parties)
        findings = check(one.database, witness)
        print(f"two workers: {findings}; refused: {dict(witness.refusals)}")
        assert not findings.wrong, "\n".join(findings.wrong[:20])
        assert not one.errors() + two.errors()
