"""Rapido for three and more: how often every seat wins, not only the one whose turn it is (R1-R15).

A network estimates this at the start of a turn. Within a turn it is the mean over the rolls to come, if the
seat that rolls does what is best for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from escadaria.evaluator_network import Network, load
from escadaria.games.rapido.rolls import RANK
from escadaria.games.rapido.rules import Action, Again, Phase, Place, Rapido, State
from escadaria.games.rapido.values import RapidoValues, Tower, keys_of

DOUBLES_AHEAD = 1
"""After this number of doubles (R10) a player who would roll again is assumed to place. That is one game in a
thousand, and it only affects how the other seats share the rest."""


class RapidoSeats(RapidoValues):
    """The values of ``RapidoValues``, and ``seats``: those of all seats."""

    def __init__(self, game: Rapido, network: Network) -> None:
        super().__init__(game, network)
        self._best = lru_cache(maxsize=16)(self._choose)
        self._later = lru_cache(maxsize=64)(self._rolled)

    def seats(self, state: State) -> tuple[float, ...]:
        """How often each seat wins, at any node."""
        if state.phase is Phase.OVER:
            return tuple(float(seat == state.turn) for seat in range(self.game.players))
        if state.phase is Phase.FIRST_ROLL:
            return _floats(self._starts([state])[0])
        if state.phase is Phase.DECIDE:
            _, best = self._best(state.turn, state.steps, state.tower)
            return self.seats(self.game.apply(state, best[RANK[state.value]]))
        return _floats(self._later(state, DOUBLES_AHEAD))

    def _choose(
        self, seat: int, steps: tuple[int, ...], tower: Tower
    ) -> tuple[list[list[Place]], list[Action]]:
        """The best place by [steps climbed by doubles, value], and the best action here by value."""
        fields, stops, again = self._turn(seat, steps, tower)
        places = [[Place(fields[row]) for row in rows] for rows in stops.argmax(axis=1)]
        worth = stops[0].max(axis=0)
        best: list[Action] = [
            place if value > again else Again() for place, value in zip(places[0], worth, strict=True)
        ]
        return places, best

    def _rolled(self, state: State, doubles: int) -> NDArray[np.float64]:
        """Before a later roll. Who rolls again without having climbed is back where they were."""
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
        mean += np.array([chance for chance, _ in ends]) @ self._starts([end for _, end in ends])
        mean /= 1.0 - back
        others = 1.0 - mean[state.turn]
        own = self.value(state)
        mean *= (1.0 - own) / others if others else 1.0
        mean[state.turn] = own
        return mean

    def _falls(self, state: State) -> Iterator[tuple[float, State]]:
        for roll, chance in self.game.chance_outcomes(state):
            yield float(chance), self.game.apply(state, roll)

    def _starts(self, states: list[State]) -> NDArray[np.float64]:
        """[position, seat] for starts of turns and ends of games."""
        orders = [state.steps[state.turn :] + state.steps[: state.turn] for state in states]
        keys = [keys_of(self.game.players, state) for state in states]
        found = self.shares(np.array(orders).T, np.array(keys).T).astype(np.float64)
        turns = np.array([state.turn for state in states])[:, None]
        seats = np.arange(self.game.players)
        over = np.array([state.phase is Phase.OVER for state in states])[:, None]
        return np.where(over, seats == turns, np.take_along_axis(found, (seats - turns) % len(seats), axis=1))


def _floats(shares: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(map(float, shares / shares.sum()))


def evaluator(game: Rapido) -> RapidoSeats:
    """By the network that ships."""
    network = load(__package__, game.players)
    assert network is not None, "there is one for every number of players"
    return RapidoSeats(game, network)


def turn_start(state: State) -> State:
    """The position as if its turn started now."""
    return State(state.turn, Phase.FIRST_ROLL, 0, state.steps, state.tower)
