"""The real store of several simulated servers on one database in memory, with the faults of one far away."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from typing import TypeVar

from escadaria.store import Lease, Meters, StoredEvent, StoreUnavailable
from escadaria.store.commits import Call, commit
from escadaria.store.database import Session
from escadaria.store.sql import SqlStore
from escadaria.store.sqlite import SqliteDatabase, SqliteSession
from escadaria.store.threads import Threads

T = TypeVar("T")


@cache
def empty_tables() -> sqlite3.Connection:
    """A database in memory with the tables of the newest revision."""
    memory = sqlite3.connect(":memory:")
    with tempfile.TemporaryDirectory() as folder:
        database = SqliteDatabase(f"{folder}/empty.sqlite3")
        database.prepare()
        database.close()
        with closing(sqlite3.connect(database.path)) as file:
            file.execute("PRAGMA journal_mode = DELETE")  # a database in memory has no other log
            file.backup(memory)
    return memory


class Disk:
    """The database, and what was stored in it when and with which lease."""

    def __init__(self) -> None:
        database = SqliteDatabase("")
        database.uri = "file::memory:"
        self.session = SqliteSession(database, seconds=0)
        empty_tables().backup(self.session.connection)
        self.stored: dict[str, list[StoredEvent]] = defaultdict(list)
        self.leased: dict[tuple[str, int], Lease | None] = {}
        """The lease that each event was stored with."""
        self.times: dict[tuple[str, int], float] = {}
        """When each event was stored."""

    def commit(self, call: Call[T]) -> T:
        """Run a call as the writer thread does."""
        [outcome] = commit([call], self.session)
        if isinstance(outcome, Exception):
            raise outcome
        for event in call.events:
            self.stored[call.order].append(event)
            self.leased[call.order, event.version] = call.lease
            self.times[call.order, event.version] = asyncio.get_running_loop().time()
        done: T = outcome
        return done


class FarAway(Threads):
    """In place of the threads of one server: each call takes a while, and may fail or hang."""

    def __init__(self, disk: Disk, rng: random.Random) -> None:
        self.disk = disk
        self.meters = Meters()
        self.rng = rng
        self.failures = 0.0
        """The share of calls that fail, half of them after the transaction was committed."""
        self.stalled = 0.0
        """Until when calls wait, by the loop's clock."""
        self.dead = False

    @property
    def waiting(self) -> int:
        return 0

    async def append(
        self, match: str, events: Sequence[StoredEvent], due: float | None, lease: Lease | None
    ) -> None:
        call: Call[None] = Call(asyncio.get_running_loop().create_future(), match, None, events, due, lease)
        await self._transact(lambda: self.disk.commit(call))

    async def write(self, order: str, work: Callable[[Session], T], seconds: float | None = None) -> T:
        return await self._transact(
            lambda: self.disk.commit(Call(asyncio.get_running_loop().create_future(), order, work))
        )

    async def read(self, work: Callable[[Session], T]) -> T:
        return await self._transact(lambda: work(self.disk.session))

    async def close(self, seconds: float) -> None:
        """Nothing to end."""

    async def _transact(self, transaction: Callable[[], T]) -> T:
        await self._travel()
        if self.rng.random() < self.failures / 2:
            raise StoreUnavailable("not stored")
        result = transaction()
        await self._travel()
        if self.rng.random() < self.failures / 2:
            raise StoreUnavailable("stored, but the answer was lost")
        return result

    async def _travel(self) -> None:
        slow = self.rng.random() < 0.02
        await asyncio.sleep(self.rng.uniform(0.0002, 0.3 if slow else 0.003))
        loop = asyncio.get_running_loop()
        refused = loop.time() + 8.0
        while loop.time() < self.stalled:
            if loop.time() > refused:
                raise StoreUnavailable("the database does not answer")
            await asyncio.sleep(0.05)
        if self.dead:
            await loop.create_future()  # its process is gone


class SimulatedStore(SqlStore):
    """The store of one server. No match gets old in a world."""

    def __init__(self, disk: Disk, rng: random.Random) -> None:
        self.database = FarAway(disk, rng)
        super().__init__(self.database)
        self.key = b"k" * 32

    async def abandoned(self, before: float, limit: int) -> list[str]:
        return []

    async def purge(self, now: float) -> int:
        return 0

    async def release_leases(self, server: str, matches: Sequence[str]) -> None:
        if matches:
            await super().release_leases(server, matches)
        else:
            await self.database.read(lambda session: None)  # takes its time too: seeds keep their worlds
