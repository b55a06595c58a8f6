"""The routes: HTTP to open matches and read about them, a WebSocket to play."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import prometheus_client
from litestar import Litestar, MediaType, Request, Response, Router, WebSocket, get, post, websocket
from litestar.config.compression import CompressionConfig
from litestar.datastructures import ResponseHeader, State
from litestar.datastructures.headers import CacheControlHeader
from litestar.exceptions import HTTPException, NotFoundException, ValidationException
from litestar.openapi import OpenAPIConfig, ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.params import FromPath, JSONBody
from litestar.response import File

from escadaria import bots, catalogue, strategy
from escadaria.catalogue import GAMES
from escadaria.game import AnyGame, GameError
from escadaria.i18n.web import texts_json
from escadaria.record import Record, read
from escadaria.server import messages, metrics
from escadaria.server.audience import Connection
from escadaria.server.coach import AnalysisView, RollsView, Waiting, advise
from escadaria.server.coach import rolls as all_rolls
from escadaria.server.hub import Hub
from escadaria.server.limits import Bucket
from escadaria.server.messages import Refused
from escadaria.server.replays import Replay, replay
from escadaria.server.room import Room
from escadaria.server.settings import Settings
from escadaria.server.where import addresses, is_own_machine
from escadaria.store import StoreUnavailable, open_store
from escadaria.teaching.views import LessonView, RulesView, lesson_view, rules_view
from escadaria.views import previews

log = logging.getLogger(__name__)

STATIC = Path(__file__).parents[1] / "static"
"""The built web client."""

RECORD_BYTES = 300_000
"""The longest record file that is laid out for a browser."""

STATUS = {
    "unknown_match": 404, "no_judge": 404, "forbidden": 403, "running": 403, "too_fast": 429, "too_many": 429,
    "store_unavailable": 503, "busy": 503, "closing": 503,
    "not_found": 404, "bad_method": 405, "too_large": 413,
}  # fmt: skip
"""HTTP's number for a refusal; 400 for all others."""

CLOSE_CODES = {
    "restart": 1012, "malformed": 1002, "too_slow": 4008, "too_many": 4029, "too_fast": 4029, "moved": 4010,
    "watching_off": 4011, "forbidden": 4003, "unknown_match": 4004, "internal": 1011,
}  # fmt: skip
"""The WebSocket's number for an ending; 4000 for all others."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@websocket("/matches/{match:str}/socket")
async def table(socket: WebSocket[Any, Any, Any], state: State, match: FromPath[str]) -> None:
    """One client's connection to one match. Every request is answered, refusals too."""
    hub: Hub = state.hub
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host"), hub.settings):
        await socket.close(CLOSE_CODES["forbidden"])  # before it is accepted: the handshake is refused
        return
    await socket.accept()
    if busy := _too_busy(hub, socket):
        await socket.send_text(messages.encode(messages.Bye(code=busy)))
        await socket.close(CLOSE_CODES[busy], busy)
        return
    connection = Connection(hub.settings.backlog)
    pump = asyncio.create_task(connection.pump(socket.send_text))
    connection.stop = pump.cancel
    hub.connections.add(connection)
    metrics.CONNECTIONS.set(len(hub.connections))
    reader = asyncio.create_task(_listen(hub, socket, match, connection))
    try:
        await asyncio.wait({pump, reader}, return_when=asyncio.FIRST_COMPLETED)
        if connection.ending:
            await asyncio.wait({pump})  # soon done, whether the client takes what it sends or not
    finally:
        pump.cancel()
        reader.cancel()
        await asyncio.gather(pump, reader, return_exceptions=True)  # of a client that has gone
        if connection.ending:
            with contextlib.suppress(Exception):  # it may have gone as well, whatever that raises here
                await socket.close(CLOSE_CODES.get(connection.ending, 4000), connection.ending)
        hub.connections.discard(connection)
        metrics.CONNECTIONS.set(len(hub.connections))


async def _listen(hub: Hub, socket: WebSocket[Any, Any, Any], match: str, connection: Connection) -> None:
    """Take frames until the client goes."""
    room = None
    try:
        room = await _admitted(hub, socket, match, connection)
        if room is not None:
            await _serve(hub, socket, room, connection)
    except Exception:
        log.exception("a connection failed", extra={"match": match})
        connection.end("internal")
    finally:
        if room is not None:
            room.leave(connection)


async def _admitted(
    hub: Hub, socket: WebSocket[Any, Any, Any], match: str, connection: Connection
) -> Room | None:
    """The room, once the client has said hello; None, with the connection ended, if it may not enter."""
    frame: str | bytes | None = None
    version = 0
    try:
        async with asyncio.timeout(hub.settings.hello_seconds):
            frame = await _frame(socket)
        if frame is None:
            return None
        hello = messages.parse_hello(frame)
        room = await hub.room(match)
        version = room.match.version
        if hello.recover is not None:
            await room.recover(connection, hello)
        else:
            await room.refresh()
            room.admit(connection, hello)
        return room
    except TimeoutError:
        connection.end("late")
    except GameError as error:
        connection.push(_refusal(frame, error, version))
        connection.end(error.code)
    return None


