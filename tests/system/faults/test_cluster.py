"""nginx, three workers, PostgreSQL and Redis, while one part after the other fails.

People connect through nginx to any worker each time: the clients of most matches are at different ones.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as Client

from databases import Nginx, Postgres, Redis
from serving import Server, started
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, load, playing

pytestmark = pytest.mark.anyio

FROZEN_SECONDS = 3.5
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
            self.restart_proxy,
            self.restart_postgres,
            self.freeze_postgres,
        ]
        return found + ([self.kill_redis, self.flush_redis, self.freeze_redis] if self.redis else [])

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

    async def restart_proxy(self) -> None:
        await self.restart(self.proxy)

    async def restart_postgres(self) -> None:
        await self.restart(self.postgres)

    async def kill_redis(self) -> None:
        assert self.redis is not None
        await self.restart(self.redis)

    async def restart(self, part: Nginx | Postgres | Redis) -> None:
        await asyncio.to_thread(part.stop)
        await self.some_time()
        await asyncio.to_thread(part.start)

    async def freeze_postgres(self) -> None:
        with self.postgres.frozen():
            await asyncio.sleep(FROZEN_SECONDS / 2)  # the fault lasts

    async def freeze_redis(self) -> None:
        assert self.redis is not None
        with self.redis.frozen():
            await asyncio.sleep(FROZEN_SECONDS)  # the fault lasts

    async def flush_redis(self) -> None:
        assert self.redis is not None
        with Client.from_url(self.redis.url) as client:
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
            await stack.enter_async_context(started(Server(folder, **settings), LOST)) for _ in range(3)
        ]
        proxy = Nginx(folder, [worker.port for worker in workers], {HASH: "random;"})
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
        print(f"{number + 1} faults: {findings}; {witness.returns} returns, {dict(witness.refusals)}")
        assert not findings.wrong, "\n".join(findings.wrong[:20])
        assert findings.accepted


LOST = ("the bus is lost", "the store does not answer")
"""What workers may log."""

HASH = "hash $escadaria_match consistent;"
"""How nginx chooses a worker; here it does so at random."""
