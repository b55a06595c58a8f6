"""The HTTP API with the rules and lessons, and its JSON Schema and OpenAPI documents."""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from escadaria import GAMES
from escadaria.client import MatchClient, open_match
from escadaria.refusals import Refused
from escadaria.store import StoreUnavailable
from escadaria.teaching.lessons import lesson_view
from escadaria.teaching.rulebook import rules_view
from raw import QUICK, play, playing, raw
from server.clients import PEOPLE, client, entered
from serving import PATIENCE, Inside, serving
from tables import rows

pytestmark = pytest.mark.anyio

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
]  # fmt: skip


def test_games_options_and_bots_are_listed(http: httpx.Client) -> None:
    answer = http.get("/api/games").json()
    assert [game["name"] for game in answer["games"]] == ["rapido", "chain"]
    assert {"simple", "random"} <= set(answer["bots"])
    assert [game["bots"][len(answer["bots"]) :] for game in answer["games"]] == [[], ["grandmaster"]]
    assert [option["name"] for option in answer["games"][0]["options"]] == ["players", "finish"]


REFUSED = rows(Path(__file__).with_name("requests.cases"))
"""The path, the code and the ruling, and the body."""


@pytest.mark.parametrize("path, code, body", REFUSED, ids=range(len(REFUSED)))
def test_an_impossible_request_is_refused(http: httpx.Client, path: str, code: str, body: str) -> None:
    post = partial(http.post, f"/api/{path}", content=body, headers={"Content-Type": "application/json"})
    while (answer := post()).status_code == 202:  # an analysis whose process still starts
        pass
    found = answer.json()
    assert (answer.status_code, f"{found['code']} {found['ruling']}".strip()) == (400, code)
    assert set(found) == {"code", "message", "ruling"} and found["message"]


