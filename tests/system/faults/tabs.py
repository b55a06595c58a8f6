"""Single connections, controlled frame by frame."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.client import ClientConnection, connect

from serving import PATIENCE, Server
from system.faults.people import Json, Receiver, Witness, open_match

TWO = {"game": "rapido", "options": {"players": 2}, "settings": {"grace": None}}


class Tab:
    """One connection, controlled frame by frame."""

    def __init__(self, there: ClientConnection, receiver: Receiver) -> None:
        self.there = there
        self.receiver = receiver

    async def send(self, **frame: object) -> None:
        await self.there.send(json.dumps(frame))

    async def receive(self, *types: str) -> Json:
        """The next frame of one of these types."""
        async with asyncio.timeout(PATIENCE):
            while True:
                frame: Json = json.loads(await self.there.recv())
                self.receiver.receive(frame)
                if frame["type"] in types:
                    return frame

    async def ask(self, type: str, version: int | None = None, id: str = "", **fields: object) -> Json:
        """Send a command and return its answer."""
        id = id or secrets.token_hex(8)
        version = self.receiver.version if version is None else version
        self.receiver.witness.asked[self.receiver.match, id] = {"type": type, **fields}
        await self.send(type=type, id=id, version=version, **fields)
        return await self.answer(id)

    async def catch_up(self, version: int) -> None:
        """Send pings until the server has the events of another one."""
        async with asyncio.timeout(PATIENCE):
            while self.receiver.version < version:
                await self.ask("ping")
                await asyncio.sleep(0.02)

    async def answer(self, id: str) -> Json:
        while True:
            frame = await self.receive("accepted", "refused")
            if frame["id"] == id:
                return frame


@asynccontextmanager
async def tab(
    server: Server, match: str, witness: Witness, *, since: int | None = None, **hello: object
) -> AsyncIterator[Tab]:
    """A connection that is admitted and up to date. It sends no pings, which would also end a silent one."""
    address = f"ws://127.0.0.1:{server.port}/api/matches/{match}/socket"
    async with connect(
        address, proxy=None, max_size=2**22, open_timeout=PATIENCE, close_timeout=1, ping_interval=None
    ) as there:
        receiver = Receiver(witness, match, "tab")
        receiver.version = since or 0
        opened = Tab(there, receiver)
        await opened.send(type="hello", since=since, **hello)
        await opened.receive("welcome")
        if since is None:
            await opened.receive("snapshot")
        yield opened


async def two_people(server: Server, witness: Witness) -> tuple[str, str, str]:
    """A started match: its id and the tokens of its two people. The first is to act."""
    opened = await open_match(server.url, TWO | {"people": [{"name": "Ana"}]})
    match = opened["match"]
    async with tab(server, match, witness) as guest:
        token = (await guest.ask("sit", name="Rui"))["token"]
    async with tab(server, match, witness, token=opened["token"]) as host:
        assert (await host.ask("start"))["type"] == "accepted"
    return match, opened["token"], token


def verdict(answer: Json) -> str:
    """``accepted``, or the code of the refusal."""
    return str(answer["code"] if answer["type"] == "refused" else answer["type"])
