"""The policies of Chain's bots compiled: they decide as the readable ones do (C8, C10, C12).

To add a policy, add a code, its name in ``POLICIES``, and a branch in ``decide_keep``, ``decide_link`` and
``decide``.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.bots.evaluating import DRAWS
from escadaria.compute.streams import below
from escadaria.games.chain import bots as levels
from escadaria.games.chain import turn as chain_turn
from escadaria.games.chain.bots import HANDFUL, ODDS
from escadaria.games.chain.compiled import rules
from escadaria.games.chain.compiled.rules import Dice, Words, inlined
from escadaria.games.chain.compiled.solver import arrows_of
from escadaria.games.chain.compiled.turns import (
    ChainTable,
    Evaluator,
    Workspace,
    chain_table,
    compute_turn,
    kept,
    lengthened,
    linked,
    load_evaluator,
    new_workspace,
)
from escadaria.games.chain.links import (
    ALIKE,
    FACES,
)
from escadaria.games.chain.rules import (
    Chain,
)
from escadaria.games.chain.turn import ENDS

RANDOM, SIMPLE, TOURIST, REGULAR, EXPERT, MASTER = range(6)
POLICIES = {
    "random": RANDOM,
    "simple": SIMPLE,
    "tourist": TOURIST,
    "regular": REGULAR,
    "expert": EXPERT,
    "master": MASTER,
}
"""The bots that are compiled, with their codes."""

_OPEN, _UP, _DOWN = np.array([chain_turn.OPEN, chain_turn.UP, chain_turn.DOWN])
_GOOD_ODDS = int(ODDS * len(FACES))


class Tables(NamedTuple):
    """A board and chains of dice as arrays."""

    arrows: Words
    """By space: where a move that ends there leads (C16); the last space is the centre."""
    reach: NDArray[np.uint32]
    """``turn.reach``"""
    fitting: NDArray[np.int8]
    """``turn.fitting``"""
    built: NDArray[np.int8]
    """[whether there is a pool, coloured die, loose dice squeezed]: how the chain ends that ``simple`` builds
    from a handful of dice that can be linked."""


@cache
def tables(game: Chain) -> Tables:
    found = Tables(
        arrows_of(game.track),
        chain_turn.reach(),
        chain_turn.fitting(),
        np.zeros((2, rules.SIDES, len(chain_turn.TIMES)), np.int8),
    )
    fill_built(found)
    return found


class PolicyTables(NamedTuple):
    """What ``expert`` and ``master`` need to decide."""

    chains: ChainTable
    expert: Evaluator
    master: Evaluator
    width: float
    """The width of the noise of ``expert``, as a share of an action's value."""
    workspace: Workspace


def policy_tables(game: Chain, exact: bool = True) -> PolicyTables:
    return PolicyTables(
        chain_table(),
        load_evaluator(game, exact=False),
        load_evaluator(game, exact),
        levels.NOISE_WIDTH[game.players],
        new_workspace(game.players),
    )


# The policies that follow heuristics.


@inlined
def decide_keep(policy: int, hand: int, noise: np.uint64) -> tuple[int, np.uint64]:
    """How many dice to keep (C8)."""
    policy, noise = effective_policy(policy, noise)
    if policy != RANDOM:
        return min(hand, HANDFUL), noise
    noise, choice = below(noise, hand)
    return choice + 1, noise


@inlined
def effective_policy(policy: int, noise: np.uint64) -> tuple[int, np.uint64]:
    """The policy that decides: for a tourist ``RANDOM`` or ``SIMPLE``, drawn anew; else the policy itself."""
    if policy == TOURIST:
        noise, draw = below(noise, DRAWS)
        policy = RANDOM if draw < levels.RANDOM_BELOW else SIMPLE
    return policy, noise


@njit(cache=True, nogil=True)
def decide_link(
    policy: int, tables: Tables, dice: Dice, pool: int, noise: np.uint64
) -> tuple[int, np.uint64]:
    """Which loose die to link next (C10)."""
    policy, noise = effective_policy(policy, noise)
    if policy == RANDOM:
        options = 0
        for number in range(rules.SIDES):
            options += rules.may_link(dice, number)
        noise, choice = below(noise, options)
        return nth_link(dice, choice), noise
    thoughtful = pool > 0 and rules.how_many(dice.loose) <= HANDFUL
    return nth_link(dice, most_open(tables, dice) if thoughtful else 0), noise


