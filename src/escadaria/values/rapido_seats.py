"""Rapido for three and more: how often every seat wins, not only the one whose turn it is (R1-R15).

A network tells this of the start of a turn. Within a turn it is the mean over the rolls to come, if whoever
rolls them does what is best for their own seat.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from escadaria.rapido import Action, Again, Phase, Place, State
from escadaria.values.rapido import RapidoValues, keys_of

DOUBLES_AHEAD = 1
"""After so many doubles (R10) a player who would roll on is taken to place instead: it is one game in a
thousand, and only tells how the others share what the one who rolls leaves them."""


class RapidoSeats(RapidoValues):
    """The values of ``RapidoValues``, and ``seats``: those of all seats."""

    def seats(self, state: State) -> tuple[float, ...]:
        """How often each seat wins, at any node."""
        if state.phase is Phase.OVER:
            return tuple(float(seat == state.turn) for seat in range(self.game.players))
        if state.phase is Phase.FIRST_ROLL:
            return _floats(self._starts([state])[0])
        if state.phase is Phase.DECIDE:
            return self.seats(self.game.apply(state, self._best(state)))
        return _floats(self._rolled(state, DOUBLES_AHEAD))

    def _best(self, state: State, place: bool = False) -> Action:
        values = self.action_values(state)
        return max(
            (action for action in values if not place or isinstance(action, Place)), key=values.__getitem__
        )

    def _rolled(self, state: State, doubles: int) -> NDArray[np.float64]:
        """Before a later roll. Who rolls again without having climbed is back where they were."""
        mean, back = np.zeros(self.game.players), 0.0
        ends: list[tuple[float, State]] = []
        for chance, after in self._falls(state):
            if after.phase is not Phase.DECIDE:
                ends.append((chance, after))
                continue
            climbed = after.steps != state.steps
            best = self._best(after, place=climbed and not doubles)
            if not isinstance(best, Again):
                ends.append((chance, self.game.apply(after, best)))
            elif climbed:
                mean += chance * self._rolled(self.game.apply(after, best), doubles - 1)
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
        found = self.shares(np.array(orders).T, np.array(keys).T)
        rows = np.empty((len(states), self.game.players))
        for row, state, shares in zip(rows, states, found, strict=True):
            row[:] = np.roll(shares, state.turn)
            if state.phase is Phase.OVER:
                row[:] = np.arange(self.game.players) == state.turn
        return rows


def _floats(shares: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(map(float, shares / shares.sum()))
