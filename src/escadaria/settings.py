"""The settings of the server.

Each field is an option of ``escadaria serve`` and an environment variable: ``port`` is ``--port`` and
``ESCADARIA_PORT``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


def setting(default: Any, help: str, also: tuple[str, ...] = ()) -> Any:
    """A field with its help text and additional environment variables."""
    return field(default=default, metadata={"help": help, "also": also})


@dataclass(frozen=True, slots=True)
class Settings:
    """The server's settings."""

    host: str = setting("127.0.0.1", "The address to listen on; 0.0.0.0 for the whole network.")
    port: int = setting(8000, "The port to listen on; 0 takes a free one.")
    database: str = setting(
        "", "A file for SQLite, or a postgresql:// URL. Default: in your data folder.", ("DATABASE_URL",)
    )
    redis: str = setting(
        "", "A redis:// URL: workers of one PostgreSQL database use it as their bus.", ("REDIS_URL",)
    )
    workers: int = setting(1, "How many server processes share the port; more than one needs PostgreSQL.")
    worker_port: int = setting(
        0,
        "With several workers, the first also listens on this port of 127.0.0.1, the second on the next.",
    )
    log_format: Literal["text", "json"] = setting("text", "The format of log lines.")
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "info", "The lowest level that is logged."
    )
    hosts: str = setting(
        "",
        "Host names that the server answers to besides this machine's own and addresses of local networks, "
        "separated by commas; *.example.org for all below a name, * for any.",
    )
    origins: str = setting("", "Web origins that may connect besides this server's own, separated by commas.")
    proxies: str = setting("", "Addresses of proxies whose X-Forwarded-For is trusted, separated by commas.")

    frame_bytes: int = setting(16_384, "The longest frame or request body, in bytes.")
    frames_per_second: float = setting(20, "How many frames a connection may send, on average.")
    frames_burst: int = setting(60, "How many frames a connection may send at once.")
    requests_per_second: float = setting(20, "How many HTTP requests an address may make, on average.")
    requests_burst: int = setting(400, "How many HTTP requests an address may make at once.")
    connections_per_second: float = setting(10, "How many connections an address may open, on average.")
    connections_burst: int = setting(300, "How many connections an address may open at once.")
    address_frames_per_second: float = setting(150, "How many frames an address may send, on average.")
    address_frames_burst: int = setting(2000, "How many frames an address may send at once.")
    writes_per_second: float = setting(50, "How many events an address may have stored, on average.")
    writes_burst: int = setting(1000, "How many events an address may have stored at once.")
    hints_per_second: float = setting(2, "How many hints an address may request, on average.")
    hints_burst: int = setting(60, "How many hints an address may request at once.")
    tables_per_second: float = setting(0.2, "How many tables an address may open, on average.")
    tables_burst: int = setting(60, "How many tables an address may open at once.")
    bytes_per_second: float = setting(262_144, "How many bytes an address may send, on average.")
    bytes_burst: int = setting(16_777_216, "How many bytes an address may send at once.")
    work_per_second: float = setting(
        0.5, "Seconds of computing (replays, analyses, rolls, positions) for an address, on average."
    )
    work_burst: float = setting(120, "Seconds of computing for an address at once.")
    probes_per_second: float = setting(
        5, "How many requests for health, readiness and metrics an address may make, on average."
    )
    probes_burst: int = setting(
        60, "How many requests for health, readiness and metrics an address may make at once."
    )
    tables_per_address: int = setting(50, "How many open tables one address may have opened.")
    connections_per_table: int = setting(50, "How many guests a table accepts, and how many watchers.")
    connections_per_member: int = setting(5, "How many connections each member of a table may have.")
    guests_per_address: int = setting(10, "How many guests a table accepts from one address.")
    connections_per_address: int = setting(256, "How many connections an address may have.")
    connections: int = setting(10_000, "How many connections the server accepts.")
    head_bytes: int = setting(16_384, "The longest head of an HTTP request, in bytes.")
    head_seconds: float = setting(10, "How long a new connection may take to send the head of a request.")
    body_seconds: float = setting(20, "How long a client may take to send the body of a request.")
    send_seconds: float = setting(60, "How long a client may take to receive a response.")
    keep_alive_seconds: int = setting(5, "How long a connection may be idle between two HTTP requests.")
    write_buffer: int = setting(
        262_144, "How many bytes may wait in the write buffer before a connection is closed."
    )
    hello_seconds: float = setting(10, "How long a new connection may take to send hello.")
    ping_seconds: float = setting(15, "The seconds between WebSocket pings to a silent connection.")
    events_per_match: int = setting(20_000, "How many events a match may have.")
    history: int = setting(30, "How many past events a table keeps for reconnecting clients.")
    idle_seconds: float = setting(
        600, "After how many seconds without connections a table is evicted from memory."
    )
    archive_days: float = setting(30, "After how many days an abandoned table is archived.")
    bot_workers: int = setting(1, "How many worker processes compute for the bots.")
    bot_queue: int = setting(1000, "How many bots may wait for a worker process.")
    analysis_queue: int = setting(20, "How many matches may wait to be analysed.")
    shutdown_seconds: float = setting(10, "How long a shutdown may take.")
