"""How exploitable a bot of Rapido for three is: the best response to it, exactly, in a short race (R1-R15).

Two seats play by a bot, so for the third one, the *hero*, only dice are unknown. ``Values`` hold how often
the hero wins from the start of any turn, and ``look_ahead`` works one turn out: the hero's own by the best
decisions, or by those of a given bot. Repeated from 0 it never exceeds the true values, repeated from 1 it
never falls below them: as close as both come, they are proven.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import network as shipped
from escadaria.games.rapido.compiled import play as kernel
from escadaria.games.rapido.compiled import values as rapido_values
from escadaria.games.rapido.compiled.values import Model, Scratch, evaluate, is_out
from escadaria.games.rapido.index import (
    DOUBLES,
    FIRST_ROLLS,
    LATER_ROLLS,
    ONE_CROSS,
    RANK,
    RANKS,
    TWO_CROSSES,
)
from escadaria.games.rapido.rules import ROLLS, TOP_FIELD, VALUES, Action, Again, Place, Rapido, State
from escadaria.games.rapido.values import LEVELS

PAIR_KEYS = 1 + TOP_FIELD * RANKS
"""Where a pair may be: 0 in hand or on field 0, which is all one (R4, R7); then fields 1 to 5, by value."""
FIELD = np.array([0, *np.repeat(np.arange(1, TOP_FIELD + 1), RANKS)])
"""By place."""
VALUE = np.array([0, *np.tile(np.arange(RANKS), TOP_FIELD)])
"""By place: the rank of the pair's value."""
ROLL_AGAIN = kernel.ROLL_AGAIN
GAP = 1e-5
BOTS = ("simple", "regular", "master")
"""Those without noise."""

Starts = NDArray[np.float64]
"""By ``Turn``."""
Values = NDArray[np.float64]
"""By how many seats the hero comes after the one whose turn it is, then by ``Turn``."""
Decisions = NDArray[np.int8]
"""By ``Turn`` and rank of the value rolled: a field, or ``ROLL_AGAIN``. Where a bot looks at no steps, their
axes have length 1."""


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
        start = (seat, 0, 0, 0, 0, 0)
        return float(self.low[start]), float(self.high[start])


def memory(finish: int) -> int:
    """How many bytes are wanted at most, roughly: two sets of values, two bots' decisions."""
    return finish**3 * PAIR_KEYS**2 * (2 * 3 * 8 + 2 * RANKS)


def prove(
    finish: int,
    others: Decisions,
    hero: Decisions | None = None,
    *,
    gap: float = GAP,
    threads: int = 1,
    progress: Callable[[int, float], None] = lambda rounds, gap: None,
) -> Proven:
    """How often the hero wins among two who decide as ``others``, by its decisions or else by the best.

    :param gap: how close the bounds are to come in every position.
    :param progress: is told after each round its number and the largest gap.
    """
    low = np.zeros((3, finish, finish, finish, PAIR_KEYS, PAIR_KEYS))
    high = np.where(possible(), np.ones_like(low), 0.0)
    rounds, widest = 0, 1.0
    with ThreadPoolExecutor(threads) as pool:
        while widest > gap:
            for bound in (low, high):
                for role in (1, 2, 0):  # each reads the one before, so a round looks three turns ahead
                    mover = others if role else hero
                    turn = partial(look_ahead, bound[role - 1], role, mover, bound[role])
                    list(pool.map(turn, range(finish)))
            rounds += 1
            widest = max(
                float((up - down).max()) for up, down in zip(_blocks(high), _blocks(low), strict=True)
            )
            progress(rounds, widest)
    return Proven(low, high, widest, rounds)


def possible() -> NDArray[np.bool_]:
    """By the second's and the third's place: whether both pairs may lie there (R4)."""
    return np.asarray((FIELD[:, None] != FIELD) | (FIELD == 0))


def _blocks(values: Values) -> Values:
    return values.reshape(-1, PAIR_KEYS, PAIR_KEYS)


