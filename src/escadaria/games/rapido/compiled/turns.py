"""Rapido's values compiled: networks, exact tables, and the values within a turn (R1-R19).

A position is a row of ``compiled/rules.py``, after scoring. Shares, and the steps and keys that a network
reads, are by seat from the one to move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute import NONE, ZERO
from escadaria.compute.forward import Weights, forward, layers, weights
from escadaria.evaluator_network import Network
from escadaria.games.rapido import index as rapido_index
from escadaria.games.rapido import values as features
from escadaria.games.rapido.compiled import rules
from escadaria.games.rapido.compiled.rules import Words
from escadaria.games.rapido.rules import TOP_FIELD
from escadaria.games.rapido.solution import ONE

EACH_LEVEL, ONE_CHOICE = np.array([False, True])
"""How ``plan`` places; NumPy's, so that Numba compiles it once."""
_LATER = rules.LATER_ROLLS > 0
_LATER[rules.DOUBLES] = True

key = njit(cache=True, nogil=True)(features.key)
_left = njit(cache=True, nogil=True)(features.left)
_rows_for_two = njit(cache=True, nogil=True)(features.rows_for_two)
_rows_for_more = njit(cache=True, nogil=True)(features.rows_for_more)


class Model(NamedTuple):
    """The worth of starts of turns: by a network, or exactly by a table if there is one."""

    network: Weights
    exact: NDArray[np.uint32]
    """[own step, other's step, tower] as in a solution of the game; empty if there is none."""
    first: NDArray[np.int64]
    """The first number of a tower by the places of its pairs."""


def model(network: Network | Weights | None, exact: NDArray[np.uint32] | None = None) -> Model:
    """A model from a network or from an exact table."""
    net = network if isinstance(network, Weights) else weights(network)
    table = np.zeros((0, 0, 0), np.uint32) if exact is None else exact.view(np.ndarray)
    table.flags.writeable = False  # one type for Numba
    return Model(net, table, rapido_index.FIRST)


class Workspace(NamedTuple):
    """Arrays for one position at a time, and for one turn. A level is a step, from the own one up."""

    steps: Any
    keys: Any
    left: Any
    rows: Any
    first: Any
    second: Any
    shares: Any
    """Of the last position evaluated, by seat from the one to move there."""
    best: Any
    """[seat, level, value]: the shares after the best placing, by seat from the one whose turn it is."""
    field: Any
    """[level, value]: where it places."""
    fails: Any
    """[seat, level]: the shares after an X, times the rolls of 36 that show one."""
    again: Any
    """[seat, level]: the shares after rolling again; ``plan`` fills in seat 0, research the others."""


def new_workspace(players: int, levels: int) -> Workspace:
    return Workspace(
        np.zeros(players, np.int64),
        np.zeros(features.number_of_keys(players), np.int64),
        np.zeros(players, np.int64),
        np.zeros(features.number_of_features(players), np.int64),
        *layers(),
        np.zeros(players, np.float64),
        np.zeros((players, levels, rules.RANKS)),
        np.zeros((levels, rules.RANKS), np.int64),
        np.zeros((players, levels)),
        np.zeros((players, levels)),
    )


@njit(cache=True, nogil=True, fastmath=True)
def evaluate(model: Model, finish: int, workspace: Workspace) -> None:
    """From ``workspace.steps`` and ``workspace.keys`` to ``workspace.shares``."""
    if model.exact.size:
        worth = model.exact[workspace.steps[0], workspace.steps[1], _tower(model.first, workspace.keys)] / ONE
        workspace.shares[0], workspace.shares[1] = worth, 1.0 - worth
        return
    fill_rows(finish, workspace)
    forward(model.network, workspace.rows, workspace.first, workspace.second, workspace.shares)


@njit(cache=True, nogil=True)
def fill_rows(finish: int, workspace: Workspace) -> None:
    """The features of the start of a turn, from ``workspace.steps`` and ``workspace.keys``."""
    _left(finish, workspace.steps, workspace.left)
    if len(workspace.steps) == 2:
        _rows_for_two(workspace.left, workspace.keys, workspace.rows)
    else:
        _rows_for_more(workspace.left, workspace.keys, workspace.rows)


