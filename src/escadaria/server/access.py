"""Who may talk to the server: addresses, hosts and origins."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import re
import socket
from typing import Any

from litestar import Request, WebSocket

from escadaria.refusals import Refused
from escadaria.server.hub import Hub
from escadaria.server.settings import Settings

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")


def address_of(connection: WebSocket[Any, Any, Any] | Request[Any, Any, Any]) -> str:
    """The client's address, by which limits are counted."""
    return connection.client.host if connection.client else "unknown"


@functools.lru_cache(1024)
def is_proxy(address: str, proxies: str) -> bool:
    """Whether the address is one of the proxies of the setting, whose clients have addresses of their own."""
    for proxy in filter(None, map(str.strip, proxies.split(","))):
        with contextlib.suppress(ValueError):
            if proxy == "*" or ipaddress.ip_address(address) in ipaddress.ip_network(proxy, strict=False):
                return True
    return False


@functools.lru_cache(1024)
def is_known_host(host: bytes, hosts: str, listening: str) -> bool:
    """Whether a request with this Host header is meant for this server.

    A page of another site can make its own name point here (DNS rebinding) and would then be of the same
    origin. So names must be known: those of this machine, and what the setting ``hosts`` adds. Numeric
    addresses are those of this machine and of local networks, and the one that the server listens on.
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
    """Whether a page of this origin may talk to the server. Clients that are no browsers send none."""
    allowed = [allowed.strip() for allowed in settings.origins.split(",")]
    return origin is None or origin in (f"http://{host}", f"https://{host}", *filter(None, allowed))


async def check_page(request: Request[Any, Any, Any]) -> None:
    """Refuse a request for a page or a file that is one too many."""
    hub: Hub = request.app.state.hub
    hub.limits.take(address_of(request), "requests")


async def check_probe(request: Request[Any, Any, Any]) -> None:
    """Refuse a question about health that is one too many.

    They have a budget of their own: players behind the same address, or a proxy, cannot use it up.
    """
    hub: Hub = request.app.state.hub
    hub.limits.take(address_of(request), "probes")


async def check_request(request: Request[Any, Any, Any]) -> None:
    """Refuse a request for the API that is one too many, or made by a page of another site."""
    hub: Hub = request.app.state.hub
    hub.limits.take(address_of(request), "requests")
    if not same_origin(request.headers.get("origin"), request.headers.get("host"), hub.settings):
        raise Refused("forbidden", "pages of other sites may not do that")
