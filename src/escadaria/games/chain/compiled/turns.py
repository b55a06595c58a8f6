"""The values of Chain compiled: of turn starts, and of all positions of a turn (C6-C17).

This is ``turn.py`` and ``values.py`` of the game's folder for positions of compiled code. A slot is the index
of a chain, as in ``turn.py``: its numbers, its last link and its heading.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import solutions
from escadaria.compute.forward import Weights, forward, layers, weights
from escadaria.games.chain import values as features
from escadaria.games.chain.compiled import rules
from escadaria.games.chain.compiled.rules import Words, inlined
from escadaria.games.chain.compiled.solver import Layout, layout, number_of
from escadaria.games.chain.links import ALIKE, LONGEST
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.solution import HAND_ROWS, ChainSolution
from escadaria.games.chain.turn import BY_LENGTH, DOWN, ENDS, OPEN, UP, reach, rolls
from escadaria.games.chain.values import DOUBT, FREE, HOME, PER_SEAT

fill_rows = njit(cache=True, nogil=True)(features.fill_rows)
kind_of_disc = njit(cache=True, nogil=True)(features.kind_of_disc)


class ChainTable(NamedTuple):
    """All chains and all rolls, with their probabilities."""

    numbers: Words
    """The numbers of all chains, by length."""
    first: Words
    """By length: the index of its first chain."""
    reach: NDArray[np.uint32]
    """[loose numbers, end]: the ends that all loose dice can be linked to."""
    slots: Words
    """The chains that can be built from each roll, one roll after the other."""
    starts: Words
    """By roll: the index of its first slot."""
    chances: NDArray[np.float64]
    """By roll: its probability."""
    first_roll: Words
    """By dice: the index of their first roll."""
    missing: NDArray[np.float64]
    """By dice: the probability that they cannot all be linked."""


@cache
def chain_table() -> ChainTable:
    every = [rolls(dice) for dice in range(1, LONGEST + 1)]
    ends = np.cumsum([0] + [len(some.slots) for some in every])
    starts = [some.starts + end for some, end in zip(every, ends[:-1], strict=True)]
    return ChainTable(
        np.concatenate(BY_LENGTH),
        np.cumsum([0] + [len(numbers) for numbers in BY_LENGTH]),
        reach(),
        np.concatenate([some.slots for some in every]),
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([some.chances for some in every]),
        np.cumsum([0, 0] + [len(some.chances) for some in every]),
        np.array([1.0] + [some.missing for some in every]),
    )


class Evaluator(NamedTuple):
    """The values of turn starts: by a solution if there is one, else by a network."""

    network: Weights
    waiter: NDArray[np.float64]
    """The table of a solution; empty if there is none."""
    layout: Layout
    track: int
    """The kind of the track, see ``values.kind_of_track``."""


def load_evaluator(game: Chain, exact: bool) -> Evaluator:
    """The evaluator of a game: with ``exact`` by the solution in the cache folder, if there is one."""
    solution = solutions.find(game) if exact else None
    network, track = weights(features.network(game)), features.kind_of_track(game.track)
    if isinstance(solution, ChainSolution):
        return Evaluator(network, _read_only(solution.waiter), layout(game.track), track)
    nothing = np.zeros((1, 1), np.int64)
    none = np.zeros((1, 1, 1), np.int32)
    return Evaluator(
        network,
        _read_only(np.zeros((0, 0))),
        Layout(nothing, nothing, nothing.astype(np.int32), nothing[0], none, none),
        track,
    )


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    plain = array.view(np.ndarray)
    plain.flags.writeable = (
        False  # so that Numba sees one type, whether the array is mapped from a file or not
    )
    return plain


class Workspace(NamedTuple):
    """Arrays for the values of one turn: the probabilities that the seat whose turn it is wins."""

    standing: NDArray[np.float64]
    """By slot: the value of the chain when the seat decides (C12)."""
    moves: NDArray[np.float64]
    """[links, disc]: the value of stopping with this disc; -1 if it cannot move."""
    stop: NDArray[np.float64]
    """By links: the value of stopping with the best disc."""
    fail: NDArray[np.float64]
    """By dice left: the value of failing."""
    stopped: NDArray[np.float64]
    """[links, seat]: all seats' shares after the best move, from the next seat on."""
    failed: NDArray[np.float64]
    """[dice left, seat]: all seats' shares after failing, from the next seat on."""
    shares: NDArray[np.float64]
    """All seats' shares in the turn start that was evaluated last, from the seat to move on."""
    features: Words
    """The features of that turn start."""
    rows: Words
    """The rows of the network's table that belong to the features."""
    first: NDArray[np.float32]
    second: NDArray[np.float32]
    """The layers of the network."""
    worths: NDArray[np.float64]
    """The values of the actions to choose from."""