def test_a_body_that_is_too_large_or_not_json(http: httpx.Client) -> None:
    for game, options in (("rapido", {"players": 10**300}), ("chain", {"board": "x" * 900})):
        answer = http.post("/api/matches", json={"game": game, "options": options})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_options")
    answer = http.post("/api/matches", json={"game": "x" * 20_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    answer = http.post("/api/matches", content=b"\xff{")
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


def test_unknown_paths_matches_and_methods(http: httpx.Client) -> None:
    for path in ("/api/matches/none", "/api/matches/none/record", "/api/matches/none/replay"):
        answer = http.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_match")
    answer = http.get("/api/none")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    answer = http.delete("/api/matches")
    assert (answer.status_code, answer.json()["code"]) == (405, "bad_method")
    assert "POST" in answer.headers["allow"]


async def test_the_state_of_a_match_is_public_and_its_record_when_it_is_over(url: str) -> None:
    async with entered(url, people=PEOPLE, settings=QUICK) as table, client(url) as http:
        path = f"/api/matches/{table.match}"
        shown = (await http.get(path)).json()
        assert shown["status"] == "waiting" and [seat["name"] for seat in shown["seats"]] == ["Ana", "Rui"]
        await table.start()
        for what in ("record", "replay"):
            refused = await http.get(f"{path}/{what}")
            assert (refused.status_code, refused.json()["code"]) == (403, "running")
        shown = (await http.get(path)).json()
        assert shown["status"] == "playing" and shown["position"] is None and not shown["legal"]
        await play(table)
        shown = (await http.get(path)).json()
        assert shown["status"] == "over" and shown["secret"] is None, "it is for members and watchers"
        record = await http.get(f"{path}/record")
        assert record.headers["content-type"].startswith("text/plain") and table.now["secret"] in record.text
        assert (await http.get(f"{path}/replay")).json()["verdict"]


def test_security_headers_are_on_every_response(http: httpx.Client) -> None:
    for path in ("/api/games", "/api/none", "/api/matches/none", "/healthz", "/api/frames.json"):
        headers = http.get(path).headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert headers["referrer-policy"] == "no-referrer" and "server" not in headers, path


async def test_a_full_disk_is_reported_over_http(server: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: object, **__: object) -> None:
        raise StoreUnavailable("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(server.hub.store, "append", full)
        with pytest.raises(Refused, match="store_unavailable"):
            await open_match(server.url, "rapido")
    assert not server.hub.tables.counts
    async with await open_match(server.url, "rapido") as table:
        assert table.status == "waiting"


async def test_a_damaged_match_does_not_affect_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its clients get an error; other matches are played, and the server starts."""
    async with serving(tmp_path) as server:
        bad, good = await playing(server.url), await playing(server.url)
    with sqlite3.connect(tmp_path / "matches.sqlite3") as database:
        database.execute("UPDATE event SET body = '{}' WHERE match = ? AND version = 2", (bad["match"],))
    database.close()
    async with serving(tmp_path) as server:
        async with raw(server.url, bad["match"], token=bad["token"]) as me:
            assert await me.closed() == 1011
        async with client(server.url) as http:
            answer = await http.get(f"/api/matches/{bad['match']}")
            assert (answer.status_code, answer.json()["code"]) == (500, "internal")
        async with raw(server.url, good["match"], token=good["token"]) as me:
            assert (await me.ask("act", version=4, action="roll"))["type"] == "accepted"
    logged = {record.getMessage() for record in caplog.records if record.exc_info}
    assert logged == {"a connection failed", "a request failed"}


# The documents.


@pytest.mark.parametrize("game", ["rapido", "chain"])
async def test_frames_conform_to_the_schema(url: str, http: httpx.Client, game: str) -> None:
    document = http.get("/api/frames.json").json()
    kinds = document.pop("properties")

    def validator(kind: str) -> Any:
        return jsonschema_rs.validator_for(document | kinds[kind])

    frame, position, hello, command = map(validator, ("frame", f"{game}.position", "hello", "command"))
    async with (
        entered(url, game, 3, settings=QUICK | {"clock": 3600}) as host,
        MatchClient(url, host.match) as guest,
    ):
        host.follow = guest.follow = True
        await host.sit("Ana")
        await guest.sit("Rui")
        await host.add_bot("simple")
        await host.start()
        host_plays = asyncio.create_task(play(host))
        async with raw(url, host.match, token=guest.token, previews=True) as second:
            async for turn in guest.turns():
                await turn.act(turn.legal[-1])
                if "previews" in [item["type"] for item in await second.all_until_pong()]:
                    break
            with pytest.raises(Refused):
                await guest.request("start")
            await guest.resign()
            await second.ask("ping")
        await guest.close()
        await host.wait_for(lambda: not host.seats[guest.mine[0]]["here"])
        host_plays.cancel()
        frames = [json.loads(text) for text in second.received]
        frames += [table.frames.get_nowait() for table in (host, guest) for _ in range(table.frames.qsize())]
    seen = {item["type"] for item in frames}
    assert seen >= {"welcome", "you", "snapshot", "event", "previews", "accepted", "refused", "presence"}
    for item in frames:
        frame.validate(item)
        for now in [item.get("now"), *item.get("steps", [])]:
            if now and now["position"]:
                position.validate(now["position"])
    hello.validate({"type": "hello", "token": host.token, "since": 3})
    command.validate({"type": "act", "id": "x", "version": 3, "action": "roll"})
    for bad in [{"type": "act"}, {"type": "nonsense", "id": "x", "version": 1}, []]:
        assert not command.is_valid(bad)


def test_responses_conform_to_the_openapi_document(url: str) -> None:
    """Valid and nearly valid requests get one of the documented responses."""
    document = schemathesis.openapi.from_url(f"{url}/api/openapi/openapi.json")
    operations = [result.ok() for result in document.get_all_operations() if isinstance(result, Ok)]
    assert len(operations) >= 10
    for operation, mode in itertools.product(operations, schemathesis.GenerationMode):
        if mode.is_negative and not operation.body:
            continue  # any text is a path

        @settings(max_examples=10, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate(checks=CHECKS, timeout=PATIENCE)

        ask()


def test_rules_and_lessons_are_served(http: httpx.Client) -> None:
    for game in GAMES:
        rules, lesson = http.get(f"/api/rules/{game}"), http.get(f"/api/lessons/{game}")
        assert rules.content == msgspec.json.encode(rules_view(game))
        assert lesson.content == msgspec.json.encode(lesson_view(game))
        assert "max-age" in rules.headers["cache-control"]
    for what in ("rules", "lessons"):
        answer = http.get(f"/api/{what}/go")
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_options")
