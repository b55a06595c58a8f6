"""What is counted in games of bots, by game and by seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.streams import DICE, NOISE, start

Words = NDArray[np.int64]
Counts = NDArray[np.int32]


def counted(
    play_games: Callable[[np.uint64, Counts, Counts], None],
    names: Sequence[str],
    games: int,
    players: int,
    seed: int,
) -> dict[str, Counts]:
    """The results of games: ``play_games`` fills an array by game, and one by name, game and seat."""
    each, by_seat = np.empty((games, 3), np.int32), np.empty((len(names), games, players), np.int32)
    play_games(np.uint64(seed % 2**64), each, by_seat)
    return dict(zip(("winner", "turns", "plies", *names), (*each.T, *by_seat), strict=True))


@njit(cache=True, nogil=True, inline="always")
def begin(lineup: Words, number: int, seed: np.uint64, policies: Words, streams: NDArray[np.uint64]) -> None:
    """Before a game: fill in its bots by seat, and its streams."""
    for seat in range(len(lineup)):
        policies[seat] = lineup[(seat - number) % len(lineup)]
    for which in (DICE, NOISE):
        streams[0, which] = start(seed, number, which)
