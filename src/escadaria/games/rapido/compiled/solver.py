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

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from math import log
from typing import TypeAlias

import numpy as np

from escadaria.compute.work import Work
from escadaria.games.rapido.compiled.rules import LANES
from escadaria.games.rapido.compiled.sweeps import (
    DOWN,
    NEAREST,
    UP,
    Row,
    dice,
    narrow,
    take_over,
    to_middle,
    update_row,
    work_items,
)
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rules import ROLLS, Rapido, Roll
from escadaria.games.rapido.solution import ONE
from escadaria.solutions import Bounds

CLOSE = 64 / ONE  # where values no longer change materially
SETTLED = 10.0  # how many times less sparse towers change before all towers are swept
SPARSE_PROOFS = 4  # the most sweeps over sparse bounds before one over all
UNITS_A_TURN = 2  # of the last place, for the first bounds
SHRINKS = 0.25  # how changes fall from round to round
NARROW = 2.0**-25  # bounds that are close enough, once they are proven


Arrays: TypeAlias = dict[str, np.ndarray]
Listener: TypeAlias = Callable[[str, float, Arrays], None]


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

    def solve(self, arrays: Arrays, done: Listener = lambda *_: None) -> tuple[np.ndarray, Bounds]:
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

    def start_at_the_top(self, worth: np.ndarray) -> None:
        """Set ``worth`` before the first row: doubles that reach the finish (R15)."""
        worth[:] = 0.0
        for row in range(max(self.finish - 3, 0), self.finish):
            worth[row % 4] = sum(
                self.dice.doubles[climb - 1] for climb in (1, 2, 3) if row + climb >= self.finish
            )

    def update(self, row: Row, items: np.ndarray) -> None:
        list(self.pool.map(lambda start: update_row(row, items, start, self.threads), range(self.threads)))

    def updates(self) -> Iterator[tuple[int, int, bool]]:
        """The rows of a sweep, those nearest the finish first, with whether it is a row's last time.

        The mover's step runs fastest. With both on the same step a row depends on itself, and needs more
        updates than the others.
        """
        steps = range(self.finish - 1, -1, -1)
        for other, own in product(steps, steps):
            if own == other:
                yield own, other, False
            yield own, other, True

    def sweep(self, values: np.ndarray, items: np.ndarray) -> float:
        """One update of these strips in place, for all steps; the largest change."""
        (out, _), (worth, _), change = self.out, self.worth, 0
        for own, other, last in self.updates():
            if own == self.finish - 1:
                self.start_at_the_top(worth)
            self.update(Row(values, own, other, worth, out, NEAREST, last, self.dice), items)
            change = max(change, take_over(values[own, other], out, items))
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
            self.update(Row(high, own, other, low_worth, lower, DOWN, last, self.dice), items)
            self.update(Row(low, own, other, high_worth, upper, UP, last, self.dice), items)
            row_gap, row_outside = narrow(low[own, other], high[own, other], lower, upper, items)
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
