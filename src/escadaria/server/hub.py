"""All matches of one server process: opened, loaded when somebody comes, put to sleep when all have left."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial

from escadaria import bots, catalogue, dice
from escadaria.refusals import Refused
from escadaria.server import messages, metrics
from escadaria.server.clock import Clock
from escadaria.server.event_log import stored_events
from escadaria.server.limits import Limits, address_key, network_of
from escadaria.server.match import HOST, Match, MatchEvent, new_match
from escadaria.server.presence import Connection
from escadaria.server.room import Room
from escadaria.server.services import Services
from escadaria.server.settings import Settings
from escadaria.server.tokens import Tokens, digest, new_token
from escadaria.server.workers import Workers
from escadaria.store import Store, StoreUnavailable

log = logging.getLogger(__name__)

SEAL = "seal"
"""The kind of the store's values that promised dice are,"""

SEAL_SECONDS = 600.0
"""and how long a promise lasts."""

LIMIT = "limit"
"""The kind of the store's values that spent budgets are."""

_SWEEP_SECONDS, _DUE_SECONDS, _LIMITS_SECONDS = 30.0, 1.0, 5.0
_AT_ONCE = 100


class Hub:
    """The server's matches and what they share."""

    def __init__(self, store: Store, settings: Settings, limits: Limits, clock: Clock) -> None:
        self.store = store
        self.settings = settings
        self.clock = clock
        self.limits = limits
        self.workers = Workers(settings, limits)
        self.rooms: dict[str, Room] = {}
        self.connections: set[Connection] = set()
        self.addresses: Counter[str] = Counter()
        """How many connections each client's address or network has, those behind a proxy too."""
        self.closing = False
        self._tokens = Tokens(store.key)
        self._services = Services(store, self.workers, limits, settings, clock, self._tokens, self._open_next)
        self._loading: dict[str, asyncio.Task[Room]] = {}
        self._tables: Counter[str] = Counter()  # in memory or being opened, by who opened them
        self._tasks: list[asyncio.Task[None]] = []
        self._stop_by = 0.0

    async def start(self) -> None:
        """Begin the long tasks. Matches are loaded when somebody comes or something is due."""
        try:
            self.limits.load(await self.store.values(LIMIT, self.clock.time()), self.store.key)
        except StoreUnavailable as error:
            log.warning("budgets start anew", extra={"why": str(error)})
        self._tasks = [
            asyncio.create_task(self._for_ever(_SWEEP_SECONDS, self.sweep), name="sweep"),
            asyncio.create_task(self._for_ever(_DUE_SECONDS, self.load_due), name="load due"),
            asyncio.create_task(self._for_ever(_LIMITS_SECONDS, self.save_limits), name="save limits"),
        ]

    async def room(self, match: str) -> Room:
        """The room of a match, from memory or rebuilt from what is stored.

        :raises Refused: ``unknown_match``, ``store_unavailable``.
        """
        room = self.rooms.get(match)
        if room is None:
            if match not in self._loading:
                self._loading[match] = asyncio.create_task(self._load(match))
            room = await asyncio.shield(self._loading[match])
        room.last_seen = self.clock.time()
        return room

    async def _load(self, match: str) -> Room:
        try:
            room = await Room.loaded(match, self._services)
        except StoreUnavailable:
            raise Refused("store_unavailable", "nothing can be read now, try again") from None
        finally:
            del self._loading[match]
        if room is None:
            raise Refused("unknown_match", "there is no such match")
        self.rooms[match] = room
        self._tables[room.match.opener] += 1
        return room

    def enter(self, connection: Connection) -> None:
        """Count a connection that was accepted."""
        self.connections.add(connection)
        self.addresses[network_of(connection.address)] += 1
        metrics.CONNECTIONS.set(len(self.connections))

    def leave(self, connection: Connection) -> None:
        """Count it no more."""
        network = network_of(connection.address)
        self.connections.discard(connection)
        self.addresses[network] -= 1
        if self.addresses[network] <= 0:
            del self.addresses[network]
        metrics.CONNECTIONS.set(len(self.connections))

    # Opening.

    async def seal(self) -> messages.Sealed:
        """Promise the dice of a match before anything is known about it; the promise lasts a while."""
        match, secret = new_id(), dice.new_secret()
        try:
            await self.store.put(SEAL, digest(match), secret.hex(), self.clock.time() + SEAL_SECONDS)
        except StoreUnavailable:
            raise Refused("store_unavailable", "nothing can be stored now, try again") from None
        return messages.Sealed(match=match, commitment=dice.commitment(secret))

    async def _unsealed(self, match: str) -> tuple[str, bytes]:
        """The promised secret; each promise is good for one match."""
        try:
            secret = await self.store.take(SEAL, digest(match), self.clock.time())
        except StoreUnavailable:
            raise Refused("store_unavailable", "nothing can be read now, try again") from None
        if secret is None:
            raise Refused("not_sealed", "there is no such promise, or it is too old: ask for another")
        return match, bytes.fromhex(secret)

    async def open(self, wish: messages.Open, address: str) -> messages.Opened:
        """Open a match, seat the host and the bots that were asked for, and start it if wished.

        :raises GameError: if something in the wish cannot be.
        """
        self.limits.take(address, "tables")
        game = catalogue.load(wish.game, **wish.options)
        bots.load(wish.settings.stand_in, game)
        if wish.start_from is not None and not wish.settings.practice:
            raise Refused("not_practice", "only at a practice table can a position be set up")
        if wish.start_from is not None:
            game.parse_state(wish.start_from)
        if wish.match is None and any(person.entropy for person in wish.people):
            raise Refused(
                "not_sealed", "entropy counts only after the dice are promised: ask for a seal first"
            )
        match, secret = await self._unsealed(wish.match) if wish.match else (new_id(), dice.new_secret())
        token = new_token()
        created = messages.Created(
            match=match,
            game=game.name,
            options=game.options,
            settings=wish.settings.granted(),
            commitment=dice.commitment(secret),
            start=wish.start_from,
            rules_version=game.rules_version,
        )
        opener = address_key(address, self.store.key)
        draft = _Draft(new_match(created, token, secret, opener), self.clock.time())
        for person in wish.people:
            if person.seat in draft.match.seats_of(HOST):
                raise Refused("seat_taken", f"two people cannot sit at seat {person.seat}")
            sit = messages.Sit(
                id="open",
                version=0,
                name=person.name,
                seat=draft.match.free_seat(person.seat),
                colours=person.colours,
                entropy=person.entropy,
            )
            draft.add(draft.match.sit(HOST, sit, ""))
        if wish.bots:
            self.workers.bots.start()
        for bot in wish.bots:
            draft.add(draft.match.add_bot(HOST, messages.AddBot(id="open", version=0, bot=bot)))
        if wish.start:
            draft.add(draft.match.start(HOST))
        room = await self._store_new(match, draft.events, opener)
        return messages.Opened(match=match, token=token, watch=room.match.watch_key)

    async def _open_next(self, before: Match) -> str:
        """Open the match that follows another at the same table."""
        match = new_id()
        events = before.next_match(match, partial(self._tokens.for_next, match))
        await self._store_new(match, events, before.opener)
        return match

    async def _store_new(self, match: str, new: list[MatchEvent], opener: str) -> Room:
        """Store a new match. :raises Refused: also if who opens it has too many tables in memory."""
        if opener and self._tables[opener] >= self.settings.tables_per_address:
            raise Refused("too_many", "this address has too many open tables")
        first, last, now = new[0].event, new[-1].event, self.clock.time()
        assert isinstance(first, messages.Created), "a match begins so"
        runs = first.settings.clock > 0 and isinstance(last, messages.Started)
        events = stored_events(new, 0, now)
        self._tables[opener] += 1  # before it is stored: many may be opened at once
        try:
            await self.store.append(match, events, due=now + first.settings.clock if runs else None)
        except StoreUnavailable:
            self._count_out(opener)
            raise Refused("store_unavailable", "nothing can be stored now, try again") from None
        room = self.rooms[match] = Room.created(events, self._services)
        return room

    def _count_out(self, opener: str) -> None:
        self._tables[opener] -= 1
        if self._tables[opener] <= 0:
            del self._tables[opener]

    # Housekeeping.

    async def _for_ever(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work again and again, whatever goes wrong in between."""
        while True:
            try:
                await work()
            except StoreUnavailable as error:
                log.debug("not done", extra={"task": work.__name__, "why": str(error)})
            except Exception:
                log.exception("a task failed and goes on", extra={"task": work.__name__})
            await asyncio.sleep(seconds)

    async def load_due(self) -> None:
        """Load the matches at which something is due, though nobody is there."""
        now = self.clock.time()
        matches = await self.store.due_matches(now, _AT_ONCE)
        if matches:
            log.debug("resumed", extra={"matches": len(matches)})
        for match in matches:
            known = match in self.rooms or match in self._loading
            try:
                room = await self.room(match)
            except Exception as error:  # whatever is wrong with it, the others are due too
                if isinstance(error, Refused) and error.code == "store_unavailable":
                    return  # nothing is wrong with it: it stays due
                log.exception("a stored match cannot be rebuilt", extra={"match": match})
                await self.store.set_due({match: now + 86_400})
                continue
            # In memory it has a timer of its own; the store is asked again later, not at once.
            due, seen = room.due(), room.last_seen
            await self.store.set_due({match: due if due is None else max(due, now + 60)})
            if room.asleep and not known and room.last_seen == seen:  # nothing to do, and nobody has come
                self._forget(match, room)

    async def save_limits(self) -> None:
        """Store what addresses have spent, so that a restart does not give it back."""
        rows, expires = self.limits.dump()
        if rows:
            await self.store.put_many(LIMIT, rows, expires)

    async def sweep(self) -> None:
        """Put matches to sleep that nobody is at, and archive the finished and the abandoned.

        They are loaded again when somebody comes, the archived too.
        """
        now, asleep = self.clock.time(), 0
        self.limits.sweep()
        for name, room in list(self.rooms.items()):
            if not self._is_idle(room):
                continue
            try:
                await self._put_to_sleep(name, room)
                asleep += name not in self.rooms
            except StoreUnavailable:
                raise
            except Exception:
                log.exception("a match cannot be put to sleep", extra={"match": name})
        abandoned = await self.store.abandoned(now - self.settings.archive_days * 86400, _AT_ONCE)
        for match in (sleeping := [match for match in abandoned if match not in self.rooms]):
            await self.store.archive(match)
        purged = await self.store.purge(now)
        metrics.swept(asleep=asleep, abandoned=len(sleeping), purged=purged)

    async def _put_to_sleep(self, name: str, room: Room) -> None:
        await room.events.save_snapshot()
        if room.match.status == "over":
            await self.store.archive(name)
        elif room.match.settings.clock:
            await self.store.set_due({name: room.due()})
        if self._is_idle(room):  # still
            self._forget(name, room)

    def _forget(self, name: str, room: Room) -> None:
        del self.rooms[name]
        room.sleep()
        self._count_out(room.match.opener)

    def _is_idle(self, room: Room) -> bool:
        return room.asleep and self.clock.time() - room.last_seen >= self.settings.idle_seconds

    async def say_goodbye(self) -> None:
        """Take no more connections, finish what is being stored, and tell everyone to come back."""
        if self.closing:
            return
        self.closing = True
        self._stop_by = time.monotonic() + self.settings.shutdown_seconds
        await self._in_time(asyncio.gather(*(room.close() for room in list(self.rooms.values()))))
        await self._in_time(self.workers.close())  # requests that wait for them are answered
        for connection in list(self.connections):
            connection.end("restart")
        await self._in_time(self._all_gone())

    async def _all_gone(self) -> None:
        while self.connections:
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        """Stop; what is being stored is finished first, if the store answers in time."""
        await self.say_goodbye()
        for task in (*self._tasks, *self._loading.values()):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._loading.values(), return_exceptions=True)
        try:
            await self._in_time(self.save_limits())
        except StoreUnavailable as error:
            log.warning("budgets are not saved", extra={"why": str(error)})
        await self.store.close(self._left())

    def _left(self) -> float:
        """Seconds until the shutdown must be over; at least one, so that each step is begun."""
        return max(1.0, self._stop_by - time.monotonic())

    async def _in_time(self, step: Awaitable[object]) -> None:
        """Do a step of the shutdown, for as long as there is time."""
        try:
            async with asyncio.timeout(self._left()):
                await step
        except TimeoutError:
            log.warning("a step of the shutdown took too long")


def new_id() -> str:
    """A match's name: it is in the link that is shared, and nobody guesses it."""
    return secrets.token_urlsafe(12)


class _Draft:
    """A match that is being made: events are applied as they come, so that each sees the ones before."""

    def __init__(self, first: MatchEvent, now: float) -> None:
        self.match = Match()
        self.events: list[MatchEvent] = []
        self._now = now
        self.add([first])

    def add(self, events: list[MatchEvent]) -> None:
        for event in events:
            self.match.apply(event, self._now)
        self.events += events