async def _serve(hub: Hub, socket: WebSocket[Any, Any, Any], room: Room, connection: Connection) -> None:
    bucket = Bucket(hub.settings.frames_per_second, hub.settings.frames_burst)
    warnings = Bucket(1, 100)
    while (frame := await _frame(socket)) is not None:
        try:
            if not bucket.take():
                if not warnings.take():
                    connection.end("too_fast")
                    return
                raise Refused("too_fast", "too many frames, wait a moment")
            await room.submit(connection, messages.parse(frame))
        except GameError as error:
            metrics.REFUSALS.labels(error.code).inc()
            connection.push(_refusal(frame, error, room.match.version))


async def _frame(socket: WebSocket[Any, Any, Any]) -> str | bytes | None:
    """The next frame, or None when the client has gone. Binary ones are taken as text that may be bad."""
    message: Any = await socket.receive()
    if message["type"] == "websocket.disconnect":
        return None
    text = message.get("text")
    return text if text is not None else message.get("bytes") or b""


def _refusal(frame: str | bytes | None, error: GameError, version: int) -> str:
    id = messages.request_id(frame) if frame is not None else None
    return messages.encode(messages.Refusal(id=id, code=error.code, message=str(error), version=version))


def _too_busy(hub: Hub, socket: WebSocket[Any, Any, Any]) -> str:
    """Why no connection can be taken now, or "" if one can: all of these pass."""
    if hub.closing:
        return "restart"
    if len(hub.connections) >= hub.settings.connections:
        return "too_many"
    return "" if hub.requests.take(address_of(socket)) else "too_fast"


def address_of(connection: WebSocket[Any, Any, Any] | Request[Any, Any, Any]) -> str:
    """The client's address, by which limits are counted."""
    return connection.client.host if connection.client else "unknown"


def same_origin(origin: str | None, host: str | None, settings: Settings) -> bool:
    """Whether a page of this origin may talk to the server. Clients that are no browsers send none."""
    allowed = [allowed.strip() for allowed in settings.origins.split(",")]
    return origin is None or origin in (f"http://{host}", f"https://{host}", *filter(None, allowed))


# HTTP.


def _refusals(*codes: str) -> dict[int, ResponseSpec]:
    """What else a route may answer, for the OpenAPI document."""
    by_status: dict[int, list[str]] = {}
    for code in (*codes, "forbidden", "too_fast"):
        by_status.setdefault(STATUS.get(code, 400), []).append(code)
    return {
        status: ResponseSpec(messages.Problem, description=", ".join(codes), generate_examples=False)
        for status, codes in by_status.items()
    }


_WORKING = {202: ResponseSpec(Waiting, description="it is being worked on", generate_examples=False)}


@get("/games", responses=_refusals())
async def games() -> dict[str, Any]:
    """The games, their options, and the bots: all that a front end needs to offer a match."""
    return {
        "games": [
            {
                "name": game.name,
                "rules_version": game.rules_version,
                "options": [dataclasses.asdict(option) for option in game.OPTIONS],
            }
            for game in GAMES.values()
        ],
        "bots": list(bots.BOTS),
    }


@get("/where", responses=_refusals())
async def where(request: Request[Any, Any, Any], state: State) -> dict[str, list[str]]:
    """Where other devices can reach the server. Only who opens it on its own machine is told."""
    hub: Hub = state.hub
    server = request.scope.get("server")
    local = is_own_machine(address_of(request)) and is_own_machine(request.headers.get("host", ""))
    return {"addresses": addresses(hub.settings.host, server[1] or 0) if local and server else []}


@post("/seals", responses=_refusals("closing"))
async def seal(state: State) -> messages.Sealed:
    """Promise the dice of a match, so that those who open it can bring entropy of their own."""
    hub: Hub = state.hub
    return hub.seal()


@post(
    "/matches", responses=_refusals("bad_options", "not_sealed", "too_large", "too_many", "store_unavailable")
)
async def open_match(
    request: Request[Any, Any, Any], state: State, data: JSONBody[messages.Open]
) -> messages.Opened:
    """Open a match."""
    hub: Hub = state.hub
    return await hub.open(data, address_of(request))


@get("/matches/{match:str}", responses=_refusals("unknown_match", "store_unavailable"))
async def match_info(state: State, match: FromPath[str]) -> messages.Now:
    """What somebody with the link may know: who sits there, and whether it has started."""
    hub: Hub = state.hub
    return (await hub.room(match)).now(play=False)


