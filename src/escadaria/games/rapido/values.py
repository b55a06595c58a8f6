"""Rapido by shipped values: the features of a turn's start, and every decision's worth from them (R1-R19).

A network knows starts of turns, after scoring. Whatever is within a turn is worked out: rolling again
is worth its exact expectation over all rolls to come, given those values.

Features count the steps left to the finish: only they decide a race, unless a piece falls at the start
square (R12). So one network serves every finish. It has learned races of ``MAX_DISTANCE`` steps. In a
longer race all pieces are moved nearer by the same number of steps, until the last is ``MAX_DISTANCE`` away
or the first ``MIN_DISTANCE``; a piece that is still further away counts as ``MAX_DISTANCE`` away.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from escadaria.evaluator_network import Network
from escadaria.games.rapido.rolls import FALLS, RANK, RANKS
from escadaria.games.rapido.rules import (
    DIE_A,
    VALUES,
    Action,
    Again,
    Pair,
    Phase,
    Place,
    Rapido,
    Roll,
    State,
    X,
)
from escadaria.games.rapido.solution import best_again

MAX_DISTANCE, MIN_DISTANCE = 20, 10
LEVELS = 7
"""The number of steps on which a turn is worked out, from the own one up. Doubles that climb beyond (less
than one turn in a thousand) place from the last."""
PLACES_OF_TWO, PLACES_OF_MORE = 7, 6
"""Where a pair may be. For two (R16): in hand, on field 0, …, 5. For more, a pair on field 0 is worth what
it is worth in hand: it scores nothing and is in nobody's way (R4, R7)."""
KEYS_OF_TWO, KEYS_OF_MORE = PLACES_OF_TWO * RANKS, PLACES_OF_MORE * RANKS

Tower: TypeAlias = tuple[Pair, ...]
Ints: TypeAlias = NDArray[np.int64]


# The features. Arrays have the feature (or seat, or pair) on their first axis; on a second one, if there is
# one, many positions. So Numba compiles the same functions for one position at a time.


def left(finish: int, steps: Any, out: Any) -> None:
    """How far each seat is from the finish, from 0 for one step to ``MAX_DISTANCE`` - 1."""
    near = far = finish - steps[0]
    for seat in range(1, len(steps)):
        near = np.minimum(near, finish - steps[seat])
        far = np.maximum(far, finish - steps[seat])
    nearer = np.maximum(np.minimum(far - MAX_DISTANCE, near - MIN_DISTANCE), 0)
    for seat in range(len(steps)):
        out[seat] = np.maximum(np.minimum(finish - steps[seat] - nearer, MAX_DISTANCE), 1) - 1


def key(players: int, field: int, rank: int) -> int:
    """A pair's place and the rank of its value in one number; ``field`` is -1 for a pair in hand."""
    if field <= 0:
        return (field + 1) * RANKS if players == 2 else 0
    return (field + 1) * RANKS + rank if players == 2 else field * RANKS + rank


def rows_for_two(left: Any, keys: Any, rows: Any) -> None:
    """``keys``: the mover's pair, and the other's two in any order."""
    own, low, high = keys[0], np.minimum(keys[1], keys[2]), np.maximum(keys[1], keys[2])
    place = own // RANKS
    places = low // RANKS * PLACES_OF_TWO + high // RANKS
    kinds = PLACES_OF_TWO * PLACES_OF_TWO
    start = 0
    rows[0] = start + left[0] * MAX_DISTANCE + left[1]
    start += MAX_DISTANCE * MAX_DISTANCE
    rows[1] = start + left[0] * PLACES_OF_TWO + place
    start += MAX_DISTANCE * PLACES_OF_TWO
    rows[2] = start + left[1] * PLACES_OF_TWO + place
    start += MAX_DISTANCE * PLACES_OF_TWO
    rows[3] = start + left[0] * kinds + places
    start += MAX_DISTANCE * kinds
    rows[4] = start + left[1] * kinds + places
    start += MAX_DISTANCE * kinds
    rows[5] = start + place * kinds + places
    start += PLACES_OF_TWO * kinds
    rows[6] = start + own
    rows[7] = start + KEYS_OF_TWO + low
    rows[8] = start + 2 * KEYS_OF_TWO + high
    start += 3 * KEYS_OF_TWO
    rows[9] = start + own % RANKS * RANKS + high % RANKS
    start += RANKS * RANKS
    rows[10] = start + low % RANKS * RANKS + high % RANKS


