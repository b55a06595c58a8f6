"""How exploitable a bot of Rapido for two or three is: the exact best response in a short race (R1-R19).

The other seats play by a bot, so for one seat, the *hero*, only dice are unknown. ``Values`` are the hero's
share of wins from the start of any turn. ``update`` computes one turn: the hero's own by the best decisions,
or by those of a given bot. Repeated from 0 the values never exceed the true ones, repeated from 1 they never
fall below them, so both are proven bounds. The turns of two players are in ``best_response_of_two``.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import evaluator_network
from escadaria.compute import ONE
from escadaria.games.rapido.compiled import policies
from escadaria.games.rapido.compiled import turns as rapido_turns
from escadaria.games.rapido.compiled.rules import (
    DECIDE,
    DOUBLES,
    FIRST_ROLLS,
    NO_PAIRS,
    ONE_CROSS,
    PHASE,
    RANKS,
    ROLLED,
    SEATS,
    TOWER,
    TWO_CROSSES,
    columns,
    is_empty,
    moved,
    put,
    roll_again,
    worth_of_doubles,
)
from escadaria.games.rapido.compiled.turns import Model, Workspace, evaluate
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rolls import RANK
from escadaria.games.rapido.rules import TOP_FIELD, Action, Again, Place, Rapido, State
from escadaria.games.rapido.values import LEVELS
from research import best_response_of_two as of_two
from research.best_response_of_two import is_out

PAIR_KEYS = 1 + TOP_FIELD * RANKS
"""Where a pair may be: 0 in hand or on field 0, worth the same (R4, R7); then fields 1 to 5, by value."""
FIELD = np.array([0, *np.repeat(np.arange(1, TOP_FIELD + 1), RANKS)])
"""By place."""
VALUE = np.array([0, *np.tile(np.arange(RANKS), TOP_FIELD)])
"""By place: the rank of the pair's value."""
ROLL_AGAIN = policies.ROLL_AGAIN
GAP = 1e-5
BOTS = ("simple", "regular", "master")
"""Those without noise."""

Starts = NDArray[np.float64]
"""By ``Turn``; for two players by the own step, the other's and the number of the tower."""
Values = NDArray[np.float64]
"""By how many seats the hero comes after the one whose turn it is, then as ``Starts``."""
Decisions = NDArray[np.int8]
"""As ``Starts``, and by rank of the value rolled: a field, or ``ROLL_AGAIN``. For a bot whose decisions do
not depend on the steps, their axes have length 1."""


class Turn(NamedTuple):
    """The start of a turn, after scoring: the seat whose turn it is has no pair on the tower (R7)."""

    own: int
    second: int
    third: int
    """The steps, in the order of turns."""
    near: int
    """The place of the second's pair."""
    far: int
    """The place of the third's pair."""


class Proven(NamedTuple):
    """Bounds of the hero's share in every position."""

    low: Values
    high: Values
    gap: float
    """The largest of all positions."""
    rounds: int

    def of_seat(self, seat: int) -> tuple[float, float]:
        """At the start of the game."""
        start = (seat,) + (0,) * (self.low.ndim - 1)
        return float(self.low[start]), float(self.high[start])


def memory(finish: int, players: int = 3) -> int:
    """Roughly the most bytes that are needed: for two sets of values and two bots' decisions."""
    towers = TOWERS if players == 2 else PAIR_KEYS**2
    return int(finish**players * towers * (2 * players * 8 + 2 * RANKS))


def prove(
    finish: int,
    others: Decisions,
    hero: Decisions | None = None,
    *,
    gap: float = GAP,
    threads: int = 1,
    progress: Callable[[int, float], None] = lambda rounds, gap: None,
) -> Proven:
    """Bounds of the hero's share against seats that decide as ``others``, by its decisions or the best ones.

    :param gap: the largest gap between the bounds in any position.
    :param progress: called after each round with its number and the largest gap.
    """
    players = 2 if others.ndim == 4 else 3
    towers = (TOWERS,) if players == 2 else (PAIR_KEYS, PAIR_KEYS)
    low = np.zeros((players, *(finish,) * players, *towers))
    high = np.ones_like(low)
    if players == 3:
        high[..., ~possible()] = 0.0
    rounds, widest = 0, 1.0
    with ThreadPoolExecutor(threads) as pool:
        while widest > gap:
            for bound in (low, high):
                sweep(bound, others, hero, pool)
            rounds += 1
            widest = max(float((up - down).max()) for up, down in zip(_rows(high), _rows(low), strict=True))
            progress(rounds, widest)
    return Proven(low, high, widest, rounds)


