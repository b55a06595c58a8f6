"""The values of Rapido by the shipped networks: features of turn starts, and an evaluator (R1-R19).

A network evaluates turn starts, after scoring. The values of positions within a turn are computed from these,
see ``turn``.

Features count the steps left to the finish: only they decide a race, unless a piece falls at the start
square (R12). So one network serves every finish. It has learned races of ``MAX_DISTANCE`` steps. In a
longer race all pieces are moved nearer by the same number of steps, until the last is ``MAX_DISTANCE`` away
or the first ``MIN_DISTANCE``; a piece that is still further away counts as ``MAX_DISTANCE`` away.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from escadaria.evaluator_network import Network, load
from escadaria.games.rapido.rolls import RANK, RANKS
from escadaria.games.rapido.rules import Action, Again, Phase, Place, Rapido, State
from escadaria.games.rapido.turn import ByTurns, Ints, Tower, Values

MAX_DISTANCE, MIN_DISTANCE = 20, 10
LEVELS = 7
"""The number of steps for which a turn is computed, from the own one up. After doubles that climb beyond
them (less than one turn in a thousand) the values of the last step are used."""
PLACES_OF_TWO, PLACES_OF_MORE = 7, 6
"""The number of places of a pair. For two players (R16): in hand, on field 0, …, 5. For more, a pair on field
0 counts as in hand: it scores nothing and blocks no field (R4, R7)."""
KEYS_OF_TWO, KEYS_OF_MORE = PLACES_OF_TWO * RANKS, PLACES_OF_MORE * RANKS

DOUBLES_AHEAD = 1
"""After this number of doubles (R10) a player who would roll again is assumed to place. That is one game in a
thousand, and it only affects how the other seats share the rest."""


# The features. Arrays have the feature (or seat, or pair) on their first axis; on a second one, if there is
# one, many positions. So Numba compiles the same functions for one position at a time.


def left(finish: int, steps: Any, out: Any) -> None:
    """The distance of each seat from the finish, from 0 for one step to ``MAX_DISTANCE`` - 1."""
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
    """Rows for two players. ``keys``: the mover's pair, and the other's two in any order."""
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
    """Rows for more players. ``keys``: the others' pairs in turn order; the mover has none on the tower."""
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
    """The length of a network's table."""
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


def keys_of(players: int, state: State) -> tuple[int, ...]:
    """The keys of the pairs at a turn start, in the order that the rows expect."""
    found: list[list[int]] = [[] for _ in range(players)]
    for pair in state.tower:
        rank = RANK[pair.value] if pair.field else 0
        found[(pair.seat - state.turn) % players].append(key(players, pair.field, rank))
    if players == 2:
        own, other = found
        return (*own, *[0] * (1 - len(own)), *other, *[0] * (2 - len(other)))
    return tuple(pairs[0] if pairs else 0 for pairs in found[1:])


class RapidoValues(ByTurns):
    """An evaluator of all positions by a network, with the interface of a solution."""

    levels = LEVELS

    def __init__(self, game: Rapido, network: Network) -> None:
        super().__init__(game)
        self.network = network
        self._best = lru_cache(maxsize=16)(self._choose)
        self._later = lru_cache(maxsize=64)(self._rolled)

    def encode_tower(self, state: State) -> tuple[int, ...]:
        return keys_of(self.game.players, state)

    def outlooks(self, steps: Ints, towers: Ints) -> Values:
        distances = np.empty_like(steps)
        left(self.game.finish, steps, distances)
        rows = np.empty((number_of_features(self.game.players), steps.shape[1]), np.int64)
        (rows_for_two if self.game.players == 2 else rows_for_more)(distances, towers, rows)
        return self.network(rows)

    def seats(self, state: State) -> tuple[float, ...]:
        """The probability that each seat wins, at any node.

        Within a turn it is the mean over the rolls to come, if the seat to move plays best for itself.
        """
        if state.phase is Phase.OVER:
            return tuple(float(seat == state.turn) for seat in range(self.game.players))
        if state.phase is Phase.FIRST_ROLL:
            return _floats(self._by_seat([state])[0])
        if state.phase is Phase.DECIDE:
            _, best = self._best(state.turn, state.steps, state.tower)
            return self.seats(self.game.apply(state, best[RANK[state.value]]))
        return _floats(self._later(state, DOUBLES_AHEAD))

    def _choose(
        self, seat: int, steps: tuple[int, ...], tower: Tower
    ) -> tuple[list[list[Place]], list[Action]]:
        """The best placing by [steps climbed by doubles, value]; by value the best action without doubles."""
        fields, stops, again = self._plan(seat, steps, tower)
        places = [[Place(fields[row]) for row in rows] for rows in stops.argmax(axis=1)]
        worth = stops[0].max(axis=0)
        best: list[Action] = [
            place if value > again else Again() for place, value in zip(places[0], worth, strict=True)
        ]
        return places, best

    def _rolled(self, state: State, doubles: int) -> Values:
        """The shares before a later roll. Rolling again without doubles leads back to this node."""
        mean, back = np.zeros(self.game.players), 0.0
        ends: list[tuple[float, State]] = []
        places, best = self._best(state.turn, state.steps, state.tower)
        for chance, after in self._falls(state):
            if after.phase is not Phase.DECIDE:
                ends.append((chance, after))
                continue
            climbed = after.steps[state.turn] - state.steps[state.turn]
            rank = RANK[after.value]
            action: Action = best[rank]
            if climbed:
                on = self._best(after.turn, after.steps, after.tower)[1] if doubles else places[climbed]
                action = on[rank]
            if isinstance(action, Place):
                ends.append((chance, self.game.apply(after, action)))
            elif climbed:
                mean += chance * self._later(self.game.apply(after, action), doubles - 1)
            else:
                back += chance
        mean += np.array([chance for chance, _ in ends]) @ self._by_seat([end for _, end in ends])
        mean /= 1.0 - back
        others = 1.0 - mean[state.turn]
        own = self.value(state)
        mean *= (1.0 - own) / others if others else 1.0
        mean[state.turn] = own
        return mean

    def _falls(self, state: State) -> Iterator[tuple[float, State]]:
        for roll, chance in self.game.chance_outcomes(state):
            yield float(chance), self.game.apply(state, roll)

    def _by_seat(self, states: list[State]) -> Values:
        """[position, seat] for starts of turns and ends of games."""
        found = self._starts(states).astype(np.float64)
        turns = np.array([state.turn for state in states])[:, None]
        seats = np.arange(self.game.players)
        over = np.array([state.phase is Phase.OVER for state in states])[:, None]
        return np.where(over, seats == turns, np.take_along_axis(found, (seats - turns) % len(seats), axis=1))


def _floats(shares: Values) -> tuple[float, ...]:
    return tuple(map(float, shares / shares.sum()))


def network(game: Rapido) -> Network:
    """The shipped network of a game."""
    found = load(__package__, game.players)
    assert found is not None, "there is one for every number of players"
    return found


def shipped(game: Rapido) -> RapidoValues:
    """The evaluator by the shipped network."""
    return RapidoValues(game, network(game))


def turn_start(state: State) -> State:
    """The position as if its turn started now."""
    return State(state.turn, Phase.FIRST_ROLL, 0, state.steps, state.tower)
