"""People who play by the protocol, come back by themselves, and keep everything they receive."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import random
import secrets
import socket
import struct
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from escadaria.client import Table
from escadaria.refusals import Refused
from faults.serving import eventually

Json = dict[str, Any]

BROKEN = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError)
"""What a connection that breaks raises."""

POSITION_FIELDS = ("status", "to_act", "legal", "position", "text", "winner", "ruling")
"""What an event says about the position: the same for every client, whenever it is sent."""


def seeded() -> random.Random:
    """Choices that can be repeated."""
    seed = int(os.environ.get("ESCADARIA_SEED", random.SystemRandom().randrange(10**6)))
    print(f"ESCADARIA_SEED={seed}")
    return random.Random(seed)


class Witness:
    """Everything that any client received, at all tables."""

    def __init__(self) -> None:
        self.events: dict[str, dict[int, Json]] = defaultdict(dict)
        """By match and version, as first received."""
        self.snapshots: list[tuple[str, Json]] = []
        self.asked: dict[tuple[str, str], Json] = {}
        """By match and id."""
        self.accepted: dict[tuple[str, str], int] = {}
        """The version that the answer named."""
        self.refused: dict[tuple[str, str], set[str]] = defaultdict(set)
        """The codes."""
        self.refusals: Counter[str] = Counter()
        """How often each code was heard."""
        self.tokens: dict[str, str] = {}
        """Of the host, by match."""
        self.returns = 0
        """How often somebody came back to a match."""
        self.byes: set[str] = set()
        """The reasons that the server ended connections for."""
        self.wrong: list[str] = []
        """What the server should never have said."""

    def saw_an_end(self) -> bool:
        """Whether the end of any match was received."""
        return any(event["status"] == "over" for match in self.events.values() for event in match.values())


class Ear:
    """One client's frames in their order, whatever its connections: nothing is left out or sent twice."""

    def __init__(self, witness: Witness, match: str, who: str) -> None:
        self.witness = witness
        self.match = match
        self.who = who
        self.version = 0
        self._role = ""

    def hear(self, frame: Json) -> None:
        match frame["type"]:
            case "welcome" | "you":
                self.witness.returns += frame["type"] == "welcome" and self.version > 0
                self._role = frame["role"]
                self._check(frame.get("version", self.version) >= self.version, frame, "the match went back")
            case "snapshot":
                self._check(frame["version"] >= self.version, frame, "the match went back")
                self.version = frame["version"]
                self.witness.snapshots.append((self.match, frame))
            case "event":
                due = frame["version"] == self.version + 1
                self._check(
                    due or (self._role == "guest" and frame["version"] > self.version), frame, "order"
                )
                self.version = frame["version"]
                self._compare(frame)
            case "accepted":
                due = frame["version"] <= self.version or self._role == "guest"
                self._check(due, frame, "answered before its event was sent")
                version = self.witness.accepted.setdefault((self.match, frame["id"]), frame["version"])
                pinged = self.witness.asked.get((self.match, frame["id"]), {}).get("type") == "ping"
                self._check(pinged or version == frame["version"], frame, f"answered with {version} before")
            case "bye":
                self.witness.byes.add(frame["code"])
            case "refused":
                self.witness.refused[self.match, frame["id"]].add(frame["code"])
                self.witness.refusals[frame["code"]] += 1

    def _compare(self, frame: Json) -> None:
        received = {key: frame[key] for key in ("version", "time", "event", "steps")}
        if self._role != "guest":  # guests do not see the position
            received |= {key: frame["now"][key] for key in POSITION_FIELDS}
        first = self.witness.events[self.match].setdefault(frame["version"], received)
        same = all(first[key] == received[key] for key in first.keys() & received.keys())
        self._check(same, frame, f"received otherwise before: {first}")
        self.witness.events[self.match][frame["version"]] = first | received

    def _check(self, fine: bool, frame: Json, what: str) -> None:
        if not fine:
            self.witness.wrong.append(
                f"{self.match} {self.who} ({self._role}) at {self.version}: {what}: {frame}"
            )


@dataclass
class Account:
    """Who somebody is at one match, with however many tabs."""

    name: str
    host: bool = False
    token: str | None = None
    next_token: str | None = None
    """At the next match of the table."""
    guest: str = field(default_factory=lambda: secrets.token_urlsafe(32))


