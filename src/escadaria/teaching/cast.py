"""The players and starts of examples and lessons, and how their files are read."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import TypeVar

import msgspec

from escadaria.catalogue import KITS, game_type, load
from escadaria.dice import ScriptedDice
from escadaria.play import Event, Play, Step
from escadaria.record import Seat, colour_seats
from escadaria.views import FactView, fact_data

CAST = {
    "Ana": "red", "Bento": "blue", "Clara": "green", "Davi": "yellow", "Eva": "black", "Fábio": "white",
}  # fmt: skip
"""The colour of each player, the same in all examples."""


class Content(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a file; keys that it does not have are refused."""


C = TypeVar("C", bound=Content)


def read(game: str, name: str, kind: type[C]) -> C | None:
    """A file of a game's ``data``, such as its ``lesson.toml``; None if it has none.

    :raises BadOptions: if there is no such game.
    :raises ValueError: if the file is not of this kind; the message names the file and the place.
    """
    game_type(game)
    package = KITS[game].package
    file = files(package) / "data" / name if package else None
    if file is None or not file.is_file():
        return None
    try:
        return msgspec.toml.decode(file.read_bytes(), type=kind)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{file}: {error}") from None


class Start(Content, frozen=True, kw_only=True):
    """The start of an example: players and position."""

    cast: tuple[str, ...]
    """The players by seat."""
    position: str
    """The text of the position."""
    options: dict[str, bool | int | str] = {}
    """All options except ``players``, which is the length of the cast."""

    def play(self, game: str, events: Iterable[str] = ()) -> Play:
        """A match from this start, after these events.

        :raises GameError: if the position or an event is invalid.
        """
        rules = load(game, players=len(self.cast), **self.options)
        if rules.colours > 1:  # for two players each has a second colour (R16)
            seats = colour_seats(rules, [Seat(name) for name in self.cast])
        else:
            seats = tuple(Seat(name, colours=(CAST[name],)) for name in self.cast)
        match = Play(rules, seats, ScriptedDice(), start=rules.parse_state(self.position))
        for event in events:
            play(match, event)
        return match


class SeatName(msgspec.Struct, frozen=True, kw_only=True):
    """A player of an example."""

    name: str
    colours: list[str]


def seat_names(match: Play) -> list[SeatName]:
    """The players of an example."""
    return [SeatName(name=seat.name, colours=list(seat.colours)) for seat in match.seats]


def turn_view(match: Play) -> list[FactView]:
    """The facts since the turn started, as JSON data."""
    return [fact_data(fact) for fact in match.turn_facts()]


def play(match: Play, event: str) -> tuple[Step, ...]:
    """Play an event such as ``0 place 3`` or ``1 roll [26]``: seat, action, and the dice rolled after it.

    :raises GameError: if it is not possible in this match.
    """
    return match.add(Event.parse(event))


def action_of(event: str) -> str:
    """The action of an event; ``roll`` if the turn starts with dice."""
    return Event.parse(event).action
