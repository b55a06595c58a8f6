"""What batches of all games share: the arrays that a step fills, and how compiled code carries out a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int64]
Bytes = NDArray[np.int8]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]
Streams = NDArray[np.uint64]

WAIT, GO_ON = -1, -2
"""In place of the number of a decision: leave the game as it is, or roll the dice until the next decision."""

OUTSIDE = -1
"""In place of the code of a bot: the seat's decisions come from outside."""


class Step(NamedTuple):
    """Arrays with a row for each game, except for the last two."""

    observation: Floats
    """By game: the observation of the seat to decide."""
    mask: Bytes
    """By game and action: 1 if it is legal. In a game that is over all are 1."""
    seat: Words
    """By game: the seat to decide; at the end of a game its winner."""
    reward: Floats
    """By game and seat: the rewards of the last decision."""
    done: Bools
    """By game: whether the last decision ended it."""
    truncated: Bools
    """By game: whether the last decision was the last one allowed; it may have ended the game too."""
    final_observation: Floats
    """A row for each game that ended or was truncated, in their order, if new ones have begun in their
    places: the last observation of the old one."""
    final_mask: Bytes
    """The same for masks."""


class Places(NamedTuple):
    """Where the games of a batch are played."""

    streams: Streams
    """By place: of dice and of noise."""
    viewers: Words
    """By place: the seat that observes, or -1 for the seat to decide."""
    winners: Words
    """By place: the seat whose win ended the game, or -1."""


class Games(NamedTuple):
    """Many games of one kind."""

    rows: Words
    """By place: a position as the compiled code encodes it."""
    size: int
    """The number of numbers in an observation."""
    advance: Callable[[Words, Words | None, Places, Step], None]
    """Carries out the decisions, ``WAIT`` or ``GO_ON`` by game, and those of bots, whose codes are by game
    and seat; stops at the next decision from outside, or at the end of the game."""
    position: Callable[[list[int], int], Any]
    """The position of a row, by the number of players."""
    row: Callable[[Any], list[int]]
    """The row of a position."""
    values: Callable[[], Callable[[Words, NDArray[np.float64]], None]]
    """Loads the exact or learned values: a function that takes places and fills in, for each of them, the win
    probability of each seat as if the turn started now."""
