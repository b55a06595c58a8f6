"""The rules of Chain compiled (C2, C5-C17): every ruling that compiled code needs, once.

Rows. A position is a row of whole numbers: the phase, the seat to play, the pool, the chain and the loose
dice, then each seat's hand and discs, and the discs on each space.

Dice. How often each number stands in a chain, or lies loose, is one word of six times eight bits. Numbers are
counted from 0, so that 0 and 5 are where the direction may change (C11).

Discs. ``discs[seat, disc]`` is the space of a disc; 0 is the start, the last space is the centre.
``stacks[space]`` is a word with three bits for each disc there, its seat plus one; the top one has the lowest
bits (C17). The words of the start and the centre stay 0.

Hands. ``hands[seat]`` is the number of dice of a seat, in the hand or in the chain. Rules change these arrays
in place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute import constants
from escadaria.games.chain import rules
from escadaria.games.chain.links import (
    ALIKE,
    FACES,
    Links,
)
from escadaria.games.chain.positions import (
    DICE_EACH,
    Phase,
    State,
)
from escadaria.games.chain.turn import DOWN, HEADINGS, OPEN, UP

SIDES = len(FACES)
TOP = SIDES - 1

_MARKS = sum(128 << 8 * number for number in range(SIDES))
_PAST_ALIKE = _MARKS // 128 * (127 - ALIKE)
"""Added to a word, it sets the mark of each number that is there more than three times."""

Words = NDArray[np.int64]

inlined = njit(nogil=True, forceinline=True)
"""Compiles a small function into its callers. A call with arrays counts references, which takes its time."""


# Rows.

KEEP, ROLL, BUILD, DECIDE, LENGTHEN, OVER = constants(6)
_PHASES = (Phase.KEEP, Phase.ROLL, Phase.BUILD, Phase.DECIDE, Phase.LENGTHEN, Phase.OVER)
PHASE, TURN, POOL, NUMBERS, LAST, HEADING, LOOSE, SEATS = range(8)
"""The columns; from ``SEATS`` on each seat's hand and discs, and the discs on each space."""


def columns(players: int, spaces: int) -> int:
    """The length of a row, by the number of spaces with the start and the centre."""
    return SEATS + 3 * players + spaces


@inlined
def position_in(row: Words, players: int) -> tuple[Words, Words, Words]:
    """The hands, discs and stacks in a row; changing them changes the row."""
    discs, stacks = SEATS + players, SEATS + 3 * players
    return row[SEATS:discs], row[discs:stacks].reshape(players, 2), row[stacks:]


def position_of(row: list[int], players: int) -> State:
    """The readable position of a row."""
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


# Dice.


@njit(cache=True, nogil=True)
def pool_of(hands: Words) -> int:
    """How many dice lie in the pool: all that no seat has (C2)."""
    return int(DICE_EACH * len(hands) - hands.sum())


@inlined
def set_hand(seat: int, dice: int, hands: Words) -> int:
    """Give the seat this number of dice; returns how many the pool gets from it (C8, C13)."""
    given = hands[seat] - dice
    hands[seat] = dice
    return int(given)


@inlined
def fail(seat: int, hands: Words) -> int:
    """Leave the seat what a failed turn leaves of its dice; returns how many the pool gets (C14)."""
    return set_hand(seat, dice_left(hands[seat]), hands)


dice_left = njit(cache=True, nogil=True)(rules.dice_left)


# Chains.


@njit(cache=True, nogil=True)
def times(numbers: int, number: int) -> int:
    """How often a number is in a word of dice."""
    return numbers >> 8 * number & 255


@njit(cache=True, nogil=True)
def squeezed(numbers: int) -> int:
    """The word with two bits for each number, which suffice while none is there too often (C11)."""
    pairs = numbers | numbers >> 6
    return pairs & 0xF | pairs >> 12 & 0xF0 | pairs >> 24 & 0xF00


@njit(cache=True, nogil=True)
def fits(numbers: int, last: int, heading: int, number: int) -> bool:
    """Whether the chain can take the number next (C11)."""
    if times(numbers, number) == ALIKE:
        return False
    return number == last or heading == OPEN or (number > last) == (heading == UP)


@njit(cache=True, nogil=True)
def heading_after(last: int, heading: int, number: int) -> int:
    """The direction of a chain that took the number (C11)."""
    if number != last:
        heading = UP if number > last else DOWN
    return straight_on(heading, number)


@njit(cache=True, nogil=True)
def straight_on(heading: int, number: int) -> int:
    """The direction of a chain that went in this direction to the number (C11)."""
    return OPEN if number == 0 or number == TOP else heading


@njit(cache=True, nogil=True)
def add_link(numbers: int, last: int, heading: int, number: int) -> tuple[int, int, int]:
    """The chain with one more link, which fits: its numbers, last link and direction (C11)."""
    return numbers + (1 << 8 * number), number, heading_after(last, heading, number)


@njit(cache=True, nogil=True)
def can_link(last: int, heading: int, loose: int) -> bool:
    """Whether all loose dice can be linked, if no number is there too often (C10).

    Going up links all numbers that lie ahead, and the others too if a 6 is among them, where the direction
    may change; likewise down with a 1.
    """
    behind_up, behind_down = loose & (1 << 8 * last) - 1, loose >> 8 * last + 8
    up = not behind_up or times(loose, TOP) > 0
    down = not behind_down or times(loose, 0) > 0
    if last == 0 or last == TOP:
        return True
    if heading == OPEN:
        return up or down
    return up if heading == UP else down


