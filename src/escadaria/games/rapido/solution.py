"""The exact solution of Rapido for two players: a table with an entry for every turn start.

The values of all positions within a turn follow from the table, see ``turn``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from escadaria.games.rapido.index import tower_number
from escadaria.games.rapido.rolls import RANK
from escadaria.games.rapido.rules import Rapido, State
from escadaria.games.rapido.turn import ByTurns, Ints, Values
from escadaria.solutions import Bounds

ONE = 2**32 - 1
"""A probability of 1 as it is stored."""


def file_name(game: Rapido) -> str:
    return f"rapido-2-{game.finish}.solution"


def tower_of(state: State) -> int:
    """The number of a position's tower."""
    pairs = [(pair.seat, (pair.field, RANK[pair.value] if pair.field else 0)) for pair in state.tower]
    own = [placed for seat, placed in pairs if seat == state.turn]
    return tower_number(own, [placed for seat, placed in pairs if seat != state.turn])


class RapidoSolution(ByTurns):
    """``values[own step, other's step, tower]`` is the mover's win probability at a turn start."""

    def __init__(self, game: Rapido, values: np.ndarray, bounds: Bounds) -> None:
        super().__init__(game)
        self.values = values
        self.bounds = bounds

    def encode_tower(self, state: State) -> tuple[int, ...]:
        return (tower_of(state),)

    def outlooks(self, steps: Ints, towers: Ints) -> Values:
        found = self.values[steps[0], steps[1], towers[0]] / ONE
        return np.stack((found, 1.0 - found), axis=1)


def opened(game: Rapido, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> RapidoSolution:
    """The solution from the metadata and arrays of its file."""
    return RapidoSolution(game, arrays["values"], Bounds(*about["bounds"]))
