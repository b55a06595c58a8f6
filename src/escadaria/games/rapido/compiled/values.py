"""Rapido's values compiled: networks and exact tables, and what a turn is worth by them (R1-R19).

A position here is seen by the seat whose turn it is, which is seat 0: ``steps`` by seat, ``fields`` and
``ranks`` by seat and pair. A field is -1 for a pair in hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.network import FIRST_WIDTH, SECOND_WIDTH, Weights, forward, weights
from escadaria.games.rapido import index as rapido_index
from escadaria.games.rapido import values as features
from escadaria.games.rapido.index import (
    DOUBLES,
    FIRST_ROLLS,
    LATER_ROLLS,
    ONE_CROSS,
    RANKS,
    TWO_CROSSES,
)
from escadaria.games.rapido.rules import TOP_FIELD
from escadaria.network import Network

_LATER = LATER_ROLLS > 0
_LATER[list(DOUBLES)] = True
ONE = 2**32 - 1
"""A probability of 1 in an exact table."""

key = njit(cache=True, nogil=True)(features.key)
_left = njit(cache=True, nogil=True)(features.left)
_rows_for_two = njit(cache=True, nogil=True)(features.rows_for_two)
_rows_for_more = njit(cache=True, nogil=True)(features.rows_for_more)


class Model(NamedTuple):
    """What starts of turns are worth: by a network, or exactly by a table if there is one."""

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


class Scratch(NamedTuple):
    """Workspace for one position at a time, and for one turn."""

    steps: Any
    keys: Any
    left: Any
    rows: Any
    first: Any
    second: Any
    shares: Any
    """Of the last position evaluated, by seat from the one to move there."""
    best: Any
    """[level, value, seat]: the shares after the best placing, by seat from the one whose turn it is."""
    field: Any
    """[level, value]: where it places."""
    fails: Any
    """[level, seat]: the shares after an X, times the rolls of 36 that show one."""
    again: Any
    """[level, seat]: the shares after rolling again."""


def new_workspace(players: int, levels: int) -> Scratch:
    return Scratch(
        np.zeros(players, np.int64),
        np.zeros(features.number_of_keys(players), np.int64),
        np.zeros(players, np.int64),
        np.zeros(features.number_of_features(players), np.int64),
        np.zeros(FIRST_WIDTH, np.float32),
        np.zeros(SECOND_WIDTH, np.float32),
        np.zeros(players, np.float64),
        np.zeros((levels, RANKS, players)),
        np.zeros((levels, RANKS), np.int64),
        np.zeros((levels, players)),
        np.zeros((levels, players)),
    )


@njit(cache=True, nogil=True, fastmath=True)
def evaluate(model: Model, finish: int, workspace: Scratch) -> None:
    """From ``workspace.steps`` and ``workspace.keys`` to ``workspace.shares``."""
    if model.exact.size:
        worth = model.exact[workspace.steps[0], workspace.steps[1], _tower(model.first, workspace.keys)] / ONE
        workspace.shares[0], workspace.shares[1] = worth, 1.0 - worth
        return
    fill_rows(finish, workspace.steps, workspace.keys, workspace.left, workspace.rows)
    forward(model.network, workspace.rows, workspace.first, workspace.second, workspace.shares)


@njit(cache=True, nogil=True)
def fill_rows(finish: int, steps: Any, keys: Any, left: Any, rows: Any) -> None:
    """The features of the start of a turn."""
    _left(finish, steps, left)
    if len(steps) == 2:
        _rows_for_two(left, keys, rows)
    else:
        _rows_for_more(left, keys, rows)


@njit(cache=True, nogil=True)
def _tower(first: Any, keys: Any) -> int:
    own, low, high = keys[0], min(keys[1], keys[2]), max(keys[1], keys[2])
    places = first[own // RANKS, low // RANKS, high // RANKS]
    low_ranks = RANKS if low >= 2 * RANKS else 1
    high_ranks = RANKS if high >= 2 * RANKS else 1
    return int(places + (own % RANKS * low_ranks + low % RANKS) * high_ranks + high % RANKS)


@njit(cache=True, nogil=True)
def end_turn(
    model: Model,
    finish: int,
    steps: Any,
    fields: Any,
    ranks: Any,
    own: int,
    field: int,
    rank: int,
    workspace: Any,
) -> float:
    """The turn ends on the step ``own`` with a pair of this rank on the field, or without one (-1).

    What that is worth to who played; ``workspace.shares`` are seen by the next seat.
    """
    players, pairs = len(steps), fields.shape[1]
    scored, placed = 0, 0
    stays = 0
    for pair in range(pairs):
        if fields[1, pair] >= 0 and not is_out(fields[1, pair], ranks[1, pair], field, rank):
            placed += 1
            scored += fields[1, pair]
            stays = key(players, fields[1, pair], ranks[1, pair])
    if placed < pairs:  # R18; with one pair each, R7
        scored = 0
    else:
        stays = 0
    if steps[1] + scored >= finish:  # R15
        workspace.shares[:] = 0
        workspace.shares[0] = 1
        return 0.0
    workspace.steps[0] = steps[1] + scored
    for seat in range(2, players):
        workspace.steps[seat - 1] = steps[seat]
    workspace.steps[players - 1] = own
    if players == 2:
        workspace.keys[0] = stays
        workspace.keys[1] = key(2, fields[0, 0], ranks[0, 0])
        workspace.keys[2] = key(2, field, rank)
    else:
        for seat in range(2, players):
            out = is_out(fields[seat, 0], ranks[seat, 0], field, rank)
            workspace.keys[seat - 2] = 0 if out else key(players, fields[seat, 0], ranks[seat, 0])
        workspace.keys[players - 2] = key(players, field, rank)
    evaluate(model, finish, workspace)
    return float(workspace.shares[players - 1])


@njit(cache=True, nogil=True)
def is_out(lies: int, its_rank: int, field: int, rank: int) -> bool:
    """Whether a pair is thrown out (R14); nothing is by a turn that places nothing."""
    return 0 <= field < lies and its_rank <= rank


@njit(cache=True, nogil=True)
def is_taken(fields: Any, field: int) -> bool:
    """R4, R13"""
    players, pairs = fields.shape
    taken = False
    for seat in range(players):
        for pair in range(pairs):
            taken |= 0 < field == fields[seat, pair]
    return taken


@njit(cache=True, nogil=True)
def _note(shares: Any, out: Any, times: float) -> None:
    """Add shares as the next seat sees them to those that who played sees."""
    players = len(shares)
    for seat in range(players):
        out[(seat + 1) % players] += times * shares[seat]


@njit(cache=True, nogil=True)
def plan(
    model: Model,
    finish: int,
    steps: Any,
    fields: Any,
    ranks: Any,
    own: int,
    thrifty: bool,
    workspace: Scratch,
) -> int:
    """Work a turn out from the step ``own`` on; how many levels of steps there are.

    The workspace limits the levels; a piece that climbs beyond them places from the last. The thrifty place
    on every level where the first one does.
    """
    players = len(steps)
    levels = min(len(workspace.best), finish - own)
    for level in range(levels):
        _place(model, finish, steps, fields, ranks, own + level, level, thrifty and level > 0, workspace)
        workspace.fails[level, :] = 0
        for crosses, rolls in ((1, ONE_CROSS), (2, TWO_CROSSES)):  # R12
            end_turn(model, finish, steps, fields, ranks, max(own + level - crosses, 0), -1, 0, workspace)
            _note(workspace.shares, workspace.fails[level], rolls)
    for level in range(levels - 1, -1, -1):
        _again(levels, level, finish - own, players, workspace)
    return levels


@njit(cache=True, nogil=True)
def _place(
    model: Model,
    finish: int,
    steps: Any,
    fields: Any,
    ranks: Any,
    own: int,
    level: int,
    thrifty: bool,
    workspace: Scratch,
) -> None:
    players, pairs = len(steps), fields.shape[1]
    best = np.full(RANKS, -1.0)
    for field in range(TOP_FIELD + 1):
        if is_taken(fields, field):
            continue
        lost = True
        for rank in range(RANKS):
            if thrifty and (workspace.field[0, rank] != field or not _LATER[rank]):
                lost = True
                continue
            same = rank > 0 and not lost
            for seat in range(1, players):
                for pair in range(pairs):
                    same &= fields[seat, pair] <= field or ranks[seat, pair] != rank
            if same and field == 0:  # nothing else is thrown out, and here the value does not matter
                worth = workspace.shares[players - 1]
            elif same:
                workspace.keys[-1] += 1
                if model.exact.size:
                    evaluate(model, finish, workspace)
                else:
                    _raise_rank(players, workspace.keys, workspace.rows)
                    forward(
                        model.network, workspace.rows, workspace.first, workspace.second, workspace.shares
                    )
                worth = workspace.shares[players - 1]
            else:
                worth = end_turn(model, finish, steps, fields, ranks, own, field, rank, workspace)
                lost = workspace.shares[0] == 1.0
            if worth > best[rank]:
                best[rank] = worth
                workspace.field[level, rank] = field
                workspace.best[level, rank, :] = 0
                _note(workspace.shares, workspace.best[level, rank], 1.0)


@njit(cache=True, nogil=True)
def _raise_rank(players: int, keys: Any, rows: Any) -> None:
    """The features when the pair placed last has the next higher value, and nothing else changes."""
    if players > 2:
        rows[3 * (players - 2) + 2] += 1
    elif keys[2] > keys[1]:  # the upper pair
        rows[8:11] += 1
    else:
        rows[7] += 1
        rows[10] += RANKS


@njit(cache=True, nogil=True)
def _again(levels: int, level: int, left: int, players: int, workspace: Scratch) -> None:
    """The worth of rolling again: the rule for when to stop is made better until it is the best."""
    again, sure, best = workspace.again[level], workspace.fails[level].copy(), workspace.best[level]
    chances = LATER_ROLLS
    for climb in range(1, 4):  # R10
        rank = DOUBLES[climb - 1]
        if climb >= left - level:
            sure[0] += 1
        elif level + climb < levels:
            up = level + climb
            stops = workspace.best[up, rank, 0] >= workspace.again[up, 0]
            sure += workspace.best[up, rank] if stops else workspace.again[up]
        else:
            sure += workspace.best[levels - 1, rank]
    again[:] = -1
    while True:
        worth, rolls = sure.copy(), 36.0
        for rank in range(RANKS):
            if chances[rank] > 0:
                if best[rank, 0] > again[0]:
                    worth += chances[rank] * best[rank]
                else:
                    rolls -= chances[rank]
        worth /= rolls
        if worth[0] <= again[0] + 1e-12:
            again[:] = worth
            return
        again[:] = worth


@njit(cache=True, nogil=True)
def expected(levels: int, left: int, workspace: Scratch, out: Any) -> None:
    """The shares at the start of a turn that was worked out, before its first roll (R8, R11)."""
    out[:] = 0
    for rank in range(RANKS):
        if FIRST_ROLLS[rank] > 0:
            _add_choice(0, rank, FIRST_ROLLS[rank] / 36, workspace, out)
    for climb in range(1, 4):
        if climb >= left:
            out[0] += 1 / 36
        else:
            _add_choice(min(climb, levels - 1), DOUBLES[climb - 1], 1 / 36, workspace, out)


@njit(cache=True, nogil=True)
def _add_choice(level: int, rank: int, times: float, workspace: Scratch, out: Any) -> None:
    stops = workspace.best[level, rank, 0] >= workspace.again[level, 0]
    out += times * (workspace.best[level, rank] if stops else workspace.again[level])
