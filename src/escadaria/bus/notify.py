"""The bus over PostgreSQL: one NOTIFY for all that a server has stored together.

A notification names matches and versions, and the receiver reads the events from the store. It is sent after
the commit by a connection of its own, which does not wait for the disk: in the transaction of the events it
would hold the lock of NOTIFY, of which each database has one, until these are on disk.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence

import msgspec
import psycopg

from escadaria.bus import Changed, Message, Stored
from escadaria.bus.remote import SILENT_SECONDS, RemoteBus
from escadaria.store.postgres import PostgresDatabase

CHANNEL = "escadaria"

PAYLOAD_BYTES = 7900
"""PostgreSQL refuses notifications of 8000 bytes and more."""

_decoder = msgspec.json.Decoder(tuple[str, list[Message]])


class PostgresBus(RemoteBus):
    """A :class:`~escadaria.bus.Bus` over PostgreSQL."""

    name = "PostgreSQL"

    def __init__(self, server: str, database: str) -> None:
        super().__init__(server)
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
                self.received(Changed(match))

    async def send(self, messages: Sequence[Message], *, echo: bool) -> None:
        assert self._sender is not None, "connected"
        for payload in _payloads(self.server, messages, echo=echo):
            await self._sender.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))

    async def listen(self) -> None:
        assert self._listener is not None, "connected"
        while True:
            async for notification in self._listener.notifies(timeout=SILENT_SECONDS):
                with contextlib.suppress(msgspec.DecodeError):  # of another version
                    self._notified(*_decoder.decode(notification.payload))

    def _notified(self, server: str, messages: Sequence[Message]) -> None:
        if server == self.server:
            self.echoed()
            return
        for message in messages:
            self.received(message)

    async def disconnect(self) -> None:
        for connection in (self._listener, self._sender):
            if connection is not None:
                await asyncio.shield(connection.close())
        self._listener = self._sender = None


def _payloads(server: str, messages: Sequence[Message], *, echo: bool) -> Iterator[str]:
    """The messages without their events, in as few payloads as possible; at least one for an echo."""
    together: list[Message] = []
    size = 0
    for message in messages:
        if isinstance(message, Stored):
            message = Stored(message.match, message.version)
        bytes_more = len(msgspec.json.encode(message)) + 1
        if together and size + bytes_more > PAYLOAD_BYTES - len(_payload(server, [])):
            yield _payload(server, together)
            together, size = [], 0
        together.append(message)
        size += bytes_more
    if together or echo:
        yield _payload(server, together)


def _payload(server: str, messages: list[Message]) -> str:
    return msgspec.json.encode((server, messages)).decode()
