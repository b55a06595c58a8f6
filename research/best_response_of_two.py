"""The turns of two players for ``best_response`` (R16-R19), with positions numbered as in the exact solution.

``Starts`` are by the own step, the other's and the number of the tower. A pair is its place and the rank of
its value (``index``).
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import evaluator_network, solutions
from escadaria.games.rapido.compiled import turns as rapido_turns
from escadaria.games.rapido.compiled.policies import ROLL_AGAIN
from escadaria.games.rapido.compiled.rules import (
    DOUBLES,
    FIRST_ROLLS,
    ONE_CROSS,
    RANKS,
    TWO_CROSSES,
    is_empty,
    moved,
    ranks_at,
    roll_again,
    worth_of_doubles,
)
from escadaria.games.rapido.compiled.turns import Model, Workspace
from escadaria.games.rapido.index import FIRST, PAIR_PLACES, TOWERS
from escadaria.games.rapido.rules import TOP_FIELD, Rapido
from escadaria.games.rapido.solution import ONE, RapidoSolution
from escadaria.games.rapido.values import LEVELS

Starts = NDArray[np.float64]
Decisions = NDArray[np.int8]


class Tower(NamedTuple):
    """A tower at the start of a turn."""

    own: int
    own_rank: int
    low: int
    low_rank: int
    high: int
    high_rank: int


@cache
def towers() -> NDArray[np.int8]:
    """All towers by number, as rows of ``Tower``."""
    rows = [
        Tower(own, own_rank, low, low_rank, high, high_rank)
        for own, low, high in product(range(PAIR_PLACES), repeat=3)
        if FIRST[own, low, high] >= 0
        for own_rank in range(ranks_at(own))
        for low_rank in range(ranks_at(low))
        for high_rank in range(ranks_at(high))
    ]
    return np.array(rows, np.int8)


@njit(cache=True, nogil=True)
def is_out(lies: int, its_rank: int, field: int, rank: int) -> bool:
    """Whether an opponent's pair is thrown out (R14); it is not by a turn that places nothing (field -1)."""
    return 0 <= field < lies and its_rank <= rank


@njit(cache=True, nogil=True)
def tower_at(rows: NDArray[np.int8], number: int) -> Tower:
    row = rows[number]
    return Tower(int(row[0]), int(row[1]), int(row[2]), int(row[3]), int(row[4]), int(row[5]))


@njit(cache=True, nogil=True)
def ended(starts: Starts, arrived: float, tower: Tower, own: int, other: int, field: int, rank: int) -> float:
    """The worth of a turn that ends on the step ``own``, with a pair on the field or none (-1).

    :param arrived: the worth if the other reaches the finish by scoring (R15).
    """
    low_stays = tower.low > 0 and not is_out(tower.low - 1, tower.low_rank, field, rank)
    high_stays = tower.high > 0 and not is_out(tower.high - 1, tower.high_rank, field, rank)
    place, value = 0, 0
    if low_stays and high_stays:  # R18
        other += tower.low + tower.high - 2
        if other >= len(starts):
            return arrived
    elif low_stays:
        place, value = tower.low, tower.low_rank
    elif high_stays:
        place, value = tower.high, tower.high_rank
    low, low_rank, high, high_rank = field + 1, rank if field > 0 else 0, tower.own, tower.own_rank
    if low > high:
        low, low_rank, high, high_rank = high, high_rank, low, low_rank
    inner = (value * ranks_at(low) + low_rank) * ranks_at(high) + high_rank
    return float(starts[other, own, FIRST[place, low, high] + inner])


@njit(cache=True, nogil=True)
def failed(starts: Starts, arrived: float, tower: Tower, own: int, other: int) -> float:
    """The same of later rolls with an X, in 36ths (R12)."""
    one = ended(starts, arrived, tower, moved(own, -1), other, -1, 0)
    two = ended(starts, arrived, tower, moved(own, -2), other, -1, 0)
    return ONE_CROSS * one + TWO_CROSSES * two


@njit(cache=True, nogil=True)
def place_best(
    starts: Starts, arrived: float, tower: Tower, own: int, other: int, worths: Any, fields: Any
) -> None:
    """Fill in the best ``ended`` and its field, by rank; the lowest field if several are equally good."""
    worths[:] = -1.0
    for field in range(TOP_FIELD + 1):
        if is_empty(field, tower.own - 1, tower.low - 1, tower.high - 1):
            for rank in range(RANKS):
                worth = ended(starts, arrived, tower, own, other, field, rank)
                if worth > worths[rank]:
                    worths[rank], fields[rank] = worth, field