def sweep(values: Values, others: Decisions, hero: Decisions | None, pool: ThreadPoolExecutor) -> None:
    """Compute as many turns as there are players: each role reads the one before."""
    players, finish = values.shape[:2]
    for role in (*range(1, players), 0):
        update_turn = of_two.update if players == 2 else update
        turn = partial(update_turn, values[role - 1], role, others if role else hero, values[role])
        list(pool.map(turn, range(finish)))


def possible() -> NDArray[np.bool_]:
    """By the second's and the third's place: whether both pairs may lie there (R4)."""
    return np.asarray((FIELD[:, None] != FIELD) | (FIELD == 0))


def _rows(values: Values) -> Values:
    return values.reshape(-1, *values.shape[2:])


@njit(cache=True, nogil=True)
def ended(starts: Starts, arrived: float, turn: Turn, own: int, field: int, rank: int) -> float:
    """The worth by ``starts`` of a turn that ends on the step ``own``, with a pair on the field or none (-1).

    ``arrived`` is the worth if the second reaches the finish by scoring.
    """
    near, far = turn.near, turn.far
    climbs = 0 if is_out(FIELD[near], VALUE[near], field, rank) else FIELD[near]
    if is_out(FIELD[far], VALUE[far], field, rank):
        far = 0
    if turn.second + climbs >= len(starts):  # R7, R15
        return arrived
    place = 1 + (field - 1) * RANKS + rank if field > 0 else 0
    return float(starts[turn.second + climbs, turn.third, own, far, place])


@njit(cache=True, nogil=True)
def failed(starts: Starts, arrived: float, turn: Turn) -> float:
    """The same of later rolls with an X, in 36ths (R12)."""
    one = ended(starts, arrived, turn, moved(turn.own, -1), -1, 0)
    two = ended(starts, arrived, turn, moved(turn.own, -2), -1, 0)
    return ONE_CROSS * one + TWO_CROSSES * two


@njit(cache=True, nogil=True)
def update(starts: Starts, role: int, decisions: Decisions | None, out: Starts, second: int) -> None:
    """Compute one turn, for all steps of the second seat.

    :param starts: how likely the hero wins when the next turn starts.
    :param role: by how many seats the hero comes after the one whose turn it is.
    :param decisions: of the seat whose turn it is; without them it is the hero, who decides best.
    :param out: how likely the hero wins when this turn starts.
    """
    finish = len(starts)
    won, arrived = 1.0 if role == 0 else 0.0, 1.0 if role == 1 else 0.0
    # The worth of doubles (R10), in 36ths and by the own step modulo 4: each step adds to those below it.
    doubles = np.zeros((4, PAIR_KEYS, PAIR_KEYS))
    worths, stops = np.zeros(RANKS), np.zeros(RANKS, np.bool_)
    for third in range(finish):
        for own in range(max(finish - 3, 0), finish):
            doubles[own % 4] = won * (own + 4 - finish)
        for own in range(finish - 1, -1, -1):
            below = doubles[(own + 3) % 4], doubles[(own + 2) % 4], doubles[(own + 1) % 4]
            for near in range(PAIR_KEYS):
                for far in range(PAIR_KEYS):
                    if near and FIELD[near] == FIELD[far]:
                        continue
                    turn = Turn(own, second, third, near, far)
                    climbing = doubles[own % 4, near, far]
                    sure = climbing + failed(starts, arrived, turn)
                    if decisions is None:
                        decide_best(starts, arrived, turn, sure, worths)
                    else:
                        follow(starts, arrived, turn, sure, decisions, worths, stops)
                    worth = climbing
                    for rank in range(RANKS):
                        worth += FIRST_ROLLS[rank] * worths[rank]
                    out[own, second, third, near, far] = worth / 36
                    below[0][near, far] += worths[DOUBLES[0]]
                    below[1][near, far] += worths[DOUBLES[1]]
                    below[2][near, far] = worths[DOUBLES[2]]


