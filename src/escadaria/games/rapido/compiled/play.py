"""Rapido compiled (R1-R19): the same games as the readable engine's, many at a time, in whole numbers.

Lanes. The tower is one word of eight lanes of eight bits; lane ``f`` belongs to field ``f``. In ``tower``
a lane holds the value of the pair there, or ``EMPTY``. A seat's pairs are a word too, whose lanes have their
high bit set where it has a pair; of two pairs on field 0 (R4) one stands in lane 0 and one in ``SPARE``.
Words that have only high bits are called marks. So one subtraction compares a value with all pairs at
once (R14), and one multiplication adds up a seat's fields (R7).

To add a policy: a code, its name in ``POLICIES``, a branch in ``decide`` and what it needs in ``Tables``.
Policies that weigh every field (from ``TOURIST`` on) have a branch in ``decide_by_tables``, and what they
need in ``Mind``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import network as values
from escadaria import solutions
from escadaria.bots.evaluating import DRAWS
from escadaria.compute.streams import DICE, NOISE, below, start
from escadaria.compute.traces import ACTION, acted, counted, decoded, seated, unsigned
from escadaria.game import AnyGame
from escadaria.games.rapido import bots as levels
from escadaria.games.rapido.compiled import values as rapido_values
from escadaria.games.rapido.compiled.values import Model, Scratch, end_turn, is_out, plan
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
    Roll,
    State,
    X,
)  # fmt: skip
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

SPARE = TOP_FIELD + 1
EMPTY = 127
ONES = sum(1 << 8 * field for field in range(1, TOP_FIELD + 1))
MARKS = 128 * ONES
NO_PAIRS = EMPTY * ONES
_LAST = 56
"""A sum over lanes is gathered in the last one by a multiplication."""
_FIELD_SUM = sum(field << _LAST - 8 * field for field in range(1, TOP_FIELD + 1))
_PAIR_SUM = sum(1 << _LAST - 8 * lane for lane in range(SPARE + 1))
_AS_SET = sum(1 << field - 1 << _LAST - 8 * field for field in range(1, TOP_FIELD + 1))

_DOUBLE, _FALL, _THROWN = 0, 21, 42
"""What happened to a seat is counted in one word: where each count has its bits."""
_COUNT = (1 << 21) - 1

Words = NDArray[np.int64]


class Tables(NamedTuple):
    """What the kernel looks up."""

    values: Words
    """By roll (R9)."""
    climbs: Words
    """By later (0 or 1) and roll: by how much the piece climbs (R10) or goes down (R12)."""
    tallies: Words
    """By later and roll: what the seat's counts grow by."""
    simple: Words
    """By set of free fields and roll: what ``simple`` decides."""


@cache
def tables() -> Tables:
    """Filled from the readable engine and bots, so that no rule is written twice."""
    crosses = np.array([(roll.a == X) + (roll.b == X) for roll in ROLLS])
    doubles = np.array([roll.a if roll.a == roll.b else 0 for roll in ROLLS])
    tally = (doubles > 0).astype(np.int64) << _DOUBLE
    return Tables(
        np.array([roll.value for roll in ROLLS]),
        np.array([doubles, doubles - crosses]),
        np.array([tally, tally + ((crosses > 0).astype(np.int64) << _FALL)]),
        np.array([[_simple(free, roll) for roll in ROLLS] for free in range(1 << TOP_FIELD)]),
    )


def _simple(free: int, roll: Roll) -> int:
    taken = [field for field in range(1, TOP_FIELD + 1) if not free >> field - 1 & 1]
    tower = tuple(Pair(field, 1, roll.value) for field in taken)
    action = levels.simple(Rapido(), State(0, Phase.DECIDE, roll.value, (0, 0, 0), tower))
    return action.field if isinstance(action, Place) else ROLL_AGAIN


# The transitions.


@njit(cache=True, nogil=True)
def sum_of_fields(marks: int) -> int:
    """What a seat's pairs score (R7)."""
    return ((marks >> 7) * _FIELD_SUM) >> _LAST


