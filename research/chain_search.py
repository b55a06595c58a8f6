"""Whether search makes a master of Chain stronger: the turns after its own are worked out too (C6-C17).

A master works its own turn out and takes the network's values of the turn starts after it. The *searcher*
first works out the next one or two turns from there, as masters play them, and takes the values after those.
Or it plays some more turns many times, in *rollouts*, and takes the mean of the values after them. Ends of
turns that are less likely than ``CUT`` are not looked into; they get the mean correction of the rest.

The luck of every turn, measured by the network, is subtracted from the results and from the rollouts (as GNU
Backgammon does). Its mean is 0, so the mean result stays and its interval narrows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.games.chain.compiled import play as chain_kernel
from escadaria.games.chain.compiled.rules import (
    Words,
    dice_left,
    free_discs,
    has_won,
    move,
    next_seat,
    pool_of,
    take_back,
)
from escadaria.games.chain.compiled.values import (
    ChainTable,
    Evaluator,
    Paths,
    Workspace,
    best_keep,
    chain_table,
    fill_standing,
    find_ends,
    load_evaluator,
    new_workspace,
    paths,
    work_out,
)
from escadaria.games.chain.rules import LONGEST, Chain

CUT = 0.03
"""The least probability of an end of a turn that is looked into."""
MARGIN = 0.1
"""A disc whose move seems worse than the other's by more than this is not looked into."""
FAILS = LONGEST + 1
"""An end of a turn is the number of links it stops with; from here on, of the dice that a failure leaves."""

Shares = NDArray[np.float64]


class Level(NamedTuple):
    """The arrays for one of the turns that are worked out one after the other."""

    workspace: Workspace
    paths: Paths


class Search(NamedTuple):
    evaluator: Evaluator
    chains: ChainTable
    arrows: Words
    levels: tuple[Level, Level, Level]
    moves: Shares
    """[links, disc]: the network's values of the searcher's moves."""
    rollouts: int
    """For each end of the searcher's turn; without any the turns after it are worked out."""


def search(game: Chain, rollouts: int = 0) -> Search:
    """A search by the values that ship."""
    one, two, three = (Level(new_workspace(game.players), paths()) for _ in range(3))
    arrows, moves = chain_kernel.tables(game).arrows, np.zeros((LONGEST + 1, 2))
    evaluator = load_evaluator(game, exact=False)
    return Search(evaluator, chain_table(), arrows, (one, two, three), moves, rollouts)


# Turns as masters play them.


@njit(cache=True, nogil=True)
def plan(search: Search, level: Level, seat: int, hands: Words, discs: Words, stacks: Words) -> int:
    """Work a turn out and find the probabilities of its ends; returns the most links."""
    workspace, pool = level.workspace, pool_of(hands)
    evaluator, chains, arrows = search.evaluator, search.chains, search.arrows
    most = work_out(evaluator, chains, workspace, arrows, seat, pool, hands, discs, stacks)
    find_ends(chains, workspace, most, best_keep(chains, workspace, hands[seat])[0], level.paths)
    return int(most)


@njit(cache=True, nogil=True)
def chance_of(paths: Paths, end: int) -> float:
    return float(paths.stops[end] if end < FAILS else paths.fails[end - FAILS])


@njit(cache=True, nogil=True)
def shares_of(workspace: Workspace, end: int) -> Shares:
    """The network's shares after an end, from the next seat on."""
    if end < FAILS:
        return workspace.stopped[end, :]
    return workspace.failed[end - FAILS, :]


@njit(cache=True, nogil=True)
def better_disc(workspace: Workspace, links: int) -> int:
    return 1 if workspace.moves[links, 1] > workspace.moves[links, 0] else 0


@njit(cache=True, nogil=True)
def play_end(
    search: Search, disc: int, end: int, seat: int, hands: Words, discs: Words, stacks: Words
) -> tuple[int, int]:
    """Carry an end out; returns the space that the disc left and the one it came to, -1 without a move."""
    if end >= FAILS:
        hands[seat] = end - FAILS
        return -1, -1
    space = free_discs(seat, discs, stacks)[disc]
    hands[seat] = end
    _, reached, _ = move(seat, space, end, search.arrows, discs, stacks)
    return space, reached


