"""Clients that play, reconnect, and record everything they receive."""

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
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from escadaria.client import MatchClient
from escadaria.refusals import Refused
from raw import RawClient, opened, socket_to
from serving import eventually

Json = dict[str, Any]

BROKEN = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError)
"""The exceptions of a lost connection."""

POSITION_FIELDS = ("status", "to_act", "legal", "position", "text", "winner", "ruling")
"""The fields of ``now`` that are the same for every client, whenever they are sent."""


def drawn() -> random.Random:
    """A random generator with a random seed, which is printed; ESCADARIA_SEED repeats one."""
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
        """The version in the answer."""
        self.refused: dict[tuple[str, str], set[str]] = defaultdict(set)
        """The codes."""
        self.refusals: Counter[str] = Counter()
        """The number of refusals by code."""
        self.tokens: dict[str, str] = {}
        """The token of the host, by match."""
        self.returns = 0
        """The number of reconnections."""
        self.byes: set[str] = set()
        """The codes of ``bye``."""
        self.wrong: list[str] = []
        """Descriptions of wrong frames."""

    def saw_a_finished_match(self) -> bool:
        """Whether the end of any match was received."""
        return any(event["status"] == "over" for match in self.events.values() for event in match.values())


class Receiver:
    """Checks the order of the frames of one client over all its connections: no gaps, no duplicates."""

    def __init__(self, witness: Witness, match: str, who: str) -> None:
        self.witness = witness
        self.match = match
        self.who = who
        self.version = 0
        self._role = ""

    def receive(self, frame: Json) -> None:
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
    """The identity of a person at one match, in any number of tabs."""

    name: str
    host: bool = False
    token: str | None = None
    next_token: str | None = None
    """The token at the next match of the table."""
    guest: str = field(default_factory=lambda: secrets.token_urlsafe(32))


class Person:
    """Plays with raw frames. Some are sent twice, cut in the middle, or followed by a reset."""

    def __init__(
        self, witness: Witness, urls: list[str], match: str, account: Account, rng: random.Random
    ) -> None:
        self.witness = witness
        self.urls = urls
        """Each connection uses a random one, as with a load balancer."""
        self.match = match
        self.account = account
        self.rng = rng
        self.receiver = Receiver(witness, match, account.name)
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
        self._last = ""

    def __str__(self) -> str:
        now = {key: self.now.get(key) for key in ("status", "to_act", "next")}
        return (
            f"{self.account.name} with seats {self.mine} at version {self.receiver.version}, {now}, "
            f"wants a rematch: {self.wants_rematch}, done: {self.done}, pending: {self._pending}, "
            f"last: {self._last}"
        )

    async def play(self) -> None:
        """Play the match to its end, reconnecting as needed."""
        while not self.done:
            try:
                async with socket_to(self.rng.choice(self.urls), self.match) as there:
                    await self._talk(there)
            except BROKEN as error:
                self._last = f"{error!r} after {self._last}"[:200]
            await asyncio.sleep(self.rng.uniform(0.02, 0.1))  # a pause before the next attempt

    async def _talk(self, there: RawClient) -> None:
        hello = {"type": "hello", "token": self.account.token, "guest": self.account.guest}
        await there.send(hello | {"since": self.receiver.version or None})
        current = 1
        while True:
            frame = await self._next(there)
            self._last = f"{frame['type']} {frame.get('code', '')}"
            self.receiver.receive(frame)
            self._learn(frame)
            if frame["type"] == "welcome":
                current = frame["version"]
                if self._pending is not None:  # it may not have arrived
                    await self._send(there, self._pending)
            if self.done:
                return
            if frame["type"] == "refused" and self._pending is not None:  # the store was unavailable
                await asyncio.sleep(0.05)  # a pause before the next attempt
                await self._send(there, self._pending)
            if self.receiver.version < current:  # the missed events follow
                continue
            if self._pending is None and (command := self._next_command()) is not None:
                await asyncio.sleep(self.rng.uniform(0, 0.02))  # thinks
                id = f"{self._tab}-{next(self._ids)}"
                self._pending = {"id": id, "version": self.receiver.version, **command}
                self.witness.asked[self.match, id] = self._pending
                await self._send(there, self._pending)

    async def _next(self, there: RawClient) -> Json:
        """The next frame. With several workers, poll with pings: see ``test_workers``."""
        if len(self.urls) == 1:
            return await there.read()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ASK_SECONDS):
                    return await there.read()
            id = f"{self._tab}-{next(self._ids)}"
            ping = {"type": "ping", "id": id, "version": self.receiver.version}
            self.witness.asked[self.match, id] = ping
            await there.send(ping)

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
                if frame.get("code") != "store_unavailable":  # that is retried with the same id
                    self._pending = None
        over = self.now["status"] == "over"
        self.done = over and not (self.wants_rematch and self.now["next"] is None)

    def _seated(self, frame: Json) -> None:
        self.account.token = self.account.token or frame.get("token")
        if self.account.token is None:
            self.witness.wrong.append(f"{self.match} {self.account.name}: a seat without a token: {frame}")
            self.done = True

    def _next_command(self) -> Json | None:
        """The next command to send, if any."""
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

    async def _send(self, there: RawClient, request: Json) -> None:
        chance = self.rng.random()
        if chance < 0.03:
            cut_mid_frame(there, request, self.rng)
            return
        await there.send(request)
        if chance < 0.06:
            await there.send(request)
        elif chance < 0.09:
            reset(there)


