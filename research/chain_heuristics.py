"""The search for heuristics of Chain, measured by the values of positions (C1-C17).

One player follows rules, the others play best: by the exact solution with two players, by the shipped values
with more. Each turn start of that player is recorded with the values of all ends that its turn can have. From
these the expected loss of any other rules is computed exactly over all dice, without more games.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute import ZERO
from escadaria.games.chain import heuristics
from escadaria.games.chain.bots import COVER_BONUS, HANDFUL
from escadaria.games.chain.compiled import turns as chain_turns
from escadaria.games.chain.compiled.policies import tables as board_tables
from escadaria.games.chain.compiled.rules import (
    SIDES,
    Words,
    dice_left,
    free_discs,
    gives_win,
    has_won,
    move,
    next_seat,
    pool_of,
    take_back,
)
from escadaria.games.chain.compiled.search import (
    Paths,
    begin_turn,
    leave,
    meet,
    paths,
    roll_on,
)
from escadaria.games.chain.compiled.turns import (
    ChainTable,
    Evaluator,
    Workspace,
    best_keep,
    best_lengthening,
    best_slot,
    compute_turn,
    fill_standing,
    slot_after,
)
from escadaria.games.chain.heuristics import UNREACHABLE
from escadaria.games.chain.links import LONGEST
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.turn import DOWN, ENDS, OPEN, UP, fitting, rolls
from research.chain_training import play_end, play_turn
from research.heuristic_search import (
    Family,
    Map,
    Measured,
    NotSolved,
    Numbers,
    Report,
    Stage,
    adopted,
    only,
    search,
    stages,
    tuned,
)
from research.learning import set_seed

lengthens = njit(cache=True, nogil=True)(heuristics.lengthens)
appeal = njit(cache=True, nogil=True)(heuristics.appeal)
keeps = njit(cache=True, nogil=True)(heuristics.keeps)


class OpenChains(NamedTuple):
    """The chains of a player who keeps the end as open as possible, by slot as in ``turn.py``."""

    way: NDArray[np.int8]
    """By slot: the direction in which more numbers fit."""
    fits: NDArray[np.int8]
    """By slot: how many numbers fit in this direction."""
    slots: Words
    """The chains that are built, one number of dice after the other."""
    chances: NDArray[np.float64]
    """By index of ``slots``: the probability of the chain."""
    first: Words
    """By dice: the index of their first chain."""
    missing: NDArray[np.float64]
    """By dice: the probability that they cannot all be linked."""


@cache
def open_chains() -> OpenChains:
    fits = fitting().ravel()
    heading = np.tile([OPEN, UP, DOWN], len(fits) // 3)
    _, up, down = fits.reshape(-1, 3).T.repeat(3, axis=1)
    way = np.where(heading == OPEN, np.where(down > up, DOWN, UP), heading)
    slots, chances, first = [], [], [0, 0]
    for dice in range(1, LONGEST + 1):
        some = rolls(dice)
        open_ends = fits[some.slots]
        roll = np.repeat(np.arange(len(some.starts)), np.diff([*some.starts, len(open_ends)]))
        most = np.flatnonzero(open_ends == np.maximum.reduceat(open_ends, some.starts)[roll])
        built = some.slots[most[np.unique(roll[most], return_index=True)[1]]]
        each, which = np.unique(built, return_inverse=True)
        slots.append(each)
        chances.append(np.bincount(which, some.chances))
        first.append(first[-1] + len(each))
    return OpenChains(
        way.astype(np.int8), fits, np.concatenate(slots), np.concatenate(chances),
        np.array(first), chain_turns.chain_table().missing,
    )  # fmt: skip


class GameTables(NamedTuple):
    """A game as arrays, and the evaluator of its turn starts."""

    evaluator: Evaluator
    chains: ChainTable
    open_chains: OpenChains
    arrows: Words
    dealt: Words
    """The hands at the start of a game."""


def game_tables(game: Chain, evaluator: Evaluator | None = None) -> GameTables:
    """The tables of a game; for two players with the exact solution, else the shipped network."""
    if evaluator is None:
        evaluator = chain_turns.load_evaluator(game, exact=game.players == 2)
        if game.players == 2 and not evaluator.waiter.size:
            raise NotSolved("there is no exact solution yet: escadaria solve chain --board default")
    dealt = np.array(game.initial_state().hands)
    return GameTables(evaluator, chain_turns.chain_table(), open_chains(), board_tables(game).arrows, dealt)


# Turns.


class Turns(NamedTuple):
    """Recorded turn starts with the values of all ends of their turns."""

    own: Words
    """By turn: how many dice the hand has."""
    most: Words
    """By turn: the most links that the dice allow."""
    stop: NDArray[np.float64]
    """[turn, links, disc]: the value of stopping with this disc; -1 if it cannot move."""
    fail: NDArray[np.float64]
    """[turn, dice left]: the value of failing."""
    best: NDArray[np.float64]
    """By turn: its value at the start if it is played best."""
    spaces: NDArray[np.int64]
    """[turn, links, disc]: the sum of the own discs' spaces after the move."""
    home: NDArray[np.int64]
    """[turn, links, disc]: how many own discs lie at the centre after the move."""
    gift: NDArray[np.bool_]
    """[turn, links, disc]: whether the move leaves another seat without a free disc, so that it wins (C6)."""
    covers: NDArray[np.bool_]
    """[turn, links, disc]: whether the move covers another seat's disc (C17)."""
    had: Words
    """By turn: how many own discs lie at the centre at its start."""
    close: Words
    """By turn: how far another seat's only free disc is from the centre, if one has a single one."""


