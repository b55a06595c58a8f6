"""Chain's values compiled: what turn starts are worth, and what a turn is worth by them (C6-C17).

The same as ``turn`` and ``values`` of the game's folder, for positions as the kernel has
them. A slot is a chain there: its numbers, its last link and its heading.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import solutions
from escadaria.compute.network import FIRST_WIDTH, SECOND_WIDTH, Weights, forward, weights
from escadaria.games.chain import values as features
from escadaria.games.chain.compiled.rules import (
    SIDES,
    TOP,
    Words,
    end_of,
    free_discs,
    move,
    squeezed,
    take_back,
)
from escadaria.games.chain.compiled.solver import Layout, layout, number_of
from escadaria.games.chain.rules import ALIKE, LONGEST, Chain
from escadaria.games.chain.solution import HAND_ROWS, ChainSolution
from escadaria.games.chain.turn import BY_LENGTH, DOWN, ENDS, OPEN, UP, reach, rolls
from escadaria.games.chain.values import AFTER, BEFORE, DEEP, FREE, HOME, OWN, PER_SEAT

fill_rows = njit(cache=True, nogil=True)(features.fill_rows)


class Walk(NamedTuple):
    """All chains and all rolls, with their chances."""

    numbers: Words
    """Of all chains, by length."""
    first: Words
    """By length: where they start."""
    reach: NDArray[np.uint32]
    """[loose numbers, end]: the ends that all loose dice can be linked to."""
    slots: Words
    """What each roll can be built into, one roll after the other."""
    starts: Words
    """By roll: where its slots start."""
    chances: NDArray[np.float64]
    """By roll."""
    first_roll: Words
    """By dice."""
    missing: NDArray[np.float64]
    """By dice: how likely they cannot all be linked."""


@cache
def chain_table() -> Walk:
    every = [rolls(dice) for dice in range(1, LONGEST + 1)]
    ends = np.cumsum([0] + [len(some.slots) for some in every])
    starts = [some.starts + end for some, end in zip(every, ends[:-1], strict=True)]
    return Walk(
        np.concatenate(BY_LENGTH),
        np.cumsum([0] + [len(numbers) for numbers in BY_LENGTH]),
        reach(),
        np.concatenate([some.slots for some in every]),
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([some.chances for some in every]),
        np.cumsum([0, 0] + [len(some.chances) for some in every]),
        np.array([1.0] + [some.missing for some in every]),
    )


class Sight(NamedTuple):
    """What turn starts are worth: by a network, or exactly by a table if there is one."""

    network: Weights
    waiter: NDArray[np.float64]
    """As a solution has it; empty if there is none."""
    layout: Layout
    track: int
    """Its kind."""


def load_evaluator(game: Chain, exact: bool) -> Sight:
    """By the solution in the cache folder, if ``exact`` and there is one, else by the values that ship."""
    solution = solutions.find(game) if exact else None
    network, track = weights(features.shipped(game)), features.kind_of_track(game.track)
    if isinstance(solution, ChainSolution):
        return Sight(network, _read_only(solution.waiter), layout(game.track), track)
    nothing = np.zeros((1, 1), np.int64)
    none = np.zeros((1, 1, 1), np.int32)
    return Sight(
        network,
        _read_only(np.zeros((0, 0))),
        Layout(nothing, nothing, nothing.astype(np.int32), nothing[0], none, none),
        track,
    )


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    plain = array.view(np.ndarray)
    plain.flags.writeable = False  # one type for Numba
    return plain


class Room(NamedTuple):
    """Workspace for one turn."""

    standing: NDArray[np.float64]
    """By slot."""
    moves: NDArray[np.float64]
    """[links, disc]: after stopping; -1 for a disc that cannot move."""
    stop: NDArray[np.float64]
    """By links: after the best move."""
    fail: NDArray[np.float64]
    """By dice left."""
    stopped: NDArray[np.float64]
    """[links, seat]: the shares after the best move, by seat from the next one."""
    failed: NDArray[np.float64]
    """[dice left, seat]"""
    shares: NDArray[np.float64]
    """Of the last turn start evaluated, by seat from the one to move."""
    seen: Words
    rows: Words
    first: NDArray[np.float32]
    second: NDArray[np.float32]
    worths: NDArray[np.float64]
    """Of all that can be chosen."""


def new_workspace(players: int) -> Room:
    number = features.number_of_features(players)
    return Room(
        np.zeros(len(reach()) * ENDS),
        np.zeros((LONGEST + 1, 2)),
        np.zeros(LONGEST + 1),
        np.zeros(LONGEST // 2 + 1),
        np.zeros((LONGEST + 1, players)),
        np.zeros((LONGEST // 2 + 1, players)),
        np.zeros(players),
        np.zeros(number + 1, np.int64),
        np.zeros(number, np.int64),
        np.zeros(FIRST_WIDTH, np.float32),
        np.zeros(SECOND_WIDTH, np.float32),
        np.zeros(LONGEST + 1),
    )


# Turn starts.


@njit(cache=True, nogil=True)
def evaluate(evaluator: Sight, workspace: Room, seat: int, hands: Words, discs: Words, piles: Words) -> None:
    """Fill ``workspace.shares`` when the seat's turn starts."""
    players = len(hands)
    if free_discs(seat, discs, piles)[0] < 0:  # C6
        workspace.shares[:] = 0.0
        workspace.shares[0] = 1.0
    elif evaluator.waiter.size:
        other = 1 - seat
        number = _arrangement(evaluator.layout, seat, discs, piles)
        workspace.shares[1] = evaluator.waiter[number, HAND_ROWS[hands[seat]] + hands[other] - 1]
        workspace.shares[0] = 1.0 - workspace.shares[1]
    else:
        see(seat, hands, discs, piles, workspace.seen)
        workspace.seen[-1] = evaluator.track
        fill_rows(players, workspace.seen, workspace.rows)
        forward(evaluator.network, workspace.rows, workspace.first, workspace.second, workspace.shares)


