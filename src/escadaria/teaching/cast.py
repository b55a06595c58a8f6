"""The people of the examples and lessons, and the tables they sit at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from escadaria.catalogue import load
from escadaria.dice import ScriptedDice
from escadaria.game import AnyGame
from escadaria.record import Seat, colour_seats
from escadaria.table import Event, Step, Table

CAST = {
    "Ana": "red", "Bento": "blue", "Clara": "green", "Davi": "yellow", "Eva": "black", "Fábio": "white",
}  # fmt: skip
"""Everybody with their colour, the same wherever they play."""


@dataclass(frozen=True)
class Start:
    """A game that is set up: who plays, and where it stands."""

    game: str
    position: str
    """In one line, as ``parse_state`` reads it."""
    cast: tuple[str, ...]
    """Who sits there, by seat."""
    options: dict[str, int | str] = field(default_factory=dict)
    """All but ``players``, which is the number of the cast."""

    def load(self) -> AnyGame:
        """The game with its options."""
        return load(self.game, players=len(self.cast), **self.options)

    def seats(self) -> tuple[Seat, ...]:
        """The cast with their colours; in a game of two pairs each has a second colour (R16)."""
        game = self.load()
        if game.colours > 1:
            return colour_seats(game, [Seat(name) for name in self.cast])
        return tuple(Seat(name, colours=(CAST[name],)) for name in self.cast)

    def table(self, events: Iterable[str] = ()) -> Table:
        """A table that starts here, after these events.

        :raises GameError: if the position or an event is not possible.
        """
        game = self.load()
        table = Table(game, self.seats(), ScriptedDice(), start=game.parse_state(self.position))
        for event in events:
            play(table, event)
        return table


def play(table: Table, event: str) -> tuple[Step, ...]:
    """Play an event such as ``0 place 3`` or ``1 roll [26]``: seat, action, and the dice that fall upon it.

    :raises GameError: if it is not possible at this table.
    """
    return table.add(Event.parse(event))