def empty_turns(turns: int) -> Turns:
    moves, row = (turns, LONGEST + 1, 2), np.zeros((5, turns), np.int64)
    return Turns(
        row[0], row[1], np.zeros(moves), np.zeros((turns, dice_left(LONGEST) + 1)), np.zeros(turns),
        np.zeros(moves, np.int64), np.zeros(moves, np.int64), np.zeros(moves, np.bool_),
        np.zeros(moves, np.bool_), row[2], row[3],
    )  # fmt: skip


class RuleWorkspace(NamedTuple):
    """Arrays for one turn that is played by rules."""

    workspace: Workspace
    paths: Paths
    disc: Words
    """By links: which free disc moves."""
    looks: Words
    """By links: how good this move looks."""
    needed: Words
    """By links: how many numbers must fit to lengthen."""


def new_rule_workspace(players: int) -> RuleWorkspace:
    disc, looks, needed = np.zeros((3, LONGEST + 2), np.int64)
    return RuleWorkspace(chain_turns.new_workspace(players), paths(), disc, looks, needed)


@njit(cache=True, nogil=True)
def record_turn(
    tables: GameTables,
    seat: int,
    hands: Words,
    discs: Words,
    stacks: Words,
    turns: Turns,
    at: int,
    workspace: Workspace,
) -> None:
    """Record the values of all ends of a turn."""
    most = compute_turn(
        tables.evaluator, tables.chains, workspace, tables.arrows, seat, pool_of(hands), hands, discs, stacks
    )
    turns.own[at], turns.most[at], turns.stop[at], turns.fail[at] = (
        hands[seat],
        most,
        workspace.moves,
        workspace.fail,
    )
    _, turns.best[at] = best_keep(tables.chains, workspace, hands[seat])
    centre, spaces = len(stacks) - 1, free_discs(seat, discs, stacks)
    turns.had[at] = (discs[seat] == centre).sum()
    for links in range(1, most + 1):
        for disc in range(2):
            space = spaces[disc]
            if space < 0:
                continue
            _, end, victim = move(seat, space, links, tables.arrows, discs, stacks)
            turns.covers[at, links, disc] = victim >= 0 and victim != seat
            turns.spaces[at, links, disc] = discs[seat].sum()
            turns.home[at, links, disc] = (discs[seat] == centre).sum()
            take_back(seat, space, end, discs, stacks)
            turns.gift[at, links, disc] = gives_win(seat, space, end, discs, stacks)
    turns.close[at] = UNREACHABLE
    for other in range(len(hands)):
        one, two = free_discs(other, discs, stacks)
        if other != seat and one >= 0 and two < 0:
            turns.close[at] = min(turns.close[at], centre - one)


