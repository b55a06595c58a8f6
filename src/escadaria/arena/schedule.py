"""The schedule of a league: who plays whom, and on which seats."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

NUMBERS = 1 << 32
"""Game ``i`` of line-up ``l`` has the number ``l * NUMBERS + i``, which determines its dice."""


@dataclass(frozen=True)
class Schedule:
    """Rounds, in which every choice of bots plays a game in each rotation of the seats.

    With fewer bots than seats, every bot has a seat and some have more, as evenly as possible. With more
    bots than seats, all combinations play. The seating order changes from round to round; each order is
    followed by its reverse.
    """

    bots: int
    players: int

    @cached_property
    def choices(self) -> tuple[tuple[int, ...], ...]:
        """The bots at the table, by their numbers."""
        everybody = tuple(range(self.bots)) * (self.players // self.bots)
        rest = combinations(range(self.bots), self.players % self.bots if everybody else self.players)
        return tuple(tuple(sorted(everybody + more)) for more in rest)

    @cached_property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """Orders around the table, each followed by its reverse."""
        ways = [rest for rest in permutations(range(1, self.players)) if rest <= rest[::-1]]
        both = (way for rest in ways for way in dict.fromkeys((rest, rest[::-1])))
        return tuple((0, *way) for way in both)

    @property
    def line_ups(self) -> int:
        return len(self.choices) * len(self.orders)

    def line_up(self, number: int) -> tuple[int, ...]:
        """Bots by seat in game 0 of the line-up; in each further game they rotate by one seat."""
        order, choice = divmod(number, len(self.choices))
        return tuple(self.choices[choice][place] for place in self.orders[order])

    def goal(self, games: int) -> list[int]:
        """The number of games of each line-up: complete rounds with at least ``games`` games in total."""
        rounds = -(-games // (len(self.choices) * self.players))
        turns, more = divmod(rounds, len(self.orders))
        return [
            self.players * (turns + (line_up // len(self.choices) < more)) for line_up in range(self.line_ups)
        ]
