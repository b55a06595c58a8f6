"""Rapido played by compiled rules (R1-R19): the same games as the readable engine's, many at a time.

To add a policy: a code, its name in ``POLICIES``, and a branch in ``decide``. Policies that weigh every field
(from ``TOURIST`` on) have a branch in ``decide_by_tables``, and what they need in ``PolicyTables``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import evaluator_network, solutions
from escadaria.bots.evaluating import DRAWS
from escadaria.compute import ZERO
from escadaria.compute.streams import DICE, NOISE, below, start
from escadaria.compute.traces import ACTION, acted, counted, decoded, seated, unsigned
from escadaria.game import AnyGame
from escadaria.games.rapido import bots as levels
from escadaria.games.rapido.compiled import values as rapido_values
from escadaria.games.rapido.compiled.rules import (
    DECIDE,
    DOUBLES,
    FIRST_ROLL,
    GOES_ON,
    LATER_ROLL,
    MOVES,
    NUMBER_OF_ROLLS,
    OVER,
    PHASE,
    RANKS,
    ROLLED,
    SEATS,
    TOWER,
    TURN,
    WON,
    Words,
    columns,
    free_fields,
    is_free,
    own_marks,
    pass_turn,
    place,
    position_of,
    roll,
    roll_again,
    set_up,
    start_turn,
    sum_of_fields,
    thrown_out,
)
from escadaria.games.rapido.compiled.values import EACH_LEVEL, Model, Workspace, end_turn, plan
from escadaria.games.rapido.rules import (
    ROLLS,
    TOP_FIELD,
    VALUES,
    Action,
    Again,
    Pair,
    Phase,
    Place,
    Rapido,
    State,
)
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.games.rapido.values import LEVELS

RANDOM, SIMPLE, TOURIST, REGULAR, EXPERT, MASTER = range(6)
POLICIES: Mapping[str, int] = {
    "random": RANDOM,
    "simple": SIMPLE,
    "tourist": TOURIST,
    "regular": REGULAR,
    "expert": EXPERT,
    "master": MASTER,
}
"""The bots that are compiled, with their codes."""

ROLL_AGAIN = -1
"""A decision is a field to place on, or this."""


@cache
def simple_decisions() -> Words:
    """What ``simple`` decides, by set of free fields and rank of the value; filled by the readable bot."""
    return np.array([[_simple(free, value) for value in VALUES] for free in range(1 << TOP_FIELD)])


def _simple(free: int, value: int) -> int:
    taken = [field for field in range(1, TOP_FIELD + 1) if not free >> field - 1 & 1]
    tower = tuple(Pair(field, 1, value) for field in taken)
    action = levels.simple(Rapido(), State(0, Phase.DECIDE, value, (0, 0, 0), tower))
    return action.field if isinstance(action, Place) else ROLL_AGAIN


# The policies.


@njit(cache=True, nogil=True)
def decide(policy: int, simple: Words, rank: int, tower: int, noise: np.uint64) -> tuple[int, np.uint64]:
    """A decision, and the state of the noise stream after it."""
    free = free_fields(tower)
    if policy == SIMPLE:
        return int(simple[free, rank]), noise
    return choose(free, noise)


@njit(cache=True, nogil=True)
def choose(free: int, noise: np.uint64) -> tuple[int, np.uint64]:
    """Any decision, each equally likely."""
    number = 2
    for field in range(TOP_FIELD):
        number += free >> field & 1
    noise, choice = below(noise, number)
    if choice < 2:
        return choice - 1, noise
    field = 0
    while choice > 1:
        choice -= free >> field & 1
        field += 1
    return field, noise


# The policies that weigh every field.

HIGH_RANK = int(np.searchsorted(VALUES, levels.HIGH_VALUE))


class PolicyTables(NamedTuple):
    """What these policies need: tables, models and workspaces."""

    safety: NDArray[np.float64]
    """How likely ``regular`` takes a pair on [field, rank] to stay."""
    width: float
    """The width of ``expert``'s noise."""
    expert: Model
    master: Model
    workspaces: tuple[Workspace, Workspace]
    """Of ``expert`` and ``master``."""
    worths: NDArray[np.float64]
    """Of rolling again, and of each field."""
    known: Words
    """For ``expert`` and ``master``: the turn and the step that rolling again was worked out for."""


def policy_tables(game: Rapido, exact: bool = True) -> PolicyTables:
    """The tables of a game: its shipped values, and with ``exact`` its exact solution if there is one."""
    network = evaluator_network.load("escadaria.games.rapido", game.players)
    shipped, solution = rapido_values.model(network), solutions.find(game) if exact else None
    best, deepest = shipped, LEVELS
    if isinstance(solution, RapidoSolution):
        best, deepest = rapido_values.model(None, solution.values), game.finish
    return PolicyTables(
        np.array(levels.safety(game.players)),
        levels.NOISE_WIDTH[game.players],
        shipped,
        best,
        (
            rapido_values.new_workspace(game.players, LEVELS),
            rapido_values.new_workspace(game.players, deepest),
        ),
        np.zeros(TOP_FIELD + 2),
        np.full((2, 2), -1),
    )


