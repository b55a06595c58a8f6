"""Running the server: the listening socket, and a farewell to everyone before it stops."""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
import uvicorn
from litestar import Litestar
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from escadaria.server.app import create_app
from escadaria.server.clock import Clock
from escadaria.server.hub import Hub
from escadaria.server.logs import set_up_logs
from escadaria.server.metrics import measured
from escadaria.server.settings import Settings
from escadaria.server.socket import PROTOCOL

_NEW_OBJECTS = 20_000  # before the next search for garbage among them


def serve(settings: Settings, ready: Callable[[str], None] = lambda url: None) -> None:
    """Serve until told to stop. ``ready`` is called with the address when it can be used."""
    set_up_logs(settings)
    server = make_server(settings, ready)
    # What is there now stays; searching it for garbage again and again would take a sixth of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
    server.run()


def make_server(
    settings: Settings, ready: Callable[[str], None] = lambda url: None, clock: Clock | None = None
) -> Server:
    """The server, to be run in an event loop of one's own. Tests bring a clock of their own."""
    app = create_app(settings, clock)
    config = uvicorn.Config(
        measured(app),
        host=settings.host,
        port=settings.port,
        ws=_Protocol,
        ws_max_size=settings.frame_bytes,
        ws_ping_interval=settings.ping_seconds,
        ws_ping_timeout=settings.ping_seconds,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,  # addresses of people are nobody's business
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=settings.proxies or None,
        timeout_graceful_shutdown=max(1, int(settings.shutdown_seconds)),
    )
    return Server(config, app, ready)


def default_database() -> str:
    """Where matches are kept unless told otherwise."""
    return str(Path(platformdirs.user_data_dir("escadaria", ensure_exists=True)) / "matches.sqlite3")


def is_free(host: str, port: int) -> bool:
    """Whether the port can be listened on."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


class Server(uvicorn.Server):
    """Says goodbye before it stops."""

    def __init__(self, config: uvicorn.Config, app: Litestar, ready: Callable[[str], None]) -> None:
        super().__init__(config)
        self.app = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            host = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
            self._ready(f"http://{host}:{port}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        hub: Hub | None = getattr(self.app.state, "hub", None)
        if hub is not None:
            await hub.say_goodbye()  # while the connections can still carry it
        await super().shutdown(sockets)


class _Protocol(WebSocketsSansIOProtocol):
    """Hands messages on at once, and waits for no client that takes nothing more.

    The application reaches it by an ASGI extension: it takes messages as they come, without a queue and
    a task between, and writes frames to the transport.
    """

    close_seconds = 5.0
    _take: Callable[[str | bytes], None] | None = None

    def take_messages(self, take: Callable[[str | bytes], None]) -> None:
        """Give all further messages to this function instead of the ASGI queue."""
        self._take = take
        while not self.queue.empty() and self.queue._queue[0]["type"] == "websocket.receive":  # type: ignore[attr-defined]
            message: Any = self.queue.get_nowait()
            take(message.get("text") or message.get("bytes") or b"")
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()

    def send_receive_event_to_app(self) -> None:
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
