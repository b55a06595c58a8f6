"""One update of a row of Rapido's values, for all towers (R4-R19): what the solver does, compiled.

A row is a pair of steps. The towers are updated in strips, and a strip on as many lanes as the other's high
pair has values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from escadaria.games.rapido.compiled.rules import (
    LANES,
    SURE,
    TOTAL,
    is_empty,
    moved,
    ranks_at,
    roll_again_each,
)
from escadaria.games.rapido.index import FIRST, PAIR_PLACES
from escadaria.games.rapido.rolls import DOUBLES, LATER_ROLLS, MOVES, RANK_OF_ROLL, RANKS
from escadaria.games.rapido.rules import ROLLS, Roll
from escadaria.games.rapido.solution import ONE

NEAREST, DOWN, UP = 0, 1, 2  # how a value is rounded

UNIT = 1 / ONE
D1, D2, D3 = DOUBLES
LATER = [rank for rank in range(RANKS) if LATER_ROLLS[rank]]
AT_FIRST = [rank for rank in range(RANKS) if rank not in LATER and rank not in DOUBLES]
ROUNDING = 1e-3  # far more than floating-point arithmetic can be off, in units of the last place


class Dice(NamedTuple):
    """How likely each roll is, and in which order ``stop`` holds what follows them.

    Values that later rolls show without an X stand first, then those that only a first roll keeps (R11).
    """

    slots: np.ndarray
    """By rank of a value: where it stands."""
    later: np.ndarray
    first: np.ndarray
    one_cross: float
    two_crosses: float
    doubles: np.ndarray
    """By steps climbed, from 1 (R10)."""


def dice(rolls: Sequence[Roll] = ROLLS) -> Dice:
    """Of the real dice, or of dice that show only these rolls, each as often as it is named."""
    first, later, moves = np.zeros(RANKS), np.zeros(RANKS), Counter[int]()
    for number in map(ROLLS.index, rolls):
        move, rank = MOVES[1][number], RANK_OF_ROLL[number]
        moves[move] += 1
        first[rank] += MOVES[0][number] == 0
        later[rank] += move == 0
    order = np.array([*LATER, *AT_FIRST, *DOUBLES])
    first, later = first[order] / len(rolls), later[order] / len(rolls)
    return Dice(
        np.argsort(order),
        later[: len(LATER)],
        first[: len(LATER) + len(AT_FIRST)],
        moves[-1] / len(rolls),
        moves[-2] / len(rolls),
        np.array([moves[climb] for climb in (1, 2, 3)]) / len(rolls),
    )


def work_items() -> np.ndarray:
    """All towers in strips: the mover's pair (place, rank) and the places of the other's pairs."""
    items = [
        (own, rank, low, high)
        for own in range(PAIR_PLACES)
        for low in range(PAIR_PLACES)
        for high in range(low, PAIR_PLACES)
        if FIRST[own, low, high] >= 0
        for rank in range(RANKS if own >= 2 else 1)
    ]
    return np.array(items, dtype=np.int64)


@njit(inline="always")
def _seen_by_next(own: int, rank: int, field: int, mover: int) -> tuple[int, int, int]:
    """The tower after placing on ``field`` beside the pair at ``own``, as the next player has it.

    :return: the first number with the next player's own pair at ``mover``, the step from one
        value of the placed pair to the next, and from one value of the next player's pair to the next.
    """
    place = field + 1
    low, high = min(own, place), max(own, place)
    size = ranks_at(low) * ranks_at(high)
    base = FIRST[mover, low, high]
    if field == 0:
        return base + rank, 0, size
    if own < 2:
        return base, 1, size
    if place > own:
        return base + rank * RANKS, 1, size
    return base + rank, RANKS, size


class Strip(NamedTuple):
    """Towers that differ only in the values of the other's pairs."""

    own: int
    """The place of the mover's pair, and the rank of its value."""
    rank: int
    low: int
    """The places of the other's pairs."""
    high: int


@njit(inline="always")
def strip_of(items: Any, number: int) -> Strip:
    return Strip(items[number, 0], items[number, 1], items[number, 2], items[number, 3])


