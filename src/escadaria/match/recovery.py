"""Recovery codes, which move a member's seats to another device. Only their digests are stored."""

from __future__ import annotations

import logging
from collections.abc import Coroutine

import msgspec

from escadaria import wire
from escadaria.match.clock import Clock
from escadaria.match.match import Match
from escadaria.match.services import MatchStore
from escadaria.match.tokens import Tokens, digest, new_token
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
    """The codes of one match.

    :param shared: whether the device may connect to another server next.
    """

    def __init__(
        self, match: Match, store: MatchStore, tokens: Tokens, clock: Clock, *, shared: bool
    ) -> None:
        self._match = match
        self._store = store
        self._tokens = tokens
        self._clock = clock
        self._by_token: dict[str, str] = {}  # codes by their new tokens, as digests
        self._spent: set[str] = set()
        self._shared = shared
        self._moved: dict[str, float] = {}  # tokens of the latest moves, as digests, and when

    async def issue(self, member: int) -> str:
        """A new code for a member. :raises StoreUnavailable: if it cannot be stored."""
        code = new_token()
        value = wire.encode(Code(self._match.id, member, self._match.token_digest(member)))
        await self._store.put(CODE, digest(code), value, self._clock.time() + CODE_SECONDS)
        return code

    async def find(self, code: str) -> tuple[int, str]:
        """The member of a code and its new token, which is the same if the request is repeated.

        :raises Refused: ``forbidden`` if the code is not valid.
        :raises StoreUnavailable: if it cannot be read.
        """
        match = self._match
        stored = await self._store.get(CODE, digest(code), self._clock.time())
        known = msgspec.json.decode(stored, type=Code) if stored else None
        token = self._tokens.for_code(match.id, code)
        if known is None or known.match != match.id or digest(code) in self._spent:
            raise Refused("forbidden", "the recovery code is invalid or was used")
        if not (match.has_token(known.member, digest(token)) or match.has_token(known.member, known.token)):
            raise Refused("forbidden", "the recovery code is no longer valid")
        self._by_token[digest(token)] = digest(code)
        return known.member, token

    async def use(self, code: str, member: int, old: str, token: str) -> None:
        """Let the code expire soon, after the member's token was replaced.

        :param old: the digest of the token before.
        """
        expires = self._clock.time() + RETRY_SECONDS
        try:
            value = wire.encode(Code(self._match.id, member, old))
            await self._store.put(CODE, digest(code), value, expires)
            if self._shared:
                await self._store.put(MOVED, digest(token), digest(code), expires)
        except StoreUnavailable:
            log.warning("a used code stays valid", extra={"match": self._match.id})

    def moved(self, token: str, time: float) -> None:
        """Note that a member has a new token (given as digest)."""
        if self._shared:
            self._moved = {old: at for old, at in self._moved.items() if time - at < RETRY_SECONDS}
            self._moved[token] = time

    def spend(self, token: str) -> Coroutine[None, None, None] | None:
        """Invalidate the code of a token (given as digest), since the device has the token now.

        :return: what deletes it from the store; None if there is none.
        """
        if code := self._by_token.pop(token, ""):
            self._spent.add(code)
            return self._delete(code)
        if self._clock.time() - self._moved.get(token, 0) < RETRY_SECONDS:  # perhaps at another server
            return self._delete_elsewhere(token)
        return None

    async def _delete_elsewhere(self, token: str) -> None:
        if code := await self._store.take(MOVED, token, self._clock.time()):
            await self._delete(code)

    async def _delete(self, code: str) -> None:
        await self._store.take(CODE, code, self._clock.time())
