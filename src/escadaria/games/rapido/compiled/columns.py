"""Solving two-player Rapido on a Dask cluster, column by column.

A *column* is all positions with the other player on one step: a turn changes only the mover's step (R10).
After a turn the players change roles. So the column of step ``b`` reads ``values[b]``; and where the other
player scores, of the next steps, only the towers without a pair of theirs (R18).

A sweep over all towers is one task for each column. Every task reads the values from before the sweep. So the
result depends neither on the number of workers nor on their speed, and an interrupted run ends with the same
values. Sweeps over sparse towers stay on this machine: they are short, and converge fast because each row
reads the new values of the rows before. A tower with three pairs reads other such towers of the same two
steps only, so older values cost few sweeps more.

In each sweep over all towers every value travels to a worker and comes back: 1.4 GB each way in the official
race, twice that for bounds. As many tasks run at the same time as the race has steps, twice that for bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from escadaria.games.rapido.compiled.solver import DOWN, NEAREST, UP, Solver, narrow, take_over
from escadaria.games.rapido.index import FIRST, TOWERS
from escadaria.games.rapido.rules import TOP_FIELD
from escadaria.games.rapido.solution import ONE

MOST_SCORED = 2 * TOP_FIELD - 1
"""Steps, with pairs on the two highest fields (R18)."""
WITHOUT_PAIR = int(FIRST[1, 0, 0])
"""The towers on which the mover has no pair are numbered first."""


def read_by(values: np.ndarray, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Copies of what a column reads: the values of its step, and after scoring those of the next steps."""
    return values[other].copy(), _after_scoring(values, other).copy()


def update_column(finish: int, other: int, read: tuple[np.ndarray, np.ndarray], rounding: int) -> np.ndarray:
    """The new values of each step of the mover against this step of the other player."""
    solver = Solver(finish, threads=1)
    values = np.empty((finish, finish, TOWERS), dtype=np.uint32)  # memory is used only where it is filled
    values[other], _after_scoring(values, other)[:] = read
    worth, column = solver.worth[0], np.empty_like(read[0])
    solver.start_at_the_top(worth)
    for own in reversed(range(finish)):
        solver.update(solver.items, values, (own, other), worth, column[own], rounding, hand_on=True)
    return column


def _after_scoring(values: np.ndarray, other: int) -> np.ndarray:
    """The values of the steps that the other player may score to, while they have no pair on the tower."""
    return values[other + 1 : other + 1 + MOST_SCORED, :, :WITHOUT_PAIR]


class ClusterSolver(Solver):
    """A solver that sweeps over all towers on a cluster, and over sparse towers on threads here."""

    def __init__(self, finish: int, threads: int, client: Any) -> None:
        super().__init__(finish, threads)
        self.client = client

    def start(self, values: np.ndarray, rounding: int) -> list[Any]:
        """Start the tasks of a sweep. It returns when what they read is sent."""
        started = []
        for other in range(self.finish):
            (read,) = self.client.scatter([read_by(values, other)], hash=False)
            task = self.client.submit(update_column, self.finish, other, read, rounding, pure=False)
            started.append(task)
        return started

    def sweep(self, values: np.ndarray, items: np.ndarray) -> float:
        if items is self.sparse:
            return super().sweep(values, items)
        change = 0
        for other, column in enumerate(results(self.start(values, NEAREST))):
            for own, row in enumerate(column):
                change = max(change, take_over(values[own, other], row, items, FIRST))
        return change / ONE

    def sweep_bounds(self, low: np.ndarray, high: np.ndarray, items: np.ndarray) -> tuple[float, int]:
        if items is self.sparse:
            return super().sweep_bounds(low, high, items)
        gap, outside = 0, 0
        lower, upper = results(self.start(high, DOWN)), results(self.start(low, UP))
        for other, columns in enumerate(zip(lower, upper, strict=True)):
            for own, rows in enumerate(zip(*columns, strict=True)):
                row_gap, row_outside = narrow(low[own, other], high[own, other], *rows, items, FIRST)
                gap, outside = max(gap, row_gap), outside + row_outside
        return gap / ONE, outside


def results(started: list[Any]) -> Iterator[np.ndarray]:
    """In order; a worker keeps a result only until it is taken."""
    for future in started:
        yield future.result()
        future.release()
