"""Running the server."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

import uvicorn
from litestar import Litestar

from escadaria.folders import data_folder
from escadaria.game import BadOptions
from escadaria.match.clock import Clock
from escadaria.server import logs
from escadaria.server.edge.protocol import Config, Gate, HttpProtocol
from escadaria.server.edge.socket import WebSocketProtocol
from escadaria.server.http.app import create_app
from escadaria.server.matches.hub import Hub
from escadaria.server.metrics import with_metrics
from escadaria.settings import Settings

log = logging.getLogger(__name__)

_GC_THRESHOLD = 20_000


def serve(settings: Settings, ready: Callable[[str], None] = lambda url: None) -> None:
    """Run the server until a signal. ``ready`` is called with its address.

    :raises BadOptions: if several servers are wanted on SQLite.
    """
    if settings.workers > 1:
        if not settings.database.startswith("postgres"):
            raise BadOptions(
                f"{settings.workers} servers need PostgreSQL: set DATABASE_URL=postgresql://user@host/name, "
                "or --workers 1 for SQLite"
            )
        from escadaria.server.supervisor import Supervisor

        if code := Supervisor(settings, ready).run():
            sys.exit(code)
        return
    run_server(settings, lambda server: ready(server.address))


def run_server(
    settings: Settings, started: Callable[[Server], None], sockets: list[socket.socket] | None = None
) -> None:
    """Run one server process until a signal, on given sockets or on the port of the settings."""
    logs.set_up_logs(settings)
    server = make_server(settings, lambda _: started(server))
    # Objects of the start-up live forever: scanning them would take a sixth of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)
    server.run(sockets)


def make_server(
    settings: Settings, ready: Callable[[str], None] = lambda url: None, clock: Clock | None = None
) -> Server:
    """Create the server, to run in any event loop. Tests pass a clock."""
    app = create_app(settings, clock)
    config = Config(
        with_metrics(app),
        host=settings.host,
        port=settings.port,
        http=HttpProtocol,
        ws=WebSocketProtocol,
        ws_max_size=settings.frame_bytes,
        ws_ping_interval=settings.ping_seconds,
        ws_ping_timeout=settings.ping_seconds,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,  # for privacy
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=settings.proxies or None,
        timeout_keep_alive=settings.keep_alive_seconds,
        timeout_graceful_shutdown=max(1, int(settings.shutdown_seconds)),
    )
    config.gate = Gate(settings, app.state.limits)
    return Server(config, app, settings, ready)


def default_database() -> str:
    """The default database file, in the user's data folder."""
    data_folder().mkdir(parents=True, exist_ok=True)
    return str(data_folder() / "matches.sqlite3")


def is_free(host: str, port: int) -> bool:
    """Whether the port is free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def address_of_socket(listener: Any) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    host = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{host}:{port}"


class Server(uvicorn.Server):
    """A uvicorn server that drains its connections on shutdown."""

    config: Config

    def __init__(
        self, config: Config, app: Litestar, settings: Settings, ready: Callable[[str], None]
    ) -> None:
        super().__init__(config)
        self.app = app
        self._settings = settings
        self._ready = ready
        self.address = ""
        """The URL, once it is started."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.gate.fit_file_limit()
        self.config.backlog = self.config.gate.backlog
        await super().startup(sockets)
        if self.started:
            self.address = address_of_socket(self.servers[0].sockets[0])
            logs.started(self._settings, self.address)
            self._ready(self.address)

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:  # every second
            self.config.gate.close_expired()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        start = time.monotonic()
        hub: Hub | None = getattr(self.app.state, "hub", None)
        why = signal.Signals(self._captured_signals[0]).name if self._captured_signals else "asked"
        log.info("shutting down", extra={"why": why, "connections": len(hub.connections) if hub else 0})
        if hub is not None:
            if hub.bus.shared:  # clients connect to another server from now on
                for listener in self.servers:
                    listener.close()
            await hub.drain()  # before uvicorn closes the connections
        await super().shutdown(sockets)
        log.info("stopped", extra={"seconds": round(time.monotonic() - start, 2)})
