"""Heuristics for Rapido, evaluated by the values of positions (R1-R19).

A player who follows rules plays among players who play best. For each start of its turns the worth of
everything that the turn may lead to is stored. So the loss by other rules there is known exactly over all
rolls, without playing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import evaluator_network, solutions
from escadaria.games.rapido import heuristics
from escadaria.games.rapido.compiled.rules import (
    DOUBLES,
    EMPTY,
    FIRST_ROLLS,
    LATER_ROLLS,
    NUMBER_OF_ROLLS,
    ONE_CROSS,
    RANKS,
    SEATS,
    SPARE,
    TOWER,
    TURN,
    TWO_CROSSES,
    Words,
    columns,
    free_fields,
    is_free,
    moved,
    next_seat,
    own_marks,
    pairs_each,
    roll_again,
    set_up,
    worth_of_turn,
)
from escadaria.games.rapido.compiled.turns import Model, Workspace, end_turn, model, new_workspace, plan
from escadaria.games.rapido.heuristics import NEVER, UNREACHABLE
from escadaria.games.rapido.rules import TOP_FIELD, VALUES, Rapido
from escadaria.games.rapido.solution import RapidoSolution
from research.heuristic_search import (
    Family,
    Map,
    Measured,
    NotSolved,
    Numbers,
    Report,
    Stage,
    search,
    stages,
    tuned,
)
from research.learning import set_seed
from research.rapido_training import Heuristics, heuristic_tables, new_rows, plan_by_heuristics, play_turn

FEW_LEVELS, ALL_LEVELS = 1, 4
"""The number of steps for which a turn is computed, in a search and to measure."""

choose = njit(cache=True, nogil=True)(heuristics.choose)


def best_model(players: int) -> Model:
    """The exact solution for two, else the shipped values."""
    if players > 2:
        return model(evaluator_network.load("escadaria.games.rapido", players))
    solution = solutions.find(Rapido(2))
    if not isinstance(solution, RapidoSolution):
        raise NotSolved("there is no exact solution yet: escadaria solve rapido --players 2")
    return model(None, solution.values)


# Turns.


class Turns(NamedTuple):
    """Starts of turns, and the worth of all that may follow."""

    positions: Words
    """[turn]: a row of ``compiled/rules.py``."""
    worth: NDArray[np.float32]
    """[turn, level, field, rank]: of placing; -1 where the field is taken."""
    fails: NDArray[np.float64]
    """[turn, level]: of rolls with an X, times their number of 36."""
    best: NDArray[np.float64]
    """[turn]: before the first roll, played best."""


def empty_turns(players: int, turns: int, levels: int) -> Turns:
    return Turns(
        np.zeros((turns, columns(players)), np.int64),
        np.zeros((turns, levels, TOP_FIELD + 1, RANKS), np.float32),
        np.zeros((turns, levels)),
        np.zeros(turns),
    )


@njit(cache=True, nogil=True)
def own_step(position: Words) -> int:
    return int(position[SEATS + position[TURN]])


@njit(cache=True, nogil=True)
def compute_ends(model: Model, finish: int, turns: Turns, turn: int, workspace: Workspace) -> None:
    """Fill in the worth of all ends of the turn."""
    position, worth, fails = turns.positions[turn], turns.worth[turn], turns.fails[turn]
    own, free = own_step(position), free_fields(position[TOWER])
    worth[:] = -1.0
    for level in range(min(len(worth), finish - own)):
        for field in range(TOP_FIELD + 1):
            if is_free(free, field):
                for rank in range(RANKS):
                    worth[level, field, rank] = end_turn(
                        model, finish, position, own + level, field, rank, workspace
                    )
        fails[level] = 0.0
        for crosses, rolls in ((1, ONE_CROSS), (2, TWO_CROSSES)):
            fallen = moved(own + level, -crosses)
            fails[level] += rolls * end_turn(model, finish, position, fallen, -1, 0, workspace)


@njit(cache=True, nogil=True)
def outlook(finish: int, own: int, chosen: Any, worth: Any, fails: Any, again: Any) -> float:
    """The worth of a turn in which ``chosen[level, rank]`` is a field, or -1 to roll again.

    ``again`` is filled by level. A player who climbs beyond the levels decides as on the last one.
    """
    left, levels = finish - own, min(len(worth), finish - own)
    stops, placed = chosen >= 0, np.zeros((levels, RANKS))
    for level in range(levels - 1, -1, -1):
        for rank in range(RANKS):
            placed[level, rank] = worth[level, chosen[level, rank], rank] if stops[level, rank] else 0.0
        sure, rolls = fails[level], 36.0
        for climb in range(1, 4):
            rank, up = DOUBLES[climb - 1], min(level + climb, levels - 1)
            if level + climb >= left:  # R15
                sure += 1.0
            elif stops[up, rank]:
                sure += placed[up, rank]
            elif up > level:
                sure += again[up]
            else:
                rolls -= 1.0
        again[level] = roll_again(sure, placed[level], stops[level], rolls)
    return worth_of_turn(left, placed, again, stops, 1.0) / NUMBER_OF_ROLLS


@njit(cache=True, nogil=True)
def choose_best(finish: int, own: int, chosen: Any, worth: Any, fails: Any, again: Any) -> float:
    """Fill ``chosen`` with the best decisions, by policy iteration; the worth of the turn."""
    levels, value = min(len(worth), finish - own), -1.0
    again[:] = -1.0
    while True:
        for level in range(levels):
            for rank in range(RANKS):
                field = worth[level, :, rank].argmax()
                chosen[level, rank] = field if worth[level, field, rank] >= again[level] else -1
        improved = outlook(finish, own, chosen, worth, fails, again)
        if improved <= value + 1e-12:
            return improved
        value = improved


@njit(cache=True, nogil=True)
def follow(rules: Any, finish: int, position: Words, chosen: Any) -> None:
    """Fill ``chosen`` by rules, which may differ from step to step."""
    players, tower, own = (len(position) - SEATS) // 2, position[TOWER], own_step(position)
    steps, pairs = np.zeros(players, np.int64), pairs_each(players)
    fields, ranks = np.full((players, pairs), -1), np.zeros((players, pairs), np.int64)
    seat = position[TURN]
    for other in range(players):
        steps[other] = position[SEATS + seat]
        found = 0
        for lane in range(SPARE + 1):
            if position[SEATS + players + seat] >> 8 * lane & 128:
                if 0 < lane < SPARE:
                    fields[other, found], ranks[other, found] = lane, tower >> 8 * lane & EMPTY
                else:
                    fields[other, found] = 0
                found += 1
        seat = next_seat(seat, players)
    for level in range(min(len(chosen), finish - own)):
        for rank in range(RANKS):
            chosen[level, rank] = choose(rules[own + level], finish, steps, fields, ranks, own + level, rank)


@njit(cache=True, nogil=True)
def given_away(rules: Any, finish: int, turns: Turns, which: Any) -> float:
    """The mean loss by the rules over these turns."""
    levels = turns.worth.shape[1]
    chosen, again, lost = np.zeros((levels, RANKS), np.int64), np.zeros(levels), 0.0
    for turn in which:
        position = turns.positions[turn]
        follow(rules, finish, position, chosen)
        own, worth, fails = own_step(position), turns.worth[turn], turns.fails[turn]
        lost += turns.best[turn] - outlook(finish, own, chosen, worth, fails, again)
    return lost / len(which)


# Games.

BY_RULES, AS_SIMPLE, AS_REGULAR, BEST = range(4)


@njit(cache=True, nogil=True)
def play_games(
    model: Model,
    kind: int,
    rules: Any,
    tables: Heuristics,
    finish: int,
    games: int,
    rows: Words,
    turns: Turns,
    losses: Any,
    workspace: Workspace,
    rival: Workspace,
) -> tuple[int, int, int]:
    """Games of one player against those who play best, from each seat in turn; until ``turns`` is full.

    If ``losses`` has an element for each game, then only the first turn of ``turns`` is used, over and over.

    :return: the number of games finished, of those won, and of turns stored.
    """
    players, levels = len(rival.steps), turns.worth.shape[1]
    chosen, again = np.zeros((levels, RANKS), np.int64), np.zeros(levels)
    stored, won, keeps = 0, 0, len(losses) == 0
    for game in range(games):
        set_up(rows, 0)
        seat, winner = game % players, -1
        while winner < 0:
            position, own = rows[0], own_step(rows[0])
            if position[TURN] != seat:
                use = plan(model, finish, position, own, True, rival)
                winner = play_turn(finish, rows, use, 0.0, rival)
                continue
            at = stored if keeps else 0
            if at == len(turns.positions):
                return game, won, stored
            stored += 1
            turns.positions[at] = position
            compute_ends(model, finish, turns, at, workspace)
            worth, fails = turns.worth[at], turns.fails[at]
            turns.best[at] = choose_best(finish, own, chosen, worth, fails, again)
            if kind == BY_RULES:
                follow(rules, finish, position, chosen)
            elif kind != BEST:
                plan_by_heuristics(tables, kind == AS_REGULAR, position, workspace)
                for level in range(levels):
                    for rank in range(RANKS):
                        stops = workspace.best[0, 0, rank] >= workspace.again[0, 0]
                        chosen[level, rank] = workspace.field[0, rank] if stops else -1
            if not keeps:
                losses[game] += turns.best[at] - outlook(finish, own, chosen, worth, fails, again)
            workspace.again[0] = 0.5
            for level in range(levels):
                for rank in range(RANKS):
                    workspace.field[level, rank] = chosen[level, rank]
                    workspace.best[0, level, rank] = chosen[level, rank] >= 0
            winner = play_turn(finish, rows, min(levels, finish - own), 0.0, workspace)
        won += winner == seat
    return games, won, stored


def by_step(rules: Numbers, finish: int = 20) -> Numbers:
    """The same rules on every step."""
    return np.repeat(rules[None], finish, axis=0)


def measure(players: int, kind: int, rules: Numbers, games: int, seed: int, finish: int = 20) -> Measured:
    """Play games of one kind of player against those who play best."""
    set_seed(seed)
    losses = np.zeros(games)
    _, won, _ = play_games(
        best_model(players), kind, rules, heuristic_tables(players), finish, games,
        new_rows(players), empty_turns(players, 1, ALL_LEVELS), losses,
        new_workspace(players, ALL_LEVELS), new_workspace(players, ALL_LEVELS),
    )  # fmt: skip
    return Measured(float(losses.mean()), float(losses.std() / np.sqrt(games)), won / games, games)


def gather(
    players: int, kind: int, rules: Numbers, turns: int, seed: int, finish: int = 20
) -> tuple[Turns, float]:
    """Turns as they occur in games, and their mean number in a game."""
    set_seed(seed)
    met = empty_turns(players, turns, FEW_LEVELS)
    games, _, _ = play_games(
        best_model(players), kind, rules, heuristic_tables(players), finish, turns,
        new_rows(players), met, np.zeros(0),
        new_workspace(players, FEW_LEVELS), new_workspace(players, ALL_LEVELS),
    )  # fmt: skip
    return met, turns / games


# The search.


def family(players: int) -> Family:
    """The rules to choose from."""
    ranks, fields = range(NEVER + 1), range(1, TOP_FIELD + 1)
    places = dict(heuristics.RULE_INDICES)
    if players > 2:
        del places["second"]
    rank = VALUES.index
    choices: dict[int, Any] = dict.fromkeys((*places["fields"], heuristics.FINISH), ranks)
    choices |= dict.fromkeys(places.get("second", ()), ranks)
    choices |= {
        heuristics.STOLEN: (2, 4),
        heuristics.THROWN: (4, 8),
        heuristics.VICTIM: fields[:4],
        heuristics.CHASED: (*fields, UNREACHABLE),
        heuristics.BEATABLE: range(-1, NEVER),
        heuristics.BLOCK: (0, 1),
        heuristics.AHEAD: (*range(1, 12), UNREACHABLE),
        heuristics.LOW: range(NEVER),
        heuristics.SAFE: (*fields, UNREACHABLE),
        heuristics.START: ranks,
        heuristics.FREE: (0, 1),
    }
    start = {
        "fields": (rank(50), rank(60), rank(63), rank(70), rank(72)),
        "second": (NEVER, NEVER, rank(62), rank(54), rank(52)),
    }
    return Family(places, heuristics.NOTHING, start, choices)


def guess(players: int) -> Numbers:
    """The rules of the first games, so that sensible positions are recorded."""
    start, numbers = family(players).start, np.array(heuristics.NOTHING)
    numbers[list(heuristics.RULE_INDICES["fields"])] = start["fields"]
    if players == 2:
        numbers[list(heuristics.RULE_INDICES["second"])] = start["second"]
    numbers[list(heuristics.RULE_INDICES["throw_out"])] = 4, 4, 2
    numbers[heuristics.BLOCK] = 1
    return numbers


def find(
    players: int, turns: int, seed: int, most: int, gain: float, report: Report, run: Map = map
) -> tuple[Numbers, list[Stage]]:
    """Rules, and what is lost by those who follow the first of them, the first two, …"""
    some = family(players)
    met, each = gather(players, BY_RULES, by_step(guess(players)), turns, seed)
    everything, part = np.arange(turns), np.arange(0, turns, 3)

    def cost(numbers: Numbers) -> float:
        return each * given_away(by_step(numbers), 20, met, everything)

    def rough(numbers: Numbers) -> float:
        return each * given_away(by_step(numbers), 20, met, part)

    numbers, names = search(some, cost, rough, most, gain, report, run)
    met, each = gather(players, BY_RULES, by_step(numbers), turns, seed + 1)
    lost, numbers = tuned(some, names, numbers, cost)
    report("tuned", lost, numbers)
    return numbers, stages(some, names, numbers, cost, report)


# The chart.


BANDS = ((0, 1), (1, 5), (5, 9), (9, 13), (13, 15), (15, 17), (17, 20))
"""Steps that stand together, first and end: the nearer the finish, the more each counts."""


def charts(players: int, numbers: Numbers, turns: int, seed: int) -> tuple[Numbers, dict[str, Numbers]]:
    """The rules with other least values in each band of steps, so that least is lost.

    The rules by step, and those values by chart: [band, field - 1].
    """
    rows, found = by_step(numbers), dict[str, Numbers]()
    met, _ = gather(players, BY_RULES, rows, turns, seed)
    own = np.array([own_step(position) for position in met.positions])
    lies = np.array([own_marks(position) != 0 for position in met.positions])
    for name in ("first", "second") if players == 2 else ("stop",):
        places = list(heuristics.RULE_INDICES["second" if name == "second" else "fields"])
        if rows[0, places[0]] < 0:
            rows[:, places] = rows[:, list(heuristics.RULE_INDICES["fields"])]
        for first, end in BANDS:
            which = np.flatnonzero((own >= first) & (own < end) & (lies == (name == "second")))
            if len(which):
                _tune_band(rows, slice(first, end), places, met, which)
        found[name] = rows[[first for first, _ in BANDS]][:, places]
    return rows, found


def _tune_band(rows: Numbers, band: slice, places: list[int], met: Turns, which: Numbers) -> None:
    lost = given_away(rows, len(rows), met, which)
    for place in places * 2:
        best = kept = int(rows[band.start, place])
        for rank in [*range(max(kept - 4, 0), min(kept + 5, NEVER)), NEVER]:
            rows[band, place] = rank
            after = given_away(rows, len(rows), met, which)
            if after < lost - 1e-7:
                lost, best = after, rank
        rows[band, place] = best


@njit(cache=True, nogil=True)
def share_right(rules: Any, finish: int, turns: Turns) -> float:
    """The share of the decisions of best play where the rules stop, or roll again, as best play does."""
    levels = turns.worth.shape[1]
    best, chosen = np.zeros((levels, RANKS), np.int64), np.zeros((levels, RANKS), np.int64)
    again, right, met = np.zeros(levels), 0.0, 0.0
    for turn in range(len(turns.positions)):
        position = turns.positions[turn]
        choose_best(finish, own_step(position), best, turns.worth[turn], turns.fails[turn], again)
        follow(rules, finish, position, chosen)
        first = later = 0.0
        for rank in range(RANKS):
            if best[0, rank] < 0:
                first += FIRST_ROLLS[rank] / 36
                later += LATER_ROLLS[rank] / 36
        rolls = first / (1.0 - later)  # the mean number of times that the player rolls again
        for rank in range(RANKS):
            often = (FIRST_ROLLS[rank] + rolls * LATER_ROLLS[rank]) / 36
            met += often
            right += often * ((best[0, rank] < 0) == (chosen[0, rank] < 0))
    return right / met
