"""The values of Chain by the shipped networks: features of turn starts, and an evaluator (C1-C18).

A network evaluates turn starts. The values of positions within a turn are computed from these, see ``turn``.
Features count the spaces to the centre, so one network serves every board; it was trained mostly on the
default one. With two players each of the solved boards has rows of its own in the network's table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from escadaria.evaluator_network import Network, load
from escadaria.games.chain.boards import Board, board_name
from escadaria.games.chain.rules import Chain, Phase, State
from escadaria.games.chain.turn import ByTurns

MAX_DISTANCE = 39
"""A disc that is further from the centre counts as this far away."""
DISTANCES = MAX_DISTANCE + 1
MOST_DICE = 10
"""More dice in a hand count as this number."""

DOUBT = 1e-4
"""The weight of an even chance that is mixed into a network's values. So a certain win is always worth more,
and a master that cannot lose does not put off its win for ever."""

FREE, HOME, OWN, BEFORE, DEEP, AFTER = range(6)
"""The kinds of a disc: free to move; at the centre (C7); in a stack, under a top disc of the same seat; under
a top disc whose seat moves earlier, as the only disc above or one of several; under one whose seat moves
later."""
KINDS = AFTER + 1

PER_SEAT = 5
"""The number of features of a seat: distance and kind of the nearer and the other disc, and its dice."""
OF_SEAT = DISTANCES * DISTANCES + KINDS * KINDS * MOST_DICE + 2 * DISTANCES * KINDS + MOST_DICE * DISTANCES
OF_PAIR = 4 * 3 * 3
"""The number of rows in a network's table for a seat, and for a pair of seats."""
SOLVED = ("short", "default", "long")
"""Boards with rows of their own for two players, after the rows for all other boards."""
ANY, OF_TRACK = 0, 2 * OF_SEAT + OF_PAIR
"""The kind of all other tracks, and the number of rows of each kind."""

Ints: TypeAlias = NDArray[np.int64]


# Arrays have the feature on their first axis and may have positions on a second one. So Numba can compile
# this function for one position at a time.


def fill_rows(players: int, features: Any, rows: Any) -> None:
    """Fill in the rows of the network's table that belong to these features."""
    start, at = features[-1] * OF_TRACK if players == 2 else 0, 0
    for seat in range(players):
        near, near_kind = features[PER_SEAT * seat], features[PER_SEAT * seat + 1]
        far, far_kind = features[PER_SEAT * seat + 2], features[PER_SEAT * seat + 3]
        hand = features[PER_SEAT * seat + 4]
        rows[at] = start + near * DISTANCES + far
        start += DISTANCES * DISTANCES
        rows[at + 1] = start + (near_kind * KINDS + far_kind) * MOST_DICE + hand - 1
        start += KINDS * KINDS * MOST_DICE
        rows[at + 2] = start + near * KINDS + near_kind
        start += DISTANCES * KINDS
        rows[at + 3] = start + far * KINDS + far_kind
        start += DISTANCES * KINDS
        moves = (near_kind == FREE) * near + (near_kind != FREE) * (far_kind == FREE) * far
        rows[at + 4] = start + (hand - 1) * DISTANCES + moves
        start += MOST_DICE * DISTANCES
        at += PER_SEAT
    pair = PER_SEAT * players
    for seat in range(players):
        for later in range(seat + 1, players):
            row = features[pair]
            for one in (seat, later):
                free = (features[PER_SEAT * one + 1] == FREE) * 1 + (features[PER_SEAT * one + 3] == FREE)
                row = row * 3 + free
            rows[at] = start + row
            start += OF_PAIR
            at += 1
            pair += 1


def number_of_features(players: int) -> int:
    """The number of rows that are summed."""
    return PER_SEAT * players + players * (players - 1) // 2


def number_of_rows(players: int) -> int:
    """The length of a network's table."""
    if players == 2:
        return (1 + len(SOLVED)) * OF_TRACK
    return players * OF_SEAT + players * (players - 1) // 2 * OF_PAIR


def kind_of_track(board: Board) -> int:
    """The number of a solved board, from 1 on, or ``ANY``."""
    name = board_name(board)
    return SOLVED.index(name) + 1 if name in SOLVED else ANY


