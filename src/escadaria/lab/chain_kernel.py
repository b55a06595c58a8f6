"""Chain compiled (C1-C18): the same games as the readable engine's, many at a time, in whole numbers.

Dice. How often each number stands in a chain, or lies loose, is one word of six times eight bits. Numbers are
counted from 0, so that 0 and 5 are where the direction may change (C11).

Discs. The discs on a space are one word of three bits each, the seat plus one; the top one has the lowest
bits (C17). Start and centre hold no such word.

To add a policy: a code, its name in ``POLICIES``, a branch in ``decide`` and the two beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.bots.simple import HANDFUL, ODDS
from escadaria.chain import (
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
    add_link,
    next_links,
)
from escadaria.game import AnyGame
from escadaria.lab.streams import DICE, WHIMS, below, start

RANDOM, SIMPLE = 0, 1
POLICIES: Mapping[str, int] = {"random": RANDOM, "simple": SIMPLE}
"""The bots that are compiled, with their codes."""

_OPEN, _UP, _DOWN = 0, 1, 2
_HEADINGS = (Heading.OPEN, Heading.UP, Heading.DOWN)
_TOP = len(FACES) - 1
_GOOD_ODDS = int(ODDS * len(FACES))

_MARKS = sum(128 << 8 * number for number in range(_TOP + 1))
_PAST_ALIKE, _ALIKE = _MARKS // 128 * (127 - ALIKE), _MARKS // 128 * (128 - ALIKE)
"""Added to a word, they leave a mark on each number that is there more than three times, or three times."""
_SUM = sum(1 << 8 * lane for lane in range(8))
"""Times this, the ones of a word are added up in its highest eight bits."""

_COVERED, _FAILED, _ARROW, _HOME = range(4)
_COUNTED = ("covered", "failed", "arrows", "home")
"""What is counted by seat, with its column."""

Words = NDArray[np.int64]


class Tables(NamedTuple):
    """What the kernel looks up."""

    arrows: Words
    """By space: where a move that ends there leads (C16); the last is the centre."""
    chains: NDArray[np.int16]
    """By numbers (squeezed), last and heading: the number of a chain that ``simple`` may go on with."""
    loose: NDArray[np.int16]
    """By numbers (squeezed): the number of the loose dice beside it."""
    links: NDArray[np.int8]
    """By both: the link that ``simple`` chooses when it may lengthen later."""


@cache
def tables(game: Chain) -> Tables:
    """Filled from the readable engine, so that no rule is told twice."""
    arrows = np.arange(game.track.length + 1)
    for space, end in game.track.arrows:
        arrows[space] = end
    return Tables(arrows, *_simple_links())


@cache
def _simple_links() -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int8]]:
    chains, loose_dice, links = dict[Links, int](), dict[tuple[int, ...], int](), list[tuple[int, int, int]]()

    @cache
    def openness(chain: Links, loose: tuple[int, ...]) -> int:
        """The dice of six that can be added, by the best end that is still possible."""
        if loose:
            return max(openness(*_linked(chain, loose, number)) for number in next_links(chain, loose))
        ways = _HEADINGS[1:] if chain.heading is Heading.OPEN else (chain.heading,)
        named = [Links(chain.numbers, chain.last, way) for way in ways]
        return max(sum(add_link(way, face) is not None for face in FACES) for way in named)

    def visit(chain: Links, loose: tuple[int, ...]) -> None:
        places = chains.setdefault(chain, len(chains)), loose_dice.setdefault(loose, len(loose_dice))
        options = next_links(chain, loose)
        best = max(options, key=lambda number: openness(*_linked(chain, loose, number)), default=0)
        links.append((*places, best - 1))
        for number in options:
            visit_once(*_linked(chain, loose, number))

    visit_once = cache(visit)
    for dice in range(2, HANDFUL + 1):
        for loose in combinations_with_replacement(FACES, dice - 1):
            for first in FACES:
                if loose.count(first) < ALIKE and max(map(loose.count, loose)) <= ALIKE:
                    visit_once(Links((first,), first), loose)
    chain_numbers = np.full((1 << 12, len(FACES), len(_HEADINGS)), -1, np.int16)
    for chain, number in chains.items():
        heading = _HEADINGS.index(chain.heading)
        chain_numbers[_squeezed(_word(chain.numbers)), chain.last - 1, heading] = number
    loose_numbers = np.full(1 << 12, -1, np.int16)
    for loose, number in loose_dice.items():
        loose_numbers[_squeezed(_word(loose))] = number
    table = np.full((len(chains), len(loose_dice)), -1, np.int8)
    for chain_number, loose_number, link in links:
        table[chain_number, loose_number] = link
    return chain_numbers, loose_numbers, table


def _linked(chain: Links, loose: tuple[int, ...], number: int) -> tuple[Links, tuple[int, ...]]:
    longer = add_link(chain, number)
    assert longer is not None, "a legal link can be added"
    index = loose.index(number)
    return longer, (*loose[:index], *loose[index + 1 :])


def _word(numbers: tuple[int, ...]) -> int:
    return sum(1 << 8 * (number - 1) for number in numbers)


# Chains.


@njit(cache=True, nogil=True)
def times(numbers: int, number: int) -> int:
    """How often a number is among them."""
    return numbers >> 8 * number & 255


@njit(cache=True, nogil=True)
def _squeezed(numbers: int) -> int:
    """With two bits for each number, which suffice where none is there too often (C11)."""
    pairs = numbers | numbers >> 6
    return pairs & 0xF | pairs >> 12 & 0xF0 | pairs >> 24 & 0xF00


@njit(cache=True, nogil=True)
def fits(numbers: int, last: int, heading: int, number: int) -> bool:
    """Whether the chain can take the number next (C11)."""
    if times(numbers, number) == ALIKE:
        return False
    return number == last or heading == _OPEN or (number > last) == (heading == _UP)


@njit(cache=True, nogil=True)
def heading_after(last: int, heading: int, number: int) -> int:
    """The direction once it took the number (C11)."""
    if number == 0 or number == _TOP:
        return _OPEN
    if number == last:
        return heading
    return _UP if number > last else _DOWN


@njit(cache=True, nogil=True)
def can_link(last: int, heading: int, loose: int) -> bool:
    """Whether all loose dice can be linked, if no number is there too often (C10).

    One way along the numbers links all that lie ahead, and with a 6 (or 1) at its end the others as well.
    """
    behind_up, behind_down = loose & (1 << 8 * last) - 1, loose >> 8 * last + 8
    up = not behind_up or times(loose, _TOP) > 0
    down = not behind_down or times(loose, 0) > 0
    if last == 0 or last == _TOP:
        return True
    if heading == _OPEN:
        return up or down
    return up if heading == _UP else down


@njit(cache=True, nogil=True)
def too_often(numbers: int) -> bool:
    """Whether a number is among them more often than a chain can have it (C11)."""
    return numbers + _PAST_ALIKE & _MARKS != 0


@njit(cache=True, nogil=True)
def odds(numbers: int, last: int, way: int) -> int:
    """How many of six dice can be added when this direction is named (C13)."""
    fit = ~(numbers + _ALIKE) & _MARKS
    ahead = fit >> 8 * last + 7 if way == _UP else (fit & (256 << 8 * last) - 1) >> 7
    return ahead * _SUM >> 56


# Discs.


@njit(cache=True, nogil=True)
def free_discs(seat: int, discs: Words, piles: Words) -> tuple[int, int]:
    """The spaces of the seat's discs that can move, the lower first; -1 where there is none (C7)."""
    low, high = min(discs[seat, 0], discs[seat, 1]), max(discs[seat, 0], discs[seat, 1])
    centre = len(piles) - 1
    one = low == 0 or (low < centre and piles[low] & 7 == seat + 1)
    two = low != high and high < centre and piles[high] & 7 == seat + 1
    if one:
        return low, high if two else -1
    return (high, -1) if two else (-1, -1)


