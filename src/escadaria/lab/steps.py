"""What a step of many games tells: the arrays that batches of both games fill."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