def new_workspace(players: int) -> Workspace:
    number = features.number_of_features(players)
    return Workspace(
        np.zeros(len(reach()) * ENDS),
        np.zeros((LONGEST + 1, 2)),
        np.zeros(LONGEST + 1),
        np.zeros(rules.dice_left(LONGEST) + 1),
        np.zeros((LONGEST + 1, players)),
        np.zeros((rules.dice_left(LONGEST) + 1, players)),
        np.zeros(players),
        np.zeros(number + 1, np.int64),
        np.zeros(number, np.int64),
        *layers(),
        np.zeros(LONGEST + 1),
    )


# Turn starts.


@njit(cache=True, nogil=True)
def evaluate(
    evaluator: Evaluator, workspace: Workspace, seat: int, hands: Words, discs: Words, stacks: Words
) -> None:
    """Fill ``workspace.shares`` for the start of the seat's turn."""
    if rules.has_won(seat, discs, stacks):
        workspace.shares[:] = 0.0
        workspace.shares[0] = 1.0
    elif evaluator.waiter.size:
        hand, other = hands[seat], hands[1 - seat]
        number = number_of(evaluator.layout, seat, discs, stacks)
        workspace.shares[1] = evaluator.waiter[number, HAND_ROWS[hand] + other - 1]
        workspace.shares[0] = 1.0 - workspace.shares[1]
    elif sure_winner(seat, discs, stacks):
        workspace.shares[:] = 0.0
        workspace.shares[sure_winner(seat, discs, stacks)] = 1.0
    else:
        read_rows(evaluator.track, seat, hands, discs, stacks, workspace)
        forward(evaluator.network, workspace.rows, workspace.first, workspace.second, workspace.shares)
        for later in range(len(hands)):
            workspace.shares[later] += DOUBT * (1.0 / len(hands) - workspace.shares[later])


@njit(cache=True, nogil=True)
def sure_winner(seat: int, discs: Words, stacks: Words) -> int:
    """The number of turns until a seat wins that is home, if nobody can win before (C4, C6, C7); else 0."""
    for later in range(1, len(discs)):
        seat = rules.next_seat(seat, len(discs))
        last = min(discs[seat, 0], discs[seat, 1])
        if last == len(stacks) - 1:
            return later
        if last > 0:  # others may cover its discs before its turn
            return 0
    return 0


@inlined
def read_rows(track: int, seat: int, hands: Words, discs: Words, stacks: Words, workspace: Workspace) -> None:
    """Fill ``workspace.features`` and ``workspace.rows`` for the start of the seat's turn."""
    fill_features(seat, hands, discs, stacks, workspace.features)
    workspace.features[-1] = track
    fill_rows(len(hands), workspace.features, workspace.rows)


@njit(cache=True, nogil=True)
def fill_features(turn: int, hands: Words, discs: Words, stacks: Words, seen: Words) -> None:
    """Fill in the features of a turn start, as ``values.features_of`` does, except the kind of track."""
    players, centre = len(hands), len(stacks) - 1
    pairs = PER_SEAT * players
    seen[pairs:-1] = 0
    for later in range(players):
        seat = turn + later if turn + later < players else turn + later - players
        at = PER_SEAT * later
        for disc in range(2):
            space = discs[seat, disc]
            lower = disc == 1 and space == discs[seat, 0]
            kind = FREE
            if space == centre:
                kind = HOME
            elif space > 0:
                kind = _kind(turn, later, stacks[space], seat, lower, pairs, players, seen)
            seen[at + 2 * disc], seen[at + 2 * disc + 1] = min(centre - space, features.MAX_DISTANCE), kind
        if (seen[at], seen[at + 1]) > (seen[at + 2], seen[at + 3]):
            seen[at], seen[at + 2] = seen[at + 2], seen[at]
            seen[at + 1], seen[at + 3] = seen[at + 3], seen[at + 1]
        seen[at + 4] = min(hands[seat], features.MOST_DICE)