@njit(cache=True, nogil=True)
def number_of_pairs(marks: int) -> int:
    """How many pairs are marked, field 0 included (R18)."""
    return ((marks >> 7) * _PAIR_SUM) >> _LAST


@njit(cache=True, nogil=True)
def without(tower: int, marks: int) -> int:
    """The tower after the marked pairs left it."""
    return tower | (((marks & MARKS) >> 7) * EMPTY)


@njit(cache=True, nogil=True)
def free_fields(tower: int) -> int:
    """The empty fields of 1 to 5 as a set: bit 0 is field 1 (R13). Field 0 is always free (R4)."""
    return ((((tower + ONES) & MARKS) >> 7) * _AS_SET) >> _LAST


@njit(cache=True, nogil=True)
def thrown_out(tower: int, own: int, field: int, value: int) -> int:
    """The opponents' pairs above the field with the value or less (R14, R17), marked."""
    not_higher = (MARKS | value * ONES) - tower
    return not_higher & MARKS & ~own & (-256 << 8 * field)


@njit(cache=True, nogil=True)
def put(tower: int, own: int, field: int, value: int) -> tuple[int, int]:
    """The tower and the seat's marks after its pair came to lie on a field (R13)."""
    mark = 128 << 8 * field
    if field == 0:
        return tower, own | (128 << 8 * SPARE if own & mark else mark)
    return tower ^ ((EMPTY ^ value) << 8 * field), own | mark


# The policies.


@njit(cache=True, nogil=True)
def decide(policy: int, tables: Tables, roll: int, tower: int, noise: np.uint64) -> tuple[int, np.uint64]:
    """A decision, and the state of the noise stream after it."""
    free = free_fields(tower)
    if policy == SIMPLE:
        return int(tables.simple[free, roll]), noise
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


class Mind(NamedTuple):
    """What these policies need: tables, models and workspaces."""

    rank_of: Words
    """By value."""
    safety: NDArray[np.float64]
    """What ``regular`` makes of [field, rank]."""
    chances: Words
    doubles: Words
    width: float
    """The width of ``expert``'s noise."""
    expert: Model
    master: Model
    workspaces: tuple[Scratch, Scratch]
    """Of ``expert`` and ``master``."""
    steps: Words
    fields: Words
    ranks: Words
    """A position, seen by the seat to play."""
    worths: NDArray[np.float64]
    """Of rolling again, and of each field."""
    known: Words
    """For ``expert`` and ``master``: the turn and the step that rolling again was worked out for."""


