"""Clients that cause much computing: they are limited and do not delay others."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

import escadaria
from escadaria.client import Table, open_match
from escadaria.record import Record, Seat
from serving import PATIENCE, Server, eventually, serving, started
from wire import Wire, opened, wire

pytestmark = pytest.mark.anyio

ATTACKER, HONEST = "127.0.0.66", "127.0.0.2"


@contextlib.asynccontextmanager
async def client(url: str, address: str) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client at this address."""
    transport = httpx.AsyncHTTPTransport(local_address=address, limits=httpx.Limits(max_connections=1000))
    async with httpx.AsyncClient(base_url=url, transport=transport, timeout=PATIENCE) as http:
        yield http


def all_different(plies: int) -> str:
    """A record whose analysis takes minutes, since it hardly repeats a position."""
    game, rng = escadaria.load("rapido", players=6, finish=50), random.Random(1)
    state = game.initial_state()
    done: list[Any] = []
    while len(done) < plies:
        legal = game.legal_actions(state) or [outcome for outcome, _ in game.chance_outcomes(state)]
        again = [ply for ply in legal if str(ply) == "again"]
        done.append(again[0] if again and rng.random() < 0.9 else rng.choice(legal))
        state = game.apply(state, done[-1])
    return str(Record(game, tuple(Seat(name) for name in "ABCDEF"), tuple(done), dice="scripted"))


@cache
def record(plies: int) -> str:
    """A record in which every turn is two rolls and a fall."""
    game = escadaria.load("rapido", players=3)
    state = game.initial_state()
    done: list[Any] = []
    while len(done) < plies:
        ply = game.parse("XX") if game.chance_outcomes(state) else game.legal_actions(state)[0]
        done.append(ply)
        state = game.apply(state, ply)
    seats = tuple(Seat(name) for name in ("Alpha", "Beta", "Gamma"))
    return str(Record(game, seats, tuple(done), dice="scripted"))


def another(plies: int, number: int) -> str:
    """The same record with another name, so that the answer is not cached."""
    return record(plies).replace("Alpha", f"A{number}")


async def test_a_record_longer_than_any_match_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, client(server.url, ATTACKER) as http:
        for path in ("/api/replays", "/api/analyses"):
            refused = await http.post(path, json={"record": record(20_000)})
            assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
        long = await http.post("/api/replays", json={"record": record(4_998)})
        assert long.status_code == 200 and len(long.json()["steps"]) == 4_998


async def test_one_address_that_floods_delays_another_by_one_job(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, client(server.url, ATTACKER) as attacker:
        answered: list[int] = []

        async def flood(number: int) -> None:
            text = another(3000, number)
            answered.append((await attacker.post("/api/replays", json={"record": text})).status_code)

        floods = [asyncio.create_task(flood(number)) for number in range(24)]
        async with client(server.url, HONEST) as http:
            while not answered:
                await asyncio.sleep(0.01)  # until the flood is running
            before = len(answered)
            replay = await http.post("/api/replays", json={"record": record(30)})
            assert replay.status_code == 200
            assert len(answered) - before < 8, "it did not wait for the flood"
        await asyncio.gather(*floods)
        assert set(answered) == {200}


async def test_the_queue_is_bounded(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, client(server.url, ATTACKER) as attacker:
        posts = [
            attacker.post("/api/replays", json={"record": another(3000, number)}) for number in range(60)
        ]
        answers = await asyncio.gather(*posts)
        refused = [answer for answer in answers if answer.status_code != 200]
        assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {(503, "busy")}
        assert len(refused) >= 30
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)


async def test_work_is_limited_per_address(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, work_per_second=1e-4, work_burst=1e-3) as server,
        client(server.url, ATTACKER) as attacker,
        client(server.url, HONEST) as http,
    ):
        ask = {"game": "rapido"}
        assert (await attacker.post("/api/replays", json={"record": record(30)})).status_code == 200
        for path, body in (
            ("/api/replays", {"record": record(60)}), ("/api/analyses", {"record": record(60)}),
            ("/api/positions", ask), ("/api/rolls", ask),
        ):  # fmt: skip
            refused = await attacker.post(path, json=body)
            assert (refused.status_code, refused.json()["code"]) == (429, "too_fast"), path
            assert int(refused.headers["retry-after"]) >= 1
        # A cached answer is free, and another address has its own limit.
        assert (await attacker.post("/api/replays", json={"record": record(30)})).status_code == 200
        assert (await http.post("/api/positions", json=ask)).status_code == 200


async def test_many_hints_do_not_delay_a_bot(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, contextlib.AsyncExitStack() as stack:
        asking: list[Wire] = []
        for _ in range(12):
            people = [{"name": name} for name in "ABCDEF"]
            match = await opened(server.url, "chain", **SLOW, people=people, start=True, settings=PRACTICE)
            for _ in range(2):
                there = wire(server.url, match["match"], token=match["token"])
                asking.append(await stack.enter_async_context(there))
        answered: list[str] = []

        async def hint(there: Wire) -> None:
            answered.append((await there.ask("hint"))["type"])

        await hint(asking[0])
        async with await against_a_bot(server.url) as table:
            await play_rounds(table, 1)
            hints = [asyncio.create_task(hint(there)) for there in asking]
            before = len(answered)
            await play_rounds(table, 3)
            assert len(answered) - before < 12, "the bot did not wait for the hints"
            await asyncio.gather(*hints)
        assert set(answered) == {"accepted"}


async def test_bots_without_a_waiting_person_have_low_priority(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, await against_a_bot(server.url) as table:
        timed = {"pace": 0, "clock": 3600}
        for _ in range(40):
            await opened(server.url, "chain", **SLOW, bots=["master"] * 6, start=True, settings=timed)
        others = [room for name, room in server.hub.rooms.items() if name != table.match]

        def moves() -> int:
            return sum(room.match.version for room in others)

        start = moves()
        await eventually(lambda: moves() >= start + 20, "they play")
        before = moves()
        await play_rounds(table, 10)
        assert moves() - before < 200, "the bot with a person at its table did not wait for the others"


async def test_the_server_stops_while_it_analyses(tmp_path: Path) -> None:
    async with started(Server(tmp_path)) as server:
        async with client(server.url, ATTACKER) as http:
            answer = await http.post("/api/analyses", json={"record": all_different(4_000)})
            assert answer.status_code == 202
        await asyncio.to_thread(server.stop)


PRACTICE = {"practice": True}
SLOW: dict[str, Any] = {"players": 6, "options": {"board": "long"}}
"""A game with slow bots and hints."""


async def against_a_bot(url: str) -> Table:
    """A long match of a person and a bot."""
    options = {"players": 2, "finish": 50}
    return await open_match(
        url, "rapido", options, people=[{"name": "Ana"}], bots=["simple"], start=True, settings={"pace": 0}
    )


async def play_rounds(table: Table, rounds: int) -> None:
    """Play a number of turns, each followed by a turn of the bot."""
    async for turn in table.turns():
        if turn.legal == ["roll"]:
            rounds -= 1
            if rounds < 0:
                return
            await turn.act("roll")
        else:
            await turn.act("place 0")