@njit(cache=True, nogil=True)
def decide(rules: Any, turns: Turns, turn: int, work: RuleWorkspace) -> int:
    """Fill the workspace with the decisions of the rules; returns how many dice they keep."""
    most, looks = turns.most[turn], work.looks
    for links in range(1, most + 1):
        looks[links] = -(10**6)
        for disc in range(2):
            if turns.stop[turn, links, disc] >= 0:
                move = turn, links, disc
                good = appeal(
                    rules, turns.spaces[move], turns.home[move], turns.gift[move], turns.covers[move]
                )
                if good > looks[links]:
                    work.disc[links], looks[links] = disc, good
    looks[most + 1] = looks[most]
    for links in range(1, most + 1):
        move = turn, links, work.disc[links]
        home, extra = turns.home[move] > turns.had[turn], looks[links + 1] - looks[links]
        fits, close = 1, turns.close[turn]
        while fits <= SIDES and not lengthens(rules, links, fits, home, turns.gift[move], extra, close):
            fits += 1
        work.needed[links] = fits
    return int(keeps(rules, turns.own[turn], looks))


@njit(cache=True, nogil=True)
def find_ends(open_chains: OpenChains, most: int, dice: int, work: RuleWorkspace) -> None:
    """Fill in the probabilities of all ends of a turn that was decided by rules."""
    paths = work.paths
    begin_turn(paths, dice, open_chains.missing[dice])
    for built in range(open_chains.first[dice], open_chains.first[dice + 1]):
        meet(paths, dice, open_chains.slots[built], open_chains.chances[built])
    for links in range(dice, most + 1):
        for at in range(paths.met[links]):
            slot, chance = leave(paths, links, at)
            if links == most or open_chains.fits[slot] < work.needed[links]:
                paths.stops[links] += chance
            else:
                roll_on(paths, links, slot, open_chains.way[slot], chance)


@njit(cache=True, nogil=True)
def outlook(tables: GameTables, rules: Any, turns: Turns, turn: int, work: RuleWorkspace) -> float:
    """The value of a turn that is played by the rules; fills in the probabilities of its ends."""
    most, total = turns.most[turn], 0.0
    find_ends(tables.open_chains, most, decide(rules, turns, turn, work), work)
    for links in range(1, most + 1):
        if work.paths.stops[links] > 0:
            total += work.paths.stops[links] * turns.stop[turn, links, work.disc[links]]
    for left in range(1, dice_left(most) + 1):
        total += work.paths.fails[left] * turns.fail[turn, left]
    return total


@njit(cache=True, nogil=True)
def given_away(tables: GameTables, rules: Any, turns: Turns, which: Any, work: RuleWorkspace) -> float:
    """The mean loss of the rules over these turns."""
    lost = 0.0
    for turn in which:
        lost += turns.best[turn] - outlook(tables, rules, turns, turn, work)
    return lost / len(which)


# Games.


@njit(cache=True, nogil=True)
def play_by_rules(
    tables: GameTables, rules: Any, best: bool, games: int, turns: Turns, losses: Any, work: RuleWorkspace
) -> tuple[int, int, int]:
    """Play games of seat 0, which follows the rules or plays best, among seats that play best.

    The seats start in turn. Play stops when ``turns`` is full. If ``losses`` has an entry for each game, it
    gets the losses of seat 0, and only the first entry of ``turns`` is used.

    :return: how many games were finished, how many of them seat 0 won, and how many turns were recorded.
    """
    players, noted, won, keeps = len(tables.dealt), ZERO, 0, len(losses) == 0
    hands, discs = np.zeros(players, np.int64), np.zeros((players, 2), np.int64)
    stacks, shares = np.zeros(len(tables.arrows), np.int64), np.zeros(players)
    for game in range(games):
        hands[:], discs[:], stacks[:] = tables.dealt, 0, 0
        seat = game % players
        while not has_won(seat, discs, stacks):
            if seat == 0:
                at = noted if keeps else ZERO
                if at == len(turns.own):
                    return game, won, noted
                record_turn(tables, seat, hands, discs, stacks, turns, at, work.workspace)
                noted += 1
            if seat > 0 or best:
                play_turn(
                    tables.evaluator, tables.chains, tables.arrows, 0.0, seat, work.workspace,
                    hands, discs, stacks, work.paths, shares,
                )  # fmt: skip
            else:
                worth = outlook(tables, rules, turns, at, work)
                if not keeps:
                    losses[game] += turns.best[at] - worth
                play_end(tables.arrows, turns.most[at], seat, work.disc, work.paths, hands, discs, stacks)
            seat = next_seat(seat, players)
        won += seat == 0
    return games, won, noted