class Friend(MatchClient):
    """Plays with ``escadaria.client``, which reconnects automatically."""

    def __init__(self, witness: Witness, url: str, match: str, account: Account) -> None:
        super().__init__(url, match, account.token)
        self.account = account
        self.receiver = Receiver(witness, match, account.name)
        self._open = _Noted(self.receiver)

    async def _take(self, frame: Json) -> None:
        self.receiver.receive(frame)
        if frame.get("code") == "store_unavailable" and frame.get("id") in self._open:
            await asyncio.sleep(0.05)  # a pause before the next attempt
            if self._socket is not None:  # with the same id: the command may have been stored
                await self._socket.send(self._open[frame["id"]])
        else:
            await super()._take(frame)

    async def play(self, rng: random.Random, wants_rematch: bool, asks: bool) -> None:
        async with self, asyncio.TaskGroup() as group:
            asking = group.create_task(self._ask_often()) if asks else None
            await self._play(rng, wants_rematch)
            if asking is not None:
                asking.cancel()

    async def _ask_often(self) -> None:
        while True:
            await asyncio.sleep(ASK_SECONDS)  # polls
            with contextlib.suppress(Refused):
                await self.request("ping")

    async def _play(self, rng: random.Random, wants_rematch: bool) -> None:
        if not self.mine:
            await self.sit(self.account.name)
            self.account.token = self.token
            if self.token is None:
                self.receiver.witness.wrong.append(
                    f"{self.match} {self.account.name}: a seat without a token"
                )
                return
        if self.account.host and self.status == "waiting":
            await self.wait_for(lambda: all(seat["name"] for seat in self.seats))
            with contextlib.suppress(Refused):
                await self.start()
        async for turn in self.turns():
            await asyncio.sleep(rng.uniform(0, 0.02))  # thinks
            with contextlib.suppress(Refused):  # another tab was first
                await turn.act(rng.choice(turn.legal))
        if wants_rematch and self.account.host and not self.now["next"]:
            await self.request("rematch")
        if wants_rematch:
            await self.wait_for(lambda: self.now["next"])
            self.account.next_token = self.next_token or self.account.next_token


class _Noted(dict[str, str]):
    """The unanswered requests of a client, recorded by the witness."""

    def __init__(self, receiver: Receiver) -> None:
        super().__init__()
        self.receiver = receiver

    def __setitem__(self, id: str, text: str) -> None:
        self.receiver.witness.asked[self.receiver.match, id] = json.loads(text)
        super().__setitem__(id, text)


