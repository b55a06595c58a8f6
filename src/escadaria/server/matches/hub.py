"""All matches of one server process. They are loaded on demand and evicted when idle."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from functools import partial

from escadaria import bodies
from escadaria.bus import Bus, Changed, Lost, Message, Stored
from escadaria.match.clock import Clock
from escadaria.match.connection import Connection
from escadaria.match.event_log import restored_match
from escadaria.match.leases import BEAT_SECONDS, Leases
from escadaria.match.match import Match
from escadaria.match.room import Room
from escadaria.refusals import Refused
from escadaria.server import metrics
from escadaria.server.compute.requests import Compute
from escadaria.server.edge.limits import Limits
from escadaria.server.matches.opening import Opening, Tables
from escadaria.settings import Settings
from escadaria.store import Store, StoredEvent, StoreUnavailable

log = logging.getLogger(__name__)

LIMIT = "limit"
"""The kind of stored values that are rate limits."""

_SWEEP_SECONDS = 30.0
"""The seconds between two sweeps. Matches are evicted up to this later than ``idle_seconds``."""

_DUE_SECONDS = 1.0
"""The seconds between two searches for due matches. A deadline of a match not in memory may be this late."""

_LIMITS_SECONDS = 5.0
"""The seconds between two times that rate limits are stored. A crash loses the changes since the last one."""

_SHARED_LIMITS_SECONDS = 2.0
"""The same with other servers. In between, an address may use its burst at each of them."""

_READ_SECONDS = 30.0
"""How long a match stays in memory after it was only read, by a request or a search."""

_CHECK_SECONDS = 2.0
"""The seconds between two comparisons with the store. An event whose message was lost may be this late."""

_MESSAGE_SECONDS = 0.1
"""How long to wait for a message of the bus before the store is read instead."""

_SPREAD_SECONDS = 1.0
"""The time over which connections are sent to other servers, so that these are not flooded."""

_BATCH = 100  # matches of one search: the next one finds the others


class Hub:
    """The matches of the server, and the services that they share."""

    def __init__(self, store: Store, bus: Bus, settings: Settings, limits: Limits, clock: Clock) -> None:
        self.store = store
        self.bus = bus
        self.settings = settings
        self.clock = clock
        self.limits = limits
        self.compute = Compute(settings, limits)
        self.rooms: dict[str, Room] = {}
        self.connections: set[Connection] = set()
        self.closing = False
        self.leases = Leases(store, bus, clock)
        self.tables = Tables(store, self.leases, settings)
        self._opening = Opening(store, self.tables, clock)
        self._room = partial(
            Room,
            store=store,
            leases=self.leases,
            compute=self.compute,
            limits=limits,
            settings=settings,
            clock=clock,
            open_next=self._open_next,
            meters=metrics.RoomMeters(),
        )
        self._loading: dict[str, asyncio.Task[Room]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._check_soon = asyncio.Event()
        self._stop_time = 0.0

    async def start(self) -> None:
        """Load the rate limits and start the background tasks. Matches are loaded on demand."""
        try:
            self.limits.load(await self.store.values(LIMIT, self.clock.time()), self.store.key)
        except StoreUnavailable as error:
            log.warning("rate limits were not loaded", extra={"why": str(error)})
        await self.bus.start(self._receive)
        limits_seconds = _SHARED_LIMITS_SECONDS if self.bus.shared else _LIMITS_SECONDS
        self._tasks = [
            asyncio.create_task(self._repeat(_SWEEP_SECONDS, self.sweep), name="sweep"),
            asyncio.create_task(self._repeat(_DUE_SECONDS, self.load_due), name="load due"),
            asyncio.create_task(self._repeat(limits_seconds, self.save_limits), name="save limits"),
        ]
        if self.bus.shared:
            self._tasks += [
                asyncio.create_task(self._repeat(0, self._check_later), name="check"),
                asyncio.create_task(self._repeat(BEAT_SECONDS, self.beat), name="beat"),
                asyncio.create_task(self._repeat(0, self.leases.flush), name="share"),
            ]

    async def room(self, match: str) -> Room:
        """The room of a match, loaded from the store if it is not in memory.

        :raises Refused: ``unknown_match``, ``store_unavailable``.
        """
        room = self.rooms.get(match)
        if room is None:
            if match not in self._loading:
                loading = self._loading[match] = asyncio.create_task(self._load(match))
                loading.add_done_callback(_retrieve)
            room = await asyncio.shield(self._loading[match])
        room.last_seen = self.clock.time()
        return room

    async def current_room(self, match: str) -> Room:
        """The room of a match, with the events of other servers even if it is not followed.

        :raises Refused: ``unknown_match``, ``store_unavailable``.
        """
        known = match in self.rooms
        room = await self.room(match)
        if known and self.bus.shared and not room.followed:
            await room.try_refresh()
        return room

    async def _load(self, match: str) -> Room:
        try:
            room = self._room(await restored_match(match, self.store))
            known = await room.load(match)
        except StoreUnavailable:
            raise Refused("store_unavailable", "the store cannot be read, try again") from None
        finally:
            del self._loading[match]
        if not known:
            raise Refused("unknown_match", "there is no such match")
        self.rooms[match] = room
        self.tables.add(room.match.opener)
        return room

    # Other servers.

    def _receive(self, message: Message | Lost) -> None:
        """Receive a message of the bus."""
        if isinstance(message, Lost):
            self._check_soon.set()
        elif (room := self.rooms.get(message.match)) is not None and room.followed:
            room.follow(message)

    async def _check_later(self) -> None:
        """Check after a while, or as soon as the bus was lost and is connected again."""
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                await self._check_soon.wait()
        except TimeoutError:
            pass
        self._check_soon.clear()
        await self.check()

    async def check(self) -> None:
        """Compare the followed matches with the store: messages of the bus may have been lost."""
        followed = [match for match, room in self.rooms.items() if room.followed]
        surveys = await self.store.survey(followed, self.clock.time())
        behind = []
        for match, survey in surveys.items():
            if (room := self.rooms.get(match)) is not None:
                room.surveyed(survey)
                if survey.version > room.match.version:
                    behind.append(match)
        if behind and self.bus.connected:  # most of the messages are only on their way
            await self.clock.sleep(_MESSAGE_SECONDS)
        for match in behind:
            if (room := self.rooms.get(match)) is not None:
                room.follow(Stored(match, surveys[match].version))

    async def beat(self) -> None:
        """Tell the other servers that this one lives, and check all matches if one of them is gone."""
        if await self.leases.beat():
            for room in list(self.rooms.values()):
                room.follow(Changed(room.match.id))

    # Connections.

    def enter(self, connection: Connection) -> None:
        """Count a connection that was accepted."""
        self.connections.add(connection)
        metrics.CONNECTIONS.set(len(self.connections))

    def leave(self, connection: Connection) -> None:
        """Remove a connection from the count."""
        self.connections.discard(connection)
        metrics.CONNECTIONS.set(len(self.connections))

    # Opening.

    async def seal(self) -> bodies.Sealed:
        """Commit to the dice of a match before it is opened: see ``Opening.seal``."""
        return await self._opening.seal()

    async def open(self, request: bodies.Open, address: str) -> bodies.Opened:
        """Open a match: see ``Opening.open``."""
        self.limits.take(address, "tables")
        opened, events = await self._opening.open(request, address)
        if request.bots:
            self.compute.prepare()
        self._create(opened.match, events)
        return opened

    async def _open_next(self, before: Match) -> str:
        """Open the next match at the same table, and return its id."""
        match, events = await self._opening.open_next(before)
        self._create(match, events)
        return match

    def _create(self, match: str, events: list[StoredEvent]) -> None:
        room = self.rooms[match] = self._room(Match())
        room.create(events)

    # Housekeeping.

    async def _repeat(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Run the work periodically, also after errors."""
        while True:
            try:
                await work()
            except StoreUnavailable as error:
                log.debug("a background task was skipped", extra={"task": work.__name__, "why": str(error)})
            except Exception:
                log.exception("a task failed and goes on", extra={"task": work.__name__})
            await asyncio.sleep(seconds)

    async def load_due(self) -> None:
        """Load the matches whose deadline is due."""
        now = self.clock.time()
        matches = await self.store.due_matches(now, _BATCH)
        if matches:
            log.debug("due matches were loaded", extra={"matches": len(matches)})
        for match in matches:
            known = match in self.rooms or match in self._loading
            if self.bus.shared and not await self.store.claim_due(match, self.leases.server, now, now + 10):
                continue
            try:
                room = await self.room(match)
            except Exception as error:  # whatever is wrong with it, the others are due too
                if isinstance(error, Refused) and error.code == "store_unavailable":
                    return  # nothing is wrong with it: it stays due
                log.exception("a stored match cannot be rebuilt", extra={"match": match})
                await self.store.set_due({match: now + 86_400})
                continue
            # A match in memory has its own timer, so the store need not report it again soon.
            if known and self.bus.shared:
                await room.try_refresh()  # it takes the lease if that is free
            due, seen = room.due(), room.last_seen
            await self.store.set_due({match: due if due is None else max(due, now + 60)})
            if room.idle and not known and room.last_seen == seen:  # nothing was due
                self._remove(match, room)

    async def save_limits(self) -> None:
        """Store the rate limits, so that they survive a restart and hold for all servers together.

        While the store cannot be written, each server goes on with its own.
        """
        if self.bus.shared:
            await self._share_limits()
            return
        rows, expires = self.limits.dump()
        if rows:
            await self.store.put_many(LIMIT, rows, expires)

    async def _share_limits(self) -> None:
        now = self.clock.time()
        spent, expires = self.limits.spent()
        try:
            change = partial(self.limits.shared_level, spent, now)
            await self.store.change(LIMIT, list(spent), change, expires)
        except StoreUnavailable:
            self.limits.give_back(spent)
            raise
        self.limits.settle(await self.store.values(LIMIT, now))
        await self.tables.share(now)

    async def sweep(self) -> None:
        """Evict idle matches, and archive finished and abandoned ones. All can be loaded again."""
        now, evicted = self.clock.time(), 0
        self.limits.sweep()
        for name, room in list(self.rooms.items()):
            if not self._is_evictable(room):
                continue
            try:
                await self._evict(name, room)
                evicted += name not in self.rooms
            except StoreUnavailable:
                raise
            except Exception:
                log.exception("a match cannot be evicted", extra={"match": name})
        abandoned = await self.store.abandoned(now - self.settings.archive_days * 86400, _BATCH)
        archived = [match for match in abandoned if match not in self.rooms]
        for match in archived:
            await self.store.archive(match)
        purged = await self.store.purge(now)
        metrics.swept(asleep=evicted, abandoned=len(archived), purged=purged)

    async def _evict(self, name: str, room: Room) -> None:
        await room.events.save_snapshot()
        if room.match.status == "over":
            await self.store.archive(name)
        elif room.match.settings.clock:
            await self.store.set_due({name: room.due()})
        if self._is_evictable(room):  # no client has connected meanwhile
            self._remove(name, room)

    def _remove(self, name: str, room: Room) -> None:
        if self.rooms.get(name) is not room:  # removed meanwhile
            return
        del self.rooms[name]
        room.unload()
        self.tables.remove(room.match.opener)

    def _is_evictable(self, room: Room) -> bool:
        # A match that was only read leaves soon, so that reading many cannot fill the memory.
        seconds = (
            self.settings.idle_seconds if room.visited else min(_READ_SECONDS, self.settings.idle_seconds)
        )
        return room.idle and self.clock.time() - room.last_seen >= seconds

    async def drain(self) -> None:
        """Accept no more connections, finish pending commands, and close all connections with ``restart``."""
        if self.closing:
            return
        self.closing = True
        self._stop_time = time.monotonic() + self.settings.shutdown_seconds
        if self.leases.others:
            await self._with_timeout(self._send_away())
        await self._with_timeout(asyncio.gather(*(room.close() for room in list(self.rooms.values()))))
        await self._with_timeout(self.compute.close())  # pending requests are refused
        for connection in list(self.connections):
            connection.end("restart")
        await self._with_timeout(self._wait_for_connections())

    async def _send_away(self) -> None:
        """Close the connections one after the other, so that clients do not all come back at once."""
        connections = list(self.connections)
        random.shuffle(connections)
        steps = 20
        for step in range(steps):
            for connection in connections[step::steps]:
                connection.end("restart")
            await self.clock.sleep(_SPREAD_SECONDS / steps)

    async def _wait_for_connections(self) -> None:
        while self.connections:
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        """Drain the connections, stop the background tasks and close the store."""
        await self.drain()
        for task in (*self._tasks, *self._loading.values()):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._loading.values(), return_exceptions=True)
        try:
            await self._with_timeout(self.save_limits())
        except StoreUnavailable as error:
            log.warning("rate limits were not saved", extra={"why": str(error)})
        try:
            await self._with_timeout(self.leases.leave())
        except StoreUnavailable as error:
            log.warning("the leases were not released", extra={"why": str(error)})
        await self.bus.close()
        await self.store.close(self._seconds_left())

    def _seconds_left(self) -> float:
        """Seconds left for the shutdown; at least one, so that each step is started."""
        return max(1.0, self._stop_time - time.monotonic())

    async def _with_timeout(self, step: Awaitable[object]) -> None:
        """Run a step of the shutdown in the time that is left."""
        try:
            async with asyncio.timeout(self._seconds_left()):
                await step
        except TimeoutError:
            log.warning("a step of the shutdown took too long")


def _retrieve(task: asyncio.Task[Room]) -> None:
    """Mark the error of a task as retrieved: those who wanted its result may have been cancelled."""
    if not task.cancelled():
        task.exception()