@njit(cache=True, nogil=True)
def end_of(space: int, links: int, arrows: Words) -> tuple[int, int]:
    """Where a disc comes to by walking (C15), and by an arrow there (C16)."""
    centre = len(arrows) - 1
    walked = space + links
    if walked > centre:
        walked = 2 * centre - walked
    return walked, int(arrows[walked])


@njit(cache=True, nogil=True)
def move(seat: int, space: int, end: int, discs: Words, piles: Words) -> int:
    """Put the seat's free disc elsewhere; the word of the discs that it then covers (C17)."""
    disc = 0 if discs[seat, 0] == space else 1
    if space > 0:
        piles[space] >>= 3
    covered = piles[end]
    if end < len(piles) - 1:
        piles[end] = covered << 3 | seat + 1
    discs[seat, disc] = end
    return int(covered)


@njit(cache=True, nogil=True)
def take_back(seat: int, space: int, end: int, discs: Words, piles: Words) -> None:
    """Undo a move."""
    disc = 0 if discs[seat, 0] == end else 1
    if end < len(piles) - 1:
        piles[end] >>= 3
    if space > 0:
        piles[space] = piles[space] << 3 | seat + 1
    discs[seat, disc] = space


# The policies.


@njit(cache=True, nogil=True)
def decide_keep(policy: int, hand: int, whims: np.uint64) -> tuple[int, np.uint64]:
    """How many dice to keep (C8)."""
    if policy == SIMPLE:
        return min(hand, HANDFUL), whims
    whims, choice = below(whims, hand)
    return choice + 1, whims