def rows_for_more(left: Any, keys: Any, rows: Any) -> None:
    """``keys``: the pairs of the others, in the order of their turns; the mover has none on the tower."""
    start = at = 0
    for seat in range(1, len(left)):
        rows[at] = start + left[0] * MAX_DISTANCE + left[seat]
        start += MAX_DISTANCE * MAX_DISTANCE
        rows[at + 1] = start + left[seat] * PLACES_OF_MORE + keys[seat - 1] // RANKS
        start += MAX_DISTANCE * PLACES_OF_MORE
        rows[at + 2] = start + keys[seat - 1]
        start += KEYS_OF_MORE
        at += 3
    for seat in range(len(keys)):
        for later in range(seat + 1, len(keys)):
            places = keys[seat] // RANKS * PLACES_OF_MORE + keys[later] // RANKS
            rows[at] = start + places
            start += PLACES_OF_MORE * PLACES_OF_MORE
            at += 1


def number_of_keys(players: int) -> int:
    return 3 if players == 2 else players - 1


def number_of_features(players: int) -> int:
    return 11 if players == 2 else 3 * (players - 1) + (players - 1) * (players - 2) // 2


def number_of_rows(players: int) -> int:
    """How long a network's table is."""
    kinds = PLACES_OF_TWO * PLACES_OF_TWO
    if players == 2:
        return (
            MAX_DISTANCE * (MAX_DISTANCE + 2 * PLACES_OF_TWO + 2 * kinds)
            + PLACES_OF_TWO * kinds
            + 3 * KEYS_OF_TWO
            + 2 * RANKS**2
        )
    pairs = (players - 1) * (players - 2) // 2
    return (players - 1) * (
        MAX_DISTANCE * MAX_DISTANCE + MAX_DISTANCE * PLACES_OF_MORE + KEYS_OF_MORE
    ) + pairs * PLACES_OF_MORE**2


# A position in the engine's words.


@lru_cache(maxsize=64)
def after_placing(players: int, seat: int, tower: Tower) -> tuple[tuple[int, ...], Ints, Ints]:
    """The free fields; [field, value] how far the next seat climbs then, [key, field, value] what it sees."""
    fields = State(seat, Phase.DECIDE, VALUES[0], (0,) * players, tower).free_fields()
    climbed = np.empty((len(fields), RANKS), np.int64)
    keys = np.empty((number_of_keys(players), len(fields), RANKS), np.int64)
    # Values between two on the tower throw out the same (R14): the engine is asked about the first.
    bounds = sorted({0, *(RANK[pair.value] for pair in tower), RANKS})
    for first, end in pairwise(bounds):
        state = State(seat, Phase.DECIDE, VALUES[first], (0,) * players, tower)
        for row, field in enumerate(fields):
            climbed[row, first:end], seen = _seen(players, state, Place(field))
            keys[:, row, first:end] = np.array(seen)[:, None]
            if field:
                placed = len(seen) - 1 - seen[::-1].index(key(players, field, first))
                keys[placed, row, first:end] += np.arange(end - first)
    return fields, climbed, keys


@lru_cache(maxsize=64)
def after_falling(players: int, seat: int, tower: Tower) -> tuple[int, tuple[int, ...]]:
    """How far the next seat climbs, and what it sees (R12)."""
    falling = Roll(X, next(face for face in DIE_A if face != X))
    return _seen(players, State(seat, Phase.LATER_ROLL, 0, (0,) * players, tower), falling)


def _seen(players: int, state: State, action: Action) -> tuple[int, tuple[int, ...]]:
    after = Rapido(players, finish=Rapido.OPTIONS[1].high).apply(state, action)  # no score ends this race
    return after.steps[after.turn], keys_of(players, after)


