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
from escadaria.bots.chain import LOVE
from escadaria.bots.simple import HANDFUL
from escadaria.chain import Chain
from escadaria.lab.chain_solver import FAILED, moves, turns
from escadaria.lab.learning import set_seed
from escadaria.lab.rules_of_thumb import Family, Measured, Numbers, Report, Stage, search, stages, tuned
from escadaria.solutions.chain import DICE, HAND_ROWS, ChainSolution, arrangements
from escadaria.strategy import chain as thumbs
from escadaria.strategy.chain import FAR

lengthens = njit(cache=True, nogil=True)(thumbs.lengthens)
appeal = njit(cache=True, nogil=True)(thumbs.appeal)
keeps = njit(cache=True, nogil=True)(thumbs.keeps)


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


def waiters(game: Chain) -> Any:
    """What the seat that waits is sure to win, by the game's solution."""
    solution = solutions.find(game)
    if not isinstance(solution, ChainSolution):
        raise SystemExit("there is no exact solution yet: escadaria solve chain --board default")
    return solution.waiter


def race(game: Chain, waiter: Any) -> Race:
    """The game with ``waiter[arrangement, hands]``."""
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
        np.ascontiguousarray(waiter), moved.stopped, moved.failed, spaces, free, board.length,
        lying.number(state, 0), *every, open_ends,
    )  # fmt: skip