_appeal = njit(cache=True, nogil=True)(levels.appeal)


@njit(cache=True, nogil=True)
def weigh_as_regular(
    safety: NDArray[np.float64], tower: int, own: int, best: NDArray[np.float64], fields: Words
) -> float:
    """Fill in, by rank, the field that looks best to ``regular`` and what it looks worth to it.

    Return what rolling again looks worth.
    """
    free = free_fields(tower)
    for rank in range(RANKS):
        best[rank] = -1.0
        for field in range(TOP_FIELD + 1):
            if is_free(free, field):
                taken = sum_of_fields(thrown_out(tower, own, field, rank))
                worth = _appeal(safety, taken, field, rank)
                if worth >= best[rank]:
                    best[rank], fields[rank] = worth, field
    sure = levels.CLIMBED
    for rank in DOUBLES:
        sure += best[rank]
    return roll_again(sure, best)


@njit(cache=True, nogil=True)
def decide_by_tables(
    policy: int,
    policy_tables: PolicyTables,
    finish: int,
    turn: int,
    position: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """A decision, and the state of the noise stream after it."""
    tower, rank = position[TOWER], position[ROLLED]
    free = free_fields(tower)
    if policy == TOURIST:
        noise, draw = below(noise, DRAWS)
        if draw < (levels.AGAIN_IF_HIGH if rank >= HIGH_RANK else levels.AGAIN_IF_LOW):
            return ROLL_AGAIN, noise
        return _highest(free, tower, own_marks(position), rank), noise
    if policy == REGULAR:
        best, fields = np.empty(RANKS), np.zeros(RANKS, np.int64)
        again = weigh_as_regular(policy_tables.safety, tower, own_marks(position), best, fields)
        return ROLL_AGAIN if again > best[rank] else int(fields[rank]), noise
    worths = policy_tables.worths
    if policy == EXPERT:
        workspace, known = policy_tables.workspaces[0], policy_tables.known[0]
        _weigh(policy_tables.expert, workspace, known, worths, finish, turn, position)
        for action in range(TOP_FIELD + 2):
            if action == 0 or is_free(free, action - 1):
                noise, draw = below(noise, DRAWS)
                worths[action] += policy_tables.width * (2 * draw / DRAWS - 1)
    else:
        workspace, known = policy_tables.workspaces[1], policy_tables.known[1]
        _weigh(policy_tables.master, workspace, known, worths, finish, turn, position)
    return int(worths.argmax()) - 1, noise


@njit(cache=True, nogil=True)
def _highest(free: int, tower: int, own: int, rank: int) -> int:
    """The highest field that throws a pair out; if none does, the highest free one."""
    highest = 0
    for field in range(TOP_FIELD, -1, -1):
        if is_free(free, field):
            if thrown_out(tower, own, field, rank):
                return field
            highest = max(highest, field)
    return highest


@njit(cache=True, nogil=True)
def _weigh(
    model: Model,
    workspace: Workspace,
    known: Words,
    worths: NDArray[np.float64],
    finish: int,
    turn: int,
    position: Words,
) -> None:
    """The worth of rolling again, worked out once for each step of a turn, and of each field."""
    own, free = position[SEATS + position[TURN]], free_fields(position[TOWER])
    if known[0] != turn or known[1] != own:
        known[0], known[1] = turn, own
        plan(model, finish, position, own, EACH_LEVEL, workspace)
    worths[0] = workspace.again[0, 0]
    for field in range(TOP_FIELD + 1):
        worths[field + 1] = -1.0
        if is_free(free, field):
            worths[field + 1] = end_turn(model, finish, position, own, field, position[ROLLED], workspace)


# Playing.

_FALL = 32
"""The doubles and falls of a seat are counted in one word: where the falls have their bits."""
_COUNTS = (MOVES > 0) + ((MOVES < 0).astype(np.int64) << _FALL)


@njit(cache=True, nogil=True)
def play_game(
    finish: int,
    policies: Words,
    simple: Words,
    policy_tables: PolicyTables | None,
    dice: np.uint64,
    noise: np.uint64,
    rows: Words,
    counts: Words,
    thrown: Words,
    trace: Words | None,
) -> tuple[int, int, int]:
    """One game in the first of ``rows``; the winner, the number of turns and that of plies.

    ``counts`` and ``thrown`` are filled by seat.
    """
    players = len(policies)
    for seat in range(players):
        counts[seat] = thrown[seat] = 0
    set_up(rows, 0)
    turns, plies, status = 0, ZERO, GOES_ON
    if policy_tables is not None:
        policy_tables.known[:] = -1
    while status != WON and not start_turn(finish, players, rows, 0):
        turns += 1
        seat, later = rows[0, TURN], 0
        while True:  # R8
            write(trace, plies, LATER_ROLL if later else FIRST_ROLL, rows)
            dice, number = below(dice, NUMBER_OF_ROLLS)
            plies = acted(trace, plies, number)
            counts[seat] += _COUNTS[later, number]
            status = roll(finish, rows, 0, later, number)
            if status != GOES_ON:
                break
            write(trace, plies, DECIDE, rows)
            if policy_tables is None or policies[seat] < TOURIST:
                field, noise = decide(policies[seat], simple, rows[0, ROLLED], rows[0, TOWER], noise)
            else:
                field, noise = decide_by_tables(policies[seat], policy_tables, finish, turns, rows[0], noise)
            plies = acted(trace, plies, field)
            if field >= 0:
                place(players, rows, 0, field, thrown)
                break
            later = 1
        if status != WON:
            pass_turn(players, rows, 0)
    write(trace, plies, OVER, rows)
    return rows[0, TURN], turns, plies


@njit(cache=True, nogil=True)
def play_games(
    finish: int,
    lineup: Words,
    simple: Words,
    policy_tables: PolicyTables | None,
    first: int,
    seed: np.uint64,
    each: NDArray[np.int32],
    by_seat: NDArray[np.int32],
) -> None:
    """Fill the rows of ``each`` and ``by_seat`` with as many games, from number ``first`` on."""
    players = len(lineup)
    policies, rows = np.empty(players, np.int64), np.empty((1, SEATS + 2 * players), np.int64)
    counts, thrown = np.empty(players, np.int64), np.empty(players, np.int64)
    for game in range(len(each)):
        number = first + game
        for seat in range(players):
            policies[seat] = lineup[(seat - number) % players]
        winner, turns, plies = play_game(
            finish, policies, simple, policy_tables, start(seed, number, DICE), start(seed, number, NOISE),
            rows, counts, thrown, None,
        )  # fmt: skip
        each[game, 0], each[game, 1], each[game, 2] = winner, turns, plies
        for seat in range(players):
            by_seat[0, game, seat] = rows[0, SEATS + seat]
            by_seat[1, game, seat] = thrown[seat]
            by_seat[2, game, seat] = counts[seat] & (1 << _FALL) - 1
            by_seat[3, game, seat] = counts[seat] >> _FALL


def play_batch(
    game: AnyGame, bots: Sequence[str], first: int, games: int, seed: int, exact: bool = True
) -> dict[str, NDArray[np.int32]]:
    """The games ``first``, ``first + 1``, … of a seed; the bots of game 0 move on by one seat each game."""
    assert isinstance(game, Rapido)
    lineup = np.array([POLICIES[bot] for bot in bots])
    play = partial(
        play_games,
        game.finish,
        lineup,
        simple_decisions(),
        policy_tables_for(game, lineup, exact),
        first,
        unsigned(seed),
    )
    return counted(play, ("steps", "thrown_out", "doubles", "falls"), games, game.players)


def policy_tables_for(game: Rapido, lineup: Words, exact: bool = True) -> PolicyTables | None:
    """None without such policies: the kernel is then compiled without them."""
    return policy_tables(game, exact) if lineup.max() >= TOURIST else None


# A game step by step.


@njit(cache=True, nogil=True)
def write(trace: Words | None, ply: int, phase: int, rows: Words) -> None:
    """Store the position after a number of plies, where wanted."""
    if trace is not None:
        trace[ply, ACTION + 1 :] = rows[0, ACTION + 1 :]
        trace[ply, PHASE] = phase


def watch(game: Rapido, bots: Sequence[str], number: int, seed: int) -> list[tuple[Action | None, State]]:
    """One game of the batch in the engine's words: each action, none at first, and the position after it."""
    players = game.players
    policies, dice, noise = seated(POLICIES, bots, number, seed)
    plies = int(play_batch(game, bots, number, 1, seed)["plies"][0])
    trace = np.zeros((plies + 1, columns(players)), np.int64)
    rows, (counts, thrown) = np.empty((1, columns(players)), np.int64), np.empty((2, players), np.int64)
    play_game(
        game.finish, policies, simple_decisions(), policy_tables_for(game, policies), dice, noise, rows,
        counts, thrown, trace,
    )  # fmt: skip
    return decoded(trace, lambda row: position_of(row, players), _action)


def _action(code: int, before: State) -> Action:
    if before.phase is Phase.DECIDE:
        return Again() if code == ROLL_AGAIN else Place(code)
    return ROLLS[code]
