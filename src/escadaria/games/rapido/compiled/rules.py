"""Rapido's rules compiled, piece by piece (R4-R18): a position is a row of whole numbers.

Rows. The columns are the phase, the seat to play, the rank of the value in hand, the tower, then each
seat's step and each seat's marks. Functions that change a row take an array of rows and the number of one:
a slice costs more than a step of a game. They are inlined: calls would make games 10 % slower.

Words. The tower is one word of eight lanes of eight bits; lane ``f`` belongs to field ``f`` and holds the
rank of the value of the pair there, or ``EMPTY``. A seat's pairs are a word too, whose lanes have their
high bit set where it has a pair; of two pairs on field 0 (R4) one stands in lane 0 and one in ``SPARE``.
Words that have only high bits are called marks. So one subtraction compares a value with all pairs (R14),
and one multiplication adds up a seat's fields (R7).

Tables over all positions (``solver``, ``research/best_response.py``) have a position as their index. They
compare single fields and ranks, and work on many positions side by side: the last section is for them.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute import constants
from escadaria.games.rapido import index, rolls
from escadaria.games.rapido.rules import TOP_FIELD, VALUES, Pair, Phase, State

Words = NDArray[np.int64]

# Rows.

FIRST_ROLL, LATER_ROLL, DECIDE, OVER = constants(4)
_PHASES = (Phase.FIRST_ROLL, Phase.LATER_ROLL, Phase.DECIDE, Phase.OVER)
PHASE, TURN, ROLLED, TOWER, SEATS = range(5)
"""The columns; from ``SEATS`` on each seat's step and each seat's marks."""

SPARE = TOP_FIELD + 1
EMPTY = 127
ONES = sum(1 << 8 * field for field in range(1, TOP_FIELD + 1))
MARKS = 128 * ONES
NO_PAIRS = EMPTY * ONES
_LAST = 56
"""A sum over lanes is gathered in the last one by a multiplication."""
_FIELD_SUM = sum(field << _LAST - 8 * field for field in range(1, TOP_FIELD + 1))
_PAIR_SUM = sum(1 << _LAST - 8 * lane for lane in range(SPARE + 1))
_AS_SET = sum(1 << field - 1 << _LAST - 8 * field for field in range(1, TOP_FIELD + 1))


def columns(players: int) -> int:
    """The length of a row."""
    return SEATS + 2 * players


def position_of(row: list[int], players: int) -> State:
    """The readable position of a row."""
    steps, marks = row[SEATS : SEATS + players], row[SEATS + players :]
    pairs = [
        Pair(lane, seat, VALUES[row[TOWER] >> 8 * lane & EMPTY]) if 0 < lane < SPARE else Pair(0, seat, 0)
        for seat in range(players)
        for lane in range(SPARE + 1)
        if marks[seat] >> 8 * lane & 128
    ]
    pairs.sort(key=lambda pair: (pair.field, pair.seat))
    value = VALUES[row[ROLLED]] if row[PHASE] == DECIDE else 0
    return State(row[TURN], _PHASES[row[PHASE]], value, tuple(steps), tuple(pairs))


def row_of(state: State) -> list[int]:
    """The row of a position: the inverse of ``position_of``."""
    tower, marks = NO_PAIRS, [0] * len(state.steps)
    for pair in state.tower:
        rank = VALUES.index(pair.value) if pair.field else 0
        tower, marks[pair.seat] = put(tower, marks[pair.seat], pair.field, rank)
    row = [0] * SEATS + [*state.steps, *marks]
    row[PHASE], row[TURN], row[TOWER] = _PHASES.index(state.phase), state.turn, tower
    row[ROLLED] = VALUES.index(state.value) if state.value else 0
    return row


@njit(cache=True, nogil=True)
def set_up(rows: Words, at: int) -> None:
    """The start of a game."""
    for column in range(rows.shape[1]):
        rows[at, column] = 0
    rows[at, TOWER] = NO_PAIRS


@njit(cache=True, nogil=True)
def own_marks(position: Words) -> int:
    """The pairs of the seat to play."""
    return int(position[(SEATS + len(position)) // 2 + position[TURN]])


# Words.


@njit(cache=True, nogil=True)
def sum_of_fields(marks: int) -> int:
    return ((marks >> 7) * _FIELD_SUM) >> _LAST


@njit(cache=True, nogil=True)
def number_of_pairs(marks: int) -> int:
    """The number of marked pairs, those on field 0 included."""
    return ((marks >> 7) * _PAIR_SUM) >> _LAST


@njit(cache=True, nogil=True)
def without(tower: int, marks: int) -> int:
    """The tower after the marked pairs left it."""
    return tower | (((marks & MARKS) >> 7) * EMPTY)


@njit(cache=True, nogil=True)
def free_fields(tower: int) -> int:
    """The empty fields of 1 to 5 as a set: bit 0 is field 1 (R13). Field 0 is always free (R4)."""
    return ((((tower + ONES) & MARKS) >> 7) * _AS_SET) >> _LAST


@njit(cache=True, nogil=True)
def is_free(free: int, field: int) -> bool:
    """Whether a pair may go to the field, by the set of ``free_fields`` (R4, R13)."""
    return field == 0 or free >> field - 1 & 1 == 1


@njit(cache=True, nogil=True)
def thrown_out(tower: int, own: int, field: int, rank: int) -> int:
    """The opponents' pairs above the field with the value or less (R14, R17), marked."""
    not_higher = (MARKS | rank * ONES) - tower
    return not_higher & MARKS & ~own & (-256 << 8 * field)


