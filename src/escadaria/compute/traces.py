"""A kernel's games in the words of the readable engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.streams import DICE, NOISE, start

ACTION = 0
"""The column of a trace with what led to the position; the others are the kernel's own."""

S = TypeVar("S")
A = TypeVar("A")


def unsigned(seed: int) -> np.uint64:
    return np.uint64(seed % 2**64)


def seated(
    policies: Mapping[str, int], bots: Sequence[str], number: int, seed: int
) -> tuple[NDArray[np.int64], np.uint64, np.uint64]:
    """The policies of a game by seat, and its streams of dice and noise."""
    lineup = np.array([policies[bots[(seat - number) % len(bots)]] for seat in range(len(bots))])
    dice, noise = (np.uint64(start(unsigned(seed), number, which)) for which in (DICE, NOISE))
    return lineup, dice, noise


def counted(
    play_games: Callable[[NDArray[np.int32], NDArray[np.int32]], None],
    names: Sequence[str],
    games: int,
    players: int,
) -> dict[str, NDArray[np.int32]]:
    """The results of games: ``play_games`` fills an array by game, and one by name, game and seat."""
    each = np.empty((games, 3), np.int32)
    by_seat = np.empty((len(names), games, players), np.int32)
    play_games(each, by_seat)
    columns = (*each.T, *by_seat)
    return dict(zip(("winner", "turns", "plies", *names), columns, strict=True))


@njit(cache=True, nogil=True)
def acted(trace: NDArray[np.int64] | None, plies: int, action: int) -> int:
    """Store an action where a trace is wanted; the number of plies with it."""
    if trace is not None:
        trace[plies + 1, ACTION] = action
    return plies + 1


def decoded(
    trace: NDArray[np.int64], position: Callable[[list[int]], S], action: Callable[[int, S], A]
) -> list[tuple[A | None, S]]:
    """Each action, none at first, and the position after it; ``action`` gets the position before it."""
    rows: Any = trace.tolist()
    positions = [position(row) for row in rows]
    actions = [action(row[ACTION], before) for row, before in zip(rows[1:], positions[:-1], strict=True)]
    return list(zip([None, *actions], positions, strict=True))
