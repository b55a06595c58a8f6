"""Who may talk to the server: addresses, hosts and origins."""

from __future__ import annotations

from typing import Any

from litestar import Request, WebSocket

from escadaria.server.hub import Hub
from escadaria.server.messages import Refused
from escadaria.server.settings import Settings


def address_of(connection: WebSocket[Any, Any, Any] | Request[Any, Any, Any]) -> str:
    """The client's address, by which limits are counted."""
    return connection.client.host if connection.client else "unknown"


def same_origin(origin: str | None, host: str | None, settings: Settings) -> bool:
    """Whether a page of this origin may talk to the server. Clients that are no browsers send none."""
    allowed = [allowed.strip() for allowed in settings.origins.split(",")]
    return origin is None or origin in (f"http://{host}", f"https://{host}", *filter(None, allowed))


async def check_request(request: Request[Any, Any, Any]) -> None:
    hub: Hub = request.app.state.hub
    hub.limits.take(address_of(request), "requests")
    if not same_origin(request.headers.get("origin"), request.headers.get("host"), hub.settings):
        raise Refused("forbidden", "pages of other sites may not do that")
