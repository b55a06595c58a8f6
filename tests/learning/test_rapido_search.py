"""Search on top of Rapido's values: against the readable rules and by its own laws."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from compute.kernels import row_of, wild_positions
from escadaria import network
from escadaria.games.rapido.rules import Again, Phase, Rapido, State
from escadaria.games.rapido.values import RapidoValues, keys_of
from research import rapido_search
from research.rapido_search import Search

Shares = NDArray[np.float64]


def evaluator(game: Rapido) -> RapidoValues:
    net = network.load("escadaria.games.rapido", game.players)
    assert net
    return RapidoValues(game, net)


def positions(game: Rapido, phase: Phase, count: int) -> Iterator[State]:
    rng, found = random.Random(game.players), 0
    for state in wild_positions(game, rng, games=99):
        if state.phase is phase and rng.random() < 0.1:
            yield state
            found += 1
            if found == count:
                return


class Master:
    """A master's turns by the readable rules: the shares of all seats, by seat."""

    def __init__(self, game: Rapido) -> None:
        self.game, self.values = game, evaluator(game)

    def start(self, state: State) -> Shares:
        """By the network, or by the rules if the game is over."""
        shares = np.zeros(self.game.players)
        if state.phase is Phase.OVER:
            shares[state.turn] = 1.0
            return shares
        order = [(state.turn + seat) % self.game.players for seat in range(self.game.players)]
        steps = np.array([state.steps[seat] for seat in order])[:, None]
        shares[order] = self.values.shares(steps, np.array(keys_of(self.game.players, state))[:, None])[0]
        return shares

    def turn(self, state: State) -> Shares:
        """By the values after the turn. Rolling again on the same step is a loop, which is solved."""
        total, same = np.zeros(self.game.players), 0.0
        for dice, chance in self.game.chance_outcomes(state):
            after = self.game.apply(state, dice)
            if after.phase is not Phase.DECIDE:
                total += float(chance) * self.start(after)
                continue
            worths = self.values.action_values(after)
            action = max(worths, key=lambda action: worths[action])
            then = self.game.apply(after, action)
            if action != Again():
                total += float(chance) * self.start(then)
            elif then == state:
                same += float(chance)
            else:
                total += float(chance) * self.turn(then)
        return total / (1.0 - same)


def begin(search: Search, game: Rapido, state: State) -> Search:
    search.rows[0] = row_of(state)
    return search


@pytest.mark.parametrize("players", [2, 3])
def test_one_turn_is_the_readable_expectation(players: int) -> None:
    """In a race so short that no doubles climb beyond the steps that are worked out."""
    game = Rapido(players, finish=6)
    master, search = Master(game), rapido_search.search(game)
    for state in positions(game, Phase.FIRST_ROLL, 4):
        begin(search, game, state)
        rapido_search.look(search, 0)
        exact = np.roll(master.turn(state), -state.turn)
        np.testing.assert_allclose(search.turns[0].out, exact, atol=1e-5)