def policy_tables(game: Rapido) -> Mind:
    """The tables of a game: its shipped values, and its exact solution if there is one."""
    network = values.load("escadaria.games.rapido", game.players)
    shipped, solution = rapido_values.model(network), solutions.find(game)
    exact = isinstance(solution, RapidoSolution)
    best = rapido_values.model(None, solution.values) if isinstance(solution, RapidoSolution) else shipped
    rank_of = np.zeros(max(VALUES) + 1, np.int64)
    rank_of[list(VALUES)] = np.arange(len(VALUES))
    workspaces = tuple(
        rapido_values.new_workspace(game.players, count)
        for count in (LEVELS, game.finish if exact else LEVELS)
    )
    shape = game.players, game.pairs
    return Mind(
        rank_of,
        np.array(levels.safety(game.players)),
        np.array(levels.CHANCES),
        np.array(levels.DOUBLES),
        levels.NOISE_WIDTH[game.players],
        shipped,
        best,
        (workspaces[0], workspaces[1]),
        np.zeros(game.players, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(TOP_FIELD + 2),
        np.full((2, 2), -1),
    )


_appeal = njit(cache=True, nogil=True)(levels.appeal)
again_appeal = njit(cache=True, nogil=True)(levels.again_appeal)


@njit(cache=True, nogil=True)
def appeal(safety: NDArray[np.float64], fields: Words, ranks: Words, field: int, rank: int) -> float:
    """What placing looks worth to ``regular``; ``fields`` and ``ranks`` are the opponents' pairs."""
    taken = 0
    for pair in range(len(fields)):
        if is_out(fields[pair], ranks[pair], field, rank):
            taken += fields[pair]
    return _appeal(safety, taken, field, rank)


@njit(cache=True, nogil=True)
def decide_by_tables(
    policy: int,
    policy_tables: Mind,
    finish: int,
    turn: int,
    seat: int,
    step: int,
    value: int,
    tower: int,
    steps: Words,
    marks: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """A decision, and the state of the noise stream after it."""
    free = free_fields(tower)
    if policy == TOURIST:
        noise, draw = below(noise, DRAWS)
        if draw < (levels.AGAIN_IF_HIGH if value >= levels.HIGH_VALUE else levels.AGAIN_IF_LOW):
            return ROLL_AGAIN, noise
        return _highest(free), noise
    see(policy_tables, seat, step, tower, steps, marks)
    rank = policy_tables.rank_of[value]
    if policy == REGULAR:
        return _as_regular(policy_tables, free, rank), noise
    if policy == EXPERT:
        _weigh(
            policy_tables.expert,
            policy_tables.workspaces[0],
            policy_tables.known[0],
            policy_tables,
            finish,
            turn,
            free,
            rank,
        )
        for action in range(TOP_FIELD + 2):
            if action < 2 or free >> action - 2 & 1:
                noise, draw = below(noise, DRAWS)
                policy_tables.worths[action] += policy_tables.width * (2 * draw / DRAWS - 1)
    else:
        _weigh(
            policy_tables.master,
            policy_tables.workspaces[1],
            policy_tables.known[1],
            policy_tables,
            finish,
            turn,
            free,
            rank,
        )
    return int(policy_tables.worths.argmax()) - 1, noise


@njit(cache=True, nogil=True)
def _highest(free: int) -> int:
    field = TOP_FIELD
    while field and not free >> field - 1 & 1:
        field -= 1
    return field


@njit(cache=True, nogil=True)
def see(policy_tables: Mind, seat: int, step: int, tower: int, steps: Words, marks: Words) -> None:
    """Store a position from the view of the seat to play."""
    players, pairs = policy_tables.fields.shape
    for other in range(players):
        whose = (seat + other) % players
        policy_tables.steps[other] = steps[whose] if other else step
        found = 0
        for lane in range(SPARE + 1):
            if marks[whose] >> 8 * lane & 128:
                field = lane if lane < SPARE else 0
                policy_tables.fields[other, found] = field
                policy_tables.ranks[other, found] = (
                    policy_tables.rank_of[tower >> 8 * lane & EMPTY] if field else 0
                )
                found += 1
        for pair in range(found, pairs):
            policy_tables.fields[other, pair], policy_tables.ranks[other, pair] = -1, 0


@njit(cache=True, nogil=True)
def _as_regular(policy_tables: Mind, free: int, rank: int) -> int:
    others, values = policy_tables.fields[1:].ravel(), policy_tables.ranks[1:].ravel()
    best, fields = np.full(len(VALUES), -1.0), np.zeros(len(VALUES), np.int64)
    for seen in range(len(VALUES)):
        for field in range(TOP_FIELD + 1):
            if field == 0 or free >> field - 1 & 1:
                worth = appeal(policy_tables.safety, others, values, field, seen)
                if worth >= best[seen]:
                    best[seen], fields[seen] = worth, field
    if again_appeal(policy_tables.chances, policy_tables.doubles, best) > best[rank]:
        return ROLL_AGAIN
    return int(fields[rank])


@njit(cache=True, nogil=True)
def _weigh(
    model: Model,
    workspace: Scratch,
    known: Words,
    policy_tables: Mind,
    finish: int,
    turn: int,
    free: int,
    rank: int,
) -> None:
    """What rolling again and each field is worth; a turn's worth of rolling again is worked out once."""
    own = policy_tables.steps[0]
    if known[0] != turn or known[1] != own:
        known[0], known[1] = turn, own
        plan(
            model,
            finish,
            policy_tables.steps,
            policy_tables.fields,
            policy_tables.ranks,
            own,
            False,
            workspace,
        )
    policy_tables.worths[0] = workspace.again[0, 0]
    for field in range(TOP_FIELD + 1):
        policy_tables.worths[field + 1] = -1.0
        if field == 0 or free >> field - 1 & 1:
            policy_tables.worths[field + 1] = end_turn(
                model,
                finish,
                policy_tables.steps,
                policy_tables.fields,
                policy_tables.ranks,
                own,
                field,
                rank,
                workspace,
            )


# Playing.


@njit(cache=True, nogil=True)
def play_game(
    pairs: int,
    finish: int,
    policies: Words,
    tables: Tables,
    policy_tables: Mind | None,
    dice: np.uint64,
    noise: np.uint64,
    steps: Words,
    marks: Words,
    counts: Words,
    trace: Words | None,
) -> tuple[int, int, int]:
    """One game; ``steps`` and ``counts`` are filled by seat. The winner, how many turns and plies it took."""
    players = len(steps)
    for seat in range(players):
        steps[seat] = marks[seat] = counts[seat] = 0
    tower, seat, turns, plies = NO_PAIRS, 0, 0, 0
    if policy_tables is not None:
        policy_tables.known[:] = -1
    while True:
        own, step = marks[seat], steps[seat]
        if number_of_pairs(own) == pairs:  # R18; with one pair each, R7
            step += sum_of_fields(own)
            tower = without(tower, own)
            marks[seat] = own = 0
            if step >= finish:  # R15
                steps[seat] = finish
                break
        turns += 1
        later = 0
        while True:
            write(trace, plies, _LATER if later else _FIRST, seat, 0, step, tower, steps, marks)
            dice, roll = below(dice, 36)
            plies = acted(trace, plies, roll)
            counts[seat] += tables.tallies[later, roll]
            step = max(0, step + tables.climbs[later, roll])  # R10, R12
            if step >= finish:  # R15
                break
            value = tables.values[roll]
            if later and tables.tallies[1, roll] >= 1 << _FALL:  # R12
                break
            write(trace, plies, DECIDE, seat, value, step, tower, steps, marks)
            if policy_tables is None or policies[seat] < TOURIST:
                field, noise = decide(policies[seat], tables, roll, tower, noise)
            else:
                field, noise = decide_by_tables(
                    policies[seat],
                    policy_tables,
                    finish,
                    turns,
                    seat,
                    step,
                    value,
                    tower,
                    steps,
                    marks,
                    noise,
                )
            plies = acted(trace, plies, field)
            if field >= 0:
                out = thrown_out(tower, own, field, value)
                if out:
                    tower = without(tower, out)
                    for other in range(players):
                        counts[other] += number_of_pairs(marks[other] & out) << _THROWN
                        marks[other] &= ~out
                tower, marks[seat] = put(tower, own, field, value)
                break
            later = 1
        steps[seat] = min(step, finish)
        if step >= finish:
            break
        seat = seat + 1 if seat + 1 < players else 0  # R5
    write(trace, plies, _OVER, seat, 0, steps[seat], tower, steps, marks)
    return seat, turns, plies


@njit(cache=True, nogil=True)
def play_games(
    pairs: int,
    finish: int,
    lineup: Words,
    tables: Tables,
    policy_tables: Mind | None,
    first: int,
    seed: np.uint64,
    each: NDArray[np.int32],
    by_seat: NDArray[np.int32],
) -> None:
    """Fill the rows of ``each`` and ``by_seat`` with as many games, from number ``first`` on."""
    players = len(lineup)
    policies, steps = np.empty(players, np.int64), np.empty(players, np.int64)
    marks, counts = np.empty(players, np.int64), np.empty(players, np.int64)
    for row in range(len(each)):
        number = first + row
        for seat in range(players):
            policies[seat] = lineup[(seat - number) % players]
        winner, turns, plies = play_game(
            pairs, finish, policies, tables, policy_tables, start(seed, number, DICE),
            start(seed, number, NOISE), steps, marks, counts, None,
        )  # fmt: skip
        each[row, 0], each[row, 1], each[row, 2] = winner, turns, plies
        for seat in range(players):
            by_seat[0, row, seat] = steps[seat]
            by_seat[1, row, seat] = counts[seat] >> _THROWN
            by_seat[2, row, seat] = counts[seat] >> _DOUBLE & _COUNT
            by_seat[3, row, seat] = counts[seat] >> _FALL & _COUNT


def play_batch(
    game: AnyGame, bots: Sequence[str], first: int, games: int, seed: int
) -> dict[str, NDArray[np.int32]]:
    """The games ``first``, ``first + 1``, … of a seed; the bots of game 0 move on by one seat each game."""
    assert isinstance(game, Rapido)
    lineup = np.array([POLICIES[bot] for bot in bots])
    play = partial(
        play_games,
        game.pairs,
        game.finish,
        lineup,
        tables(),
        _policy_tables_for(game, lineup),
        first,
        unsigned(seed),
    )
    return counted(play, ("steps", "thrown_out", "doubles", "falls"), games, game.players)


def _policy_tables_for(game: Rapido, lineup: Words) -> Mind | None:
    """None without such policies: the kernel is then compiled without them."""
    return policy_tables(game) if lineup.max() >= TOURIST else None


# A game step by step.

_FIRST, _LATER, DECIDE, _OVER = range(4)
_PHASES = (Phase.FIRST_ROLL, Phase.LATER_ROLL, Phase.DECIDE, Phase.OVER)
PHASE, TURN, VALUE, TOWER, SEATS = range(ACTION + 1, ACTION + 6)
"""The columns of a trace; then come each seat's step and each seat's marks."""


@njit(cache=True, nogil=True)
def write(
    trace: Words | None,
    ply: int,
    phase: int,
    seat: int,
    value: int,
    step: int,
    tower: int,
    steps: Words,
    marks: Words,
) -> None:
    """Note the position after a number of plies, where wanted; ``step`` is that of the seat to play."""
    if trace is None:
        return
    row, players = trace[ply], len(steps)
    row[PHASE], row[TURN], row[VALUE], row[TOWER] = phase, seat, value, tower
    for other in range(players):
        row[SEATS + other] = step if other == seat else steps[other]
        row[SEATS + players + other] = marks[other]


def watch(game: Rapido, bots: Sequence[str], number: int, seed: int) -> list[tuple[Action | None, State]]:
    """One game of the batch in the engine's words: each action, none at first, and the position after it."""
    players = game.players
    policies, dice, noise = seated(POLICIES, bots, number, seed)
    plies = int(play_batch(game, bots, number, 1, seed)["plies"][0])
    trace = np.zeros((plies + 1, SEATS + 2 * players), np.int64)
    steps, marks, counts = np.empty((3, players), np.int64)
    play_game(
        game.pairs, game.finish, policies, tables(), _policy_tables_for(game, policies), dice, noise, steps,
        marks, counts, trace,
    )  # fmt: skip
    return decoded(trace, lambda row: position_of(row, players), _action)


def position_of(row: list[int], players: int) -> State:
    steps, marks = row[SEATS : SEATS + players], row[SEATS + players :]
    pairs = [
        Pair(lane, seat, row[TOWER] >> 8 * lane & EMPTY) if 0 < lane < SPARE else Pair(0, seat, 0)
        for seat in range(players)
        for lane in range(SPARE + 1)
        if marks[seat] >> 8 * lane & 128
    ]
    pairs.sort(key=lambda pair: (pair.field, pair.seat))
    return State(row[TURN], _PHASES[row[PHASE]], row[VALUE], tuple(steps), tuple(pairs))


def _action(code: int, before: State) -> Action:
    if before.phase is Phase.DECIDE:
        return Again() if code == ROLL_AGAIN else Place(code)
    return ROLLS[code]
