"""Whole games of Chain compiled (C1-C18): the same games as the readable engine's, many at a time.

``rules.py`` says how dice and discs are stored. To add a policy, add a code, its name in ``POLICIES``, and a
branch in ``decide_keep``, ``decide_link`` and ``decide``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.bots.evaluating import DRAWS
from escadaria.compute import ZERO, constants
from escadaria.compute.streams import DICE, NOISE, below, start
from escadaria.compute.traces import ACTION, acted, counted, decoded, seated, unsigned
from escadaria.game import AnyGame
from escadaria.games.chain import bots as levels
from escadaria.games.chain import turn as chain_turn
from escadaria.games.chain.bots import HANDFUL, ODDS
from escadaria.games.chain.compiled.rules import (
    SIDES,
    Words,
    add_link,
    can_build,
    dice_left,
    end_of,
    fail,
    fits,
    free_discs,
    gives_win,
    has_won,
    heading_after,
    how_many,
    inlined,
    is_link,
    move,
    next_seat,
    pool_of,
    set_hand,
    squeezed,
)
from escadaria.games.chain.compiled.solver import arrows_of
from escadaria.games.chain.compiled.values import (
    ChainTable,
    Evaluator,
    Workspace,
    chain_table,
    kept,
    lengthened,
    linked,
    load_evaluator,
    new_workspace,
    work_out,
)
from escadaria.games.chain.links import ALIKE, FACES, Links
from escadaria.games.chain.rules import DOWN, UP, Action, Chain, Keep, Link, Move, Phase, Roll, State
from escadaria.games.chain.turn import ENDS, HEADINGS

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

_COVERED, _FAILED, _ARROW, _HOME = range(4)
_COUNTED = ("covered", "failed", "arrows", "home")
"""What is counted by seat, in the order of the columns."""


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
        np.zeros((2, SIDES, len(chain_turn.TIMES)), np.int8),
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
    policy: int,
    tables: Tables,
    numbers: int,
    last: int,
    heading: int,
    loose: int,
    pool: int,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """Which loose die to link next (C10)."""
    policy, noise = effective_policy(policy, noise)
    if policy == RANDOM:
        options = 0
        for number in range(SIDES):
            options += is_link(numbers, last, heading, loose, number)
        noise, choice = below(noise, options)
        return nth_link(numbers, last, heading, loose, choice), noise
    thoughtful = pool > 0 and how_many(loose) <= HANDFUL
    choice = most_open(tables, numbers, last, heading, loose) if thoughtful else 0
    return nth_link(numbers, last, heading, loose, choice), noise


@njit(cache=True, nogil=True)
def fill_built(tables: Tables) -> None:
    """Fill ``built`` by linking one die after the other."""
    for index in range(tables.built.shape[2]):
        dice = 0
        for number in range(SIDES):
            dice += (index >> 2 * number & ALIKE) << 8 * number
        for first in range(SIDES):
            if how_many(dice) >= HANDFUL or not can_build(first, dice):
                continue
            for pool in range(2):
                numbers, last, heading = add_link(0, first, _OPEN, first)
                loose = dice
                while loose:
                    number, _ = decide_link(SIMPLE, tables, numbers, last, heading, loose, pool, np.uint64(0))
                    numbers, last, heading = add_link(numbers, last, heading, number)
                    loose -= 1 << 8 * number
                tables.built[pool, first, index] = 3 * last + heading


@njit(cache=True, nogil=True)
def nth_link(numbers: int, last: int, heading: int, loose: int, choice: int) -> int:
    """The number of one of the legal links, which are counted from 0."""
    for number in range(SIDES):
        if is_link(numbers, last, heading, loose, number):
            if choice == 0:
                return number
            choice -= 1
    return -1


@njit(cache=True, nogil=True)
def most_open(tables: Tables, numbers: int, last: int, heading: int, loose: int) -> int:
    """The legal link, counted from 0, after which most numbers can fit at the end of the chain."""
    option, choice, most = 0, 0, -1
    every = squeezed(numbers + loose)
    for number in range(SIDES):
        if is_link(numbers, last, heading, loose, number):
            rest = squeezed(loose) - (1 << 2 * number)
            ends = tables.reach[rest, 3 * number + heading_after(last, heading, number)]
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
    numbers: int,
    last: int,
    heading: int,
    links: int,
    pool: int,
    discs: Words,
    stacks: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """The space of the disc to move, or below 0 the direction to lengthen in (C12)."""
    one, two = free_discs(seat, discs, stacks)
    policy, noise = effective_policy(policy, noise)
    if policy == RANDOM:
        moves, ways = count_choices(two, heading, pool)
        noise, choice = below(noise, moves + ways)
        return as_decision(choice, moves, one, two, heading), noise
    space, appeal = best_move(seat, one, two, links, 0, tables.arrows, discs, stacks)
    if pool > 0:
        chain, way = squeezed(numbers), heading
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
    _, end = end_of(space, links, arrows)
    appeal = discs[seat, 0] + discs[seat, 1] + end - space
    if end == len(arrows) - 1:
        appeal += _BRINGS_HOME
    if end != space and stacks[end] and stacks[end] & 7 != seat + 1:
        appeal += bonus
    if not gives_win(seat, space, end, discs, stacks):
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
    """Work out the turn; returns the number of dice to keep (C8)."""
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
    """Work out the turn. Any of its positions will do: they have the same discs and the same sum of dice."""
    evaluator = policy_tables.expert if policy == EXPERT else policy_tables.master
    chains, workspace = policy_tables.chains, policy_tables.workspace
    work_out(evaluator, chains, workspace, arrows, seat, pool, hands, discs, stacks)


@njit(cache=True, nogil=True)
def plan_link(
    policy: int,
    policy_tables: PolicyTables,
    numbers: int,
    last: int,
    heading: int,
    loose: int,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """Which loose die to link next (C10)."""
    options = 0
    for number in range(SIDES):
        if is_link(numbers, last, heading, loose, number):
            after = heading_after(last, heading, number)
            policy_tables.workspace.worths[options] = linked(
                policy_tables.chains, policy_tables.workspace, numbers, after, loose, number
            )
            options += 1
    choice, noise = best(policy, policy_tables, options, noise)
    return nth_link(numbers, last, heading, loose, choice), noise


@njit(cache=True, nogil=True)
def plan(
    policy: int,
    policy_tables: PolicyTables,
    seat: int,
    numbers: int,
    last: int,
    heading: int,
    links: int,
    pool: int,
    discs: Words,
    stacks: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """The space of the disc to move, or below 0 the direction to lengthen in (C12)."""
    one, two = free_discs(seat, discs, stacks)
    moves, ways = count_choices(two, heading, pool)
    workspace = policy_tables.workspace
    for disc in range(moves):
        workspace.worths[disc] = workspace.moves[links, disc]
    for choice in range(moves, moves + ways):
        way = -as_decision(choice, moves, one, two, heading)
        workspace.worths[choice] = lengthened(
            workspace.standing, workspace.fail[dice_left(links + 1)], squeezed(numbers), last, way
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


# Playing.


@njit(cache=True, nogil=True)
def play_game(
    policies: Words,
    tables: Tables,
    policy_tables: PolicyTables | None,
    dice: np.uint64,
    noise: np.uint64,
    hands: Words,
    discs: Words,
    stacks: Words,
    counts: Words,
    trace: Words | None,
) -> tuple[int, int, int]:
    """Play one game from the hands dealt; fills ``counts`` by seat. Returns the winner, turns and plies."""
    discs[:], stacks[:], counts[:] = 0, 0, 0
    pool, turns, plies = pool_of(hands), 0, ZERO
    seat = ZERO  # C5
    while not has_won(seat, discs, stacks):
        policy = policies[seat]
        write(trace, plies, KEEP, seat, pool, ZERO, ZERO, _OPEN, ZERO, hands, discs, stacks)
        if policy_tables is None or policy < EXPERT:
            dice_kept, noise = decide_keep(policy, hands[seat], noise)
        else:
            dice_kept, noise = plan_keep(
                policy, policy_tables, tables.arrows, seat, pool, hands, discs, stacks, noise
            )
        pool += set_hand(seat, dice_kept, hands)  # C8
        plies = acted(trace, plies, dice_kept)
        dice, plies, first, loose = roll_hand(dice, seat, pool, hands, discs, stacks, trace, plies)
        linked = can_build(first, loose)
        numbers, last, heading = add_link(ZERO, first, _OPEN, first)
        if linked and trace is None and policy in (SIMPLE, REGULAR):
            end = tables.built[1 if pool else 0, last, squeezed(loose)]
            numbers, last, heading, loose = numbers + loose, end // 3, end % 3, 0
            plies += dice_kept - 1
        while linked and loose:
            write(trace, plies, BUILD, seat, pool, numbers, last, heading, loose, hands, discs, stacks)
            if policy_tables is None or policy < EXPERT:
                number, noise = decide_link(policy, tables, numbers, last, heading, loose, pool, noise)
            else:
                number, noise = plan_link(policy, policy_tables, numbers, last, heading, loose, noise)
            plies = acted(trace, plies, number)
            numbers, last, heading = add_link(numbers, last, heading, number)
            loose -= 1 << 8 * number
        while linked:
            write(trace, plies, DECIDE, seat, pool, numbers, last, heading, ZERO, hands, discs, stacks)
            if policy_tables is None or policy < EXPERT:
                space, noise = decide(
                    policy, tables, seat, numbers, last, heading, hands[seat], pool, discs, stacks, noise
                )
            else:
                space, noise = plan(
                    policy,
                    policy_tables,
                    seat,
                    numbers,
                    last,
                    heading,
                    hands[seat],
                    pool,
                    discs,
                    stacks,
                    noise,
                )
            plies = acted(trace, plies, space)
            if space >= 0:
                walked, end, victim = move(seat, space, hands[seat], tables.arrows, discs, stacks)
                if victim >= 0:
                    counts[victim, _COVERED] += 1
                counts[seat, _ARROW] += end != walked
                counts[seat, _HOME] += end == len(stacks) - 1
                break
            heading = -space
            pool += set_hand(seat, hands[seat] + 1, hands)  # C13
            write(trace, plies, LENGTHEN, seat, pool, numbers, last, heading, ZERO, hands, discs, stacks)
            dice, number = below(dice, SIDES)
            plies = acted(trace, plies, number)
            linked = fits(numbers, last, heading, number)
            if linked:
                numbers, last, heading = add_link(numbers, last, heading, number)
        if not linked:
            pool += fail(seat, hands)
            counts[seat, _FAILED] += 1
        turns += 1
        seat = next_seat(seat, len(hands))
    write(trace, plies, OVER, seat, pool, ZERO, ZERO, _OPEN, ZERO, hands, discs, stacks)
    return seat, turns, plies


@inlined
def roll_hand(
    dice: np.uint64,
    seat: int,
    pool: int,
    hands: Words,
    discs: Words,
    stacks: Words,
    trace: Words | None,
    plies: int,
) -> tuple[np.uint64, int, int, int]:
    """Roll all dice of the hand, the coloured one first (C9).

    :return: the stream of dice, the plies, the number of the coloured die, and the word of the others.
    """
    write(trace, plies, ROLL, seat, pool, ZERO, ZERO, _OPEN, ZERO, hands, discs, stacks)
    dice, first = below(dice, SIDES)
    plies = acted(trace, plies, first)
    loose = ZERO
    for _ in range(hands[seat] - 1):
        write(trace, plies, ROLL, seat, pool, 1 << 8 * first, first, _OPEN, loose, hands, discs, stacks)
        dice, number = below(dice, SIDES)
        plies = acted(trace, plies, number)
        loose += 1 << 8 * number
    return dice, plies, first, loose


@njit(cache=True, nogil=True)
def play_games(
    dealt: Words,
    lineup: Words,
    tables: Tables,
    policy_tables: PolicyTables | None,
    first: int,
    seed: np.uint64,
    each: NDArray[np.int32],
    by_seat: NDArray[np.int32],
) -> None:
    """Play a game for each row of ``each`` and ``by_seat``, from number ``first`` on."""
    players = len(lineup)
    policies, hands = np.empty(players, np.int64), np.empty(players, np.int64)
    discs, stacks = np.empty((players, 2), np.int64), np.empty(len(tables.arrows), np.int64)
    counts = np.empty((players, len(_COUNTED)), np.int64)
    for row in range(len(each)):
        number = first + row
        for seat in range(players):
            policies[seat] = lineup[(seat - number) % players]
            hands[seat] = dealt[seat]
        each[row, 0], each[row, 1], each[row, 2] = play_game(
            policies, tables, policy_tables, start(seed, number, DICE), start(seed, number, NOISE),
            hands, discs, stacks, counts, None,
        )  # fmt: skip
        for seat in range(players):
            by_seat[0, row, seat] = hands[seat]
            for column in range(len(_COUNTED)):
                by_seat[1 + column, row, seat] = counts[seat, column]


def play_batch(
    game: AnyGame, bots: Sequence[str], first: int, games: int, seed: int, exact: bool = True
) -> dict[str, NDArray[np.int32]]:
    """Play the games ``first``, ``first + 1``, … of a seed; in each game the bots move on by one seat."""
    assert isinstance(game, Chain)
    lineup = np.array([POLICIES[bot] for bot in bots])
    dealt = np.array(game.initial_state().hands)
    planning = policy_tables_for(game, lineup, exact)
    play = partial(play_games, dealt, lineup, tables(game), planning, first, unsigned(seed))
    return counted(play, ("hands", *_COUNTED), games, game.players)


def policy_tables_for(game: Chain, lineup: Words, exact: bool = True) -> PolicyTables | None:
    """The tables of the policies that plan; None if no seat plans, so that planning is not compiled."""
    return policy_tables(game, exact) if lineup.max() >= EXPERT else None


# Traces: games ply by ply.

KEEP, ROLL, BUILD, DECIDE, LENGTHEN, OVER = constants(6)
_PHASES = (Phase.KEEP, Phase.ROLL, Phase.BUILD, Phase.DECIDE, Phase.LENGTHEN, Phase.OVER)
PHASE, TURN, POOL, NUMBERS, LAST, HEADING, LOOSE, SEATS = range(ACTION + 1, ACTION + 9)
"""The columns of a trace; then come each seat's hand and discs, and the discs on each space."""


