"""The exact solution of two-player Rapido: value iteration over every position (R16-R19).

A value is the probability that the mover wins, kept as a 32-bit fraction. Within a turn only the
mover's step changes, upwards, by doubles (R10). So for a fixed step of the other player the rows
of the mover's steps are taken from the finish down, and each row hands what its doubles are worth
to the three rows below. The worth of rolling again solves a small equation: rolling again is
allowed after rolling again. No order of values is assumed: a lower roll may be better, for
throwing out is compulsory (R14).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import log
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit

from escadaria.compute.work import Work
from escadaria.games.rapido.compiled.rules import LANES, is_empty, is_out, moved, ranks_at, roll_again_each
from escadaria.games.rapido.index import FIRST, PAIR_PLACES, TOWERS
from escadaria.games.rapido.rolls import DOUBLES, LATER_ROLLS, MOVES, RANK_OF_ROLL, RANKS
from escadaria.games.rapido.rules import ROLLS, Rapido, Roll
from escadaria.games.rapido.solution import ONE
from escadaria.solutions.solution import Bounds

NEAREST, DOWN, UP = 0, 1, 2  # how a value is rounded

UNIT = 1 / ONE
D1, D2, D3 = DOUBLES
LATER = [rank for rank in range(RANKS) if LATER_ROLLS[rank]]
AT_FIRST = [rank for rank in range(RANKS) if rank not in LATER and rank not in DOUBLES]
CLOSE = 3 / ONE  # where values no longer change materially
UNITS_A_TURN = 2  # of the last place, for the first bounds
SHRINKS = 0.62  # how changes fall from sweep to sweep
NARROW = 2.0**-25  # bounds that are close enough, once they are proven
ROUNDING = 1e-3  # far more than floating-point arithmetic can be off, in units of the last place


Arrays: TypeAlias = dict[str, np.ndarray]
Listener: TypeAlias = Callable[[str, float, Arrays], None]


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
        for rank in range(RANKS if own >= 2 else 1)
        for low in range(PAIR_PLACES)
        for high in range(low, PAIR_PLACES)
        if FIRST[own, low, high] >= 0
    ]
    return np.array(items, dtype=np.int64)


@njit(inline="always")
def _seen_by_next(first: Any, own: int, rank: int, field: int, mover: int) -> tuple[int, int, int]:
    """The tower after placing on ``field`` beside the pair at ``own``, as the next player has it.

    :return: the first number with the next player's own pair at ``mover``, the step from one
        value of the placed pair to the next, and from one value of the next player's pair to the next.
    """
    place = field + 1
    low, high = min(own, place), max(own, place)
    size = ranks_at(low) * ranks_at(high)
    base = first[mover, low, high]
    if field == 0:
        return base + rank, 0, size
    if own < 2:
        return base, 1, size
    if place > own:
        return base + rank * RANKS, 1, size
    return base + rank, RANKS, size


@njit(nogil=True, cache=True, fastmath=True)
def update_row(
    source: Any,
    a: int,
    b: int,
    items: Any,
    start: int,
    step: int,
    first: Any,
    worth: Any,
    out: Any,
    rounding: int,
    hand_on: bool,
    dice: Dice,
) -> None:
    """The values of the mover on step ``a`` against the other on ``b``, for every ``step``-th strip.

    ``worth[r]`` is what the doubles of row ``r`` (mod 4) are worth for each tower; with ``hand_on``
    the rows below receive what this one adds.
    """
    stop = np.zeros((RANKS, LANES))
    fail = np.zeros(LANES)
    again = np.zeros(LANES)
    workspace = np.zeros((4, LANES))
    tables = np.zeros((6, RANKS))
    low_out = np.zeros((RANKS, LANES))
    for number in range(start, items.shape[0], step):
        own, rank, low, high = items[number, 0], items[number, 1], items[number, 2], items[number, 3]
        low_ranks, high_ranks = ranks_at(low), ranks_at(high)
        tower = first[own, low, high] + rank * low_ranks * high_ranks
        if low == 0:
            _against_one(source, a, b, first, own, rank, high, stop, fail, dice)
            _decide(stop, fail, again, workspace, worth[a % 4], tower, dice)
            _write(stop, again, workspace[VALUE], tower, high_ranks, worth, a, out, rounding, hand_on, dice)
            continue
        _against_two(source, a, b, first, own, rank, low, high, tables, low_out, fail, dice)
        for other in range(low_ranks):
            _stops(source, a, b, first, own, rank, low, high, other, tables, low_out, stop, dice)
            at = tower + other * high_ranks
            _decide(stop, fail, again, workspace, worth[a % 4], at, dice)
            _write(stop, again, workspace[VALUE], at, high_ranks, worth, a, out, rounding, hand_on, dice)


@njit(fastmath=True)
def _against_one(
    source: Any, a: int, b: int, first: Any, own: int, rank: int, high: int, stop: Any, fail: Any, dice: Dice
) -> None:
    """Stopping and failing while the other has one pair on the tower, or none: nobody scores (R18)."""
    values = source[b, a]
    falls1, falls2 = source[b, moved(a, -1)], source[b, moved(a, -2)]
    high_ranks = ranks_at(high)
    stop[:] = 0.0
    for field in range(6):
        if not is_empty(field, own - 1, high - 1, -1):
            continue
        base, value_step, size = _seen_by_next(first, own, rank, field, high)
        free, _, _ = _seen_by_next(first, own, rank, field, 0)
        for lane in range(high_ranks):
            for value in range(RANKS):
                at = free if is_out(high - 1, lane, field, value) else base + lane * size
                slot = dice.slots[value]
                stop[slot, lane] = max(stop[slot, lane], 1.0 - values[at + value * value_step] * UNIT)
    for lane in range(high_ranks):
        at = first[high, 0, own] + lane * ranks_at(own) + rank
        fail[lane] = dice.one_cross * (1.0 - falls1[at] * UNIT)
        fail[lane] += dice.two_crosses * (1.0 - falls2[at] * UNIT)


STAYS, STAYS_LOW, STAYS_HIGH, ALL_OUT = range(4)


@njit(fastmath=True)
def _against_two(
    source: Any,
    a: int,
    b: int,
    first: Any,
    own: int,
    rank: int,
    low: int,
    high: int,
    tables: Any,
    low_out: Any,
    fail: Any,
    dice: Dice,
) -> None:
    """What stopping is worth for each value, as far as it holds for every value of the low pair.

    ``tables`` has the best fields of all, of those that leave the low pair, of those that leave the
    high pair, where nothing is thrown out; and where both are. ``low_out`` has, for each value of the
    high pair, the best where only the low pair is thrown out.
    """
    scored = b + low + high - 2  # R18
    won = scored >= source.shape[0]  # R15
    kept, gone = source[min(scored, source.shape[0] - 1), a], source[b, a]
    tables[:] = 0.0
    for field in range(6):
        place = field + 1
        if not is_empty(field, own - 1, low - 1, high - 1):
            continue
        base, value_step, _ = _seen_by_next(first, own, rank, field, 0)
        for value in range(RANKS):
            at = base + value * value_step
            here = 0.0 if won else 1.0 - kept[at] * UNIT
            tables[STAYS, value] = max(tables[STAYS, value], here)
            if place > low:
                tables[STAYS_LOW, value] = max(tables[STAYS_LOW, value], here)
            else:
                tables[ALL_OUT, value] = max(tables[ALL_OUT, value], 1.0 - gone[at] * UNIT)
            if place > high or high == 1:
                tables[STAYS_HIGH, value] = max(tables[STAYS_HIGH, value], here)
    for value in range(RANKS):
        for lane in range(LANES):
            low_out[value, lane] = tables[STAYS_LOW if low >= 2 else STAYS, value]
    if low >= 2:
        for place in range(1, low):
            if not is_empty(place - 1, own - 1, -1, -1):
                continue
            base, value_step, size = _seen_by_next(first, own, rank, place - 1, high)
            for lane in range(RANKS):
                for value in range(RANKS):
                    here = 1.0 - gone[base + lane * size + value * value_step] * UNIT
                    low_out[value, lane] = max(low_out[value, lane], here)
    lost = 0.0
    if not won:
        at = first[0, 0, own] + rank
        lost = dice.one_cross * (1.0 - source[scored, moved(a, -1), at] * UNIT)
        lost += dice.two_crosses * (1.0 - source[scored, moved(a, -2), at] * UNIT)
    fail[:] = lost


@njit(fastmath=True)
def _stops(
    source: Any,
    a: int,
    b: int,
    first: Any,
    own: int,
    rank: int,
    low: int,
    high: int,
    other: int,
    tables: Any,
    low_out: Any,
    stop: Any,
    dice: Dice,
) -> None:
    """What stopping is worth, for one value of the low pair and each of the high pair."""
    bound = other if low >= 2 else RANKS  # from this value on the low pair is thrown out (R14)
    gone = source[b, a]
    above = tables[5]  # from the high pair's value on
    for value in range(RANKS):
        best = tables[STAYS_HIGH, value]
        above[value] = best if value < bound else max(best, tables[ALL_OUT, value])
    if high >= 2:
        for place in range(1, high):
            if not is_empty(place - 1, own - 1, low - 1, -1):
                continue
            base, value_step, size = _seen_by_next(first, own, rank, place - 1, low)
            base += other * size
            # Below the low pair, values from ``bound`` on throw both out.
            for value in range(min(bound, RANKS) if place < low else RANKS):
                above[value] = max(above[value], 1.0 - gone[base + value * value_step] * UNIT)
    if low >= 2 and other > 0:  # one more value leaves the low pair
        low_out[other - 1, :] = tables[STAYS, other - 1]
    for value in range(RANKS):
        least = value if high >= 2 else -1
        best, slot = above[value], dice.slots[value]
        for lane in range(LANES):
            stop[slot, lane] = low_out[value, lane] if lane > least else best


VALUE, SURE, TOTAL, SHARE = range(4)


@njit(fastmath=True)
def _decide(stop: Any, fail: Any, again: Any, workspace: Any, doubles: Any, tower: int, dice: Dice) -> None:
    """The worth of rolling again and of the turn, for neighbouring towers (R8)."""
    value_of, sure = workspace[VALUE], workspace[SURE]
    for lane in range(LANES):
        value_of[lane] = doubles[min(tower + lane, TOWERS - 1)]
        sure[lane] = fail[lane] + value_of[lane]
    roll_again_each(sure, stop, dice.later, again, workspace[TOTAL], workspace[SHARE])
    for slot in range(dice.first.size):
        chance = dice.first[slot]
        for lane in range(LANES):
            value_of[lane] += chance * max(stop[slot, lane], again[lane])


@njit(fastmath=True)
def _write(
    stop: Any,
    again: Any,
    value_of: Any,
    tower: int,
    lanes: int,
    worth: Any,
    a: int,
    out: Any,
    rounding: int,
    hand_on: bool,
    dice: Dice,
) -> None:
    """Round and store the values, and add the worth of the doubles to the rows below (R10)."""
    for lane in range(lanes):
        exact = value_of[lane] * ONE
        if rounding == NEAREST:
            exact = min(exact + 0.5, ONE)
        elif rounding == DOWN:
            exact = max(exact - ROUNDING, 0.0)
        else:
            exact = min(np.ceil(exact + ROUNDING), ONE)
        out[tower + lane] = np.uint32(exact)
    if hand_on:
        near, middle, far = worth[(a + 3) % 4], worth[(a + 2) % 4], worth[(a + 1) % 4]
        one, two, three = dice.slots[D1], dice.slots[D2], dice.slots[D3]
        for lane in range(lanes):
            near[tower + lane] += dice.doubles[0] * max(stop[one, lane], again[lane])
            middle[tower + lane] += dice.doubles[1] * max(stop[two, lane], again[lane])
            far[tower + lane] = dice.doubles[2] * max(stop[three, lane], again[lane])


@njit(nogil=True, cache=True)
def take_over(row: Any, out: Any) -> int:
    """Copy the new values; the largest change."""
    change = 0
    for tower in range(row.shape[0]):
        new, old = np.int64(out[tower]), np.int64(row[tower])
        change = max(change, int(abs(new - old)))
        row[tower] = out[tower]
    return change


@njit(nogil=True, cache=True)
def narrow(low: Any, high: Any, new_low: Any, new_high: Any) -> tuple[int, int]:
    """Copy the new bounds; the largest gap, and in how many positions they do not lie within the old."""
    gap, outside = 0, 0
    for tower in range(low.shape[0]):
        outside += new_low[tower] < low[tower] or new_high[tower] > high[tower]
        low[tower], high[tower] = new_low[tower], new_high[tower]
        gap = max(gap, int(high[tower]) - int(low[tower]))
    return gap, outside


def widen(low: np.ndarray, high: np.ndarray, units: int) -> None:
    """Set bounds to be proven around the values in ``low``, wider far from the finish.

    Every turn adds its rounding, and there are about one and a half for each step that both have to go.
    """
    finish = len(low)
    for own in range(finish):
        for other in range(finish):
            width = np.uint32(units * (1.5 * (finish - (own + other) / 2) + 4))
            row = low[own, other]
            high[own, other] = np.minimum(row, ONE - width) + width
            row[:] = np.maximum(row, width) - width


@njit(nogil=True, cache=True)
def to_middle(low: Any, high: Any) -> None:
    """Put what lies between the bounds in place of the lower ones."""
    for own in range(low.shape[0]):
        for other in range(low.shape[1]):
            for tower in range(low.shape[2]):
                gap = high[own, other, tower] - low[own, other, tower]
                low[own, other, tower] += np.uint32(gap // np.uint32(2))


class Solver:
    """Sweeps over all positions of a race, on several threads."""

    def __init__(self, finish: int, threads: int, rolls: Sequence[Roll] = ROLLS) -> None:
        self.finish = finish
        self.dice = dice(rolls)
        self.threads = threads
        self.items = work_items()
        self.pool = ThreadPoolExecutor(threads)

    def solve(self, arrays: Arrays, done: Listener = lambda *news: None) -> tuple[np.ndarray, Bounds]:
        """Approach the values, then prove bounds; what is returned lies in the middle of them.

        :param arrays: the arrays that an interrupted run passed last to ``done``; else none.
        :param done: called after each sweep with the phase, the largest change or gap, and the arrays.
        """
        if "low" in arrays:
            low, high = arrays["low"], arrays["high"]
        else:
            low = arrays["values"] if arrays else self.guess()
            while (change := self.sweep(low)) > CLOSE:
                done("approach", change, {"values": low})
            high = np.empty_like(low)
            widen(low, high, UNITS_A_TURN)
        bounds = self.prove(low, high, done)
        to_middle(low, high)
        return low, bounds

    def prove(self, low: np.ndarray, high: np.ndarray, done: Listener) -> Bounds:
        """Narrow the bounds until they are proven; wider ones are tried if rounding keeps these from it."""
        gap, outside, before, units = 1.0, 1, 2.0, UNITS_A_TURN
        while outside or NARROW < gap < before:  # rounding may keep them wider
            if gap >= before:
                gap, units = 1.0, 2 * units
                to_middle(low, high)
                widen(low, high, units)
            before = gap
            gap, outside = self.sweep_bounds(low, high)
            done("prove", gap, {"low": low, "high": high})
        return Bounds(float(low[0, 0, 0] / ONE), float(high[0, 0, 0] / ONE), gap)

    def guess(self) -> np.ndarray:
        """A start: the player who is ahead is better off."""
        ahead = np.subtract.outer(np.arange(self.finish), np.arange(self.finish))
        rough = 1 / (1 + np.exp(-0.25 * ahead - 0.2))
        values = np.empty((self.finish, self.finish, TOWERS), dtype=np.uint32)
        values[:] = (rough * ONE).astype(np.uint32)[..., None]
        return values

    def rows(self) -> Iterator[tuple[int, int]]:
        """All pairs of steps, those nearest the finish first; the mover's step runs fastest."""
        steps = range(self.finish - 1, -1, -1)
        return ((own, other) for other in steps for own in steps)

    def doubles_at_the_top(self) -> np.ndarray:
        """``worth`` before the first row: doubles that reach the finish (R15)."""
        worth = np.zeros((4, TOWERS))
        for row in range(max(self.finish - 3, 0), self.finish):
            worth[row % 4] = sum(
                self.dice.doubles[climb - 1] for climb in (1, 2, 3) if row + climb >= self.finish
            )
        return worth

    def update(
        self,
        source: np.ndarray,
        row: tuple[int, int],
        worth: np.ndarray,
        out: np.ndarray,
        rounding: int,
        hand_on: bool,
    ) -> None:
        def part(start: int) -> None:
            update_row(
                source, *row, self.items, start, self.threads, FIRST, worth, out, rounding, hand_on, self.dice
            )

        list(self.pool.map(part, range(self.threads)))

    def updates(self) -> Iterator[tuple[int, int, bool]]:
        """The rows of a sweep, with whether it is a row's last time.

        With both on the same step a row depends on itself, and needs more updates than the others.
        """
        for own, other in self.rows():
            if own == other:
                yield own, other, False
            yield own, other, True

    def sweep(self, values: np.ndarray) -> float:
        """One update of every position in place; the largest change."""
        out, change = np.empty(TOWERS, dtype=np.uint32), 0.0
        worth = self.doubles_at_the_top()
        for own, other, last in self.updates():
            if own == self.finish - 1:
                worth = self.doubles_at_the_top()
            self.update(values, (own, other), worth, out, NEAREST, hand_on=last)
            change = max(change, take_over(values[own, other], out))
        return change / ONE

    def sweep_bounds(self, low: np.ndarray, high: np.ndarray) -> tuple[float, int]:
        """One update of all bounds; the largest gap, and how many were not narrowed.

        What is a lower bound for the mover comes from upper bounds for the next one. If no bound of a
        whole sweep leaves the interval that was there before, the sweep maps those intervals into
        themselves, so they hold the fixed point (Brouwer), and it is unique: the bounds are proven.
        """
        lower, upper = np.empty(TOWERS, dtype=np.uint32), np.empty(TOWERS, dtype=np.uint32)
        gap, outside = 0, 0
        low_worth = high_worth = self.doubles_at_the_top()
        for own, other, last in self.updates():
            if own == self.finish - 1:
                low_worth, high_worth = self.doubles_at_the_top(), self.doubles_at_the_top()
            self.update(high, (own, other), low_worth, lower, DOWN, last)
            self.update(low, (own, other), high_worth, upper, UP, last)
            row_gap, row_outside = narrow(low[own, other], high[own, other], lower, upper)
            gap, outside = max(gap, row_gap) if last else gap, outside + row_outside
        return gap / ONE, outside


# The kit's part ``solver``.


def needs(game: Rapido) -> tuple[int, int]:
    """Bytes of memory and of disk."""
    size = 4 * game.finish**2 * TOWERS
    return 2 * size + 2**28, 3 * size


def solve(game: Rapido, work: Work, threads: int) -> None:
    """Approach the values, then prove bounds; what is saved lies in the middle of them."""
    values, bounds = Solver(game.finish, threads).solve(work.resume(), work.done)
    work.finish(bounds, {"values": values})


def seconds_left(phase: str, residual: float, took: float) -> float:
    fewer = -log(SHRINKS)
    if phase == "prove":
        return took * max(1.0, log(residual / NARROW) / fewer + 2)
    return took * (log(residual / CLOSE) / fewer + 2 * 9)
