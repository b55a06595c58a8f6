"""The exact solution of two-player Rapido: value iteration over every position (R16-R19).

A value is the probability that the mover wins, kept as a 32-bit fraction. Within a turn only the
mover's step changes, upwards, by doubles (R10). So for a fixed step of the other player the rows
of the mover's steps are taken from the finish down, and each row hands what its doubles are worth
to the three rows below. The worth of rolling again solves a small equation: rolling again is
allowed after rolling again. No order of values is assumed: a lower roll may be better, for
throwing out is compulsory (R14).

94 % of the towers have three pairs on fields 1 to 5. A game rarely stays among them for long: somebody
scores or is thrown out. It goes round among the others, the *sparse* towers, so these need many more
updates than the rest. A round of the solver sweeps over the sparse towers until they hardly change, and
then once over all.
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
from escadaria.games.rapido.compiled.rules import (
    LANES,
    SURE,
    TOTAL,
    is_empty,
    moved,
    ranks_at,
    roll_again_each,
)
from escadaria.games.rapido.index import FIRST, PAIR_PLACES, TOWERS
from escadaria.games.rapido.rolls import DOUBLES, LATER_ROLLS, MOVES, RANK_OF_ROLL, RANKS
from escadaria.games.rapido.rules import ROLLS, Rapido, Roll
from escadaria.games.rapido.solution import ONE
from escadaria.solutions import Bounds

NEAREST, DOWN, UP = 0, 1, 2  # how a value is rounded

UNIT = 1 / ONE
D1, D2, D3 = DOUBLES
LATER = [rank for rank in range(RANKS) if LATER_ROLLS[rank]]
AT_FIRST = [rank for rank in range(RANKS) if rank not in LATER and rank not in DOUBLES]
CLOSE = 64 / ONE  # where values no longer change materially
SETTLED = 10.0  # how many times less sparse towers change before all towers are swept
SPARSE_PROOFS = 4  # the most sweeps over sparse bounds before one over all
UNITS_A_TURN = 2  # of the last place, for the first bounds
SHRINKS = 0.25  # how changes fall from round to round
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
        for low in range(PAIR_PLACES)
        for high in range(low, PAIR_PLACES)
        if FIRST[own, low, high] >= 0
        for rank in range(RANKS if own >= 2 else 1)
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
    low_out = np.zeros((RANKS, LANES))
    fail = np.zeros(LANES)
    again = np.zeros(LANES)
    sums = np.zeros((3, LANES))
    value_of = np.zeros(LANES)
    least = np.zeros((RANKS, LANES), np.uint32)
    tables = np.zeros((6, RANKS), np.uint32)
    for number in range(start, items.shape[0], step):
        own, rank, low, high = items[number, 0], items[number, 1], items[number, 2], items[number, 3]
        low_ranks, high_ranks = ranks_at(low), ranks_at(high)
        tower = first[own, low, high] + rank * low_ranks * high_ranks
        if low == 0:
            _against_one(source, a, b, first, own, rank, high, least, tables, stop, fail, dice)
            _decide(stop, fail, again, sums, value_of, worth, a, tower, dice)
            _write(stop, again, value_of, tower, high_ranks, worth, a, out, rounding, hand_on, dice)
            continue
        _against_two(source, a, b, first, own, rank, low, high, tables, least, low_out, fail, dice)
        for other in range(low_ranks):
            _stops(source, a, b, first, own, rank, low, high, other, tables, low_out, stop, dice)
            at = tower + other * high_ranks
            _decide(stop, fail, again, sums, value_of, worth, a, at, dice)
            _write(stop, again, value_of, at, high_ranks, worth, a, out, rounding, hand_on, dice)


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


@njit(fastmath=True)
def _against_one(
    source: Any,
    a: int,
    b: int,
    first: Any,
    own: int,
    rank: int,
    high: int,
    least: Any,
    tables: Any,
    stop: Any,
    fail: Any,
    dice: Dice,
) -> None:
    """Stopping and failing while the other has one pair on the tower, or none: nobody scores (R18).

    ``least`` has, by the other's value, the best where their pair stays; ``tables[ALL_OUT]`` where it does
    not.
    """
    values = source[b, a]
    falls1, falls2 = source[b, moved(a, -1)], source[b, moved(a, -2)]
    high_ranks = ranks_at(high)
    least[:] = ONE
    tables[ALL_OUT, :] = ONE
    stop[:] = 0.0
    for field in range(6):
        if not is_empty(field, own - 1, high - 1, -1):
            continue
        base, value_step, size = _seen_by_next(first, own, rank, field, high)
        below = field < high - 1
        for lane in range(high_ranks):
            _lower(least, lane, values, base + lane * size, value_step, lane if below else RANKS)
        if below:
            free, _, _ = _seen_by_next(first, own, rank, field, 0)
            _lower(tables, ALL_OUT, values, free, value_step, RANKS)
    for value in range(RANKS):
        slot = dice.slots[value]
        for lane in range(high_ranks):
            here = min(least[lane, value], tables[ALL_OUT, value]) if lane <= value else least[lane, value]
            stop[slot, lane] = 1.0 - here * UNIT
    for lane in range(high_ranks):
        at = first[high, 0, own] + lane * ranks_at(own) + rank
        fail[lane] = dice.one_cross * (1.0 - falls1[at] * UNIT)
        fail[lane] += dice.two_crosses * (1.0 - falls2[at] * UNIT)


STAYS, STAYS_LOW, STAYS_HIGH, ALL_OUT, ABOVE = range(5)


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
    least: Any,
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
    tables[:] = ONE
    for field in range(6):
        place = field + 1
        if not is_empty(field, own - 1, low - 1, high - 1):
            continue
        base, value_step, _ = _seen_by_next(first, own, rank, field, 0)
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
            base, value_step, size = _seen_by_next(first, own, rank, place - 1, high)
            for lane in range(RANKS):
                _lower(least, lane, gone, base + lane * size, value_step, RANKS)
    for value in range(RANKS):
        for lane in range(RANKS):
            low_out[value, lane] = 1.0 - least[lane, value] * UNIT
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
    for value in range(RANKS):
        best = tables[STAYS_HIGH, value]
        tables[ABOVE, value] = best if value < bound else min(best, tables[ALL_OUT, value])
    if high >= 2:
        for place in range(1, high):
            if not is_empty(place - 1, own - 1, low - 1, -1):
                continue
            base, value_step, size = _seen_by_next(first, own, rank, place - 1, low)
            # Below the low pair, values from ``bound`` on throw both out.
            _lower(tables, ABOVE, gone, base + other * size, value_step, bound if place < low else RANKS)
    if low >= 2 and other > 0:  # one more value leaves the low pair
        low_out[other - 1, :] = 1.0 - tables[STAYS, other - 1] * UNIT
    for value in range(RANKS):
        least = value if high >= 2 else -1
        best, slot = 1.0 - tables[ABOVE, value] * UNIT, dice.slots[value]
        for lane in range(LANES):
            stop[slot, lane] = low_out[value, lane] if lane > least else best


@njit(fastmath=True)
def _decide(
    stop: Any, fail: Any, again: Any, sums: Any, value_of: Any, worth: Any, a: int, tower: int, dice: Dice
) -> None:
    """The worth of rolling again and of the turn, for neighbouring towers (R8)."""
    doubles = a % 4
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
        near, middle, far = (a + 3) % 4, (a + 2) % 4, (a + 1) % 4
        one, two, three = dice.slots[D1], dice.slots[D2], dice.slots[D3]
        for lane in range(lanes):
            worth[near, tower + lane] += dice.doubles[0] * max(stop[one, lane], again[lane])
            worth[middle, tower + lane] += dice.doubles[1] * max(stop[two, lane], again[lane])
            worth[far, tower + lane] = dice.doubles[2] * max(stop[three, lane], again[lane])


@njit(nogil=True, cache=True)
def take_over(row: Any, out: Any, items: Any, first: Any) -> int:
    """Copy the new values of all strips; the largest change."""
    change = 0
    for number in range(items.shape[0]):
        start, end = _strip(items, number, first)
        for tower in range(start, end):
            new, old = np.int64(out[tower]), np.int64(row[tower])
            change = max(change, int(abs(new - old)))
            row[tower] = out[tower]
    return change


@njit(nogil=True, cache=True)
def narrow(low: Any, high: Any, new_low: Any, new_high: Any, items: Any, first: Any) -> tuple[int, int]:
    """Copy the new bounds; the largest gap, and in how many positions they do not lie within the old."""
    gap, outside = 0, 0
    for number in range(items.shape[0]):
        start, end = _strip(items, number, first)
        for tower in range(start, end):
            outside += new_low[tower] < low[tower] or new_high[tower] > high[tower]
            low[tower], high[tower] = new_low[tower], new_high[tower]
            gap = max(gap, int(high[tower]) - int(low[tower]))
    return gap, outside


@njit(inline="always")
def _strip(items: Any, number: int, first: Any) -> tuple[int, int]:
    """The first tower of a strip, and the one after its last."""
    own, rank, low, high = items[number, 0], items[number, 1], items[number, 2], items[number, 3]
    size = ranks_at(low) * ranks_at(high)
    start = first[own, low, high] + rank * size
    return start, start + size


def widen(low: np.ndarray, high: np.ndarray, units: float) -> None:
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
    """Sweeps over the positions of a race, on several threads."""

    def __init__(self, finish: int, threads: int, rolls: Sequence[Roll] = ROLLS) -> None:
        self.finish = finish
        self.dice = dice(rolls)
        self.threads = threads
        self.items = work_items()
        # Fewer than three pairs on fields 1 to 5.
        self.sparse = self.items[(self.items[:, [0, 2, 3]] < 2).any(axis=1)]
        self.out = np.empty((2, TOWERS), dtype=np.uint32)
        self.worth = np.empty((2, 4, TOWERS + LANES))
        self.pool = ThreadPoolExecutor(threads)

    def solve(self, arrays: Arrays, done: Listener = lambda *news: None) -> tuple[np.ndarray, Bounds]:
        """Approach the values, then prove bounds; what is returned lies in the middle of them.

        :param arrays: the arrays that an interrupted run passed last to ``done``; else none.
        :param done: called after each round with the phase, the largest change or gap, and the arrays.
        """
        if "low" in arrays:
            low, high = arrays["low"], arrays["high"]
        else:
            low = arrays["values"] if arrays else self.guess()
            while (change := self.approach(low)) > CLOSE:
                done("approach", change, {"values": low})
            high = np.empty_like(low)
            widen(low, high, UNITS_A_TURN)
        bounds = self.prove(low, high, done, arrays.get("proof"))
        to_middle(low, high)
        return low, bounds

    def approach(self, values: np.ndarray) -> float:
        """One round: sweep over the sparse towers until they hardly change, then over all.

        It depends on the values alone, so an interrupted run ends with the same ones.

        :return: the largest change in the sweep over all.
        """
        first = change = self.sweep(values, self.sparse)
        while change > max(CLOSE, first / SETTLED):
            change = self.sweep(values, self.sparse)
        return self.sweep(values, self.items)

    def prove(
        self, low: np.ndarray, high: np.ndarray, done: Listener, proof: np.ndarray | None = None
    ) -> Bounds:
        """Narrow the bounds until they are proven; wider ones are tried if rounding keeps these from it.

        :param proof: how far an interrupted run had come.
        """
        start = [1.0, 1.0, 2.0, UNITS_A_TURN] if proof is None else proof.tolist()
        gap, outside, before, units = start
        while outside or NARROW < gap < before:  # rounding may keep them wider
            if gap >= before:
                gap, units = 1.0, 2 * units
                to_middle(low, high)
                widen(low, high, units)
            before = gap
            for _ in range(SPARSE_PROOFS):
                if not self.sweep_bounds(low, high, self.sparse)[1]:
                    break
            gap, outside = self.sweep_bounds(low, high, self.items)
            done("prove", gap, {"low": low, "high": high, "proof": np.array([gap, outside, before, units])})
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

    def start_at_the_top(self, worth: np.ndarray) -> None:
        """Set ``worth`` before the first row: doubles that reach the finish (R15)."""
        worth[:] = 0.0
        for row in range(max(self.finish - 3, 0), self.finish):
            worth[row % 4] = sum(
                self.dice.doubles[climb - 1] for climb in (1, 2, 3) if row + climb >= self.finish
            )

    def update(
        self,
        items: np.ndarray,
        source: np.ndarray,
        row: tuple[int, int],
        worth: np.ndarray,
        out: np.ndarray,
        rounding: int,
        hand_on: bool,
    ) -> None:
        def part(start: int) -> None:
            update_row(
                source, *row, items, start, self.threads, FIRST, worth, out, rounding, hand_on, self.dice
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

    def sweep(self, values: np.ndarray, items: np.ndarray) -> float:
        """One update of these strips in place, for all steps; the largest change."""
        (out, _), (worth, _), change = self.out, self.worth, 0
        for own, other, last in self.updates():
            if own == self.finish - 1:
                self.start_at_the_top(worth)
            self.update(items, values, (own, other), worth, out, NEAREST, hand_on=last)
            change = max(change, take_over(values[own, other], out, items, FIRST))
        return change / ONE

    def sweep_bounds(self, low: np.ndarray, high: np.ndarray, items: np.ndarray) -> tuple[float, int]:
        """One update of the bounds of these strips; the largest gap, and how many were not narrowed.

        What is a lower bound for the mover comes from upper bounds for the next one. If no bound of a
        sweep over all strips leaves the interval that was there before, the sweep maps those intervals into
        themselves, so they hold the fixed point (Brouwer), and it is unique: the bounds are proven.
        """
        (lower, upper), (low_worth, high_worth) = self.out, self.worth
        gap, outside = 0, 0
        for own, other, last in self.updates():
            if own == self.finish - 1:
                self.start_at_the_top(low_worth)
                self.start_at_the_top(high_worth)
            self.update(items, high, (own, other), low_worth, lower, DOWN, last)
            self.update(items, low, (own, other), high_worth, upper, UP, last)
            row_gap, row_outside = narrow(low[own, other], high[own, other], lower, upper, items, FIRST)
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
        return took * max(1.0, log(residual / NARROW) / fewer + 1)
    return took * (log(residual / CLOSE) / fewer + 2 * 2)
