"""Chain compiled (C1-C18): the same games as the readable engine's, many at a time, in whole numbers.

Dice and discs are words, see ``rules``. To add a policy: a code, its name in ``POLICIES``, a branch in
``decide`` and the two beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.bots.evaluating import DRAWS
from escadaria.compute.streams import DICE, NOISE, below, start
from escadaria.compute.traces import ACTION, acted, counted, decoded, seated, unsigned
from escadaria.game import AnyGame
from escadaria.games.chain import bots as levels
from escadaria.games.chain import turn as chain_turn
from escadaria.games.chain.bots import HANDFUL, ODDS
from escadaria.games.chain.compiled.rules import (
    TOP,
    Words,
    can_link,
    end_of,
    fits,
    free_discs,
    heading_after,
    how_many,
    is_link,
    move,
    odds,
    squeezed,
    take_back,
    too_often,
)
from escadaria.games.chain.compiled.values import (
    Room,
    Sight,
    Walk,
    chain_table,
    kept,
    lengthened,
    linked,
    load_evaluator,
    new_workspace,
    work_out,
)
from escadaria.games.chain.rules import (
    ALIKE,
    DOWN,
    FACES,
    UP,
    Action,
    Chain,
    Heading,
    Keep,
    Link,
    Links,
    Move,
    Phase,
    Roll,
    State,
)
from escadaria.games.chain.turn import ENDS, TIMES

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

_OPEN, _UP, _DOWN = chain_turn.OPEN, chain_turn.UP, chain_turn.DOWN
_HEADINGS = (Heading.OPEN, Heading.UP, Heading.DOWN)
_GOOD_ODDS = int(ODDS * len(FACES))

_COVERED, _FAILED, _ARROW, _HOME = range(4)
_COUNTED = ("covered", "failed", "arrows", "home")
"""What is counted by seat, with its column."""


class Tables(NamedTuple):
    """What the kernel looks up."""

    arrows: Words
    """By space: where a move that ends there leads (C16); the last is the centre."""
    reach: NDArray[np.uint32]
    """[loose numbers, end]: the ends of a chain that all loose dice can be linked to."""
    openness: NDArray[np.int8]
    """[numbers, end]: the dice of six that can be added, in the better direction."""


@cache
def tables(game: Chain) -> Tables:
    arrows = np.arange(game.track.length + 1)
    for space, end in game.track.arrows:
        arrows[space] = end
    return Tables(arrows, chain_turn.reach(), _openness())


@cache
def _openness() -> NDArray[np.int8]:
    fit = TIMES < ALIKE
    up, down = fit[:, ::-1].cumsum(axis=1)[:, ::-1], fit.cumsum(axis=1)
    return np.stack((np.maximum(up, down), up, down), axis=2).reshape(-1, ENDS).astype(np.int8)


class Mind(NamedTuple):
    """What ``expert`` and ``master`` need to decide."""

    chains: Walk
    expert: Sight
    master: Sight
    width: float
    """The width of ``expert``'s noise, as a share of a decision's value."""
    workspace: Room


def policy_tables(game: Chain) -> Mind:
    return Mind(
        chain_table(),
        load_evaluator(game, exact=False),
        load_evaluator(game, exact=True),
        levels.NOISE_WIDTH[game.players],
        new_workspace(game.players),
    )


# The policies.


@njit(cache=True, nogil=True)
def decide_keep(policy: int, hand: int, noise: np.uint64) -> tuple[int, np.uint64]:
    """How many dice to keep (C8)."""
    policy, noise = effective_policy(policy, noise)
    if policy != RANDOM:
        return min(hand, HANDFUL), noise
    noise, choice = below(noise, hand)
    return choice + 1, noise


@njit(cache=True, nogil=True)
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
        for number in range(TOP + 1):
            options += is_link(numbers, last, heading, loose, number)
        noise, choice = below(noise, options)
        return nth_link(numbers, last, heading, loose, choice), noise
    thoughtful = pool > 0 and how_many(loose) <= HANDFUL
    choice = most_open(tables, numbers, last, heading, loose) if thoughtful else 0
    return nth_link(numbers, last, heading, loose, choice), noise


@njit(cache=True, nogil=True)
def nth_link(numbers: int, last: int, heading: int, loose: int, choice: int) -> int:
    """One of the legal links, counted from 0."""
    for number in range(TOP + 1):
        if is_link(numbers, last, heading, loose, number):
            if choice == 0:
                return number
            choice -= 1
    return -1


@njit(cache=True, nogil=True)
def most_open(tables: Tables, numbers: int, last: int, heading: int, loose: int) -> int:
    """Which of the legal links leaves the chain's end as open as can be."""
    option, choice, most = 0, 0, -1
    every = squeezed(numbers + loose)
    for number in range(TOP + 1):
        if is_link(numbers, last, heading, loose, number):
            rest = squeezed(loose) - (1 << 2 * number)
            ends = tables.reach[rest, 3 * number + heading_after(last, heading, number)]
            for end in range(ENDS):
                if ends >> np.uint32(end) & np.uint32(1) and tables.openness[every, end] > most:
                    choice, most = option, tables.openness[every, end]
            option += 1
    return choice


