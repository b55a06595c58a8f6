"""How much stronger than a master of Chain the grandmaster is: one of them among masters (C6-C17).

The luck of every turn, measured by the network, is subtracted from the results. Its mean is 0, so the mean
result stays and its interval narrows.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute import ZERO
from escadaria.games.chain.compiled.rules import SIDES, Words, dice_left, has_won, next_seat
from escadaria.games.chain.compiled.search import (
    FAILS,
    Level,
    Search,
    better_disc,
    chance_of,
    draw_end,
    new_level,
    new_search,
    plan,
    plan_by_search,
    play_end,
    shares_of,
)
from escadaria.games.chain.compiled.turns import (
    ChainTable,
    best_keep,
    best_lengthening,
    best_slot,
    kept,
    lengthened,
    slot_after,
)
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.turn import ENDS


@njit(cache=True, nogil=True)
def draw_roll(chains: ChainTable, dice: int) -> int:
    """A roll of this number of dice; -1 if they cannot all be linked (C10)."""
    draw = np.random.random()
    for roll in range(chains.first_roll[dice], chains.first_roll[dice + 1]):
        draw -= chains.chances[roll]
        if draw < 0.0:
            return int(roll)
    return -1


@njit(cache=True, nogil=True)
def search_turn(search: Search, level: Level, seat: int, hands: Words, discs: Words, stacks: Words) -> float:
    """A turn of the grandmaster, which searches anew after each roll; returns its luck by the network."""
    chains, searched, known = search.chains, search.levels[0].workspace, level.workspace
    most = plan(search, level, seat, hands, discs, stacks)
    plan_by_search(search, ZERO, seat, hands, discs, stacks)
    links = best_keep(chains, searched, hands[seat])[0]
    hands[seat] = links
    luck, roll = -kept(chains, known, links), draw_roll(chains, links)
    if roll < 0:
        hands[seat] = dice_left(links)
        return float(luck + known.fail[dice_left(links)])
    luck += known.standing[best_slot(chains, known.standing, roll)]
    plan_by_search(search, links, seat, hands, discs, stacks)
    slot = best_slot(chains, searched.standing, roll)
    while links < most and searched.standing[slot] > searched.stop[links]:
        left = dice_left(links + 1)
        way = best_lengthening(searched.standing, searched.fail[left], slot)[1]
        luck -= lengthened(known.standing, known.fail[left], slot // ENDS, slot % ENDS // 3, way)
        slot = slot_after(slot, way, np.random.randint(SIDES))
        if slot < 0:
            hands[seat] = left
            return float(luck + known.fail[left])
        luck += known.standing[slot]
        links += 1
        hands[seat] = links
        plan_by_search(search, links, seat, hands, discs, stacks)
    play_end(search, better_disc(searched, links), links, seat, hands, discs, stacks)
    return float(luck)


@njit(cache=True, nogil=True)
def master_turn(
    search: Search, level: Level, seat: int, hands: Words, discs: Words, stacks: Words, later: int
) -> float:
    """A turn of a master; returns the luck of another seat, which is ``later`` than the next one."""
    most, mean, came = plan(search, level, seat, hands, discs, stacks), 0.0, 0.0
    drawn = draw_end(level, most)
    for end in range(1, FAILS + dice_left(most) + 1):
        if end <= most or end > FAILS:
            share = shares_of(level.workspace, end)[later]
            mean += chance_of(level.paths, end) * share
            if end == drawn:
                came = share
    disc = better_disc(level.workspace, drawn) if drawn < FAILS else 0
    play_end(search, disc, drawn, seat, hands, discs, stacks)
    return came - mean


@njit(cache=True, nogil=True)
def play_game(
    search: Search, level: Level, searches: bool, dealt: Words, ours: int
) -> tuple[float, float, int]:
    """One game among masters: whether our seat wins, the luck that it had, and its number of turns."""
    players, seat, luck, played = len(dealt), ZERO, 0.0, 0
    hands, discs = dealt.copy(), np.zeros((players, 2), np.int64)
    stacks = np.zeros(len(search.arrows), np.int64)
    while not has_won(seat, discs, stacks):
        following = next_seat(seat, players)
        if seat == ours and searches:
            luck += search_turn(search, level, seat, hands, discs, stacks)
        else:
            luck += master_turn(search, level, seat, hands, discs, stacks, (ours - following) % players)
        played += seat == ours
        seat = following
    return 1.0 if seat == ours else 0.0, luck, played


@njit(cache=True, nogil=True)
def play_games(
    search: Search, level: Level, searches: bool, dealt: Words, seed: int, results: NDArray[np.float64]
) -> None:
    """Fill ``results`` as ``measure`` has them. Our seat moves on by one each game."""
    np.random.seed(seed)
    for game in range(len(results)):
        won, luck, played = play_game(search, level, searches, dealt, game % len(dealt))
        results[game, 0], results[game, 1], results[game, 2] = won, won - luck, played


def measure(game: Chain, turns: int, games: int, seed: int, rollouts: int = 1) -> NDArray[np.float64]:
    """[game, 0 to 2]: whether the searcher won among masters, the same without its luck, its turns.

    :param turns: how many turns it searches beyond its own; 0 for a master.
    """
    results, dealt = np.zeros((games, 3)), np.array(game.initial_state().hands)
    search = new_search(game, max(rollouts, 1), max(turns, 1))
    play_games(search, new_level(game.players), turns > 0, dealt, seed, results)
    return results
