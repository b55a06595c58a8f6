"""The bus between workers: hints about matches that other workers have changed.

The store is the only truth. A worker stores events first and publishes them afterwards, and a message may be
lost, doubled or late. So whoever receives one compares versions and reads the store where something is
missing, and whoever receives none checks the store from time to time.

``memory`` connects workers of one process, ``postgres`` uses NOTIFY, ``redis`` one channel for each match.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from escadaria.store import StoredEvent

ALL = ""
"""In place of a match: messages about any match may have been lost."""

UNKNOWN = 0
"""In place of a version: something about the match has changed, perhaps not its events."""

HURRY = -1
"""In place of a version: the bots of the match do not wait until a person is to act."""

Sent = tuple[StoredEvent, bytes]
"""An event, and the frame with which its worker has broadcast it; empty if each worker makes its own."""

Receive = Callable[[str, int, Sequence[Sent]], None]
"""Called with a match, its version, and the events up to it if the message contains them."""


class Bus(Protocol):
    """Sends and receives messages about matches, for one worker."""

    @property
    def worker(self) -> str:
        """The unique name of this worker."""

    @property
    def shared(self) -> bool:
        """Whether there may be other workers."""

    @property
    def connected(self) -> bool:
        """Whether messages are being sent and received now."""

    async def start(self, receive: Receive) -> None:
        """Connect, or go on trying in the background; then call ``receive`` with each message of others."""

    def publish(self, match: str, version: int = UNKNOWN, events: Sequence[Sent] = ()) -> None:
        """Send a message to the other workers. It never waits and never fails; the message may be lost."""

    def subscribe(self, match: str) -> None:
        """Receive messages about a match. It may take a moment: then ``receive`` is called once."""

    def unsubscribe(self, match: str) -> None:
        """Receive no more messages about a match."""

    async def close(self) -> None:
        """Disconnect."""


def open_bus(worker: str, database: str, redis: str, key: bytes) -> Bus:
    """The bus for this configuration: Redis if there is a URL, else PostgreSQL if that is the database.

    :param worker: the unique name of this worker.
    :param key: the key of the database. Workers of different databases may share one Redis.
    """
    if redis:
        from escadaria.bus.redis import RedisBus  # an extra

        return RedisBus(worker, redis, key)
    if database.startswith("postgres"):
        from escadaria.bus.postgres import PostgresBus  # an extra

        return PostgresBus(worker, database)
    from escadaria.bus.memory import Exchange

    return Exchange().bus(worker)
