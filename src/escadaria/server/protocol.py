"""What a connection may cost before the application sees it: sockets, headers, time, frames and buffers.

Uvicorn's protocols bound none of these. Here every connection is counted when it is accepted, has deadlines
for its head, its body and for taking an answer, and is closed when it sends too much or reads too little.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httptools
import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from escadaria.refusals import RefusalCode
from escadaria.server import messages, metrics
from escadaria.server.access import is_known_host, is_proxy
from escadaria.server.limits import Bucket, Limits, network_of
from escadaria.server.settings import Settings
from escadaria.server.socket import PROTOCOL

log = logging.getLogger(__name__)

_HTTP_CONNECTIONS = 256  # besides the WebSockets that the setting allows
_BACKLOG, _SHORT_BACKLOG = (
    1024,
    128,
)  # new sockets that the system holds back; the server may accept all at once
_SPARE_FILES = 64 + _SHORT_BACKLOG  # for the database and worker processes, and what is accepted at once
_HEADERS = 100  # of one request
_PIPELINED = 16  # requests that wait on one connection
_SLICE = 1024  # bytes that are parsed before frames are counted
_IN_VAIN = 1000  # messages that may still come after the last word
_QUEUED = 64  # messages that wait for the application


class Gate:
    """All connections of the server: how many there are, by address, and which are waited for."""

    def __init__(self, settings: Settings, limits: Limits) -> None:
        self.settings = settings
        self.limits = limits
        self.most = settings.connections + _HTTP_CONNECTIONS
        self.backlog = _BACKLOG
        self.open = 0
        self._by_address: Counter[str] = Counter()
        self._waiting: dict[HttpProtocol, float] = {}  # until when; the first one has waited longest
        self._sending: dict[HttpProtocol, float] = {}  # until when an answer must have been taken

    def fit_files(self) -> None:
        """Raise the limit of open files as far as needed, and take fewer connections if it stays too low."""
        try:
            import resource
        except ImportError:  # Windows has no such limit
            return
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        needed = self.most + _files_open() + _SPARE_FILES
        if soft != resource.RLIM_INFINITY and soft < needed:
            wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
                soft = max(soft, wanted)
            except (OSError, ValueError):
                log.debug("the limit of open files cannot be raised", exc_info=True)
        if soft != resource.RLIM_INFINITY and soft < needed:
            self.most = max(1, soft - _files_open() - _SPARE_FILES)
            self.backlog = _SHORT_BACKLOG
            log.warning(
                "%d connections do not fit into %d open files: only %d are taken. "
                "Raise the limit (ulimit -n, LimitNOFILE) or lower --connections.",
                self.settings.connections, soft, self.most,
            )  # fmt: skip

    def enter(self, address: str) -> RefusalCode | None:
        """Count a new connection; if it cannot be taken, return why not."""
        proxied = is_proxy(address, self.settings.proxies)
        network = network_of(address)
        if not proxied and self._by_address[network] >= self.settings.connections_per_address:
            return "too_many"
        if not proxied and not self.limits.allows(address, "connections"):
            return "too_fast"
        if self.open >= self.most and not self._make_room():
            return "busy"
        self.open += 1
        self._by_address[network] += 1
        return None

    def leave(self, address: str) -> None:
        """A connection that was counted has ended."""
        network = network_of(address)
        self.open -= 1
        self._by_address[network] -= 1
        if not self._by_address[network]:
            del self._by_address[network]

    def _make_room(self) -> bool:
        """Close the connection that has kept silent for longest."""
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        metrics.LIMIT_HITS.labels("connections").inc()
        del self._waiting[oldest]
        oldest.transport.abort()
        return True

    def expect(self, connection: HttpProtocol, seconds: float) -> None:
        """The client has to go on within so many seconds."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = time.monotonic() + seconds

    def satisfied(self, connection: HttpProtocol) -> None:
        """The client has done what was expected."""
        self._waiting.pop(connection, None)

    def sending(self, connection: HttpProtocol, is_full: bool) -> None:
        """The client does not take its answer as fast as it is made, or does so again."""
        self._sending.pop(connection, None)
        if is_full:
            self._sending[connection] = time.monotonic() + self.settings.send_seconds

    def forget(self, connection: HttpProtocol) -> None:
        """The connection has ended, or is a WebSocket now."""
        self._waiting.pop(connection, None)
        self._sending.pop(connection, None)

    def close_late(self) -> None:
        """Close the connections whose time is up. The server calls this every second."""
        now = time.monotonic()
        for connection in [connection for connection, until in self._waiting.items() if until <= now]:
            del self._waiting[connection]
            connection.is_late()
        for connection in [connection for connection, until in self._sending.items() if until <= now]:
            del self._sending[connection]
            connection.transport.abort()


class Config(uvicorn.Config):
    """Uvicorn's configuration, with the gate that all protocols share."""

    gate: Gate


