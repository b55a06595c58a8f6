"""Prometheus metrics.

Labels have a bounded set of values: route templates, HTTP statuses, refusal codes, names of queues. A client
cannot choose a label.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import subprocess
import time
from collections.abc import Iterator
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from escadaria.bus import Bus
from escadaria.match.services import Meters
from escadaria.match.state import MatchEvent
from escadaria.store import Meters as StoreMeters
from escadaria.store import Store

log = logging.getLogger(__name__)

disable_created_metrics()  # type: ignore[no-untyped-call]  # creation times double the page

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)  # memory, processor time, file descriptors and their limit (Linux)

_FINE = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
_COARSE = (0.005, 0.02, 0.1, 0.5, 2, 10)

counter = partial(Counter, registry=REGISTRY)
gauge = partial(Gauge, registry=REGISTRY)
histogram = partial(Histogram, registry=REGISTRY)

# Matches.

CONNECTIONS = gauge("escadaria_connections", "Open connections")
TABLES = gauge("escadaria_tables", "Tables in memory")
EVENTS = counter("escadaria_events_total", "Events stored and broadcast", ["kind"])
REFUSALS = counter("escadaria_refusals_total", "Requests refused", ["code"])
DROPPED = counter("escadaria_dropped_total", "Connections closed by the server", ["code"])
MOVE_SECONDS = histogram(
    "escadaria_move_seconds", "From receiving a move to storing and broadcasting it", buckets=_FINE
)

# HTTP.

HTTP = counter("escadaria_http_requests_total", "HTTP requests", ["route", "status"])
HTTP_SECONDS = histogram("escadaria_http_seconds", "HTTP requests", ["route"], buckets=_COARSE)
LIMIT_HITS = counter("escadaria_limit_hits_total", "Requests and connections over a limit", ["limit"])

# The store.

STORE_SECONDS = histogram(
    "escadaria_store_seconds",
    "Time to store an event durably",
    buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
)
COMMIT_SECONDS = histogram("escadaria_commit_seconds", "Duration of a commit", buckets=_FINE)
COMMIT_EVENTS = histogram(
    "escadaria_commit_events", "Events per commit", buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
)

# Worker processes.

BOTS_WAITING = gauge("escadaria_bots_waiting", "Bot decisions waiting for a worker process")
QUEUE = gauge("escadaria_queue_length", "Jobs waiting for a worker process", ["queue"])
QUEUE_REFUSALS = counter(
    "escadaria_queue_refusals_total", "Jobs refused because the queue is full", ["queue"]
)
WAIT_SECONDS = histogram(
    "escadaria_queue_wait_seconds", "Time that a job waits for a worker process", ["queue"], buckets=_COARSE
)
WORK_SECONDS = histogram(
    "escadaria_work_seconds", "Time that a worker process takes for a job", ["queue"], buckets=_COARSE
)
WORKER_DEATHS = counter("escadaria_worker_deaths_total", "Worker processes that died", ["queue"])

# The process.

LOOP_LAG = histogram("escadaria_loop_lag_seconds", "How late the event loop runs a timer", buckets=_FINE)
BUS_UP = gauge("escadaria_bus_up", "1 while the bus between servers is connected")
FOLLOWED = counter(
    "escadaria_followed_total",
    "Times that events of other servers were applied, from a message of the bus or read from the store",
    ["source"],
)
SWEPT = counter("escadaria_swept_total", "Matches evicted or archived, and expired values", ["what"])
LAST_SWEEP = gauge(
    "escadaria_last_sweep_timestamp_seconds", "When the last sweep ended, in seconds since 1970"
)
BUILD = gauge(
    "escadaria_build_info",
    "1, labelled with the build and the name of this worker",
    ["version", "commit", "python", "worker"],
)
_STARTED = time.monotonic()
gauge("escadaria_uptime_seconds", "Time since the process started").set_function(
    lambda: time.monotonic() - _STARTED
)


class RoomMeters(Meters):
    """Exports the measurements of rooms."""

    def stored(self, events: list[MatchEvent], seconds: float) -> None:
        STORE_SECONDS.observe(seconds)
        for event in events:
            EVENTS.labels(type(event.event).__name__).inc()

    def followed(self, source: str) -> None:
        FOLLOWED.labels(source).inc()


def swept(**counts: int) -> None:
    """Count and log the results of a sweep."""
    for what, count in counts.items():
        SWEPT.labels(what).inc(count)
    LAST_SWEEP.set_to_current_time()
    log.debug("swept", extra=counts)


class _StoreCollector(Collector):
    """Exports the counters of the store."""

    store: Store | None = None

    def collect(self) -> Iterator[Metric]:
        meters = self.store.meters if self.store is not None else StoreMeters()
        up, waiting = meters.lost is None, self.store.waiting if self.store is not None else 0
        yield GaugeMetricFamily("escadaria_store_up", "1 while the store answers, 0 while it does not", up)
        yield GaugeMetricFamily("escadaria_store_waiting", "Calls waiting for the database", waiting)
        errors = CounterMetricFamily("escadaria_store_errors", "Failed calls of the store", labels=["reason"])
        errors.add_metric(["unavailable"], meters.errors)
        errors.add_metric(["conflict"], meters.conflicts)
        yield errors


_STORE = _StoreCollector()
REGISTRY.register(_STORE)


def measure_store(store: Store) -> None:
    """Export the metrics of this store."""
    _STORE.store = store
    store.meters.committed = _committed


def measure_bus(bus: Bus) -> None:
    """Export whether this bus is connected, and the name of its server."""
    BUILD.clear()
    BUILD.labels(version("escadaria"), commit(), platform.python_version(), bus.server).set(1)
    BUS_UP.set_function(lambda: bus.connected)


def _committed(events: int, seconds: float) -> None:
    COMMIT_SECONDS.observe(seconds)
    if events:  # a ping has none
        COMMIT_EVENTS.observe(events)


def page() -> bytes:
    """All metrics in Prometheus's text format."""
    return generate_latest(REGISTRY)


@cache
def commit() -> str:
    """The git commit of the running code: ``ESCADARIA_COMMIT``, or that of a clone, else ``unknown``."""
    if known := os.environ.get("ESCADARIA_COMMIT"):
        return known
    clone = Path(__file__).parents[3]
    if not (clone / ".git").exists():
        return "unknown"
    command = ["git", "-C", str(clone), "rev-parse", "--short", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return found.stdout.strip() or "unknown"


def with_metrics(app: ASGIApp) -> ASGIApp:
    """Wrap an ASGI application to count and time its HTTP requests by route template.

    Litestar sets the template in the scope. A request without a route counts as ``none``.
    """

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        status, start = 0, time.perf_counter()

        async def send_wrapper(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await app(scope, receive, send_wrapper)
        finally:
            route = scope.get("path_template") or "none"
            HTTP.labels(route, status).inc()
            HTTP_SECONDS.labels(route).observe(time.perf_counter() - start)

    return wrapped


async def measure_lag(period: float = 0.25) -> None:
    """Measure the lag of the event loop, again and again."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + period
        await asyncio.sleep(period)
        LOOP_LAG.observe(max(0.0, loop.time() - due))
