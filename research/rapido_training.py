"""How Rapido's values are learned: by self-play, and for two players from the exact solution.

Self-play begins with who wins when everybody plays by heuristics, of which there are games without end.
Then each start of a turn that is met is to be worth what one turn makes of it: the exact expectation over
the own turn, by the network's own worth of the starts of the next. Some decisions are random and some games
start in the middle.

Distillation: the positions that turns may lead to, in good and slightly noisy play, with their exact worth.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.network import Weights
from escadaria.games.rapido import bots as levels
from escadaria.games.rapido import values as features
from escadaria.games.rapido.compiled import play as rapido_kernel
from escadaria.games.rapido.compiled.play import again_appeal, appeal
from escadaria.games.rapido.compiled.values import (
    Model,
    Scratch,
    end_turn,
    expected,
    fill_rows,
    is_out,
    is_taken,
    key,
    model,
    new_workspace,
    plan,
)
from escadaria.games.rapido.index import RANK, RANKS
from escadaria.games.rapido.rules import DIE_A, DIE_B, TOP_FIELD, X
from escadaria.network import Network
from research import learning
from research.learning import Adam, Progress, Report, adam, learn, schedule, set_seed

LEVELS = 4
"""Of steps that a turn is worked out on: three doubles of one, or one of three."""
TURNS = 400
"""The most turns of a training game."""
BEFOREHAND = 5
"""For each start of a turn that is worked out, how many are learned before by heuristics."""
EACH = 24
"""So many positions that one turn may lead to are learned from the exact solution."""
ASTRAY, FALLEN, CLIMBED = 0.35, 0.1, 0.15
"""Of these: how often the pair is on any free field, how often the turn fails, how often doubles climbed."""
PART = 500
"""So many games are measured at a time."""
CRAMPED = 1 / 3
"""The share of games that start in the middle."""

_RANKS_OF_ROLLS = np.array([[RANK[10 * max(a, b) + min(a, b)] for b in DIE_B] for a in DIE_A]).ravel()
_CROSSES = np.array([[(a == X) + (b == X) for b in DIE_B] for a in DIE_A]).ravel()
_CLIMBS = np.array([[a if a == b else 0 for b in DIE_B] for a in DIE_A]).ravel()


# Games.


class Thumb(NamedTuple):
    """The heuristics."""

    simple: NDArray[np.int64]
    """By set of free fields and rank of the value: a field, or -1 for rolling again."""
    safety: NDArray[np.float64]
    chances: NDArray[np.int64]
    doubles: NDArray[np.int64]


def heuristic_tables(players: int) -> Thumb:
    by_roll = rapido_kernel.tables().simple
    simple = np.zeros((len(by_roll), RANKS), np.int64)
    simple[:, _RANKS_OF_ROLLS] = by_roll
    return Thumb(simple, np.array(levels.safety(players)), np.array(levels.CHANCES), np.array(levels.DOUBLES))


@njit(cache=True, nogil=True)
def _table(players: int) -> tuple[Any, Any, Any]:
    """Steps, fields and ranks of a game that is still to be set up."""
    pairs = 2 if players == 2 else 1  # R16
    fields, ranks = np.zeros((players, pairs), np.int64), np.zeros((players, pairs), np.int64)
    return np.zeros(players, np.int64), fields, ranks


@njit(cache=True, nogil=True)
def _set_up(finish: int, steps: Any, fields: Any, ranks: Any) -> None:
    steps[:], fields[:], ranks[:] = 0, -1, 0
    if np.random.random() < CRAMPED:
        for seat in range(len(steps)):
            steps[seat] = np.random.randint(finish)


@njit(cache=True, nogil=True)
def _any_field(fields: Any) -> int:
    while True:
        field = np.random.randint(TOP_FIELD + 1)
        if not is_taken(fields, field):
            return field


@njit(cache=True, nogil=True)
def play_turn(
    finish: int, steps: Any, fields: Any, ranks: Any, levels: int, exploration: float, workspace: Scratch
) -> int:
    """Play a turn that was worked out, and turn the position round to the next seat.

    :return: -1, or who has won: 0 is who played, 1 the next seat.
    """
    own, later, level = steps[0], False, 0
    placed, rank = -1, 0
    while True:
        roll = np.random.randint(36)
        rank = _RANKS_OF_ROLLS[roll]
        if later and _CROSSES[roll] > 0:  # R12
            own = max(own - _CROSSES[roll], 0)
            break
        own += _CLIMBS[roll]  # R10
        level = min(level + _CLIMBS[roll], levels - 1)
        if own >= finish:
            return 0
        again = workspace.again[level, 0] > workspace.best[level, rank, 0]
        placed = workspace.field[level, rank]
        if np.random.random() < exploration:
            again = np.random.random() < 0.3
            placed = _any_field(fields)
        if not again:
            break
        placed, later = -1, True
    return _end(finish, steps, fields, ranks, own, placed, rank)


@njit(cache=True, nogil=True)
def _end(finish: int, steps: Any, fields: Any, ranks: Any, own: int, placed: int, rank: int) -> int:
    """End a turn on a step, with a pair placed or none (-1): 1 if the next seat wins by scoring, else -1."""
    players, pairs = len(steps), fields.shape[1]
    if placed >= 0:
        for seat in range(1, players):
            for pair in range(pairs):
                if is_out(fields[seat, pair], ranks[seat, pair], placed, rank):
                    fields[seat, pair], ranks[seat, pair] = -1, 0
        at = 1 if fields[0, 0] >= 0 else 0
        fields[0, at], ranks[0, at] = placed, rank if placed > 0 else 0
    steps[0] = own
    _turn_round(steps, fields, ranks)
    return 1 if _score(finish, steps, fields, ranks) else -1


@njit(cache=True, nogil=True)
def _turn_round(steps: Any, fields: Any, ranks: Any) -> None:
    step, field, rank = steps[0], fields[0].copy(), ranks[0].copy()
    for seat in range(len(steps) - 1):
        steps[seat], fields[seat], ranks[seat] = steps[seat + 1], fields[seat + 1], ranks[seat + 1]
    steps[-1], fields[-1], ranks[-1] = step, field, rank


@njit(cache=True, nogil=True)
def _score(finish: int, steps: Any, fields: Any, ranks: Any) -> bool:
    """Score at the start of a turn (R7, R18); whether that wins. A single pair comes first."""
    pairs = fields.shape[1]
    if fields[0].min() >= 0:
        steps[0] += fields[0].sum()
        fields[0], ranks[0] = -1, 0
    elif pairs == 2 and fields[0, 0] < 0:
        fields[0, 0], ranks[0, 0] = fields[0, 1], ranks[0, 1]
        fields[0, 1], ranks[0, 1] = -1, 0
    return bool(steps[0] >= finish)


@njit(cache=True, nogil=True)
def plan_by_heuristics(tables: Thumb, bold: bool, fields: Any, ranks: Any, workspace: Scratch) -> None:
    """Work a turn out as ``simple`` plays it, or if ``bold`` as ``regular`` does."""
    free = 0
    for field in range(1, TOP_FIELD + 1):
        free |= (not is_taken(fields, field)) << field - 1
    workspace.again[0, 0] = 0.5
    if not bold:
        for rank in range(RANKS):
            choice = tables.simple[free, rank]
            workspace.best[0, rank, 0], workspace.field[0, rank] = choice >= 0, choice
        return
    others, values = fields[1:].ravel(), ranks[1:].ravel()
    best = np.full(RANKS, -1.0)
    for rank in range(RANKS):
        for field in range(TOP_FIELD + 1):
            if field == 0 or free >> field - 1 & 1:
                worth = appeal(tables.safety, others, values, field, rank)
                if worth >= best[rank]:
                    best[rank], workspace.field[0, rank] = worth, field
    again = again_appeal(tables.chances, tables.doubles, best)
    for rank in range(RANKS):
        workspace.best[0, rank, 0] = best[rank] >= again


@njit(cache=True, nogil=True)
def games_by_heuristics(
    tables: Thumb, finish: int, exploration: float, workspace: Scratch, rows: Any, targets: Any
) -> int:
    """Fill ``rows`` and ``targets`` with starts of turns and who won; how many are of games that ended."""
    players, at = targets.shape[1], 0
    steps, fields, ranks = _table(players)
    while at < len(rows):
        _set_up(finish, steps, fields, ranks)
        begin, winner = at, -1
        while winner < 0 and at < len(rows):
            _note_position(finish, steps, fields, ranks, workspace)
            rows[at] = workspace.rows
            at += 1
            plan_by_heuristics(tables, np.random.random() < 0.3, fields, ranks, workspace)
            winner = play_turn(finish, steps, fields, ranks, 1, exploration, workspace)
        if winner < 0:
            return begin
        for turn in range(begin, at):
            targets[turn] = 0
            targets[turn, (winner + at - 1 - turn) % players] = 1
    return at


@njit(cache=True, nogil=True)
def _note_position(finish: int, steps: Any, fields: Any, ranks: Any, workspace: Scratch) -> None:
    players = len(steps)
    for seat in range(1, players):
        workspace.keys[seat - 1] = key(players, fields[seat, 0], ranks[seat, 0])
    fill_rows(finish, steps, workspace.keys, workspace.left, workspace.rows)


@njit(cache=True, nogil=True)
def self_play(
    model: Model,
    finish: int,
    exploration: float,
    workspace: Scratch,
    rows: Any,
    targets: Any,
    at: int,
    wanted: int,
) -> int:
    """Play games until ``wanted`` starts of turns are noted, from row ``at`` on; where that ends.

    After the last row comes the first.
    """
    players, size, done = targets.shape[1], len(rows), 0
    steps, fields, ranks = _table(players)
    outlooks = np.zeros((TURNS, players))
    met = np.zeros((TURNS, rows.shape[1]), rows.dtype)
    while done < wanted:
        _set_up(finish, steps, fields, ranks)
        turns, winner = 0, -1
        while winner < 0 and turns < TURNS:
            _note_position(finish, steps, fields, ranks, workspace)
            met[turns] = workspace.rows
            levels = plan(model, finish, steps, fields, ranks, steps[0], True, workspace)
            expected(levels, finish - steps[0], workspace, outlooks[turns])
            winner = play_turn(finish, steps, fields, ranks, levels, exploration, workspace)
            turns += 1
        for turn in range(turns):
            rows[at], targets[at] = met[turn], outlooks[turn]
            at = (at + 1) % size
        done += turns
    return at


@njit(cache=True, nogil=True)
def sample_exact(
    model: Model, finish: int, exploration: float, workspace: Scratch, rows: Any, targets: Any
) -> None:
    """Fill ``rows`` and ``targets`` with positions that turns of good play may lead to."""
    steps, fields, ranks = _table(targets.shape[1])
    at = 0
    while at < len(rows):
        _set_up(finish, steps, fields, ranks)
        winner = -1
        while winner < 0 and at < len(rows):
            levels = plan(model, finish, steps, fields, ranks, steps[0], True, workspace)
            chosen = workspace.field.copy()
            for _ in range(EACH):
                rank = _RANKS_OF_ROLLS[np.random.randint(36)]
                own, field = steps[0], chosen[0, rank]
                draw = np.random.random()
                if draw < ASTRAY:
                    field = _any_field(fields)
                elif draw < ASTRAY + FALLEN:
                    field, own = -1, max(own - 1 - np.random.randint(2), 0)
                elif np.random.random() < CLIMBED:
                    own = min(own + 1 + np.random.randint(3), finish - 1)
                end_turn(model, finish, steps, fields, ranks, own, field, rank, workspace)
                if workspace.shares[0] == 1.0 and workspace.shares[1] == 0.0:
                    continue  # the next seat has arrived
                if at < len(rows):
                    fill_rows(finish, workspace.steps, workspace.keys, workspace.left, workspace.rows)
                    rows[at], targets[at] = workspace.rows, workspace.shares
                    at += 1
            winner = play_turn(finish, steps, fields, ranks, levels, exploration, workspace)


# What a network loses.


@njit(cache=True, nogil=True)
def lose(
    net: Model, exact: Model, finish: int, games: int, seed: int, workspace: Scratch, truth: Scratch
) -> tuple[float, float, int]:
    """Games of the network against the exact table, first move in turns.

    :return: the sum of what each decision gave away under the exact values, the sum of its squares by
        game, and how many games the network won.
    """
    np.random.seed(seed)
    steps, fields, ranks = _table(2)
    lost, squares, won = 0.0, 0.0, 0
    for game in range(games):
        steps[:], fields[:], ranks[:] = 0, -1, 0
        nets_turn = game % 2 == 0
        this_game, winner = 0.0, -1
        while winner < 0:
            levels = plan(exact, finish, steps, fields, ranks, steps[0], not nets_turn, truth)
            if nets_turn:
                plan(net, finish, steps, fields, ranks, steps[0], False, workspace)
                given, winner = _watched_turn(exact, finish, steps, fields, ranks, levels, workspace, truth)
                this_game += given
            else:
                winner = play_turn(finish, steps, fields, ranks, levels, 0.0, truth)
            if winner >= 0:
                won += nets_turn == (winner == 0)
            nets_turn = not nets_turn
        lost += this_game
        squares += this_game * this_game
    return lost, squares, won


@njit(cache=True, nogil=True)
def _watched_turn(
    exact: Model,
    finish: int,
    steps: Any,
    fields: Any,
    ranks: Any,
    levels: int,
    workspace: Scratch,
    truth: Scratch,
) -> tuple[float, int]:
    """A turn by ``workspace``, one decision after the other: what it gave away, and who has won (or -1)."""
    given, own, level, later = 0.0, steps[0], 0, False
    while True:
        roll = np.random.randint(36)
        rank = _RANKS_OF_ROLLS[roll]
        if later and _CROSSES[roll] > 0:
            return given, _end(finish, steps, fields, ranks, max(own - _CROSSES[roll], 0), -1, 0)
        own += _CLIMBS[roll]
        level = min(level + _CLIMBS[roll], levels - 1, len(workspace.best) - 1)
        if own >= finish:
            return given, 0
        best = max(truth.again[level, 0], truth.best[level, rank, 0])
        if workspace.again[level, 0] > workspace.best[level, rank, 0]:
            given += best - truth.again[level, 0]
            later = True
            continue
        field = workspace.field[level, rank]
        worth = end_turn(exact, finish, steps, fields, ranks, steps[0] + level, field, rank, truth)
        return given + best - worth, _end(finish, steps, fields, ranks, own, field, rank)


# Learning.


def fresh(players: int, rng: np.random.Generator) -> Weights:
    """A network that knows nothing."""
    rows, number = features.number_of_rows(players), features.number_of_features(players)
    return learning.fresh(rows, number, players, rng)


def train_by_self_play(
    players: int,
    positions: int,
    seed: int,
    report: Report,
    *,
    trained: Weights | None = None,
    rate: float = 1e-3,
    replays: int = 16,
    memory: int = 1 << 18,
) -> Weights:
    """A network for three to six players, from so many starts of turns, each learned ``replays`` times."""
    finish = features.MAX_DISTANCE
    rng = np.random.default_rng(seed)
    set_seed(seed)
    net = trained or fresh(players, rng)
    state, workspace = adam(net), new_workspace(players, LEVELS)
    if trained is None:
        warm_up(net, state, players, positions * BEFOREHAND, rng, report)
    rows = np.zeros((memory, features.number_of_features(players)), np.int32)
    targets = np.zeros((memory, players), np.float32)
    at = filled = met = beat = 0
    batch, chunk = 128, 4096
    while met < positions:
        done = met / positions
        end = self_play(model(net), finish, 0.05, workspace, rows, targets, at, chunk)
        new = (end - at) % memory
        at, met, filled = end, met + new, min(memory, filled + new)
        pick = rng.integers(0, filled, max(new * replays // batch, 1) * batch)
        error = learn(net, state, rows[pick], targets[pick], batch, schedule(done, rate), beat)
        beat += len(pick) // batch
        report(Progress(min(met / positions, 1.0), met, error**0.5), net)
    return net


def warm_up(
    net: Weights, state: Adam, players: int, positions: int, rng: np.random.Generator, report: Report
) -> None:
    """Learn who wins among those who play by heuristics."""
    finish, batch, chunk = features.MAX_DISTANCE, 256, 1 << 16
    rows = np.zeros((chunk, features.number_of_features(players)), np.int32)
    targets = np.full((chunk, players), 1 / players, np.float32)
    workspace, rules = new_workspace(players, 1), heuristic_tables(players)
    met = 0
    while met < positions:
        order = rng.permutation(games_by_heuristics(rules, finish, 0.1, workspace, rows, targets))
        rate = 2e-3 * (1 - met / positions) + 5e-5
        error = learn(net, state, rows[order], targets[order], batch, rate, met // batch)
        met += chunk
        report(Progress(0.0, met, error**0.5), net)


def distil(
    exact: NDArray[np.uint32],
    positions: int,
    seed: int,
    report: Report,
    *,
    trained: Weights | None = None,
    rate: float = 3e-3,
    batch: int = 256,
    replays: int = 4,
    memory: int = 1 << 22,
) -> Weights:
    """A network for two players from the exact worth of so many positions, each learned ``replays`` times."""
    finish = len(exact)
    rng = np.random.default_rng(seed)
    set_seed(seed)
    net = trained or fresh(2, rng)
    state, workspace, truth = adam(net), new_workspace(2, 2), model(None, exact)
    rows = np.zeros((memory, features.number_of_features(2)), np.int32)
    targets = np.zeros((memory, 2), np.float32)
    chunk = 1 << 16
    for met in range(0, positions, chunk):
        at = slice(met % memory, met % memory + chunk)
        sample_exact(truth, finish, 0.05, workspace, rows[at], targets[at])
        pick = rng.integers(0, min(met + chunk, memory), chunk * replays)
        rate_now, beat = schedule(met / positions, rate), met * replays // batch
        error = learn(net, state, rows[pick], targets[pick], batch, rate_now, beat)
        report(Progress(min((met + chunk) / positions, 1.0), met + chunk, error**0.5), net)
    return net


@dataclass(frozen=True, slots=True)
class Loss:
    """What a network loses to exact play."""

    games: int
    regret: float
    """The mean over games of all that its decisions gave away, in games."""
    error: float
    """The standard error of that."""
    wins: int


def loss(
    network: Network, exact: NDArray[np.uint32], games: int, seed: int, *, threads: int | None = None
) -> Loss:
    """Let a network play against an exact table, each moving first in half of the games.

    So many threads play, else one for each core; the result is the same.
    """
    net, truth, finish = model(network), model(None, exact), len(exact)

    def part(number: int) -> tuple[float, float, int]:
        workspaces = [new_workspace(2, levels) for levels in (features.LEVELS, 10)]
        size = min(PART, games - PART * number)
        found: tuple[float, float, int] = lose(net, truth, finish, size, seed + number, *workspaces)
        return found

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        lost, squares, won = map(sum, zip(*pool.map(part, range(-(-games // PART))), strict=True))
    mean = lost / games
    return Loss(games, mean, float(np.sqrt((squares / games - mean**2) / games)), int(won))
