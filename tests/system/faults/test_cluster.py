"""nginx, three workers and PostgreSQL, with and without Redis, while one part after the other fails.

People connect through nginx to any worker each time: the clients of most matches are at different ones.
``ESCADARIA_FAULTS=50`` repeats all faults until there were fifty.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as Client

from bus.conftest import Redis
from bus.conftest import redis as redis
from serving import Server, eventually, started
from store.conftest import Postgres
from store.conftest import postgres as postgres
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, load, playing, seeded
from system.faults.proxy import Nginx

FAULTS = int(os.environ.get("ESCADARIA_FAULTS", "0"))

FROZEN_SECONDS = 10.0 if FAULTS else 3.0

Fault = Callable[[], Awaitable[None]]


class Cluster:
    """The parts, and the ways in which they fail. Each fault has ended when its method returns."""

    def __init__(
        self,
        workers: list[Server],
        proxy: Nginx,
        postgres: Postgres,
        redis: Redis | None,
        rng: random.Random,
    ) -> None:
        self.workers = workers
        self.proxy = proxy
        self.postgres = postgres
        self.redis = redis
        self.rng = rng

    def faults(self) -> list[Fault]:
        """All kinds."""
        found: list[Fault] = [
            self.kill_a_worker,
            self.restart_all_workers,
            self.restart_proxy,
            self.restart_postgres,
            self.freeze_postgres,
        ]
        if self.redis is not None:
            found += [self.kill_redis, self.flush_redis, self.freeze_redis]
        return found

    async def kill_a_worker(self) -> None:
        worker = self.rng.choice(self.workers)
        await asyncio.to_thread(worker.kill)
        await asyncio.sleep(self.rng.uniform(0, 2))
        await asyncio.to_thread(worker.start)

    async def restart_all_workers(self) -> None:
        """One after the other, as for an upgrade."""
        for worker in self.workers:
            assert await asyncio.to_thread(worker.stop) in (0, -15)
            await asyncio.to_thread(worker.ends)
            await asyncio.to_thread(worker.start)

    async def restart_proxy(self) -> None:
        await self.proxy.stop()
        await asyncio.sleep(self.rng.uniform(0, 1))
        await self.proxy.start()

    async def restart_postgres(self) -> None:
        await asyncio.to_thread(self.postgres.stop)
        await asyncio.sleep(self.rng.uniform(0, 1))
        await asyncio.to_thread(self.postgres.start)

    async def freeze_postgres(self) -> None:
        with self.postgres.frozen():
            await asyncio.sleep(FROZEN_SECONDS / 2)

    async def kill_redis(self) -> None:
        assert self.redis is not None
        self.redis.stop()
        await asyncio.sleep(self.rng.uniform(0, 2))
        await asyncio.to_thread(self.redis.start)

    async def flush_redis(self) -> None:
        assert self.redis is not None
        with Client.from_url(self.redis.url) as client:
            client.flushall()
            client.client_kill_filter(_type="pubsub")

    async def freeze_redis(self) -> None:
        assert self.redis is not None
        with self.redis.frozen():
            await asyncio.sleep(FROZEN_SECONDS)


@pytest.mark.parametrize("bus", ["postgresql", "redis"])
def test_nothing_is_lost_or_doubled_when_any_part_of_a_cluster_fails(
    bus: str, tmp_path: Path, postgres: Postgres, request: pytest.FixtureRequest
) -> None:
    server: Redis | None = request.getfixturevalue("redis") if bus == "redis" else None
    asyncio.run(break_all(tmp_path, postgres, server, seeded()))


async def break_all(folder: Path, postgres: Postgres, redis: Redis | None, rng: random.Random) -> None:
    witness = Witness()
    settings: dict[str, Any] = {"database": postgres.empty(), "redis": redis.url if redis else ""}
    settings |= {"proxies": "127.0.0.1", "connections_per_address": 10_000}
    async with AsyncExitStack() as stack:
        workers = [
            await stack.enter_async_context(started(Server(folder, **settings), errors=True))
            for _ in range(3)
        ]
        proxy = Nginx(folder, [worker.port for worker in workers])
        await proxy.start()
        stack.push_async_callback(proxy.stop)
        cluster = Cluster(workers, proxy, postgres, redis, rng)
        faults = cluster.faults()
        async with playing(witness, [proxy.url], rng) as parties:
            await every_party_progresses(parties)
            calm = [time.monotonic(), 0.0]
            await asyncio.sleep(10 if FAULTS else 2)
            await eventually(lambda: len(calm_delays(witness.seen, calm[0])) > 100, "events are seen")
            calm[1] = time.monotonic()
            ends = []
            for number in range(max(FAULTS, len(faults))):
                fault = faults[number % len(faults)]
                await load(parties, rng)
                start = time.monotonic()
                await fault()
                ends.append((start, time.monotonic()))
                await every_party_progresses(parties)
        findings = check(settings["database"], witness)
        print(
            f"{number + 1} faults: {findings}; {witness.returns} returns, refused: {dict(witness.refusals)}"
        )
        print(lateness(witness.seen, calm, ends))
        assert not findings.wrong, "\n".join(findings.wrong[:20])
        assert findings.accepted > 100
        expected = ("the bus is lost", "the store does not answer")
        for worker in workers:
            complaints = [line for line in worker.errors() if not any(text in line for text in expected)]
            assert not complaints, worker.log.read_text()[-6000:]


def calm_delays(seen: list[tuple[float, float]], start: float) -> list[tuple[float, float]]:
    """When each event that was stored after the start was seen, and how late."""
    return [(at, late) for at, late in seen if start + late < at]


def lateness(seen: list[tuple[float, float]], calm: list[float], faults: list[tuple[float, float]]) -> str:
    """How late people saw the moves of others: without faults, and after the end of a fault.

    It is printed, not asserted: it depends on what else this machine does.
    """
    before = sorted(late for at, late in calm_delays(seen, calm[0]) if at < calm[1])
    after = 0.0
    for start, end in faults:
        after = max([after, *(at - max(end, at - late) for at, late in seen if start < at - late < end < at)])
    p50, p99 = (before[int(len(before) * share)] for share in (0.5, 0.99))
    return (
        f"without faults {len(before)} events were seen after {p50 * 1000:.0f} ms (half of them) and "
        f"{p99 * 1000:.0f} ms (99 %); those of a fault at most {after:.1f} s after its end"
    )
