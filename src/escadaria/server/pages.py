"""What is not under /api: the web client's files, health, readiness and metrics."""

from __future__ import annotations

from pathlib import Path

import prometheus_client
from litestar import MediaType, Response, get
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import File

from escadaria.server import metrics
from escadaria.server.errors import refusals
from escadaria.server.hub import Hub
from escadaria.server.messages import Refused
from escadaria.store import StoreUnavailable

STATIC = Path(__file__).parents[1] / "static"
"""The built web client."""


@get("/healthz", media_type=MediaType.TEXT)
async def healthz() -> str:
    """Whether the process is alive."""
    return "ok"


@get("/readyz", media_type=MediaType.TEXT, responses=refusals("closing", "store_unavailable"))
async def readyz(state: State) -> str:
    """Whether matches can be played: the store answers, and no shutdown is under way."""
    hub: Hub = state.hub
    if hub.closing:
        raise Refused("closing", "the server is shutting down")
    try:
        await hub.store.ping()
    except StoreUnavailable:
        raise Refused("store_unavailable", "the store does not answer") from None
    return "ok"


@get("/metrics", media_type=MediaType.TEXT)
async def metrics_page(state: State) -> Response[bytes]:
    """What Prometheus reads."""
    hub: Hub = state.hub
    metrics.TABLES.set(len(hub.rooms))
    metrics.BOTS_WAITING.set(hub.workers.bots.waiting)
    return Response(metrics.page(), media_type=prometheus_client.CONTENT_TYPE_LATEST)


@get(["/", "/{path:path}"], include_in_schema=False)
async def client(path: FromPath[str] = "/") -> File:
    """The browser's files; every other address is one of the client's own pages."""
    if path.startswith("/api/"):
        raise NotFoundException("there is no such address")
    wanted = STATIC.joinpath(*(part for part in path.split("/") if part))
    if not _is_static(wanted):
        wanted = STATIC / "index.html"
    if not wanted.is_file():
        raise NotFoundException("the web client is not built: python3 run.py builds it")
    # Built files carry a hash in their name and never change; the page that names them does.
    age = "public, max-age=31536000, immutable" if wanted.parent.name == "assets" else "no-cache"
    return File(
        path=wanted, filename=wanted.name, content_disposition_type="inline", headers={"Cache-Control": age}
    )


def _is_static(wanted: Path) -> bool:
    try:
        return wanted.resolve().is_relative_to(STATIC.resolve()) and wanted.is_file()
    except (OSError, ValueError):  # no file can have that name
        return False
