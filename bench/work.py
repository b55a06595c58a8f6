"""The latency of moves and bots while other clients make the server compute a lot.

    python bench/work.py [--python PYTHON] [--seconds 15]

A server process with the default limits is attacked from 127.0.0.66 while a player at 127.0.0.2 plays. Each
row has the player's median and longest latency, of an answer to a move or of a bot's decision. ``--python``
is the interpreter of another environment, to measure another version of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import httpx
from websockets.asyncio.client import connect

import escadaria
from escadaria.record import Record, Seat

PROGRAM = """
import json, sys
from escadaria.server.run import serve
from escadaria.settings import Settings
if __name__ == "__main__":
    serve(Settings(**json.loads(sys.argv[1])), ready=lambda url: print(url, flush=True))
"""

ATTACKER, PERSON = "127.0.0.66", "127.0.0.2"
LONG_BOARD: dict[str, Any] = {"game": "chain", "options": {"players": 6, "board": "long"}}

Attack = Callable[[str, asyncio.Event], Coroutine[Any, Any, None]]


@contextlib.contextmanager
def server(python: str) -> Any:
    """Start a server process; yield its address and the process."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"port": 0, "database": f"{folder}/matches.sqlite3", "log_level": "error"}
        command = [python, "-c", PROGRAM, json.dumps(settings)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder) as process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().decode().strip(), process
            finally:
                process.kill()


@contextlib.asynccontextmanager
async def http(url: str, address: str) -> AsyncIterator[httpx.AsyncClient]:
    limits = httpx.Limits(max_connections=1000)
    transport = httpx.AsyncHTTPTransport(local_address=address, limits=limits)
    async with httpx.AsyncClient(base_url=url, transport=transport, timeout=120) as client:
        yield client


class Socket:
    """A connection to a match."""

    def __init__(self, url: str, match: dict[str, Any], address: str) -> None:
        host = url.replace("http", "ws", 1)
        self._made = connect(
            f"{host}/api/matches/{match['match']}/socket", local_addr=(address, 0), proxy=None,
            open_timeout=60, max_size=None, max_queue=None,
        )  # fmt: skip
        self._token = match["token"]
        self._number = 0

    async def __aenter__(self) -> Socket:
        self._socket = await self._made.__aenter__()
        await self._socket.send(json.dumps({"type": "hello", "token": self._token}))
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._socket.close()

    async def read(self) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(await self._socket.recv())
        return frame

    async def send(self, type: str, **fields: Any) -> str:
        self._number += 1
        id = f"r{self._number}"
        await self._socket.send(json.dumps({"type": type, "id": id, "version": 0, **fields}))
        return id


async def opened(client: httpx.AsyncClient, **wish: Any) -> dict[str, Any]:
    response = await client.post("/api/matches", json={"start": True, **wish})
    response.raise_for_status()
    match: dict[str, Any] = response.json()
    return match


async def play(url: str, until: float, bot: bool) -> list[float]:
    """Play, and measure the latency of each answer, or of each decision of a bot."""
    people = [{"name": name} for name in ("Ana", "Rui")]
    who = {"people": people[:1], "bots": ["simple"]} if bot else {"people": people}
    waits: list[float] = []
    async with http(url, PERSON) as client:
        while time.monotonic() < until:
            game = {"game": "rapido", "options": {"players": 2, "finish": 50}}
            match = await opened(client, **game, **who, settings={"pace": 0})
            async with Socket(url, match, PERSON) as table:
                await _play(table, until, waits, bot)
    return waits


async def _play(table: Socket, until: float, waits: list[float], bot: bool) -> None:
    since, thinking, answered = 0.0, False, True
    frame: dict[str, Any] = {}
    while time.monotonic() < until:
        got = await table.read()
        if got["type"] in ("snapshot", "event"):
            if thinking:
                waits.append(time.monotonic() - since)
            frame, now = got, got["now"]
            if now["status"] == "over":
                return
            thinking = bot and now["to_act"] == 1 and now["legal"] != ["roll"]
            since = time.monotonic() if thinking else since
        elif got["type"] in ("accepted", "refused"):
            answered = True
            if not bot:
                waits.append(time.monotonic() - since)
        if frame and answered and not (bot and frame["now"]["to_act"] == 1):
            await asyncio.sleep(0.03)
            legal, version, answered = frame["now"]["legal"], frame["version"], False
            since = time.monotonic()
            await table.send("act", action="place 0" if "place 0" in legal else legal[0], version=version)


# Attacks.


async def nothing(url: str, ready: asyncio.Event) -> None:
    ready.set()
    await asyncio.sleep(3600)


