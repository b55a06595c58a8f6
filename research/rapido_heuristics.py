"""Heuristics for Rapido, judged by what positions are worth (R1-R19).

A player who follows rules is watched among players who play best. For each start of a turn everything that
the turn may lead to is noted, with its worth; so what other rules would give away there is known exactly over
all rolls, without playing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import network as values
from escadaria import solutions
from escadaria.games.rapido import heuristics
from escadaria.games.rapido.compiled.values import Model, Scratch, end_turn, model, new_workspace, plan
from escadaria.games.rapido.heuristics import NEVER, UNREACHABLE
from escadaria.games.rapido.index import (
    DOUBLES,
    FIRST_ROLLS,
    LATER_ROLLS,
    ONE_CROSS,
    RANKS,
    TWO_CROSSES,
)
from escadaria.games.rapido.rules import TOP_FIELD, VALUES, Rapido
from escadaria.games.rapido.solution import RapidoSolution
from research.heuristic_search import (
    Family,
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
from research.rapido_training import Thumb, heuristic_tables, plan_by_heuristics, play_turn

FEW_LEVELS, ALL_LEVELS = 1, 4
"""Of steps that a turn is worked out on, in a search and to measure."""
_DOUBLES = np.array(DOUBLES)

choose = njit(cache=True, nogil=True)(heuristics.choose)


def best_model(players: int) -> Model:
    """The exact solution for two, else the values that ship."""
    if players > 2:
        return model(values.load("escadaria.games.rapido", players))
    solution = solutions.find(Rapido(2))
    if not isinstance(solution, RapidoSolution):
        raise NotSolved("there is no exact solution yet: escadaria solve rapido --players 2")
    return model(None, solution.values)


# Turns.


class Turns(NamedTuple):
    """Starts of turns, seen by the seat to play, and what may come of them."""

    steps: NDArray[np.int64]
    fields: NDArray[np.int64]
    ranks: NDArray[np.int64]
    worth: NDArray[np.float32]
    """[turn, level, field, rank]: of placing; -1 where the field is taken."""
    fails: NDArray[np.float64]
    """[turn, level]: of rolls with an X, times their number of 36."""
    best: NDArray[np.float64]
    """[turn]: before the first roll, played best."""


def empty_turns(players: int, turns: int, levels: int) -> Turns:
    pairs = Rapido(players).pairs
    return Turns(
        np.zeros((turns, players), np.int64),
        np.zeros((turns, players, pairs), np.int64),
        np.zeros((turns, players, pairs), np.int64),
        np.zeros((turns, levels, TOP_FIELD + 1, RANKS), np.float32),
        np.zeros((turns, levels)),
        np.zeros(turns),
    )


@njit(cache=True, nogil=True)
def note(model: Model, finish: int, turns: Turns, turn: int, workspace: Scratch) -> None:
    """Work out what the turn may lead to."""
    steps, fields, ranks = turns.steps[turn], turns.fields[turn], turns.ranks[turn]
    worth, fails, own = turns.worth[turn], turns.fails[turn], steps[0]
    worth[:] = -1.0
    for level in range(min(len(worth), finish - own)):
        for field in range(TOP_FIELD + 1):
            if field > 0 and np.any(fields == field):
                continue
            for rank in range(RANKS):
                worth[level, field, rank] = end_turn(
                    model, finish, steps, fields, ranks, own + level, field, rank, workspace
                )
        fails[level] = 0.0
        for crosses, rolls in ((1, ONE_CROSS), (2, TWO_CROSSES)):  # R12
            fallen = max(own + level - crosses, 0)
            fails[level] += rolls * end_turn(model, finish, steps, fields, ranks, fallen, -1, 0, workspace)


@njit(cache=True, nogil=True)
def outlook(finish: int, own: int, chosen: Any, worth: Any, fails: Any, again: Any) -> float:
    """What a turn is worth in which ``chosen[level, rank]`` is a field, or -1 to roll again.

    ``again`` is filled by level. Who climbs beyond the levels decides as on the last one.
    """
    levels = min(len(worth), finish - own)
    for level in range(levels - 1, -1, -1):
        sure, rolls = fails[level], 36.0
        for climb in range(1, 4):
            rank, up = _DOUBLES[climb - 1], min(level + climb, levels - 1)
            if level + climb >= finish - own:  # R15
                sure += 1.0
            elif chosen[up, rank] >= 0:
                sure += worth[up, chosen[up, rank], rank]
            elif up > level:
                sure += again[up]
            else:
                rolls -= 1.0
        for rank in range(RANKS):
            if LATER_ROLLS[rank] > 0 and chosen[level, rank] >= 0:
                sure += LATER_ROLLS[rank] * worth[level, chosen[level, rank], rank]
            else:
                rolls -= LATER_ROLLS[rank]
        again[level] = sure / rolls
    total = 0.0
    for rank in range(RANKS):
        if FIRST_ROLLS[rank] > 0:
            field = chosen[0, rank]
            total += FIRST_ROLLS[rank] * (worth[0, field, rank] if field >= 0 else again[0])
    for climb in range(1, 4):
        rank, up = _DOUBLES[climb - 1], min(climb, levels - 1)
        if climb >= finish - own:
            total += 1.0
        else:
            field = chosen[up, rank]
            total += worth[up, field, rank] if field >= 0 else again[up]
    return float(total / 36)


@njit(cache=True, nogil=True)
def choose_best(finish: int, own: int, chosen: Any, worth: Any, fails: Any, again: Any) -> float:
    """Fill ``chosen`` with the best decisions: made better until they are. What the turn is worth."""
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
def follow(rules: Any, finish: int, steps: Any, fields: Any, ranks: Any, chosen: Any) -> None:
    """Fill ``chosen`` by rules, which may differ from step to step."""
    own = steps[0]
    for level in range(min(len(chosen), finish - own)):
        for rank in range(RANKS):
            chosen[level, rank] = choose(rules[own + level], finish, steps, fields, ranks, own + level, rank)


@njit(cache=True, nogil=True)
def given_away(rules: Any, finish: int, turns: Turns, which: Any) -> float:
    """What the rules lose over these turns, by the mean."""
    levels = turns.worth.shape[1]
    chosen, again, lost = np.zeros((levels, RANKS), np.int64), np.zeros(levels), 0.0
    for turn in which:
        own = turns.steps[turn, 0]
        follow(rules, finish, turns.steps[turn], turns.fields[turn], turns.ranks[turn], chosen)
        lost += turns.best[turn] - outlook(finish, own, chosen, turns.worth[turn], turns.fails[turn], again)
    return lost / len(which)


# Games.

BY_RULES, AS_SIMPLE, AS_REGULAR, BEST = range(4)


@njit(cache=True, nogil=True)
def watch(
    model: Model,
    kind: int,
    rules: Any,
    tables: Thumb,
    finish: int,
    games: int,
    turns: Turns,
    losses: Any,
    workspace: Scratch,
    rival: Scratch,
) -> tuple[int, int, int]:
    """Games of somebody against those who play best, who starts by turns; until ``turns`` is full.

    If ``losses`` has a row for each game, then only its first turn is used, again and again.

    :return: how many games were finished, how many of them were won, and how many turns were noted.
    """
    players, pairs, levels = turns.fields.shape[1], turns.fields.shape[2], turns.worth.shape[1]
    steps = np.zeros(players, np.int64)
    fields, ranks = np.zeros((players, pairs), np.int64), np.zeros((players, pairs), np.int64)
    chosen, again = np.zeros((levels, RANKS), np.int64), np.zeros(levels)
    noted, won, keeps = 0, 0, len(losses) == 0
    for game in range(games):
        steps[:], fields[:], ranks[:] = 0, -1, 0
        seat, winner = game % players, -1
        while winner < 0:
            if seat == 0:
                at = noted if keeps else 0
                if at == len(turns.steps):
                    return game, won, noted
                noted += 1
                turns.steps[at], turns.fields[at], turns.ranks[at] = steps, fields, ranks
                note(model, finish, turns, at, workspace)
                worth, fails = turns.worth[at], turns.fails[at]
                turns.best[at] = choose_best(finish, steps[0], chosen, worth, fails, again)
                if kind == BY_RULES:
                    follow(rules, finish, steps, fields, ranks, chosen)
                elif kind != BEST:
                    plan_by_heuristics(tables, kind == AS_REGULAR, fields, ranks, workspace)
                    for level in range(levels):
                        for rank in range(RANKS):
                            stops = workspace.best[0, rank, 0] >= workspace.again[0, 0]
                            chosen[level, rank] = workspace.field[0, rank] if stops else -1
                if not keeps:
                    mine = outlook(finish, steps[0], chosen, worth, fails, again)
                    losses[game] += turns.best[at] - mine
                workspace.again[:, 0] = 0.5
                for level in range(levels):
                    for rank in range(RANKS):
                        workspace.field[level, rank] = chosen[level, rank]
                        workspace.best[level, rank, 0] = chosen[level, rank] >= 0
                use = min(levels, finish - steps[0])
                winner = play_turn(finish, steps, fields, ranks, use, 0.0, workspace)
            else:
                use = plan(model, finish, steps, fields, ranks, steps[0], True, rival)
                winner = play_turn(finish, steps, fields, ranks, use, 0.0, rival)
            if winner >= 0:
                won += (seat - winner) % players == 0
            seat = (seat - 1) % players
    return games, won, noted


def by_step(rules: Numbers, finish: int = 20) -> Numbers:
    """The same rules on every step."""
    return np.repeat(rules[None], finish, axis=0)


def measure(players: int, kind: int, rules: Numbers, games: int, seed: int, finish: int = 20) -> Measured:
    """Let somebody play against those who play best."""
    set_seed(seed)
    losses = np.zeros(games)
    _, won, _ = watch(
        best_model(players), kind, rules, heuristic_tables(players), finish, games,
        empty_turns(players, 1, ALL_LEVELS), losses,
        new_workspace(players, ALL_LEVELS), new_workspace(players, ALL_LEVELS),
    )  # fmt: skip
    return Measured(float(losses.mean()), float(losses.std() / np.sqrt(games)), won / games, games)


def gather(
    players: int, kind: int, rules: Numbers, turns: int, seed: int, finish: int = 20
) -> tuple[Turns, float]:
    """Turns as they are met, and how many of them there are in a game."""
    set_seed(seed)
    met = empty_turns(players, turns, FEW_LEVELS)
    games, _, _ = watch(
        best_model(players), kind, rules, heuristic_tables(players), finish, turns, met, np.zeros(0),
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
    """What a sensible player might do, to meet sensible positions at first."""
    start, numbers = family(players).start, np.array(heuristics.NOTHING)
    numbers[list(heuristics.RULE_INDICES["fields"])] = start["fields"]
    if players == 2:
        numbers[list(heuristics.RULE_INDICES["second"])] = start["second"]
    numbers[list(heuristics.RULE_INDICES["throw_out"])] = 4, 4, 2
    numbers[heuristics.BLOCK] = 1
    return numbers


def find(
    players: int, turns: int, seed: int, most: int, gain: float, report: Report
) -> tuple[Numbers, list[Stage]]:
    """Rules, and what is lost by those who follow the first of them, the first two, …"""
    some = family(players)
    met, each = gather(players, BY_RULES, by_step(guess(players)), turns, seed)
    everything, part = np.arange(turns), np.arange(0, turns, 3)

    def cost(numbers: Numbers) -> float:
        return each * given_away(by_step(numbers), 20, met, everything)

    def rough(numbers: Numbers) -> float:
        return each * given_away(by_step(numbers), 20, met, part)

    numbers, names = search(some, cost, rough, most, gain, report)
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
    lies = met.fields[:, 0].max(axis=1) >= 0
    for name in ("first", "second") if players == 2 else ("stop",):
        places = list(heuristics.RULE_INDICES["second" if name == "second" else "fields"])
        if rows[0, places[0]] < 0:
            rows[:, places] = rows[:, list(heuristics.RULE_INDICES["fields"])]
        for first, end in BANDS:
            own = met.steps[:, 0]
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
    """In what share of the decisions of best play the rules rightly stop, or roll again."""
    levels = turns.worth.shape[1]
    best, chosen = np.zeros((levels, RANKS), np.int64), np.zeros((levels, RANKS), np.int64)
    again, right, met = np.zeros(levels), 0.0, 0.0
    for turn in range(len(turns.steps)):
        steps, fields, ranks = turns.steps[turn], turns.fields[turn], turns.ranks[turn]
        choose_best(finish, steps[0], best, turns.worth[turn], turns.fails[turn], again)
        follow(rules, finish, steps, fields, ranks, chosen)
        first = later = 0.0
        for rank in range(RANKS):
            if best[0, rank] < 0:
                first += FIRST_ROLLS[rank] / 36
                later += LATER_ROLLS[rank] / 36
        rolls = first / (1.0 - later)  # how often one rolls again, that is
        for rank in range(RANKS):
            often = (FIRST_ROLLS[rank] + rolls * LATER_ROLLS[rank]) / 36
            met += often
            right += often * ((best[0, rank] < 0) == (chosen[0, rank] < 0))
    return right / met