@njit(cache=True, nogil=True)
def decide_best(starts: Starts, arrived: float, turn: Turn, sure: float, worths: Any) -> None:
    """The worth of each rolled value, with the best decision.

    :param sure: what later rolls without a choice are worth, in 36ths.
    """
    place_best(starts, arrived, turn, worths)
    again = roll_again(sure, worths)
    for rank in range(RANKS):
        worths[rank] = max(worths[rank], again)


@njit(cache=True, nogil=True)
def follow(
    starts: Starts, arrived: float, turn: Turn, sure: float, decisions: Decisions, worths: Any, stops: Any
) -> None:
    """The same if the seat decides so."""
    wide, high, deep = decisions.shape[:3]
    chosen = decisions[turn.own % wide, turn.second % high, turn.third % deep, turn.near, turn.far]
    for rank in range(RANKS):
        stops[rank] = chosen[rank] != ROLL_AGAIN
        worths[rank] = ended(starts, arrived, turn, turn.own, chosen[rank], rank) if stops[rank] else 0.0
    again = roll_again(sure, worths, stops)
    for rank in range(RANKS):
        if not stops[rank]:
            worths[rank] = again


@njit(cache=True, nogil=True)
def place_best(starts: Starts, arrived: float, turn: Turn, worths: Any) -> None:
    """What the best field is worth, by rank of the value rolled: the best ``ended``, many at a time."""
    own, second, third, near, far = turn
    worths[:] = 0.0
    for field in range(TOP_FIELD + 1):
        if not is_empty(field, FIELD[near], FIELD[far], 0):
            continue
        # From these ranks on, the second's and the third's pair are thrown out (R14).
        one = VALUE[near] if FIELD[near] > field else RANKS
        two = VALUE[far] if FIELD[far] > field else RANKS
        first, end = 0, min(one, two)
        step, left = second + FIELD[near], far
        while True:
            if step >= len(starts):  # R15
                for rank in range(first, end):
                    worths[rank] = max(worths[rank], arrived)
            elif field == 0:
                worth = starts[step, third, own, left, 0]
                for rank in range(first, end):
                    worths[rank] = max(worths[rank], worth)
            else:
                place = 1 + (field - 1) * RANKS
                for rank in range(first, end):
                    worths[rank] = max(worths[rank], starts[step, third, own, left, place + rank])
            if end == RANKS:
                break
            step = second if end == one else step
            left = 0 if end == two else left
            first, end = end, RANKS if end == max(one, two) else max(one, two)


# Who decides how.


def decisions_of(bot: str, finish: int, players: int = 3) -> Decisions:
    """How one of ``BOTS`` decides in every position; with two players the master."""
    if players == 2:
        return of_two.masters(finish)
    if bot == "master":
        return decisions_by(shipped_starts(finish), LEVELS)
    decisions = np.full((1, 1, 1, PAIR_KEYS, PAIR_KEYS, RANKS), ROLL_AGAIN, np.int8)
    policy, tables = policies.POLICIES[bot], policies.policy_tables(Rapido(players=3))
    rows = np.zeros((1, columns(3)), np.int64)
    ask(policy, policies.simple_decisions(), tables, rows[0], decisions[0, 0, 0])
    return decisions


def best_decisions(proven: Proven) -> Decisions:
    """How to decide to win as often as is proven, as nearly as the bounds are close."""
    return decisions_by(proven.low[2], proven.low.shape[1])


def decisions_by(starts: Starts, levels: int) -> Decisions:
    """The best decisions of the seat that has just played, if ``starts`` are its shares.

    A turn is computed for ``levels`` steps; beyond them the values of the last are used.
    """
    decisions = np.full((*starts.shape, RANKS), ROLL_AGAIN, np.int8)
    for second in range(len(starts)):
        decide(starts, levels, second, decisions)
    return decisions


def shipped_starts(finish: int) -> Starts:
    """The share of wins of the seat that has just played, by the shipped values."""
    starts = np.zeros((finish, finish, finish, PAIR_KEYS, PAIR_KEYS))
    network = evaluator_network.load("escadaria.games.rapido", 3)
    fill_starts(rapido_turns.model(network), rapido_turns.new_workspace(3, 1), starts)
    return starts