@njit(cache=True, nogil=True)
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
    piles: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """The space of the disc to move, or below 0 the direction to lengthen in (C12)."""
    one, two = free_discs(seat, discs, piles)
    policy, noise = effective_policy(policy, noise)
    if policy == RANDOM:
        moves, ways = count_choices(two, heading, pool)
        noise, choice = below(noise, moves + ways)
        return as_decision(choice, moves, one, two, heading), noise
    space, appeal = one, appeal_of(seat, one, links, 0, tables, discs, piles)
    if two >= 0:
        other = appeal_of(seat, two, links, 0, tables, discs, piles)
        if other > appeal:
            space, appeal = two, other
    if pool > 0:
        way = heading
        if heading == _OPEN:
            way = _UP if odds(numbers, last, _UP) >= odds(numbers, last, _DOWN) else _DOWN
        unkind, far = appeal < _KIND, appeal & _BRINGS_HOME == 0
        if unkind or (far and odds(numbers, last, way) >= _GOOD_ODDS):
            return -way, noise
    if policy == REGULAR and two >= 0:
        appeal = appeal_of(seat, one, links, levels.COVER_BONUS, tables, discs, piles)
        space = two if appeal_of(seat, two, links, levels.COVER_BONUS, tables, discs, piles) > appeal else one
    return space, noise


@njit(cache=True, nogil=True)
def count_choices(two: int, heading: int, pool: int) -> tuple[int, int]:
    """How many discs can be moved, and how many directions named (C12, C13)."""
    return 1 if two < 0 else 2, 0 if pool == 0 else 2 if heading == _OPEN else 1


@njit(cache=True, nogil=True)
def as_decision(choice: int, moves: int, one: int, two: int, heading: int) -> int:
    """From a choice, counted from 0, to a space or a direction below 0."""
    if choice < moves:
        return one if choice == 0 else two
    return -(choice - moves + 1 if heading == _OPEN else heading)


_KIND, _BRINGS_HOME = 1 << 11, 1 << 10
"""The worth of a move to ``simple``: these count more than any sum of spaces."""


@njit(cache=True, nogil=True)
def appeal_of(
    seat: int, space: int, links: int, bonus: int, tables: Tables, discs: Words, piles: Words
) -> int:
    """How good a move looks to ``simple``; ``bonus`` is what ``regular`` adds for covering another seat."""
    _, end = end_of(space, links, tables.arrows)
    covered = move(seat, space, end, discs, piles)
    appeal = _KIND + discs[seat, 0] + discs[seat, 1]
    if end == len(piles) - 1:
        appeal += _BRINGS_HOME
    if covered and end != space and covered & 7 != seat + 1:
        appeal += bonus
    for other in range(len(discs)):
        if other != seat and free_discs(other, discs, piles)[0] < 0:
            appeal -= _KIND
            break
    take_back(seat, space, end, discs, piles)
    return int(appeal)


# The policies that plan.


