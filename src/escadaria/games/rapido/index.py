"""Where a two-player Rapido position stands among all of them: its number (R16-R19).

A turn starts after scoring, so the mover has no pair or one on the tower and the other player none,
one or two. The two steps are two axes of their own; all the rest of a position, the *tower*, has a
number below ``TOWERS``. Towers that hold pairs on the same fields stand together, ordered by the
values of the mover's pair, then of the other's pairs, lower field first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from escadaria.games.rapido.rules import ROLLS, TOP_FIELD, VALUES, X

RANKS = len(VALUES)
"""How many values two dice can show (R9)."""
RANK = {value: rank for rank, value in enumerate(VALUES)}
PAIR_PLACES = TOP_FIELD + 2
"""Where a pair may be: 0 in front of its owner, 1 + field on the tower. On field 0 values never matter."""

Placed: TypeAlias = tuple[int, int]
"""A pair on the tower: its field, and the rank of its value, 0 on field 0."""


def ranks_at(place: int) -> int:
    """How many values of a pair there make a difference."""
    return RANKS if place >= 2 else 1


def _number() -> tuple[np.ndarray, int]:
    """The first tower with pairs at given places, by the mover's and the other's; -1 if there is none."""
    first = np.full((PAIR_PLACES, PAIR_PLACES, PAIR_PLACES), -1, dtype=np.int64)
    towers = 0
    for own in range(PAIR_PLACES):
        for low in range(PAIR_PLACES):
            for high in range(low, PAIR_PLACES):
                on_fields = [place for place in (own, low, high) if place >= 2]
                if len(set(on_fields)) == len(on_fields):  # one pair to a field (R4)
                    first[own, low, high] = towers
                    towers += ranks_at(own) * ranks_at(low) * ranks_at(high)
    return first, towers


FIRST, TOWERS = _number()


def tower_number(own: Sequence[Placed], other: Sequence[Placed]) -> int:
    """The number of a tower; ``other`` may be in any order."""
    place, rank = (own[0][0] + 1, own[0][1]) if own else (0, 0)
    pairs = sorted((field + 1, rank) for field, rank in other)
    (low, low_rank), (high, high_rank) = [(0, 0)] * (2 - len(pairs)) + pairs
    inner = low_rank * ranks_at(high) + high_rank
    return int(FIRST[place, low, high]) + rank * ranks_at(low) * ranks_at(high) + inner


def _chances() -> tuple[np.ndarray, np.ndarray]:
    """How many of the 36 rolls show each value without climbing or failing: at first, and later."""
    first, later = np.zeros(RANKS), np.zeros(RANKS)
    for roll in ROLLS:
        if roll.a != roll.b or roll.a == X:  # a double climbs (R10)
            first[RANK[roll.value]] += 1
        if roll.a != roll.b and X not in (roll.a, roll.b):  # an X fails (R12)
            later[RANK[roll.value]] += 1
    return first, later


FIRST_ROLLS, LATER_ROLLS = _chances()
DOUBLES = tuple(RANK[11 * climbed] for climbed in (1, 2, 3))
"""The ranks of the doubles that climb 1, 2 and 3 steps (R10)."""
ONE_CROSS, TWO_CROSSES = 10, 1
"""How many of the 36 rolls show so many X (R12)."""