@njit(cache=True, nogil=True)
def decide_link(
    policy: int,
    tables: Tables,
    numbers: int,
    last: int,
    heading: int,
    loose: int,
    pool: int,
    whims: np.uint64,
) -> tuple[int, np.uint64]:
    """Which loose die to link next (C10)."""
    if policy == SIMPLE and pool > 0:
        chain = tables.chains[_squeezed(numbers), last, heading]
        return int(tables.links[chain, tables.loose[_squeezed(loose)]]), whims
    choice = 0
    if policy == RANDOM:
        options = 0
        for number in range(_TOP + 1):
            options += is_link(numbers, last, heading, loose, number)
        whims, choice = below(whims, options)
    for number in range(_TOP + 1):
        if is_link(numbers, last, heading, loose, number):
            if choice == 0:
                return number, whims
            choice -= 1
    return -1, whims


@njit(cache=True, nogil=True)
def is_link(numbers: int, last: int, heading: int, loose: int, number: int) -> bool:
    """Whether the number may be the next link, so that all loose dice can still be linked (C10)."""
    if times(loose, number) == 0 or not fits(numbers, last, heading, number):
        return False
    return can_link(number, heading_after(last, heading, number), loose - (1 << 8 * number))


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
    whims: np.uint64,
) -> tuple[int, np.uint64]:
    """The space of the disc to move, or below 0 the direction to lengthen in (C12)."""
    one, two = free_discs(seat, discs, piles)
    if policy == RANDOM:
        moves = 1 if two < 0 else 2
        ways = 0 if pool == 0 else 2 if heading == _OPEN else 1
        whims, choice = below(whims, moves + ways)
        if choice < moves:
            return one if choice == 0 else two, whims
        return -(choice - moves + 1 if heading == _OPEN else heading), whims
    space, appeal = one, appeal_of(seat, one, links, tables, discs, piles)
    if two >= 0:
        other = appeal_of(seat, two, links, tables, discs, piles)
        if other > appeal:
            space, appeal = two, other
    if pool > 0:
        way = heading
        if heading == _OPEN:
            way = _UP if odds(numbers, last, _UP) >= odds(numbers, last, _DOWN) else _DOWN
        unkind, far = appeal < _KIND, appeal & _BRINGS_HOME == 0
        if unkind or (far and odds(numbers, last, way) >= _GOOD_ODDS):
            return -way, whims
    return space, whims