def record_of(plies: int, name: str) -> str:
    """A record in which every player rolls twice and fails, until it has this number of plies."""
    game = escadaria.load("rapido", players=3)
    state = game.initial_state()
    done: list[Any] = []
    for _ in range(plies):
        done.append(game.parse("XX") if game.chance_outcomes(state) else game.legal_actions(state)[0])
        state = game.apply(state, done[-1])
    return str(Record(game, (Seat(name), Seat("B"), Seat("C")), tuple(done), dice="scripted"))


def records(plies: int) -> Attack:
    async def attack(url: str, ready: asyncio.Event) -> None:
        texts = [record_of(plies, f"A{number}") for number in range(16)]
        async with http(url, ATTACKER) as client:

            async def post(number: int) -> None:
                for count in range(10**6):  # another name each time, so that no answer is cached
                    text = texts[number].replace(f"A{number}", f"N{number}x{count}")
                    answer = await client.post("/api/replays", json={"record": text})
                    ready.set()
                    if answer.status_code != 200:
                        await asyncio.sleep(0.05)

            await asyncio.gather(*map(post, range(16)))

    return attack


async def hints(url: str, ready: asyncio.Event) -> None:
    """300 connections that request hints continuously."""
    async with http(url, ATTACKER) as client, contextlib.AsyncExitStack() as stack:
        people = [{"name": name} for name in "ABCDEF"]
        tables = [
            await opened(client, **LONG_BOARD, people=people, settings={"practice": True}) for _ in range(40)
        ]
        sockets: list[Socket] = []
        for number in range(300):
            with contextlib.suppress(Exception):  # more than the server accepts
                socket = Socket(url, tables[number % 40], ATTACKER)
                sockets.append(await stack.enter_async_context(socket))

        async def ask(socket: Socket) -> None:
            with contextlib.suppress(Exception):
                while True:
                    id = await socket.send("hint")
                    while (frame := await socket.read()).get("id") != id:
                        pass
                    if frame["type"] == "refused":
                        await asyncio.sleep(0.2)

        asking = [asyncio.create_task(ask(socket)) for socket in sockets]
        await asyncio.sleep(2)
        ready.set()
        await asyncio.gather(*asking)


async def unattended(url: str, ready: asyncio.Event) -> None:
    """50 tables with only bots and no connection."""
    async with http(url, ATTACKER) as client:
        for _ in range(50):
            settings = {"pace": 0, "clock": 3600}
            await opened(client, **LONG_BOARD, bots=["master"] * 6, settings=settings)
    await asyncio.sleep(2)
    ready.set()
    await asyncio.sleep(3600)


async def waits(url: str, attack: Attack, seconds: float, bot: bool) -> list[float]:
    await play(url, time.monotonic() + 3, bot)  # warm-up: starts the worker processes
    ready = asyncio.Event()
    attacking = asyncio.create_task(attack(url, ready))
    await asyncio.wait({asyncio.create_task(ready.wait()), attacking}, return_when=asyncio.FIRST_COMPLETED)
    found = await play(url, time.monotonic() + seconds, bot)
    attacking.cancel()
    await asyncio.gather(attacking, return_exceptions=True)
    return found


async def analysing(url: str) -> None:
    """Start an analysis that takes minutes."""
    game, rng = escadaria.load("rapido", players=6, finish=50), random.Random(1)
    state = game.initial_state()
    done: list[Any] = []
    for _ in range(4000):
        legal = game.legal_actions(state) or [outcome for outcome, _ in game.chance_outcomes(state)]
        again = [ply for ply in legal if str(ply) == "again"]
        done.append(again[0] if again and rng.random() < 0.9 else rng.choice(legal))
        state = game.apply(state, done[-1])
    text = str(Record(game, tuple(Seat(name) for name in "ABCDEF"), tuple(done), dice="scripted"))
    async with http(url, ATTACKER) as client:
        answer = await client.post("/api/analyses", json={"record": text})
        assert answer.status_code == 202, answer.text


ROWS: tuple[tuple[str, Attack, bool], ...] = (
    ("no attack, moves", nothing, False),
    ("no attack, bots", nothing, True),
    ("records of 262 kB, moves", records(32_700), False),
    ("records of 4,998 plies, moves", records(4_998), False),
    ("300 connections ask for hints, bots", hints, True),
    ("50 unattended tables, bots", unattended, True),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seconds", type=float, default=15)
    wanted = parser.parse_args()
    for name, attack, bot in ROWS:
        with server(wanted.python) as (url, _):
            found = sorted(asyncio.run(waits(url, attack, wanted.seconds, bot)))
            p50, longest = (1000 * statistics.median(found), 1000 * found[-1]) if found else (0, 0)
            print(
                f"{name:38} {len(found):5} waits, median {p50:8.1f} ms, longest {longest:8.1f} ms", flush=True
            )
    with server(wanted.python) as (url, process):
        asyncio.run(analysing(url))
        start = time.monotonic()
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(120)
        ended = "ended" if process.poll() is not None else "not ended"
        print(f"{'SIGTERM during an analysis':38} {ended} after {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