@inlined
def _kind(
    turn: int, later: int, word: int, seat: int, lower: bool, pairs: int, players: int, seen: Words
) -> int:
    """The kind of the seat's disc in a stack (``lower``: of its two discs); also marks the pair of seats."""
    above = rules.discs_above(word, seat, lower)
    if above == 0:
        return FREE
    top = (word & 7) - 1 - turn
    if top < 0:
        top += players
    if top != later:
        low, high = min(top, later), max(top, later)
        pair = pairs + low * players - low * (low + 1) // 2 + high - low - 1
        seen[pair] |= 1 if top == low else 2
    return int(kind_of_disc(later, top, above))


# Turns.


@njit(cache=True, nogil=True)
def compute_turn(
    evaluator: Evaluator,
    chains: ChainTable,
    workspace: Workspace,
    arrows: Words,
    seat: int,
    pool: int,
    hands: Words,
    discs: Words,
    stacks: Words,
) -> int:
    """Fill the workspace with the values of the seat's turn; returns the most links that the dice allow."""
    hand, last = hands[seat], len(hands) - 1
    most = min(LONGEST, hand + pool)
    following = rules.next_seat(seat, len(hands))
    spaces = rules.free_discs(seat, discs, stacks)
    for links in range(1, most + 1):
        hands[seat] = links
        workspace.stop[links] = -1.0
        for disc in range(2):
            space = spaces[disc]
            workspace.moves[links, disc] = -1.0
            if space < 0:
                continue
            _, end, _ = rules.move(seat, space, links, arrows, discs, stacks)
            evaluate(evaluator, workspace, following, hands, discs, stacks)
            rules.take_back(seat, space, end, discs, stacks)
            workspace.moves[links, disc] = workspace.shares[last]
            if workspace.shares[last] > workspace.stop[links]:
                workspace.stop[links] = workspace.shares[last]
                _copy_shares(workspace.shares, workspace.stopped, links)
    for left in range(1, rules.dice_left(most) + 1):
        hands[seat] = left
        evaluate(evaluator, workspace, following, hands, discs, stacks)
        workspace.fail[left] = workspace.shares[last]
        _copy_shares(workspace.shares, workspace.failed, left)
    hands[seat] = hand
    fill_standing(chains, workspace, most)
    return int(most)


@inlined
def _copy_shares(shares: NDArray[np.float64], rows: NDArray[np.float64], row: int) -> None:
    """``rows[row] = shares``, which takes three seconds more to compile."""
    for seat in range(len(shares)):
        rows[row, seat] = shares[seat]


@njit(cache=True, nogil=True)
def fill_standing(chains: ChainTable, workspace: Workspace, most: int) -> None:
    """Fill ``standing`` from ``stop`` and ``fail``, with chains of up to ``most`` links."""
    standing = workspace.standing
    for links in range(most, 0, -1):
        stop = workspace.stop[links]
        for at in range(chains.first[links], chains.first[links + 1]):
            numbers = chains.numbers[at]
            slot = numbers * ENDS
            if links == most:
                standing[slot : slot + ENDS] = stop
                continue
            fail = workspace.fail[rules.dice_left(links + 1)]
            total = 0.0
            for face in range(rules.TOP, -1, -1):
                total += _added(standing, numbers, face, UP, fail)
                up = (total + face * fail) / rules.SIDES
                standing[slot + 3 * face + OPEN] = standing[slot + 3 * face + UP] = max(stop, up)
            total = 0.0
            for face in range(rules.SIDES):
                total += _added(standing, numbers, face, DOWN, fail)
                down = (total + (rules.TOP - face) * fail) / rules.SIDES
                standing[slot + 3 * face + DOWN] = max(stop, down)
                standing[slot + 3 * face + OPEN] = max(standing[slot + 3 * face + OPEN], down)


