"""Routes outside /api: the files of the web client, health, readiness and metrics."""

from __future__ import annotations

import functools
import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import prometheus_client
from litestar import MediaType, Request, Response, get
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from escadaria.refusals import Refused
from escadaria.server import metrics
from escadaria.server.access import check_probe
from escadaria.server.errors import refusals
from escadaria.server.hub import Hub
from escadaria.store import StoreUnavailable

STATIC = Path(__file__).parents[1] / "static"
"""The built web client. Files in ``assets`` exist only as ``NAME.gz`` if that is smaller."""

ICON = Path(__file__).with_name("favicon.ico")
"""``icon.svg`` for clients without SVG support."""

_ROBOTS = b"User-agent: *\nDisallow: /api/\nDisallow: /t/\n"
_IMMUTABLE = "public, max-age=31536000, immutable"


@get("/healthz", media_type=MediaType.TEXT, before_request=check_probe)
async def healthz() -> str:
    """Whether the process is alive."""
    return "ok"


@get(
    "/readyz",
    media_type=MediaType.TEXT,
    before_request=check_probe,
    responses=refusals("closing", "store_unavailable"),
)
async def readyz(state: State) -> str:
    """Whether matches can be played: the store responds, and the server is not shutting down."""
    hub: Hub = state.hub
    if hub.closing:
        raise Refused("closing", "the server is shutting down")
    try:
        await hub.store.ping()
    except StoreUnavailable:
        raise Refused("store_unavailable", "the store does not respond") from None
    return "ok"


@get("/metrics", media_type=MediaType.TEXT, before_request=check_probe)
async def metrics_page(state: State) -> Response[bytes]:
    """Metrics for Prometheus."""
    hub: Hub = state.hub
    metrics.TABLES.set(len(hub.rooms))
    metrics.BOTS_WAITING.set(hub.workers.bots.waiting)
    # As a header: a media type would get a second charset.
    return Response(metrics.page(), headers={"Content-Type": prometheus_client.CONTENT_TYPE_LATEST})


@get(["/", "/{path:path}"], include_in_schema=False, opt={"compressed": True})
async def client(request: Request[Any, Any, Any], path: FromPath[str] = "/") -> Response[bytes]:
    """The files of the web client. Other paths get ``index.html``: the client routes them."""
    if f"{path}/".startswith(("/api/", "/assets/")) and path not in _files():
        raise NotFoundException("not found")
    file = _files().get(path) or _files().get("/index.html")
    if file is None:
        raise NotFoundException("the web client is not built: run python3 run.py")
    return file.response(request.headers.get("accept-encoding", ""), request.headers.get("if-none-match"))


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the web client, in memory."""

    body: bytes
    compressed: bytes | None
    """The body as gzip, if that is smaller."""
    etag: str
    media_type: str
    caching: str

    def response(self, accepted: str, known: str | None) -> Response[bytes]:
        """The response with the file, or 304 if the browser has it."""
        use_gzip = self.compressed is not None and _accepts_gzip(accepted)
        etag = f'"{self.etag}-gz"' if use_gzip else f'"{self.etag}"'
        headers = {"Cache-Control": self.caching, "ETag": etag, "Vary": "Accept-Encoding"}
        if known is not None and etag in known:
            return Response(b"", status_code=304, headers=headers)
        if use_gzip:
            headers["Content-Encoding"] = "gzip"
        body = self.compressed if use_gzip and self.compressed is not None else self.body
        return Response(body, media_type=self.media_type, headers=headers)


def _accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip (with a weight above zero)."""
    for part in accepted.lower().split(","):
        name, _, weight = part.replace(" ", "").partition(";q=")
        if name == "gzip":
            return weight.strip("0.") != "" or not weight
    return False


def _files() -> dict[str, _File]:
    """All files by path. They are read again when the client was rebuilt."""
    try:
        built = (STATIC / "index.html").stat().st_mtime_ns
    except OSError:
        built = 0
    return _read_files(STATIC, built)


@functools.lru_cache(1)
def _read_files(folder: Path, built: int) -> dict[str, _File]:
    found = {"/robots.txt": _file("/robots.txt", _ROBOTS), "/favicon.ico": _file("/x.ico", ICON.read_bytes())}
    for path in folder.rglob("*") if built else ():
        if path.is_file() and not path.name.startswith("."):
            address = "/" + path.relative_to(folder).as_posix()
            if path.suffix == ".gz":
                address, compressed = address.removesuffix(".gz"), path.read_bytes()
                found[address] = _file(address, gzip.decompress(compressed), compressed)
            elif address not in found:
                found[address] = _file(address, path.read_bytes())
    return found


def _file(address: str, body: bytes, compressed: bytes | None = None) -> _File:
    kind = mimetypes.guess_type(address)[0] or "application/octet-stream"
    if compressed is None and (smaller := gzip.compress(body, 9, mtime=0)) and len(smaller) < len(body):
        compressed = smaller
    # Files in assets have a hash in their name and never change.
    return _File(
        body,
        compressed,
        hashlib.blake2b(body, digest_size=9).hexdigest(),
        kind,
        _IMMUTABLE if address.startswith("/assets/") else "no-cache",
    )