def update(starts: Starts, role: int, decisions: Decisions | None, out: Starts, other: int) -> None:
    """``best_response.update``, wherever the other stands on this step."""
    _update(towers(), starts, role, decisions, out, other)


@njit(cache=True, nogil=True)
def _update(
    rows: NDArray[np.int8], starts: Starts, role: int, decisions: Decisions | None, out: Starts, other: int
) -> None:
    finish = len(starts)
    won, arrived = 1.0 if role == 0 else 0.0, 1.0 if role == 1 else 0.0
    doubles = np.zeros(finish)
    worth, stops, fields = np.zeros(RANKS), np.zeros(RANKS, np.bool_), np.zeros(RANKS, np.int64)
    for number in range(TOWERS):
        tower = tower_at(rows, number)
        for own in range(finish):
            doubles[own] = won * max(own + 4 - finish, 0)  # R15
        for own in range(finish - 1, -1, -1):
            sure = doubles[own] + failed(starts, arrived, tower, own, other)
            if decisions is None:
                place_best(starts, arrived, tower, own, other, worth, fields)
                again = roll_again(sure, worth)
                for rank in range(RANKS):
                    worth[rank] = max(worth[rank], again)
            else:
                for rank in range(RANKS):
                    field = decisions[own, other, number, rank]
                    stops[rank] = field != ROLL_AGAIN
                    worth[rank] = ended(starts, arrived, tower, own, other, field, rank)
                again = roll_again(sure, worth, stops)
                for rank in range(RANKS):
                    worth[rank] = worth[rank] if stops[rank] else again
            total = doubles[own]
            for rank in range(RANKS):
                total += FIRST_ROLLS[rank] * worth[rank]
            out[own, other, number] = total / 36
            for climb in range(1, min(own, 3) + 1):  # R10
                doubles[own - climb] += worth[DOUBLES[climb - 1]]


# How the master decides.


def masters(finish: int) -> Decisions:
    """The decisions of a master: by the exact solution if the cache folder has it, else by shipped values."""
    longer = finish >= Rapido.OPTIONS[1].low  # shorter races are only for tests (R3)
    solution = solutions.find(Rapido(players=2, finish=finish)) if longer else None
    if isinstance(solution, RapidoSolution):
        return decisions_by(1.0 - solution.values / ONE, finish)
    starts = np.zeros((finish, finish, TOWERS))
    network = rapido_turns.model(evaluator_network.load("escadaria.games.rapido", 2))
    fill_starts(towers(), network, rapido_turns.new_workspace(2, 1), starts)
    return decisions_by(starts, LEVELS)


def decisions_by(starts: Starts, levels: int) -> Decisions:
    """``best_response.decisions_by`` for two players."""
    decisions = np.full((*starts.shape, RANKS), ROLL_AGAIN, np.int8)
    decide(towers(), starts, levels, decisions)
    return decisions


@njit(cache=True, nogil=True)
def fill_starts(rows: NDArray[np.int8], model: Model, workspace: Workspace, starts: Starts) -> None:
    """The share of wins of the seat that has just played, by a network."""
    for own in range(len(starts)):
        for other in range(len(starts)):
            workspace.steps[0], workspace.steps[1] = own, other
            for number in range(TOWERS):
                tower = tower_at(rows, number)
                workspace.keys[0] = tower.own * RANKS + tower.own_rank
                workspace.keys[1] = tower.low * RANKS + tower.low_rank
                workspace.keys[2] = tower.high * RANKS + tower.high_rank
                rapido_turns.evaluate(model, len(starts), workspace)
                starts[own, other, number] = workspace.shares[1]


@njit(cache=True, nogil=True)
def decide(rows: NDArray[np.int8], starts: Starts, levels: int, decisions: Decisions) -> None:
    """Fill ``decisions``."""
    finish = len(starts)
    best, fails, again = np.zeros((finish, RANKS)), np.zeros(finish), np.zeros(finish)
    fields = np.zeros((finish, RANKS), np.int64)
    for other in range(finish):
        for number in range(TOWERS):
            tower = tower_at(rows, number)
            for own in range(finish):
                place_best(starts, 0.0, tower, own, other, best[own], fields[own])
                fails[own] = failed(starts, 0.0, tower, own, other)
            for own in range(finish):
                end = min(own + levels, finish)
                above, rolling = best[own:end], again[own:end]
                for level in range(end - own - 1, -1, -1):
                    doubles = worth_of_doubles(finish - own, level, above, rolling)
                    rolling[level] = roll_again(fails[own + level] + doubles, above[level])
                for rank in range(RANKS):
                    if best[own, rank] > again[own]:
                        decisions[own, other, number, rank] = fields[own, rank]