@njit(cache=True, nogil=True)
def fill_built(tables: Tables) -> None:
    """Fill ``built`` by linking one die after the other."""
    for index in range(tables.built.shape[2]):
        loose = 0
        for number in range(rules.SIDES):
            loose += (index >> 2 * number & ALIKE) << 8 * number
        for first in range(rules.SIDES):
            if rules.how_many(loose) >= HANDFUL or not rules.can_build(first, loose):
                continue
            for pool in range(2):
                dice = Dice(1 << 8 * first, first, _OPEN, loose)
                while dice.loose:
                    number, _ = decide_link(SIMPLE, tables, dice, pool, np.uint64(0))
                    dice = rules.link(dice, number)
                tables.built[pool, first, index] = 3 * dice.last + dice.heading


@inlined
def is_built_at_once(policy: int, dice: Dice) -> bool:
    """Whether ``built`` has what the policy makes of all loose dice."""
    is_whole = dice.numbers == 1 << 8 * dice.last and rules.how_many(dice.loose) < HANDFUL
    return is_whole and policy in (SIMPLE, REGULAR)


@inlined
def built(tables: Tables, dice: Dice, pool: int) -> Dice:
    """The chain that ``simple`` builds from a handful of dice."""
    end = tables.built[1 if pool else 0, dice.last, rules.squeezed(dice.loose)]
    return Dice(dice.numbers + dice.loose, end // 3, end % 3, 0)


@njit(cache=True, nogil=True)
def nth_link(dice: Dice, choice: int) -> int:
    """The number of one of the legal links, which are counted from 0."""
    for number in range(rules.SIDES):
        if rules.may_link(dice, number):
            if choice == 0:
                return number
            choice -= 1
    return -1


@njit(cache=True, nogil=True)
def most_open(tables: Tables, dice: Dice) -> int:
    """The legal link, counted from 0, after which most numbers can fit at the end of the chain."""
    option, choice, most = 0, 0, -1
    every = rules.squeezed(dice.numbers + dice.loose)
    for number in range(rules.SIDES):
        if rules.may_link(dice, number):
            rest = rules.squeezed(dice.loose) - (1 << 2 * number)
            ends = tables.reach[rest, 3 * number + rules.heading_after(dice.last, dice.heading, number)]
            for end in range(ENDS):
                if ends >> np.uint32(end) & np.uint32(1) and tables.fitting[every, end] > most:
                    choice, most = option, tables.fitting[every, end]
            option += 1
    return choice


@inlined
def decide(
    policy: int,
    tables: Tables,
    seat: int,
    dice: Dice,
    pool: int,
    hands: Words,
    discs: Words,
    stacks: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """The space of the disc to move, or below 0 the direction to lengthen in (C12)."""
    (one, two), heading, links = rules.free_discs(seat, discs, stacks), dice.heading, hands[seat]
    policy, noise = effective_policy(policy, noise)
    if policy == RANDOM:
        moves, ways = count_choices(two, heading, pool)
        noise, choice = below(noise, moves + ways)
        return as_decision(choice, moves, one, two, heading), noise
    space, appeal = best_move(seat, one, two, links, 0, tables.arrows, discs, stacks)
    if pool > 0:
        chain, last, way = rules.squeezed(dice.numbers), dice.last, heading
        if heading == _OPEN:
            up, down = tables.fitting[chain, 3 * last + _UP], tables.fitting[chain, 3 * last + _DOWN]
            way = _UP if up >= down else _DOWN
        unkind, far = appeal < _KIND, appeal & _BRINGS_HOME == 0
        if unkind or (far and tables.fitting[chain, 3 * last + way] >= _GOOD_ODDS):
            return -way, noise
    if policy == REGULAR and two >= 0:
        space, _ = best_move(seat, one, two, links, levels.COVER_BONUS, tables.arrows, discs, stacks)
    return space, noise


@inlined
def best_move(
    seat: int, one: int, two: int, links: int, bonus: int, arrows: Words, discs: Words, stacks: Words
) -> tuple[int, int]:
    """The more appealing of one or two discs to move, by its space, and its appeal."""
    appeal = appeal_of(seat, one, links, bonus, arrows, discs, stacks)
    if two >= 0:
        other = appeal_of(seat, two, links, bonus, arrows, discs, stacks)
        if other > appeal:
            return two, other
    return one, appeal


@inlined
def count_choices(two: int, heading: int, pool: int) -> tuple[int, int]:
    """How many discs can be moved, and how many directions named (C12, C13)."""
    return 1 if two < 0 else 2, 0 if pool == 0 else 2 if heading == _OPEN else 1


@inlined
def as_decision(choice: int, moves: int, one: int, two: int, heading: int) -> int:
    """From a choice, counted from 0, to a space or a direction below 0."""
    if choice < moves:
        return one if choice == 0 else two
    return -(choice - moves + 1 if heading == _OPEN else heading)


_KIND, _BRINGS_HOME = 1 << 11, 1 << 10
"""Parts of a move's appeal that count more than any sum of spaces."""


@inlined
def appeal_of(
    seat: int, space: int, links: int, bonus: int, arrows: Words, discs: Words, stacks: Words
) -> int:
    """How good a move looks to ``simple``; ``bonus`` is what ``regular`` adds for covering another seat."""
    _, end = rules.end_of(space, links, arrows)
    appeal = discs[seat, 0] + discs[seat, 1] + end - space
    if end == len(arrows) - 1:
        appeal += _BRINGS_HOME
    if end != space and stacks[end] and stacks[end] & 7 != seat + 1:
        appeal += bonus
    if not rules.gives_win(seat, space, end, discs, stacks):
        appeal += _KIND
    return int(appeal)


# The policies that plan.


@njit(cache=True, nogil=True)
def plan_keep(
    policy: int,
    policy_tables: PolicyTables,
    arrows: Words,
    seat: int,
    pool: int,
    hands: Words,
    discs: Words,
    stacks: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """Compute the values of the turn; returns the number of dice to keep (C8)."""
    plan_turn(policy, policy_tables, arrows, seat, pool, hands, discs, stacks)
    chains, workspace = policy_tables.chains, policy_tables.workspace
    for dice in range(1, hands[seat] + 1):
        workspace.worths[dice - 1] = kept(chains, workspace, dice)
    choice, noise = best(policy, policy_tables, hands[seat], noise)
    return choice + 1, noise


@njit(cache=True, nogil=True)
def plan_turn(
    policy: int,
    policy_tables: PolicyTables,
    arrows: Words,
    seat: int,
    pool: int,
    hands: Words,
    discs: Words,
    stacks: Words,
) -> None:
    """Compute the values of the turn, from any of its positions: discs and the sum of dice are the same."""
    evaluator = policy_tables.expert if policy == EXPERT else policy_tables.master
    chains, workspace = policy_tables.chains, policy_tables.workspace
    compute_turn(evaluator, chains, workspace, arrows, seat, pool, hands, discs, stacks)


@njit(cache=True, nogil=True)
def plan_link(
    policy: int, policy_tables: PolicyTables, dice: Dice, noise: np.uint64
) -> tuple[int, np.uint64]:
    """Which loose die to link next (C10)."""
    options = 0
    for number in range(rules.SIDES):
        if rules.may_link(dice, number):
            heading = rules.heading_after(dice.last, dice.heading, number)
            policy_tables.workspace.worths[options] = linked(
                policy_tables.chains, policy_tables.workspace, dice.numbers, heading, dice.loose, number
            )
            options += 1
    choice, noise = best(policy, policy_tables, options, noise)
    return nth_link(dice, choice), noise


@njit(cache=True, nogil=True)
def plan(
    policy: int,
    policy_tables: PolicyTables,
    seat: int,
    dice: Dice,
    pool: int,
    hands: Words,
    discs: Words,
    stacks: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """The space of the disc to move, or below 0 the direction to lengthen in (C12)."""
    (one, two), heading, links = rules.free_discs(seat, discs, stacks), dice.heading, hands[seat]
    moves, ways = count_choices(two, heading, pool)
    workspace = policy_tables.workspace
    for disc in range(moves):
        workspace.worths[disc] = workspace.moves[links, disc]
    for choice in range(moves, moves + ways):
        way = -as_decision(choice, moves, one, two, heading)
        workspace.worths[choice] = lengthened(
            workspace.standing,
            workspace.fail[rules.dice_left(links + 1)],
            rules.squeezed(dice.numbers),
            dice.last,
            way,
        )
    choice, noise = best(policy, policy_tables, moves + ways, noise)
    return as_decision(choice, moves, one, two, heading), noise


@njit(cache=True, nogil=True)
def best(policy: int, policy_tables: PolicyTables, options: int, noise: np.uint64) -> tuple[int, np.uint64]:
    """The best of the first options in ``worths``; ``expert`` adds noise to each."""
    worths, choice = policy_tables.workspace.worths, 0
    for option in range(options):
        if policy == EXPERT:
            noise, draw = below(noise, DRAWS)
            worths[option] *= 1.0 + policy_tables.width * (2 * draw / DRAWS - 1)
        if worths[option] > worths[choice] + levels.TOLERANCE:
            choice = option
    return choice, noise


def policy_tables_for(game: Chain, lineup: Words, exact: bool = True) -> PolicyTables | None:
    """The tables of the policies that plan; None if no seat plans, so that planning is not compiled."""
    return policy_tables(game, exact) if lineup.max() >= EXPERT else None
