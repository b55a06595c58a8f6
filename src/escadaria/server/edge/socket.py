"""The WebSocket of a match: ``hello``, then commands. Every frame is answered."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from litestar import WebSocket, websocket
from litestar.di import NamedDependency
from litestar.params import FromPath
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State as WebSocketState

from escadaria import wire
from escadaria.game import GameError
from escadaria.match.connection import Connection
from escadaria.match.room import Room
from escadaria.refusals import Ending, Refused, code_of
from escadaria.server import metrics
from escadaria.server.edge.access import address_of, same_origin
from escadaria.server.edge.limits import Bucket, subnet
from escadaria.server.edge.protocol import Config, address_in, allow_bytes
from escadaria.server.http.errors import CLOSE_CODES
from escadaria.server.matches.hub import Hub

log = logging.getLogger(__name__)

PROTOCOL = "escadaria.protocol"
"""The ASGI extension with the ``WebSocketProtocol`` of a connection."""

_MAX_INBOX = 16
"""The number of waiting messages above which reading is paused."""

_SLICE = 1024  # bytes that are parsed before frames are counted
_MAX_AFTER_CLOSE = 1000  # messages received after the close frame was sent
_MAX_QUEUED = 64  # messages waiting for the application


@websocket("/matches/{match:str}/socket")
async def table(socket: WebSocket[Any, Any, Any], hub: NamedDependency[Hub], match: FromPath[str]) -> None:
    """One client's connection to one match."""
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host"), hub.settings):
        await socket.close(CLOSE_CODES["forbidden"])  # before accepting: the handshake gets 403
        return
    await socket.accept()
    extensions: Any = socket.scope["extensions"]
    protocol: WebSocketProtocol = extensions[PROTOCOL]
    if refusal := _refusal(hub, protocol, address_of(socket)):
        await socket.send_text(wire.encode(wire.Bye(code=refusal)))
        await socket.close(CLOSE_CODES[refusal], refusal)
        return
    client = ClientConnection(hub, match, socket, protocol)
    hub.enter(client)
    try:
        await socket.receive()  # returns on disconnect: messages go to the connection
    finally:
        client.close()
        hub.leave(client)


def _refusal(hub: Hub, protocol: WebSocketProtocol, address: str) -> Ending | None:
    """Why the connection is refused, or None."""
    if hub.closing:
        return "restart"
    if len(hub.connections) >= hub.settings.connections or not protocol.count_as(address):
        return "too_many"
    return None if hub.limits.allows(address, "requests") else "too_fast"


