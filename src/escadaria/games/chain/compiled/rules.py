"""Chain's rules compiled, piece by piece (C7-C17): chains of dice and discs on spaces, in whole numbers.

Dice. How often each number stands in a chain, or lies loose, is one word of six times eight bits. Numbers are
counted from 0, so that 0 and 5 are where the direction may change (C11).

Discs. The discs on a space are one word of three bits each, the seat plus one; the top one has the lowest
bits (C17). Start and centre hold no such word.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.games.chain.rules import ALIKE, FACES
from escadaria.games.chain.turn import DOWN, OPEN, UP

SIDES = len(FACES)
TOP = SIDES - 1

_MARKS = sum(128 << 8 * number for number in range(TOP + 1))
_PAST_ALIKE, _ALIKE = _MARKS // 128 * (127 - ALIKE), _MARKS // 128 * (128 - ALIKE)
"""Added to a word, they leave a mark on each number that is there more than three times, or three times."""
_SUM = sum(1 << 8 * lane for lane in range(8))
"""Times this, the ones of a word are added up in its highest eight bits."""

Words = NDArray[np.int64]


# Chains.


@njit(cache=True, nogil=True)
def times(numbers: int, number: int) -> int:
    """How often a number is among them."""
    return numbers >> 8 * number & 255


@njit(cache=True, nogil=True)
def squeezed(numbers: int) -> int:
    """With two bits for each number, which suffice where none is there too often (C11)."""
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
    """The direction once it took the number (C11)."""
    if number == 0 or number == TOP:
        return OPEN
    if number == last:
        return heading
    return UP if number > last else DOWN


@njit(cache=True, nogil=True)
def can_link(last: int, heading: int, loose: int) -> bool:
    """Whether all loose dice can be linked, if no number is there too often (C10).

    One way along the numbers links all that lie ahead, and with a 6 (or 1) at its end the others as well.
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
def is_link(numbers: int, last: int, heading: int, loose: int, number: int) -> bool:
    """Whether the number may be the next link, so that all loose dice can still be linked (C10)."""
    if times(loose, number) == 0 or not fits(numbers, last, heading, number):
        return False
    return can_link(number, heading_after(last, heading, number), loose - (1 << 8 * number))


@njit(cache=True, nogil=True)
def how_many(numbers: int) -> int:
    """Of all numbers together."""
    three = numbers + (numbers >> 24)
    return (three + (three >> 8) + (three >> 16)) & 255


@njit(cache=True, nogil=True)
def too_often(numbers: int) -> bool:
    """Whether a number is among them more often than a chain can have it (C11)."""
    return numbers + _PAST_ALIKE & _MARKS != 0


@njit(cache=True, nogil=True)
def odds(numbers: int, last: int, way: int) -> int:
    """How many of six dice can be added when this direction is named (C13)."""
    fit = ~(numbers + _ALIKE) & _MARKS
    ahead = fit >> 8 * last + 7 if way == UP else (fit & (256 << 8 * last) - 1) >> 7
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