def measure(tables: GameTables, rules: Numbers, games: int, seed: int) -> Measured:
    """Measure rules by games among seats that play best."""
    set_seed(seed)
    losses = np.zeros(games)
    _, won, _ = play_by_rules(
        tables, rules, False, games, empty_turns(1), losses, new_rule_workspace(len(tables.dealt))
    )
    return Measured(float(losses.mean()), float(losses.std() / np.sqrt(games)), won / games, games)


def gather(tables: GameTables, rules: Numbers | None, turns: int, seed: int) -> tuple[Turns, float]:
    """Record turns of games by the rules, or of best play without rules; returns also the turns per game."""
    set_seed(seed)
    met, numbers = empty_turns(turns), np.array(heuristics.NOTHING) if rules is None else rules
    games, _, _ = play_by_rules(
        tables, numbers, rules is None, 10**9, met, np.zeros(0), new_rule_workspace(len(tables.dealt))
    )
    return met, turns / games


_SIMPLE = (8, 0, 1, 100, 0, 0, UNREACHABLE, 0, 0, 0, 0, HANDFUL)
BOTS = {"simple": _SIMPLE, "regular": (*_SIMPLE[: heuristics.COVER], COVER_BONUS, HANDFUL)}
"""The heuristics of these bots as rules."""


# The search.


def family() -> Family:
    """The rules to choose from."""
    choices: dict[int, Any] = {
        heuristics.BASE: range(1, 11),
        heuristics.SLOPE: (1, 2),
        heuristics.GIFT: (1,),
        heuristics.HOME: (6, 9, 12, 15),
        heuristics.DICE: (2, 3, 4, 5),
        heuristics.WORSE: (2, 3, 4, 6, 8),
        heuristics.BETTER: (3, 4, 5, 6),
        heuristics.MORE: (1, 2, 3, 4),
        heuristics.CLOSE: (4, 6, 8, 10),
        heuristics.DARE: (1, 2, 3, 4),
        heuristics.COVER: (-4, -2, 2, 4),
        heuristics.MOST: (5, 6, 7, 8),
    }
    return Family(heuristics.RULE_INDICES, heuristics.NOTHING, {}, choices)


GUESS = (3, 1, 1, 12, 4, 4, 6, 2, 10, 2, 0, UNREACHABLE)
"""The rules of the first games, so that sensible positions are recorded."""


def find(
    tables: GameTables, turns: int, seed: int, most: int, gain: float, report: Report, run: Map = map
) -> tuple[Numbers, list[Stage]]:
    """Find rules; returns also the loss with the first of them, the first two, …"""
    some, players = family(), len(tables.dealt)
    met, each = gather(tables, np.array(GUESS), turns, seed)
    everything, part = np.arange(turns), np.arange(0, turns, 2)

    def cost(numbers: Numbers) -> float:
        return each * given_away(tables, numbers, met, everything, new_rule_workspace(players))

    def rough(numbers: Numbers) -> float:
        return each * given_away(tables, numbers, met, part, new_rule_workspace(players))

    numbers, names = search(some, cost, rough, most, gain, report, run)
    met, each = gather(tables, numbers, turns, seed + 1)
    lost, numbers = tuned(some, names, numbers, cost, 2)
    report("tuned", lost, numbers)
    return numbers, stages(some, names, numbers, cost, report)