@njit(cache=True, nogil=True)
def plan_keep(
    policy: int,
    policy_tables: Mind,
    arrows: Words,
    seat: int,
    pool: int,
    hands: Words,
    discs: Words,
    piles: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """Work out the turn; the number of dice to keep (C8)."""
    evaluator = policy_tables.expert if policy == EXPERT else policy_tables.master
    work_out(
        evaluator, policy_tables.chains, policy_tables.workspace, arrows, seat, pool, hands, discs, piles
    )
    for dice in range(1, hands[seat] + 1):
        policy_tables.workspace.worths[dice - 1] = kept(policy_tables.chains, policy_tables.workspace, dice)
    choice, noise = best(policy, policy_tables, hands[seat], noise)
    return choice + 1, noise


@njit(cache=True, nogil=True)
def plan_link(
    policy: int,
    policy_tables: Mind,
    numbers: int,
    last: int,
    heading: int,
    loose: int,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """Which loose die to link next (C10)."""
    options = 0
    for number in range(TOP + 1):
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
    policy_tables: Mind,
    seat: int,
    numbers: int,
    last: int,
    heading: int,
    links: int,
    pool: int,
    discs: Words,
    piles: Words,
    noise: np.uint64,
) -> tuple[int, np.uint64]:
    """The space of the disc to move, or below 0 the direction to lengthen in (C12)."""
    one, two = free_discs(seat, discs, piles)
    moves, ways = count_choices(two, heading, pool)
    worths = policy_tables.workspace.worths
    fail = policy_tables.workspace.fail[(links + 1) // 2] if ways else 0.0
    for disc in range(moves):
        worths[disc] = policy_tables.workspace.moves[links, disc]
    for way in range(ways):
        named = way + 1 if heading == _OPEN else heading
        worths[moves + way] = lengthened(
            policy_tables.workspace.standing, fail, squeezed(numbers), last, named
        )
    choice, noise = best(policy, policy_tables, moves + ways, noise)
    return as_decision(choice, moves, one, two, heading), noise


@njit(cache=True, nogil=True)
def best(policy: int, policy_tables: Mind, options: int, noise: np.uint64) -> tuple[int, np.uint64]:
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
    policy_tables: Mind | None,
    dice: np.uint64,
    noise: np.uint64,
    hands: Words,
    discs: Words,
    piles: Words,
    counts: Words,
    trace: Words | None,
) -> tuple[int, int, int]:
    """One game from the hands dealt; they and ``counts`` are filled by seat. The winner, turns and plies."""
    players, centre = len(hands), len(piles) - 1
    discs[:], piles[:], counts[:] = 0, 0, 0
    pool = 8 * players - hands.sum()  # C2
    seat, turns, plies = 0, 0, 0
    while free_discs(seat, discs, piles)[0] >= 0:  # C6
        policy = policies[seat]
        write(trace, plies, KEEP, seat, pool, 0, 0, _OPEN, 0, hands, discs, piles)
        if policy_tables is None or policy < EXPERT:
            dice_kept, noise = decide_keep(policy, hands[seat], noise)
        else:
            dice_kept, noise = plan_keep(
                policy, policy_tables, tables.arrows, seat, pool, hands, discs, piles, noise
            )
        pool += hands[seat] - dice_kept  # C8
        hands[seat] = dice_kept
        plies = acted(trace, plies, dice_kept)
        numbers, last, heading, loose = 0, 0, _OPEN, 0
        for die in range(dice_kept):  # C9
            write(trace, plies, ROLL, seat, pool, numbers, last, _OPEN, loose, hands, discs, piles)
            dice, number = below(dice, TOP + 1)
            plies = acted(trace, plies, number)
            if die == 0:
                numbers, last = 1 << 8 * number, number
            else:
                loose += 1 << 8 * number
        linked = can_link(last, heading, loose) and not too_often(numbers + loose)
        while linked and loose:
            write(trace, plies, BUILD, seat, pool, numbers, last, heading, loose, hands, discs, piles)
            if policy_tables is None or policy < EXPERT:
                number, noise = decide_link(policy, tables, numbers, last, heading, loose, pool, noise)
            else:
                number, noise = plan_link(policy, policy_tables, numbers, last, heading, loose, noise)
            plies = acted(trace, plies, number)
            heading = heading_after(last, heading, number)
            numbers, loose, last = numbers + (1 << 8 * number), loose - (1 << 8 * number), number
        while linked:
            write(trace, plies, DECIDE, seat, pool, numbers, last, heading, 0, hands, discs, piles)
            if policy_tables is None or policy < EXPERT:
                space, noise = decide(
                    policy, tables, seat, numbers, last, heading, hands[seat], pool, discs, piles, noise
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
                    piles,
                    noise,
                )
            plies = acted(trace, plies, space)
            if space >= 0:
                walked, end = end_of(space, hands[seat], tables.arrows)
                covered = move(seat, space, end, discs, piles)
                if covered and end != space:
                    counts[(covered & 7) - 1, _COVERED] += 1
                counts[seat, _ARROW] += end != walked
                counts[seat, _HOME] += end == centre
                break
            heading = -space
            hands[seat] += 1
            pool -= 1
            write(trace, plies, LENGTHEN, seat, pool, numbers, last, heading, 0, hands, discs, piles)
            dice, number = below(dice, TOP + 1)
            plies = acted(trace, plies, number)
            linked = fits(numbers, last, heading, number)
            if linked:
                heading = heading_after(last, heading, number)
                numbers, last = numbers + (1 << 8 * number), number
        if not linked:  # C14
            lost = (hands[seat] + 1) // 2
            hands[seat] -= lost
            pool += lost
            counts[seat, _FAILED] += 1
        turns += 1
        seat = seat + 1 if seat + 1 < players else 0  # C5
    write(trace, plies, OVER, seat, pool, 0, 0, _OPEN, 0, hands, discs, piles)
    return seat, turns, plies


@njit(cache=True, nogil=True)
def play_games(
    dealt: Words,
    lineup: Words,
    tables: Tables,
    policy_tables: Mind | None,
    first: int,
    seed: np.uint64,
    each: NDArray[np.int32],
    by_seat: NDArray[np.int32],
) -> None:
    """Fill the rows of ``each`` and ``by_seat`` with as many games, from number ``first`` on."""
    players = len(lineup)
    policies, hands = np.empty(players, np.int64), np.empty(players, np.int64)
    discs, piles = np.empty((players, 2), np.int64), np.empty(len(tables.arrows), np.int64)
    counts = np.empty((players, len(_COUNTED)), np.int64)
    for row in range(len(each)):
        number = first + row
        for seat in range(players):
            policies[seat] = lineup[(seat - number) % players]
            hands[seat] = dealt[seat]
        each[row, 0], each[row, 1], each[row, 2] = play_game(
            policies, tables, policy_tables, start(seed, number, DICE), start(seed, number, NOISE),
            hands, discs, piles, counts, None,
        )  # fmt: skip
        for seat in range(players):
            by_seat[0, row, seat] = hands[seat]
            for column in range(len(_COUNTED)):
                by_seat[1 + column, row, seat] = counts[seat, column]


def play_batch(
    game: AnyGame, bots: Sequence[str], first: int, games: int, seed: int
) -> dict[str, NDArray[np.int32]]:
    """The games ``first``, ``first + 1``, … of a seed; the bots of game 0 move on by one seat each game."""
    assert isinstance(game, Chain)
    lineup = np.array([POLICIES[bot] for bot in bots])
    dealt = np.array(game.initial_state().hands)
    play = partial(
        play_games, dealt, lineup, tables(game), _policy_tables_for(game, lineup), first, unsigned(seed)
    )
    return counted(play, ("hands", *_COUNTED), games, game.players)


def _policy_tables_for(game: Chain, lineup: Words) -> Mind | None:
    """None without planning policies: the kernel is then compiled without them."""
    return policy_tables(game) if lineup.max() >= EXPERT else None


# A game step by step.

KEEP, ROLL, BUILD, DECIDE, LENGTHEN, OVER = range(6)
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
    piles: Words,
) -> None:
    """Note the position after a number of plies, where a trace is wanted."""
    if trace is None:
        return
    row, players = trace[ply], len(hands)
    row[PHASE], row[TURN], row[POOL], row[NUMBERS] = phase, seat, pool, numbers
    row[LAST], row[HEADING], row[LOOSE] = last, heading, loose
    for other in range(players):
        row[SEATS + other] = hands[other]
        row[SEATS + players + 2 * other : SEATS + players + 2 * other + 2] = discs[other]
    row[SEATS + 3 * players :] = piles


