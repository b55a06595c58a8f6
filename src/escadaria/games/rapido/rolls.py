"""Tables of the effects of rolls, and the worth of rolling again (R8-R12).

The tables are computed by the rules: each roll is applied once as a first roll and once as a later one. The
functions are plain loops, so that ``compiled/rules.py`` can compile them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from escadaria.games.rapido.rules import ROLLS, VALUES, Phase, Rapido, State

RANKS = len(VALUES)
"""The number of values that two dice can show (R9)."""
RANK = {value: rank for rank, value in enumerate(VALUES)}


def _moves(phase: Phase) -> tuple[int, ...]:
    high = Rapido.OPTIONS[1].high
    before = State(0, phase, 0, (high // 2,) * 3, ())
    return tuple(Rapido(3, high).apply(before, roll).steps[0] - before.steps[0] for roll in ROLLS)


RANK_OF_ROLL = tuple(RANK[roll.value] for roll in ROLLS)
MOVES = _moves(Phase.FIRST_ROLL), _moves(Phase.LATER_ROLL)
"""By 0 for a first and 1 for a later roll, and by roll: the steps up (R10), or down at a turn's end (R12)."""
_SHOWN = [
    Counter(rank for rank, move in zip(RANK_OF_ROLL, moves, strict=True) if move == 0) for moves in MOVES
]
FIRST_ROLLS, LATER_ROLLS = (tuple(shown[rank] for rank in range(RANKS)) for shown in _SHOWN)
"""By rank: the number of the 36 rolls that show the value and do not move the piece."""
DOUBLES = tuple(RANK_OF_ROLL[MOVES[1].index(climb)] for climb in (1, 2, 3))
"""The ranks of the doubles that climb 1, 2 and 3 steps (R10)."""
FALLS = tuple(MOVES[1].count(-crosses) for crosses in (1, 2))
"""The number of the 36 rolls that show one X, and two (R12)."""


def roll_again(sure: float, worths: Any, stops: Any = None, rolls: float = 36.0) -> float:
    """The worth of rolling again, after which the player may roll again (R8).

    The worth is on both sides of its equation. It is solved for a rule that says when to stop, and the rule
    is improved until it is the best one (policy iteration).

    :param sure: the worth of all rolls without a choice, in 36ths.
    :param worths: by rank, the worth of stopping.
    :param stops: by rank, whether the player stops; without it the player decides best.
    :param rolls: the number of rolls that do not lead back to this node.
    """
    again = -1e9
    while True:
        total, others = sure, rolls
        for rank in range(RANKS):
            stop = worths[rank] > again if stops is None else stops[rank]
            total += LATER_ROLLS[rank] * worths[rank] if stop else 0.0
            others -= 0.0 if stop else LATER_ROLLS[rank]
        improved = total / others
        if stops is not None or improved <= again:
            return improved
        again = improved


def worth_of_doubles(
    left: int, level: int, best: Any, again: Any, stops: Any = None, won: float = 1.0
) -> float:
    """The worth of the doubles of a later roll, in 36ths (R10).

    A turn is computed for some levels: steps, from the own one up. For a piece that climbs beyond the last
    level, but not to the finish, the values of the last one are used.

    :param left: the number of steps from the first level to the finish.
    :param best: the worth of the best placing, by [level, rank].
    :param again: the worth of rolling again, on each higher level.
    :param stops: by [level, rank], whether the player stops; without it the player decides best.
    :param won: the worth of reaching the finish.
    """
    worth = 0.0
    for climb in range(1, 4):
        up, rank = level + climb, DOUBLES[climb - 1]
        if up >= left:  # R15
            worth += won
        elif up >= len(best):
            worth += best[len(best) - 1, rank]
        elif stops is None:
            worth += max(best[up, rank], again[up])
        else:
            worth += best[up, rank] if stops[up, rank] else again[up]
    return worth


def worth_of_turn(left: int, best: Any, again: Any, stops: Any, won: float) -> float:
    """The worth of a turn before its first roll (R8, R10, R11), in 36ths; arguments as above.

    A player who climbs beyond the last level decides as on the last one.
    """
    worth, last = 0.0, len(best) - 1
    for rank in range(RANKS):
        worth += FIRST_ROLLS[rank] * (best[0, rank] if stops[0, rank] else again[0])
    for climb in range(1, 4):
        up, rank = min(climb, last), DOUBLES[climb - 1]
        if climb >= left:  # R15
            worth += won
        else:
            worth += best[up, rank] if stops[up, rank] else again[up]
    return worth
