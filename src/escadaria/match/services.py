"""The services that all matches of a server share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from escadaria.bus import Bus
from escadaria.match.clock import Clock
from escadaria.match.leases import Leases
from escadaria.match.match import Match
from escadaria.match.tokens import Tokens
from escadaria.server.compute.requests import Compute
from escadaria.server.edge.limits import Limits
from escadaria.server.settings import Settings
from escadaria.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """The services that all matches of a server share."""

    store: Store
    bus: Bus
    peers: Leases
    workers: Compute
    limits: Limits
    settings: Settings
    clock: Clock
    tokens: Tokens
    open_next: Callable[[Match], Awaitable[str]]
    """Opens the next match at the same table, and returns its id."""
