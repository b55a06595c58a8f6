"""Search on top of Rapido's values: rollouts, further turns, and the exact solution."""

from __future__ import annotations

import numpy as np
import pytest

from compute.kernels import row_of
from escadaria.games.rapido.compiled.solver import Solver
from escadaria.games.rapido.compiled.values import model
from escadaria.games.rapido.rolls import RANK
from escadaria.games.rapido.rules import Again, Phase, Place, Rapido
from learning.test_rapido_search import begin, evaluator, positions
from research import rapido_search
from research.rapido_search import CUT
from short import ShortRapido


@pytest.mark.parametrize("players", [2, 3, 6])
def test_without_search_it_decides_as_a_master(players: int) -> None:
    game = Rapido(players)
    values, search = evaluator(game), rapido_search.search(game)
    for state in positions(game, Phase.DECIDE, 30):
        begin(search, game, state)
        rapido_search.prepare(search, 0, CUT, RANK[state.value], 0)
        workspace, rank = search.turns[0].workspace, RANK[state.value]
        worths = values.action_values(state)
        stops = rapido_search.stops(workspace, 0, rank)
        chosen = Place(int(workspace.field[0, rank])) if stops else Again()
        assert worths[chosen] == pytest.approx(max(worths.values()), abs=1e-5)


def test_rollouts_of_two_turns_have_the_mean_of_two_turns() -> None:
    """Within four standard errors of 20 estimates by 50 rollouts each."""
    game = ShortRapido(3, 4)
    search = rapido_search.search(game, rollouts=50)
    (state,) = positions(game, Phase.FIRST_ROLL, 1)
    search.rows[1] = row_of(state)
    rapido_search.look_further(search, 0.0)
    exact, estimates = search.turns[1].out.copy(), np.zeros((20, 3))
    for out in estimates:
        rapido_search.roll_out(search, 2)
        out[:] = search.turns[1].out
    error = estimates.std(axis=0) / len(estimates) ** 0.5
    assert (error > 0).all() and (abs(estimates.mean(axis=0) - exact) < 4 * error).all()


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
