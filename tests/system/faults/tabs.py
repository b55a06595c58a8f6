"""Single connections whose frames are recorded and compared."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection

from raw import RawClient, connected, duel
from serving import Server
from system.faults.check import check
from system.faults.people import Receiver, Witness


class Tab(RawClient):
    """One connection. Commands have the version of the last event that it received."""

    def __init__(self, socket: ClientConnection, receiver: Receiver) -> None:
        super().__init__(socket)
        self.receiver = receiver

    @property
    def version(self) -> int:
        return self.receiver.version

    async def ask(self, type: str, version: int | None = None, **fields: Any) -> dict[str, Any]:
        return await super().ask(type, self.version if version is None else version, **fields)

    async def send(self, frame: str | bytes | dict[str, Any]) -> None:
        if isinstance(frame, dict) and "id" in frame:
            self.receiver.witness.asked[self.receiver.match, frame["id"]] = frame
        await super().send(frame)

    async def catch_up(self, version: int) -> None:
        """Send pings until the server has the events up to a version, and no more."""
        while self.version < version:
            await self.ask("ping")
        assert self.version == version

    async def _receive(self) -> dict[str, Any]:
        frame = await super()._receive()
        self.receiver.receive(frame)
        return frame


@asynccontextmanager
async def tab(
    server: Server, match: str, witness: Witness, *, since: int | None = None, **hello: Any
) -> AsyncIterator[Tab]:
    """A connection that is admitted and up to date. It sends no pings, which would also end a silent one."""
    async with connected(server.url, match, close_timeout=1, ping_interval=None) as socket:
        receiver = Receiver(witness, match, "tab")
        receiver.version = since or 0
        opened = Tab(socket, receiver)
        await opened.send({"type": "hello", "since": since, **hello})
        await opened.expect("welcome")
        if since is None:
            await opened.expect("snapshot")
        yield opened


class Scene:
    """A match of two people, Ana and Rui; Ana is to act."""

    def __init__(self, server: Server, match: str, ana: str, rui: str) -> None:
        self.server = server
        self.match = match
        self.ana = ana
        self.rui = rui
        self.witness = Witness()

    def tab(
        self, token: str, server: Server | None = None, since: int | None = None
    ) -> AbstractAsyncContextManager[Tab]:
        """A connection with one of their tokens, at the server where they play or at another one."""
        return tab(server or self.server, self.match, self.witness, since=since, token=token)


@asynccontextmanager
async def scene(server: Server) -> AsyncIterator[Scene]:
    """A new match. At the end all received events are stored."""
    match, rui = await duel(server.url, grace=None)
    here = Scene(server, match["match"], match["token"], rui)
    yield here
    check(server.database, here.witness)


async def race(here: Scene, pairs: tuple[tuple[Tab, Tab], tuple[Tab, Tab]], rng: random.Random) -> None:
    """Both tabs of the player to act send a command at once: the same one, or one each. One thing happens."""
    now: dict[str, Any] = {"status": "playing", "to_act": 0, "legal": ["roll"]}
    for number in range(40):
        left, right = both = pairs[now["to_act"]]
        version, same = left.version, rng.random() < 0.5
        ids = [f"both-{number}"] * 2 if same else [f"left-{number}", f"right-{number}"]
        actions = [rng.choice(now["legal"])] * 2 if same else [rng.choice(now["legal"]) for _ in ids]
        for there, id, action in zip(both, ids, actions, strict=True):
            await there.send({"type": "act", "id": id, "version": version, "action": action})
        answers = [await left.answer(ids[0]), await right.answer(ids[1])]
        for there in (*pairs[0], *pairs[1]):
            await there.catch_up(version + 1)
        now = here.witness.events[here.match][version + 1]
        late = "over" if now["status"] == "over" else "stale_version"
        assert sorted(map(verdict, answers)) == ["accepted", "accepted" if same else late]
        assert [answer["version"] for answer in answers] == [version + 1] * 2
        if now["status"] == "over":
            break


def verdict(answer: dict[str, Any]) -> str:
    """``accepted``, or the code of the refusal."""
    return str(answer["code"] if answer["type"] == "refused" else answer["type"])
