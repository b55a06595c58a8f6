"""What the buses over PostgreSQL and Redis share: queues, reconnecting, and noticing that they are gone."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence

from escadaria.bus import Lost, Message, Receive, Stored
from escadaria.store.database import first_line

log = logging.getLogger(__name__)

ECHO_SECONDS = 1.0
"""The seconds between two messages of a bus to itself."""

SILENT_SECONDS = 3.0
"""A connection without an echo for this long counts as lost."""

RETRY_SECONDS = (0.1, 0.2, 0.5, 1.0)
"""The pauses between attempts to connect; the last one is repeated."""

START_SECONDS = 2.0
"""How long ``start`` waits for the first connection."""

CLOSE_SECONDS = 5.0
"""How long ``close`` waits for the connections to end."""

MOST_WAITING = 10_000
"""The number of unsent messages above which the oldest are dropped."""


class RemoteBus(ABC):
    """A :class:`~escadaria.bus.Bus` over a broker: PostgreSQL or Redis.

    A bus sends itself an echo once a second: a broker that accepts messages but does not deliver them is
    noticed like one that has closed the connection.
    """

    shared = True
    name: str
    """The name of the broker, for the log."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.connected = False
        self.matches: set[str] = set()
        self._changes: dict[str, bool] = {}  # matches to subscribe to, or to unsubscribe from
        self._waiting: dict[tuple[type, str], Message] = {}  # one of each kind and match, the oldest first
        self._wake = asyncio.Event()
        self._ready = asyncio.Event()
        self._last_echo = 0.0
        self._lost = False
        self._receive: Receive = lambda message: None
        self._task: asyncio.Task[None] | None = None

    async def start(self, receive: Receive) -> None:
        self._receive = receive
        self._task = asyncio.create_task(self._run(), name="bus")
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._ready.wait()
        except TimeoutError:
            log.warning("the bus is not connected yet", extra={"bus": self.name})

    def publish(self, message: Message) -> None:
        key = type(message), message.match
        waiting = self._waiting.pop(key, None)
        if isinstance(message, Stored) and isinstance(waiting, Stored):  # one message for both
            events = (*waiting.events, *message.events) if waiting.events and message.events else ()
            message = Stored(message.match, max(waiting.version, message.version), events)
        self._waiting[key] = message
        if len(self._waiting) > MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]
        self._wake.set()

    def subscribe(self, match: str) -> None:
        if match not in self.matches:
            self.matches.add(match)
            self._changes[match] = True
            self._wake.set()

    def unsubscribe(self, match: str) -> None:
        if match in self.matches:
            self.matches.discard(match)
            self._changes[match] = False
            self._wake.set()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=CLOSE_SECONDS)
        self.connected = False

    # For the subclasses.

    @abstractmethod
    async def connect(self) -> None:
        """Connect, and subscribe to the own echoes and to ``matches``."""

    @abstractmethod
    async def change(self, changes: dict[str, bool]) -> None:
        """Subscribe to matches and unsubscribe from others."""

    @abstractmethod
    async def send(self, messages: Sequence[Message], *, echo: bool) -> None:
        """Send messages, and an echo if wanted."""

    @abstractmethod
    async def listen(self) -> None:
        """Receive messages until the connection is lost: call ``echoed`` and ``received``."""

    @abstractmethod
    async def disconnect(self) -> None:
        """Close the connection without waiting for the broker. It may be broken, or not exist."""

    def echoed(self) -> None:
        """Note that a message of this bus to itself was received."""
        self._last_echo = asyncio.get_running_loop().time()
        if not self.connected:
            self.connected = True
            self._ready.set()
            if self._lost:
                log.warning("the bus is connected again", extra={"bus": self.name})
            self._lost = False
            self._receive(Lost())

    def received(self, message: Message) -> None:
        """Pass on a message of another server."""
        if message.match in self.matches:
            self._receive(message)

    # Running.

    async def _run(self) -> None:
        """Stay connected until the bus is closed."""
        attempt = 0
        while True:
            try:
                async with asyncio.timeout(SILENT_SECONDS):
                    self._changes.clear()
                    await self.connect()
                attempt = 0
                await self._work()
            except Exception as error:  # noqa: BLE001 - no error of a driver may end the bus
                if not self._lost:
                    log.warning("the bus is lost", extra={"bus": self.name, "why": first_line(error)})
                self._lost = True
            finally:
                self.connected = False
                await self.disconnect()
            await asyncio.sleep(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)])
            attempt += 1

    async def _work(self) -> None:
        """Send and receive until one of them fails."""
        self._last_echo = asyncio.get_running_loop().time()
        tasks = [asyncio.create_task(self.listen()), asyncio.create_task(self._send())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()
        raise ConnectionError("the connection was closed")

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        next_echo = 0.0
        while True:
            now = loop.time()
            if now - self._last_echo > SILENT_SECONDS:
                raise ConnectionError("it does not answer")
            messages, self._waiting = list(self._waiting.values()), {}
            changes, self._changes = self._changes, {}
            echo = now >= next_echo
            if echo:
                next_echo = now + ECHO_SECONDS
            async with asyncio.timeout(SILENT_SECONDS):
                if changes:
                    await self.change(changes)
                if messages or echo:
                    await self.send(messages, echo=echo)
            self._wake.clear()
            if not (self._waiting or self._changes):
                try:
                    async with asyncio.timeout(max(0.0, next_echo - loop.time())):
                        await self._wake.wait()
                except TimeoutError:
                    continue
