"""How Rapido's values are learned: by self-play, and for two players from the exact solution.

Self-play begins with games of heuristics, which are quick to play: the network learns who wins them. Then the
target of each start of a turn is the exact expectation over that turn, by the network's own values of the
starts of the next. Some decisions are random and some games start in the middle.

Distillation: the network learns the exact worth of positions that turns of good, slightly noisy play lead to.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute import ONE
from escadaria.compute.forward import Weights
from escadaria.evaluator_network import Network
from escadaria.games.rapido import bots as levels
from escadaria.games.rapido import values as features
from escadaria.games.rapido.compiled.policies import simple_decisions, weigh_as_regular
from escadaria.games.rapido.compiled.rules import (
    GOES_ON,
    NUMBER_OF_ROLLS,
    RANK_OF_ROLL,
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
    moved,
    own_marks,
    pass_turn,
    place,
    roll,
    roll_again,
    set_up,
    start_turn,
    worth_of_doubles,
    worth_of_turn,
)
from escadaria.games.rapido.compiled.turns import (
    EACH_LEVEL,
    ONE_CHOICE,
    Model,
    Workspace,
    end_turn,
    fill_rows,
    model,
    new_workspace,
    plan,
    store_start,
)
from escadaria.games.rapido.rules import TOP_FIELD
from research import learning
from research.learning import (
    Adam,
    Loss,
    Positions,
    Progress,
    ReplayMemory,
    Report,
    adam,
    learn,
    play_on_cluster,
    schedule,
    set_seed,
)

LEVELS = 4
"""The number of steps for which a turn is computed: three doubles of one, or one of three."""
TURNS = 400
"""The most turns of a training game."""
BEFOREHAND = 5
"""The number of starts of turns that are learned first by heuristics, for each one of self-play."""
EACH = 24
"""The number of positions that are learned from the exact solution for each turn, of those it may lead to."""
ASTRAY, FALLEN, CLIMBED = 0.35, 0.1, 0.15
"""The shares of these with the pair on a random free field, after a failed turn, and after doubles."""
EXPLORATION = 0.05
"""The share of random decisions."""
PART = 500
"""The number of games that are measured at a time."""
CRAMPED = 1 / 3
"""The share of games that start in the middle."""


# Games. A position is the one row of an array, after scoring.


class Heuristics(NamedTuple):
    """The tables of the bots ``simple`` and ``regular``."""

    simple: Words
    """By set of free fields and rank of the value: a field, or -1 for rolling again."""
    safety: NDArray[np.float64]


def heuristic_tables(players: int) -> Heuristics:
    return Heuristics(simple_decisions(), np.array(levels.safety(players)))


def new_rows(players: int) -> Words:
    """A position to play in."""
    return np.zeros((1, columns(players)), np.int64)


@njit(cache=True, nogil=True)
def _begin(finish: int, players: int, rows: Words) -> None:
    """Set a game up, sometimes in the middle."""
    set_up(rows, 0)
    if np.random.random() < CRAMPED:
        for seat in range(players):
            rows[0, SEATS + seat] = np.random.randint(finish)


@njit(cache=True, nogil=True)
def _any_field(tower: int) -> int:
    while True:
        field = np.random.randint(TOP_FIELD + 1)
        if is_free(free_fields(tower), field):
            return field


@njit(cache=True, nogil=True)
def play_turn(finish: int, rows: Words, levels: int, exploration: float, workspace: Workspace) -> int:
    """Play a turn that was planned, and start the next one: the seat that has won, or -1.

    Beyond the last level its decisions are used.
    """
    players, level, later = len(workspace.steps), 0, 0
    first = rows[0, SEATS + rows[0, TURN]]
    while True:
        status = roll(finish, rows, 0, later, np.random.randint(NUMBER_OF_ROLLS))
        if status != GOES_ON:
            break
        level = min(rows[0, SEATS + rows[0, TURN]] - first, levels - 1)
        rank = rows[0, ROLLED]
        again = workspace.again[0, level] > workspace.best[0, level, rank]
        field = workspace.field[level, rank]
        if np.random.random() < exploration:
            again = np.random.random() < 0.3
            field = _any_field(rows[0, TOWER])
        if not again:
            place(players, rows, 0, field, None)
            break
        later = 1
    return _end(finish, players, rows, status)


@njit(cache=True, nogil=True)
def _end(finish: int, players: int, rows: Words, status: int) -> int:
    """End a turn and start the next one: the seat that has won, or -1."""
    if status != WON:
        pass_turn(players, rows, 0)
        if not start_turn(finish, players, rows, 0):
            return -1
    return int(rows[0, TURN])


@njit(cache=True, nogil=True)
def plan_by_heuristics(tables: Heuristics, as_regular: bool, position: Words, workspace: Workspace) -> None:
    """Plan a turn as ``simple`` plays it, or as ``regular`` does."""
    workspace.again[0, 0] = 0.5
    if not as_regular:
        free = free_fields(position[TOWER])
        for rank in range(RANKS):
            choice = tables.simple[free, rank]
            workspace.best[0, 0, rank], workspace.field[0, rank] = choice >= 0, choice
        return
    best = np.empty(RANKS)
    again = weigh_as_regular(tables.safety, position[TOWER], own_marks(position), best, workspace.field[0])
    for rank in range(RANKS):
        workspace.best[0, 0, rank] = best[rank] >= again


@njit(cache=True, nogil=True)
def games_by_heuristics(
    tables: Heuristics,
    finish: int,
    exploration: float,
    position: Words,
    workspace: Workspace,
    rows: Any,
    targets: Any,
) -> int:
    """Fill ``rows`` and ``targets`` with starts of turns and who won; the number of those in ended games."""
    players, at = targets.shape[1], 0
    while at < len(rows):
        _begin(finish, players, position)
        begin, winner = at, -1
        while winner < 0 and at < len(rows):
            store_start(position[0], workspace)
            fill_rows(finish, workspace)
            rows[at] = workspace.rows
            at += 1
            plan_by_heuristics(tables, np.random.random() < 0.3, position[0], workspace)
            winner = play_turn(finish, position, ONE, exploration, workspace)
        if winner < 0:
            return begin
        for turn in range(begin, at):
            targets[turn] = 0
            targets[turn, (winner + begin - turn) % players] = 1
    return at


@njit(cache=True, nogil=True)
def expected(levels: int, left: int, workspace: Workspace, out: Any) -> None:
    """The shares at the start of a turn that was planned, before its first roll."""
    stops = workspace.best[0, :levels] >= workspace.again[0, :levels].reshape(-1, 1)
    for seat in range(len(out)):
        best, again, won = workspace.best[seat, :levels], workspace.again[seat], 1.0 if seat == 0 else 0.0
        if seat > 0:
            for level in range(levels - 1, -1, -1):
                doubles = worth_of_doubles(left, level, best, again, stops, won)
                sure = workspace.fails[seat, level] + doubles
                again[level] = roll_again(sure, best[level], stops[level])
        out[seat] = worth_of_turn(left, best, again, stops, won) / NUMBER_OF_ROLLS


@njit(cache=True, nogil=True)
def self_play(
    model: Model,
    finish: int,
    exploration: float,
    position: Words,
    workspace: Workspace,
    rows: Any,
    targets: Any,
    at: int,
    wanted: int,
) -> int:
    """Play games until ``wanted`` starts of turns are stored, from row ``at`` on; the row after the last.

    After the last row comes the first.
    """
    players, size, done = targets.shape[1], len(rows), 0
    outlooks = np.zeros((TURNS, players))
    met = np.zeros((TURNS, rows.shape[1]), rows.dtype)
    while done < wanted:
        _begin(finish, players, position)
        turns, winner = 0, -1
        while winner < 0 and turns < TURNS:
            store_start(position[0], workspace)
            fill_rows(finish, workspace)
            met[turns] = workspace.rows
            own = position[0, SEATS + position[0, TURN]]
            levels = plan(model, finish, position[0], own, ONE_CHOICE, workspace)
            expected(levels, finish - own, workspace, outlooks[turns])
            winner = play_turn(finish, position, levels, exploration, workspace)
            turns += 1
        for turn in range(turns):
            rows[at], targets[at] = met[turn], outlooks[turn]
            at = (at + 1) % size
        done += turns
    return at


@njit(cache=True, nogil=True)
def sample_exact(
    model: Model,
    finish: int,
    exploration: float,
    position: Words,
    workspace: Workspace,
    rows: Any,
    targets: Any,
) -> None:
    """Fill ``rows`` and ``targets`` with positions that turns of good play may lead to."""
    at = 0
    while at < len(rows):
        _begin(finish, targets.shape[1], position)
        winner = -1
        while winner < 0 and at < len(rows):
            here = position[0, SEATS + position[0, TURN]]
            levels = plan(model, finish, position[0], here, ONE_CHOICE, workspace)
            chosen = workspace.field.copy()
            for _ in range(EACH):
                rank = RANK_OF_ROLL[np.random.randint(NUMBER_OF_ROLLS)]
                own, field = here, chosen[0, rank]
                draw = np.random.random()
                if draw < ASTRAY:
                    field = _any_field(position[0, TOWER])
                elif draw < ASTRAY + FALLEN:
                    field, own = -1, moved(own, -1 - np.random.randint(2))
                elif np.random.random() < CLIMBED:
                    own = min(own + 1 + np.random.randint(3), finish - 1)
                end_turn(model, finish, position[0], own, field, rank, workspace)
                if workspace.shares[0] == 1.0 and workspace.shares[1] == 0.0:
                    continue  # the next seat has arrived
                if at < len(rows):
                    fill_rows(finish, workspace)
                    rows[at], targets[at] = workspace.rows, workspace.shares
                    at += 1
            winner = play_turn(finish, position, levels, exploration, workspace)


# What a network loses.


@njit(cache=True, nogil=True)
def lose(
    net: Model,
    exact: Model,
    finish: int,
    games: int,
    seed: int,
    position: Words,
    workspace: Workspace,
    truth: Workspace,
) -> tuple[float, float, int]:
    """Games of the network against the exact table, first move in turns.

    :return: the sum of what each decision gave away under the exact values, the sum of its squares by
        game, and the number of games that the network won.
    """
    np.random.seed(seed)
    lost, squares, won = 0.0, 0.0, 0
    for game in range(games):
        set_up(position, 0)
        network_seat, this_game, winner = game % 2, 0.0, -1
        while winner < 0:
            nets_turn = position[0, TURN] == network_seat
            own = position[0, SEATS + position[0, TURN]]
            levels = plan(exact, finish, position[0], own, not nets_turn, truth)
            if nets_turn:
                plan(net, finish, position[0], own, EACH_LEVEL, workspace)
                given, winner = _measured_turn(exact, finish, position, levels, workspace, truth)
                this_game += given
            else:
                winner = play_turn(finish, position, levels, 0.0, truth)
        won += winner == network_seat
        lost += this_game
        squares += this_game * this_game
    return lost, squares, won


@njit(cache=True, nogil=True)
def _measured_turn(
    exact: Model, finish: int, rows: Words, levels: int, workspace: Workspace, truth: Workspace
) -> tuple[float, int]:
    """A turn by ``workspace``, one decision after the other: what it gave away, and who has won (or -1)."""
    given, level, later, players = 0.0, 0, 0, len(workspace.steps)
    first = rows[0, SEATS + rows[0, TURN]]
    while True:
        status = roll(finish, rows, 0, later, np.random.randint(NUMBER_OF_ROLLS))
        if status != GOES_ON:
            break
        rank = rows[0, ROLLED]
        level = min(rows[0, SEATS + rows[0, TURN]] - first, levels - 1, len(workspace.field) - 1)
        best = max(truth.again[0, level], truth.best[0, level, rank])
        if workspace.again[0, level] > workspace.best[0, level, rank]:
            given += best - truth.again[0, level]
            later = 1
            continue
        field = workspace.field[level, rank]
        given += best - end_turn(exact, finish, rows[0], first + level, field, rank, truth)
        place(players, rows, 0, field, None)
        break
    return given, _end(finish, players, rows, status)


# Learning.


def fresh(players: int, width: int, rng: np.random.Generator) -> Weights:
    """An untrained network."""
    rows, number = features.number_of_rows(players), features.number_of_features(players)
    return learning.fresh(rows, number, players, width, rng)


def train_by_self_play(
    players: int,
    positions: int,
    seed: int,
    report: Report,
    *,
    trained: Weights | None = None,
    rate: float = 1e-3,
    width: int = 64,
    replays: int = 16,
    memory: int = 1 << 18,
    client: Any = None,
) -> Weights:
    """A network for three to six players, from a number of starts of turns.

    :param replays: how often each of them is learned.
    :param client: of a Dask cluster whose workers play; without it they are played here.
    """
    finish = features.MAX_DISTANCE
    rng = np.random.default_rng(seed)
    set_seed(seed)
    net = trained or fresh(players, width, rng)
    state, workspace, position = adam(net), new_workspace(players, LEVELS), new_rows(players)
    if trained is None:
        warm_up(net, state, players, positions * BEFOREHAND, rng, report)
    replay = ReplayMemory(features.number_of_features(players), players, memory)
    batch, chunk, met, beat = 128, 4096, 0, 0
    while met < positions:
        done = met / positions
        if client:
            play = partial(play_round, net, players, chunk)
            new = sum(replay.add(*found) for found in play_on_cluster(client, play, rng))
        else:
            end = self_play(model(net), finish, EXPLORATION, position, workspace, *replay.next_rows(), chunk)
            new = replay.grow(end)
        met += new
        rows, targets = replay.sample(max(new * replays // batch, 1) * batch, rng)
        error = learn(net, state, rows, targets, batch, schedule(done, rate), beat)
        beat += len(rows) // batch
        report(Progress(min(met / positions, 1.0), met, error**0.5), net)
    return net


def play_round(net: Weights, players: int, wanted: int, seed: int) -> Positions:
    """At least ``wanted`` starts of turns of self-play, for a worker of a cluster."""
    set_seed(seed)
    found = ReplayMemory(features.number_of_features(players), players, wanted + TURNS)
    end = self_play(
        model(net), features.MAX_DISTANCE, EXPLORATION, new_rows(players), new_workspace(players, LEVELS),
        *found.next_rows(), wanted,
    )  # fmt: skip
    return found.rows[:end], found.targets[:end]


def warm_up(
    net: Weights, state: Adam, players: int, positions: int, rng: np.random.Generator, report: Report
) -> None:
    """Learn who wins among those who play by heuristics."""
    finish, batch, chunk = features.MAX_DISTANCE, 256, 1 << 16
    rows = np.zeros((chunk, features.number_of_features(players)), np.int32)
    targets = np.full((chunk, players), 1 / players, np.float32)
    workspace, position, tables = new_workspace(players, 1), new_rows(players), heuristic_tables(players)
    met = 0
    while met < positions:
        found = games_by_heuristics(tables, finish, 0.1, position, workspace, rows, targets)
        order = rng.permutation(found)
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
    width: int = 64,
    batch: int = 256,
    replays: int = 4,
    memory: int = 1 << 22,
) -> Weights:
    """A network for two players, from the exact worth of a number of positions.

    :param replays: how often each of them is learned.
    """
    finish = len(exact)
    rng = np.random.default_rng(seed)
    set_seed(seed)
    net = trained or fresh(2, width, rng)
    state, workspace, position, truth = adam(net), new_workspace(2, 2), new_rows(2), model(None, exact)
    replay, chunk = ReplayMemory(features.number_of_features(2), 2, memory), 1 << 16
    for met in range(0, positions, chunk):
        rows, targets, at = replay.next_rows()
        end = at + chunk
        sample_exact(truth, finish, EXPLORATION, position, workspace, rows[at:end], targets[at:end])
        replay.grow(end % memory)
        rate_now, beat = schedule(met / positions, rate), met * replays // batch
        error = learn(net, state, *replay.sample(chunk * replays, rng), batch, rate_now, beat)
        report(Progress(min((met + chunk) / positions, 1.0), met + chunk, error**0.5), net)
    return net


def loss(
    network: Network, exact: NDArray[np.uint32], games: int, seed: int, *, threads: int | None = None
) -> Loss:
    """Let a network play against an exact table, each moving first in half of the games.

    The result does not depend on the number of threads: by default one for each core.
    """
    net, truth, finish = model(network), model(None, exact), len(exact)

    def part(number: int) -> tuple[float, float, int]:
        workspaces = [new_workspace(2, levels) for levels in (features.LEVELS, 10)]
        size = min(PART, games - PART * number)
        found: tuple[float, float, int] = lose(
            net, truth, finish, size, seed + number, new_rows(2), *workspaces
        )
        return found

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        lost, squares, won = map(sum, zip(*pool.map(part, range(-(-games // PART))), strict=True))
    return Loss.of(games, lost, squares, won)
