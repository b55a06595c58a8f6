"""Recovery codes, which move a member's seats to another device. Only their digests are stored."""

from __future__ import annotations

import logging
from functools import partial

import msgspec

from escadaria import wire
from escadaria.match.event_log import EventLog
from escadaria.match.jobs import Jobs
from escadaria.match.match import Match
from escadaria.match.services import Services
from escadaria.match.tokens import digest, new_token
from escadaria.refusals import Refused
from escadaria.store import StoreUnavailable

log = logging.getLogger(__name__)

CODE_SECONDS = 900.0
"""The lifetime of a code."""

RETRY_SECONDS = 60.0
"""How long a used code can be repeated by a device that lost its connection before it got the new token."""

MOVED = "moved"
"""The kind of stored values that are digests of used codes, by the digests of their tokens."""

CODE = "code"
"""The kind of stored values that are codes."""


class Code(msgspec.Struct, frozen=True):
    """The stored value of a code."""

    match: str
    member: int
    token: str
    """The digest of the member's token. The code is void if the member has another one."""


class RecoveryCodes:
    """The codes of one match."""

    def __init__(self, match: Match, jobs: Jobs, events: EventLog, services: Services) -> None:
        self._match = match
        self._jobs = jobs
        self._events = events
        self._store = services.store
        self._tokens = services.tokens
        self._clock = services.clock
        self._by_token: dict[str, str] = {}  # codes by their new tokens, as digests
        self._spent: set[str] = set()
        self._shared = services.peers.shared
        self._moved: dict[str, float] = {}  # tokens of the latest moves, as digests, and when

    async def issue(self, member: int) -> str:
        """A new code for a member. :raises Refused: ``store_unavailable``."""
        code = new_token()
        value = wire.encode(Code(self._match.id, member, self._match.token_digest(member)))
        expires = self._clock.time() + CODE_SECONDS
        await self._jobs.from_store(partial(self._store.put, CODE, digest(code), value, expires))
        return code

    async def redeem(self, code: str) -> tuple[int, str]:
        """Exchange a code for its member and a new token. The old token becomes invalid.

        :raises Refused: ``forbidden`` if the code is not valid.
        """
        match, now = self._match, self._clock.time()
        stored = await self._jobs.from_store(partial(self._store.get, CODE, digest(code), now))
        known = msgspec.json.decode(stored, type=Code) if stored else None
        # Derived from the code, so that a repeated request gets the same token.
        token = self._tokens.for_code(match.id, code)
        if known is None or known.match != match.id or digest(code) in self._spent:
            raise Refused("forbidden", "the recovery code is invalid or was used")
        if not match.has_token(known.member, digest(token)):
            if not match.has_token(known.member, known.token):
                raise Refused("forbidden", "the recovery code is no longer valid")
            await self._events.commit(lambda: match.move_member(known.member, token))
            assert stored is not None, "known"
            try:
                await self._store.put(CODE, digest(code), stored, now + RETRY_SECONDS)
                if self._shared:  # the device may connect to another worker next
                    await self._store.put(MOVED, digest(token), digest(code), now + RETRY_SECONDS)
            except StoreUnavailable:
                log.warning("a used code stays valid", extra={"match": match.id})
        self._by_token[digest(token)] = digest(code)
        return known.member, token

    def spend(self, token: str) -> str:
        """Invalidate the code of a token (given as digest), since the device has the token now.

        :return: the digest of the code to delete; empty if there is none.
        """
        code = self._by_token.pop(token, "")
        if code:
            self._spent.add(code)
        return code

    def moved(self, token: str, time: float) -> None:
        """Note that a member has a new token (given as digest)."""
        if self._shared:
            self._moved = {old: at for old, at in self._moved.items() if time - at < RETRY_SECONDS}
            self._moved[token] = time

    def moved_lately(self, token: str) -> bool:
        """Whether another worker may know a code of this token (given as digest)."""
        return self._clock.time() - self._moved.get(token, 0) < RETRY_SECONDS

    async def delete_elsewhere(self, token: str) -> None:
        """Delete the code that was exchanged for a token at another worker."""
        if code := await self._store.take(MOVED, token, self._clock.time()):
            await self.delete(code)

    async def delete(self, code: str) -> None:
        """Delete a spent code from the store."""
        await self._store.take(CODE, code, self._clock.time())
