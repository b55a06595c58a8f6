"""The players of examples and lessons, and their tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from escadaria.catalogue import load
from escadaria.dice import ScriptedDice
from escadaria.game import AnyGame
from escadaria.play import Event, Play, Step
from escadaria.record import Seat, colour_seats

CAST = {
    "Ana": "red", "Bento": "blue", "Clara": "green", "Davi": "yellow", "Eva": "black", "Fábio": "white",
}  # fmt: skip
"""The colour of each player, the same in all examples."""


@dataclass(frozen=True)
class Start:
    """The start of an example: game, position and players."""

    game: str
    position: str
    """The text of the position."""
    cast: tuple[str, ...]
    """The players by seat."""
    options: dict[str, int | str] = field(default_factory=dict)
    """All options except ``players``, which is the length of the cast."""

    def load(self) -> AnyGame:
        """The game with its options."""
        return load(self.game, players=len(self.cast), **self.options)

    def seats(self) -> tuple[Seat, ...]:
        """The cast with their colours; for two players each has a second colour (R16)."""
        game = self.load()
        if game.colours > 1:
            return colour_seats(game, [Seat(name) for name in self.cast])
        return tuple(Seat(name, colours=(CAST[name],)) for name in self.cast)

    def table(self, events: Iterable[str] = ()) -> Play:
        """A table with this start, after these events.

        :raises GameError: if the position or an event is invalid.
        """
        game = self.load()
        table = Play(game, self.seats(), ScriptedDice(), start=game.parse_state(self.position))
        for event in events:
            play(table, event)
        return table


def play(table: Play, event: str) -> tuple[Step, ...]:
    """Play an event such as ``0 place 3`` or ``1 roll [26]``: seat, action, and the dice rolled after it.

    :raises GameError: if it is not possible at this table.
    """
    return table.add(Event.parse(event))