def watch(game: Chain, bots: Sequence[str], number: int, seed: int) -> list[tuple[Action | None, State]]:
    """One game of the batch in the engine's words: each action, none at first, and the position after it."""
    players, spaces = game.players, game.track.length + 1
    policies, dice, noise = seated(POLICIES, bots, number, seed)
    plies = int(play_batch(game, bots, number, 1, seed)["plies"][0])
    trace = np.zeros((plies + 1, SEATS + 3 * players + spaces), np.int64)
    play_game(
        policies, tables(game), _policy_tables_for(game, policies), dice, noise,
        np.array(game.initial_state().hands), np.empty((players, 2), np.int64), np.empty(spaces, np.int64),
        np.empty((players, len(_COUNTED)), np.int64), trace,
    )  # fmt: skip
    return decoded(trace, lambda row: position_of(row, players), _action)


def position_of(row: list[int], players: int) -> State:
    hands, rest = row[SEATS : SEATS + players], row[SEATS + players :]
    discs = tuple(tuple(sorted(rest[2 * seat : 2 * seat + 2])) for seat in range(players))
    piles = tuple((space, _seats(word)) for space, word in enumerate(rest[2 * players :]) if word)
    numbers = _numbers(row[NUMBERS])
    chain = Links(numbers, row[LAST] + 1, _HEADINGS[row[HEADING]]) if numbers else Links()
    loose = _numbers(row[LOOSE])
    return State(row[TURN], _PHASES[row[PHASE]], tuple(hands), row[POOL], discs, piles, chain, loose)


def _seats(word: int) -> tuple[int, ...]:
    """The seats of a stack's discs, bottom first."""
    return (*_seats(word >> 3), (word & 7) - 1) if word else ()


def _numbers(word: int) -> tuple[int, ...]:
    return tuple(face for face in FACES for _ in range(word >> 8 * (face - 1) & 255))


def _action(code: int, before: State) -> Action:
    if before.phase is Phase.KEEP:
        return Keep(code)
    if before.phase is Phase.BUILD:
        return Link(code + 1)
    if before.phase is Phase.DECIDE:
        return Move(code) if code >= 0 else (UP, DOWN)[-code - 1]
    return Roll(code + 1)