@inlined
def _added(standing: NDArray[np.float64], numbers: int, face: int, way: int, fail: float) -> float:
    """The value after a die that shows a face ahead in this direction (C13)."""
    after = _slot_ahead(numbers, face, way)
    return float(standing[after]) if after >= 0 else fail


@inlined
def _slot_ahead(numbers: int, face: int, way: int) -> int:
    """The slot of a chain that took a face ahead in this direction; -1 if it has too many of them (C11)."""
    if numbers >> 2 * face & ALIKE == ALIKE:
        return -1
    return (numbers + (1 << 2 * face)) * ENDS + 3 * face + rules.straight_on(way, face)


@njit(cache=True, nogil=True)
def slot_after(slot: int, way: int, face: int) -> int:
    """The slot of a chain that is lengthened in this direction by a face; -1 if it does not fit (C13)."""
    last = slot % ENDS // 3
    if face < last if way == UP else face > last:
        return -1
    return _slot_ahead(slot // ENDS, face, way)


@njit(cache=True, nogil=True)
def lengthened(standing: NDArray[np.float64], fail: float, numbers: int, last: int, way: int) -> float:
    """The value of lengthening in this direction (C13)."""
    total = 0.0
    if way == UP:
        for face in range(rules.TOP, last - 1, -1):
            total += _added(standing, numbers, face, UP, fail)
        return float((total + last * fail) / rules.SIDES)
    for face in range(last + 1):
        total += _added(standing, numbers, face, DOWN, fail)
    return float((total + (rules.TOP - last) * fail) / rules.SIDES)


@njit(cache=True, nogil=True)
def best_lengthening(standing: NDArray[np.float64], fail: float, slot: int) -> tuple[float, int]:
    """The value of lengthening the chain of a slot, and the best direction for it (C13)."""
    numbers, last, heading = slot // ENDS, slot % ENDS // 3, slot % 3
    up = lengthened(standing, fail, numbers, last, UP) if heading != DOWN else -1.0
    down = lengthened(standing, fail, numbers, last, DOWN) if heading != UP else -1.0
    return (up, UP) if up >= down else (down, DOWN)


@njit(cache=True, nogil=True)
def kept(chains: ChainTable, workspace: Workspace, dice: int) -> float:
    """The value of keeping this number of dice (C8)."""
    total = chains.missing[dice] * workspace.fail[rules.dice_left(dice)]
    for roll in range(chains.first_roll[dice], chains.first_roll[dice + 1]):
        best = 0.0  # of the chains that the roll can be built into (C10)
        for at in range(chains.starts[roll], chains.starts[roll + 1]):
            best = max(best, workspace.standing[chains.slots[at]])
        total += chains.chances[roll] * best
    return float(total)


@njit(cache=True, nogil=True)
def best_keep(chains: ChainTable, workspace: Workspace, hand: int) -> tuple[int, float]:
    """How many dice of the hand to keep, and the value of that (C8)."""
    dice, best = 1, -1.0
    for choice in range(1, hand + 1):
        worth = kept(chains, workspace, choice)
        if worth > best:
            dice, best = choice, worth
    return dice, best


@inlined
def best_slot(chains: ChainTable, standing: NDArray[np.float64], roll: int) -> int:
    """The best chain that a roll can be built into (C10)."""
    best = chains.slots[chains.starts[roll]]
    for at in range(chains.starts[roll] + 1, chains.starts[roll + 1]):
        if standing[chains.slots[at]] > standing[best]:
            best = chains.slots[at]
    return int(best)


@njit(cache=True, nogil=True)
def linked(
    chains: ChainTable, workspace: Workspace, numbers: int, heading: int, loose: int, number: int
) -> float:
    """The value of linking a number next, which is legal; ``heading`` is the direction after it (C10)."""
    slot, best = rules.squeezed(numbers + loose) * ENDS, -1.0
    ends = chains.reach[rules.squeezed(loose) - (1 << 2 * number), 3 * number + heading]
    for end in range(ENDS):
        if ends >> np.uint32(end) & np.uint32(1):
            best = max(best, workspace.standing[slot + end])
    return best