@njit(inline="always")
def first_tower(strip: Strip) -> int:
    return int(
        FIRST[strip.own, strip.low, strip.high] + strip.rank * ranks_at(strip.low) * ranks_at(strip.high)
    )


class Row(NamedTuple):
    """The update of a row: of the mover on step ``own`` against the other on ``other``."""

    source: Any
    """The values that it reads, as in a solution."""
    own: int
    other: int
    worth: Any
    """``worth[r]``: what the doubles of row ``r`` (mod 4) are worth for each tower."""
    out: Any
    """The new values, by tower."""
    rounding: int
    hand_on: bool
    """Whether the rows below receive what this one adds to ``worth``."""
    dice: Dice


class Scratch(NamedTuple):
    """Arrays for one strip; the last index is the lane, or the value of the other's high pair."""

    stop: Any
    """By place in ``Dice.slots``: the worth of stopping."""
    low_out: Any
    """By value rolled: the best where only the low pair is thrown out."""
    fail: Any
    again: Any
    """The worth of rolling again."""
    sums: Any
    value_of: Any
    """The worth of the turn."""
    least: Any
    """By the other's value and the value rolled: the least for the next player where their pair stays."""
    tables: Any
    """By value rolled, the least for the next player: of all fields, of those that leave the low pair, and of
    those that leave the high pair, if nothing is thrown out; if both are; for one value of the low pair."""


STAYS, STAYS_LOW, STAYS_HIGH, ALL_OUT, ABOVE = range(5)


@njit
def new_scratch() -> Scratch:
    return Scratch(
        np.zeros((RANKS, LANES)),
        np.zeros((RANKS, LANES)),
        np.zeros(LANES),
        np.zeros(LANES),
        np.zeros((3, LANES)),
        np.zeros(LANES),
        np.zeros((RANKS, LANES), np.uint32),
        np.zeros((5, RANKS), np.uint32),
    )


@njit(nogil=True, cache=True, fastmath=True)
def update_row(row: Row, items: Any, start: int, step: int) -> None:
    """The new values of a row, for every ``step``-th strip."""
    scratch = new_scratch()
    for number in range(start, items.shape[0], step):
        strip = strip_of(items, number)
        tower, high_ranks = first_tower(strip), ranks_at(strip.high)
        if strip.low == 0:
            _against_one(row, strip, scratch)
            _decide(row, scratch, tower)
            _write(row, scratch, tower, high_ranks)
            continue
        _against_two(row, strip, scratch)
        for other in range(ranks_at(strip.low)):
            _stops(row, strip, other, scratch)
            at = tower + other * high_ranks
            _decide(row, scratch, at)
            _write(row, scratch, at, high_ranks)


# Stopping is worth 1 minus the least value, over the free fields, that the next player then has. The least
# values are found as they are stored, as whole numbers.


@njit(inline="always")
def _lower(least: Any, row: int, values: Any, at: int, step: int, end: int) -> None:
    """Lower what the next player has, by the value of the placed pair, as far as it is below ``end``."""
    if step == 1:  # neighbours, of which a processor takes several with one instruction
        for value in range(end):
            new, old = values[np.uint64(at + value)], least[row, value]
            least[row, value] = new if new < old else old
    else:
        for value in range(end):
            new, old = values[np.uint64(at + value * step)], least[row, value]
            least[row, value] = new if new < old else old