@njit(cache=True, nogil=True)
def ended(starts: Starts, arrived: float, turn: Turn, own: int, field: int, rank: int) -> float:
    """What ``starts`` tell of a turn that ends on the step ``own``, with a pair on the field or none (-1).

    ``arrived`` is what it is worth that the second reaches the finish by scoring.
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
    one = ended(starts, arrived, turn, max(turn.own - 1, 0), -1, 0)
    two = ended(starts, arrived, turn, max(turn.own - 2, 0), -1, 0)
    return ONE_CROSS * one + TWO_CROSSES * two


@njit(cache=True, nogil=True)
def is_free(turn: Turn, field: int) -> bool:
    """R4, R13"""
    return field == 0 or (field != FIELD[turn.near] and field != FIELD[turn.far])


@njit(cache=True, nogil=True)
def look_ahead(starts: Starts, role: int, decisions: Decisions | None, out: Starts, second: int) -> None:
    """Work one turn out, wherever the second stands on this step.

    :param starts: how likely the hero wins when the next turn starts.
    :param role: by how many seats the hero comes after the one whose turn it is.
    :param decisions: of the seat whose turn it is; without them it is the hero, who decides best.
    :param out: how likely the hero wins when this turn starts.
    """
    finish = len(starts)
    won, arrived = 1.0 if role == 0 else 0.0, 1.0 if role == 1 else 0.0
    # What doubles are worth (R10), in 36ths and by the own step modulo 4: each step tells those below it.
    doubles = np.zeros((4, PAIR_KEYS, PAIR_KEYS))
    worths = np.zeros(RANKS)
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
                        follow(starts, arrived, turn, sure, decisions, worths)
                    worth = climbing
                    for rank in range(RANKS):
                        worth += FIRST_ROLLS[rank] * worths[rank]
                    out[own, second, third, near, far] = worth / 36
                    below[0][near, far] += worths[DOUBLES[0]]
                    below[1][near, far] += worths[DOUBLES[1]]
                    below[2][near, far] = worths[DOUBLES[2]]


@njit(cache=True, nogil=True)
def decide_best(starts: Starts, arrived: float, turn: Turn, sure: float, worths: Any) -> None:
    """What it is worth to have rolled each value, with the best decision.

    :param sure: what later rolls without a choice are worth, in 36ths.
    """
    place_best(starts, arrived, turn, worths)
    again = roll_again(sure, worths)
    for rank in range(RANKS):
        worths[rank] = max(worths[rank], again)


@njit(cache=True, nogil=True)
def follow(
    starts: Starts, arrived: float, turn: Turn, sure: float, decisions: Decisions, worths: Any
) -> None:
    """The same if the seat decides so."""
    wide, high, deep = decisions.shape[:3]
    chosen = decisions[turn.own % wide, turn.second % high, turn.third % deep, turn.near, turn.far]
    again, rolls = sure, 36.0
    for rank in range(RANKS):
        if chosen[rank] == ROLL_AGAIN:
            rolls -= LATER_ROLLS[rank]
        else:
            worths[rank] = ended(starts, arrived, turn, turn.own, chosen[rank], rank)
            again += LATER_ROLLS[rank] * worths[rank]
    again /= rolls
    for rank in range(RANKS):
        if chosen[rank] == ROLL_AGAIN:
            worths[rank] = again


@njit(cache=True, nogil=True)
def place_best(starts: Starts, arrived: float, turn: Turn, worths: Any) -> None:
    """What the best field is worth, by rank of the value rolled: the best ``ended``, many at a time."""
    own, second, third, near, far = turn
    worths[:] = 0.0
    for field in range(TOP_FIELD + 1):
        if not is_free(turn, field):
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


@njit(cache=True, nogil=True, fastmath=True)
def roll_again(sure: float, best: Any) -> float:
    """What rolling again is worth: the rule for when to stop is made better until it is the best (R8)."""
    again = -1.0
    while True:
        worth, rolls = sure, 36.0
        for rank in range(RANKS):
            better = best[rank] > again
            worth += LATER_ROLLS[rank] * best[rank] if better else 0.0
            rolls -= 0.0 if better else LATER_ROLLS[rank]
        worth /= rolls
        if worth <= again + 1e-12:
            return worth
        again = worth


# Who decides how.


def decisions_of(bot: str, finish: int) -> Decisions:
    """How one of ``BOTS`` decides in every position."""
    if bot == "master":
        return decisions_by(shipped_starts(finish), LEVELS)
    game = Rapido(players=3)
    decisions = np.full((1, 1, 1, PAIR_KEYS, PAIR_KEYS, RANKS), ROLL_AGAIN, np.int8)
    rolls = np.array([next(at for at, roll in enumerate(ROLLS) if roll.value == value) for value in VALUES])
    ask(
        kernel.POLICIES[bot],
        kernel.tables(),
        kernel.policy_tables(game),
        rolls,
        np.array(VALUES),
        decisions[0, 0, 0],
    )
    return decisions


def best_decisions(proven: Proven) -> Decisions:
    """How to decide to win as often as is proven, as nearly as the bounds are close."""
    return decisions_by(proven.low[2], proven.low.shape[1])


def decisions_by(starts: Starts, levels: int) -> Decisions:
    """What is best for who has just played, if ``starts`` tell how often that seat wins.

    A turn is worked out on so many steps; who climbs beyond them is taken to place from the last.
    """
    decisions = np.full((*starts.shape, RANKS), ROLL_AGAIN, np.int8)
    for second in range(len(starts)):
        decide(starts, levels, second, decisions)
    return decisions


def shipped_starts(finish: int) -> Starts:
    """How often who has just played wins, by the values that ship."""
    starts = np.zeros((finish, finish, finish, PAIR_KEYS, PAIR_KEYS))
    network = shipped.load("escadaria.games.rapido", 3)
    fill_starts(rapido_values.model(network), rapido_values.new_workspace(3, 1), starts)
    return starts


@njit(cache=True, nogil=True)
def fill_starts(model: Model, workspace: Scratch, starts: Starts) -> None:
    """Fill ``starts``."""
    finish = len(starts)
    for own in range(finish):
        for second in range(finish):
            for third in range(finish):
                workspace.steps[0], workspace.steps[1], workspace.steps[2] = own, second, third
                for near in range(PAIR_KEYS):
                    for far in range(PAIR_KEYS):
                        if near == 0 or FIELD[near] != FIELD[far]:
                            workspace.keys[0] = rapido_values.key(3, FIELD[near], VALUE[near])
                            workspace.keys[1] = rapido_values.key(3, FIELD[far], VALUE[far])
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
                    last = min(own + levels, finish) - 1
                    for step in range(last, own - 1, -1):
                        again[step] = roll_again(fails[step] + climbing(best, again, step, last), best[step])
                    turn = Turn(own, second, third, near, far)
                    for rank in range(RANKS):
                        if best[own, rank] > again[own]:
                            decisions[own, second, third, near, far, rank] = best_field(starts, turn, rank)


@njit(cache=True, nogil=True)
def climbing(best: Any, again: Any, step: int, last: int) -> float:
    """What doubles are worth on a step, in 36ths (R10)."""
    worth = 0.0
    for climb in range(1, 4):
        up, rank = step + climb, DOUBLES[climb - 1]
        if up >= len(best):
            worth += 1.0
        elif up > last:
            worth += best[last, rank]
        else:
            worth += max(best[up, rank], again[up])
    return worth


@njit(cache=True, nogil=True)
def best_field(starts: Starts, turn: Turn, rank: int) -> int:
    """The lowest if several are equally good."""
    best, top = 0, -1.0
    for field in range(TOP_FIELD + 1):
        if is_free(turn, field):
            worth = ended(starts, 0.0, turn, turn.own, field, rank)
            if worth > top:
                best, top = field, worth
    return best


@njit(cache=True, nogil=True)
def ask(
    policy: int,
    tables: kernel.Tables,
    policy_tables: kernel.Mind,
    rolls: Any,
    values: Any,
    decisions: Decisions,
) -> None:
    """Fill in what a heuristic decides, by the places of both pairs and the rank of the value rolled."""
    steps, marks = np.zeros(3, np.int64), np.zeros(3, np.int64)
    noise = np.uint64(0)
    for near in range(PAIR_KEYS):
        for far in range(PAIR_KEYS):
            if near and FIELD[near] == FIELD[far]:
                continue
            tower, marks[1], marks[2] = kernel.NO_PAIRS, 0, 0
            if near:
                tower, marks[1] = kernel.put(tower, 0, FIELD[near], values[VALUE[near]])
            if far:
                tower, marks[2] = kernel.put(tower, 0, FIELD[far], values[VALUE[far]])
            for rank in range(RANKS):
                if policy < kernel.TOURIST:
                    field, _ = kernel.decide(policy, tables, rolls[rank], tower, noise)
                else:
                    value = values[rank]
                    field, _ = kernel.decide_by_tables(
                        policy, policy_tables, 1, 0, 0, 0, value, tower, steps, marks, noise
                    )
                decisions[near, far, rank] = field


def at(state: State) -> tuple[int, ...]:
    """Where the turn of a position stands among all ``Starts``."""
    places = [0, 0, 0]
    for pair in state.tower:
        if pair.field:
            places[(pair.seat - state.turn) % 3] = 1 + (pair.field - 1) * RANKS + RANK[pair.value]
    return (*state.steps[state.turn :], *state.steps[: state.turn], *places[1:])


def action(decisions: Decisions, state: State) -> Action:
    """What a table of decisions says in a position where somebody is to decide."""
    where = tuple(place % size for place, size in zip(at(state), decisions.shape[:-1], strict=True))
    field = int(decisions[(*where, RANK[state.value])])
    return Again() if field == ROLL_AGAIN else Place(field)
