"""Routes outside /api: the pages and files of the web client, health, readiness and metrics."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import prometheus_client
from litestar import MediaType, Request, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from escadaria.catalogue import GAMES
from escadaria.i18n import load, negotiate, texts_json
from escadaria.refusals import Refused
from escadaria.server import metrics
from escadaria.server.edge.access import check_probe, is_known_host
from escadaria.server.http.errors import refusals
from escadaria.server.http.head import Page, Screen, head, page_of, preloads
from escadaria.server.matches.hub import Hub

STATIC = Path(__file__).parents[2] / "static"
"""The built web client. Files in ``assets`` exist only as ``NAME.gz`` if that is smaller."""

OWN = (Path(__file__).with_name("robots.txt"), Path(__file__).with_name("favicon.ico"))
"""Files that are there without the client; the icon is ``icon.svg`` for browsers without SVG support."""

_LOOKUP_SECONDS = 1.0
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
async def readyz(hub: NamedDependency[Hub]) -> str:
    """Whether matches can be played: the store responds, and the server is not shutting down."""
    if hub.closing:
        raise Refused("closing", "the server is shutting down")
    await hub.store.ping()
    return "ok"


@get("/metrics", media_type=MediaType.TEXT, before_request=check_probe)
async def metrics_page(hub: NamedDependency[Hub]) -> Response[bytes]:
    """Metrics for Prometheus."""
    metrics.TABLES.set(len(hub.rooms))
    metrics.BOTS_WAITING.set(hub.compute.bots.waiting)
    # As a header: a media type would get a second charset.
    return Response(metrics.page(), headers={"Content-Type": prometheus_client.CONTENT_TYPE_LATEST})


@get(["/", "/{path:path}"], include_in_schema=False, opt={"compressed": True})
async def client(
    request: Request[Any, Any, Any], hub: NamedDependency[Hub], path: FromPath[str] = "/"
) -> Response[bytes]:
    """The files of the web client. Other paths get its page, with their head: the client routes them."""
    built = _built()
    files = _read_files(STATIC, built)
    file = files.get(path)
    if file is None and f"{path}/".startswith(("/api/", "/assets/")):
        raise NotFoundException("not found")
    if file is None or path == "/index.html":
        if "/index.html" not in files:
            raise NotFoundException("the web client is not built: run python3 run.py")
        page, match = page_of(path if file is None else "/")
        page = replace(page, game=page.game or await _game_of(match, hub))
        language = negotiate(request.headers.get("accept-language", ""))
        file = _page(built, page, language, _origin(request, hub))
    return file.response(request.headers.get("accept-encoding", ""), request.headers.get("if-none-match"))


async def _game_of(match: str, hub: Hub) -> str:
    """The game of a match; empty if it is unknown or the store does not respond in time."""
    if match:
        with contextlib.suppress(Refused, TimeoutError):
            async with asyncio.timeout(_LOOKUP_SECONDS):
                name = (await hub.room(match)).match.game.name
                return name if name in GAMES else ""
    return ""


def _origin(request: Request[Any, Any, Any], hub: Hub) -> str:
    """The start of absolute addresses, from a Host header that names this server; else empty."""
    host = request.headers.get("host", "")
    known = is_known_host(host.encode("latin-1"), hub.settings.hosts, hub.settings.host)
    return f"{request.scope['scheme']}://{host.lower()}" if known else ""


@functools.lru_cache(256)
def _page(built: int, page: Page, language: str, origin: str) -> _File:
    """The page for a screen and a game: the same for all matches, so it is compressed once."""
    files = _read_files(STATIC, built)
    screens = _read_screens(STATIC, built)
    screen = screens.get(page.screen, screens["home"])
    # A block of data, which browsers do not execute. In JSON < can only be part of a string.
    data = msgspec.json.encode(texts_json(language, *screen.texts)).decode().replace("<", "\\u003c")
    text = files["/index.html"].body.decode("utf-8")
    text = text.replace('<html lang="en">', f'<html lang="{language}">')
    elements = head(page, screens, load(language), origin, files)
    text = _fill(text, "<!--page-->.*<!--/page-->", "\n    ".join(elements))
    text = _fill(text, "(?=</head>)", "".join(f"{link}\n  " for link in preloads(page, screen)))
    parts = " ".join(screen.texts)
    block = f'<script type="application/json" id="texts" lang="{language}" data-parts="{parts}">'
    text = _fill(text, "(?=</body>)", f"{block}{data}</script>\n  ")
    return replace(_file("/index.html", text.encode("utf-8")), vary="Accept-Encoding, Accept-Language")


def _fill(text: str, place: str, content: str) -> str:
    return re.sub(place, lambda _: content, text, count=1, flags=re.DOTALL)


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the web client, in memory."""

    body: bytes
    compressed: bytes | None
    """The body as gzip, if that is smaller."""
    etag: str
    media_type: str
    caching: str
    vary: str = "Accept-Encoding"

    def response(self, accepted: str, known: str | None) -> Response[bytes]:
        """The response with the file, or 304 if the browser has it."""
        compressed = self.compressed if accepts_gzip(accepted) else None
        etag = f'"{self.etag}"' if compressed is None else f'"{self.etag}-gz"'
        headers = {"Cache-Control": self.caching, "ETag": etag, "Vary": self.vary}
        if known is not None and etag in known:
            return Response(b"", status_code=304, headers=headers)
        if compressed is not None:
            headers["Content-Encoding"] = "gzip"
        return Response(compressed or self.body, media_type=self.media_type, headers=headers)


def accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip (with a weight above zero)."""
    for part in accepted.lower().split(","):
        name, _, weight = part.replace(" ", "").partition(";q=")
        if name == "gzip":
            return weight.strip("0.") != "" or not weight
    return False


def _built() -> int:
    """When the client was built; 0 if it is not built."""
    try:
        return (STATIC / ".pages.json").stat().st_mtime_ns
    except OSError:
        return 0


@functools.lru_cache(1)
def _read_files(folder: Path, built: int) -> dict[str, _File]:
    """All files by path. They are read again when the client was rebuilt."""
    found = {f"/{path.name}": _file(path.name, path.read_bytes()) for path in OWN}
    for path in folder.rglob("*") if built else ():
        inside = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in inside.parts):
            address = "/" + inside.as_posix()
            if path.suffix == ".gz":
                address, compressed = address.removesuffix(".gz"), path.read_bytes()
                found[address] = _file(address, gzip.decompress(compressed), compressed)
            elif address not in found:
                found[address] = _file(address, path.read_bytes())
    return found


@functools.lru_cache(1)
def _read_screens(folder: Path, built: int) -> dict[str, Screen]:
    return msgspec.json.decode((folder / ".pages.json").read_bytes(), type=dict[str, Screen])


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