@njit(fastmath=True, forceinline=True)
def _against_one(row: Row, strip: Strip, scratch: Scratch) -> None:
    """Stopping and failing while the other has one pair on the tower, or none: nobody scores (R18)."""
    source, a, b, dice = row.source, row.own, row.other, row.dice
    own, rank, high = strip.own, strip.rank, strip.high
    stop, fail, least, tables = scratch.stop, scratch.fail, scratch.least, scratch.tables
    values = source[b, a]
    falls1, falls2 = source[b, moved(a, -1)], source[b, moved(a, -2)]
    high_ranks = ranks_at(high)
    least[:] = ONE
    tables[ALL_OUT, :] = ONE
    stop[:] = 0.0
    for field in range(6):
        if not is_empty(field, own - 1, high - 1, -1):
            continue
        base, value_step, size = _seen_by_next(own, rank, field, high)
        below = field < high - 1
        for lane in range(high_ranks):
            _lower(least, lane, values, base + lane * size, value_step, lane if below else RANKS)
        if below:
            free, _, _ = _seen_by_next(own, rank, field, 0)
            _lower(tables, ALL_OUT, values, free, value_step, RANKS)
    for value in range(RANKS):
        slot = dice.slots[value]
        for lane in range(high_ranks):
            here = min(least[lane, value], tables[ALL_OUT, value]) if lane <= value else least[lane, value]
            stop[slot, lane] = 1.0 - here * UNIT
    for lane in range(high_ranks):
        at = FIRST[high, 0, own] + lane * ranks_at(own) + rank
        fail[lane] = dice.one_cross * (1.0 - falls1[at] * UNIT)
        fail[lane] += dice.two_crosses * (1.0 - falls2[at] * UNIT)


@njit(fastmath=True, forceinline=True)
def _against_two(row: Row, strip: Strip, scratch: Scratch) -> None:
    """What stopping is worth for each value, as far as it holds for every value of the low pair."""
    source, a, b, dice = row.source, row.own, row.other, row.dice
    own, rank, low, high = strip
    tables, least, low_out = scratch.tables, scratch.least, scratch.low_out
    scored = b + low + high - 2  # R18
    won = scored >= source.shape[0]  # R15
    kept, gone = source[min(scored, source.shape[0] - 1), a], source[b, a]
    tables[:] = ONE
    for field in range(6):
        place = field + 1
        if not is_empty(field, own - 1, low - 1, high - 1):
            continue
        base, value_step, _ = _seen_by_next(own, rank, field, 0)
        if place <= low:
            _lower(tables, ALL_OUT, gone, base, value_step, RANKS)
        if won:
            continue
        _lower(tables, STAYS, kept, base, value_step, RANKS)
        if place > low:
            _lower(tables, STAYS_LOW, kept, base, value_step, RANKS)
        if place > high or high == 1:
            _lower(tables, STAYS_HIGH, kept, base, value_step, RANKS)
    for lane in range(RANKS):
        for value in range(RANKS):
            least[lane, value] = tables[STAYS_LOW if low >= 2 else STAYS, value]
    if low >= 2:
        for place in range(1, low):
            if not is_empty(place - 1, own - 1, -1, -1):
                continue
            base, value_step, size = _seen_by_next(own, rank, place - 1, high)
            for lane in range(RANKS):
                _lower(least, lane, gone, base + lane * size, value_step, RANKS)
    for value in range(RANKS):
        for lane in range(RANKS):
            low_out[value, lane] = 1.0 - least[lane, value] * UNIT
    lost = 0.0
    if not won:
        at = FIRST[0, 0, own] + rank
        lost = dice.one_cross * (1.0 - source[scored, moved(a, -1), at] * UNIT)
        lost += dice.two_crosses * (1.0 - source[scored, moved(a, -2), at] * UNIT)
    scratch.fail[:] = lost


@njit(fastmath=True, forceinline=True)
def _stops(row: Row, strip: Strip, other: int, scratch: Scratch) -> None:
    """What stopping is worth, for one value of the low pair and each of the high pair."""
    own, rank, low, high = strip
    stop, low_out, tables, slots = scratch.stop, scratch.low_out, scratch.tables, row.dice.slots
    bound = other if low >= 2 else RANKS  # from this value on the low pair is thrown out (R14)
    gone = row.source[row.other, row.own]
    for value in range(RANKS):
        best = tables[STAYS_HIGH, value]
        tables[ABOVE, value] = best if value < bound else min(best, tables[ALL_OUT, value])
    if high >= 2:
        for place in range(1, high):
            if not is_empty(place - 1, own - 1, low - 1, -1):
                continue
            base, value_step, size = _seen_by_next(own, rank, place - 1, low)
            # Below the low pair, values from ``bound`` on throw both out.
            _lower(tables, ABOVE, gone, base + other * size, value_step, bound if place < low else RANKS)
    if low >= 2 and other > 0:  # one more value leaves the low pair
        low_out[other - 1, :] = 1.0 - tables[STAYS, other - 1] * UNIT
    for value in range(RANKS):
        least = value if high >= 2 else -1
        best, slot = 1.0 - tables[ABOVE, value] * UNIT, slots[value]
        for lane in range(LANES):
            stop[slot, lane] = low_out[value, lane] if lane > least else best