ASK_SECONDS = 0.2
"""The interval of polling with several workers."""

SETTINGS: Json = {"pace": 0, "grace": None}


@dataclass(frozen=True)
class Plan:
    """The game and the players of a table."""

    game: str
    options: Json
    people: str
    """A letter for each: ``p`` uses raw frames, ``t`` raw frames in two tabs, ``c`` the client library."""
    bots: int = 0


TABLES = (
    Plan("rapido", {"players": 2, "finish": 5}, "pp"),
    Plan("rapido", {"players": 3, "finish": 10}, "ct", bots=1),
    Plan("chain", {"players": 3, "board": "short"}, "pc", bots=1),
    Plan("chain", {"players": 2, "board": "short"}, "tp"),
    Plan("rapido", {"players": 4, "finish": 5}, "pcpp"),
    Plan("chain", {"players": 2, "board": "short"}, "cp"),
    Plan("rapido", {"players": 2, "finish": 5}, "p", bots=1),
    Plan("chain", {"players": 6, "board": "short"}, "pctppp"),
)
"""The load; the first three have people of all kinds, both games, and bots."""


class Party:
    """People who play one match after the other."""

    def __init__(self, witness: Witness, urls: list[str], plan: Plan, rng: random.Random) -> None:
        self.witness = witness
        self.urls = urls
        self.plan = plan
        self.rng = rng
        self.matches: list[str] = []
        self.people: list[Person] = []
        """Those with raw frames, at the current match."""
        self.task: asyncio.Task[None] | None = None

    def __str__(self) -> str:
        return f"{self.plan} goes on, at match {self.matches[-1:]} with {'; '.join(map(str, self.people))}"

    @property
    def progress(self) -> int:
        """The number of received events. Raises the exception of a person who failed."""
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
        match = await opened(
            self.rng.choice(self.urls), self.plan.game, retries=True, options=self.plan.options,
            settings=settings, bots=["simple"] * self.plan.bots,
        )  # fmt: skip
        return match["match"], match["token"]

    async def _play(self, match: str, accounts: list[Account]) -> str | None:
        """Play one match; return the next one at the same table, if there is a rematch."""
        rematch = self.rng.random() < 0.5
        people = self.people = []
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
            await asyncio.sleep(0.02)  # polls
        await person.play()

    def _dice(self) -> random.Random:
        return random.Random(self.rng.getrandbits(64))


@contextlib.asynccontextmanager
async def playing(
    witness: Witness, urls: list[str], rng: random.Random, tables: int = len(TABLES)
) -> AsyncIterator[list[Party]]:
    """Play at the first tables concurrently until the end of the block."""
    parties = [Party(witness, urls, plan, random.Random(rng.getrandbits(64))) for plan in TABLES[:tables]]
    for party in parties:
        party.task = asyncio.create_task(party.play_on())
    try:
        yield parties
    finally:
        tasks = [party.task for party in parties if party.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def load(parties: list[Party], rng: random.Random) -> None:
    """Let them play for a random time."""
    until = sum(party.progress for party in parties) + rng.randint(1, 25 * len(parties))
    await eventually(lambda: sum(party.progress for party in parties) >= until, "the tables go on")
    await asyncio.sleep(rng.uniform(0, 0.02))  # any moment of a request


async def every_party_progresses(parties: list[Party]) -> None:
    """Wait until each table makes progress."""
    before = [party.progress for party in parties]
    for party, progress in zip(parties, before, strict=True):
        await eventually(partial(party.is_beyond, progress + 5), party)


def cut_mid_frame(there: RawClient, request: Json, rng: random.Random) -> None:
    """Send the beginning of a frame, then reset the connection."""
    data = Frame(Opcode.TEXT, json.dumps(request).encode()).serialize(mask=True)
    if there.socket.state is State.OPEN:
        there.socket.transport.write(data[: rng.randrange(1, len(data))])
    reset(there)


def reset(there: RawClient) -> None:
    """Reset the connection without a close frame."""
    transport = there.socket.transport
    raw: socket.socket = transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
