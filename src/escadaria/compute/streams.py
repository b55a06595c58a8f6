"""Random numbers for kernels: a stream for every game, which depends on the seed and its number alone.

The generator is SplitMix64 (Steele, Lea, Flood 2014): a counter that is mixed. Each game has two
streams, one for its dice and one for the noise of its bots, so its dice do not depend on who plays.
``escadaria.arena.simulation.Stream`` is the same in readable Python.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DICE, NOISE = 0, 1
"""The numbers of a game's streams."""

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@njit(cache=True, nogil=True)
def mix(number: np.uint64) -> np.uint64:
    """SplitMix64's finaliser: every bit of the number changes half of the result's."""
    number = (number ^ (number >> _30)) * _MIX_1
    number = (number ^ (number >> _27)) * _MIX_2
    return number ^ (number >> _31)


@njit(cache=True, nogil=True)
def start(seed: np.uint64, game: int, which: int) -> np.uint64:
    """The state that a game's stream starts from."""
    return mix(mix(seed + GAMMA) + np.uint64(2 * game + which) * GAMMA)


@njit(cache=True, nogil=True)
def below(state: np.uint64, sides: int) -> tuple[np.uint64, int]:
    """The stream's next state, and a number from 0 to ``sides - 1``, each equally likely.

    By Lemire's multiplication: the few values that would make some numbers likelier are passed over.
    """
    while True:
        state += GAMMA
        product = np.int64(mix(state) >> _32) * sides
        if (product & 0xFFFFFFFF) >= sides or (product & 0xFFFFFFFF) >= 0x100000000 % sides:
            return state, int(product >> 32)
