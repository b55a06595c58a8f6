"""Search on top of the values: the grandmaster of Chain (C6-C17).

A master evaluates the ends of its turn by the network. The search evaluates them by *rollouts*: it plays the
next turns many times, as masters play, and takes the mean of the network's values after those. Ends less
likely than ``CUT`` are not rolled out, except stopping now; they get the mean correction of the others. The
luck of each turn, measured by the network, is subtracted as a control variate (as GNU Backgammon does). Its
mean is 0, so the result is not biased, and fewer rollouts are needed.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.bots.evaluating import Master
from escadaria.games.chain.bots import TOLERANCE
from escadaria.games.chain.compiled import rules
from escadaria.games.chain.compiled.policies import tables
from escadaria.games.chain.compiled.rules import Words
from escadaria.games.chain.compiled.turns import (
    ChainTable,
    Evaluator,
    Workspace,
    best_keep,
    best_lengthening,
    best_slot,
    chain_table,
    compute_turn,
    fill_standing,
    load_evaluator,
    new_workspace,
    slot_after,
)
from escadaria.games.chain.links import (
    LONGEST,
)
from escadaria.games.chain.positions import (
    Phase,
    State,
)
from escadaria.games.chain.rules import (
    Action,
    Chain,
    Move,
)
from escadaria.games.chain.turn import BY_LENGTH, ENDS, Turn, reach, worth

ROLLOUTS, TURNS = 8, 6
"""The number of rollouts from each end of the own turn, and of turns in each rollout."""
CUT = 0.03
"""The least probability of an end of a turn that is rolled out."""
MARGIN = 0.1
"""A disc's move that seems worse than the other's by more than this is not rolled out."""
FAILS = LONGEST + 1
"""Ends of a turn have codes: the links it stops with, or ``FAILS`` plus the dice that a failure leaves."""

Shares = NDArray[np.float64]


class Level(NamedTuple):
    """The arrays for one of the consecutive turns of a search."""

    workspace: Workspace
    paths: Paths


class Search(NamedTuple):
    evaluator: Evaluator
    chains: ChainTable
    arrows: Words
    levels: tuple[Level, Level, Level]
    """Of the own turn, the turn after it, and the later ones."""
    rollouts: int
    turns: int


def new_level(players: int) -> Level:
    return Level(new_workspace(players), paths())


def new_search(game: Chain, rollouts: int = ROLLOUTS, turns: int = TURNS) -> Search:
    """A search by the shipped values. With one turn nothing is rolled out: its expectation is exact."""
    one, two, three = (new_level(game.players) for _ in range(3))
    evaluator = load_evaluator(game, exact=False)
    return Search(evaluator, chain_table(), tables(game).arrows, (one, two, three), rollouts, turns)


# The ends of a turn.


class Paths(NamedTuple):
    """Arrays for the forward pass through a turn."""

    mass: NDArray[np.float64]
    """By slot: the probability that the turn reaches it; zeros before and after a pass."""
    slots: Words
    """[links, index]: the slots with chains of this length that were reached."""
    met: Words
    """By links: the number of slots that were reached."""
    stops: NDArray[np.float64]
    """By links: the probability that the turn stops with them."""
    fails: NDArray[np.float64]
    """By dice left: the probability that the turn fails and leaves them."""


def paths() -> Paths:
    slots = len(reach()) * ENDS
    return Paths(
        np.zeros(slots),
        np.zeros((LONGEST + 2, max(map(len, BY_LENGTH)) * ENDS), np.int64),
        np.zeros(LONGEST + 2, np.int64),
        np.zeros(LONGEST + 1),
        np.zeros(rules.dice_left(LONGEST) + 1),
    )


@njit(cache=True, nogil=True)
def begin_turn(paths: Paths, dice: int, missing: float) -> None:
    """Begin a pass with this number of dice, which cannot be linked with the probability ``missing``."""
    paths.stops[:], paths.fails[:], paths.met[:] = 0.0, 0.0, 0
    paths.fails[rules.dice_left(dice)] += missing


@njit(cache=True, nogil=True)
def meet(paths: Paths, links: int, slot: int, chance: float) -> None:
    """Add a probability to a slot with a chain of this length."""
    if paths.mass[slot] == 0.0:
        paths.slots[links, paths.met[links]] = slot
        paths.met[links] += 1
    paths.mass[slot] += chance


@njit(cache=True, nogil=True)
def leave(paths: Paths, links: int, at: int) -> tuple[int, float]:
    """Reset the probability of one of the slots that were reached; returns the slot and the probability."""
    slot = paths.slots[links, at]
    chance = paths.mass[slot]
    paths.mass[slot] = 0.0
    return slot, chance


@njit(cache=True, nogil=True)
def roll_on(paths: Paths, links: int, slot: int, way: int, chance: float) -> None:
    """Lengthen the chain of a slot in this direction by all six faces (C13, C14)."""
    for face in range(rules.SIDES):
        after = slot_after(slot, way, face)
        if after >= 0:
            meet(paths, links + 1, after, chance / rules.SIDES)
        else:
            paths.fails[rules.dice_left(links + 1)] += chance / rules.SIDES


@njit(cache=True, nogil=True)
def find_ends(chains: ChainTable, workspace: Workspace, most: int, dice: int, paths: Paths) -> None:
    """Fill in the probabilities of all ends of a turn that is played best with this number of dice."""
    standing = workspace.standing
    begin_turn(paths, dice, chains.missing[dice])
    for roll in range(chains.first_roll[dice], chains.first_roll[dice + 1]):
        meet(paths, dice, best_slot(chains, standing, roll), chains.chances[roll])
    for links in range(dice, most + 1):
        for at in range(paths.met[links]):
            slot, chance = leave(paths, links, at)
            if links == most or standing[slot] <= workspace.stop[links]:
                paths.stops[links] += chance
            else:
                fail = workspace.fail[rules.dice_left(links + 1)]
                roll_on(paths, links, slot, best_lengthening(standing, fail, slot)[1], chance)


# Turns as masters play them.


@njit(cache=True, nogil=True)
def plan(search: Search, level: Level, seat: int, hands: Words, discs: Words, stacks: Words) -> int:
    """Compute the values of a turn and the probabilities of its ends; returns the most links."""
    workspace, pool = level.workspace, rules.pool_of(hands)
    evaluator, chains, arrows = search.evaluator, search.chains, search.arrows
    most = compute_turn(evaluator, chains, workspace, arrows, seat, pool, hands, discs, stacks)
    find_ends(chains, workspace, most, best_keep(chains, workspace, hands[seat])[0], level.paths)
    return int(most)


@njit(cache=True, nogil=True)
def chance_of(paths: Paths, end: int) -> float:
    return float(paths.stops[end] if end < FAILS else paths.fails[end - FAILS])


@njit(cache=True, nogil=True)
def shares_of(workspace: Workspace, end: int) -> Shares:
    """The network's shares after an end, from the next seat on."""
    if end < FAILS:
        return workspace.stopped[end, :]
    return workspace.failed[end - FAILS, :]