@njit(cache=True, nogil=True)
def _arrangement(layout: Layout, seat: int, discs: Words, piles: Words) -> int:
    """The number of a solution's arrangement, as the seat sees it."""
    spaces, heights = np.zeros(4, np.int64), np.zeros(4, np.int64)
    centre = len(piles) - 1
    for owner in range(2):
        first = 2 if owner == seat else 0
        spaces[first], spaces[first + 1] = discs[owner, 0], discs[owner, 1]
        for disc in range(2):
            space, word, below = discs[owner, disc], piles[discs[owner, disc]], 0
            passed = disc == 1 and discs[owner, 0] == space  # then the upper one is already counted
            while 0 < space < centre and (word & 7 != owner + 1 or passed):
                passed = passed and word & 7 != owner + 1
                word >>= 3
            word >>= 3
            while word:
                below += 1
                word >>= 3
            heights[first + disc] = below
    return int(number_of(layout, spaces, heights))


@njit(cache=True, nogil=True)
def see(turn: int, hands: Words, discs: Words, piles: Words, seen: Words) -> None:
    """What is seen of the start of a turn, but for the kind of track, which is last."""
    players, centre = len(hands), len(piles) - 1
    pairs = PER_SEAT * players
    seen[pairs:-1] = 0
    for later in range(players):
        seat = turn + later if turn + later < players else turn + later - players
        at = PER_SEAT * later
        for disc in range(2):
            space = discs[seat, disc]
            again = disc == 1 and space == discs[seat, 0]
            kind = FREE
            if space == centre:
                kind = HOME
            elif space > 0:
                kind = _kind(turn, later, piles[space], seat, again, pairs, players, seen)
            seen[at + 2 * disc], seen[at + 2 * disc + 1] = min(centre - space, features.MAX_DISTANCE), kind
        if (seen[at], seen[at + 1]) > (seen[at + 2], seen[at + 3]):
            seen[at], seen[at + 2] = seen[at + 2], seen[at]
            seen[at + 1], seen[at + 3] = seen[at + 3], seen[at + 1]
        seen[at + 4] = min(hands[seat], features.MOST_DICE)


@njit(cache=True, nogil=True)
def _kind(
    turn: int, later: int, word: int, seat: int, again: bool, pairs: int, players: int, seen: Words
) -> int:
    """How the seat's disc in a stack lies, with ``again`` its lower one; who is on top is noted."""
    top, above = (word & 7) - 1 - turn, 0
    if top < 0:
        top += players
    while word & 7 != seat + 1 or again:
        again = again and word & 7 != seat + 1
        word >>= 3
        above += 1
    if above == 0:
        return FREE
    if top == later:
        return OWN
    low, high = min(top, later), max(top, later)
    pair = pairs + low * players - low * (low + 1) // 2 + high - low - 1
    seen[pair] |= 1 if top == low else 2
    if top > later:
        return AFTER
    return BEFORE if above == 1 else DEEP


