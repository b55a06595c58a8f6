"""Clients that cause much computing: they are limited and do not delay others."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

import escadaria
from escadaria.client import MatchClient
from escadaria.game import AnyGame
from escadaria.record import Record, Seat
from escadaria.server.compute.pool import Pool
from raw import QUICK, opened, raw
from serving import PATIENCE, Server, eventually, serving, started

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
        pool, answered = server.hub.compute.replays, list[str]()

        async def ask(http: httpx.AsyncClient, text: str) -> None:
            answer = await http.post("/api/replays", json={"record": text})
            assert answer.status_code == 200
            answered.append(text)

        with held(pool) as release:
            asked = [asyncio.create_task(ask(attacker, another(30, number))) for number in range(20)]
            await eventually(lambda: pool.waiting == 20, "the flood waits")
            async with client(server.url, HONEST) as http:
                asked.append(asyncio.create_task(ask(http, record(60))))
                await eventually(lambda: pool.waiting == 21, "the other waits too")
                release()
                await asyncio.gather(*asked)
        assert answered.index(record(60)) < 8, "it did not wait for the flood"


@contextlib.contextmanager
def held(pool: Pool) -> Iterator[Callable[[], None]]:
    """Let the jobs of a pool wait until it is called."""
    pop = pool._pop
    pool._pop = lambda: None  # type: ignore[method-assign]

    def release() -> None:
        pool._pop = pop  # type: ignore[method-assign]
        pool._assign()

    yield release


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
        match = await opened(
            server.url, people=[{"name": "Ana"}, {"name": "Rui"}], settings={"practice": True},
            start=True, start_from="turn=0 phase=decide value=64 steps=3,5 tower=-",
        )  # fmt: skip
        asking = [
            await stack.enter_async_context(raw(server.url, match["match"], token=match["token"]))
            for _ in range(5)
        ]
        pool = server.hub.compute.hints
        with held(pool) as release:
            hints = [asyncio.create_task(there.ask("hint")) for there in asking]
            await eventually(lambda: pool.waiting == 5, "they wait")
            async with await against_a_bot(server.url) as table:
                await play_rounds(table, 3)
            release()
            assert [(await hint)["type"] for hint in hints] == ["accepted"] * 5


async def test_bots_without_a_waiting_person_have_low_priority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[tuple[str, bool]] = set()
    async with serving(tmp_path) as server:
        decide = server.hub.compute.decide

        async def noted(game: AnyGame, *more: Any, awaited: bool = True, **named: Any) -> str:
            asked.add((game.name, awaited))
            return await decide(game, *more, awaited=awaited, **named)

        monkeypatch.setattr(server.hub.compute, "decide", noted)
        await opened(server.url, "chain", bots=["simple"] * 2, start=True, settings=QUICK | {"clock": 3600})
        async with await against_a_bot(server.url) as table:
            await play_rounds(table, 2)
        await eventually(lambda: len(asked) == 2, "both are played")
    assert asked == {("chain", False), ("rapido", True)}


async def test_the_server_stops_while_it_analyses(tmp_path: Path) -> None:
    async with started(Server(tmp_path)) as server:
        async with client(server.url, ATTACKER) as http:
            answer = await http.post("/api/analyses", json={"record": all_different(4_000)})
            assert answer.status_code == 202
        await asyncio.to_thread(server.stop)


async def against_a_bot(url: str) -> MatchClient:
    """A long match of a person and a bot."""
    match = await opened(
        url, people=[{"name": "Ana"}], bots=["simple"], start=True, options={"finish": 50}, settings=QUICK
    )
    return MatchClient(url, match["match"], match["token"])


async def play_rounds(table: MatchClient, rounds: int) -> None:
    """Play a number of turns, each followed by a turn of the bot."""
    async for turn in table.turns():
        if turn.legal == ["roll"]:
            rounds -= 1
            if rounds < 0:
                return
            await turn.act("roll")
        else:
            await turn.act("place 0")