@njit(cache=True, nogil=True)
def _tower(first: Any, keys: Any) -> int:
    """The number of a tower, as ``index.tower_number`` counts."""
    own, low, high = keys[0], min(keys[1], keys[2]), max(keys[1], keys[2])
    places = first[own // rules.RANKS, low // rules.RANKS, high // rules.RANKS]
    low_ranks, high_ranks = rules.ranks_at(low // rules.RANKS), rules.ranks_at(high // rules.RANKS)
    return int(places + (own % rules.RANKS * low_ranks + low % rules.RANKS) * high_ranks + high % rules.RANKS)


@njit(cache=True, nogil=True)
def key_of(players: int, tower: int, marks: int) -> int:
    """The key of the one pair that is marked, or of a pair in hand."""
    if marks == 0:
        return key(players, -1, 0)
    field = rules.sum_of_fields(marks)
    return key(players, field, tower >> 8 * field & rules.EMPTY)


@njit(cache=True, nogil=True)
def store_start(position: Words, workspace: Workspace) -> None:
    """Store the start of a turn in ``workspace.steps`` and ``workspace.keys``, for three players or more."""
    players = len(workspace.steps)
    other = position[rules.TURN]
    for seat in range(players):
        workspace.steps[seat] = position[rules.SEATS + other]
        if seat > 0:
            workspace.keys[seat - 1] = key_of(
                players, position[rules.TOWER], position[rules.SEATS + players + other]
            )
        other = rules.next_seat(other, players)


@njit(cache=True, nogil=True)
def end_turn(
    model: Model, finish: int, position: Words, own: int, field: int, rank: int, workspace: Workspace
) -> float:
    """The turn ends on the step ``own`` with a pair of this rank on the field, or without one (-1).

    Return the share of the seat that played; ``workspace.shares`` are by seat from the next one.
    """
    players = len(workspace.steps)
    seat, tower, marks = position[rules.TURN], position[rules.TOWER], rules.SEATS + players
    out = rules.thrown_out(tower, position[marks + seat], field, rank) if field >= 0 else 0
    other = rules.next_seat(seat, players)
    step, stay = position[rules.SEATS + other], position[marks + other] & ~out
    climbed = rules.score(players, stay)
    if climbed >= 0:
        step, stay = step + climbed, 0
    if step >= finish:  # R15
        workspace.shares[:] = 0
        workspace.shares[0] = 1
        return 0.0
    workspace.steps[0] = step
    workspace.steps[players - 1] = own
    if players == 2:
        workspace.keys[0] = key_of(2, tower, stay)
        workspace.keys[1] = key_of(2, tower, position[marks + seat])
    for later in range(1, players - 1):
        other = rules.next_seat(other, players)
        workspace.steps[later] = position[rules.SEATS + other]
        workspace.keys[later - 1] = key_of(players, tower, position[marks + other] & ~out)
    workspace.keys[-1] = key(players, field, rank)
    evaluate(model, finish, workspace)
    return float(workspace.shares[players - 1])


@njit(cache=True, nogil=True)
def _add(shares: Any, times: float, out: Any) -> None:
    """Add shares by seat from the next one to ``out``, which is by seat from the one that played."""
    for seat in range(len(shares)):
        out[rules.next_seat(seat, len(shares))] += times * shares[seat]


@njit(cache=True, nogil=True)
def plan(model: Model, finish: int, position: Words, own: int, one_choice: bool, workspace: Workspace) -> int:
    """Compute the values of a turn from the step ``own`` on; returns the number of levels.

    The workspace limits the levels. Beyond them the values of the last level are used. With ``one_choice`` a
    value is placed on the same field on every level: the best one on the first level. That is quicker.
    """
    levels = min(len(workspace.field), finish - own)
    for level in range(levels):
        _place(model, finish, position, own + level, level, one_choice and level > 0, workspace)
        workspace.fails[:, level] = 0
        for crosses, rolls in ((1, rules.ONE_CROSS), (2, rules.TWO_CROSSES)):
            end_turn(model, finish, position, rules.moved(own + level, -crosses), NONE, ZERO, workspace)
            _add(workspace.shares, rolls, workspace.fails[:, level])
    best, again = workspace.best[0, :levels], workspace.again[0]
    for level in range(levels - 1, -1, -1):
        sure = workspace.fails[0, level] + rules.worth_of_doubles(finish - own, level, best, again)
        again[level] = rules.roll_again(sure, best[level])
    return levels


@njit(cache=True, nogil=True)
def _place(
    model: Model, finish: int, position: Words, own: int, level: int, one_choice: bool, workspace: Workspace
) -> None:
    players = len(workspace.steps)
    tower, mine = position[rules.TOWER], rules.own_marks(position)
    free, best = rules.free_fields(tower), np.full(rules.RANKS, -1.0)
    for field in range(TOP_FIELD + 1):
        if not rules.is_free(free, field):
            continue
        lost, out = True, 0
        for rank in range(rules.RANKS):
            if one_choice and (workspace.field[0, rank] != field or not _LATER[rank]):
                lost = True
                continue
            before, out = out, rules.thrown_out(tower, mine, field, rank)
            if lost or out != before:
                worth = end_turn(model, finish, position, own, field, rank, workspace)
                lost = workspace.shares[0] == 1.0
            else:  # only the rank of the placed pair has changed
                if field > 0:  # on field 0 the value does not matter (R14)
                    workspace.keys[-1] += 1
                    if model.exact.size:
                        evaluate(model, finish, workspace)
                    else:
                        _raise_rank(players, workspace.keys, workspace.rows)
                        forward(
                            model.network, workspace.rows, workspace.first, workspace.second, workspace.shares
                        )
                worth = workspace.shares[players - 1]
            if worth > best[rank]:
                best[rank] = worth
                workspace.field[level, rank] = field
                workspace.best[:, level, rank] = 0
                _add(workspace.shares, 1.0, workspace.best[:, level, rank])


@njit(cache=True, nogil=True)
def _raise_rank(players: int, keys: Any, rows: Any) -> None:
    """The features when the pair placed last has the next higher value, and nothing else changes."""
    if players > 2:
        rows[3 * (players - 2) + 2] += 1
    elif keys[2] > keys[1]:  # the upper pair
        for row in range(8, 11):  # ``rows[8:11] += 1`` takes three seconds more to compile
            rows[row] += 1
    else:
        rows[7] += 1
        rows[10] += rules.RANKS
