"""Uvicorn's HTTP protocol with limits on connections, headers, time and bytes.

Connections are counted when they are accepted. They have deadlines for the head and body of a request and for
reading the response, and are closed if they send too much or read too slowly.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httptools
import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from escadaria import wire
from escadaria.refusals import RefusalCode
from escadaria.server import metrics
from escadaria.server.edge.access import is_known_host, is_proxy
from escadaria.server.edge.limits import Limits, subnet
from escadaria.settings import Settings

log = logging.getLogger(__name__)

_HTTP_CONNECTIONS = 256  # besides the WebSockets that the setting allows
_BACKLOG = 1024
_SHORT_BACKLOG = 128  # if few files can be opened: the server may accept the whole backlog at once
_SPARE_FILES = 64 + _SHORT_BACKLOG  # for the database, worker processes and the backlog
_MAX_HEADERS = 100  # of one request
_MAX_PIPELINED = 16  # waiting requests of one connection


class Gate:
    """Limits on all connections of the server: their number, by address, and their deadlines."""

    def __init__(self, settings: Settings, limits: Limits) -> None:
        self.settings = settings
        self.limits = limits
        self.max_connections = settings.connections + _HTTP_CONNECTIONS
        self.backlog = _BACKLOG
        self.open = 0
        self._by_address: Counter[str] = Counter()
        self._waiting: dict[HttpProtocol, float] = {}  # deadlines for receiving; the oldest first
        self._sending: dict[HttpProtocol, float] = {}  # deadlines for sending

    def fit_file_limit(self) -> None:
        """Raise the limit of open files as needed, or else reduce the number of connections."""
        try:
            import resource
        except ImportError:  # Windows has no such limit
            return
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        needed = self.max_connections + _open_files() + _SPARE_FILES
        if soft != resource.RLIM_INFINITY and soft < needed:
            wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
                soft = max(soft, wanted)
            except (OSError, ValueError):
                log.debug("the limit of open files cannot be raised", exc_info=True)
        if soft != resource.RLIM_INFINITY and soft < needed:
            self.max_connections = max(1, soft - _open_files() - _SPARE_FILES)
            self.backlog = _SHORT_BACKLOG
            log.warning(
                "%d connections do not fit into %d open files: only %d are accepted. "
                "Raise the limit (ulimit -n, LimitNOFILE) or lower --connections.",
                self.settings.connections, soft, self.max_connections,
            )  # fmt: skip

    def enter(self, address: str) -> RefusalCode | None:
        """Count a new connection, or return why it is refused."""
        proxied = is_proxy(address, self.settings.proxies)
        network = subnet(address)
        if not proxied and self._by_address[network] >= self.settings.connections_per_address:
            return "too_many"
        if not proxied and not self.limits.allows(address, "connections"):
            return "too_fast"
        if self.open >= self.max_connections and not self._close_oldest():
            return "busy"
        self.open += 1
        self._by_address[network] += 1
        return None

    def leave(self, address: str) -> None:
        """Remove a counted connection."""
        network = subnet(address)
        self.open -= 1
        self._by_address[network] -= 1
        if not self._by_address[network]:
            del self._by_address[network]

    def move(self, address: str, client: str) -> bool:
        """Count a connection for the client behind a proxy, unless that client has too many."""
        proxy, network = subnet(address), subnet(client)
        if network != proxy:
            if self._by_address[network] >= self.settings.connections_per_address:
                return False
            self._by_address[network] += 1
            self._by_address[proxy] -= 1
        return True

    def _close_oldest(self) -> bool:
        """Close the connection that has been waiting longest for its client."""
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        metrics.LIMIT_HITS.labels("connections").inc()
        del self._waiting[oldest]
        oldest.abort()
        return True

    def set_deadline(self, connection: HttpProtocol, seconds: float) -> None:
        """Set the deadline for receiving more from the client."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = time.monotonic() + seconds

    def clear_deadline(self, connection: HttpProtocol) -> None:
        """Remove the deadline for receiving."""
        self._waiting.pop(connection, None)

    def set_send_deadline(self, connection: HttpProtocol, full: bool) -> None:
        """Set the deadline for sending what is buffered; remove it if the buffer is not ``full``.

        A connection that is closing has one too: it closes when its buffer is empty.
        """
        self._sending.pop(connection, None)
        if full:
            self._sending[connection] = time.monotonic() + self.settings.send_seconds

    def forget(self, connection: HttpProtocol) -> None:
        """Remove the deadlines of a connection that has closed or was upgraded."""
        self._waiting.pop(connection, None)
        self._sending.pop(connection, None)

    def close_expired(self) -> None:
        """Close the connections whose deadline has passed. The server calls this every second."""
        now = time.monotonic()
        for connection in [connection for connection, until in self._waiting.items() if until <= now]:
            del self._waiting[connection]
            connection.time_out()
        for connection in [connection for connection, until in self._sending.items() if until <= now]:
            del self._sending[connection]
            connection.abort()


class Config(uvicorn.Config):
    """Uvicorn's configuration with the gate that all protocols share."""

    gate: Gate


