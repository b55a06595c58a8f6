"""Matches in one process: whole matches by commands and frames, without a server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from escadaria import bodies, catalogue, wire
from escadaria.local import LocalConnection, LocalMatches
from escadaria.record import read, verify
from escadaria.refusals import Refused

Json = dict[str, Any]

COUNTS = [
    (name, players)
    for name, kit in catalogue.KITS.items()
    for option in kit.game.OPTIONS
    if option.name == "players"
    for players in range(option.low, option.high + 1)
]


class Client:
    """A person at a match, with all frames that they have received."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[Json] = asyncio.Queue()
        self.connection: LocalConnection
        self.version = 0
        self.now: Json = {}

    async def connect(self, matches: LocalMatches, match: str, **hello: Any) -> None:
        self.connection = await matches.connect(match, wire.Hello(**hello), self.receive)

    def receive(self, frame: bytes) -> None:
        self.frames.put_nowait(json.loads(frame))

    async def expect(self, *types: str) -> Json:
        """The next frame of one of these types."""
        while True:
            frame = await asyncio.wait_for(self.frames.get(), 60)
            if frame["type"] in ("snapshot", "event"):
                self.version, self.now = frame["version"], frame["now"]
            if frame["type"] in types:
                return frame

    async def ask(self, type: str, **fields: Any) -> Json:
        command = {"type": type, "id": f"{type}-{self.version}", "version": self.version, **fields}
        self.connection.submit(json.dumps(command))
        return await self.expect("accepted", "refused")

    async def play(self) -> None:
        """Play the last of the legal actions until the match is over."""
        while self.now["status"] == "playing":
            if self.now["to_act"] == 0:
                answer = await self.ask("act", action=self.now["legal"][-1])
                assert answer["type"] == "accepted", answer
            else:
                await self.expect("event")


def opening(name: str, players: int, **settings: Any) -> bodies.Open:
    return bodies.Open(
        game=name,
        options={"players": players},
        people=[bodies.Person(name="Ana")],
        bots=["simple", *["random"] * (players - 2)],
        settings=wire.WantedSettings(pace=0, **settings),
        start=True,
    )


@pytest.mark.parametrize("name, players", COUNTS)
def test_a_whole_match_is_played_in_one_process(name: str, players: int) -> None:
    async def play() -> None:
        matches, ana, guest = LocalMatches(), Client(), Client()
        opened = matches.open(opening(name, players))
        await ana.connect(matches, opened.match, token=opened.token)
        await guest.connect(matches, opened.match)
        assert (await ana.expect("welcome"))["role"] == "host"
        await ana.expect("snapshot")
        await ana.play()
        assert ana.now["winner"] in range(players) and ana.now["secret"]
        assert (await guest.expect("event"))["now"]["status"] == "over", "guests are not sent the play"
        room = matches.rooms[opened.match]
        assert [stored.version for stored in matches.store.matches[opened.match]] == list(
            range(1, ana.version + 1)
        )
        assert verify(read(str(room.match.record(room.events.date)))).fair
        rematch = await ana.ask("rematch")
        await ana.connect(matches, rematch["match"], token=rematch["token"])
        assert (await ana.expect("snapshot"))["game"] == name
        await matches.close()

    asyncio.run(play())


def test_hints_stand_ins_and_refusals_are_those_of_the_server() -> None:
    async def play() -> None:
        matches, ana = LocalMatches(), Client()
        name = next(iter(catalogue.KITS))
        opened = matches.open(opening(name, 2, practice=True, clock=1))
        await ana.connect(matches, opened.match, token=opened.token)
        await ana.expect("snapshot")
        await ana.ask("act", action=ana.now["legal"][0])
        assert (await ana.ask("hint"))["action"] in ana.now["legal"]
        assert (await ana.ask("act", action="nonsense"))["code"] == "invalid_text"
        ana.connection.submit("[")
        assert (await ana.expect("refused"))["code"] == "malformed"
        assert (await ana.expect("clock"))["seat"] == 0
        while (event := (await ana.expect("event"))["event"])["action"] != "bot simple":
            pass
        assert event["seat"] == 0
        assert (await ana.ask("take_back"))["type"] == "accepted"
        code = (await ana.ask("recover"))["code"]
        other = Client()
        await other.connect(matches, opened.match, recover=code)
        assert (await other.expect("welcome"))["mine"] == [0]
        assert (await ana.expect("bye"))["code"] == "moved"
        with pytest.raises(Refused, match="no such match"):
            await ana.connect(matches, "none")
        await matches.close()

    asyncio.run(play())


UNWANTED = {
    *("numpy", "numba", "uvicorn", "litestar", "websockets", "httptools", "prometheus_client", "sqlite3"),
    *("psycopg", "redis", "socketserver", "http.server", "multiprocessing", "concurrent.futures.thread"),
    *("escadaria.server", "escadaria.coach"),
}


def test_it_imports_neither_numpy_nor_servers_nor_databases() -> None:
    script = """
import asyncio, json, sys
from escadaria import bodies, wire
from escadaria.catalogue import KITS
from escadaria.local import LocalMatches

async def play(name):
    matches, over = LocalMatches(), asyncio.Event()
    opened = matches.open(bodies.Open(game=name, bots=["simple", "random"], people=[], start=True,
        options={"players": 2}, settings=wire.WantedSettings(pace=0)))
    def receive(frame):
        if json.loads(frame).get("now", {}).get("status") == "over":
            over.set()
    await matches.connect(opened.match, wire.Hello(token=opened.token), receive)
    await asyncio.wait_for(over.wait(), 60)
    await matches.close()

for name in KITS:
    asyncio.run(play(name))
print(*sys.modules, sep="\\n")
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "escadaria.match.room" in loaded
    assert loaded & UNWANTED == set()