class HttpProtocol(HttpToolsProtocol):
    """HTTP with bounds: a head of at most so many bytes, known hosts, and a time for everything."""

    config: Config

    def __init__(self, config: Config, *args: Any, **named: Any) -> None:
        super().__init__(config, *args, **named)
        self.gate = config.gate
        self._address: str | None = None  # while the connection is counted
        self._in_head = True
        self._in_message = False
        self._heads = 0  # that are complete
        self._head_bytes = 0  # of the one that is not
        self._refusal: tuple[int, RefusalCode, str] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else "unknown"
        if refusal := self.gate.enter(address):
            self._answer(503 if refusal == "busy" else 429, refusal, "too many connections, try again later")
            return
        self._address = address
        self.gate.expect(self, self.gate.settings.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.forget(self)
        if self._address is not None:
            self.gate.leave(self._address)
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        # On a proxy's connection the next head may be another client's than the one before.
        if not _may_send(self.gate, None if self._in_head else self.scope, self.client, len(data)):
            self._answer(429, "too_fast", "too many bytes from this address, wait")
            return
        heads, was_in_head = self._heads, self._in_head
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            if self._should_upgrade():
                self.handle_websocket_upgrade()
            return  # to another protocol: it is answered as if it had not asked
        except httptools.HttpParserError:
            self._answer(*(self._refusal or (400, "malformed", "this is not HTTP")))
            return
        if was_in_head and self._heads == heads:
            self._head_bytes += len(data)
            if self._head_bytes > self.gate.settings.head_bytes:
                self._answer(431, "too_large", "the request's head is too long")
        else:
            self._head_bytes = 0

    # What the parser finds.

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = self._in_message = True
        if self._heads:  # the first head is expected since the connection was made
            self.gate.expect(self, self.gate.settings.head_seconds)

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # behind the body; nobody reads them
        if len(self.headers) >= _HEADERS:
            raise self._refused(431, "too_large", "the request has too many headers")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._heads += 1
        size = len(self.url)
        hosts = []
        for name, value in self.headers:
            size += len(name) + len(value) + 4
            if name == b"host":
                hosts.append(value)
        if size > self.gate.settings.head_bytes:
            raise self._refused(431, "too_large", "the request's head is too long")
        if len(hosts) != 1:
            raise self._refused(400, "malformed", "a request has exactly one Host header")
        if not is_known_host(hosts[0], self.gate.settings.hosts, self.gate.settings.host):
            text = "this server does not answer to that host name; whoever runs it can allow it with --hosts"
            raise self._refused(421, "unknown_host", text)
        if len(self.pipeline) >= _PIPELINED:
            raise self._refused(429, "too_fast", "too many requests at once on one connection")
        self.gate.expect(self, self.gate.settings.body_seconds)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_message, self._in_head = False, True
        super().on_message_complete()
        if self.parser.should_upgrade() or not self.cycle.response_complete:
            self.gate.satisfied(self)
        else:
            self.gate.expect(self, self.timeout_keep_alive)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._in_message and not self.pipeline:
            self.gate.expect(self, self.timeout_keep_alive)

    def handle_websocket_upgrade(self) -> None:
        self.gate.forget(self)
        super().handle_websocket_upgrade()
        # From here on the other protocol hears of the end.

    def pause_writing(self) -> None:
        super().pause_writing()
        self.gate.sending(self, is_full=True)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.gate.sending(self, is_full=False)

    # How it ends.

    def is_late(self) -> None:
        """The client took too long."""
        metrics.LIMIT_HITS.labels("seconds").inc()
        answered = not self._in_head and self.cycle.response_started
        if answered or not (self._in_message or self._head_bytes):
            self.transport.abort()
        else:
            self._answer(408, "late", "the request took too long")

    def _refused(self, status: int, code: RefusalCode, message: str) -> Exception:
        """What a callback of the parser raises, so that this is answered."""
        self._refusal = (status, code, message)
        return ValueError(message)

    def _answer(self, status: int, code: RefusalCode, message: str) -> None:
        """Say why, and close the connection."""
        metrics.answered_early(status)
        body = msgspec.json.encode(messages.Refusal(code=code, message=message))
        retry = b"retry-after: 5\r\n" if status in (429, 503) else b""
        self.transport.write(
            b"%bcontent-type: application/json\r\ncontent-length: %d\r\n%bconnection: close\r\n\r\n%b"
            % (STATUS_LINE[status], len(body), retry, body)
        )
        self.transport.close()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """WebSockets with bounds: all frames count, and a client that reads nothing is not waited for.

    The application reaches it by an ASGI extension: it takes messages as they come, without a queue and
    a task between, and writes frames to the transport.
    """

    config: Config

    close_seconds = 5.0
    """How long a client may take to receive the last frame."""

    def __init__(self, config: Config, *args: Any, **named: Any) -> None:
        super().__init__(config, *args, **named)
        self.gate = config.gate
        settings = config.gate.settings
        self._bucket = Bucket(settings.frames_per_second, settings.frames_burst)
        self._take: Callable[[str | bytes], None] | None = None
        self._unparsed = b""
        self._parsing = self._paused = False
        self._in_vain = 0  # messages that came after the last word

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.leave(self.client[0] if self.client else "unknown")
        super().connection_lost(exc)

    def shutdown(self) -> None:
        super().shutdown()
        if not self.handshake_complete:
            self.disconnected = True  # so that the application, which may be about to answer, is told

    # What is received.

    def data_received(self, data: bytes) -> None:
        if not self.handshake_initiated:
            super().data_received(data)
        elif not _may_send(self.gate, self.scope, self.client, len(data)):
            self._end()
        elif len(data) <= _SLICE and not self._unparsed:
            super().data_received(data)
        else:
            self._unparsed += data
            self._parse()

    def _parse(self) -> None:
        """Parse what has come, slice by slice, as long as the application keeps up and the budget lasts."""
        data, at = self._unparsed, 0
        self._unparsed, self._parsing = b"", True
        while at < len(data) and not self.transport.is_closing():
            if (self._paused or self.queue.qsize() > _QUEUED) and not self.close_sent:
                break
            super().data_received(data[at : at + _SLICE])
            at += _SLICE
        self._unparsed, self._parsing = data[at:], False

    def take_messages(self, take: Callable[[str | bytes], None]) -> None:
        """Give all further messages to this function instead of the ASGI queue."""
        self._take = take
        while not self.queue.empty() and self.queue._queue[0]["type"] == "websocket.receive":  # type: ignore[attr-defined]
            message: Any = self.queue.get_nowait()
            take(message.get("text") or message.get("bytes") or b"")
        self.read_paused = False
        if not self._paused:
            self.resume()

    def pause(self) -> None:
        """Read nothing more for now: the application has enough to do."""
        self._paused = True
        self.transport.pause_reading()

    def resume(self) -> None:
        """Go on reading."""
        self._paused = False
        if self._unparsed and not self._parsing:
            self._parse()
        if not self._paused and not self.transport.is_closing():
            self.transport.resume_reading()

    def send_receive_event_to_app(self) -> None:
        if self.close_sent:
            self._in_vain += 1
            if self._in_vain > _IN_VAIN:
                self.transport.abort()
        if self._take is None or self.close_sent:
            super().send_receive_event_to_app()
            return
        data = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        if self.curr_msg_data_type == "bytes":
            self._take(data)
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            self.conn.send_close(1007)
            self.handle_parser_exception()
            return
        self._take(text)

    # Frames that the application never sees.

    def handle_ping(self) -> None:
        if self._may_go_on():
            super().handle_ping()
            if self.transport.get_write_buffer_size() > self.gate.settings.write_buffer:
                metrics.DROPPED.labels("too_slow").inc()
                self.transport.abort()

    def handle_pong(self, event: Any) -> None:
        if self._may_go_on():
            super().handle_pong(event)

    def handle_cont(self, event: Any) -> None:
        if self._may_go_on():
            super().handle_cont(event)

    def _may_go_on(self) -> bool:
        if self.transport.is_closing():
            return False
        if self._bucket.take() and self.gate.limits.allows(_address(self.scope, self.client), "frames"):
            return True
        self._end()
        return False

    def _end(self) -> None:
        """Close the connection since a limit was passed; a client that reads nothing is not waited for."""
        if self.conn.state is not State.OPEN:
            self.transport.abort()
            return
        metrics.DROPPED.labels("too_fast").inc()
        self.conn.send_close(4029, "too_fast")
        self.handle_parser_exception()
        self.loop.call_later(self.close_seconds, self.transport.abort)

    # What is sent.

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self.writable.set()  # the last word goes behind what waits to be read
        await super().send(message)

    async def run_asgi(self) -> None:
        extensions: Any = self.scope["extensions"]
        extensions[PROTOCOL] = self
        await super().run_asgi()
        if not self.disconnected:
            self.loop.call_later(self.close_seconds, self.transport.abort)


def _address(scope: Any, client: tuple[str, int] | None) -> str:
    """Who pays: the client that a proxy names, as soon as it is known, or else the one that is connected."""
    found = scope.get("client") if scope else client
    return str(found[0]) if found else "unknown"


def _may_send(gate: Gate, scope: Any, client: tuple[str, int] | None, size: int) -> bool:
    address = _address(scope, client)
    return is_proxy(address, gate.settings.proxies) or gate.limits.allows(address, "bytes", size)


def _files_open() -> int:
    """How many files the process has open, roughly where the system does not tell."""
    try:
        return len(list(Path("/proc/self/fd").iterdir()))
    except OSError:
        return 32