class Walk(NamedTuple):
    """Room for a turn: what stands to be won by links and disc, what failing is worth, and chains."""

    stop: Any
    disc: Any
    home: Any
    gift: Any
    looks: Any
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
        np.zeros(DICE + 1, np.bool_), np.zeros(DICE + 2, np.int64), np.zeros(DICE + 1),
        np.zeros((DICE + 1, FAILED + 1)), np.zeros((DICE + 1, FAILED + 1), np.int8),
        np.zeros(1 << 16, np.int32),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def look(race: Race, rules: Any, best: bool, number: int, other: int, walk: Walk) -> int:
    """Which disc would move after so many links, and what that and failing are worth.

    How far the other's last free disc is from the centre, if there is only one.
    """
    most, row = DICE - other, HAND_ROWS[other]
    for links in range(1, most + 1):
        chosen, worth = -1, -1e9
        for disc in range(2):
            after = race.stopped[number, disc, links - 1]
            if after >= 0:
                looks = _looks(race, rules, number, disc, after)
                real = race.waiter[after, row + links - 1] if best else float(looks)
                if real > worth:
                    chosen, worth = disc, real
                    walk.looks[links] = looks
        after = race.stopped[number, chosen, links - 1]
        walk.disc[links] = chosen
        walk.stop[links] = race.waiter[after, row + links - 1]
        walk.gift[links] = race.free[after] == 0
        walk.home[links] = _home(race, after, 2) > _home(race, number, 0)
    walk.looks[most + 1] = walk.looks[most]
    for left in range(1, most // 2 + 1):
        walk.fail[left] = race.waiter[race.failed[number], row + left - 1]
    waits = race.failed[number]
    if race.free[waits] != 1:
        return thumbs.FAR
    disc = 0 if race.stopped[waits, 0, 0] >= 0 else 1
    return int(race.centre - race.spaces[waits, disc])


@njit(cache=True, nogil=True)
def _home(race: Race, number: int, first: int) -> int:
    """How many of a seat's discs lie at the centre."""
    spaces = race.spaces[number]
    return int(spaces[first] == race.centre) + int(spaces[first + 1] == race.centre)


@njit(cache=True, nogil=True)
def _looks(race: Race, rules: Any, number: int, disc: int, after: int) -> int:
    """A move by the rules; ``after`` is seen by the other seat, whose discs come first."""
    spaces, gift = race.spaces[after], race.free[after] == 0
    waits, covers = race.failed[number], False
    end = spaces[2] + spaces[3] - race.spaces[number, 1 - disc]  # where the disc that moves lands
    for theirs in range(2):
        free = race.stopped[waits, theirs, 0] >= 0
        covers = covers or (free and 0 < race.spaces[waits, theirs] == end < race.centre)  # C17
    return int(appeal(rules, spaces[2] + spaces[3], _home(race, after, 2), gift, covers))


@njit(cache=True, nogil=True)
def work_out(
    race: Race, rules: Any, best: bool, own: int, other: int, close: int, walk: Walk
) -> tuple[int, float]:
    """Every decision of a turn after ``look``: how many dice to keep, and what the turn is worth."""
    most = DICE - other
    kept, worth = 0, -1.0
    limit = own if best else keeps(rules, own, walk.looks)
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
                    extra = walk.looks[links + 1] - walk.looks[links]
                    goes_on = lengthens(rules, links, fits, walk.home[links], walk.gift[links], extra, close)
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
            close = look(race, rules, True, number, other, theirs)
            kept, worth = work_out(race, rules, True, own, other, close, theirs)
            walk = theirs
            if seat == 0:
                if keeps and turns == len(met.number):
                    return game, won, turns
                look(race, rules, best, number, other, mine)
                kept, lower = work_out(race, rules, best, own, other, close, mine)
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
        own, other = met.own[turn], met.other[turn]
        close = look(race, rules, False, met.number[turn], other, walk)
        lost += met.best[turn] - work_out(race, rules, False, own, other, close, walk)[1]
    return lost / len(which)


# Measuring.


def measure(race: Race, rules: Numbers, games: int, seed: int) -> Measured:
    """Let who follows the rules play against perfect play, each first in half of the games."""
    set_seed(seed)
    losses = np.zeros(games)
    _, won, _ = watch(race, rules, False, games, _turns(0), losses, room(), room())
    return Measured(float(losses.mean()), float(losses.std() / np.sqrt(games)), won / games, games)


def gather(race: Race, rules: Numbers | None, turns: int, seed: int) -> tuple[Turns, float]:
    """Turns as they are met by who follows the rules, or plays best; how many there are in a game."""
    set_seed(seed)
    met, numbers = _turns(turns), np.array(thumbs.NOTHING) if rules is None else rules
    games, _, _ = watch(race, numbers, rules is None, 10**9, met, np.zeros(0), room(), room())
    return met, turns / games


def _turns(number: int) -> Turns:
    numbers, own, other = np.zeros((3, number), np.int64)
    return Turns(numbers, own, other, np.zeros(number))


_SIMPLE = (8, 0, 1, 100, 0, 0, FAR, 0, 0, 0, 0, HANDFUL)
BOTS = {"simple": _SIMPLE, "regular": (*_SIMPLE[: thumbs.COVER], LOVE, HANDFUL)}
"""These bots follow such rules themselves: a chance of two in three, a handful, the centre before all."""


# The search.


def family() -> Family:
    """The rules to choose from."""
    choices: dict[int, Any] = {
        thumbs.BASE: range(1, 11),
        thumbs.SLOPE: (1, 2),
        thumbs.GIFT: (1,),
        thumbs.HOME: (6, 9, 12, 15),
        thumbs.DICE: (2, 3, 4, 5),
        thumbs.WORSE: (2, 3, 4, 6, 8),
        thumbs.BETTER: (3, 4, 5, 6),
        thumbs.MORE: (1, 2, 3, 4),
        thumbs.CLOSE: (4, 6, 8, 10),
        thumbs.DARE: (1, 2, 3, 4),
        thumbs.COVER: (-4, -2, 2, 4),
        thumbs.MOST: (5, 6, 7, 8),
    }
    return Family(thumbs.PLACES, thumbs.NOTHING, {}, choices)


GUESS = (3, 1, 1, 12, 4, 4, 6, 2, 10, 2, 0, FAR)
"""To meet sensible positions at first."""


def find(
    race: Race, turns: int, seed: int, most: int, gain: float, report: Report
) -> tuple[Numbers, list[Stage]]:
    """Rules, and what is lost by those who follow the first of them, the first two, …"""
    some, walk = family(), room()
    met, each = gather(race, np.array(GUESS), turns, seed)
    everything, part = np.arange(turns), np.arange(0, turns, 2)

    def cost(numbers: Numbers) -> float:
        return each * given_away(race, numbers, met, everything, walk)

    def rough(numbers: Numbers) -> float:
        return each * given_away(race, numbers, met, part, walk)

    numbers, names = search(some, cost, rough, most, gain, report)
    met, each = gather(race, numbers, turns, seed + 1)
    lost, numbers = tuned(some, names, numbers, cost, 2)
    report("tuned", lost, numbers)
    return numbers, stages(some, names, numbers, cost, report)


# The chart.

LINKS, FITS = 10, 6


@njit(cache=True, nogil=True)
def tally(race: Race, met: Turns, walk: Walk, reach: Any, out: Any) -> None:
    """Add up over turns of best play by links and numbers that fit; moves to the centre and gifts left out.

    How often the player decides there, by how much lengthening is better, and how often it is.
    """
    nothing = np.array(thumbs.NOTHING)
    for turn in range(len(met.number)):
        own, other = met.own[turn], met.other[turn]
        most = DICE - other
        close = look(race, nothing, True, met.number[turn], other, walk)
        kept, _ = work_out(race, nothing, True, own, other, close, walk)
        reach[:] = 0.0
        for roll in range(race.levels[most, kept, 2], race.levels[most, kept - 1, 2]):
            reach[kept, walk.picks[roll - race.levels[most, most, 2]]] += race.chances[roll]
        for links in range(kept, min(most, LINKS + 1)):
            start, end = race.levels[most, links, 1], race.levels[most, links - 1, 1]
            for chain in range(end - start):
                met_here = reach[links, chain]
                if met_here == 0.0:
                    continue
                longer, entries = -1.0, race.ways[0]
                for side in range(2):
                    some = race.ways[race.levels[most, links, 0] + race.chains[start + chain, side]]
                    total = 0.0
                    for face in range(6):
                        total += walk.value[links + 1, some[face]] / 6
                    if total > longer:
                        longer, entries = total, some
                gain, fits = longer - walk.stop[links], race.open[start + chain]
                if not walk.home[links] and not walk.gift[links] and links <= LINKS and fits > 0:
                    out[0, links - 1, fits - 1] += met_here
                    out[1, links - 1, fits - 1] += met_here * gain
                    out[2, links - 1, fits - 1] += met_here * (gain > 0)
                if gain > 0:
                    for face in range(6):
                        if entries[face] != FAILED:
                            reach[links + 1, entries[face]] += met_here / 6


def chart(race: Race, turns: int, seed: int) -> tuple[list[list[int | None]], float]:
    """[links][numbers that fit]: 1 to lengthen, 0 to stop, None where nobody is; how often it is right."""
    met, _ = gather(race, None, turns, seed)
    out = np.zeros((3, LINKS, FITS))
    tally(race, met, room(), np.zeros((DICE + 1, FAILED + 1)), out)
    often, gain, longer = out
    cells = [
        [None if often[row, column] < 1 else int(gain[row, column] > 0) for column in range(FITS)]
        for row in range(LINKS)
    ]
    right = np.where(gain > 0, longer, often - longer).sum() / often.sum()
    return cells, float(right)
