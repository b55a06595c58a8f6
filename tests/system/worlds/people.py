"""Clients in a simulated world: they play, repeat commands, vanish, and return to any worker."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Any

from escadaria import wire
from escadaria.game import GameError
from escadaria.match.connection import Connection
from escadaria.match.room import Room
from escadaria.refusals import Ending
from system.faults.people import Receiver

if TYPE_CHECKING:
    from system.worlds.world import Worker, World

Json = dict[str, Any]

ANSWER_SECONDS = 15.0
"""A command must be answered within this time, or the connection be lost."""


class Client(Connection):
    """Receives the frames for a person."""

    def __init__(self, person: Person, inbox: asyncio.Queue[Json]) -> None:
        super().__init__(person.name, person.name)
        self._person = person
        self._inbox = inbox
        self._version = 0  # of the match when the client connected

    def send(self, *frames: bytes) -> None:
        if self.ending:
            return
        for text in frames:
            frame = json.loads(text)
            self._inbox.put_nowait(frame)
            if frame["type"] == "welcome":
                self._version = frame["version"]
            elif frame["type"] == "event" and frame["version"] > self._version:
                self._person.world.saw(self._person, frame["version"])

    def answer(self, *frames: bytes) -> None:
        self.send(*frames)

    def end(self, code: Ending) -> None:
        self.send(wire.frame(wire.Bye(code=code)))
        self.ending = self.ending or code


class Person:
    """A member of one match."""

    def __init__(self, world: World, match: str, token: str, name: str, rng: random.Random) -> None:
        self.world = world
        self.match = match
        self.token = token
        self.name = name
        self.rng = rng
        self.receiver = Receiver(world.witness, match, name)
        self.mine: list[int] = []
        self.now: Json = {}
        self.vanishing = 0.0
        """The chance to disconnect before each action."""
        self.sluggish = 0.0
        """The chance to think so long that the clock runs out."""
        self.pending: Json | None = None
        self._numbers = 0

    async def live(self) -> None:
        """Be connected most of the time, until the world ends."""
        while True:
            worker = self.rng.choice(self.world.living())
            visit = asyncio.create_task(self._visit(worker))
            worker.visits[visit] = None
            await asyncio.wait([visit])
            del worker.visits[visit]
            if not visit.cancelled() and (error := visit.exception()) is not None:
                raise error
            away = 7.0 if self.rng.random() < self.vanishing else 0.2
            await asyncio.sleep(self.rng.uniform(0.02, away))

    async def _visit(self, worker: Worker) -> None:
        inbox: asyncio.Queue[Json] = asyncio.Queue()
        connection = Client(self, inbox)
        room: Room | None = None
        worker.hub.enter(connection)
        try:
            hello = {"type": "hello", "token": self.token, "since": self.receiver.version or None}
            room = await worker.hub.room(self.match)
            await room.refresh()
            room.admit(connection, wire.parse_hello(json.dumps(hello)))
            await self._stay(room, connection, inbox)
        except GameError as error:
            self.world.note(f"{self.name} is refused: {error}")
        finally:
            connection.ending = connection.ending or "gone"
            if room is not None and not worker.store.database.dead:
                room.leave(connection)
            worker.hub.leave(connection)

    async def _stay(self, room: Room, connection: Connection, inbox: asyncio.Queue[Json]) -> None:
        loop = asyncio.get_running_loop()
        asked = 0.0
        if self.pending is not None:  # it may not have arrived
            room.submit(connection, wire.parse(json.dumps(self.pending)))
            asked = loop.time()
        while True:
            try:
                async with asyncio.timeout(1.0):
                    frame = await inbox.get()
            except TimeoutError:
                if self.pending is not None and asked and loop.time() - asked > ANSWER_SECONDS:
                    self.world.fail("answered", f"{self.name} got no answer to {self.pending}")
                frame = {"type": "nothing"}
            if frame["type"] in ("end", "bye"):
                return
            self._learn(frame)
            if self.rng.random() < self.vanishing / 10:
                return
            if not inbox.empty() or self.pending is not None or not self._may_act():
                if frame["type"] == "refused" and self.pending is not None:
                    await asyncio.sleep(0.3)  # the store was unavailable
                    room.submit(connection, wire.parse(json.dumps(self.pending)))
                    asked = loop.time()
                continue
            # A client thinks about the position that it has seen; others may be faster.
            slow = self.rng.random() < self.sluggish
            command = self._command()
            await asyncio.sleep(self._last_moment() if slow else self.rng.uniform(0, 0.4))
            if command is not None:
                self.pending = command
                self.world.witness.asked[self.match, command["id"]] = command
                for _ in range(2 if self.rng.random() < 0.1 else 1):
                    room.submit(connection, wire.parse(json.dumps(command)))
                asked = loop.time()

    def _learn(self, frame: Json) -> None:
        if frame["type"] != "nothing":
            self.receiver.receive(frame)
        match frame["type"]:
            case "welcome" | "you":
                self.mine = frame["mine"]
            case "snapshot":
                self.now = frame["now"]
            case "event":
                seats = self.now.get("seats")
                self.now = frame["now"] | {"seats": frame["now"].get("seats") or seats}
            case "accepted":
                if self.pending is not None and frame["id"] == self.pending["id"]:
                    self.pending = None
            case "refused":
                if self.pending is not None and frame["id"] == self.pending["id"]:
                    self.world.refusals[frame["code"]] += 1
                    if frame["code"] not in ("store_unavailable", "busy"):
                        self.pending = None

    def _last_moment(self) -> float:
        """How long to think in order to act when the clock runs out, a little before or after."""
        if (deadline := self.now.get("deadline")) is None:
            return self.rng.uniform(0, 5)
        left: float = deadline - self.world.clock.time()
        return max(0.0, left + self.rng.uniform(-0.015, 0.005))

    def _may_act(self) -> bool:
        return self.now.get("status") == "playing" and bool(self.mine) and not self.world.healing_is_over

    def _command(self) -> Json | None:
        self._numbers += 1
        ask = {"id": f"{self.name}-{self._numbers}", "version": self.receiver.version}
        seats = self.now.get("seats") or []
        for seat in self.mine:
            if seats and seats[seat]["bot"]:
                return {"type": "take_back", "seat": seat, **ask}
        if self.now["to_act"] in self.mine:
            return {"type": "act", "action": self.rng.choice(self.now["legal"]), **ask}
        return None
