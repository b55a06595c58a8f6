"""The HTTP API: matches, records, replays, analyses, positions and texts."""

from __future__ import annotations

import asyncio
import functools
import gzip
from collections.abc import Callable
from typing import Any

import msgspec
from litestar import MediaType, Request, Response, Router, get, post
from litestar.datastructures.headers import CacheControlHeader
from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from litestar.params import FromPath, JSONBody

from escadaria import bodies, bots, strategy, wire
from escadaria.catalogue import GAMES, KITS, load
from escadaria.i18n import texts_json
from escadaria.kit import Kit
from escadaria.server.compute.answers import AnalysisView, Replay, RollsView
from escadaria.server.compute.requests import RECORD_BYTES, Source, Waiting
from escadaria.server.edge.access import address_of, check_request
from escadaria.server.edge.addresses import is_loopback, own_addresses
from escadaria.server.edge.socket import table
from escadaria.server.http.errors import refusals
from escadaria.server.http.pages import accepts_gzip
from escadaria.server.matches.hub import Hub
from escadaria.teaching.lessons import LessonView, lesson_view
from escadaria.teaching.rulebook import RulesView, rules_view

AnyRequest = Request[Any, Any, Any]
FromHub = NamedDependency[Hub]


def _body(kind: Any) -> dict[int, ResponseSpec]:
    """The response of a route whose body a worker encodes, for the OpenAPI document."""
    return {200: ResponseSpec(kind, description="done", generate_examples=False)}


_NOT_READY = {202: ResponseSpec(Waiting, description="not ready", generate_examples=False)}


@get("/games", responses=refusals())
async def games() -> bodies.Games:
    """The games with their options and bots."""
    return bodies.Games(games=[_info(kit) for kit in KITS.values()], bots=list(bots.BOTS))


def _info(kit: Kit) -> bodies.GameInfo:
    game = kit.game
    return bodies.GameInfo(
        name=game.name,
        rules_version=game.rules_version,
        options=tuple(game.OPTIONS),
        bots=list(bots.names(kit)),
    )


@get("/addresses", responses=refusals())
async def addresses(request: AnyRequest, hub: FromHub) -> dict[str, list[str]]:
    """The addresses of the server for other devices; empty unless requested from the same machine."""
    server = request.scope.get("server")
    local = is_loopback(address_of(request)) and is_loopback(request.headers.get("host", ""))
    return {"addresses": own_addresses(hub.settings.host, server[1] or 0) if local and server else []}


@post("/seals", responses=refusals("closing", "store_unavailable"))
async def seal(request: AnyRequest, hub: FromHub) -> bodies.Sealed:
    """Commit to the dice of a match before it is opened, so that its players can add entropy."""
    hub.limits.take(address_of(request), "writes")
    return await hub.seal()


@post(
    "/matches", responses=refusals("bad_options", "not_sealed", "too_large", "too_many", "store_unavailable")
)
async def open_match(request: AnyRequest, hub: FromHub, data: JSONBody[bodies.Open]) -> bodies.Opened:
    """Open a match."""
    return await hub.open(data, address_of(request))