class ClientConnection(Connection):
    """Receives the frames of one client, a ``hello`` and then commands, and writes those of its room.

    A client that reads too slowly is disconnected.
    """

    def __init__(
        self, hub: Hub, match: str, socket: WebSocket[Any, Any, Any], protocol: WebSocketProtocol
    ) -> None:
        super().__init__(address_of(socket), subnet(address_of(socket)))
        self._hub = hub
        self._match = match
        self._socket = socket
        self._protocol = protocol
        self._transport = protocol.transport
        self._buffer = hub.settings.write_buffer
        self._room: Room | None = None
        self._admission: asyncio.Task[None] | None = None
        self._inbox: deque[str | bytes] = deque()  # handled one at a time
        self._busy = self._draining = self._paused = False
        self._moved = 0.0  # when the move that is being handled was received
        self._closing: asyncio.Task[None] | None = None
        self._warnings = Bucket(1, 100)
        loop = asyncio.get_running_loop()
        self._hello = loop.call_later(hub.settings.hello_seconds, self.end, "late")
        protocol.on_message(self.receive)

    # Receiving.

    def receive(self, frame: str | bytes) -> None:
        """Queue a message. Messages are handled in order, each after the previous one was answered."""
        self._inbox.append(frame)
        self._drain()
        if len(self._inbox) > _MAX_INBOX and not self._paused:
            self._paused = True
            self._protocol.pause()

    def _drain(self) -> None:
        if self._draining:
            return
        self._draining = True
        while self._inbox and not self._busy and not self.ending:
            self._busy = True
            self._handle(self._inbox.popleft())
        self._draining = False
        if self._paused and not self._inbox:
            self._paused = False
            self._protocol.resume()

    def _handle(self, frame: str | bytes) -> None:
        if self._room is None:
            self._hello.cancel()
            self._admission = asyncio.create_task(self._admit(frame))
            return
        try:
            if not self._protocol.bucket.take():
                if not self._warnings.take():
                    self.end("too_fast")
                    return
                raise Refused("too_fast", "too many frames, wait a moment")
            self._hub.limits.take(self.address, "frames")
            command = wire.parse(frame)
            if isinstance(command, wire.Act):
                self._moved = time.perf_counter()
            self._room.submit(self, command)
        except GameError as error:
            self.refuse(wire.command_id(frame), error, self._room.match.version)

    async def _admit(self, frame: str | bytes) -> None:
        """Admit the client by its ``hello``, or refuse it and close the connection."""
        version = 0
        try:
            hello = wire.parse_hello(frame)
            room = await self._hub.room(self._match)
            version = room.match.version
            if hello.recover is not None:
                await room.recover(self, hello)
            else:
                await room.refresh()
                room.admit(self, hello)
        except GameError as error:
            self.send(self.refusal(wire.command_id(frame), error, version))
            self.end(code_of(error))
        except Exception:
            log.exception("a connection failed", extra={"match": self._match})
            self.end("internal")
        else:
            self._room = room
            self._next()

    def _next(self) -> None:
        self._busy = False
        self._drain()

    # Sending.

    def send(self, *frames: bytes) -> None:
        if self.ending or self._transport.is_closing():
            return
        self._transport.write(b"".join(map(framed, frames)))
        if self._transport.get_write_buffer_size() > self._buffer:
            self.end("too_slow")

    def answer(self, *frames: bytes) -> None:
        self.send(*frames)
        if self._moved:
            metrics.MOVE_SECONDS.observe(time.perf_counter() - self._moved)
            self._moved = 0.0
        self._next()

    def refusal(self, id: str | None, error: GameError, version: int) -> bytes:
        self._moved = 0.0
        metrics.REFUSALS.labels(code_of(error)).inc()
        return super().refusal(id, error, version)

    # Closing.

    def end(self, code: Ending) -> None:
        if self.ending:
            return
        self.ending = code
        metrics.DROPPED.labels(code).inc()
        if not self._transport.is_closing():
            self._transport.write(framed(wire.frame(wire.Bye(code=code))))
        self._closing = asyncio.create_task(self._close_socket(code))

    async def _close_socket(self, code: Ending) -> None:
        try:
            await self._socket.close(CLOSE_CODES.get(code, 4000), code)
        except Exception as error:  # noqa: BLE001 - closed by the client
            log.debug("the connection was closed already", extra={"why": str(error)})

    def close(self) -> None:
        """Leave the room after the connection has closed."""
        self._hello.cancel()
        self.ending = self.ending or "gone"
        if self._admission is not None and not self._admission.done():
            self._admission.add_done_callback(lambda _: self._leave())
        self._leave()
        # Break the reference cycle, so that this is freed without a garbage collection.
        self._protocol.on_message(_ignore)

    def _leave(self) -> None:
        if self._room is not None:
            self._room.leave(self)
            self._room = None


def _ignore(_: str | bytes) -> None:
    """Drop a message that is received after the end."""