@njit(cache=True, nogil=True)
def better_disc(workspace: Workspace, links: int) -> int:
    return 1 if workspace.moves[links, 1] > workspace.moves[links, 0] else 0


@njit(cache=True, nogil=True)
def play_end(
    search: Search, disc: int, end: int, seat: int, hands: Words, discs: Words, stacks: Words
) -> tuple[int, int]:
    """Apply an end of a turn; returns the spaces from and to which the disc moved, -1 without a move."""
    if end >= FAILS:
        hands[seat] = end - FAILS
        return -1, -1
    space = rules.free_discs(seat, discs, stacks)[disc]
    hands[seat] = end
    _, reached, _ = rules.move(seat, space, end, search.arrows, discs, stacks)
    return space, reached


@njit(cache=True, nogil=True)
def mean_of_ends(level: Level, most: int, out: Shares) -> None:
    """The shares before a turn that was planned, from its seat on, by the values after it."""
    out[:] = 0.0
    for end in range(1, FAILS + rules.dice_left(most) + 1):
        if end <= most or end > FAILS:
            chance, shares = chance_of(level.paths, end), shares_of(level.workspace, end)
            for later in range(len(out)):
                out[rules.next_seat(later, len(out))] += chance * shares[later]


@njit(cache=True, nogil=True)
def draw_end(level: Level, most: int) -> int:
    """A random end of a turn that was planned, by the probabilities of the ends."""
    draw, drawn = np.random.random(), -1
    for end in range(1, FAILS + rules.dice_left(most) + 1):
        chance = chance_of(level.paths, end) if end <= most or end > FAILS else 0.0
        if chance > 0.0 and draw >= 0.0:  # the last one if rounding leaves something
            drawn = end
            draw -= chance
    return drawn


