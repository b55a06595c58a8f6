"""Compiled updates of Chain's bounds: several arrangements of discs at a time, all hands of each (C6-C14)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from escadaria.games.chain.compiled.rules import dice_left
from escadaria.games.chain.solution import DICE, HAND_ROWS, MOST

FADE = 1 - 1e-12
"""A turn's sums have fewer than 1000 steps, each with a rounding error of at most 2**-53: 1.2e-13 in all."""

LANES = 64
"""How many arrangements are updated side by side, so that vector registers are full."""

FAILED, MOST_WAYS = 900, 1200
"""The row of failing, after the rows of all chains of a length; the most rows of ways to lengthen them."""

Numbers = npt.NDArray[np.int32]
Values = npt.NDArray[np.float64]


class Turns(NamedTuple):
    """All turns as arrays, by the most links that the dice allow, then by links, falling.

    Chains with the same future are merged: mirrored ones (1 for 6), those whose numbers cannot come too often
    any more, and so on.
    """

    ways: Numbers
    """[way to lengthen, face]: the chain with one link more, sorted; or ``FAILED``."""
    chains: Numbers
    """By chain: its two ways, or its only one twice."""
    rolls: Numbers
    """By roll: the index of its first chain in ``built``."""
    chances: Values
    """By roll: its probability."""
    built: Numbers
    """The chains that a roll can be built into."""
    levels: Numbers
    """[most links, links]: the indices of the first way, chain and roll of this length."""
    unlinkable: Values
    """By dice: the probability that they cannot all be linked (C14)."""


class Moves(NamedTuple):
    """The arrangements after each one, as the other seat sees them."""

    stopped: Numbers
    """[arrangement, disc, links - 1]: after stopping (C12); -1 where the disc is not free."""
    failed: Numbers
    """[arrangement]: after failing (C14)."""
    advance: Numbers
    """[arrangement]: the sum of all discs' spaces."""


class Tables(NamedTuple):
    """The bounds, by arrangement and hands, and when they changed."""

    mover: Values
    """Lower bounds for the seat to move."""
    waiter: Values
    """Lower bounds for the other seat."""
    changed: Any
    """By arrangement: when its entries changed last by more than is ignored."""
    worked: Any
    """By arrangement: when its entries were updated last."""


class Workspace(NamedTuple):
    """Arrays for one pass through a turn; the last index is always the lane."""

    stop: Values
    """By links: the value of stopping."""
    fail: Values
    """By dice left: the value of failing."""
    here: Values
    """The values of the chains of a length."""
    longer: Values
    """The values of the chains with one link more."""
    lengthened: Values
    """The values of the ways to lengthen."""
    best: Values
    """The value of the best chain of a roll."""
    kept: Values
    """By dice: the value of keeping them."""


@njit(cache=True)
def new_workspace() -> Workspace:
    return Workspace(
        np.zeros((DICE, LANES)),
        np.zeros((dice_left(MOST) + 1, LANES)),
        np.zeros((FAILED + 1, LANES)),
        np.zeros((FAILED + 1, LANES)),
        np.zeros((MOST_WAYS, LANES)),
        np.zeros(LANES),
        np.zeros((DICE, LANES)),
    )


@njit(cache=True)
def sweep(
    order: Any, tables: Tables, moves: Moves, turns: Turns, clock: int, coarse: float
) -> tuple[int, float, int]:
    """Update the arrangements in this order, ``LANES`` at a time, where a following one has changed."""
    workspace, changed, worked = new_workspace(), tables.changed, tables.worked
    block, change = np.zeros(LANES, np.int64), np.zeros(LANES)
    filled = updates = 0
    largest = 0.0
    for place in range(len(order)):
        number = order[place]
        if _is_due(number, moves, changed, worked):
            block[filled] = number
            filled += 1
        if filled < LANES and (place < len(order) - 1 or filled == 0):
            continue
        clock += 1
        _update(block[:filled], tables, moves, turns, workspace, change)
        for lane in range(filled):
            worked[block[lane]] = clock
            if change[lane] > coarse:
                changed[block[lane]] = clock
            largest = max(largest, change[lane])
        updates += filled
        filled = 0
    return clock, largest, updates


@njit(cache=True)
def _is_due(number: int, moves: Moves, changed: Any, worked: Any) -> bool:
    last = changed[moves.failed[number]]
    for after in moves.stopped[number].flat:
        if after >= 0:
            last = max(last, changed[after])
    return bool(last >= worked[number])


