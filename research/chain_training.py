"""Training of the networks that evaluate Chain: by self-play, and for two players from exact solutions.

First the network learns the winners of games by heuristics and random play. Then it learns from self-play:
the target of a turn start is the exact expectation over its turn, by the network's own values of the turn
starts after it, at first mixed with the outcome of the game. Some games start in the middle, some seats play
partly at random, and some games are on other boards than the default one.

On a solved board the targets are the exact values of all turn starts that a turn may lead to, and some more.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute import ZERO
from escadaria.compute.forward import Weights, weights
from escadaria.compute.solve import solve
from escadaria.compute.steps import GO_ON, OUTSIDE
from escadaria.compute.streams import DICE, NOISE, start
from escadaria.evaluator_network import Network
from escadaria.games.chain import values as features
from escadaria.games.chain.boards import BOARDS, SHORTEST_TRACK, Board
from escadaria.games.chain.compiled.games import play_on
from escadaria.games.chain.compiled.policies import REGULAR, Tables, tables
from escadaria.games.chain.compiled.rules import (
    OVER,
    PHASE,
    TURN,
    Words,
    dice_left,
    free_discs,
    has_won,
    move,
    next_seat,
    pool_of,
    position_in,
    put,
    row_of,
    take_back,
)
from escadaria.games.chain.compiled.search import (
    Paths,
    find_ends,
    paths,
)
from escadaria.games.chain.compiled.turns import (
    ChainTable,
    Evaluator,
    Workspace,
    best_keep,
    chain_table,
    compute_turn,
    evaluate,
    load_evaluator,
    new_workspace,
    read_rows,
)
from escadaria.games.chain.rules import Chain
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
    unrounded,
)

TURNS = 300
"""The most turns of a training game."""
BEFOREHAND = 6
"""How many turn starts of games by heuristics are learned first, for each one of self-play."""
IN_THE_MIDDLE = 0.3
"""The share of games that start from random positions."""
EXPLORATION = 0.04
"""The share of turns that are played at random."""
CARELESS_GAMES = 0.4
"""The share of games where half of the seats are careless: they play a random share of turns at random."""
TRUST = 0.8
"""The weight of the outcome of a game in its targets at first; it falls to zero."""
AHEAD = 5
"""The most dice that a turn adds in the examples from an exact solution."""
EACH = 32
"""About how many examples a turn gives there."""
ELSEWHERE = 0.05
"""The share of these examples that are learned as if the board were not a solved one."""
BESIDE = 16
"""For this number of examples of one kind, played or solved, one of the other kind is learned again."""
DEFAULT = 0.7
"""The share of games on the default board; the rest is split between the other two and random boards."""
PLAYED_AGAIN, SOLVED_AGAIN = 12, 2
"""How often a turn start is learned, played or solved. Playing one takes as long as learning it 40 times."""
BATCH = 128
"""The number of positions in a step of learning."""
OF_TWO = (0.44, 0.09, 0.44, 0.03)
"""With two players: the shares of rounds on the boards default, short and long, and on random ones."""


# Heuristics.


@njit(cache=True, nogil=True)
def games_by_heuristics(
    tables: Tables,
    first_row: Words,
    players: int,
    first: int,
    seed: np.uint64,
    track: int,
    workspace: Workspace,
    rows: Any,
    targets: Any,
) -> int:
    """Fill ``rows`` and ``targets`` with starts of turns and who won; returns how many."""
    policies, mover, row = np.zeros(players, np.int64), np.zeros(players, np.int64), first_row.copy()
    streams, at, number = np.zeros(2, np.uint64), 0, first
    hands, discs, stacks = position_in(row, players)
    while True:
        for which in (DICE, NOISE):
            streams[which] = start(seed, number, which)
        number += 1
        for seat in range(players):
            policies[seat] = np.random.randint(REGULAR + 1)
        row[:] = first_row
        turns = 0
        while row[PHASE] != OVER:
            if at + turns == len(rows):
                return at
            seat = row[TURN]
            read_rows(track, seat, hands, discs, stacks, workspace)
            rows[at + turns] = workspace.rows
            mover[:] = OUTSIDE
            mover[seat] = policies[seat]
            play_on(tables, None, mover, GO_ON, players, row, streams, None)
            turns += 1
        for turn in range(turns):  # all seats in turn, from the first
            targets[at + turn] = 0.0
            targets[at + turn, (row[TURN] - turn) % players] = 1.0
        at += turns


# Self-play.


@njit(cache=True, nogil=True)
def _set_up(arrows: Words, hands: Words, discs: Words, stacks: Words) -> None:
    """Deal (C2), or make a random position."""
    hands[:], discs[:], stacks[:] = 2, 0, 0
    if np.random.random() < IN_THE_MIDDLE:
        for seat in range(len(hands)):
            hands[seat] = 1 + np.random.randint(6)
        for _ in range(2 * len(hands)):
            seat, space = np.random.randint(len(hands)), np.random.randint(1, len(arrows))
            if discs[seat].min() == 0 and np.random.random() < 0.9:
                put(seat, 0, arrows[space], discs, stacks)


@njit(cache=True, nogil=True)
def self_play(
    model: Evaluator,
    chains: ChainTable,
    arrows: Words,
    trust: float,
    workspace: Workspace,
    hands: Words,
    discs: Words,
    paths: Paths,
    rows: Any,
    targets: Any,
    at: int,
    wanted: int,
) -> int:
    """Play games until ``wanted`` examples are written, from row ``at`` on; returns the row after them.

    After the last row comes the first.
    """
    players, size, done = len(hands), len(rows), 0
    stacks = np.zeros(len(arrows), np.int64)
    outlooks = np.zeros((TURNS, players))
    met = np.zeros((TURNS, rows.shape[1]), rows.dtype)
    careless = np.zeros(players)
    while done < wanted:
        _set_up(arrows, hands, discs, stacks)
        mixed = np.random.random() < CARELESS_GAMES
        for seat in range(players):
            careless[seat] = np.random.random() if mixed and np.random.random() < 0.5 else EXPLORATION
        seat, turns = np.random.randint(players), 0
        while turns < TURNS and not has_won(seat, discs, stacks):
            read_rows(model.track, seat, hands, discs, stacks, workspace)
            met[turns] = workspace.rows
            play_turn(
                model,
                chains,
                arrows,
                careless[seat],
                seat,
                workspace,
                hands,
                discs,
                stacks,
                paths,
                outlooks[turns],
            )
            turns += 1
            seat = next_seat(seat, players)
        if has_won(seat, discs, stacks):
            _mix_with_outcome(outlooks[:turns], trust)
        for turn in range(turns):
            rows[at], targets[at] = met[turn], outlooks[turn]
            at = (at + 1) % size
        done += turns
    return at


@njit(cache=True, nogil=True)
def _mix_with_outcome(outlooks: Any, trust: float) -> None:
    """Mix the targets of a game's turns with its outcome, from the last turn to the first."""
    later = np.zeros(outlooks.shape[1])
    later[0] = 1.0  # C6
    for turn in range(len(outlooks) - 1, -1, -1):
        outlooks[turn] *= 1.0 - trust
        outlooks[turn, 0] += trust * later[-1]
        outlooks[turn, 1:] += trust * later[:-1]
        later = outlooks[turn]