@njit(cache=True, nogil=True)
def look_ahead(
    search: Search, level: Level, seat: int, hands: Words, discs: Words, stacks: Words, out: Shares
) -> None:
    """The shares at the start of a turn, from its seat on, by the values after it."""
    out[:] = 0.0
    if rules.has_won(seat, discs, stacks):
        out[0] = 1.0
        return
    mean_of_ends(level, plan(search, level, seat, hands, discs, stacks), out)


@njit(cache=True, nogil=True)
def roll_out(search: Search, seat: int, hands: Words, discs: Words, stacks: Words, out: Shares) -> None:
    """The same by rollouts: the mean of the values after some turns, without luck.

    Without luck, each turn adds the mean of the values after it minus the value before it.
    """
    first, level, players = search.levels[1], search.levels[2], len(hands)
    look_ahead(search, first, seat, hands, discs, stacks, out)
    if rules.has_won(seat, discs, stacks):
        return
    change, mean = np.zeros(players), np.zeros(players)
    most = min(LONGEST, hands[seat] + rules.pool_of(hands))
    for _ in range(search.rollouts):
        mover, here, links = seat, first, most
        its_hands, its_discs, its_stacks = hands.copy(), discs.copy(), stacks.copy()
        for _ in range(1, search.turns):
            end = draw_end(here, links)
            before = shares_of(here.workspace, end).copy()
            disc = better_disc(here.workspace, end) if end < FAILS else 0
            play_end(search, disc, end, mover, its_hands, its_discs, its_stacks)
            mover, here = rules.next_seat(mover, players), level
            if rules.has_won(mover, its_discs, its_stacks):
                break
            links = plan(search, level, mover, its_hands, its_discs, its_stacks)
            mean_of_ends(level, links, mean)
            for later in range(players):
                change[(mover + later - seat) % players] += mean[later] - before[later]
    out += change / search.rollouts


# The grandmaster.