def framed(text: bytes) -> bytes:
    """A WebSocket frame: final, text, not masked (RFC 6455, 5.2). The library's general encoder is slower."""
    size = len(text)
    if size < 126:
        return bytes((0x81, size)) + text
    if size < 65_536:
        return b"\x81\x7e" + size.to_bytes(2) + text
    return b"\x81\x7f" + size.to_bytes(8) + text


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """WebSockets with rate limits on all frames, and backpressure.

    ``table`` finds it in an ASGI extension. Messages go to a callback instead of the ASGI queue, and frames
    are written to the transport: that is faster.
    """

    config: Config

    close_seconds = 5.0
    """The time for the client to receive the close frame."""

    def __init__(self, config: Config, *args: Any, **named: Any) -> None:
        super().__init__(config, *args, **named)
        self.gate = config.gate
        settings = config.gate.settings
        self.bucket = Bucket(settings.frames_per_second, settings.frames_burst)
        """Of all frames of this connection."""
        self._counted_as = "unknown"  # the address that the connection is counted for
        self._on_message: Callable[[str | bytes], None] | None = None
        self._unparsed = b""
        self._parsing = self._paused = False
        self._after_close = 0  # messages received after the close frame was sent

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._counted_as = self.client[0] if self.client else "unknown"

    def count_as(self, address: str) -> bool:
        """Count the connection for the address that a proxy has forwarded, unless that has too many."""
        if not self.gate.move(self._counted_as, address):
            return False
        self._counted_as = address
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.leave(self._counted_as)
        super().connection_lost(exc)

    def shutdown(self) -> None:
        super().shutdown()
        if not self.handshake_complete:
            self.disconnected = True  # the application may be about to answer

    # Receiving.

    def data_received(self, data: bytes) -> None:
        if not self.handshake_initiated:
            super().data_received(data)
        elif not allow_bytes(self.gate, self.scope, self.client, len(data)):
            self._close_too_fast()
        elif len(data) <= _SLICE and not self._unparsed:
            super().data_received(data)
        else:
            self._unparsed += data
            self._parse()

    def _parse(self) -> None:
        """Parse the received data in slices, until the application pauses or the connection closes."""
        data, at = self._unparsed, 0
        self._unparsed, self._parsing = b"", True
        while at < len(data) and not self.transport.is_closing():
            if (self._paused or self.queue.qsize() > _MAX_QUEUED) and not self.close_sent:
                break
            super().data_received(data[at : at + _SLICE])
            at += _SLICE
        self._unparsed, self._parsing = data[at:], False

    def on_message(self, take: Callable[[str | bytes], None]) -> None:
        """Pass all further messages to a callback instead of the ASGI queue."""
        self._on_message = take
        while not self.queue.empty() and self.queue._queue[0]["type"] == "websocket.receive":  # type: ignore[attr-defined]
            message: Any = self.queue.get_nowait()
            take(message.get("text") or message.get("bytes") or b"")
        self.read_paused = False
        if not self._paused:
            self.resume()

    def pause(self) -> None:
        """Pause reading (backpressure)."""
        self._paused = True
        self.transport.pause_reading()

    def resume(self) -> None:
        """Resume reading."""
        self._paused = False
        if self._unparsed and not self._parsing:
            self._parse()
        if not self._paused and not self.transport.is_closing():
            self.transport.resume_reading()

    def send_receive_event_to_app(self) -> None:
        if self.close_sent:
            self._after_close += 1
            if self._after_close > _MAX_AFTER_CLOSE:
                self.transport.abort()
        if self._on_message is None or self.close_sent:
            super().send_receive_event_to_app()
            return
        data = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        if self.curr_msg_data_type == "bytes":
            self._on_message(data)
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            self.conn.send_close(1007)
            self.handle_parser_exception()
            return
        self._on_message(text)

    # Control frames and fragments, which the application never sees.

    def handle_ping(self) -> None:
        if self._allow_frame():
            super().handle_ping()
            if self.transport.get_write_buffer_size() > self.gate.settings.write_buffer:
                metrics.DROPPED.labels("too_slow").inc()
                self.transport.abort()

    def handle_pong(self, event: Any) -> None:
        if self._allow_frame():
            super().handle_pong(event)

    def handle_cont(self, event: Any) -> None:
        if self._allow_frame():
            super().handle_cont(event)

    def _allow_frame(self) -> bool:
        if self.transport.is_closing():
            return False
        if self.bucket.take() and self.gate.limits.allows(address_in(self.scope, self.client), "frames"):
            return True
        self._close_too_fast()
        return False

    def _close_too_fast(self) -> None:
        """Close the connection because of a rate limit; abort if the client does not read the close frame."""
        if self.conn.state is not WebSocketState.OPEN:
            self.transport.abort()
            return
        metrics.DROPPED.labels("too_fast").inc()
        self.conn.send_close(4029, "too_fast")
        self.handle_parser_exception()
        self.loop.call_later(self.close_seconds, self.transport.abort)

    # Sending.

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self.writable.set()  # do not wait for a full write buffer
        await super().send(message)

    async def run_asgi(self) -> None:
        extensions: Any = self.scope["extensions"]
        extensions[PROTOCOL] = self
        await super().run_asgi()
        if not self.disconnected:
            self.loop.call_later(self.close_seconds, self.transport.abort)