def keys_of(players: int, state: State) -> tuple[int, ...]:
    """The pairs at the start of a turn, as a network wants them."""
    found: list[list[int]] = [[] for _ in range(players)]
    for pair in state.tower:
        rank = RANK[pair.value] if pair.field else 0
        found[(pair.seat - state.turn) % players].append(key(players, pair.field, rank))
    if players == 2:
        own, other = found
        return (*own, *[0] * (1 - len(own)), *other, *[0] * (2 - len(other)))
    return tuple(pairs[0] if pairs else 0 for pairs in found[1:])


class RapidoValues:
    """What a network makes of any position of a game; the shape of a solution, without its certainty."""

    def __init__(self, game: Rapido, network: Network) -> None:
        self.game, self.network = game, network
        self._turn = lru_cache(maxsize=16)(self._work_out)

    def shares(self, steps: Ints, keys: Ints) -> NDArray[np.float32]:
        """How often each seat wins, the one to move first: [position, seat] from [seat or key, position]."""
        distances = np.empty_like(steps)
        left(self.game.finish, steps, distances)
        rows = np.empty((number_of_features(self.game.players), steps.shape[1]), np.int64)
        (rows_for_two if self.game.players == 2 else rows_for_more)(distances, keys, rows)
        return self.network(rows)

    def value(self, state: State) -> float:
        """The probability that the seat whose turn it is wins."""
        if state.phase is Phase.OVER:
            return 1.0
        if state.phase is Phase.FIRST_ROLL:
            keys = np.array(keys_of(self.game.players, state))[:, None]
            return float(self.shares(np.array(_from(state.turn, state.steps))[:, None], keys)[0, 0])
        if state.phase is Phase.LATER_ROLL:
            return self._turn(state.turn, state.steps, state.tower)[2]
        return max(self.action_values(state).values())

    def action_values(self, state: State) -> dict[Action, float]:
        """The same after each legal action."""
        if state.phase is not Phase.DECIDE:
            return {}
        fields, stops, again = self._turn(state.turn, state.steps, state.tower)
        placed = zip(fields, stops[0, :, RANK[state.value]], strict=True)
        return {Again(): again, **{Place(field): float(worth) for field, worth in placed}}

    def _work_out(
        self, seat: int, steps: tuple[int, ...], tower: Tower
    ) -> tuple[tuple[int, ...], NDArray[np.float64], float]:
        """The free fields, what placing is worth, and rolling again (R8).

        Placing: [steps climbed by doubles before, field, value].
        """
        fields, climbed, keys = after_placing(self.game.players, seat, tower)
        order = _from(seat, steps)
        levels = np.arange(steps[seat], min(self.game.finish, steps[seat] + LEVELS))
        stops = self._kept(order, levels[:, None, None], climbed[None], keys[:, None])
        then, seen = after_falling(self.game.players, seat, tower)
        fallen = np.maximum([levels - 1, levels - 2], 0)  # R12
        one, two = self._kept(order, fallen, then, np.array(seen)[:, None, None])
        fails = FALLS[0] * one + FALLS[1] * two
        return fields, stops, best_again(self.game.finish - steps[seat], stops.max(axis=1), fails)

    def _kept(self, order: tuple[int, ...], own: Ints, climbed: Any, keys: Any) -> NDArray[np.float64]:
        """How often who has just played wins, being on ``own``; never once the next seat has arrived."""
        shape = np.broadcast_shapes(own.shape, np.shape(climbed))
        steps = np.empty((self.game.players, *shape), np.int64)
        steps[0] = order[1] + climbed
        for seat, step in enumerate(order[2:], 1):
            steps[seat] = step
        steps[-1] = own
        seen = np.broadcast_to(keys, (len(keys), *shape)).reshape(len(keys), -1)
        shares = self.shares(steps.reshape(self.game.players, -1), seen)[:, -1].reshape(shape)
        return np.where(steps[0] >= self.game.finish, 0.0, shares)


def _from(seat: int, steps: tuple[int, ...]) -> tuple[int, ...]:
    """The steps from this seat on, in the order of turns."""
    return steps[seat:] + steps[:seat]