class Person:
    """Plays by raw frames. Some frames are sent twice, or cut in the middle, or followed by a reset."""

    def __init__(
        self, witness: Witness, urls: list[str], match: str, account: Account, rng: random.Random
    ) -> None:
        self.witness = witness
        self.urls = urls
        """One of them is chosen anew for each connection, as a load balancer does."""
        self.match = match
        self.account = account
        self.rng = rng
        self.ear = Ear(witness, match, account.name)
        self.mine: list[int] = []
        self.now: Json = {"status": "waiting"}
        self.seats: list[Json] = []
        self.settings: Json = {}
        self.wants_rematch = False
        self.sits = True
        self.done = False
        self._pending: Json | None = None
        self._ids = itertools.count(1)
        self._tab = secrets.token_hex(6)

    async def play(self) -> None:
        """Play the match to its end, however often the connection breaks."""
        while not self.done:
            url = self.rng.choice(self.urls).replace("http", "ws", 1)
            address = f"{url}/api/matches/{self.match}/socket"
            with contextlib.suppress(*BROKEN):
                async with connect(address, max_size=2**22, open_timeout=5, proxy=None) as there:
                    await self._talk(there)
            await asyncio.sleep(self.rng.uniform(0.02, 0.1))

    async def _talk(self, there: ClientConnection) -> None:
        hello = {"type": "hello", "token": self.account.token, "guest": self.account.guest}
        await there.send(json.dumps(hello | {"since": self.ear.version or None}))
        current = 1
        while True:
            frame = await self._next(there)
            self.ear.hear(frame)
            self._learn(frame)
            if frame["type"] == "welcome":
                current = frame["version"]
                if self._pending is not None:  # perhaps it was never heard
                    await self._send(there, self._pending)
            if self.done:
                return
            if frame["type"] == "refused" and self._pending is not None:  # nothing could be stored
                await asyncio.sleep(0.05)
                await self._send(there, self._pending)
            if self.ear.version < current:  # what was missed is on its way
                continue
            if self._pending is None and (wish := self._wish()) is not None:
                await asyncio.sleep(self.rng.uniform(0, 0.02))
                id = f"{self._tab}-{next(self._ids)}"
                self._pending = {"id": id, "version": self.ear.version, **wish}
                self.witness.asked[self.match, id] = self._pending
                await self._send(there, self._pending)

    async def _next(self, there: ClientConnection) -> Json:
        """The next frame. Where there are several workers, ask for it: see ``test_workers``."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ASK_SECONDS if len(self.urls) > 1 else None):
                    frame: Json = json.loads(await there.recv())
                    return frame
            id = f"{self._tab}-{next(self._ids)}"
            ping = {"type": "ping", "id": id, "version": self.ear.version}
            self.witness.asked[self.match, id] = ping
            await there.send(json.dumps(ping))

    def _learn(self, frame: Json) -> None:
        match frame["type"]:
            case "welcome" | "you":
                self.mine = frame["mine"]
                self.account.next_token = frame["next_token"] or self.account.next_token
            case "snapshot" | "event":
                self.settings = frame.get("settings", self.settings)
                self.now = frame["now"]
                self.seats = self.now["seats"] or self.seats
            case "accepted" | "refused" if self._pending and frame["id"] == self._pending["id"]:
                if self._pending["type"] == "sit" and frame["type"] == "accepted":
                    self._seated(frame)
                if frame.get("code") != "store_unavailable":  # that is asked again, by the same id
                    self._pending = None
        over = self.now["status"] == "over"
        self.done = over and not (self.wants_rematch and self.now["next"] is None)

    def _seated(self, frame: Json) -> None:
        self.account.token = self.account.token or frame.get("token")
        if self.account.token is None:
            self.witness.wrong.append(f"{self.match} {self.account.name}: a seat without a token: {frame}")
            self.done = True

    def _wish(self) -> Json | None:
        """What to ask for now."""
        if self.now["status"] == "waiting":
            if self.sits and not self.mine:
                return {"type": "sit", "name": self.account.name, "entropy": f"{self.rng.getrandbits(128):x}"}
            ready = self.account.host and all(seat["name"] for seat in self.seats)
            return {"type": "start"} if ready else None
        if self.now["status"] == "over":
            return {"type": "rematch"} if self.account.host and self.wants_rematch else None
        chance = self.rng.random()
        if chance < 0.01:
            return {"type": "ping"}
        if self.account.host and chance < 0.02:
            return {"type": "configure", "settings": self.settings | {"watch": chance < 0.015}}
        if self.now["to_act"] not in self.mine or self.seats[self.now["to_act"]]["bot"]:  # it has resigned
            return None
        if chance < 0.022:
            return {"type": "resign"}
        return {"type": "act", "action": self.rng.choice(self.now["legal"]), "seat": self.now["to_act"]}

    async def _send(self, there: ClientConnection, request: Json) -> None:
        text = json.dumps(request)
        chance = self.rng.random()
        if chance < 0.03:
            cut_mid_frame(there, text, self.rng)
            return
        await there.send(text)
        if chance < 0.06:
            await there.send(text)
        elif chance < 0.09:
            reset(there)


class Friend(Table):
    """Plays by ``escadaria.client``, which comes back by itself."""

    def __init__(self, witness: Witness, url: str, match: str, account: Account) -> None:
        super().__init__(url, match, account.token)
        self.account = account
        self.ear = Ear(witness, match, account.name)
        self._open = _Noted(self.ear)

    async def _take(self, frame: Json) -> None:
        self.ear.hear(frame)
        await super()._take(frame)

    async def play(self, rng: random.Random, wants_rematch: bool, asks: bool) -> None:
        async with self, asyncio.TaskGroup() as group:
            asking = group.create_task(self._ask_often()) if asks else None
            await self._play(rng, wants_rematch)
            if asking is not None:
                asking.cancel()

    async def _ask_often(self) -> None:
        while True:
            await asyncio.sleep(ASK_SECONDS)
            with contextlib.suppress(Refused):
                await self.request("ping")

    async def _play(self, rng: random.Random, wants_rematch: bool) -> None:
        if not self.mine:
            await patiently(lambda: self.sit(self.account.name))
            self.account.token = self.token
            if self.token is None:
                self.ear.witness.wrong.append(f"{self.match} {self.account.name}: a seat without a token")
                return
        if self.account.host and self.status == "waiting":
            await self.wait_for(lambda: all(seat["name"] for seat in self.seats))
            with contextlib.suppress(Refused):
                await patiently(self.start)
        async for turn in self.turns():
            await asyncio.sleep(rng.uniform(0, 0.02))
            action = rng.choice(turn.legal)
            with contextlib.suppress(Refused):  # another tab was first
                await patiently(partial(turn.act, action))
        if wants_rematch and self.account.host and not self.now["next"]:
            await patiently(lambda: self.request("rematch"))
        if wants_rematch:
            await self.wait_for(lambda: self.now["next"])
            self.account.next_token = self.next_token or self.account.next_token


class _Noted(dict[str, str]):
    """The requests of a client that are not answered yet; the witness keeps what they were."""

    def __init__(self, ear: Ear) -> None:
        super().__init__()
        self.ear = ear

    def __setitem__(self, id: str, text: str) -> None:
        self.ear.witness.asked[self.ear.match, id] = json.loads(text)
        super().__setitem__(id, text)


ASK_SECONDS = 0.2
"""After how long without news people ask, where there are several workers."""

SETTINGS: Json = {"pace": 0, "grace": None}


@dataclass(frozen=True)
class Plan:
    """Who plays what at a table."""

    game: str
    options: Json
    people: str
    """A letter for each: ``p`` plays by raw frames, ``t`` too and in two tabs, ``c`` by the client."""
    bots: int = 0


TABLES = (
    Plan("rapido", {"players": 2, "finish": 5}, "pp"),
    Plan("rapido", {"players": 3, "finish": 10}, "ct", bots=1),
    Plan("chain", {"players": 2, "board": "short"}, "tp"),
    Plan("chain", {"players": 3, "board": "short"}, "pc", bots=1),
    Plan("rapido", {"players": 4, "finish": 5}, "pcpp"),
    Plan("chain", {"players": 2, "board": "short"}, "cp"),
    Plan("rapido", {"players": 2, "finish": 5}, "p", bots=1),
    Plan("chain", {"players": 6, "board": "short"}, "pctppp"),
)
"""The load."""


class Party:
    """Some people who open a match, play it, and then the next one, for ever."""

    def __init__(self, witness: Witness, urls: list[str], plan: Plan, rng: random.Random) -> None:
        self.witness = witness
        self.urls = urls
        self.plan = plan
        self.rng = rng
        self.matches: list[str] = []
        self.task: asyncio.Task[None] | None = None

    @property
    def progress(self) -> int:
        """The number of events that its people have received. Raises what stopped them, if anything did."""
        if self.task is not None and self.task.done():
            self.task.result()
        return sum(len(self.witness.events[match]) for match in self.matches)

    def is_beyond(self, progress: int) -> bool:
        return self.progress > progress

    async def play_on(self) -> None:
        names = [f"{letter}{number}" for number, letter in enumerate(self.plan.people, 1)]
        while True:
            accounts = [Account(name) for name in names]
            accounts[0].host = True
            match: str | None
            match, accounts[0].token = await self._open()
            while match:
                self.matches.append(match)
                assert accounts[0].token is not None, "the host has one"
                self.witness.tokens[match] = accounts[0].token
                match = await self._play(match, accounts)
                for account in accounts:
                    account.token, account.next_token = account.next_token, None

    async def _open(self) -> tuple[str, str]:
        settings = SETTINGS | {"starts": self.rng.choice(["first", "random", "loser"])}
        wish = {"game": self.plan.game, "options": self.plan.options, "settings": settings}
        opened = await open_match(self.rng.choice(self.urls), wish | {"bots": ["simple"] * self.plan.bots})
        return opened["match"], opened["token"]

    async def _play(self, match: str, accounts: list[Account]) -> str | None:
        """Play one match; the next one at the same table, if they go on there."""
        rematch = self.rng.random() < 0.5
        people: list[Person] = []
        async with asyncio.TaskGroup() as group:
            for account in accounts:
                if account.name[0] == "c":
                    friend = Friend(self.witness, self.rng.choice(self.urls), match, account)
                    group.create_task(friend.play(self._dice(), rematch, len(self.urls) > 1))
                    continue
                for tab in range(1 + (account.name[0] == "t")):
                    person = Person(self.witness, self.urls, match, account, self._dice())
                    person.wants_rematch, person.sits = rematch, tab == 0
                    people.append(person)
                    group.create_task(person.play() if tab == 0 else self._second_tab(person))
        return next((person.now["next"] for person in people), None) if rematch else None

    async def _second_tab(self, person: Person) -> None:
        while person.account.token is None:
            await asyncio.sleep(0.02)
        await person.play()

    def _dice(self) -> random.Random:
        return random.Random(self.rng.getrandbits(64))


@contextlib.asynccontextmanager
async def playing(witness: Witness, urls: list[str], rng: random.Random) -> AsyncIterator[list[Party]]:
    """All tables at once; they stop, wherever they are, at the end of the block."""
    parties = [Party(witness, urls, plan, random.Random(rng.getrandbits(64))) for plan in TABLES]
    tasks = []
    for party in parties:
        party.task = asyncio.create_task(party.play_on())
        tasks.append(party.task)
    try:
        yield parties
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def load(parties: list[Party], rng: random.Random) -> None:
    """Let them play for a random while."""
    until = sum(party.progress for party in parties) + rng.randint(1, 200)
    await eventually(lambda: sum(party.progress for party in parties) >= until, "the tables go on")
    await asyncio.sleep(rng.uniform(0, 0.02))


async def everybody_goes_on(parties: list[Party]) -> None:
    """Each table comes back by itself."""
    before = [party.progress for party in parties]
    for party, progress in zip(parties, before, strict=True):
        await eventually(partial(party.is_beyond, progress + 5), f"{party.plan} goes on")


async def open_match(url: str, wish: Json) -> Json:
    """Open a match, as soon as the server is there."""
    async with httpx.AsyncClient(timeout=10, trust_env=False, verify=False) as http:
        while True:
            with contextlib.suppress(httpx.TransportError):
                response = await http.post(f"{url}/api/matches", json=wish)
                if response.is_success:
                    opened: Json = response.json()
                    return opened
                assert response.status_code == 503, response.text
            await asyncio.sleep(0.05)


async def patiently(ask: Callable[[], Awaitable[Any]]) -> Any:
    """Ask again while nothing can be stored."""
    while True:
        try:
            return await ask()
        except Refused as error:
            if error.code != "store_unavailable":
                raise
        await asyncio.sleep(0.05)


def cut_mid_frame(there: ClientConnection, text: str, rng: random.Random) -> None:
    """Send the beginning of a frame, then reset the connection."""
    data = Frame(Opcode.TEXT, text.encode()).serialize(mask=True)
    if there.state is State.OPEN:
        there.transport.write(data[: rng.randrange(1, len(data))])
    reset(there)


def reset(there: ClientConnection) -> None:
    """Break the connection without a word of farewell."""
    raw: socket.socket = there.transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    there.transport.abort()
