"""What is not under /api: the web client's files, health, readiness and metrics."""

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
"""The built web client. Of files in ``assets`` only ``NAME.gz`` is there, where that is smaller."""

ICON = Path(__file__).with_name("favicon.ico")
"""The drawing of ``icon.svg``, for what cannot show that."""

_ROBOTS = b"User-agent: *\nDisallow: /api/\nDisallow: /t/\n"
_FOR_EVER = "public, max-age=31536000, immutable"


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
    """Whether matches can be played: the store answers, and no shutdown is under way."""
    hub: Hub = state.hub
    if hub.closing:
        raise Refused("closing", "the server is shutting down")
    try:
        await hub.store.ping()
    except StoreUnavailable:
        raise Refused("store_unavailable", "the store does not answer") from None
    return "ok"


@get("/metrics", media_type=MediaType.TEXT, before_request=check_probe)
async def metrics_page(state: State) -> Response[bytes]:
    """What Prometheus reads."""
    hub: Hub = state.hub
    metrics.TABLES.set(len(hub.rooms))
    metrics.BOTS_WAITING.set(hub.workers.bots.waiting)
    return Response(metrics.page(), media_type=prometheus_client.CONTENT_TYPE_LATEST)


@get(["/", "/{path:path}"], include_in_schema=False, opt={"compressed": True})
async def client(request: Request[Any, Any, Any], path: FromPath[str] = "/") -> Response[bytes]:
    """The browser's files; every other address is one of the client's own pages."""
    if f"{path}/".startswith(("/api/", "/assets/")) and path not in _files():
        raise NotFoundException("there is no such address")
    file = _files().get(path) or _files().get("/index.html")
    if file is None:
        raise NotFoundException("the web client is not built: python3 run.py builds it")
    return file.answer(request.headers.get("accept-encoding", ""), request.headers.get("if-none-match"))


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the client, in memory."""

    body: bytes
    compressed: bytes | None
    """The same as gzip, where that is smaller."""
    etag: str
    media_type: str
    caching: str

    def answer(self, accepted: str, known: str | None) -> Response[bytes]:
        """The file as the browser wants it, or that what it has is still good."""
        is_small = self.compressed is not None and _takes_gzip(accepted)
        etag = f'"{self.etag}-gz"' if is_small else f'"{self.etag}"'
        headers = {"Cache-Control": self.caching, "ETag": etag, "Vary": "Accept-Encoding"}
        if known is not None and etag in known:
            return Response(b"", status_code=304, headers=headers)
        if is_small:
            headers["Content-Encoding"] = "gzip"
        body = self.compressed if is_small and self.compressed is not None else self.body
        return Response(body, media_type=self.media_type, headers=headers)


def _takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header names gzip, with a weight that is not zero."""
    for part in accepted.lower().split(","):
        name, _, weight = part.replace(" ", "").partition(";q=")
        if name == "gzip":
            return weight.strip("0.") != "" or not weight
    return False


def _files() -> dict[str, _File]:
    """All files by their address. They are read once, and again when the client is built anew."""
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
    # Built files carry a hash in their name and never change; the page that names them does.
    return _File(
        body,
        compressed,
        hashlib.blake2b(body, digest_size=9).hexdigest(),
        kind,
        _FOR_EVER if address.startswith("/assets/") else "no-cache",
    )