@njit(cache=True, nogil=True)
def write(
    trace: Words | None,
    ply: int,
    phase: int,
    seat: int,
    pool: int,
    numbers: int,
    last: int,
    heading: int,
    loose: int,
    hands: Words,
    discs: Words,
    stacks: Words,
) -> None:
    """Write the position after a number of plies into the trace, if there is one."""
    if trace is None:
        return
    row, players = trace[ply], len(hands)
    row[PHASE], row[TURN], row[POOL], row[NUMBERS] = phase, seat, pool, numbers
    row[LAST], row[HEADING], row[LOOSE] = last, heading, loose
    its_hands, its_discs, its_stacks = position_in(row, players)
    for other in range(players):  # one by one: slices take much longer to compile
        its_hands[other] = hands[other]
        its_discs[other, 0], its_discs[other, 1] = discs[other, 0], discs[other, 1]
    for space in range(len(stacks)):
        its_stacks[space] = stacks[space]


@inlined
def position_in(row: Words, players: int) -> tuple[Words, Words, Words]:
    """The hands, discs and stacks in a row of a trace; changing them changes the row."""
    discs, stacks = SEATS + players, SEATS + 3 * players
    return row[SEATS:discs], row[discs:stacks].reshape(players, 2), row[stacks:]


def watch(game: Chain, bots: Sequence[str], number: int, seed: int) -> list[tuple[Action | None, State]]:
    """Play one game of a batch again: each action, none at first, and the readable position after it."""
    players, spaces = game.players, game.track.length + 1
    policies, dice, noise = seated(POLICIES, bots, number, seed)
    plies = int(play_batch(game, bots, number, 1, seed)["plies"][0])
    trace = np.zeros((plies + 1, SEATS + 3 * players + spaces), np.int64)
    play_game(
        policies, tables(game), policy_tables_for(game, policies), dice, noise,
        np.array(game.initial_state().hands), np.empty((players, 2), np.int64), np.empty(spaces, np.int64),
        np.empty((players, len(_COUNTED)), np.int64), trace,
    )  # fmt: skip
    return decoded(trace, lambda row: position_of(row, players), _action)


