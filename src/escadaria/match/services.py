"""What a match in memory needs of what it runs in: a server, or a single process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from escadaria import wire
from escadaria.game import AnyGame
from escadaria.match.state import MatchEvent
from escadaria.store import Lease, StoredEvent


class MatchStore(Protocol):
    """What a room needs of a store: see :class:`~escadaria.store.Store`."""

    @property
    def key(self) -> bytes: ...
    async def append(
        self,
        match: str,
        events: Sequence[StoredEvent],
        *,
        due: float | None = None,
        lease: Lease | None = None,
    ) -> None: ...
    async def events(self, match: str, after: int = 0, limit: int | None = None) -> list[StoredEvent]: ...
    async def save_snapshot(self, match: str, version: int, body: str) -> None: ...
    async def snapshot(self, match: str) -> tuple[int, str] | None: ...
    async def put(self, kind: str, key: str, value: str, expires: float) -> None: ...
    async def get(self, kind: str, key: str, now: float) -> str | None: ...
    async def take(self, kind: str, key: str, now: float) -> str | None: ...


class Decisions(Protocol):
    """Computes the actions of bots, and hints."""

    def prepare(self) -> None:
        """Start what computes for bots, so that it is ready soon."""

    async def decide(
        self, game: AnyGame, state: object, bot: str, *, key: str = "", awaited: bool = True
    ) -> str:
        """The action of a bot at a position. :raises Refused: ``busy``."""

    async def hint(
        self, game: AnyGame, state: object, bot: str, *, key: str = ""
    ) -> tuple[str, wire.Evaluation | None]:
        """The best action and its evaluation; without an evaluator the bot's action and None."""


class RateLimits(Protocol):
    """The rate limits of addresses."""

    def take(self, address: str, kind: Any, amount: float = 1.0) -> None:
        """:raises Refused: ``too_fast``."""


class Meters:
    """What rooms measure. This one counts nothing."""

    def stored(self, events: list[MatchEvent], seconds: float) -> None:
        """Events were stored in this time."""

    def followed(self, source: str) -> None:
        """Events of another server were applied, from a ``message`` or from the ``store``."""