def adopt(
    tables: GameTables,
    rules: Numbers,
    names: Sequence[str],
    games: int,
    seed: int,
    report: Report,
    run: Map = map,
) -> tuple[Numbers, list[Stage]]:
    """Choose from the rules for two players those that win games with more players.

    The shipped values for more players are too rough for a search: rules found by them win fewer games than
    those for two players.
    """
    known: dict[tuple[int, ...], float] = {}

    def wins(numbers: Numbers) -> float:
        key = tuple(numbers.tolist())
        if key not in known:
            known[key] = measure(tables, numbers, games, seed).wins
        return known[key]

    return adopted(family(), names, rules, wins, 1 / len(tables.dealt), report, run)


def counted(tables: GameTables, rules: Numbers, names: Sequence[str], games: int, seed: int) -> list[Stage]:
    """The difference to a fair share of wins with the first rule alone, the first two, …"""
    shares = [
        measure(tables, only(family(), names[:number], rules), games, seed).wins
        for number in range(1, len(names) + 1)
    ]
    return [Stage(name, 1 / len(tables.dealt) - share) for name, share in zip(names, shares, strict=True)]


# The chart.

LINKS, FITS = 10, 6
SELDOM = 1 / 100
"""Cells that are met in a smaller share of turns stay empty."""


@njit(cache=True, nogil=True)
def tally(tables: GameTables, turns: Turns, workspace: Workspace, reach: Any, out: Any) -> None:
    """Add up the decisions of best play by links and numbers that fit, without moves to the centre and gifts.

    ``out`` has three layers: how often the player decides there, the sum of the gains by lengthening, and how
    often lengthening is better.
    """
    chains, standing, fits = tables.chains, workspace.standing, tables.open_chains.fits
    for turn in range(len(turns.own)):
        most = turns.most[turn]
        workspace.fail[:] = turns.fail[turn]
        for links in range(1, most + 1):
            workspace.stop[links] = turns.stop[turn, links].max()
        fill_standing(chains, workspace, most)
        dice, _ = best_keep(chains, workspace, turns.own[turn])
        reach[:] = 0.0
        for roll in range(chains.first_roll[dice], chains.first_roll[dice + 1]):
            reach[best_slot(chains, standing, roll)] += chains.chances[roll]
        for links in range(dice, min(most, LINKS + 1)):
            move = turn, links, turns.stop[turn, links].argmax()
            quiet = turns.home[move] == turns.had[turn] and not turns.gift[move]
            for at in range(chains.first[links], chains.first[links + 1]):
                for slot in range(chains.numbers[at] * ENDS, (chains.numbers[at] + 1) * ENDS):
                    often = reach[slot]
                    if often == 0.0:
                        continue
                    longer, way = best_lengthening(standing, workspace.fail[dice_left(links + 1)], slot)
                    gain = longer - workspace.stop[links]
                    if quiet and links <= LINKS and fits[slot] > 0:
                        out[0, links - 1, fits[slot] - 1] += often
                        out[1, links - 1, fits[slot] - 1] += often * gain
                        out[2, links - 1, fits[slot] - 1] += often * (gain > 0)
                    if gain > 0:
                        for face in range(SIDES):
                            after = slot_after(slot, way, face)
                            if after >= 0:
                                reach[after] += often / SIDES


def chart(tables: GameTables, turns: int, seed: int) -> tuple[list[list[int | None]], float]:
    """[links][numbers that fit]: 1 to lengthen, 0 to stop, None if met seldom; and how often it is right."""
    met, _ = gather(tables, None, turns, seed)
    out = np.zeros((3, LINKS, FITS))
    tally(
        tables,
        met,
        chain_turns.new_workspace(len(tables.dealt)),
        np.zeros(len(tables.open_chains.fits)),
        out,
    )
    (often, gain, longer), seldom = out, SELDOM * turns
    cells = [
        [None if often[row, column] < seldom else int(gain[row, column] > 0) for column in range(FITS)]
        for row in range(LINKS)
    ]
    right = np.where(gain > 0, longer, often - longer).sum() / often.sum()
    return cells, float(right)
