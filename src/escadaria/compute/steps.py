"""What batches of all games share: the arrays that a step fills, and how a place gets its next game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.streams import DICE, NOISE, start

Words = NDArray[np.int64]
Bytes = NDArray[np.int8]
Floats = NDArray[np.float32]
Streams = NDArray[np.uint64]


class Step(NamedTuple):
    """Arrays with a row for each game. The next step fills the same ones: copy what you keep."""

    observation: Floats
    """By game: what the seat to decide sees."""
    mask: Bytes
    """By game and action: 1 if it is legal."""
    seat: NDArray[np.int64]
    """By game: the seat to decide."""
    reward: Floats
    """By game and seat: 1 to the winner, which the others pay in equal parts; 0 unless the game ended."""
    done: NDArray[np.bool_]
    """By game: whether the last decision ended it, and a new one has begun."""


class Places(NamedTuple):
    """Where the games of a batch are played, one after the other."""

    seed: np.uint64
    numbers: Words
    """By place: the number of its game."""
    streams: Streams
    """By place: of dice and of noise."""
    winners: Words
    """By place: the seat whose win ended the game before, with the last decision; else -1."""


class Games(NamedTuple):
    """Many games of one kind."""

    rows: Words
    """By place: a position as the compiled code encodes it."""
    size: int
    """The number of numbers in an observation."""
    advance: Callable[[Words | None, Places, Step], None]
    """Carries out the decisions, or begins all games if there are none; stops at the next decisions."""
    position: Callable[[list[int], int], Any]
    """The position of a row, by the number of players."""


@njit(cache=True, nogil=True)
def begin(rows: Words, game: int, seed: np.uint64, numbers: Words, streams: Streams) -> None:
    """Give a place its next game: an empty row, and the dice and noise of its number."""
    numbers[game] += len(rows)
    for which in (DICE, NOISE):
        streams[game, which] = start(seed, numbers[game], which)
    for column in range(rows.shape[1]):
        rows[game, column] = 0