@njit(cache=True, nogil=True)
def can_build(last: int, loose: int) -> bool:
    """Whether a roll can be linked: the coloured die shows ``last``, the black ones are loose (C10)."""
    return can_link(last, OPEN, loose) and not too_often((1 << 8 * last) + loose)


@njit(cache=True, nogil=True)
def is_link(numbers: int, last: int, heading: int, loose: int, number: int) -> bool:
    """Whether the number may be the next link, so that all loose dice can still be linked (C10)."""
    if times(loose, number) == 0 or not fits(numbers, last, heading, number):
        return False
    return can_link(number, heading_after(last, heading, number), loose - (1 << 8 * number))


@njit(cache=True, nogil=True)
def how_many(numbers: int) -> int:
    """How many dice a word counts."""
    three = numbers + (numbers >> 24)
    return (three + (three >> 8) + (three >> 16)) & 255


@njit(cache=True, nogil=True)
def too_often(numbers: int) -> bool:
    """Whether a number is in a word of dice more often than a chain may have it (C11)."""
    return numbers + _PAST_ALIKE & _MARKS != 0


class Dice(NamedTuple):
    """A chain, and the dice that are still to be linked."""

    numbers: int
    last: int
    heading: int
    loose: int


@inlined
def link(dice: Dice, number: int) -> Dice:
    """Link a loose die, which fits (C10)."""
    numbers, last, heading = add_link(dice.numbers, dice.last, dice.heading, number)
    return Dice(numbers, last, heading, dice.loose - (1 << 8 * number))


@inlined
def may_link(dice: Dice, number: int) -> bool:
    """``is_link`` for these dice."""
    return is_link(dice.numbers, dice.last, dice.heading, dice.loose, number)


# Discs.


@inlined
def free_discs(seat: int, discs: Words, stacks: Words) -> tuple[int, int]:
    """The spaces of the seat's discs that can move, the lower first; -1 where there is none (C7)."""
    low, high = min(discs[seat, 0], discs[seat, 1]), max(discs[seat, 0], discs[seat, 1])
    one = (low == 0) | (stacks[low] & 7 == seat + 1)
    two = (low != high) & (stacks[high] & 7 == seat + 1)
    if one:
        return low, high if two else -1
    return high if two else -1, -1


@inlined
def has_won(seat: int, discs: Words, stacks: Words) -> bool:
    """Whether the seat has won if its turn starts now: none of its discs can move (C6)."""
    return free_discs(seat, discs, stacks)[0] < 0


@inlined
def gives_win(seat: int, space: int, end: int, discs: Words, stacks: Words) -> bool:
    """Whether another seat has won if its turn comes after this move of the seat's free disc (C6)."""
    given = False
    for other in range(len(discs)):
        can_move = other == seat
        for disc in range(2):
            at = discs[other, disc]
            top = stacks[at] >> (3 if at == space else 0) & 7
            can_move |= (at == 0) | ((at != end) & (top == other + 1))
        given |= not can_move
    return given


@inlined
def end_of(space: int, links: int, arrows: Words) -> tuple[int, int]:
    """Where a disc comes to by walking (C15), and by an arrow there (C16)."""
    centre = len(arrows) - 1
    walked = space + links
    if walked > centre:
        walked = 2 * centre - walked
    return walked, int(arrows[walked])


@inlined
def move(
    seat: int, space: int, links: int, arrows: Words, discs: Words, stacks: Words
) -> tuple[int, int, int]:
    """Move the seat's free disc as many spaces as the chain has links (C12).

    :return: where it walked to, where an arrow then led it, and whose disc it newly covers, or -1.
    """
    walked, end = end_of(space, links, arrows)
    covered = put(seat, space, end, discs, stacks)
    return walked, end, (covered & 7) - 1 if end != space else -1


@inlined
def put(seat: int, space: int, end: int, discs: Words, stacks: Words) -> int:
    """Put the seat's free disc on another space; returns the word of the discs that it covers (C17)."""
    disc = 0 if discs[seat, 0] == space else 1
    if space > 0:
        stacks[space] >>= 3
    covered = stacks[end]
    if end < len(stacks) - 1:
        stacks[end] = covered << 3 | seat + 1
    discs[seat, disc] = end
    return int(covered)


@inlined
def take_back(seat: int, space: int, end: int, discs: Words, stacks: Words) -> None:
    """Undo a move from a space to its end."""
    disc = 0 if discs[seat, 0] == end else 1
    if end < len(stacks) - 1:
        stacks[end] >>= 3
    if space > 0:
        stacks[space] = stacks[space] << 3 | seat + 1
    discs[seat, disc] = space


@njit(cache=True, nogil=True)
def discs_above(word: int, seat: int, lower: bool) -> int:
    """How many discs lie on the seat's disc in a stack, with ``lower`` on the lower of its two (C7)."""
    above = 0
    while word & 7 != seat + 1 or lower:
        lower = lower and word & 7 != seat + 1
        word >>= 3
        above += 1
    return above


@njit(cache=True, nogil=True)
def next_seat(seat: int, players: int) -> int:
    """The seat that plays after this one (C5)."""
    return seat + 1 if seat + 1 < players else 0
