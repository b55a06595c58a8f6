"""Rules of thumb for Chain, judged by the exact solution for two (C1-C17).

A player who follows rules is watched against one who plays perfectly. What a turn is worth by any rules is
known exactly over all dice: a walk through the chains of ``chain_solver`` with their decisions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import solutions
from escadaria.chain import Chain
from escadaria.lab.chain_solver import FAILED, moves, turns
from escadaria.solutions.chain import DICE, HAND_ROWS, ChainSolution, arrangements
from escadaria.strategy import chain as thumbs

lengthens = njit(cache=True, nogil=True)(thumbs.lengthens)
appeal = njit(cache=True, nogil=True)(thumbs.appeal)


class Race(NamedTuple):
    """A board for two, solved."""

    waiter: Any
    """[arrangement, hands]: what the seat that waits is sure to win."""
    stopped: Any
    """[arrangement, disc, links - 1]: the arrangement after a move as the other seat sees it, or -1."""
    failed: Any
    """[arrangement]: the same after failing."""
    spaces: Any
    """[arrangement, disc]: where the discs lie, two of the seat to move, then two of the other."""
    free: Any
    """[arrangement]: how many discs of the seat to move are free."""
    centre: int
    start: int
    """The arrangement in which a race starts."""
    ways: Any
    chains: Any
    rolls: Any
    chances: Any
    built: Any
    levels: Any
    unlinkable: Any
    open: Any
    """By chain: how many numbers fit, in the better direction."""


def race(game: Chain) -> Race:
    solution = solutions.find(game)
    if not isinstance(solution, ChainSolution):
        raise SystemExit(f"there is no exact solution yet: escadaria solve chain --board {game.board}")
    board = game.track
    moved, lying, every = moves(board), arrangements(board), turns()
    rows = np.searchsorted(lying.first.ravel(), np.arange(lying.count), side="right") - 1
    pairs = np.array(lying.pairs)
    spaces = np.concatenate([pairs[rows // len(pairs)], pairs[rows % len(pairs)]], axis=1)
    free = (moved.stopped[:, :, 0] >= 0).sum(axis=1)
    state = game.initial_state()
    fits = (every.ways != FAILED).sum(axis=1)
    open_ends = np.zeros(len(every.chains), np.int64)
    for most in range(1, DICE):
        for links in range(most - 1, 0, -1):
            way = every.levels[most, links, 0]
            some = slice(every.levels[most, links, 1], every.levels[most, links - 1, 1])
            open_ends[some] = fits[way + every.chains[some]].max(axis=1)
    return Race(
        np.ascontiguousarray(solution.waiter), moved.stopped, moved.failed, spaces, free, board.length,
        lying.number(state, 0), *every, open_ends,
    )  # fmt: skip


class Walk(NamedTuple):
    """Room for a turn: what stands to be won by links and disc, what failing is worth, and chains."""

    stop: Any
    disc: Any
    home: Any
    gift: Any
    fail: Any
    value: Any
    """[links, chain]"""
    goes_on: Any
    """[links, chain]: 0 or 1 for the way to lengthen, -1 for stopping."""
    picks: Any
    """[links, roll]: which chain is built."""


def room() -> Walk:
    return Walk(
        np.zeros(DICE + 1), np.zeros(DICE + 1, np.int64), np.zeros(DICE + 1, np.bool_),
        np.zeros(DICE + 1, np.bool_), np.zeros(DICE + 1),
        np.zeros((DICE + 1, FAILED + 1)), np.zeros((DICE + 1, FAILED + 1), np.int8),
        np.zeros(1 << 16, np.int32),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def look(race: Race, rules: Any, best: bool, number: int, own: int, other: int, walk: Walk) -> None:
    """Which disc would move after so many links, and what that and failing are worth."""
    most, row = DICE - other, HAND_ROWS[other]
    for links in range(1, most + 1):
        chosen, looks = -1, -1e9
        for disc in range(2):
            after = race.stopped[number, disc, links - 1]
            if after < 0:
                continue
            worth = race.waiter[after, row + links - 1]
            if not best:
                worth = _looks(race, rules, number, disc, after)
            if worth > looks:
                chosen, looks = disc, worth
        after = race.stopped[number, chosen, links - 1]
        walk.disc[links] = chosen
        walk.stop[links] = race.waiter[after, row + links - 1]
        walk.gift[links] = race.free[after] == 0
        home = int(race.spaces[after, 2] == race.centre) + int(race.spaces[after, 3] == race.centre)
        home -= int(race.spaces[number, 0] == race.centre) + int(race.spaces[number, 1] == race.centre)
        walk.home[links] = home > 0
    for left in range(1, most // 2 + 1):
        walk.fail[left] = race.waiter[race.failed[number], row + left - 1]


@njit(cache=True, nogil=True)
def _looks(race: Race, rules: Any, number: int, disc: int, after: int) -> float:
    """A move by the rules; ``after`` is seen by the other seat, whose discs come first."""
    spaces, gift = race.spaces[after], race.free[after] == 0
    home = int(spaces[2] == race.centre) + int(spaces[3] == race.centre)
    others = int(spaces[0] == race.centre) + int(spaces[1] == race.centre)
    covered = 2 - others - race.free[after]
    buried = 2 - home - race.free[race.failed[after]]
    rear = race.spaces[number, disc] < race.spaces[number, 1 - disc]
    gone = spaces[2] + spaces[3]
    worth = appeal(rules, gone, home, covered, buried, rear, race.centre - min(spaces[2], spaces[3]))
    if gift and rules[thumbs.GIFT]:
        worth -= 1000
    return float(worth)


@njit(cache=True, nogil=True)
def work_out(race: Race, rules: Any, best: bool, own: int, other: int, walk: Walk) -> tuple[int, float]:
    """Every decision of a turn after ``look``: how many dice to keep, and what the turn is worth."""
    most = DICE - other
    kept, worth = 0, -1.0
    limit = own if best else min(own, rules[thumbs.KEEP])
    for links in range(most, 0, -1):
        stop = walk.stop[links]
        start, end = race.levels[most, links, 1], race.levels[most, links - 1, 1]
        way = race.levels[most, links, 0]
        if links == most:
            walk.value[links, 0], walk.goes_on[links, 0] = stop, -1
        else:
            fail = walk.fail[(links + 1) // 2]  # C14
            walk.value[links + 1, FAILED] = fail
            for chain in range(start, end):
                values = walk.value[links + 1]
                longer, which, fits = -1.0, -1, -1
                for side in range(2):
                    entries, total, fitting = race.ways[way + race.chains[chain, side]], 0.0, 0
                    for face in range(6):
                        total += values[entries[face]]
                        fitting += entries[face] != FAILED
                    total /= 6
                    if (total > longer) if best else (fitting > fits):
                        longer, which, fits = total, side, fitting
                if best:
                    goes_on = longer > stop
                else:
                    goes_on = lengthens(rules, links, fits, walk.home[links], walk.gift[links])
                walk.value[links, chain - start] = longer if goes_on else stop
                walk.goes_on[links, chain - start] = which if goes_on else -1
        if links <= limit and (best or links == limit):
            value = race.unlinkable[links] * walk.fail[links // 2]
            for roll in range(race.levels[most, links, 2], race.levels[most, links - 1, 2]):
                pick = _pick(race, best, most, links, roll, walk)
                walk.picks[roll - race.levels[most, most, 2]] = pick
                value += race.chances[roll] * walk.value[links, pick]
            if value > worth:
                kept, worth = links, value
    return kept, worth


@njit(cache=True, nogil=True)
def _pick(race: Race, best: bool, most: int, links: int, roll: int, walk: Walk) -> int:
    """The chain that a roll is built into: the best, or the one with the most open end."""
    pick, looks = -1, -1.0
    for choice in range(race.rolls[roll], race.rolls[roll + 1]):
        chain = race.built[choice]
        if best:
            worth = walk.value[links, chain]
        else:
            worth = float(race.open[race.levels[most, links, 1] + chain]) if links < most else 0.0
        if worth > looks:
            pick, looks = chain, worth
    return pick


@njit(cache=True, nogil=True)
def play(race: Race, kept: int, other: int, walk: Walk) -> tuple[int, bool]:
    """Roll the dice of a turn that was worked out: with how many dice it ends, and whether it failed."""
    most = DICE - other
    lot = np.random.random()
    first, last = race.levels[most, kept, 2], race.levels[most, kept - 1, 2]
    lot -= race.unlinkable[kept]
    if lot < 0:
        return kept // 2, True
    roll = first
    while roll < last - 1 and lot >= race.chances[roll]:
        lot -= race.chances[roll]
        roll += 1
    links, chain = kept, int(walk.picks[roll - race.levels[most, most, 2]])
    while walk.goes_on[links, chain] >= 0:
        ways = race.chains[race.levels[most, links, 1] + chain]
        entries = race.ways[race.levels[most, links, 0] + ways[walk.goes_on[links, chain]]]
        chain = int(entries[np.random.randint(6)])
        links += 1
        if chain == FAILED:
            return links - (links + 1) // 2, True  # C14
    return links, False


class Turns(NamedTuple):
    number: NDArray[np.int64]
    own: NDArray[np.int64]
    other: NDArray[np.int64]
    best: NDArray[np.float64]


@njit(cache=True, nogil=True)
def watch(
    race: Race, rules: Any, best: bool, games: int, met: Turns, losses: Any, mine: Walk, theirs: Walk
) -> tuple[int, int, int]:
    """Games of who follows the rules against perfect play; how many were played and won, and the turns met.

    Ends early when ``met`` is full. ``losses`` by game, if it has room.
    """
    turns, won, keeps = 0, 0, len(losses) == 0
    for game in range(games):
        number, hands = race.start, np.array([2, 2])
        seat = game % 2
        while race.free[number] > 0:  # C6
            own, other = hands[seat], hands[1 - seat]
            look(race, rules, True, number, own, other, theirs)
            kept, worth = work_out(race, rules, True, own, other, theirs)
            walk = theirs
            if seat == 0:
                if keeps and turns == len(met.number):
                    return game, won, turns
                look(race, rules, best, number, own, other, mine)
                kept, lower = work_out(race, rules, best, own, other, mine)
                walk = mine
                if keeps:
                    met.number[turns], met.own[turns], met.other[turns] = number, own, other
                    met.best[turns] = worth
                else:
                    losses[game] += worth - lower
                turns += 1
            hands[seat], failed = play(race, kept, other, walk)
            if failed:
                number = race.failed[number]
            else:
                number = race.stopped[number, walk.disc[hands[seat]], hands[seat] - 1]
            seat = 1 - seat
        won += seat == 0
    return games, won, turns


@njit(cache=True, nogil=True)
def given_away(race: Race, rules: Any, met: Turns, which: Any, walk: Walk) -> float:
    lost = 0.0
    for turn in which:
        look(race, rules, False, met.number[turn], met.own[turn], met.other[turn], walk)
        lost += met.best[turn] - work_out(race, rules, False, met.own[turn], met.other[turn], walk)[1]
    return lost / len(which)