@njit(cache=True, nogil=True)
def play_turn(
    model: Evaluator,
    chains: ChainTable,
    arrows: Words,
    exploration: float,
    seat: int,
    workspace: Workspace,
    hands: Words,
    discs: Words,
    stacks: Words,
    paths: Paths,
    outlook: Any,
) -> None:
    """Play a turn best, or sometimes at random; fills in the expected shares of all seats."""
    most = compute_turn(model, chains, workspace, arrows, seat, pool_of(hands), hands, discs, stacks)
    after = workspace.shares
    if np.random.random() < exploration:
        _play_by_chance(arrows, most, seat, hands, discs, stacks)
        evaluate(model, workspace, next_seat(seat, len(hands)), hands, discs, stacks)
    else:
        find_ends(chains, workspace, most, best_keep(chains, workspace, hands[seat])[0], paths)
        after[:] = 0.0
        for links in range(1, most + 1):
            after += paths.stops[links] * workspace.stopped[links]
        for left in range(1, dice_left(most) + 1):
            after += paths.fails[left] * workspace.failed[left]
        disc = (workspace.moves[:, 1] > workspace.moves[:, 0]).astype(np.int64)
        play_end(arrows, most, seat, disc, paths, hands, discs, stacks)
    outlook[0], outlook[1:] = after[-1], after[:-1]


