"""Opening matches: seals, the number of tables of an address, and storing the first events."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from escadaria import bodies, dice
from escadaria.events import Created, Started
from escadaria.match.clock import Clock
from escadaria.match.draft import first_events
from escadaria.match.event_log import stored_events
from escadaria.match.leases import Leases
from escadaria.match.match import Match
from escadaria.match.state import MatchEvent
from escadaria.match.tokens import Tokens, digest, new_token
from escadaria.refusals import Refused
from escadaria.server.edge.limits import address_key
from escadaria.settings import Settings
from escadaria.store import Store, StoredEvent, StoreUnavailable

SEAL = "seal"
"""The kind of stored values that are seals: promised dice."""

SEAL_SECONDS = 600.0
"""The lifetime of a seal."""

TABLES = "tables:"
"""The kind of stored values that are numbers of open tables, before the address that opened them."""

TABLES_SECONDS = 120.0
"""The lifetime of such a number, which its server renews: that of a server that has died expires."""


class Tables:
    """The number of tables of each address that are in memory or being opened."""

    def __init__(self, store: Store, leases: Leases, settings: Settings) -> None:
        self.counts: Counter[str] = Counter()
        """The tables of this server, by opener."""
        self._store = store
        self._leases = leases
        self._most = settings.tables_per_address
        self._shared: dict[str, tuple[int, float]] = {}  # the stored numbers, and when they were stored

    def add(self, opener: str) -> None:
        self.counts[opener] += 1

    def remove(self, opener: str) -> None:
        self.counts[opener] -= 1
        if self.counts[opener] <= 0:
            del self.counts[opener]

    @asynccontextmanager
    async def opening(self, opener: str, now: float) -> AsyncIterator[None]:
        """Count a table before it is stored, since requests are concurrent, and no more if that fails.

        :raises Refused: ``too_many`` if the address has too many tables, at all servers together.
        """
        elsewhere = await self._elsewhere(opener, now)
        if opener and self.counts[opener] + elsewhere >= self._most:
            raise Refused("too_many", "this address has too many open tables")
        self.add(opener)
        try:
            yield
        except Exception:
            self.remove(opener)
            raise

    async def _elsewhere(self, opener: str, now: float) -> int:
        if not (opener and self._leases.shared):
            return 0
        try:
            counts = await self._store.values(TABLES + opener, now)
        except StoreUnavailable:
            return 0
        return sum(int(count) for server, count in counts.items() if server in self._leases.others)

    async def share(self, now: float) -> None:
        """Store the numbers that matter, for the other servers: few addresses have many tables."""
        counts = {opener: n for opener, n in self.counts.items() if opener and n > self._most // 10}
        for opener in counts.keys() | self._shared.keys():
            stored, renewed = self._shared.get(opener, (0, 0.0))
            count = counts.get(opener, 0)
            if count != stored or now - renewed > TABLES_SECONDS / 2:
                await self._store.put(TABLES + opener, self._leases.server, str(count), now + TABLES_SECONDS)
                self._shared[opener] = count, now
                if not count:
                    del self._shared[opener]


class Opening:
    """Opens the matches of a server. Its methods raise ``StoreUnavailable`` if the store fails."""

    def __init__(self, store: Store, tables: Tables, clock: Clock) -> None:
        self._store = store
        self._tables = tables
        self._tokens = Tokens(store.key)
        self._clock = clock

    async def seal(self) -> bodies.Sealed:
        """Commit to the dice of a match before it is opened. The seal expires after ``SEAL_SECONDS``."""
        match, secret = new_id(), dice.new_secret()
        await self._store.put(SEAL, digest(match), secret.hex(), self._clock.time() + SEAL_SECONDS)
        return bodies.Sealed(match=match, commitment=dice.commitment(secret))

    async def _take_seal(self, match: str) -> bytes:
        """Use up a seal and return the secret of its dice."""
        secret = await self._store.take(SEAL, digest(match), self._clock.time())
        if secret is None:
            raise Refused("not_sealed", "the seal does not exist, was used or has expired: request another")
        return bytes.fromhex(secret)

    async def open(self, request: bodies.Open, address: str) -> tuple[bodies.Opened, list[StoredEvent]]:
        """Store a new match with its people and bots, started if requested.

        The seal is used up last: a refused request does not cost the players their entropy.

        :raises GameError: if the request is invalid.
        """
        real = request.settings.dice == "real"
        sealed = request.match is not None and not real
        match = request.match if request.match is not None and sealed else new_id()
        token, opener = new_token(), address_key(address, self._store.key)
        now = self._clock.time()
        make = partial(first_events, request, match, token=token, opener=opener, now=now)
        events = make(secret=b"" if real else dice.new_secret())
        async with self._tables.opening(opener, now):
            if sealed:
                events = make(secret=await self._take_seal(match))
            stored = await self._store_new(match, events)
        return bodies.Opened(match=match, token=token, watch=events[0].hidden.watch), stored

    async def open_next(self, before: Match) -> tuple[str, list[StoredEvent]]:
        """Store the next match at the same table."""
        match = new_id()
        events = before.next_match(match, partial(self._tokens.for_next, match))
        async with self._tables.opening(before.opener, self._clock.time()):
            return match, await self._store_new(match, events)

    async def _store_new(self, match: str, new: list[MatchEvent]) -> list[StoredEvent]:
        """Store the events of a new match."""
        first, last, now = new[0].event, new[-1].event, self._clock.time()
        assert isinstance(first, Created), "the first event of a match"
        runs = first.settings.clock > 0 and isinstance(last, Started)
        events = stored_events(new, 0, now)
        await self._store.append(match, events, due=now + first.settings.clock if runs else None)
        return events


def new_id() -> str:
    """A random match id, unguessable since it is the link that is shared."""
    return secrets.token_urlsafe(12)
