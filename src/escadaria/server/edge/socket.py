"""The WebSocket of a match: ``hello``, then commands. Every frame is answered."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Any

from litestar import WebSocket, websocket
from litestar.di import NamedDependency
from litestar.params import FromPath

from escadaria import wire
from escadaria.game import GameError
from escadaria.match.presence import Connection
from escadaria.match.room import Room, refusal_frame
from escadaria.refusals import Ending, Refused, code_of
from escadaria.server.edge.access import address_of, same_origin
from escadaria.server.edge.limits import Bucket, subnet
from escadaria.server.http.errors import CLOSE_CODES
from escadaria.server.matches.hub import Hub

log = logging.getLogger(__name__)

PROTOCOL = "escadaria.protocol"
"""The ASGI extension with the WebSocket protocol of ``protocol.py``."""

_MAX_INBOX = 16
"""The number of waiting messages above which reading is paused."""


@websocket("/matches/{match:str}/socket")
async def table(socket: WebSocket[Any, Any, Any], hub: NamedDependency[Hub], match: FromPath[str]) -> None:
    """One client's connection to one match."""
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host"), hub.settings):
        await socket.close(CLOSE_CODES["forbidden"])  # before accepting: the handshake gets 403
        return
    await socket.accept()
    if refusal := _refusal(hub, socket):
        await socket.send_text(wire.encode(wire.Bye(code=refusal)))
        await socket.close(CLOSE_CODES[refusal], refusal)
        return
    session = Session(hub, match, socket)
    hub.enter(session.connection)
    try:
        await socket.receive()  # returns on disconnect: messages go to the session
    finally:
        session.close()
        hub.leave(session.connection)


class Session:
    """Receives the frames of one client: a ``hello``, then commands."""

    def __init__(self, hub: Hub, match: str, socket: WebSocket[Any, Any, Any]) -> None:
        extensions: Any = socket.scope["extensions"]
        protocol = extensions[PROTOCOL]
        self.connection = Connection(
            protocol.transport,
            address_of(socket),
            hub.settings.write_buffer,
            answered=self._answered,
            close=self._end,
        )
        self._protocol = protocol
        self._hub = hub
        self._match = match
        self._socket = socket
        self._room: Room | None = None
        self._admission: asyncio.Task[None] | None = None
        self._inbox: deque[str | bytes] = deque()  # handled one at a time
        self._busy = self._draining = self._paused = False
        self._closing: asyncio.Task[None] | None = None
        self._frames = Bucket(hub.settings.frames_per_second, hub.settings.frames_burst)
        self._warnings = Bucket(1, 100)
        loop = asyncio.get_running_loop()
        self._hello = loop.call_later(hub.settings.hello_seconds, self.connection.end, "late")
        protocol.on_message(self.receive)

    def receive(self, frame: str | bytes) -> None:
        """Queue a message. Messages are handled in order, each after the previous one was answered."""
        self._inbox.append(frame)
        self._drain()
        if len(self._inbox) > _MAX_INBOX and not self._paused:
            self._paused = True
            self._protocol.pause()

    def _answered(self) -> None:
        self._busy = False
        self._drain()

    def _drain(self) -> None:
        if self._draining:
            return
        self._draining = True
        while self._inbox and not self._busy and not self.connection.ending:
            self._busy = True
            self._handle(self._inbox.popleft())
        self._draining = False
        if self._paused and not self._inbox:
            self._paused = False
            self._protocol.resume()

    def _handle(self, frame: str | bytes) -> None:
        if self._room is None:
            self._hello.cancel()
            self._admission = asyncio.create_task(self._admit(frame))
            return
        try:
            if not self._frames.take():
                if not self._warnings.take():
                    self.connection.end("too_fast")
                    return
                raise Refused("too_fast", "too many frames, wait a moment")
            self._hub.limits.take(self.connection.address, "frames")
            self._room.submit(self.connection, wire.parse(frame))
        except GameError as error:
            self.connection.answer(refusal_frame(wire.command_id(frame), error, self._room.match.version))

    async def _admit(self, frame: str | bytes) -> None:
        """Admit the client by its ``hello``, or refuse it and close the connection."""
        version = 0
        try:
            hello = wire.parse_hello(frame)
            room = await self._hub.room(self._match)
            version = room.match.version
            if hello.recover is not None:
                await room.recover(self.connection, hello)
            else:
                await room.refresh()
                room.admit(self.connection, hello)
        except GameError as error:
            self.connection.push(refusal_frame(wire.command_id(frame), error, version))
            self.connection.end(code_of(error))
        except Exception:
            log.exception("a connection failed", extra={"match": self._match})
            self.connection.end("internal")
        else:
            self._room = room
            self._answered()

    def _end(self, code: Ending) -> None:
        self._closing = asyncio.create_task(self._close_socket(code))

    async def _close_socket(self, code: Ending) -> None:
        try:
            await self._socket.close(CLOSE_CODES.get(code, 4000), code)
        except Exception as error:  # noqa: BLE001 - closed by the client
            log.debug("the connection was closed already", extra={"why": str(error)})

    def close(self) -> None:
        """Leave the room after the connection has closed."""
        self._hello.cancel()
        self.connection.ending = self.connection.ending or "gone"
        if self._admission is not None and not self._admission.done():
            self._admission.add_done_callback(lambda _: self._leave())
        self._leave()
        # Break reference cycles, so that session and room are freed without a garbage collection.
        self._protocol.on_message(_ignore)
        self.connection.detach()

    def _leave(self) -> None:
        if self._room is not None:
            self._room.leave(self.connection)
            self._room = None


def _ignore(_: str | bytes) -> None:
    """Drop a message that is received after the end."""


def _refusal(hub: Hub, socket: WebSocket[Any, Any, Any]) -> Ending | None:
    """Why the connection is refused, or None."""
    if hub.closing:
        return "restart"
    if len(hub.connections) >= hub.settings.connections:
        return "too_many"
    # Those that come through a proxy were not counted by their own address when they were accepted.
    if hub.addresses[subnet(address_of(socket))] >= hub.settings.connections_per_address:
        return "too_many"
    return None if hub.limits.allows(address_of(socket), "requests") else "too_fast"