@njit(cache=True, nogil=True)
def put(tower: int, own: int, field: int, rank: int) -> tuple[int, int]:
    """The tower and the seat's marks after its pair came to lie on a field (R13)."""
    mark = 128 << 8 * field
    if field == 0:
        return tower, own | (128 << 8 * SPARE if own & mark else mark)
    return tower ^ ((EMPTY ^ rank) << 8 * field), own | mark


@njit(cache=True, nogil=True)
def pairs_each(players: int) -> int:
    """The number of pairs that a seat has (R16)."""
    return 2 if players == 2 else 1


@njit(cache=True, nogil=True)
def score(players: int, marks: int) -> int:
    """The steps that a seat's pairs score when its turn starts; -1 if they stay instead (R7, R18)."""
    return sum_of_fields(marks) if number_of_pairs(marks) == pairs_each(players) else -1


@njit(cache=True, nogil=True)
def next_seat(seat: int, players: int) -> int:
    """R5"""
    return seat + 1 if seat + 1 < players else 0


@njit(cache=True, nogil=True)
def moved(step: int, move: int) -> int:
    """The step after a double (R10) or a roll with an X (R12)."""
    return max(step + move, 0)


# Turns.

RANK_OF_ROLL = np.array(rolls.RANK_OF_ROLL)
NUMBER_OF_ROLLS = len(RANK_OF_ROLL)
MOVES = np.array(rolls.MOVES)
FAILED, GOES_ON, WON = range(3)
"""What a roll leads to."""


@njit(cache=True, nogil=True, inline="always")
def start_turn(finish: int, players: int, rows: Words, at: int) -> bool:
    """Score and take the pairs back (R7, R18); whether that wins (R15)."""
    seat = rows[at, TURN]
    own = rows[at, SEATS + players + seat]
    climbed = score(players, own)
    if climbed < 0:
        return False
    step = rows[at, SEATS + seat] + climbed
    rows[at, TOWER] = without(rows[at, TOWER], own)
    rows[at, SEATS + players + seat] = 0
    rows[at, SEATS + seat] = min(step, finish)
    return bool(step >= finish)


@njit(cache=True, nogil=True, inline="always")
def roll(finish: int, rows: Words, at: int, later: int, number: int) -> int:
    """Let the dice fall (R9-R12, R15).

    :param later: 0 for the first roll of a turn, 1 for a later one.
    :param number: one of the 36 rolls.
    """
    piece = SEATS + rows[at, TURN]
    move = MOVES[later, number]
    step = moved(rows[at, piece], move)
    rows[at, piece] = min(step, finish)
    rows[at, ROLLED] = RANK_OF_ROLL[number]
    return WON if step >= finish else FAILED if move < 0 else GOES_ON