@njit(cache=True, nogil=True)
def fill_starts(model: Model, workspace: Workspace, starts: Starts) -> None:
    """Fill ``starts``."""
    finish = len(starts)
    for own in range(finish):
        for second in range(finish):
            for third in range(finish):
                workspace.steps[0], workspace.steps[1], workspace.steps[2] = own, second, third
                for near in range(PAIR_KEYS):
                    for far in range(PAIR_KEYS):
                        if near == 0 or FIELD[near] != FIELD[far]:
                            workspace.keys[0] = rapido_turns.key(3, FIELD[near], VALUE[near])
                            workspace.keys[1] = rapido_turns.key(3, FIELD[far], VALUE[far])
                            evaluate(model, finish, workspace)
                            starts[own, second, third, near, far] = workspace.shares[2]


@njit(cache=True, nogil=True)
def decide(starts: Starts, levels: int, second: int, decisions: Decisions) -> None:
    """Fill ``decisions`` wherever the second stands on this step."""
    finish = len(starts)
    best, fails, again = np.zeros((finish, RANKS)), np.zeros(finish), np.zeros(finish)
    for third in range(finish):
        for near in range(PAIR_KEYS):
            for far in range(PAIR_KEYS):
                if near and FIELD[near] == FIELD[far]:
                    continue
                for own in range(finish):
                    turn = Turn(own, second, third, near, far)
                    place_best(starts, 0.0, turn, best[own])
                    fails[own] = failed(starts, 0.0, turn)
                for own in range(finish):
                    end = min(own + levels, finish)
                    above, rolling = best[own:end], again[own:end]
                    for level in range(end - own - 1, -1, -1):
                        doubles = worth_of_doubles(finish - own, level, above, rolling)
                        rolling[level] = roll_again(fails[own + level] + doubles, above[level])
                    turn = Turn(own, second, third, near, far)
                    for rank in range(RANKS):
                        if best[own, rank] > again[own]:
                            decisions[own, second, third, near, far, rank] = best_field(starts, turn, rank)


@njit(cache=True, nogil=True)
def best_field(starts: Starts, turn: Turn, rank: int) -> int:
    """The lowest if several are equally good."""
    best, top = 0, -1.0
    for field in range(TOP_FIELD + 1):
        if is_empty(field, FIELD[turn.near], FIELD[turn.far], 0):
            worth = ended(starts, 0.0, turn, turn.own, field, rank)
            if worth > top:
                best, top = field, worth
    return best


@njit(cache=True, nogil=True)
def ask(
    policy: int, simple: Any, policy_tables: policies.PolicyTables, position: Any, decisions: Decisions
) -> None:
    """Fill in what a heuristic decides, by the places of both pairs and the rank of the value rolled."""
    noise, marks = np.uint64(0), SEATS + 3
    position[PHASE] = DECIDE
    for near in range(PAIR_KEYS):
        for far in range(PAIR_KEYS):
            if near and FIELD[near] == FIELD[far]:
                continue
            tower, position[marks + 1], position[marks + 2] = NO_PAIRS, 0, 0
            if near:
                tower, position[marks + 1] = put(tower, 0, FIELD[near], VALUE[near])
            if far:
                tower, position[marks + 2] = put(tower, 0, FIELD[far], VALUE[far])
            position[TOWER] = tower
            for rank in range(RANKS):
                if policy < policies.TOURIST:
                    field, _ = policies.decide(policy, simple, rank, tower, noise)
                else:
                    position[ROLLED] = rank
                    field, _ = policies.decide_by_tables(policy, policy_tables, ONE, position, noise)
                decisions[near, far, rank] = field


def at(state: State) -> tuple[int, ...]:
    """Where the turn of a position stands among all ``Starts``."""
    places = [0, 0, 0]
    for pair in state.tower:
        if pair.field:
            places[(pair.seat - state.turn) % 3] = 1 + (pair.field - 1) * RANKS + RANK[pair.value]
    return (*state.steps[state.turn :], *state.steps[: state.turn], *places[1:])


def action(decisions: Decisions, state: State) -> Action:
    """The action that a table of decisions has for a position."""
    where = tuple(place % size for place, size in zip(at(state), decisions.shape[:-1], strict=True))
    field = int(decisions[(*where, RANK[state.value])])
    return Again() if field == ROLL_AGAIN else Place(field)