@njit(cache=True, nogil=True)
def mean_of_ends(level: Level, most: int, out: Shares) -> None:
    """The shares before a turn that was planned, from its seat on, by the values after it."""
    out[:] = 0.0
    for end in range(1, FAILS + dice_left(most) + 1):
        if end <= most or end > FAILS:
            chance, shares = chance_of(level.paths, end), shares_of(level.workspace, end)
            for later in range(len(out)):
                out[next_seat(later, len(out))] += chance * shares[later]


@njit(cache=True, nogil=True)
def draw_end(level: Level, most: int) -> int:
    """One of the ends of a turn that was planned, by their probabilities."""
    draw, drawn = np.random.random(), -1
    for end in range(1, FAILS + dice_left(most) + 1):
        chance = chance_of(level.paths, end) if end <= most or end > FAILS else 0.0
        if chance > 0.0 and draw >= 0.0:  # the last one if rounding leaves something
            drawn = end
            draw -= chance
    return drawn


@njit(cache=True, nogil=True)
def look(
    search: Search, level: Level, seat: int, hands: Words, discs: Words, stacks: Words, out: Shares
) -> None:
    """The shares at the start of a turn, from its seat on, by the values after it."""
    out[:] = 0.0
    if has_won(seat, discs, stacks):
        out[0] = 1.0
        return
    mean_of_ends(level, plan(search, level, seat, hands, discs, stacks), out)


@njit(cache=True, nogil=True)
def look_further(
    search: Search, seat: int, hands: Words, discs: Words, stacks: Words, cut: float, out: Shares
) -> None:
    """The same by the values after one more turn, where that is likely enough."""
    level, next_level = search.levels[1], search.levels[2]
    look(search, level, seat, hands, discs, stacks, out)
    if has_won(seat, discs, stacks):
        return
    hand, following, likely = hands[seat], next_seat(seat, len(hands)), 0.0
    after, change = np.zeros(len(out)), np.zeros(len(out))
    for end in range(1, FAILS + len(level.paths.fails)):
        if end == FAILS or chance_of(level.paths, end) < cut:
            continue
        chance, shares = chance_of(level.paths, end), shares_of(level.workspace, end)
        disc = better_disc(level.workspace, end) if end < FAILS else 0
        space, reached = play_end(search, disc, end, seat, hands, discs, stacks)
        look(search, next_level, following, hands, discs, stacks, after)
        if space >= 0:
            take_back(seat, space, reached, discs, stacks)
        hands[seat] = hand
        likely += chance
        for later in range(len(out)):
            change[next_seat(later, len(out))] += chance * (after[later] - shares[later])
    if likely > 0.0:
        for later in range(len(out)):
            out[later] += change[later] / likely


@njit(cache=True, nogil=True)
def roll_out(
    search: Search, turns: int, seat: int, hands: Words, discs: Words, stacks: Words, out: Shares
) -> None:
    """The same by rollouts: the mean of the values after ``turns`` turns, without luck.

    What remains without luck is, for each turn, the mean of the values after it minus the value before it.
    """
    first, level, players = search.levels[1], search.levels[2], len(hands)
    look(search, first, seat, hands, discs, stacks, out)
    if has_won(seat, discs, stacks):
        return
    change, mean = np.zeros(players), np.zeros(players)
    most = min(LONGEST, hands[seat] + pool_of(hands))
    for _ in range(search.rollouts):
        mover, here, links = seat, first, most
        its_hands, its_discs, its_stacks = hands.copy(), discs.copy(), stacks.copy()
        for _ in range(1, turns):
            end = draw_end(here, links)
            before = shares_of(here.workspace, end).copy()
            disc = better_disc(here.workspace, end) if end < FAILS else 0
            play_end(search, disc, end, mover, its_hands, its_discs, its_stacks)
            mover, here = next_seat(mover, players), level
            if has_won(mover, its_discs, its_stacks):
                break
            links = plan(search, level, mover, its_hands, its_discs, its_stacks)
            mean_of_ends(level, links, mean)
            for later in range(players):
                change[(mover + later - seat) % players] += mean[later] - before[later]
    out += change / search.rollouts


# The searcher.