class HttpProtocol(HttpToolsProtocol):
    """HTTP with limits on the head, the Host header and the duration of a request."""

    config: Config

    def __init__(self, config: Config, *args: Any, **named: Any) -> None:
        super().__init__(config, *args, **named)
        self.gate = config.gate
        self._address: str | None = None  # set while the connection is counted
        self._in_head = True
        self._in_message = False
        self._heads = 0  # complete ones
        self._head_bytes = 0  # of the incomplete one
        self._refusal: tuple[int, RefusalCode, str] | None = None
        self._running: Any = None  # the request in progress; ``cycle`` may be a pipelined one behind it

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else "unknown"
        if refusal := self.gate.enter(address):
            self._refuse(503 if refusal == "busy" else 429, refusal, "too many connections, try again later")
            return
        self._address = address
        self.gate.set_deadline(self, self.gate.settings.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.forget(self)
        if self._address is not None:
            self.gate.leave(self._address)
            self._address = None
        self._disconnect()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        # On a proxy's connection the next head may be another client's than the one before.
        if not allow_bytes(self.gate, None if self._in_head else self.scope, self.client, len(data)):
            self._refuse(429, "too_fast", "too many bytes from this address, wait")
            return
        heads, was_in_head = self._heads, self._in_head
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            if self._should_upgrade():
                self.handle_websocket_upgrade()
            return  # an unknown protocol: the request is handled as HTTP
        except httptools.HttpParserError:
            self._refuse(*(self._refusal or (400, "malformed", "invalid HTTP")))
            return
        if was_in_head and self._heads == heads:
            self._head_bytes += len(data)
            if self._head_bytes > self.gate.settings.head_bytes:
                self._refuse(431, "too_large", "the request's head is too long")
        else:
            self._head_bytes = 0

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = self._in_message = True
        if self._heads:  # the first head has a deadline since the connection was made
            self.gate.set_deadline(self, self.gate.settings.head_seconds)

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # trailers are ignored
        if len(self.headers) >= _MAX_HEADERS:
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
            raise self._refused(400, "malformed", "a request needs exactly one Host header")
        if not is_known_host(hosts[0], self.gate.settings.hosts, self.gate.settings.host):
            text = "the server does not accept this host name; its operator can allow it with --hosts"
            raise self._refused(421, "unknown_host", text)
        if len(self.pipeline) >= _MAX_PIPELINED:
            raise self._refused(429, "too_fast", "too many requests at once on one connection")
        self.gate.set_deadline(self, self.gate.settings.body_seconds)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_message, self._in_head = False, True
        super().on_message_complete()
        if self.parser.should_upgrade() or not self.cycle.response_complete:
            self.gate.clear_deadline(self)
        else:
            self.gate.set_deadline(self, self.timeout_keep_alive)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():  # as soon as all is sent
            self.gate.set_send_deadline(self, full=True)
        elif not self._in_message and not self.pipeline:
            self.gate.set_deadline(self, self.timeout_keep_alive)

    def handle_websocket_upgrade(self) -> None:
        self.gate.forget(self)
        super().handle_websocket_upgrade()  # whose ``connection_lost`` is called from now on

    def pause_writing(self) -> None:
        super().pause_writing()
        self.gate.set_send_deadline(self, full=True)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.gate.set_send_deadline(self, full=self.transport.is_closing())

    # Closing.

    def time_out(self) -> None:
        """Answer 408 if a request is incomplete, and close the connection."""
        metrics.LIMIT_HITS.labels("seconds").inc()
        started = not self._in_head and self.cycle.response_started
        if started or not (self._in_message or self._head_bytes):
            self.abort()
        else:
            self._refuse(408, "late", "the request took too long")

    def _refused(self, status: int, code: RefusalCode, message: str) -> Exception:
        """The exception for a parser callback to raise; ``data_received`` then sends the refusal."""
        self._refusal = (status, code, message)
        return ValueError(message)

    def _refuse(self, status: int, code: RefusalCode, message: str) -> None:
        """Send a refusal and close the connection."""
        metrics.HTTP.labels("none", status).inc()
        body = msgspec.json.encode(wire.Refusal(code=code, message=message))
        retry = b"retry-after: 5\r\n" if status in (429, 503) else b""
        self.transport.write(
            b"%bcontent-type: application/json\r\ncontent-length: %d\r\n%bconnection: close\r\n\r\n%b"
            % (STATUS_LINE[status], len(body), retry, body)
        )
        self._disconnect()
        self.gate.clear_deadline(self)
        self.gate.set_send_deadline(self, full=True)
        self.transport.close()

    def abort(self) -> None:
        """Close the connection without sending what is buffered."""
        self._disconnect()
        self.transport.abort()

    def _disconnect(self) -> None:
        """Let requests in progress send nothing more. A closed transport raises an error when written to."""
        for cycle in filter(None, (self._running, self.cycle)):
            cycle.disconnected = True
            cycle.message_event.set()


def address_in(scope: Any, client: tuple[str, int] | None) -> str:
    """The address for rate limits: the one forwarded by a proxy if known, else that of the peer."""
    found = scope.get("client") if scope else client
    return str(found[0]) if found else "unknown"


def allow_bytes(gate: Gate, scope: Any, client: tuple[str, int] | None, size: int) -> bool:
    address = address_in(scope, client)
    return is_proxy(address, gate.settings.proxies) or gate.limits.allows(address, "bytes", size)


def _open_files() -> int:
    """The number of open files of the process; a guess where /proc is missing."""
    try:
        return len(list(Path("/proc/self/fd").iterdir()))
    except OSError:
        return 32