@get(
    "/matches/{match:str}/record",
    media_type=MediaType.TEXT,
    responses=_refusals("running", "unknown_match", "store_unavailable"),
)
async def match_record(state: State, match: FromPath[str]) -> str:
    """The record of a finished match, with the secret of its dice."""
    return str(await _finished(state.hub, match))


@get(
    "/matches/{match:str}/replay",
    responses=_refusals("running", "unknown_match", "store_unavailable"),
)
async def match_replay(state: State, match: FromPath[str]) -> Replay:
    """A finished match, position by position."""
    return await asyncio.to_thread(replay, await _finished(state.hub, match))


@post("/replays", status_code=200, request_max_body_size=RECORD_BYTES, responses=_refusals("bad_record"))
async def record_replay(data: JSONBody[messages.RecordText]) -> Replay:
    """A record file, position by position."""
    return await asyncio.to_thread(lambda: replay(read(data.record)))


@get(
    "/matches/{match:str}/analysis",
    responses=_refusals("running", "no_judge", "too_large", "busy", "unknown_match", "store_unavailable")
    | _WORKING,
)
async def match_analysis(state: State, match: FromPath[str]) -> Response[AnalysisView | Waiting]:
    """What each decision of a finished match was worth, and how lucky everybody was."""
    return await _analysed(state.hub, await _finished(state.hub, match))


@post(
    "/analyses",
    status_code=200,
    request_max_body_size=RECORD_BYTES,
    responses=_refusals("bad_record", "no_judge", "too_large", "busy") | _WORKING,
)
async def record_analysis(
    state: State, data: JSONBody[messages.RecordText]
) -> Response[AnalysisView | Waiting]:
    """The same for a record file. To ask again, send it again."""
    return await _analysed(state.hub, await asyncio.to_thread(read, data.record))


async def _analysed(hub: Hub, record: Record) -> Response[AnalysisView | Waiting]:
    answer = await hub.coach.analysis(record)
    return Response(answer, status_code=202 if isinstance(answer, Waiting) else 200)


@post("/positions", status_code=200, responses=_refusals("bad_options", "invalid_text", "busy"))
async def position(state: State, data: JSONBody[messages.Position]) -> messages.PositionSeen:
    """Any position of a game, what may be done there, and what that is worth."""
    hub: Hub = state.hub
    game, seen = _position(data)
    over = game.outcome(seen) is not None
    return messages.PositionSeen(
        game=game.name,
        options=game.options,
        text=str(seen),
        position=seen,
        turn=seen.turn,
        legal=[str(action) for action in game.legal_actions(seen)],
        choices=previews(game, seen),
        over=over,
        advice=None if over else await advise(hub.pool, game, seen),
    )


@post(
    "/rolls",
    status_code=200,
    responses=_refusals("bad_options", "invalid_text", "not_rolling", "no_judge", "too_large", "busy"),
)
async def rolls(state: State, data: JSONBody[messages.Position]) -> RollsView:
    """All that the dice can show at a position that waits for them, and what to do then."""
    hub: Hub = state.hub
    game, waiting = _position(data)
    return await all_rolls(hub.coach.pool, game, waiting)


def _position(data: messages.Position) -> tuple[AnyGame, Any]:
    game = catalogue.load(data.game, **data.options)
    return game, game.initial_state() if data.position is None else game.parse_state(data.position)


async def _finished(hub: Hub, match: str) -> Record:
    room = await hub.room(match)
    if room.match.status != "over":
        raise Refused("running", "the record can be read when the match is over")
    return room.match.record(room.date)


@get(
    "/texts/{language:str}", responses=_refusals("bad_options"), cache_control=CacheControlHeader(max_age=300)
)
async def texts(language: FromPath[str]) -> dict[str, Any]:
    """The texts of a language, for the browser."""
    return texts_json(language)


@get(
    "/texts/{language:str}/later",
    responses=_refusals("bad_options"),
    cache_control=CacheControlHeader(max_age=300),
)
async def later_texts(language: FromPath[str]) -> dict[str, Any]:
    """Those that only a few pages say."""
    return texts_json(language, later=True)


@get("/rules/{game:str}", responses=_refusals("bad_options"), cache_control=CacheControlHeader(max_age=300))
async def rules(game: FromPath[str]) -> RulesView:
    """The full rules of a game, with examples."""
    return rules_view(game)


@get("/lessons/{game:str}", responses=_refusals("bad_options"), cache_control=CacheControlHeader(max_age=300))
async def lesson(game: FromPath[str]) -> LessonView:
    """A guided first game."""
    return lesson_view(game)