# Turns.


@njit(cache=True, nogil=True)
def work_out(
    evaluator: Sight,
    chains: Walk,
    workspace: Room,
    arrows: Words,
    seat: int,
    pool: int,
    hands: Words,
    discs: Words,
    piles: Words,
) -> int:
    """Work out a turn; returns the most links that the dice allow."""
    hand, last = hands[seat], len(hands) - 1
    most = min(LONGEST, hand + pool)
    following = seat + 1 if seat < last else 0
    spaces = free_discs(seat, discs, piles)
    for links in range(1, most + 1):
        hands[seat] = links
        workspace.stop[links] = -1.0
        for disc in range(2):
            space = spaces[disc]
            workspace.moves[links, disc] = -1.0
            if space < 0:
                continue
            _, end = end_of(space, links, arrows)
            move(seat, space, end, discs, piles)
            evaluate(evaluator, workspace, following, hands, discs, piles)
            take_back(seat, space, end, discs, piles)
            workspace.moves[links, disc] = workspace.shares[last]
            if workspace.shares[last] > workspace.stop[links]:
                workspace.stop[links] = workspace.shares[last]
                workspace.stopped[links] = workspace.shares
    for left in range(1, most // 2 + 1):
        hands[seat] = left
        evaluate(evaluator, workspace, following, hands, discs, piles)
        workspace.fail[left] = workspace.shares[last]
        workspace.failed[left] = workspace.shares
    hands[seat] = hand
    fill_standing(chains, workspace, most)
    return int(most)


@njit(cache=True, nogil=True)
def fill_standing(chains: Walk, workspace: Room, most: int) -> None:
    """From ``stop`` and ``fail`` to ``standing``, with chains of up to ``most`` links."""
    standing = workspace.standing
    for links in range(most, 0, -1):
        stop = workspace.stop[links]
        for at in range(chains.first[links], chains.first[links + 1]):
            numbers = chains.numbers[at]
            slot = numbers * ENDS
            if links == most:
                standing[slot : slot + ENDS] = stop
                continue
            fail = workspace.fail[(links + 1) // 2]  # C14
            total = 0.0
            for face in range(TOP, -1, -1):
                total += _added(standing, numbers, face, UP, fail)
                up = (total + face * fail) / SIDES
                standing[slot + 3 * face + OPEN] = standing[slot + 3 * face + UP] = max(stop, up)
            total = 0.0
            for face in range(TOP + 1):
                total += _added(standing, numbers, face, DOWN, fail)
                down = (total + (TOP - face) * fail) / SIDES
                standing[slot + 3 * face + DOWN] = max(stop, down)
                standing[slot + 3 * face + OPEN] = max(standing[slot + 3 * face + OPEN], down)


@njit(cache=True, nogil=True)
def _added(standing: NDArray[np.float64], numbers: int, face: int, way: int, fail: float) -> float:
    """What a die that lies ahead on the way makes of a chain (C11, C13)."""
    if numbers >> 2 * face & ALIKE == ALIKE:
        return fail
    heading = OPEN if face == 0 or face == TOP else way
    return float(standing[(numbers + (1 << 2 * face)) * ENDS + 3 * face + heading])


@njit(cache=True, nogil=True)
def lengthened(standing: NDArray[np.float64], fail: float, numbers: int, last: int, way: int) -> float:
    """The value of lengthening in this direction (C13)."""
    total = 0.0
    if way == UP:
        for face in range(TOP, last - 1, -1):
            total += _added(standing, numbers, face, UP, fail)
        return float((total + last * fail) / SIDES)
    for face in range(last + 1):
        total += _added(standing, numbers, face, DOWN, fail)
    return float((total + (TOP - last) * fail) / SIDES)


@njit(cache=True, nogil=True)
def kept(chains: Walk, workspace: Room, dice: int) -> float:
    """The value of keeping this number of dice."""
    total = chains.missing[dice] * workspace.fail[dice // 2]
    for roll in range(chains.first_roll[dice], chains.first_roll[dice + 1]):
        best = 0.0
        for at in range(chains.starts[roll], chains.starts[roll + 1]):
            best = max(best, workspace.standing[chains.slots[at]])
        total += chains.chances[roll] * best
    return float(total)


@njit(cache=True, nogil=True)
def best_end(chains: Walk, workspace: Room, numbers: int, last: int, heading: int, loose: int) -> int:
    """The best end of a chain that all loose dice can be linked to, or -1; numbers are squeezed here."""
    ends = chains.reach[loose, 3 * last + heading]
    slot, found, best = (numbers + loose) * ENDS, -1, -1.0
    for end in range(ENDS):
        if ends >> np.uint32(end) & np.uint32(1) and workspace.standing[slot + end] > best:
            found, best = end, workspace.standing[slot + end]
    return found


@njit(cache=True, nogil=True)
def linked(chains: Walk, workspace: Room, numbers: int, heading: int, loose: int, number: int) -> float:
    """What it is worth to link a number next, if that is legal; ``heading`` is the one it leads to."""
    die = 1 << 2 * number
    chain, rest = squeezed(numbers) + die, squeezed(loose) - die
    end = best_end(chains, workspace, chain, number, heading, rest)
    return float(workspace.standing[(chain + rest) * ENDS + end])


class Paths(NamedTuple):
    """Workspace for the forward pass through a turn."""

    mass: NDArray[np.float64]
    """By slot: how likely the turn comes there; zeros before and after."""
    slots: Words
    """Those met, and [length]: how many of them are so long."""
    met: Words
    stops: NDArray[np.float64]
    """By links."""
    fails: NDArray[np.float64]
    """By dice left."""


def paths() -> Paths:
    slots = len(reach()) * ENDS
    return Paths(
        np.zeros(slots),
        np.zeros((LONGEST + 2, max(map(len, BY_LENGTH)) * ENDS), np.int64),
        np.zeros(LONGEST + 2, np.int64),
        np.zeros(LONGEST + 1),
        np.zeros(LONGEST // 2 + 1),
    )


@njit(inline="always")
def _meet(mass: NDArray[np.float64], slots: Words, met: Words, links: int, slot: int, chance: float) -> None:
    if mass[slot] == 0.0:
        slots[links, met[links]] = slot
        met[links] += 1
    mass[slot] += chance


@njit(cache=True, nogil=True)
def follow(chains: Walk, workspace: Room, most: int, dice: int, paths: Paths) -> None:
    """How likely each end of a turn is when so many dice are kept: fills ``stops`` and ``fails``."""
    mass, slots, met, stops, fails = paths
    standing = workspace.standing
    stops[:], fails[:], met[:] = 0.0, 0.0, 0
    fails[dice // 2] += chains.missing[dice]
    for roll in range(chains.first_roll[dice], chains.first_roll[dice + 1]):
        at = chains.slots[chains.starts[roll]]
        for choice in range(chains.starts[roll] + 1, chains.starts[roll + 1]):
            if standing[chains.slots[choice]] > standing[at]:
                at = chains.slots[choice]
        _meet(mass, slots, met, dice, at, chains.chances[roll])
    for links in range(dice, most + 1):
        fail = workspace.fail[(links + 1) // 2] if links < most else 0.0
        for place in range(met[links]):
            slot = slots[links, place]
            chance = mass[slot]
            mass[slot] = 0.0
            if links == most or standing[slot] <= workspace.stop[links]:
                stops[links] += chance
                continue
            numbers, last, way = slot // ENDS, slot % ENDS // 3, slot % 3
            if way == OPEN:
                up = lengthened(standing, fail, numbers, last, UP)
                way = UP if up >= lengthened(standing, fail, numbers, last, DOWN) else DOWN
            chance /= SIDES
            for face in range(SIDES):  # C13
                ahead = face >= last if way == UP else face <= last
                if ahead and numbers >> 2 * face & ALIKE < ALIKE:
                    heading = OPEN if face == 0 or face == TOP else way
                    after = (numbers + (1 << 2 * face)) * ENDS + 3 * face + heading
                    _meet(mass, slots, met, links + 1, after, chance)
                else:
                    fails[(links + 1) // 2] += chance
