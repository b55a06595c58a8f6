"""nginx, three workers, PostgreSQL and Redis, while one part after the other fails.

People connect through nginx to any worker each time: the clients of most matches are at different ones.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as Client

from databases import Nginx, Postgres, Redis
from serving import Server, started
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, load, playing

pytestmark = pytest.mark.anyio

QUICK = {
    "escadaria.bus.remote.ECHO_SECONDS": 0.3,
    "escadaria.bus.remote.SILENT_SECONDS": 1.5,
    "escadaria.bus.redis.SILENT_SECONDS": 1.5,
    "escadaria.bus.notify.SILENT_SECONDS": 1.5,
    "escadaria.server.matches.hub._SPREAD_SECONDS": 0.2,
    "escadaria.match.leases.SERVER_SECONDS": 3.0,
}
"""The workers notice sooner that a part is gone, and stop sooner."""

FROZEN_SECONDS = 2.0
"""Longer than a bus waits for its echo."""


@dataclass
class Cluster:
    """The parts, and the ways in which they fail. Each fault has ended when its method returns."""

    workers: list[Server]
    proxy: Nginx
    postgres: Postgres
    redis: Redis | None
    rng: random.Random

    def faults(self) -> list[Callable[[], Awaitable[None]]]:
        """All kinds."""
        found: list[Callable[[], Awaitable[None]]] = [
            self.kill_a_worker,
            self.restart_all_workers,
            partial(self.restart, self.proxy),
            partial(self.restart, self.postgres),
            partial(self.freeze, self.postgres),
        ]
        if self.redis is not None:
            found += [
                partial(self.restart, self.redis),
                partial(self.flush, self.redis),
                partial(self.freeze, self.redis),
            ]
        return found

    async def kill_a_worker(self) -> None:
        worker = self.rng.choice(self.workers)
        await asyncio.to_thread(worker.kill)
        await self.some_time()
        await asyncio.to_thread(worker.start)

    async def restart_all_workers(self) -> None:
        """One after the other, as for an upgrade."""
        for worker in self.workers:
            assert await asyncio.to_thread(worker.stop) in (0, -15)
            await asyncio.to_thread(worker.ends)
            await asyncio.to_thread(worker.start)

    async def restart(self, part: Nginx | Postgres | Redis) -> None:
        await asyncio.to_thread(part.stop)
        await self.some_time()
        await asyncio.to_thread(part.start)

    async def freeze(self, part: Postgres | Redis) -> None:
        with part.frozen():
            await asyncio.sleep(FROZEN_SECONDS)  # the fault lasts

    async def flush(self, redis: Redis) -> None:
        with Client.from_url(redis.url) as client:
            client.flushall()
            client.client_kill_filter(_type="pubsub")

    async def some_time(self) -> None:
        await asyncio.sleep(self.rng.uniform(0, 1))  # the fault lasts


async def test_nothing_is_lost_or_doubled_when_any_part_of_a_cluster_fails(
    tmp_path: Path, postgres: Postgres, redis: Redis
) -> None:
    await break_all(tmp_path, postgres, redis, random.Random(4), tables=3)


async def break_all(
    folder: Path, postgres: Postgres, redis: Redis | None, rng: random.Random, tables: int, faults: int = 0
) -> None:
    """Break all parts, one after the other; again until there were enough faults."""
    witness = Witness()
    settings: dict[str, Any] = {"database": postgres.empty(), "redis": redis.url if redis else ""}
    settings |= {"proxies": "127.0.0.1", "connections_per_address": 10_000}
    async with AsyncExitStack() as stack:
        workers = [
            await stack.enter_async_context(started(Server(folder, patches=QUICK, **settings), LOST))
            for _ in range(3)
        ]
        upstream = " ".join(f"server 127.0.0.1:{worker.port} max_fails=0;" for worker in workers)
        proxy = Nginx(folder, (), {HASH: "random;", "server 127.0.0.1:8000;": upstream})
        await asyncio.to_thread(proxy.start)
        stack.push_async_callback(asyncio.to_thread, proxy.stop)
        kinds = Cluster(workers, proxy, postgres, redis, rng).faults()
        async with playing(witness, [proxy.url], rng, tables) as parties:
            for number in range(max(faults, len(kinds))):
                await every_party_progresses(parties)
                await load(parties, rng)
                await kinds[number % len(kinds)]()
            await every_party_progresses(parties)
        findings = check(settings["database"], witness)
        print(f"{number + 1} faults: {findings.counts}; {witness.returns} returns, {witness.refusals}")
        assert findings.counts["accepted"]


LOST = ("the store does not answer",)
"""What workers may log."""

HASH = "hash $escadaria_match consistent;"
"""How nginx chooses a worker; here it does so at random, and tries each again at once after its failure."""
