"""The bus over PostgreSQL: one NOTIFY for all that a worker has stored together.

A notification names matches and versions, and the receiver reads the events from the store. It is sent after
the commit by a connection of its own, which does not wait for the disk: in the transaction of the events it
would hold the lock of NOTIFY, of which each database has one, until these are on disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import msgspec
import psycopg

from escadaria.bus.remote import SILENT_SECONDS, Message, RemoteBus
from escadaria.store.postgres import PostgresDatabase

CHANNEL = "escadaria"

PAYLOAD_BYTES = 7900
"""PostgreSQL refuses notifications of 8000 bytes and more."""


class PostgresBus(RemoteBus):
    """A :class:`~escadaria.bus.Bus` over PostgreSQL."""

    name = "PostgreSQL"

    def __init__(self, worker: str, database: str) -> None:
        super().__init__(worker)
        self._conninfo = PostgresDatabase.at(database).conninfo
        self._listener: psycopg.AsyncConnection[tuple[object, ...]] | None = None
        self._sender: psycopg.AsyncConnection[tuple[object, ...]] | None = None

    async def connect(self) -> None:
        connect = psycopg.AsyncConnection.connect
        self._listener = await connect(self._conninfo, autocommit=True)
        self._sender = await connect(self._conninfo, autocommit=True)
        await self._listener.execute(f"LISTEN {CHANNEL}")
        await self._sender.execute("SET synchronous_commit = off")

    async def change(self, changes: dict[str, bool]) -> None:
        for match, wanted in changes.items():
            if wanted:  # all notifications are received anyway
                self.received(match, 0)

    async def send(self, messages: Sequence[Message], *, echo: bool) -> None:
        assert self._sender is not None, "connected"
        payloads = list(_payloads(self.worker, messages))
        if echo and not payloads:
            payloads = [_payload(self.worker, [])]
        for payload in payloads:
            await self._sender.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))

    async def listen(self) -> None:
        assert self._listener is not None, "connected"
        while True:
            async for notification in self._listener.notifies(timeout=SILENT_SECONDS):
                self._notified(notification.payload)

    def _notified(self, payload: str) -> None:
        worker, versions = msgspec.json.decode(payload, type=tuple[str, list[tuple[str, int]]])
        if worker == self.worker:
            self.echoed()
            return
        for match, version in versions:
            self.received(match, version)

    async def disconnect(self) -> None:
        for connection in (self._listener, self._sender):
            if connection is not None:
                await asyncio.shield(connection.close())
        self._listener = self._sender = None


def _payloads(worker: str, messages: Sequence[Message]) -> Iterator[str]:
    """The messages in as few payloads as possible."""
    versions: list[tuple[str, int]] = []
    size = most = PAYLOAD_BYTES - len(_payload(worker, []).encode())
    for match, version, _ in messages:
        size -= len(msgspec.json.encode((match, version))) + 1
        if size < 0 and versions:
            yield _payload(worker, versions)
            versions, size = [], most - len(msgspec.json.encode((match, version))) - 1
        versions.append((match, version))
    if versions:
        yield _payload(worker, versions)


def _payload(worker: str, versions: list[tuple[str, int]]) -> str:
    return msgspec.json.encode((worker, versions)).decode()
