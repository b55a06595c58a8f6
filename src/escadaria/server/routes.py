"""The HTTP interface: open matches, read about them, look at positions and records."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import msgspec
from litestar import MediaType, Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.datastructures.headers import CacheControlHeader
from litestar.openapi import ResponseSpec
from litestar.params import FromPath, JSONBody

from escadaria import bots, catalogue, strategy
from escadaria.catalogue import GAMES
from escadaria.game import AnyGame
from escadaria.i18n.web import texts_json
from escadaria.record import Record, read
from escadaria.server import coach, messages
from escadaria.server.access import address_of, check_request
from escadaria.server.coach import AnalysisView, RollsView, Waiting
from escadaria.server.errors import refusals
from escadaria.server.hub import Hub
from escadaria.server.messages import Refused
from escadaria.server.replays import Replay, replay
from escadaria.server.socket import table
from escadaria.server.where import addresses, is_own_machine
from escadaria.teaching.views import LessonView, RulesView, lesson_view, rules_view
from escadaria.views import previews

RECORD_BYTES = 300_000
"""The longest record file that is laid out for a browser."""

_WORKING = {202: ResponseSpec(Waiting, description="it is being worked on", generate_examples=False)}


@get("/games", responses=refusals())
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


@get("/where", responses=refusals())
async def where(request: Request[Any, Any, Any], state: State) -> dict[str, list[str]]:
    """Where other devices can reach the server. Only who opens it on its own machine is told."""
    hub: Hub = state.hub
    server = request.scope.get("server")
    local = is_own_machine(address_of(request)) and is_own_machine(request.headers.get("host", ""))
    return {"addresses": addresses(hub.settings.host, server[1] or 0) if local and server else []}


@post("/seals", responses=refusals("closing"))
async def seal(state: State) -> messages.Sealed:
    """Promise the dice of a match, so that those who open it can bring entropy of their own."""
    hub: Hub = state.hub
    return hub.seal()


@post(
    "/matches", responses=refusals("bad_options", "not_sealed", "too_large", "too_many", "store_unavailable")
)
async def open_match(
    request: Request[Any, Any, Any], state: State, data: JSONBody[messages.Open]
) -> messages.Opened:
    """Open a match."""
    hub: Hub = state.hub
    return await hub.open(data, address_of(request))


@get("/matches/{match:str}", responses=refusals("unknown_match", "store_unavailable"))
async def match_info(state: State, match: FromPath[str]) -> messages.Now:
    """What somebody with the link may know: who sits there, and whether it has started."""
    hub: Hub = state.hub
    return (await hub.room(match)).now(play=False)


@get(
    "/matches/{match:str}/record",
    media_type=MediaType.TEXT,
    responses=refusals("running", "unknown_match", "store_unavailable"),
)
async def match_record(state: State, match: FromPath[str]) -> str:
    """The record of a finished match, with the secret of its dice."""
    return str(await _finished(state.hub, match))


@get(
    "/matches/{match:str}/replay",
    responses=refusals("running", "unknown_match", "store_unavailable"),
)
async def match_replay(state: State, match: FromPath[str]) -> Replay:
    """A finished match, position by position."""
    return await asyncio.to_thread(replay, await _finished(state.hub, match))


@post("/replays", status_code=200, request_max_body_size=RECORD_BYTES, responses=refusals("bad_record"))
async def record_replay(data: JSONBody[messages.RecordText]) -> Replay:
    """A record file, position by position."""
    return await asyncio.to_thread(lambda: replay(read(data.record)))


@get(
    "/matches/{match:str}/analysis",
    responses=refusals("running", "no_judge", "too_large", "busy", "unknown_match", "store_unavailable")
    | _WORKING,
)
async def match_analysis(state: State, match: FromPath[str]) -> Response[AnalysisView | Waiting]:
    """What each decision of a finished match was worth, and how lucky everybody was."""
    return await _analysed(state.hub, await _finished(state.hub, match))


@post(
    "/analyses",
    status_code=200,
    request_max_body_size=RECORD_BYTES,
    responses=refusals("bad_record", "no_judge", "too_large", "busy") | _WORKING,
)
async def record_analysis(
    state: State, data: JSONBody[messages.RecordText]
) -> Response[AnalysisView | Waiting]:
    """The same for a record file. To ask again, send it again."""
    return await _analysed(state.hub, await asyncio.to_thread(read, data.record))


async def _analysed(hub: Hub, record: Record) -> Response[AnalysisView | Waiting]:
    answer = await hub.coach.analysis(record)
    return Response(answer, status_code=202 if isinstance(answer, Waiting) else 200)


@post("/positions", status_code=200, responses=refusals("bad_options", "invalid_text", "busy"))
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
        advice=None if over else await hub.workers.advise(game, seen),
    )


@post(
    "/rolls",
    status_code=200,
    responses=refusals("bad_options", "invalid_text", "not_rolling", "no_judge", "too_large", "busy"),
)
async def rolls(state: State, data: JSONBody[messages.Position]) -> RollsView:
    """All that the dice can show at a position that waits for them, and what to do then."""
    hub: Hub = state.hub
    game, waiting = _position(data)
    return await hub.workers.analyses.run(coach.rolls, game.name, dict(game.options), str(waiting))


def _position(data: messages.Position) -> tuple[AnyGame, Any]:
    game = catalogue.load(data.game, **data.options)
    return game, game.initial_state() if data.position is None else game.parse_state(data.position)


async def _finished(hub: Hub, match: str) -> Record:
    room = await hub.room(match)
    if room.match.status != "over":
        raise Refused("running", "the record can be read when the match is over")
    return room.match.record(room.date)


@get(
    "/texts/{language:str}", responses=refusals("bad_options"), cache_control=CacheControlHeader(max_age=300)
)
async def texts(language: FromPath[str]) -> dict[str, Any]:
    """The texts of a language, for the browser."""
    return texts_json(language)


@get(
    "/texts/{language:str}/later",
    responses=refusals("bad_options"),
    cache_control=CacheControlHeader(max_age=300),
)
async def later_texts(language: FromPath[str]) -> dict[str, Any]:
    """Those that only a few pages say."""
    return texts_json(language, later=True)


@get("/rules/{game:str}", responses=refusals("bad_options"), cache_control=CacheControlHeader(max_age=300))
async def rules(game: FromPath[str]) -> RulesView:
    """The full rules of a game, with examples."""
    return rules_view(game)


@get("/lessons/{game:str}", responses=refusals("bad_options"), cache_control=CacheControlHeader(max_age=300))
async def lesson(game: FromPath[str]) -> LessonView:
    """A guided first game."""
    return lesson_view(game)


@get("/strategy/{game:str}", responses=refusals("bad_options"), cache_control=CacheControlHeader(max_age=300))
async def advice(game: FromPath[str]) -> list[strategy.Advice]:
    """How to play a game well, by number of players: rules of thumb with what they are worth, and charts."""
    return [strategy.advice(game, players) for players in strategy.players(game)]


@get("/frames.json", responses=refusals())
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
    before_request=check_request,
)