@njit(cache=True, nogil=True, inline="always")
def place(players: int, rows: Words, at: int, field: int, thrown: Words | None) -> None:
    """Put the pair in hand on a field and throw out (R13, R14, R17).

    :param thrown: counts the pairs thrown out by seat, where wanted.
    """
    seat, rank, tower, marks = rows[at, TURN], rows[at, ROLLED], rows[at, TOWER], SEATS + players
    own = rows[at, marks + seat]
    out = thrown_out(tower, own, field, rank)
    if out:
        tower = without(tower, out)
        for other in range(players):
            if thrown is not None:
                thrown[other] += number_of_pairs(rows[at, marks + other] & out)
            rows[at, marks + other] &= ~out
    rows[at, TOWER], rows[at, marks + seat] = put(tower, own, field, rank)


@njit(cache=True, nogil=True, inline="always")
def pass_turn(players: int, rows: Words, at: int) -> None:
    """R5"""
    rows[at, TURN] = next_seat(rows[at, TURN], players)


# The worth of rolling again (R8).

RANKS = rolls.RANKS
FIRST_ROLLS, LATER_ROLLS = np.array(rolls.FIRST_ROLLS, np.float64), np.array(rolls.LATER_ROLLS, np.float64)
DOUBLES = np.array(rolls.DOUBLES)
ONE_CROSS, TWO_CROSSES = rolls.FALLS


def _compiled(function: Callable[..., float], fastmath: bool = False) -> Callable[..., float]:
    """A function of ``rolls`` compiled, with its tables as arrays.

    Numba takes global arrays as constants. That is three times as fast as arguments, and six times as fast as
    tuples.
    """
    arrays = {"FIRST_ROLLS": FIRST_ROLLS, "LATER_ROLLS": LATER_ROLLS, "DOUBLES": DOUBLES}
    assert isinstance(function, FunctionType)
    copy = FunctionType(function.__code__, vars(rolls) | arrays, function.__name__, function.__defaults__)
    compiled: Callable[..., float] = njit(cache=True, nogil=True, fastmath=fastmath)(copy)
    return compiled


roll_again = _compiled(rolls.roll_again, fastmath=True)
worth_of_doubles = _compiled(rolls.worth_of_doubles)
worth_of_turn = _compiled(rolls.worth_of_turn)


# Single fields and ranks, and many positions side by side.

ranks_at = njit(cache=True, nogil=True)(index.ranks_at)

LANES = 32
"""The number of positions side by side: a multiple of what a processor adds in one instruction."""


@njit(cache=True, nogil=True)
def is_empty(field: int, first: int, second: int, third: int) -> bool:
    """Whether a pair may go to the field while others lie on these three (R4, R13)."""
    return field == 0 or (field != first and field != second and field != third)


SURE, TOTAL, SHARE = range(3)


@njit(cache=True, nogil=True, fastmath=True)
def roll_again_each(sums: Any, worths: Any, chances: Any, again: Any) -> None:
    """``roll_again`` for neighbouring positions, with chances in place of numbers of rolls.

    ``worths`` is by [value, lane], so that a processor works on several lanes with one instruction.
    ``sums[SURE]`` is the worth of all rolls that leave no choice. ``sums[TOTAL]`` becomes the worth of the
    others, ``sums[SHARE]`` the chance of those after which the player rolls again, and ``again``, which may
    be anything before, the worth of rolling again.
    """
    while True:
        for lane in range(LANES):
            sums[TOTAL, lane], sums[SHARE, lane] = 0.0, 0.0
        for value in range(chances.size):
            chance = chances[value]
            for lane in range(LANES):
                sums[TOTAL, lane] += chance * max(worths[value, lane], again[lane])
                sums[SHARE, lane] += 0.0 if worths[value, lane] > again[lane] else chance
        off = 0.0
        for lane in range(LANES):
            off = max(off, abs(sums[SURE, lane] + sums[TOTAL, lane] - again[lane]))
        if off < 1e-14:
            return
        for lane in range(LANES):
            improved = sums[SURE, lane] + sums[TOTAL, lane] - again[lane]
            again[lane] += improved / (1.0 - sums[SHARE, lane])
