"""All matches of one server process: opened, loaded when somebody comes, put to sleep when all have left."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time

from escadaria import bots, catalogue, dice
from escadaria.server import messages, metrics
from escadaria.server.audience import Connection
from escadaria.server.limits import Limits
from escadaria.server.match import HOST, Entry, Match, new_match, new_token
from escadaria.server.messages import Refused
from escadaria.server.room import Room
from escadaria.server.settings import Settings
from escadaria.server.workers import Workers
from escadaria.store import Store, StoredEvent, StoreUnavailable

log = logging.getLogger(__name__)

_SEALS_KEPT, _SEAL_SECONDS = 1000, 600.0
_SWEEP_SECONDS = 30.0


class Hub:
    """The server's matches and what they share."""

    def __init__(self, store: Store, settings: Settings, limits: Limits) -> None:
        self.store = store
        self.settings = settings
        self.limits = limits
        self.workers = Workers(settings, limits)
        self.rooms: dict[str, Room] = {}
        self.connections: set[Connection] = set()
        self.closing = False
        self._opened_by: dict[str, str] = {}  # which address opened which table that is in memory
        self._seals: dict[str, tuple[float, bytes]] = {}  # until when which secret is promised, by match
        self._sweeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Wake every match that is under way: bots and clocks go on where a crash left them."""
        for match in await self.store.open_matches():
            try:
                await self.room(match)
            except Exception:  # one damaged match must not keep the others shut
                log.exception("a stored match cannot be rebuilt", extra={"match": match})
        self._sweeper = asyncio.create_task(self._sweep_for_ever())

    async def room(self, match: str) -> Room:
        """The room of a match, from memory or rebuilt from its stored events.

        :raises Refused: ``unknown_match``.
        """
        if match not in self.rooms:
            try:
                events = await self.store.events(match)
            except StoreUnavailable:
                raise Refused("store_unavailable", "nothing can be read now, try again") from None
            if not events:
                raise Refused("unknown_match", "there is no such match")
            if match not in self.rooms:  # or somebody else has loaded it meanwhile
                self._add(match, events)
        room = self.rooms[match]
        room.last_seen = time.time()
        return room

    def _add(self, match: str, events: list[StoredEvent]) -> Room:
        room = Room(Match(), self.store, self.workers, self.settings, self._open_next)
        room.load(events)
        self.rooms[match] = room
        metrics.TABLES.set(len(self.rooms))
        return room

    # Opening.

    def seal(self) -> messages.Sealed:
        """Promise the dice of a match before anything is known about it; the promise lasts a while."""
        match, secret = new_id(), dice.new_secret()
        self._seals[match] = (time.monotonic() + _SEAL_SECONDS, secret)
        if len(self._seals) > _SEALS_KEPT:
            del self._seals[next(iter(self._seals))]
        return messages.Sealed(match=match, commitment=dice.commitment(secret))

    def _unsealed(self, match: str) -> tuple[str, bytes]:
        """The promised secret; each promise is good for one match."""
        until, secret = self._seals.pop(match, (0.0, b""))
        if time.monotonic() > until:
            raise Refused("not_sealed", "there is no such promise, or it is too old: ask for another")
        return match, secret

    async def open(self, wish: messages.Open, address: str) -> messages.Opened:
        """Open a match, seat the host and the bots that were asked for, and start it if wished.

        :raises GameError: if something in the wish cannot be.
        """
        game = catalogue.load(wish.game, **wish.options)
        bots.load(wish.rules.stand_in, game)
        if wish.start_from is not None and not wish.rules.practice:
            raise Refused("not_practice", "only at a practice table can a position be set up")
        if wish.start_from is not None:
            game.parse_state(wish.start_from)
        if wish.match is None and any(person.entropy for person in wish.people):
            raise Refused(
                "not_sealed", "entropy counts only after the dice are promised: ask for a seal first"
            )
        match, secret = self._unsealed(wish.match) if wish.match else (new_id(), dice.new_secret())
        token = new_token()
        created = messages.Created(
            match=match,
            game=game.name,
            options=game.options,
            rules=wish.rules,
            commitment=dice.commitment(secret),
            start=wish.start_from,
        )
        draft = _Draft(new_match(created, token, secret))
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
        room = await self._store_new(match, draft.entries, address)
        return messages.Opened(match=match, token=token, watch=room.match.watch_key)

    async def _open_next(self, before: Match) -> str:
        """Open the match that follows another at the same table."""
        match = new_id()
        await self._store_new(match, before.next_match(match), self._opened_by.get(before.id, ""))
        return match

    async def _store_new(self, match: str, entries: list[Entry], address: str) -> Room:
        mine = sum(opened_by == address for opened_by in self._opened_by.values())
        if address and mine >= self.settings.tables_per_address:
            raise Refused("too_many", "this address has too many open tables")
        events = [
            StoredEvent(number, time.time(), "", messages.encode(entry.what), messages.encode(entry.hidden))
            for number, entry in enumerate(entries, 1)
        ]
        self._opened_by[match] = address  # before it is stored: many may be opened at once
        try:
            await self.store.append(match, events)
        except StoreUnavailable:
            del self._opened_by[match]
            raise Refused("store_unavailable", "nothing can be stored now, try again") from None
        room = self._add(match, events)
        room.opened_by = address
        return room

    # Housekeeping.

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            try:
                await self.sweep()
            except StoreUnavailable as error:
                log.warning("not archived", extra={"why": str(error)})

    async def sweep(self) -> None:
        """Put matches to sleep that nobody is at, and archive the finished and the abandoned.

        They are loaded again when somebody comes, the archived too.
        """
        self.limits.sweep()
        for name, room in list(self.rooms.items()):
            if self._is_idle(room) and room.match.status == "over":
                await self.store.archive(name)
            if self._is_idle(room):  # still
                del self.rooms[name]
                self._opened_by.pop(name, None)
        metrics.TABLES.set(len(self.rooms))
        await self._archive_abandoned()

    def _is_idle(self, room: Room) -> bool:
        return room.asleep and time.time() - room.last_seen >= self.settings.idle_seconds

    async def _archive_abandoned(self) -> None:
        """Archive what sleeps and has been left alone for too long."""
        too_long_ago = time.time() - self.settings.archive_days * 86400
        for match in await self.store.open_matches():  # the one left alone for longest first
            if match in self.rooms:
                continue
            events = await self.store.events(match)
            if events[-1].time > too_long_ago:
                return
            await self.store.archive(match)

    async def say_goodbye(self) -> None:
        """Take no more connections, and tell everyone to come back in a moment."""
        self.closing = True
        for room in list(self.rooms.values()):
            await room.close()
        for connection in self.connections:
            connection.end("restart")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.settings.shutdown_seconds):
                while self.connections:
                    await asyncio.sleep(0.01)

    async def close(self) -> None:
        """Stop; what is being stored is finished first."""
        await self.say_goodbye()
        if self._sweeper is not None:
            self._sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeper
        await self.workers.close()
        await self.store.close()


def new_id() -> str:
    """A match's name: it is in the link that is shared, and nobody guesses it."""
    return secrets.token_urlsafe(12)


class _Draft:
    """A match that is being made: entries are applied as they come, so that each sees the ones before."""

    def __init__(self, first: Entry) -> None:
        self.match = Match()
        self.entries: list[Entry] = []
        self.add([first])

    def add(self, entries: list[Entry]) -> None:
        for entry in entries:
            self.match.apply(entry, time.time())
        self.entries += entries
