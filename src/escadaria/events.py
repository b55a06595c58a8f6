"""The events of a match. They are stored, applied (``match/state.py``) and broadcast in frames.

``docs/protocol.md`` documents them. Actions in play are an ``Event`` of the play, with the kind ``acted``.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from escadaria.play import Event
from escadaria.refusals import Refused

Bot = Annotated[str, Meta(min_length=1, max_length=40)]


class TableSettings(Struct, frozen=True, kw_only=True):
    """The settings of a table. The host may change them before the match starts.

    After the start, ``pace`` and ``watch`` can be changed; the others only if all people play on the host's
    device. ``practice`` and ``dice`` are fixed when the match is opened.
    """

    practice: bool = False
    """Whether undo, hints and setting up positions are allowed."""
    dice: Literal["fair", "real"] = "fair"
    """``real``: people roll real dice and enter what they show."""
    starts: Literal["first", "random", "loser"] = "first"
    """Who starts: the first seat, a random seat, or the loser of the previous match."""
    clock: Annotated[int, Meta(ge=0, le=30 * 86400)] = 0
    """Seconds for a turn; 0 means no clock."""
    grace: Annotated[int, Meta(ge=5, le=30 * 86400)] | None = 60
    """Seconds that a player may be disconnected before a bot stands in; null means no limit."""
    pace: Annotated[int, Meta(ge=0, le=10_000)] = 900
    """Milliseconds a bot waits before its turn; with more than three players less, twice this a round."""
    stand_in: Bot = "simple"
    """The bot that stands in for absent players."""
    watch: bool = True
    """Whether the watchers' link works."""


class EventBase(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """The base of all events but the table's."""


class Created(EventBase, frozen=True, tag="created"):
    """The match was opened, with a commitment to its dice."""

    match: str
    game: str
    options: dict[str, bool | int | str]
    settings: TableSettings
    commitment: str
    """The SHA-256 of the secret of the dice; empty with real dice."""
    start: str | None = None
    """The starting position, at a practice table."""
    previous: str | None = None
    """The previous match at the same table."""
    rules_version: int = 1
    """The version of the game's rules."""


class Sat(EventBase, frozen=True, tag="sat"):
    """A person took a seat."""

    seat: int
    name: str
    colours: list[str]
    entropy: str = ""


class BotSat(EventBase, frozen=True, tag="bot_sat"):
    """A bot was seated."""

    seat: int
    name: str
    bot: str
    colours: list[str]


class Freed(EventBase, frozen=True, tag="freed"):
    """A seat became free."""

    seat: int


class Resized(EventBase, frozen=True, tag="resized"):
    """The number of seats changed. The seats that stay are renumbered, and new free seats follow them."""

    options: dict[str, bool | int | str]
    """The options of the game from now on."""
    seats: list[int]
    """The previous numbers of the seats that stay."""
    colours: list[list[str]]
    """The colours of the seats that stay; empty for free ones."""


class Started(EventBase, frozen=True, tag="started"):
    """The match started. Seats are renumbered so that seat 0 starts."""

    first: int
    """The previous number of seat 0."""


class Configured(EventBase, frozen=True, tag="configured"):
    """The host changed the table settings."""

    settings: TableSettings


class PositionSet(EventBase, frozen=True, tag="position_set"):
    """A position was set up, at a practice table."""

    position: str


class Continued(EventBase, frozen=True, tag="continued"):
    """The next match at this table is open."""

    match: str


class Moved(EventBase, frozen=True, tag="moved"):
    """A player moved to another device."""

    seats: list[int]


AnyEvent = (
    Created | Sat | BotSat | Freed | Resized | Started | Event | Configured | PositionSet | Continued | Moved
)  # fmt: skip

_event: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


class _Kind(Struct):
    kind: str = ""


_kind = msgspec.json.Decoder(_Kind)
_KINDS = {kind.__struct_config__.tag for kind in get_args(AnyEvent)}


def read_event(text: str) -> AnyEvent:
    """Parse a stored event. Unknown fields are ignored.

    :raises Refused: ``later_version`` if the kind is unknown.
    """
    try:
        return _event.decode(text)
    except msgspec.ValidationError:
        kind = _kind.decode(text).kind
        if kind and kind not in _KINDS:
            raise Refused("later_version", f"{kind!r} was stored by a later version of Escadaria") from None
        raise
