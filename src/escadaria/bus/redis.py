"""The bus over Redis: one channel for each match, to which workers with clients at the match subscribe.

A message contains the events with their frames, so that its receivers neither read the store nor encode what
their clients are sent. Events with hidden data are the exception: secrets do not leave the store, and the
message has the version only.

Two connections of the client library are used directly: its own publishing and listening cost many times the
CPU time. Redis answers nothing to the first one (CLIENT REPLY OFF): the echoes tell that it delivers. The
second one's messages are parsed here, all that have arrived at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Sequence
from typing import Any

import hiredis
import msgspec
from redis.asyncio.connection import AbstractConnection, ConnectionPool

from escadaria.bus import UNKNOWN, Sent
from escadaria.bus.remote import SILENT_SECONDS, Message, RemoteBus
from escadaria.store import StoredEvent

_BATCH = 500
"""The most channels in one command."""

_READ_BYTES = 65_536
"""The most bytes to read at once."""


class _Body(msgspec.Struct, array_like=True):
    """A message on a channel."""

    worker: str
    version: int
    events: list[tuple[int, float, str, str, bytes]]
    """Version, time, request, body and frame."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Body)


class RedisBus(RemoteBus):
    """A :class:`~escadaria.bus.Bus` over Redis."""

    name = "Redis"

    def __init__(self, worker: str, url: str, key: bytes) -> None:
        super().__init__(worker)
        self._url = url
        self._prefix = f"escadaria:{hashlib.sha256(b'bus' + key).hexdigest()[:16]}:"
        self._echo = f"{self._prefix}worker:{worker}".encode()
        self._match_start = len(self._channel(""))
        # How the messages of this worker begin, an array of three: it is subscribed to its own matches.
        self._own = b"\x93" + _encoder.encode(worker)
        self._pool: ConnectionPool | None = None
        self._sender: AbstractConnection | None = None
        self._listener: AbstractConnection | None = None

    async def connect(self) -> None:
        # With a time-out in redis-py a cancelled command goes on (Python 3.11); a bus has bounds of its own.
        timeouts = {"socket_connect_timeout": SILENT_SECONDS, "socket_timeout": None}
        self._pool = ConnectionPool.from_url(self._url, protocol=2, **timeouts)
        # get_connection has no annotations in redis-py
        self._sender = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        self._listener = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        await self._sender.send_command("CLIENT", "REPLY", "OFF")
        await self._listener.send_command("SUBSCRIBE", self._echo)
        await self.change(dict.fromkeys(self.matches, True))

    async def change(self, changes: dict[str, bool]) -> None:
        assert self._listener is not None, "connected"
        for wanted, command in ((True, "SUBSCRIBE"), (False, "UNSUBSCRIBE")):
            channels = [self._channel(match) for match, change in changes.items() if change is wanted]
            for start in range(0, len(channels), _BATCH):
                await self._listener.send_command(command, *channels[start : start + _BATCH])

    async def send(self, messages: Sequence[Message], *, echo: bool) -> None:
        assert self._sender is not None, "connected"
        commands = [
            _publish(self._channel(match), self._body(version, events)) for match, version, events in messages
        ]
        if echo:
            commands.append(_publish(self._echo, b""))
        await self._sender.send_packed_command(b"".join(commands), check_health=False)

    async def listen(self) -> None:
        assert self._listener is not None, "connected"
        stream = self._listener._reader
        assert stream is not None, "connected"
        replies = hiredis.Reader()
        while data := await stream.read(_READ_BYTES):
            replies.feed(data)
            while (reply := replies.gets()) is not False:
                self._heard(*reply)

    def _heard(self, type: bytes, channel: bytes, data: Any) -> None:
        if channel == self._echo:
            if type == b"message":
                self.echoed()
            return
        if type == b"subscribe":
            self.received(channel[self._match_start :].decode(), UNKNOWN)
        elif type == b"message" and not data.startswith(self._own):
            with contextlib.suppress(msgspec.DecodeError):  # of another version: the store is checked anyway
                body = _decoder.decode(data)
                events = [
                    (StoredEvent(version, time, request, text), frame)
                    for version, time, request, text, frame in body.events
                ]
                self.received(channel[self._match_start :].decode(), body.version, events)

    async def disconnect(self) -> None:
        pool, self._pool = self._pool, None
        self._sender = self._listener = None
        with contextlib.suppress(Exception):  # it is broken already
            async with asyncio.timeout(1):
                if pool is not None:
                    await pool.disconnect()

    def _channel(self, match: str) -> bytes:
        return f"{self._prefix}match:{match}".encode()

    def _body(self, version: int, events: Sequence[Sent]) -> bytes:
        told = [
            (event.version, event.time, event.request, event.body, frame)
            for event, frame in events
            if not event.hidden
        ]
        return _encoder.encode(_Body(self.worker, version, told if len(told) == len(events) else []))


def _publish(channel: bytes, body: bytes) -> bytes:
    """The command as Redis reads it."""
    return b"*3\r\n$7\r\nPUBLISH\r\n$%d\r\n%b\r\n$%d\r\n%b\r\n" % (len(channel), channel, len(body), body)
