"""Hints, analyses and evaluations, which are refused for running matches."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from escadaria.server.compute import pool, requests
from escadaria.server.compute.worker import Answer
from raw import QUICK, opened, play, raw
from server.clients import client, entered, facing
from server.coached import SHORT, SMALL, write_chain_solution, write_solution
from serving import Server, serving

pytestmark = pytest.mark.anyio

DECIDE = "turn=1 phase=decide value=63 steps=2,1 tower=3:0:52"


@pytest.fixture(scope="module")
def evaluated(live: Server) -> str:
    """The URL of the server, with solutions of a short Rapido and a small Chain."""
    write_solution(live.cache)
    write_chain_solution(live.cache)
    return live.url


async def finished(url: str, options: dict[str, Any] = SHORT, game: str = "rapido") -> str:
    people = [{"name": name} for name in ("Ana", "Rui", "Eva")[: options["players"]]]
    async with entered(url, game, options=options, people=people, start=True, settings=QUICK) as table:
        await play(table)
        return table.match


def analysis(http: httpx.Client, match: str) -> dict[str, Any]:
    """The analysis of a match, polled until it is ready."""
    while (response := http.get(f"/api/matches/{match}/analysis")).status_code == 202:
        assert response.json()["ahead"] >= 0
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_a_hint_evaluates_each_decision(evaluated: str) -> None:
    match = await opened(
        evaluated, options=SHORT, people=[{"name": "Ana", "seat": 1}], bots=["simple"],
        settings={"practice": True}, start=True, start_from=DECIDE,
    )  # fmt: skip
    async with raw(evaluated, match["match"], token=match["token"]) as me:
        legal = (await me.expect("snapshot"))["now"]["legal"]
        hint = await me.ask("hint")
        wins = hint["advice"]["wins"]
        assert set(wins) == set(legal) and all(0 <= win <= 1 for win in wins.values())
        assert hint["action"] == next(iter(wins)) == max(wins, key=lambda action: wins[action])
        assert hint["advice"]["win"] == max(wins.values()) and hint["advice"]["source"] == "exact"


async def test_a_running_match_is_not_evaluated(evaluated: str, http: httpx.Client) -> None:
    async with (
        facing(evaluated) as (match, host, player),
        raw(evaluated, match["match"], watch=match["watch"]) as watcher,
        raw(evaluated, match["match"]) as guest,
    ):
        for who in (host, player, guest):
            assert (await who.ask("hint"))["code"] == "not_practice"
        assert (await watcher.ask("hint"))["code"] == "forbidden"
        settings = (await host.expect("snapshot"))["settings"] | {"practice": True}
        assert (await host.ask("configure", settings=settings))["code"] == "bad_options"
        assert (await host.ask("hint"))["code"] == "not_practice"
    refused = http.get(f"/api/matches/{match['match']}/analysis")
    assert (refused.status_code, refused.json()["code"]) == (403, "running")


async def test_a_finished_match_is_analysed(evaluated: str, http: httpx.Client) -> None:
    match = await finished(evaluated)
    found = analysis(http, match)
    replay = http.get(f"/api/matches/{match}/replay").json()
    assert len(found["curve"]) == len(replay["steps"]) + 1 == len(replay["texts"])
    assert all(sum(shares) == pytest.approx(1, abs=1e-3) for shares in found["curve"])
    assert found["curve"][-1][replay["winner"]] == 1
    assert [player["result"] for player in found["players"]][replay["winner"]] == 1
    for decision in found["decisions"]:
        assert replay["steps"][decision["ply"] - 1]["action"] == decision["played"]
        assert bool(decision["size"]) == (decision["lost"] >= 0.02) == bool(decision["reason"])
    assert found == analysis(http, match)

    record = http.get(f"/api/matches/{match}/record").text
    uploaded = http.post("/api/analyses", json={"record": record})
    assert uploaded.status_code == 200 and uploaded.json() == found


async def test_chain_for_three_is_evaluated_by_values(evaluated: str, http: httpx.Client) -> None:
    options = {"players": 3, "board": "18"}
    match = await finished(evaluated, options, "chain")
    found = analysis(http, match)
    assert found["source"] == "estimated"
    assert all(len(shares) == 3 and sum(shares) == pytest.approx(1, abs=2e-3) for shares in found["curve"])
    seen = http.post("/api/positions", json={"game": "chain", "options": options}).json()
    assert set(seen["advice"]["wins"]) == set(seen["legal"])
    assert seen["advice"]["win"] == max(seen["advice"]["wins"].values()), "by estimates too"
    assert seen["advice"]["shares"][seen["turn"]] == seen["advice"]["win"]
    assert len(seen["advice"]["shares"]) == seen["options"]["players"]
    assert sum(seen["advice"]["shares"]) == pytest.approx(1, abs=0.001)


def test_any_position_can_be_evaluated(evaluated: str, http: httpx.Client) -> None:
    ask = {"game": "rapido", "options": SHORT}
    seen = http.post("/api/positions", json={**ask, "position": DECIDE}).json()
    assert seen["text"] == DECIDE and seen["turn"] == 1 and not seen["over"]
    assert set(seen["advice"]["wins"]) == set(seen["legal"]) == set(seen["choices"])
    facts = [(fact["kind"], fact.get("victim")) for fact in seen["choices"]["place 2"]["facts"]]
    assert ("threw_out", 0) in facts
    start = http.post("/api/positions", json=ask).json()
    assert start["legal"] == [] and start["advice"]["wins"] == {} and 0 < start["advice"]["win"] < 1
    won = "turn=0 phase=over value=0 steps=5,1 tower=-"
    over = http.post("/api/positions", json={**ask, "position": won}).json()
    assert over["over"] and over["advice"] is None
    bad = http.post("/api/positions", json={**ask, "position": DECIDE.replace("63", "99")})
    assert (bad.status_code, bad.json()["code"]) == (400, "invalid_text") and "99" in bad.json()["message"]


def test_all_rolls_at_a_position(evaluated: str, http: httpx.Client) -> None:
    first = "turn=1 phase=first value=0 steps=2,1 tower=3:0:52"
    ask = {"game": "rapido", "options": SHORT, "position": first}
    seen = http.post("/api/rolls", json=ask).json()
    assert (seen["turn"], seen["source"]) == (1, "exact")
    assert sum(fall["chance"] for fall in seen["falls"]) == pytest.approx(1, abs=1e-6)
    assert sorted(dice for fall in seen["falls"] for dice in fall["dice"]) == sorted(
        a + b for a in "12347X" for b in "12356X"
    )
    for fall in seen["falls"]:
        assert next(iter(fall["wins"])) == fall["plan"][0] and fall["wins"][fall["plan"][0]] == fall["win"]

    valued = http.post("/api/rolls", json={"game": "chain", "options": {"players": 2, "board": "19"},
                                                 "position": CHAIN_ROLL.format(2, 12)})  # fmt: skip
    assert (valued.status_code, valued.json()["source"]) == (200, "estimated")


CHAIN_ROLL = "turn=0 phase=roll hands={},2 pool={} discs=2+9,4+9 stacks=2:0,4:1,9:1+0 chain=-/0/open loose=-"


def test_all_rolls_at_a_position_of_chain(evaluated: str, http: httpx.Client) -> None:
    ask = {"game": "chain", "options": SMALL}
    seen = http.post("/api/rolls", json={**ask, "position": CHAIN_ROLL.format(3, 11)}).json()
    mean = sum(fall["chance"] * fall["win"] for fall in seen["falls"])
    assert mean == pytest.approx(seen["win"], abs=0.01)  # with an artificial solution
    plans = {dice: fall["plan"] for fall in seen["falls"] for dice in fall["dice"]}
    assert plans["345"][:2] == ["link 4", "link 5"] and plans["324"] == []
    many = http.post("/api/rolls", json={**ask, "position": CHAIN_ROLL.format(9, 5)})
    assert (many.status_code, many.json()["code"]) == (413, "too_large")


async def test_analyses_report_their_place_in_the_queue_and_a_full_queue_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "ANALYSIS_WAIT_SECONDS", 0.01)
    async with serving(tmp_path, analysis_queue=2) as inside:
        ready = asyncio.Event()

        async def slowly(*_: Any) -> Answer:
            await ready.wait()
            return Answer(refusal=("no_evaluator", "nobody knows this game", ""))

        monkeypatch.setattr(pool, "_read", slowly)
        matches = [await finished(inside.url) for _ in range(3)]
        async with client(inside.url) as http:
            answers = [await http.get(f"/api/matches/{match}/analysis") for match in matches]
            assert [answer.status_code for answer in answers] == [202, 202, 503]
            assert [answer.json().get("ahead") for answer in answers[:2]] == [0, 1]
            assert answers[2].json()["code"] == "busy"
            ready.set()
            # Now the queue has space.
            while (last := await http.get(f"/api/matches/{matches[2]}/analysis")).status_code == 202:
                pass
            assert (last.status_code, last.json()["code"]) == (404, "no_evaluator")