@njit(cache=True, nogil=True)
def plan_by_search(search: Search, rolled: int, seat: int, hands: Words, discs: Words, stacks: Words) -> int:
    """``plan`` for the first level by search, without the probabilities of ends after it.

    :param rolled: how many dice were rolled in this turn; 0 before that.
    """
    level = search.levels[0]
    workspace, stops, fails = level.workspace, level.paths.stops, level.paths.fails
    most = plan(search, level, seat, hands, discs, stacks)
    if rolled:
        find_ends(search.chains, workspace, most, rolled, level.paths)
    moves = workspace.moves.copy()
    hand, following, last = hands[seat], rules.next_seat(seat, len(hands)), len(hands) - 1
    spaces, after = rules.free_discs(seat, discs, stacks), np.zeros(len(hands))
    changes, likely = np.zeros(2), np.zeros(2)
    for end in range(1, FAILS + rules.dice_left(most) + 1):
        if (end > most and end <= FAILS) or (chance_of(level.paths, end) < CUT and end != rolled):
            continue
        kind = 0 if end < FAILS else 1
        before = workspace.stop[end] if kind == 0 else workspace.fail[end - FAILS]
        best = -1.0
        for disc in range(2 if kind == 0 else 1):
            if kind == 0 and (spaces[disc] < 0 or moves[end, disc] < before - MARGIN):
                continue
            space, reached = play_end(search, disc, end, seat, hands, discs, stacks)
            roll_out(search, following, hands, discs, stacks, after)
            if space >= 0:
                rules.take_back(seat, space, reached, discs, stacks)
                workspace.moves[end, disc] = after[last]
            hands[seat] = hand
            best = max(best, after[last])
        if kind == 0:
            workspace.stop[end] = best
        else:
            workspace.fail[end - FAILS] = best
        likely[kind] += chance_of(level.paths, end)
        changes[kind] += chance_of(level.paths, end) * (best - before)
    for links in range(1, most + 1):
        if stops[links] < CUT and links != rolled and likely[0] > 0.0:
            workspace.stop[links] = max(0.0, workspace.stop[links] + changes[0] / likely[0])
    for left in range(1, rules.dice_left(most) + 1):
        if fails[left] < CUT and likely[1] > 0.0:
            workspace.fail[left] = max(0.0, workspace.fail[left] + changes[1] / likely[1])
    fill_standing(search.chains, workspace, most)
    return most


@njit(cache=True, nogil=True)
def set_seed(seed: int) -> None:
    """Seed the dice of rollouts."""
    np.random.seed(seed)


class SearchValues:
    """The values of actions by search. They depend on the position alone, which seeds the rollouts."""

    def __init__(self, game: Chain, rollouts: int = ROLLOUTS, turns: int = TURNS) -> None:
        self.game, self.search = game, new_search(game, rollouts, turns)
        self._last: tuple[object, Turn, dict[int, NDArray[np.float64]]] | None = None
        self.action_values(game.initial_state())  # compiles, so that no decision has to wait for it

    def action_values(self, state: State) -> dict[Action, float]:
        """By legal action: the probability that the seat to act wins."""
        actions, links = self.game.legal_actions(state), len(state.chain.numbers)
        if not actions:
            return {}
        rolled = 0 if state.phase is Phase.KEEP else state.hands[state.turn]
        key = state.turn, rolled, state.hands, state.discs, state.piles
        if self._last is None or self._last[0] != key:
            set_seed(crc32(repr(key).encode()))
            self._last = key, *self._compute_plan(state, rolled)
        _, turn, moves = self._last
        return {
            action: float(moves[action.space][links])
            if isinstance(action, Move)
            else worth(self.game, turn, state, action)
            for action in actions
        }

    def _compute_plan(self, state: State, rolled: int) -> tuple[Turn, dict[int, NDArray[np.float64]]]:
        """The values within the turn, and those of each disc's moves, by its space and by links."""
        players, seat, row = (
            self.game.players,
            state.turn,
            rules.row_of(self.game.track.length, state)[rules.SEATS :],
        )
        hands, discs = np.array(row[:players]), np.array(row[players : 3 * players]).reshape(players, 2)
        stacks = np.array(row[3 * players :])
        most = plan_by_search(self.search, rolled, seat, hands, discs, stacks)
        found = self.search.levels[0].workspace
        stop, fail = found.stop[: most + 1].copy(), found.fail[: rules.dice_left(most) + 1].copy()
        moves = found.moves[: most + 1] + (stop - found.moves[: most + 1].max(axis=1))[:, None]
        spaces = rules.free_discs(seat, discs, stacks)
        return Turn(stop, fail, most), {space: moves[:, disc] for disc, space in enumerate(spaces)}


def grandmaster(game: Chain) -> Master:
    """A bot that plays by search."""
    return Master(SearchValues(game), "search", TOLERANCE)
