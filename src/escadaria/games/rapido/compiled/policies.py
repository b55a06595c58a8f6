"""The policies of Rapido's bots compiled: they decide as the readable ones do (R8, R13).

To add a policy: a code, its name in ``POLICIES``, and a branch in ``decide``. Policies that weigh every field
(from ``TOURIST`` on) have a branch in ``decide_by_tables``, and what they need in ``PolicyTables``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import evaluator_network, solutions
from escadaria.bots.evaluating import DRAWS
from escadaria.compute.streams import below
from escadaria.games.rapido import bots as levels
from escadaria.games.rapido.compiled import rules, turns
from escadaria.games.rapido.compiled.rules import Words
from escadaria.games.rapido.compiled.turns import EACH_LEVEL, Model, Workspace, end_turn, plan
from escadaria.games.rapido.rules import TOP_FIELD, VALUES, Pair, Phase, Place, Rapido, State
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
    free = rules.free_fields(tower)
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

NOT_PLANNED = -1

HIGH_RANK = int(np.searchsorted(VALUES, levels.HIGH_VALUE))


class PolicyTables(NamedTuple):
    """What these policies need: tables, models and workspaces."""

    safety: NDArray[np.float64]
    """[field, rank]: how likely a pair stays in the estimate of ``regular``."""
    width: float
    """The width of ``expert``'s noise."""
    expert: Model
    master: Model
    workspaces: tuple[Workspace, Workspace]
    """Those of ``expert`` and ``master``."""
    worths: NDArray[np.float64]
    """The worth of rolling again, and of each field."""
    planned: Words
    """For ``expert`` and ``master``: the step from which this turn was planned, or ``NOT_PLANNED``."""


def policy_tables(game: Rapido, exact: bool = True) -> PolicyTables:
    """The tables of a game: its shipped values, and with ``exact`` its exact solution if there is one."""
    network = evaluator_network.load("escadaria.games.rapido", game.players)
    shipped, solution = turns.model(network), solutions.find(game) if exact else None
    best, deepest = shipped, LEVELS
    if isinstance(solution, RapidoSolution):
        best, deepest = turns.model(None, solution.values), game.finish
    return PolicyTables(
        np.array(levels.safety(game.players)),
        levels.NOISE_WIDTH[game.players],
        shipped,
        best,
        (
            turns.new_workspace(game.players, LEVELS),
            turns.new_workspace(game.players, deepest),
        ),
        np.zeros(TOP_FIELD + 2),
        np.full(2, NOT_PLANNED),
    )


_appeal = njit(cache=True, nogil=True)(levels.appeal)


@njit(cache=True, nogil=True)
def weigh_as_regular(
    safety: NDArray[np.float64], tower: int, own: int, best: NDArray[np.float64], fields: Words
) -> float:
    """Fill in, by rank, the field that looks best to ``regular`` and what it looks worth to it.

    Return what rolling again looks worth.
    """
    free = rules.free_fields(tower)
    for rank in range(rules.RANKS):
        best[rank] = -1.0
        for field in range(TOP_FIELD + 1):
            if rules.is_free(free, field):
                taken = rules.sum_of_fields(rules.thrown_out(tower, own, field, rank))
                worth = _appeal(safety, taken, field, rank)
                if worth >= best[rank]:
                    best[rank], fields[rank] = worth, field
    sure = levels.CLIMBED
    for rank in rules.DOUBLES:
        sure += best[rank]
    return rules.roll_again(sure, best)


@njit(cache=True, nogil=True)
def decide_by_tables(
    policy: int, policy_tables: PolicyTables, finish: int, position: Words, noise: np.uint64
) -> tuple[int, np.uint64]:
    """A decision, and the state of the noise stream after it."""
    tower, rank = position[rules.TOWER], position[rules.ROLLED]
    free = rules.free_fields(tower)
    if policy == TOURIST:
        noise, draw = below(noise, DRAWS)
        if draw < (levels.AGAIN_IF_HIGH if rank >= HIGH_RANK else levels.AGAIN_IF_LOW):
            return ROLL_AGAIN, noise
        return _highest(free, tower, rules.own_marks(position), rank), noise
    if policy == REGULAR:
        best, fields = np.empty(rules.RANKS), np.zeros(rules.RANKS, np.int64)
        again = weigh_as_regular(policy_tables.safety, tower, rules.own_marks(position), best, fields)
        return ROLL_AGAIN if again > best[rank] else int(fields[rank]), noise
    worths = policy_tables.worths
    if policy == EXPERT:
        _weigh(policy_tables, policy_tables.expert, 0, finish, position)
        for action in range(TOP_FIELD + 2):
            if action == 0 or rules.is_free(free, action - 1):
                noise, draw = below(noise, DRAWS)
                worths[action] += policy_tables.width * (2 * draw / DRAWS - 1)
    else:
        _weigh(policy_tables, policy_tables.master, 1, finish, position)
    return int(worths.argmax()) - 1, noise


@njit(cache=True, nogil=True)
def _highest(free: int, tower: int, own: int, rank: int) -> int:
    """The highest field that throws a pair out; if none does, the highest free one."""
    highest = 0
    for field in range(TOP_FIELD, -1, -1):
        if rules.is_free(free, field):
            if rules.thrown_out(tower, own, field, rank):
                return field
            highest = max(highest, field)
    return highest


@njit(cache=True, nogil=True)
def _weigh(policy_tables: PolicyTables, model: Model, which: int, finish: int, position: Words) -> None:
    """Fill in the worth of rolling again, planned once for each step of a turn, and of each field."""
    workspace, worths = policy_tables.workspaces[which], policy_tables.worths
    own, free = position[rules.SEATS + position[rules.TURN]], rules.free_fields(position[rules.TOWER])
    if policy_tables.planned[which] != own:
        policy_tables.planned[which] = own
        plan(model, finish, position, own, EACH_LEVEL, workspace)
    worths[0] = workspace.again[0, 0]
    for field in range(TOP_FIELD + 1):
        worths[field + 1] = -1.0
        if rules.is_free(free, field):
            worths[field + 1] = end_turn(
                model, finish, position, own, field, position[rules.ROLLED], workspace
            )


@njit(cache=True, nogil=True)
def forget_plans(policy_tables: PolicyTables) -> None:
    """Reset the plans. Called before each turn."""
    for which in range(2):
        policy_tables.planned[which] = NOT_PLANNED


def policy_tables_for(game: Rapido, lineup: Words, exact: bool = True) -> PolicyTables | None:
    """The tables, or None if no seat needs them: the kernel is then compiled without these policies."""
    return policy_tables(game, exact) if lineup.max() >= TOURIST else None