@njit(cache=True, nogil=True)
def _play_by_chance(arrows: Words, most: int, seat: int, hands: Words, discs: Words, stacks: Words) -> None:
    links = 1 + np.random.randint(min(most, hands[seat] + 1))
    one, two = free_discs(seat, discs, stacks)
    second = two >= 0 and np.random.random() < 0.5
    if np.random.random() < 0.2 and links > 1:
        hands[seat] = dice_left(links)
    else:
        move(seat, two if second else one, links, arrows, discs, stacks)
        hands[seat] = links


@njit(cache=True, nogil=True)
def play_end(
    arrows: Words,
    most: int,
    seat: int,
    disc: Words,
    paths: Paths,
    hands: Words,
    discs: Words,
    stacks: Words,
) -> None:
    """Draw one of the ends of a turn and carry it out; ``disc`` says by links which free disc moves."""
    draw, links = np.random.random(), 0
    for left in range(1, dice_left(most) + 1):
        draw -= paths.fails[left]
        if draw < 0.0:
            hands[seat] = left
            return
    while draw >= 0.0 and links < most:
        links += 1
        draw -= paths.stops[links]
    move(seat, free_discs(seat, discs, stacks)[disc[links]], links, arrows, discs, stacks)
    hands[seat] = links


@njit(cache=True, nogil=True)
def sample_exact(
    model: Evaluator,
    truth: Evaluator,
    chains: ChainTable,
    arrows: Words,
    workspace: Workspace,
    hands: Words,
    discs: Words,
    paths: Paths,
    rows: Any,
    targets: Any,
    at: int,
    wanted: int,
) -> int:
    """Play as ``self_play`` does; writes the exact values of all turn starts that its turns may lead to."""
    size, done = len(rows), 0
    stacks, outlook = np.zeros(len(arrows), np.int64), np.zeros(2)
    while done < wanted:
        _set_up(arrows, hands, discs, stacks)
        seat, turns = np.random.randint(2), 0
        while turns < TURNS and not has_won(seat, discs, stacks):
            hand, before = hands[seat], at
            most = min(pool_of(hands) + hand, hand + AHEAD)
            for links in range(1, most + 1):
                hands[seat] = links
                if links <= dice_left(most + 1):
                    at = _add_example(truth, workspace, 1 - seat, hands, discs, stacks, rows, targets, at)
                for space in free_discs(seat, discs, stacks):
                    if space >= 0:
                        _, end, _ = move(seat, space, links, arrows, discs, stacks)
                        at = _add_example(truth, workspace, 1 - seat, hands, discs, stacks, rows, targets, at)
                        at = _add_neighbour(
                            truth, workspace, arrows, 1 - seat, hands, discs, stacks, rows, targets, at
                        )
                        take_back(seat, space, end, discs, stacks)
            hands[seat] = hand
            done += (at - before) % size
            play_turn(
                model, chains, arrows, EXPLORATION, seat, workspace, hands, discs, stacks, paths, outlook
            )
            seat, turns = 1 - seat, turns + 1
    return at


@njit(cache=True, nogil=True)
def _add_example(
    truth: Evaluator,
    workspace: Workspace,
    seat: int,
    hands: Words,
    discs: Words,
    stacks: Words,
    rows: Any,
    targets: Any,
    at: int,
) -> int:
    """Write the exact value of this start of the seat's turn, if it has not won (C6)."""
    if has_won(seat, discs, stacks):
        return at
    evaluate(truth, workspace, seat, hands, discs, stacks)
    track = features.ANY if np.random.random() < ELSEWHERE else truth.track
    read_rows(track, seat, hands, discs, stacks, workspace)
    rows[at], targets[at] = workspace.rows, workspace.shares
    return (at + 1) % len(rows)


@njit(cache=True, nogil=True)
def _add_neighbour(
    truth: Evaluator,
    workspace: Workspace,
    arrows: Words,
    seat: int,
    hands: Words,
    discs: Words,
    stacks: Words,
    rows: Any,
    targets: Any,
    at: int,
) -> int:
    """Write the example of a turn start that differs by one hand and maybe one move, likely or not."""
    one, other = hands
    hands[np.random.randint(2)] = 1 + np.random.randint(AHEAD)
    mover = np.random.randint(2)
    space = free_discs(mover, discs, stacks)[np.random.randint(2)]
    fits = pool_of(hands) >= 0
    if fits and space < 0:
        at = _add_example(truth, workspace, seat, hands, discs, stacks, rows, targets, at)
    elif fits:
        _, end, _ = move(mover, space, 1 + np.random.randint(AHEAD), arrows, discs, stacks)
        at = _add_example(truth, workspace, seat, hands, discs, stacks, rows, targets, at)
        take_back(mover, space, end, discs, stacks)
    hands[0], hands[1] = one, other
    return at


