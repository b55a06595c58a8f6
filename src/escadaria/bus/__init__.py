"""The bus between servers: hints about matches that other servers have changed.

The store is the only truth. A server stores events first and sends a message afterwards, which may be lost,
doubled or late. So a receiver compares versions and reads the store where something is missing, and every
server also checks the store from time to time.

``memory`` connects servers of one process, ``notify`` uses NOTIFY of PostgreSQL, ``redis`` one channel for
each match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from escadaria.store import StoredEvent

Sent = tuple[StoredEvent, bytes]
"""An event, and the frame with which its server has broadcast it; empty if each server makes its own."""


class Stored(msgspec.Struct, frozen=True, array_like=True, tag="stored"):
    """Events of a match were stored."""

    match: str

    version: int
    """Of the last one."""

    events: Sequence[Sent] = ()
    """The events up to this version, if the message contains them."""


class Changed(msgspec.Struct, frozen=True, array_like=True, tag="changed"):
    """Something about a match has changed, perhaps not its events."""

    match: str


class Hurry(msgspec.Struct, frozen=True, array_like=True, tag="hurry"):
    """The bots of a match do not wait until a person is to act."""

    match: str


class Lost(msgspec.Struct, frozen=True):
    """Messages about any match may have been lost. A bus says so itself; it is never sent."""


Message = Stored | Changed | Hurry

Receive = Callable[[Message | Lost], None]


class Bus(Protocol):
    """Sends and receives messages about matches, for one server."""

    @property
    def server(self) -> str:
        """The unique name of this server."""

    @property
    def shared(self) -> bool:
        """Whether there may be other servers."""

    @property
    def connected(self) -> bool:
        """Whether messages are being sent and received now."""

    async def start(self, receive: Receive) -> None:
        """Connect, or go on trying in the background; then call ``receive`` with each message of others."""

    def publish(self, message: Message) -> None:
        """Send a message to the other servers. It never waits and never fails; the message may be lost."""

    def subscribe(self, match: str) -> None:
        """Receive messages about a match. It may take a moment: then ``Changed`` is received once."""

    def unsubscribe(self, match: str) -> None:
        """Receive no more messages about a match."""

    async def close(self) -> None:
        """Disconnect."""


def open_bus(server: str, database: str, redis: str, key: bytes) -> Bus:
    """The bus for this configuration: Redis if there is a URL, else PostgreSQL if that is the database.

    :param server: the unique name of this server.
    :param key: the key of the database. Servers of different databases may share one Redis.
    """
    if redis:
        from escadaria.bus.redis import RedisBus  # an extra

        return RedisBus(server, redis, key)
    if database.startswith("postgres"):
        from escadaria.bus.notify import PostgresBus  # an extra

        return PostgresBus(server, database)
    from escadaria.bus.memory import Exchange

    return Exchange().bus(server)
