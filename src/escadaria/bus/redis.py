"""The bus over Redis: one channel for each match, to which servers with clients at the match subscribe.

A message contains the events with their frames, so that its receivers neither read the store nor encode what
their clients are sent. Events with hidden data are the exception: secrets do not leave the store, and the
message has the version only.

Two connections of the client library are used directly: its own publishing and listening cost many times the
CPU time. Redis answers nothing to the first one (CLIENT REPLY OFF): the echoes show that it delivers. The
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

from escadaria.bus import Changed, Message, Stored
from escadaria.bus.remote import SILENT_SECONDS, RemoteBus

_BATCH = 500
"""The most channels in one command."""

_READ_BYTES = 65_536
"""The most bytes to read at once."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[str, Message])
"""Of the name of the server, and its message."""


class RedisBus(RemoteBus):
    """A :class:`~escadaria.bus.Bus` over Redis."""

    name = "Redis"

    def __init__(self, server: str, url: str, key: bytes) -> None:
        super().__init__(server)
        self._url = url
        self._prefix = f"escadaria:{hashlib.sha256(b'bus' + key).hexdigest()[:16]}:"
        self._echo = f"{self._prefix}server:{server}".encode()
        self._match_start = len(self._channel(""))
        # How the messages of this server begin, an array of two: it is subscribed to its own matches.
        self._own = b"\x92" + _encoder.encode(server)
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
        commands = [_publish(self._channel(message.match), self._body(message)) for message in messages]
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
                self._replied(*reply)

    def _replied(self, type: bytes, channel: bytes, data: Any) -> None:
        if channel == self._echo:
            if type == b"message":
                self.echoed()
            return
        if type == b"subscribe":
            self.received(Changed(channel[self._match_start :].decode()))
        elif type == b"message" and not data.startswith(self._own):
            with contextlib.suppress(msgspec.DecodeError):  # of another version: the store is checked anyway
                self.received(_decoder.decode(data)[1])

    async def disconnect(self) -> None:
        pool, self._pool = self._pool, None
        self._sender = self._listener = None
        with contextlib.suppress(Exception):  # it is broken already
            async with asyncio.timeout(1):
                if pool is not None:
                    await pool.disconnect()

    def _channel(self, match: str) -> bytes:
        return f"{self._prefix}match:{match}".encode()

    def _body(self, message: Message) -> bytes:
        if isinstance(message, Stored) and any(event.hidden for event, _ in message.events):
            message = Stored(message.match, message.version)
        return _encoder.encode((self.server, message))


def _publish(channel: bytes, body: bytes) -> bytes:
    """The command as Redis reads it."""
    return b"*3\r\n$7\r\nPUBLISH\r\n$%d\r\n%b\r\n$%d\r\n%b\r\n" % (len(channel), channel, len(body), body)
