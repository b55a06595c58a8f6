"""The WebSocket of a match: hello, then requests until the client goes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

from litestar import WebSocket, websocket
from litestar.datastructures import State
from litestar.params import FromPath

from escadaria.game import GameError
from escadaria.server import messages, metrics
from escadaria.server.access import address_of, same_origin
from escadaria.server.audience import Connection
from escadaria.server.errors import CLOSE_CODES
from escadaria.server.hub import Hub
from escadaria.server.limits import Bucket
from escadaria.server.messages import Refused
from escadaria.server.room import Room

log = logging.getLogger(__name__)


@websocket("/matches/{match:str}/socket")
async def table(socket: WebSocket[Any, Any, Any], state: State, match: FromPath[str]) -> None:
    """One client's connection to one match. Every request is answered, refusals too."""
    hub: Hub = state.hub
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host"), hub.settings):
        await socket.close(CLOSE_CODES["forbidden"])  # before it is accepted: the handshake is refused
        return
    await socket.accept()
    if busy := _too_busy(hub, socket):
        await socket.send_text(messages.encode(messages.Bye(code=busy)))
        await socket.close(CLOSE_CODES[busy], busy)
        return
    connection = Connection(hub.settings.backlog)
    pump = asyncio.create_task(connection.pump(socket.send_text))
    connection.stop = pump.cancel
    hub.connections.add(connection)
    metrics.CONNECTIONS.set(len(hub.connections))
    reader = asyncio.create_task(_listen(hub, socket, match, connection))
    try:
        await asyncio.wait({pump, reader}, return_when=asyncio.FIRST_COMPLETED)
        if connection.ending:
            await asyncio.wait({pump})  # soon done, whether the client takes what it sends or not
    finally:
        pump.cancel()
        reader.cancel()
        await asyncio.gather(pump, reader, return_exceptions=True)  # of a client that has gone
        if connection.ending:
            with contextlib.suppress(Exception):  # it may have gone as well, whatever that raises here
                await socket.close(CLOSE_CODES.get(connection.ending, 4000), connection.ending)
        hub.connections.discard(connection)
        metrics.CONNECTIONS.set(len(hub.connections))


async def _listen(hub: Hub, socket: WebSocket[Any, Any, Any], match: str, connection: Connection) -> None:
    """Take frames until the client goes."""
    room = None
    try:
        room = await _admitted(hub, socket, match, connection)
        if room is not None:
            await _serve(hub, socket, room, connection)
    except Exception:
        log.exception("a connection failed", extra={"match": match})
        connection.end("internal")
    finally:
        if room is not None:
            room.leave(connection)


async def _admitted(
    hub: Hub, socket: WebSocket[Any, Any, Any], match: str, connection: Connection
) -> Room | None:
    """The room, once the client has said hello; None, with the connection ended, if it may not enter."""
    frame: str | bytes | None = None
    version = 0
    try:
        async with asyncio.timeout(hub.settings.hello_seconds):
            frame = await _frame(socket)
        if frame is None:
            return None
        hello = messages.parse_hello(frame)
        room = await hub.room(match)
        version = room.match.version
        if hello.recover is not None:
            await room.recover(connection, hello)
        else:
            await room.refresh()
            room.admit(connection, hello)
        return room
    except TimeoutError:
        connection.end("late")
    except GameError as error:
        connection.push(_refusal(frame, error, version))
        connection.end(error.code)
    return None


async def _serve(hub: Hub, socket: WebSocket[Any, Any, Any], room: Room, connection: Connection) -> None:
    bucket = Bucket(hub.settings.frames_per_second, hub.settings.frames_burst)
    warnings = Bucket(1, 100)
    while (frame := await _frame(socket)) is not None:
        try:
            if not bucket.take():
                if not warnings.take():
                    connection.end("too_fast")
                    return
                raise Refused("too_fast", "too many frames, wait a moment")
            await room.submit(connection, messages.parse(frame))
        except GameError as error:
            metrics.REFUSALS.labels(error.code).inc()
            connection.push(_refusal(frame, error, room.match.version))


async def _frame(socket: WebSocket[Any, Any, Any]) -> str | bytes | None:
    """The next frame, or None when the client has gone. Binary ones are taken as text that may be bad."""
    message: Any = await socket.receive()
    if message["type"] == "websocket.disconnect":
        return None
    text = message.get("text")
    return text if text is not None else message.get("bytes") or b""


def _refusal(frame: str | bytes | None, error: GameError, version: int) -> str:
    id = messages.request_id(frame) if frame is not None else None
    return messages.encode(messages.Refusal(id=id, code=error.code, message=str(error), version=version))


def _too_busy(hub: Hub, socket: WebSocket[Any, Any, Any]) -> str:
    """Why no connection can be taken now, or "" if one can: all of these pass."""
    if hub.closing:
        return "restart"
    if len(hub.connections) >= hub.settings.connections:
        return "too_many"
    return "" if hub.limits.allows(address_of(socket), "requests") else "too_fast"