_KIND, _BRINGS_HOME = 1 << 11, 1 << 10
"""The worth of a move to ``simple``: these count more than any sum of spaces."""


@njit(cache=True, nogil=True)
def appeal_of(seat: int, space: int, links: int, tables: Tables, discs: Words, piles: Words) -> int:
    """How good a move looks to ``simple``."""
    _, end = end_of(space, links, tables.arrows)
    move(seat, space, end, discs, piles)
    appeal = _KIND + discs[seat, 0] + discs[seat, 1]
    if end == len(piles) - 1:
        appeal += _BRINGS_HOME
    for other in range(len(discs)):
        if other != seat and free_discs(other, discs, piles)[0] < 0:
            appeal -= _KIND
            break
    take_back(seat, space, end, discs, piles)
    return int(appeal)


# Playing.


@njit(cache=True, nogil=True)
def play_game(
    policies: Words,
    tables: Tables,
    dice: np.uint64,
    whims: np.uint64,
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
        if trace is not None:
            write(trace, plies, _KEEP, seat, pool, 0, 0, _OPEN, 0, hands, discs, piles)
        kept, whims = decide_keep(policy, hands[seat], whims)
        pool += hands[seat] - kept  # C8
        hands[seat] = kept
        plies += 1
        if trace is not None:
            trace[plies, _ACTION] = kept
        numbers, last, heading, loose = 0, 0, _OPEN, 0
        for die in range(kept):  # C9
            if trace is not None:
                write(trace, plies, _ROLL, seat, pool, numbers, last, _OPEN, loose, hands, discs, piles)
            dice, number = below(dice, _TOP + 1)
            plies += 1
            if trace is not None:
                trace[plies, _ACTION] = number
            if die == 0:
                numbers, last = 1 << 8 * number, number
            else:
                loose += 1 << 8 * number
        linked = can_link(last, heading, loose) and not too_often(numbers + loose)
        while linked and loose:
            if trace is not None:
                write(
                    trace,
                    plies,
                    _BUILD,
                    seat,
                    pool,
                    numbers,
                    last,
                    heading,
                    loose,
                    hands,
                    discs,
                    piles,
                )
            number, whims = decide_link(policy, tables, numbers, last, heading, loose, pool, whims)
            plies += 1
            if trace is not None:
                trace[plies, _ACTION] = number
            heading = heading_after(last, heading, number)
            numbers, loose, last = numbers + (1 << 8 * number), loose - (1 << 8 * number), number
        while linked:
            if trace is not None:
                write(trace, plies, _DECIDE, seat, pool, numbers, last, heading, 0, hands, discs, piles)
            space, whims = decide(
                policy, tables, seat, numbers, last, heading, hands[seat], pool, discs, piles, whims
            )
            plies += 1
            if trace is not None:
                trace[plies, _ACTION] = space
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
            if trace is not None:
                write(trace, plies, _LENGTHEN, seat, pool, numbers, last, heading, 0, hands, discs, piles)
            dice, number = below(dice, _TOP + 1)
            plies += 1
            if trace is not None:
                trace[plies, _ACTION] = number
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
    if trace is not None:
        write(trace, plies, _OVER, seat, pool, 0, 0, _OPEN, 0, hands, discs, piles)
    return seat, turns, plies


@njit(cache=True, nogil=True)
def play_games(
    dealt: Words,
    lineup: Words,
    tables: Tables,
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
            policies, tables, start(seed, number, DICE), start(seed, number, WHIMS),
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
    each = np.empty((games, 3), np.int32)
    by_seat = np.empty((1 + len(_COUNTED), games, game.players), np.int32)
    play_games(dealt, lineup, tables(game), first, np.uint64(seed % 2**64), each, by_seat)
    return {
        **dict(zip(("winner", "turns", "plies"), each.T, strict=True)),
        **dict(zip(("hands", *_COUNTED), by_seat, strict=True)),
    }


# A game step by step.

_KEEP, _ROLL, _BUILD, _DECIDE, _LENGTHEN, _OVER = range(6)
_PHASES = (Phase.KEEP, Phase.ROLL, Phase.BUILD, Phase.DECIDE, Phase.LENGTHEN, Phase.OVER)
_ACTION, _PHASE, _TURN, _POOL, _NUMBERS, _LAST, _HEADING, _LOOSE, _SEATS = range(9)
"""The columns of a trace; then come each seat's hand and discs, and the discs on each space."""


@njit(cache=True, nogil=True)
def write(
    trace: Words,
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
    """Note the position after a number of plies."""
    row, players = trace[ply], len(hands)
    row[_PHASE], row[_TURN], row[_POOL], row[_NUMBERS] = phase, seat, pool, numbers
    row[_LAST], row[_HEADING], row[_LOOSE] = last, heading, loose
    for other in range(players):
        row[_SEATS + other] = hands[other]
        row[_SEATS + players + 2 * other : _SEATS + players + 2 * other + 2] = discs[other]
    row[_SEATS + 3 * players :] = piles


def watch(game: Chain, bots: Sequence[str], number: int, seed: int) -> list[tuple[Action | None, State]]:
    """One game of the batch in the engine's words: each action, none at first, and the position after it."""
    players = game.players
    policies = np.array([POLICIES[bots[(seat - number) % players]] for seat in range(players)])
    dice, whims = (np.uint64(start(np.uint64(seed % 2**64), number, which)) for which in (DICE, WHIMS))
    plies = int(play_batch(game, bots, number, 1, seed)["plies"][0])
    spaces = game.track.length + 1
    trace = np.zeros((plies + 1, _SEATS + 3 * players + spaces), np.int64)
    play_game(
        policies, tables(game), dice, whims, np.array(game.initial_state().hands),
        np.empty((players, 2), np.int64), np.empty(spaces, np.int64),
        np.empty((players, len(_COUNTED)), np.int64), trace,
    )  # fmt: skip
    rows = trace.tolist()
    positions = [_position(row, players) for row in rows]
    actions = [
        _action(row[_ACTION], before.phase) for before, row in zip(positions[:-1], rows[1:], strict=True)
    ]
    return list(zip([None, *actions], positions, strict=True))


def _position(row: list[int], players: int) -> State:
    hands, rest = row[_SEATS : _SEATS + players], row[_SEATS + players :]
    discs = tuple(tuple(sorted(rest[2 * seat : 2 * seat + 2])) for seat in range(players))
    piles = tuple((space, _seats(word)) for space, word in enumerate(rest[2 * players :]) if word)
    numbers = _numbers(row[_NUMBERS])
    chain = Links(numbers, row[_LAST] + 1, _HEADINGS[row[_HEADING]]) if numbers else Links()
    loose = _numbers(row[_LOOSE])
    return State(row[_TURN], _PHASES[row[_PHASE]], tuple(hands), row[_POOL], discs, piles, chain, loose)


def _seats(word: int) -> tuple[int, ...]:
    """The seats of a stack's discs, bottom first."""
    return (*_seats(word >> 3), (word & 7) - 1) if word else ()


def _numbers(word: int) -> tuple[int, ...]:
    return tuple(face for face in FACES for _ in range(word >> 8 * (face - 1) & 255))


def _action(code: int, before: Phase) -> Action:
    if before is Phase.KEEP:
        return Keep(code)
    if before is Phase.BUILD:
        return Link(code + 1)
    if before is Phase.DECIDE:
        return Move(code) if code >= 0 else (UP, DOWN)[-code - 1]
    return Roll(code + 1)
