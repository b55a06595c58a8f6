"""The bus over Redis: one channel for each match, to which workers with clients at the match subscribe.

A message contains the events with their frames, so that its receivers neither read the store nor encode what
their clients are sent. Events with hidden data are the exception: secrets do not leave the store, and the
message has the version only.

Two connections of the client library are used directly: its own publishing and listening cost many times the
CPU time. Redis answers nothing to the first one (CLIENT REPLY OFF): the echoes tell that it delivers. The
second one's messages are parsed here as soon as they arrive, without a task to wake up.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import hiredis
import msgspec
from redis.asyncio.connection import AbstractConnection, ConnectionPool

from escadaria.bus import UNKNOWN, Sent
from escadaria.bus.remote import SILENT_SECONDS, Message, RemoteBus

_BATCH = 500
"""The most channels in one command."""


class _Body(msgspec.Struct, array_like=True):
    """A message on a channel."""

    worker: str
    version: int
    events: Sequence[Sent]


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
        self._ended: asyncio.Future[Exception | None] | None = None  # set when the listener is lost

    async def connect(self) -> None:
        # get_connection has no annotations in redis-py
        self._pool = ConnectionPool.from_url(self._url, protocol=2, socket_connect_timeout=SILENT_SECONDS)
        self._sender = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        self._listener = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        await self._sender.send_command("CLIENT", "REPLY", "OFF")
        self._ended = asyncio.get_running_loop().create_future()
        writer = self._listener._writer
        assert writer is not None, "connected"
        writer.transport.set_protocol(_Replies(writer.transport.get_protocol(), self._heard, self._ended))
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
        assert self._ended is not None, "connected"
        if (error := await self._ended) is not None:
            raise error

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
                self.received(channel[self._match_start :].decode(), body.version, body.events)

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
        if any(event.hidden for event, _ in events):
            events = ()
        return _encoder.encode(_Body(self.worker, version, events))


class _Replies(asyncio.Protocol):
    """Parses what Redis sends, in place of the protocol of the client library."""

    def __init__(
        self,
        replaced: asyncio.BaseProtocol,
        heard: Callable[..., None],
        ended: asyncio.Future[Exception | None],
    ) -> None:
        self._replaced = replaced
        self._heard = heard
        self._ended = ended
        self._reader = hiredis.Reader()

    def data_received(self, data: bytes) -> None:
        if self._ended.done():
            return
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not False:
                self._heard(*reply)
        except Exception as error:  # noqa: BLE001 - raised by ``listen``, which ends the connection
            self._ended.set_result(error)

    def connection_lost(self, error: Exception | None) -> None:
        if not self._ended.done():
            self._ended.set_result(error)
        self._replaced.connection_lost(error)

    def pause_writing(self) -> None:
        self._replaced.pause_writing()

    def resume_writing(self) -> None:
        self._replaced.resume_writing()


def _publish(channel: bytes, body: bytes) -> bytes:
    """The command as Redis reads it."""
    return b"*3\r\n$7\r\nPUBLISH\r\n$%d\r\n%b\r\n$%d\r\n%b\r\n" % (len(channel), channel, len(body), body)
