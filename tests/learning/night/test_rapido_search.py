"""Search on top of Rapido's values: against the readable rules and by its own laws."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from compute.kernels import row_of, wild_positions
from escadaria import network
from escadaria.games.rapido.compiled.rules import FIRST_ROLLS, RANKS, TOWER, free_fields, is_free
from escadaria.games.rapido.compiled.solver import Solver
from escadaria.games.rapido.compiled.values import end_turn, model
from escadaria.games.rapido.rules import TOP_FIELD, Again, Phase, Rapido, State
from escadaria.games.rapido.values import RapidoValues, keys_of
from research import rapido_search
from research.rapido_search import CUT, MARGIN, Search
from short import ShortRapido

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


@pytest.mark.parametrize("turns", [1, 2])
def test_search_changes_nothing_on_top_of_the_exact_solution(turns: int) -> None:
    """The values after later turns are the same as before them."""
    game = ShortRapido(2, 2)
    table, _ = Solver(game.finish, threads=1).solve({})
    search = rapido_search.search(game)._replace(model=model(None, table))
    for state in positions(game, Phase.FIRST_ROLL, 5):
        begin(search, game, state)
        levels, workspace = rapido_search.look(search, 0), search.turns[0].workspace
        best, again = workspace.best[0, :levels].copy(), workspace.again[0, :levels].copy()
        rapido_search.plan_deeper(search, turns, 0.0, -1)
        np.testing.assert_allclose(workspace.best[0, :levels], best, atol=1e-6)
        np.testing.assert_allclose(workspace.again[0, :levels], again, atol=1e-6)


def test_a_search_takes_the_best_field_and_leaves_the_position_as_it_was() -> None:
    game = Rapido(3)
    search = rapido_search.search(game)
    for state in positions(game, Phase.FIRST_ROLL, 3):
        begin(search, game, state)
        before, workspace, own = search.rows[0].copy(), search.turns[0].workspace, state.steps[state.turn]
        rapido_search.look(search, 0)
        seems, again = workspace.best[0, 0].copy(), workspace.again[0, 0]
        rapido_search.plan_deeper(search, 1, CUT, -1)
        found, free = workspace.best[0, 0].copy(), free_fields(int(before[TOWER]))
        for rank in range(RANKS):
            if FIRST_ROLLS[rank] and seems[rank] >= again - MARGIN:
                worths = [
                    rapido_search.worth_after(search, 1, CUT, 0, field, rank)
                    for field in range(TOP_FIELD + 1)
                    if is_free(free, field)
                    and end_turn(search.model, game.finish, before, own, field, rank, workspace)
                    >= seems[rank] - MARGIN
                ]
                assert found[rank] == pytest.approx(max(worths))
        rapido_search.plan_deeper(search, 2, 0.05, -1)
        np.testing.assert_array_equal(search.rows[0], before)