@njit(fastmath=True, forceinline=True)
def _decide(row: Row, scratch: Scratch, tower: int) -> None:
    """The worth of rolling again and of the turn, for neighbouring towers (R8)."""
    stop, again, sums, value_of = scratch.stop, scratch.again, scratch.sums, scratch.value_of
    fail, worth, dice, doubles = scratch.fail, row.worth, row.dice, row.own % 4
    for lane in range(LANES):
        value_of[lane] = worth[doubles, tower + lane]
        sums[SURE, lane] = fail[lane] + value_of[lane]
    roll_again_each(sums, stop, dice.later, again)
    for lane in range(LANES):
        value_of[lane] += sums[TOTAL, lane]
    for slot in range(dice.later.size, dice.first.size):
        chance = dice.first[slot]
        for lane in range(LANES):
            value_of[lane] += chance * max(stop[slot, lane], again[lane])


@njit(fastmath=True, forceinline=True)
def _write(row: Row, scratch: Scratch, tower: int, lanes: int) -> None:
    """Round and store the values, and add the worth of the doubles to the rows below (R10)."""
    stop, again, worth, dice = scratch.stop, scratch.again, row.worth, row.dice
    for lane in range(lanes):
        exact = scratch.value_of[lane] * ONE
        if row.rounding == NEAREST:
            exact = min(exact + 0.5, ONE)
        elif row.rounding == DOWN:
            exact = max(exact - ROUNDING, 0.0)
        else:
            exact = min(np.ceil(exact + ROUNDING), ONE)
        row.out[tower + lane] = np.uint32(exact)
    if row.hand_on:
        near, middle, far = (row.own + 3) % 4, (row.own + 2) % 4, (row.own + 1) % 4
        one, two, three = dice.slots[D1], dice.slots[D2], dice.slots[D3]
        for lane in range(lanes):
            worth[near, tower + lane] += dice.doubles[0] * max(stop[one, lane], again[lane])
            worth[middle, tower + lane] += dice.doubles[1] * max(stop[two, lane], again[lane])
            worth[far, tower + lane] = dice.doubles[2] * max(stop[three, lane], again[lane])


@njit(nogil=True, cache=True)
def take_over(row: Any, out: Any, items: Any) -> int:
    """Copy the new values of all strips; the largest change."""
    change = 0
    for number in range(items.shape[0]):
        start, end = _towers(items, number)
        for tower in range(start, end):
            new, old = np.int64(out[tower]), np.int64(row[tower])
            change = max(change, int(abs(new - old)))
            row[tower] = out[tower]
    return change


@njit(nogil=True, cache=True)
def narrow(low: Any, high: Any, new_low: Any, new_high: Any, items: Any) -> tuple[int, int]:
    """Copy the new bounds; the largest gap, and in how many positions they do not lie within the old."""
    gap, outside = 0, 0
    for number in range(items.shape[0]):
        start, end = _towers(items, number)
        for tower in range(start, end):
            outside += new_low[tower] < low[tower] or new_high[tower] > high[tower]
            low[tower], high[tower] = new_low[tower], new_high[tower]
            gap = max(gap, int(high[tower]) - int(low[tower]))
    return gap, outside


@njit(inline="always")
def _towers(items: Any, number: int) -> tuple[int, int]:
    """The first tower of a strip, and the one after its last."""
    strip = strip_of(items, number)
    start = first_tower(strip)
    return start, start + ranks_at(strip.low) * ranks_at(strip.high)


@njit(nogil=True, cache=True)
def to_middle(low: Any, high: Any) -> None:
    """Put what lies between the bounds in place of the lower ones."""
    for own in range(low.shape[0]):
        for other in range(low.shape[1]):
            for tower in range(low.shape[2]):
                gap = high[own, other, tower] - low[own, other, tower]
                low[own, other, tower] += np.uint32(gap // np.uint32(2))