def position_of(row: list[int], players: int) -> State:
    """The readable position of a row of a trace."""
    hands, rest = row[SEATS : SEATS + players], row[SEATS + players :]
    discs = tuple(tuple(sorted(rest[2 * seat : 2 * seat + 2])) for seat in range(players))
    stacks = tuple((space, _seats(word)) for space, word in enumerate(rest[2 * players :]) if word)
    numbers = _numbers(row[NUMBERS])
    chain = Links(numbers, row[LAST] + 1, HEADINGS[row[HEADING]]) if numbers else Links()
    loose = _numbers(row[LOOSE])
    return State(row[TURN], _PHASES[row[PHASE]], tuple(hands), row[POOL], discs, stacks, chain, loose)


def row_of(length: int, state: State) -> list[int]:
    """The row of a position on a board of this length: the inverse of ``position_of``."""
    stacks = [0] * (length + 1)
    for space, seats in state.piles:
        for seat in seats:
            stacks[space] = stacks[space] << 3 | seat + 1
    row = [0] * SEATS + [*state.hands, *(space for spaces in state.discs for space in spaces), *stacks]
    row[PHASE], row[TURN], row[POOL] = _PHASES.index(state.phase), state.turn, state.pool
    row[NUMBERS], row[LOOSE] = _word(state.chain.numbers), _word(state.loose)
    row[LAST], row[HEADING] = max(state.chain.last - 1, 0), HEADINGS.index(state.chain.heading)
    return row


def _word(faces: tuple[int, ...]) -> int:
    """The word of dice with these faces."""
    return sum(1 << 8 * (face - 1) for face in faces)


def _seats(word: int) -> tuple[int, ...]:
    """The seats of a stack's discs, bottom first."""
    return (*_seats(word >> 3), (word & 7) - 1) if word else ()


def _numbers(word: int) -> tuple[int, ...]:
    """The faces of a word of dice, sorted."""
    return tuple(face for face in FACES for _ in range(word >> 8 * (face - 1) & 255))


def _action(code: int, before: State) -> Action:
    if before.phase is Phase.KEEP:
        return Keep(code)
    if before.phase is Phase.BUILD:
        return Link(code + 1)
    if before.phase is Phase.DECIDE:
        return Move(code) if code >= 0 else (UP, DOWN)[-code - 1]
    return Roll(code + 1)
