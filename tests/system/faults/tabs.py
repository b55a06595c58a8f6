"""Single connections whose frames are recorded and compared."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection

from serving import Server
from system.faults.people import Receiver, Witness
from wire import Wire, connected


class Tab(Wire):
    """One connection. Commands have the version of the last event that it received."""

    def __init__(self, socket: ClientConnection, receiver: Receiver) -> None:
        super().__init__(socket)
        self.receiver = receiver

    async def ask(self, type: str, version: int | None = None, **fields: Any) -> dict[str, Any]:
        return await super().ask(type, self.receiver.version if version is None else version, **fields)

    async def send(self, frame: str | bytes | dict[str, Any]) -> None:
        if isinstance(frame, dict) and "id" in frame:
            self.receiver.witness.asked[self.receiver.match, frame["id"]] = frame
        await super().send(frame)

    async def catch_up(self, version: int) -> None:
        """Send pings until the server has the events of another one."""
        while self.receiver.version < version:
            await self.ask("ping")

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


def verdict(answer: dict[str, Any]) -> str:
    """``accepted``, or the code of the refusal."""
    return str(answer["code"] if answer["type"] == "refused" else answer["type"])