@get("/matches/{match:str}", responses=refusals("forbidden", "unknown_match", "store_unavailable"))
async def match_info(request: AnyRequest, hub: FromHub, match: FromPath[str]) -> wire.Standing:
    """The seats and the status; for a member, who sends ``Authorization: Bearer TOKEN``, also the play."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return (await hub.current_room(match)).standing(token if scheme.lower() == "bearer" else None)


async def _source(hub: Hub, match: str) -> Source:
    """A finished match for workers. :raises Refused: ``running``, ``unknown_match``."""
    room = await hub.current_room(match)
    return Source.of_match(room.match, room.events.date)


@get(
    "/matches/{match:str}/record",
    media_type=MediaType.TEXT,
    responses=_body(str) | refusals("running", "busy", "unknown_match", "store_unavailable"),
    compressed=True,
)
async def match_record(request: AnyRequest, hub: FromHub, match: FromPath[str]) -> Response[bytes]:
    """The record of a finished match, with the secret of its dice."""
    source = await _source(hub, match)
    return await _response(request, await hub.compute.record(source, address_of(request)), MediaType.TEXT)


@get(
    "/matches/{match:str}/replay",
    responses=_body(Replay) | refusals("running", "busy", "too_large", "unknown_match", "store_unavailable"),
    compressed=True,
)
async def match_replay(request: AnyRequest, hub: FromHub, match: FromPath[str]) -> Response[bytes]:
    """A finished match, position by position."""
    source = await _source(hub, match)
    return await _response(request, await hub.compute.replay(source, address_of(request)))


@post(
    "/replays",
    status_code=200,
    request_max_body_size=RECORD_BYTES,
    responses=_body(Replay) | refusals("bad_record", "busy", "too_large"),
    compressed=True,
)
async def record_replay(
    request: AnyRequest, hub: FromHub, data: JSONBody[bodies.RecordText]
) -> Response[bytes]:
    """A record file, position by position."""
    source = Source.of_text(data.record)
    return await _response(request, await hub.compute.replay(source, address_of(request)))


@get(
    "/matches/{match:str}/analysis",
    responses=_body(AnalysisView)
    | refusals("running", "no_evaluator", "too_large", "busy", "unknown_match", "store_unavailable")
    | _NOT_READY,
    compressed=True,
)
async def match_analysis(request: AnyRequest, hub: FromHub, match: FromPath[str]) -> Response[bytes]:
    """The evaluation of each decision of a finished match, and the luck of each seat."""
    source = await _source(hub, match)
    return await _response(request, await hub.compute.analysis(source, address_of(request)))


@post(
    "/analyses",
    status_code=200,
    request_max_body_size=RECORD_BYTES,
    responses=_body(AnalysisView) | refusals("bad_record", "no_evaluator", "too_large", "busy") | _NOT_READY,
    compressed=True,
)
async def record_analysis(
    request: AnyRequest, hub: FromHub, data: JSONBody[bodies.RecordText]
) -> Response[bytes]:
    """The analysis of a record file. To poll, repeat the request."""
    source = Source.of_text(data.record)
    return await _response(request, await hub.compute.analysis(source, address_of(request)))


@post(
    "/positions",
    status_code=200,
    responses=_body(bodies.PositionSeen) | refusals("bad_options", "invalid_text", "busy"),
    compressed=True,
)
async def position(
    request: AnyRequest, hub: FromHub, data: JSONBody[bodies.PositionRequest]
) -> Response[bytes]:
    """A position of a game, with its legal decisions and evaluation."""
    return await _response(request, await hub.compute.position(data, address_of(request)))


@post("/options", status_code=200, responses=refusals("bad_options", "invalid_text"))
async def options(data: JSONBody[bodies.GameOptions]) -> bodies.GameOptions:
    """Check the options of a game, such as a board; the answer has all of them."""
    return bodies.GameOptions(game=data.game, options=load(data.game, **data.options).options)


@post(
    "/rolls",
    status_code=200,
    responses=_body(RollsView)
    | refusals("bad_options", "invalid_text", "not_rolling", "no_evaluator", "too_large", "busy"),
    compressed=True,
)
async def rolls(request: AnyRequest, hub: FromHub, data: JSONBody[bodies.PositionRequest]) -> Response[bytes]:
    """All rolls at a position that waits for dice, with the best decisions after each."""
    return await _response(request, await hub.compute.rolls(data, address_of(request)))


_CONSTANT: dict[str, Any] = {"cache_control": CacheControlHeader(max_age=300), "compressed": True}
"""Options of routes whose answers never change while the server runs."""


@get(
    ["/texts/{language:str}", "/texts/{language:str}/{part:str}"],
    responses=_body(dict[str, Any]) | refusals("bad_options"),
    **_CONSTANT,
)
async def texts(request: AnyRequest, language: FromPath[str], part: FromPath[str] = "") -> Response[bytes]:
    """The texts of a language for the web client, or a part: ``home``, ``play``, ``learn`` or ``study``."""
    return await _response(request, _encoded(texts_json, language, *filter(None, [part])))


@get("/rules/{game:str}", responses=_body(RulesView) | refusals("bad_options"), **_CONSTANT)
async def rules(request: AnyRequest, game: FromPath[str]) -> Response[bytes]:
    """The full rules of a game, with examples."""
    return await _response(request, _encoded(rules_view, game))


@get("/lessons/{game:str}", responses=_body(LessonView) | refusals("bad_options"), **_CONSTANT)
async def lesson(request: AnyRequest, game: FromPath[str]) -> Response[bytes]:
    """A guided first game."""
    return await _response(request, _encoded(lesson_view, game))


@get("/strategy/{game:str}", responses=_body(list[strategy.Strategy]) | refusals("bad_options"), **_CONSTANT)
async def advice(request: AnyRequest, game: FromPath[str]) -> Response[bytes]:
    """The strategy of a game by number of players: heuristics with their values, and charts."""
    return await _response(request, _encoded(_advice, game))


def _advice(game: str) -> list[strategy.Strategy]:
    return [strategy.advice(game, players) for players in strategy.players(game)]


@functools.cache
def _encoded(compute: Callable[..., Any], *arguments: Any) -> bytes:
    """An answer as compressed JSON, computed once. Errors are not cached."""
    return gzip.compress(msgspec.json.encode(compute(*arguments)), mtime=0)


@get("/frames.json", responses=refusals())
async def frame_schema() -> dict[str, Any]:
    """The JSON Schema of all frames in both directions."""
    return frames_schema()


@functools.cache  # it takes 8 ms
def frames_schema() -> dict[str, Any]:
    """The JSON Schema of ``hello`` and ``command`` (client to server) and ``frame`` (server to client)."""
    states = {game.name: type(game().initial_state()) for game in GAMES.values()}
    facts = [(game.name, fact) for game in GAMES.values() for fact in game.FACTS]
    kinds: dict[str, Any] = {
        "hello": wire.Hello,
        "command": wire.AnyCommand,
        "frame": wire.AnyFrame,
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


async def _response(
    request: AnyRequest, answer: bytes | Waiting, media_type: MediaType = MediaType.JSON
) -> Response[bytes]:
    """The response with the answer of a worker, decompressed if the client does not accept gzip."""
    if isinstance(answer, Waiting):
        return Response(msgspec.json.encode(answer), status_code=202, media_type=media_type)
    if not accepts_gzip(request.headers.get("accept-encoding", "")):
        return Response(await asyncio.to_thread(gzip.decompress, answer), media_type=media_type)
    headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(answer, media_type=media_type, headers=headers)


api = Router(
    "/api",
    route_handlers=[
        games,
        addresses,
        seal,
        open_match,
        match_info,
        match_record,
        match_replay,
        record_replay,
        match_analysis,
        record_analysis,
        options,
        position,
        rolls,
        texts,
        rules,
        lesson,
        advice,
        frame_schema,
        table,
    ],
    before_request=check_request,
)