# What a network loses.


@njit(cache=True, nogil=True)
def lose(
    model: Evaluator,
    truth: Evaluator,
    chains: ChainTable,
    arrows: Words,
    games: int,
    seed: int,
    workspace: Workspace,
    exact: Workspace,
    paths: Paths,
) -> tuple[float, float, int]:
    """Games of the network against the exact table, first move in turns.

    :return: the sum of what each turn gave away, the sum of its squares by game, and the number of games that
        the network won.
    """
    np.random.seed(seed)
    hands, discs, stacks = np.zeros(2, np.int64), np.zeros((2, 2), np.int64), np.zeros(len(arrows), np.int64)
    lost, squares, won = 0.0, 0.0, 0
    for game in range(games):
        hands[:], discs[:], stacks[:] = 2, 0, 0
        seat, network_seat, this_game = ZERO, game % 2, 0.0
        while not has_won(seat, discs, stacks):
            pool = pool_of(hands)
            most = compute_turn(truth, chains, exact, arrows, seat, pool, hands, discs, stacks)
            dice, best = best_keep(chains, exact, hands[seat])
            plan = exact
            if seat == network_seat:
                plan = workspace
                compute_turn(model, chains, workspace, arrows, seat, pool, hands, discs, stacks)
                dice = best_keep(chains, workspace, hands[seat])[0]
            find_ends(chains, plan, most, dice, paths)
            disc = (plan.moves[:, 1] > plan.moves[:, 0]).astype(np.int64)
            if seat == network_seat:
                this_game += best - _worth_of_ends(most, disc, paths, exact)
            play_end(arrows, most, seat, disc, paths, hands, discs, stacks)
            seat = 1 - seat
        won += seat == network_seat
        lost += this_game
        squares += this_game * this_game
    return lost, squares, won


@njit(cache=True, nogil=True)
def _worth_of_ends(most: int, disc: Words, paths: Paths, exact: Workspace) -> float:
    """The exact value of a turn with these ends."""
    worth = 0.0
    for links in range(1, most + 1):
        worth += paths.stops[links] * exact.moves[links, disc[links]]
    for left in range(1, dice_left(most) + 1):
        worth += paths.fails[left] * exact.fail[left]
    return worth


def loss(network: Network, game: Chain, games: int, seed: int) -> Loss:
    """Let a network play against exact play, each moving first in half of the games.

    What it gives away is expected over the dice of each turn that is met.
    """
    truth = exact_evaluator(game)
    model = truth._replace(network=weights(network), waiter=truth.waiter[:0])
    lost, squares, won = lose(
        model, truth, chain_table(), tables(game).arrows, games, seed,
        new_workspace(2), new_workspace(2), paths(),
    )  # fmt: skip
    return Loss.of(games, lost, squares, won)


# Learning.


def fresh(players: int, width: int, rng: np.random.Generator) -> Weights:
    """A network with random weights."""
    rows, number = features.number_of_rows(players), features.number_of_features(players)
    return learning.fresh(rows, number, players, width, rng)


@cache
def exact_evaluator(game: Chain) -> Evaluator:
    """The evaluator of a game for two by its solution, which is computed if the cache folder has none."""
    solve(game, threads=1)
    return load_evaluator(game, exact=True)


def any_board(rng: np.random.Generator) -> Board:
    """A random board (C3)."""
    length = int(rng.integers(SHORTEST_TRACK, 45))
    spaces = rng.permutation(np.arange(1, length))[: 2 * int(rng.integers(0, 9))].tolist()
    return Board(length, tuple(zip(spaces[::2], spaces[1::2], strict=True)))