def network(game: Chain) -> Network:
    """The shipped network of a game."""
    found = load(__package__, game.players)
    assert found is not None, "there is one for every number of players"
    return found


def features_of(game: Chain, state: State) -> list[int]:
    """The features of a turn start: by seat from the one to move, by pair of seats, and the kind of track."""
    players, centre = game.players, game.track.length
    discs: list[list[tuple[int, int]]] = [
        [
            (0, HOME) if space else (min(centre, MAX_DISTANCE), FREE)
            for space in spaces
            if space in (0, centre)
        ]
        for spaces in state.discs
    ]
    on_top = set()
    for space, seats in state.piles:
        top = (seats[-1] - state.turn) % players
        for above, owner in enumerate(reversed(seats)):
            seat = (owner - state.turn) % players
            discs[owner].append((min(centre - space, MAX_DISTANCE), kind_of_disc(seat, top, above)))
            on_top.add((top, seat))
    features = []
    order = [(state.turn + later) % players for later in range(players)]
    for seat in order:
        near, far = sorted(discs[seat])
        features += [*near, *far, min(state.hands[seat], MOST_DICE)]
    pairs = ((seat, later) for seat in range(players) for later in range(seat + 1, players))
    features += [((one, other) in on_top) + 2 * ((other, one) in on_top) for one, other in pairs]
    return [*features, kind_of_track(game.track)]


def kind_of_disc(seat: int, top: int, above: int) -> int:
    """The kind of a disc in a stack, by the number of discs above it and the seat of the top one.

    Seats are counted from the one to move. Compiled code also uses this function.
    """
    if above == 0:
        return FREE
    if top == seat:
        return OWN
    if top > seat:
        return AFTER
    return BEFORE if above == 1 else DEEP


class ChainValues(ByTurns):
    """An evaluator of all positions by a network, with the interface of a solution."""

    def __init__(self, game: Chain, network: Network) -> None:
        super().__init__(game)
        self.network = network

    def outlooks(self, starts: Sequence[State], seat: int) -> NDArray[np.float64]:
        """[position, seat from this one on]."""
        return np.roll(self._starts(starts), -seat, axis=1)

    def value(self, state: State) -> float:
        """The probability that the seat to move wins, at any node."""
        return self.seats(state)[state.turn]

    def seats(self, state: State) -> tuple[float, ...]:
        """The probability that each seat wins, at any node, if all play best for themselves."""
        if state.phase in (Phase.KEEP, Phase.OVER):
            return tuple(map(float, self._starts([state])[0]))
        plan = self.plan(state)
        stops, fails = plan.turn.ends_after(state)
        return tuple(map(float, np.roll(stops @ plan.stopped + fails @ plan.failed, state.turn)))

    def _starts(self, states: Sequence[State]) -> NDArray[np.float64]:
        """[position, seat] for starts of turns and ends of games."""
        players = self.game.players
        features = np.array([features_of(self.game, state) for state in states]).T
        rows = np.empty_like(features[:-1])
        fill_rows(players, features, rows)
        found = self.network(rows).astype(float)
        found /= found.sum(axis=1, keepdims=True)
        found += DOUBT * (1 / players - found)
        for row, state in zip(found, states, strict=True):
            row[:] = np.roll(row, state.turn)
            if (winner := self._winner(state)) is not None:
                row[:] = np.arange(players) == winner
        return found

    def _winner(self, state: State) -> int | None:
        """The seat that has won or is certain to: its discs are home and no other wins first (C4, C6, C7)."""
        if state.phase is Phase.OVER:
            return state.turn
        for later in range(1, self.game.players):
            seat = (state.turn + later) % self.game.players
            last = min(state.discs[seat])
            if last == self.game.track.length:
                return seat
            if last > 0:  # others may cover its discs before its turn
                return None
        return None


def shipped(game: Chain) -> ChainValues:
    """The evaluator by the shipped network."""
    return ChainValues(game, network(game))


def turn_start(state: State) -> State:
    """The position as if its turn started now, with the dice that the seat has."""
    return State(state.turn, Phase.KEEP, state.hands, state.pool, state.discs, state.piles)
