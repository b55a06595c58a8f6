"""The bodies of HTTP requests and responses. ``docs/protocol.md`` documents them."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from escadaria.events import Bot
from escadaria.game import Option
from escadaria.views import Preview
from escadaria.wire import Colour, Entropy, Evaluation, Id, Name, SeatNumber, WantedSettings


class Person(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A person who plays on the opener's device."""

    name: Name
    seat: SeatNumber | None = None
    colours: list[Colour] | None = None
    entropy: Entropy = ""


class GameInfo(Struct, frozen=True, kw_only=True):
    """A game that can be played here."""

    name: str
    rules_version: int
    options: tuple[Option, ...]
    bots: list[str]
    """Weakest first."""


class Games(Struct, frozen=True, kw_only=True):
    """The games with their options and bots."""

    games: list[GameInfo]
    bots: list[str]
    """Those that all games have."""


class Sealed(Struct, frozen=True, kw_only=True):
    """A seal: the id of a match that is not open yet, and the commitment to its dice."""

    match: str
    commitment: str


class Open(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request to open a match."""

    game: Annotated[str, Meta(max_length=40)]
    match: Id | None = None
    """The id from ``Sealed``. It is needed for entropy, which must follow the commitment."""
    options: dict[str, bool | int | str] = {}
    settings: WantedSettings = WantedSettings()
    people: Annotated[list[Person], Meta(max_length=6)] = []
    bots: Annotated[list[Bot], Meta(max_length=6)] = []
    start: bool = False
    """Whether to start immediately. All seats must be taken."""
    start_from: Annotated[str, Meta(max_length=1000)] | None = None
    """A position to start from, at a practice table."""


class Opened(Struct, frozen=True, kw_only=True):
    """A new match. ``match`` is the id in the link to share; ``token`` is the host's secret."""

    match: str
    token: str
    watch: str
    """The key of the watchers' link."""


class PositionRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request about a position."""

    game: str
    options: dict[str, bool | int | str] = {}
    position: Annotated[str, Meta(max_length=1000)] | None = None
    """The text of the position; null for the initial one."""


class GameOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A game with options: to be checked in a request, all of them in the answer."""

    game: Annotated[str, Meta(max_length=40)]
    options: dict[str, bool | int | str] = {}


class PositionSeen(Struct, frozen=True, kw_only=True):
    """A position with its legal decisions, previews and evaluation."""

    game: str
    options: dict[str, bool | int | str]
    text: str
    position: Any
    turn: int
    """The seat whose turn it is."""
    legal: list[str]
    """Its legal decisions; empty before a roll and after the end."""
    choices: dict[str, Preview]
    over: bool
    advice: Evaluation | None
    """null if the game has no evaluator or is over."""


class RecordText(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The text of a record file."""

    record: str