def train(
    players: int,
    positions: int,
    seed: int,
    report: Report,
    *,
    trained: Network | None = None,
    rate: float = 2e-3,
    width: int = 64,
    client: Any = None,
) -> Weights:
    """Train a network, or go on with a trained one, on this number of turn starts.

    After each round of games it learns from examples of their kind, played or solved, and from some of the
    other kind, so that it forgets neither.

    :param client: of a Dask cluster whose workers play; without it, and on solved boards, the examples are
        made here.
    """
    rng = np.random.default_rng(seed)
    set_seed(seed)
    net = unrounded(trained) if trained else fresh(players, width, rng)
    state, space, ways = adam(net), new_workspace(players), paths()
    met_rows = np.zeros(len(net.table), np.bool_)
    if trained:
        met_rows[:] = net.table.any(axis=1)
    else:
        met = positions // EACH if players == 2 else positions
        warm_up(net, state, players, met * BEFOREHAND, rng, met_rows, report)
    number = features.number_of_features(players)
    played, solved = (ReplayMemory(number, players, size) for size in (1 << 18, 1 << 20))
    chunk = 2048
    hands, discs = np.zeros(players, np.int64), np.zeros((players, 2), np.int64)
    shares = OF_TWO if players == 2 else (DEFAULT, *[(1 - DEFAULT) / 3] * 3)
    met = beat = 0
    while met < positions:
        done = met / positions
        board = str(rng.choice(["default", "short", "long", ""], p=shares))
        game = Chain(players, board or any_board(rng))
        arrows, is_solved = tables(game).arrows, bool(board) and players == 2
        truth = exact_evaluator(game) if is_solved else load_evaluator(game, exact=False)
        model = truth._replace(network=net, waiter=truth.waiter[:0])
        if is_solved:
            now, other, often = solved, played, SOLVED_AGAIN
            end = sample_exact(
                model, truth, chain_table(), arrows, space, hands, discs, ways, *now.next_rows(), EACH * chunk
            )
            new = now.grow(end)
        else:
            now, other, often = played, solved, PLAYED_AGAIN
            trust = TRUST * max(0.0, 1 - 1.2 * done)
            if client:
                play = partial(play_round, net, game, trust, chunk)
                new = sum(now.add(*found) for found in play_on_cluster(client, play, rng))
            else:
                end = self_play(
                    model, chain_table(), arrows, trust, space, hands, discs, ways, *now.next_rows(), chunk
                )
                new = now.grow(end)
        met += new
        rows, targets = now.sample(max(new * often // BATCH, 1) * BATCH, rng)
        if other.filled:
            more_rows, more_targets = other.sample(len(rows) // BESIDE // BATCH * BATCH, rng)
            order = rng.permutation(len(rows) + len(more_rows))
            rows = np.concatenate((rows, more_rows))[order]
            targets = np.concatenate((targets, more_targets))[order]
        met_rows[rows] = True
        error = learn(net, state, rows, targets, BATCH, schedule(done, rate), beat)
        beat += len(rows) // BATCH
        net.table[~met_rows] = 0.0  # rows without examples have no weight
        report(Progress(min(met / positions, 1.0), met, error**0.5), net)
    return net


def play_round(net: Weights, game: Chain, trust: float, wanted: int, seed: int) -> Positions:
    """At least ``wanted`` turn starts of self-play, for a worker of a cluster."""
    set_seed(seed)
    players = game.players
    model = load_evaluator(game, exact=False)._replace(network=net)
    found = ReplayMemory(features.number_of_features(players), players, wanted + TURNS)
    end = self_play(
        model, chain_table(), tables(game).arrows, trust, new_workspace(players),
        np.zeros(players, np.int64), np.zeros((players, 2), np.int64), paths(), *found.next_rows(), wanted,
    )  # fmt: skip
    return found.rows[:end], found.targets[:end]


def warm_up(
    net: Weights,
    state: Adam,
    players: int,
    positions: int,
    rng: np.random.Generator,
    met_rows: NDArray[np.bool_],
    report: Report,
) -> None:
    """Learn the winners of games by heuristics and random play."""
    batch, chunk, space = 256, 1 << 16, new_workspace(players)
    rows = np.zeros((chunk, features.number_of_features(players)), np.int32)
    targets = np.zeros((chunk, players), np.float32)
    met = 0
    while met < positions:
        board = str(rng.choice(list(BOARDS), p=[DEFAULT, *[(1 - DEFAULT) / 2] * 2]))
        game = Chain(players, board)
        first_row = np.array(row_of(game.track.length, game.initial_state()))
        found = games_by_heuristics(
            tables(game), first_row, players, met, np.uint64(rng.integers(1 << 60)),
            features.kind_of_track(game.track), space, rows, targets,
        )  # fmt: skip
        order = rng.permutation(found)
        met_rows[rows[order]] = True
        pace = 2e-3 * (1 - met / positions) + 5e-5
        error = learn(net, state, rows[order], targets[order], batch, pace, met // batch)
        met += found
        report(Progress(0.0, met, error**0.5), net)