@njit(cache=True, nogil=True)
def plan_deeper(
    search: Search, turns: int, cut: float, seat: int, hands: Words, discs: Words, stacks: Words
) -> int:
    """``plan`` for the first level, by the values after some more ``turns``."""
    level = search.levels[0]
    workspace, stops, fails = level.workspace, level.paths.stops, level.paths.fails
    most = plan(search, level, seat, hands, discs, stacks)
    search.moves[:] = workspace.moves
    hand, following, last = hands[seat], next_seat(seat, len(hands)), len(hands) - 1
    spaces, after, changes, likely = (
        free_discs(seat, discs, stacks),
        np.zeros(len(hands)),
        np.zeros(2),
        np.zeros(2),
    )
    for end in range(1, FAILS + dice_left(most) + 1):
        if (end > most and end <= FAILS) or chance_of(level.paths, end) < cut:
            continue
        kind = 0 if end < FAILS else 1
        before = workspace.stop[end] if kind == 0 else workspace.fail[end - FAILS]
        best = -1.0
        for disc in range(2 if kind == 0 else 1):
            if kind == 0 and (spaces[disc] < 0 or search.moves[end, disc] < before - MARGIN):
                continue
            space, reached = play_end(search, disc, end, seat, hands, discs, stacks)
            if search.rollouts:
                roll_out(search, turns, following, hands, discs, stacks, after)
            elif turns == 1:
                look(search, search.levels[1], following, hands, discs, stacks, after)
            else:
                look_further(search, following, hands, discs, stacks, cut, after)
            if space >= 0:
                take_back(seat, space, reached, discs, stacks)
                workspace.moves[end, disc] = after[last]
            hands[seat] = hand
            best = max(best, after[last])
        if kind == 0:
            workspace.stop[end] = best
        else:
            workspace.fail[end - FAILS] = best
        likely[kind] += chance_of(level.paths, end)
        changes[kind] += chance_of(level.paths, end) * (best - before)
    for links in range(1, most + 1):
        if stops[links] < cut and likely[0] > 0.0:
            workspace.stop[links] += changes[0] / likely[0]
    for left in range(1, dice_left(most) + 1):
        if fails[left] < cut and likely[1] > 0.0:
            workspace.fail[left] += changes[1] / likely[1]
    fill_standing(search.chains, workspace, most)
    find_ends(search.chains, workspace, most, best_keep(search.chains, workspace, hand)[0], level.paths)
    return most


@njit(cache=True, nogil=True)
def play_game(
    search: Search, turns: int, cut: float, dealt: Words, searcher: int
) -> tuple[float, float, int]:
    """One game among masters: whether the searcher wins, the luck that it had, and its number of turns.

    :param turns: how many turns it looks beyond its own; 0 for a master.
    """
    level, players, seat, luck, played = search.levels[0], len(dealt), 0, 0.0, 0
    hands, discs = dealt.copy(), np.zeros((players, 2), np.int64)
    stacks, disc = np.zeros(len(search.arrows), np.int64), 0
    while not has_won(seat, discs, stacks):
        deeper = turns > 0 and seat == searcher
        if deeper:
            most = plan_deeper(search, turns, cut, seat, hands, discs, stacks)
        else:
            most = plan(search, level, seat, hands, discs, stacks)
        played += seat == searcher
        following = next_seat(seat, players)
        its = (searcher - following) % players
        drawn, mean, came = draw_end(level, most), 0.0, 0.0
        for end in range(1, FAILS + dice_left(most) + 1):
            if end > most and end <= FAILS:
                continue
            chance = chance_of(level.paths, end)
            if chance == 0.0:
                continue
            if deeper and end < FAILS:
                worth = search.moves[end, better_disc(level.workspace, end)]
            else:
                worth = shares_of(level.workspace, end)[its]
            mean += chance * worth
            if end == drawn:
                came = worth
        luck += came - mean
        disc = better_disc(level.workspace, drawn) if drawn < FAILS else 0
        play_end(search, disc, drawn, seat, hands, discs, stacks)
        seat = following
    return 1.0 if seat == searcher else 0.0, luck, played


@njit(cache=True, nogil=True)
def play_games(
    search: Search, turns: int, cut: float, dealt: Words, seed: int, results: NDArray[np.float64]
) -> None:
    """Fill ``results`` as ``measure`` has them. The searcher's seat moves on by one each game."""
    np.random.seed(seed)
    for game in range(len(results)):
        won, luck, played = play_game(search, turns, cut, dealt, game % len(dealt))
        results[game, 0], results[game, 1], results[game, 2] = won, won - luck, played


def measure(
    game: Chain, turns: int, games: int, seed: int, cut: float = CUT, rollouts: int = 0
) -> NDArray[np.float64]:
    """[game, 0 to 2]: whether the searcher won among masters, the same without its luck, its turns."""
    results = np.zeros((games, 3))
    play_games(search(game, rollouts), turns, cut, np.array(game.initial_state().hands), seed, results)
    return results