@njit(cache=True)
def _update(
    block: Any, tables: Tables, moves: Moves, turns: Turns, workspace: Workspace, change: Any
) -> None:
    """Update all hands of these arrangements."""
    mover, waiter = tables.mover, tables.waiter
    stop, fail, kept = workspace.stop, workspace.fail, workspace.kept
    change[:] = 0.0
    for other in range(1, DICE):
        most, row = DICE - other, HAND_ROWS[other]
        for side in range(2):
            source, target = (waiter, mover) if side == 0 else (mover, waiter)
            sign = 1.0 if side == 0 else -1.0  # the minimum is the maximum of the negated values
            for lane in range(len(block)):
                number = block[lane]
                for left in range(1, dice_left(most) + 1):
                    fail[left, lane] = sign * source[moves.failed[number], row + left - 1]
                for links in range(1, most + 1):
                    stop[links, lane] = -np.inf
                    for disc in range(2):
                        after = moves.stopped[number, disc, links - 1]
                        if after >= 0:
                            value = sign * source[after, row + links - 1]
                            stop[links, lane] = max(stop[links, lane], value)
            compute_kept(most, turns, workspace)
            for lane in range(len(block)):
                number = block[lane]
                for dice in range(1, most + 1):
                    hands = HAND_ROWS[dice] + other - 1
                    value = FADE * sign * kept[dice, lane]
                    change[lane] = max(change[lane], abs(value - target[number, hands]))
                    target[number, hands] = value


@njit(cache=True)
def compute_kept(most: int, turns: Turns, workspace: Workspace) -> None:
    """Fill ``kept`` from ``stop`` and ``fail``, with chains of up to ``most`` links."""
    ways, chains, rolls, chances, built, levels, unlinkable = turns
    stop, fail, here, longer, lengthened, best, kept = workspace
    for lane in range(LANES):
        longer[0, lane] = stop[most, lane]
    for links in range(most, 0, -1):
        if links < most:
            for lane in range(LANES):
                longer[FAILED, lane] = fail[dice_left(links + 1), lane]
            start = levels[most, links, 0]
            for way in range(start, levels[most, links - 1, 0]):
                # With unsigned indices the compiler need not handle negative ones.
                a, b, c = np.uint64(ways[way, 0]), np.uint64(ways[way, 1]), np.uint64(ways[way, 2])
                d, e, f = np.uint64(ways[way, 3]), np.uint64(ways[way, 4]), np.uint64(ways[way, 5])
                to = np.uint64(way - start)
                for lane in range(LANES):
                    lengthened[to, lane] = (
                        longer[a, lane] + longer[b, lane] + longer[c, lane]
                        + longer[d, lane] + longer[e, lane] + longer[f, lane]
                    ) * (1 / 6)  # fmt: skip
            start = levels[most, links, 1]
            for chain in range(start, levels[most, links - 1, 1]):
                a, b = np.uint64(chains[chain, 0]), np.uint64(chains[chain, 1])
                to = np.uint64(chain - start)
                for lane in range(LANES):
                    either = _greater(lengthened[a, lane], lengthened[b, lane])
                    here[to, lane] = _greater(stop[links, lane], either)  # C12
            here, longer = longer, here
        for lane in range(LANES):
            kept[links, lane] = unlinkable[links] * fail[dice_left(links), lane]
        for roll in range(levels[most, links, 2], levels[most, links - 1, 2]):
            a = np.uint64(built[rolls[roll]])
            for lane in range(LANES):
                best[lane] = longer[a, lane]
            for choice in range(rolls[roll] + 1, rolls[roll + 1]):
                a = np.uint64(built[choice])
                for lane in range(LANES):
                    best[lane] = _greater(best[lane], longer[a, lane])
            for lane in range(LANES):
                kept[links, lane] += chances[roll] * best[lane]
    for dice in range(2, most + 1):  # any number of dice may be discarded first (C8)
        for lane in range(LANES):
            kept[dice, lane] = _greater(kept[dice, lane], kept[dice - 1, lane])


@njit(inline="always")
def _greater(one: float, two: float) -> float:
    return one if one > two else two  # one instruction; ``max`` also handles NaN


@njit(cache=True)
def largest_gap(tables: Tables) -> float:
    (mover, waiter), largest = tables[:2], 0.0
    for number in range(mover.shape[0]):
        for hands in range(mover.shape[1]):
            largest = max(largest, 1.0 - mover[number, hands] - waiter[number, hands])
    return largest
