"""The index of a two-player Rapido position in the table of the solution (R16-R19).

A turn starts after scoring, so the mover has no pair or one on the tower and the other player none,
one or two. The two steps are two axes of their own; all the rest of a position, the *tower*, has a
number below ``TOWERS``. Towers that hold pairs on the same fields stand together, ordered by the
values of the mover's pair, then of the other's pairs, lower field first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from escadaria.games.rapido.rolls import RANKS
from escadaria.games.rapido.rules import TOP_FIELD

PAIR_PLACES = TOP_FIELD + 2
"""Where a pair may be: 0 in front of its owner, 1 + field on the tower. On field 0 values never matter."""

Placed: TypeAlias = tuple[int, int]
"""A pair on the tower: its field, and the rank of its value, 0 on field 0."""


def ranks_at(place: int) -> int:
    """The number of values of a pair that make a difference there."""
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
