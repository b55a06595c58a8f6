"""What the server counts, for Prometheus."""

from __future__ import annotations

from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()

CONNECTIONS = Gauge("escadaria_connections", "Open connections", registry=REGISTRY)
TABLES = Gauge("escadaria_tables", "Tables in memory", registry=REGISTRY)
EVENTS = Counter("escadaria_events_total", "Events stored and told", ["kind"], registry=REGISTRY)
REFUSALS = Counter("escadaria_refusals_total", "Requests refused", ["code"], registry=REGISTRY)
DROPPED = Counter("escadaria_dropped_total", "Connections closed by the server", ["code"], registry=REGISTRY)
BOTS_WAITING = Gauge("escadaria_bots_waiting", "Bots that wait to think", registry=REGISTRY)
STORE_SECONDS = Histogram(
    "escadaria_store_seconds",
    "From an event to its being on disk",
    buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
    registry=REGISTRY,
)


@cache
def events(kind: str) -> Counter:
    """The counter of one kind of event: looking it up takes longer than counting."""
    return EVENTS.labels(kind)