@get(
    "/strategy/{game:str}", responses=_refusals("bad_options"), cache_control=CacheControlHeader(max_age=300)
)
async def advice(game: FromPath[str]) -> list[strategy.Advice]:
    """How to play a game well, by number of players: rules of thumb with what they are worth, and charts."""
    return [strategy.advice(game, players) for players in strategy.players(game)]


@get("/frames.json", responses=_refusals())
async def frame_schema() -> dict[str, Any]:
    """The JSON Schema of all frames, both ways, and of what is in them."""
    return frames_schema()


def frames_schema() -> dict[str, Any]:
    """JSON Schema: ``hello`` and ``request`` go to the server, ``frame`` comes from it."""
    states = {game.name: type(game().initial_state()) for game in GAMES.values()}
    facts = [(game.name, fact) for game in GAMES.values() for fact in game.FACTS]
    kinds: dict[str, Any] = {
        "hello": messages.Hello,
        "request": messages.AnyRequest,
        "frame": messages.AnyFrame,
        **{f"{name}.position": state for name, state in states.items()},
        **{f"{name}.fact.{fact.__name__}": fact for name, fact in facts},
    }
    schemas, components = msgspec.json.schema_components(kinds.values(), ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Escadaria frames",
        "$defs": components,
        "properties": dict(zip(kinds, schemas, strict=True)),
    }


@get("/healthz", media_type=MediaType.TEXT)
async def healthz() -> str:
    """Whether the process is alive."""
    return "ok"


@get("/readyz", media_type=MediaType.TEXT, responses=_refusals("closing", "store_unavailable"))
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
    metrics.BOTS_WAITING.set(hub.pool.waiting)
    page = prometheus_client.generate_latest(metrics.REGISTRY)
    return Response(page, media_type=prometheus_client.CONTENT_TYPE_LATEST)


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


# Refusals over HTTP look like those over the socket.


def _answer(
    code: str, message: str, status: int = 0, headers: Mapping[str, str] | None = None, ruling: str = ""
) -> Response[messages.Problem]:
    problem = messages.Problem(code=code, message=message, ruling=ruling)
    return Response(
        problem, status_code=status or STATUS.get(code, 400), headers={**HEADERS, **(headers or {})}
    )


def _game_error(_: Request[Any, Any, Any], error: GameError) -> Response[messages.Problem]:
    metrics.REFUSALS.labels(error.code).inc()
    return _answer(error.code, str(error), ruling=error.ruling)


def _invalid(_: Request[Any, Any, Any], error: ValidationException) -> Response[messages.Problem]:
    reasons = "; ".join(
        str(extra.get("message", "")) for extra in error.extra or [] if isinstance(extra, dict)
    )
    return _answer("malformed", reasons or error.detail)


def _http_error(_: Request[Any, Any, Any], error: HTTPException) -> Response[messages.Problem]:
    codes = {400: "malformed", 404: "not_found", 405: "bad_method", 413: "too_large"}
    return _answer(codes.get(error.status_code, "http"), error.detail, error.status_code, error.headers)


def _bug(request: Request[Any, Any, Any], error: Exception) -> Response[messages.Problem]:
    log.error("a request failed", extra={"path": request.url.path}, exc_info=error)
    return _answer("internal", "a mistake of ours, it has been noted", 500)


async def _limit(request: Request[Any, Any, Any]) -> None:
    hub: Hub = request.app.state.hub
    if not hub.requests.take(address_of(request)):
        raise Refused("too_fast", "too many requests, wait a moment")
    if not same_origin(request.headers.get("origin"), request.headers.get("host"), hub.settings):
        raise Refused("forbidden", "pages of other sites may not do that")


def create_app(settings: Settings) -> Litestar:
    """The ASGI application."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        hub = Hub(await open_store(settings.database), settings)
        app.state.hub = hub
        await hub.start()
        try:
            yield
        finally:
            await hub.close()

    api = Router(
        "/api",
        route_handlers=[
            games,
            where,
            seal,
            open_match,
            match_info,
            match_record,
            match_replay,
            record_replay,
            match_analysis,
            record_analysis,
            position,
            rolls,
            texts,
            later_texts,
            rules,
            lesson,
            advice,
            frame_schema,
            table,
        ],
        before_request=_limit,
    )
    return Litestar(
        [api, healthz, readyz, metrics_page, client],
        lifespan=[lifespan],
        exception_handlers={
            GameError: _game_error,
            ValidationException: _invalid,
            HTTPException: _http_error,
            Exception: _bug,
        },
        compression_config=CompressionConfig(backend="gzip", gzip_compress_level=6, minimum_size=1000),
        response_headers=[ResponseHeader(name=name, value=value) for name, value in HEADERS.items()],
        request_max_body_size=settings.frame_bytes,
        openapi_config=OpenAPIConfig(
            title="Escadaria",
            version="1",
            path="/api/openapi",
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
        ),
        logging_config=None,
    )
