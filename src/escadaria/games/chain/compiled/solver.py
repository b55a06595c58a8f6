"""The solver of Chain for two players: lower bounds of both seats' probabilities to win, at every turn start.

Two tables start from zero: ``mover`` is a bound for the seat to move, ``waiter`` one for the other seat.
The entries of a turn start follow from those of the turn starts after it:

    mover  = FADE * the most that the mover can make of the waiter's entries after the turn
    waiter = FADE * the least that the mover can leave of the mover's entries after the turn

Both only grow, and ``mover <= probability of winning <= 1 - waiter`` holds all the time, in whatever order
entries are updated. ``FADE`` is slightly below one. That covers the rounding of a turn's sums, makes a win
now worth more than the same win later, and makes endless play worth nothing. Seats that play by these tables
win at least with the probabilities of their entries. So when both bounds meet up to a tiny gap, play from
every position ends with a probability of at least one minus that gap; and then it ends with probability one.

A turn depends on the board only through the values of stopping with each number of links and of failing with
each number of dice. One pass through its chains serves all hands of the mover, since after discarding (C8)
only the dice kept matter. All hands that sixteen dice (C2) allow are solved. The solver assumes nothing about
which end of a turn is better: a seat whose every move would give the other the win prefers to fail (C14).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import combinations, pairwise
from math import log
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from escadaria.compute.work import Work
from escadaria.games.chain.boards import Board
from escadaria.games.chain.compiled.rules import (
    Words,
    free_discs,
    inlined,
    move,
    take_back,
)
from escadaria.games.chain.compiled.sweeps import (
    FAILED,
    Moves,
    Numbers,
    Tables,
    Turns,
    largest_gap,
    sweep,
)
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.solution import DICE, HAND_PAIRS, MOST, ChainSolution, arrangements
from escadaria.games.chain.turn import DOWN, ENDS, ONE_MORE, OPEN, UP, Ints, longer, rolls

GAP = 1e-9
"""How far the bounds may be apart."""

COARSEST, FINER = 1e-2, 1e-2
"""Changes up to a limit trigger no updates: its first value, and its factor when no work is left."""

SHRINKS = 0.55
"""The factor by which a sweep shrinks the largest gap, roughly; for the estimate of the time left."""

Arrays = Mapping[str, np.ndarray]
Listener = Callable[[str, float, dict[str, np.ndarray]], None]


class Solver:
    """The tables of a board, and which entries need an update."""

    def __init__(self, board: Board) -> None:
        self.moves = moves(board)
        count = len(self.moves.failed)
        can_move = (self.moves.stopped >= 0).any(axis=(1, 2))
        self.mover = np.zeros((count, HAND_PAIRS))
        self.mover[~can_move] = 1  # C6
        self.waiter = np.zeros_like(self.mover)
        self.order = np.flatnonzero(can_move)
        self.order = self.order[np.argsort(-self.moves.advance[self.order], kind="stable")]
        """The arrangements where a turn is played, those nearest to the end first."""
        self.coarse = COARSEST
        self.updates = 0
        """How many arrangements were updated so far, each with all hands."""
        self._tables = Tables(self.mover, self.waiter, np.ones(count, np.int64), np.ones(count, np.int64))
        self._clock = 1

    def solve(self, arrays: Arrays, done: Listener = lambda *_: None, gap: float = GAP) -> float:
        """Sweep until the bounds are at most ``gap`` apart everywhere; returns the largest gap.

        :param arrays: the arrays that an interrupted run passed last to ``done``; else none.
        :param done: called after each sweep with the phase, the largest gap, and the arrays to keep.
        """
        if arrays:
            self.mover[:], self.waiter[:] = arrays["mover"], arrays["waiter"]
            self.coarse = float(arrays["coarse"][0])
        while (apart := float(largest_gap(self._tables))) > gap:
            self.sweep()
            coarse = np.array([self.coarse])
            done("prove", apart, {"mover": self.mover, "waiter": self.waiter, "coarse": coarse})
        return apart

    def sweep(self) -> float:
        """Update once all entries that may have changed; returns the largest change."""
        self._clock, change, updates = sweep(
            self.order, self._tables, self.moves, turns(), self._clock, self.coarse
        )
        self.updates += updates
        if change <= self.coarse:
            self.coarse *= FINER
            self._tables.changed[:] = self._clock
        return float(change)


# Turns.


@lru_cache(maxsize=1)
def turns() -> Turns:
    """The arrays of all turns."""
    by_length = _chains()
    follow = [_follow(at, longer) for at, longer in pairwise(by_length)]
    choices = [_choices(dice, at) for dice, at in enumerate(by_length)]
    ways: list[Any] = []
    chains: list[Any] = []
    built: list[int] = []
    starts, chances = [0], list[float]()
    levels = np.zeros((DICE, DICE + 1, 3), np.int32)
    for most in range(1, DICE):
        kinds = np.zeros(len(by_length[most]), np.int64)
        for links in range(most, 0, -1):
            levels[most, links] = len(ways), len(chains), len(chances)
            if links < most:
                after = np.where(follow[links] < 0, FAILED, kinds[follow[links]])
                after.sort(axis=2)
                each, way = np.unique(after.reshape(-1, 6), axis=0, return_inverse=True)
                pairs = np.sort(way.reshape(-1, 2), axis=1)
                both, kinds = np.unique(pairs, axis=0, return_inverse=True)
                ways.extend(each)
                chains.extend(both)
            each_chain = kinds.tolist()
            merged: dict[frozenset[int], float] = defaultdict(float)
            for ends, chance in choices[links]:
                merged[frozenset(each_chain[end] for end in ends)] += chance
            # Sorted, so that rolls that are near each other read chains that are.
            for different, chance in sorted((sorted(ends), chance) for ends, chance in merged.items()):
                built.extend(different)
                starts.append(len(built))
                chances.append(chance)
        levels[most, 0] = len(ways), len(chains), len(chances)
    return Turns(
        np.array(ways, np.int32),
        np.array(chains, np.int32),
        np.array(starts, np.int32),
        np.array(chances),
        np.array(built, np.int32),
        levels,
        np.array([1.0] + [rolls(dice).missing for dice in range(1, DICE)]),
    )


def _chains() -> list[Ints]:
    """By links: the slots of all chains, sorted."""
    found = [
        np.zeros(0, np.int64),
        np.array([first * ENDS + 3 * face for face, first in enumerate(ONE_MORE)]),
    ]
    while len(found) < DICE:
        at = found[-1]
        after = np.concatenate([longer(at, _way(at, way)) for way in (OPEN, UP, DOWN)])
        found.append(np.unique(after[after >= 0]))
    return found


def _way(at: Ints, way: int) -> Ints:
    """The direction, where the chains of these slots leave the choice (C13)."""
    return np.where(at % 3 == OPEN, way, at % 3)


def _follow(at: Ints, after: Ints) -> Ints:
    """[chain, way, face]: the index of the longer chain, or -1."""
    slots = np.stack([longer(at, _way(at, way)) for way in (UP, DOWN)], axis=1)
    return np.where(slots < 0, -1, np.searchsorted(after, slots))


def _choices(dice: int, at: Ints) -> list[tuple[list[int], float]]:
    """For each roll that can be linked: the chains that it can be built into, and its probability (C10)."""
    if not dice:
        return []
    some = rolls(dice)
    ends = np.split(np.searchsorted(at, some.slots), some.starts[1:])
    return [(each.tolist(), chance) for each, chance in zip(ends, some.chances.tolist(), strict=True)]


# Moves.


class Layout(NamedTuple):
    """``Arrangements`` and the board as arrays."""

    first: Words
    """``Arrangements.first``"""
    pairs: Words
    """``Arrangements.pairs``"""
    pair_of: Numbers
    """[space, space]: the number of a pair of discs."""
    arrows: Words
    """By space: where a move that ends there leads (C16)."""
    masks: Numbers
    """[own discs, others, order]: a stack with a bit for each own disc, the lowest bit at the bottom."""
    orders: Numbers
    """[own discs, others, mask]: the inverse."""


def moves(board: Board) -> Moves:
    """All moves of all arrangements."""
    count = arrangements(board).count
    stopped = np.full((count, 2, MOST), -1, np.int32)
    failed, advance = np.zeros((2, count), np.int32)
    _find_moves(layout(board), stopped, failed, advance)
    return Moves(stopped, failed, advance)


def arrows_of(board: Board) -> Words:
    """By space: where a move that ends there leads (C16)."""
    arrows = np.arange(board.length + 1)
    for start, end in board.arrows:
        arrows[start] = end
    return arrows


def layout(board: Board) -> Layout:
    """The arrays for a board."""
    lying = arrangements(board)
    layout = Layout(
        lying.first,
        np.array(lying.pairs),
        np.zeros((board.length + 1, board.length + 1), np.int32),
        arrows_of(board),
        np.zeros((3, 3, 6), np.int32),
        np.zeros((3, 3, 16), np.int32),
    )
    for number, (low, high) in enumerate(lying.pairs):
        layout.pair_of[low, high] = layout.pair_of[high, low] = number
    for own, other in ((1, 1), (1, 2), (2, 1), (2, 2)):
        for order, heights in enumerate(combinations(range(own + other), own)):
            mask = sum(1 << height for height in heights)
            layout.masks[own, other, order] = mask
            layout.orders[own, other, mask] = order
    return layout


@njit(cache=True)
def _find_moves(layout: Layout, stopped: Any, failed: Any, advance: Any) -> None:
    first, pairs = layout.first.ravel(), layout.pairs
    discs, stacks = np.zeros((2, 2), np.int64), np.zeros(len(layout.arrows), np.int64)  # seat 0 is the mover
    row = 0
    for number in range(len(stopped)):
        while row + 1 < len(first) and first[row + 1] <= number:
            row += 1
        discs[0], discs[1] = pairs[row // len(pairs)], pairs[row % len(pairs)]
        _stack(layout, number - first[row], discs, stacks)
        advance[number] = discs.sum()
        failed[number] = number_of(layout, 1, discs, stacks)
        for space in free_discs(0, discs, stacks):
            if space < 0:
                continue
            disc = 0 if space == discs[0, 0] else 1
            for links in range(1, DICE):
                _, end, _ = move(0, space, links, layout.arrows, discs, stacks)
                stopped[number, disc, links - 1] = number_of(layout, 1, discs, stacks)
                take_back(0, space, end, discs, stacks)


@njit(cache=True)
def _stack(layout: Layout, order: int, discs: Words, stacks: Words) -> None:
    """Put the discs on stacks, those of both seats by the order; the inverse of ``number_of`` for seat 0."""
    stacks[:] = 0
    for seat in range(2):
        for disc in (1, 0):  # the last digit of the order belongs to the mover's higher space
            space = discs[seat, disc]
            if not 0 < space < len(stacks) - 1 or stacks[space]:
                continue
            own = int(discs[0, 0] == space) + int(discs[0, 1] == space)
            other = int(discs[1, 0] == space) + int(discs[1, 1] == space)
            mask = (1 << own) - 1
            if own and other:
                mask = layout.masks[own, other, order % 2 if own + other == 2 else order]
                order //= 2
            for height in range(own + other):
                stacks[space] = stacks[space] << 3 | (1 if mask >> height & 1 else 2)


@inlined
def number_of(layout: Layout, seat: int, discs: Words, stacks: Words) -> int:
    """The number of the arrangement, as the seat sees it."""
    order = 0
    low, high = min(discs[seat, 0], discs[seat, 1]), max(discs[seat, 0], discs[seat, 1])
    for space in (low, high):
        word, mask, own, other = stacks[space], 0, 0, 0
        while word:
            is_own = word & 7 == seat + 1
            mask = mask << 1 | is_own
            own += is_own
            other += not is_own
            word >>= 3
        if own and other:
            if own + other == 2:
                order *= 2
            order += layout.orders[own, other, mask]
        if low == high:
            break
    own_pair, other_pair = layout.pair_of[low, high], layout.pair_of[discs[1 - seat, 0], discs[1 - seat, 1]]
    return int(layout.first[own_pair, other_pair] + order)


# The kit's part ``solver``.


def needs(game: Chain) -> tuple[int, int]:
    """The bytes of memory and of disk that solving needs."""
    size = 8 * HAND_PAIRS * arrangements(game.track).count
    return 3 * size + 2**28, 4 * size


def solve(game: Chain, work: Work, threads: int) -> None:
    """Solve a game, with one thread."""
    solver = Solver(game.track)
    gap = solver.solve(work.resume(), work.done)
    work.finish(ChainSolution(game, solver.waiter, gap).bounds, {"waiter": solver.waiter})


def seconds_left(phase: str, residual: float, took: float) -> float:
    return took * max(1.0, log(residual / GAP) / -log(SHRINKS))
