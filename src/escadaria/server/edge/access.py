"""Access checks: client addresses, Host headers, origins and rate limits."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import re
import socket
from typing import Any

from litestar import Request, WebSocket

from escadaria.refusals import Refused
from escadaria.server.matches.hub import Hub
from escadaria.settings import Settings

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")


def address_of(connection: WebSocket[Any, Any, Any] | Request[Any, Any, Any]) -> str:
    """The client's network address, the key of rate limits."""
    return connection.client.host if connection.client else "unknown"


@functools.lru_cache(1024)
def is_proxy(address: str, proxies: str) -> bool:
    """Whether the address is a trusted proxy, which forwards the addresses of its clients."""
    for proxy in filter(None, map(str.strip, proxies.split(","))):
        with contextlib.suppress(ValueError):
            if proxy == "*" or ipaddress.ip_address(address) in ipaddress.ip_network(proxy, strict=False):
                return True
    return False


@functools.lru_cache(1024)
def is_known_host(host: bytes, hosts: str, listening: str) -> bool:
    """Whether the Host header names this server.

    This prevents DNS rebinding: another site could resolve its own name to this server and so become
    same-origin. Allowed are the names of this machine, the setting ``hosts``, numeric addresses of this
    machine and of local networks, and the address that the server listens on.
    """
    found = _HOST.fullmatch(host.decode("latin-1").lower())
    if found is None:
        return False
    name = found[1].strip("[]").removesuffix(".")
    allowed = [allowed.strip().lower() for allowed in hosts.split(",")]
    if "*" in allowed or name in (*filter(None, allowed), listening.lower()):
        return True
    if any(pattern.startswith("*.") and name.endswith(pattern[1:]) for pattern in allowed):
        return True
    with contextlib.suppress(ValueError):
        ip = ipaddress.ip_address(name)
        return not ip.is_global
    own = socket.gethostname().lower()
    return name in ("localhost", own, f"{own.partition('.')[0]}.local") or name.endswith(".localhost")


def same_origin(origin: str | None, host: str | None, settings: Settings) -> bool:
    """Whether a page of this origin may use the server. Only browsers send an Origin header."""
    allowed = [allowed.strip() for allowed in settings.origins.split(",")]
    return origin is None or origin in (f"http://{host}", f"https://{host}", *filter(None, allowed))


async def check_page(request: Request[Any, Any, Any]) -> None:
    """Apply the rate limit to a request for a page or a file."""
    hub: Hub = request.app.state.hub
    hub.limits.take(address_of(request), "requests")


async def check_probe(request: Request[Any, Any, Any]) -> None:
    """Apply the rate limit to a health check.

    Probes have a separate budget, which players behind the same address or proxy cannot use up.
    """
    hub: Hub = request.app.state.hub
    hub.limits.take(address_of(request), "probes")


async def check_request(request: Request[Any, Any, Any]) -> None:
    """Apply the rate limit to an API request, and refuse cross-origin requests."""
    hub: Hub = request.app.state.hub
    hub.limits.take(address_of(request), "requests")
    if not same_origin(request.headers.get("origin"), request.headers.get("host"), hub.settings):
        raise Refused("forbidden", "cross-origin requests are not allowed")
