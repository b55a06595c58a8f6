"""Search on top of Rapido's values: by its own laws, on the exact solution and on a network."""

from __future__ import annotations

import numpy as np
import pytest

from compute.kernels import positions, row_of
from escadaria.games.rapido.compiled.rules import FIRST_ROLLS, RANKS, TOWER, free_fields, is_free
from escadaria.games.rapido.compiled.solver import Solver
from escadaria.games.rapido.compiled.turns import end_turn, model
from escadaria.games.rapido.rules import TOP_FIELD, Phase, Rapido, State
from escadaria.games.rapido.solution import RapidoSolution
from research import rapido_search
from research.rapido_search import CUT, MARGIN, Search
from short import ShortRapido


def begin(search: Search, game: Rapido, state: State) -> Search:
    search.rows[0] = row_of(state)
    return search


@pytest.mark.parametrize("turns", [1, 2])
def test_search_changes_nothing_on_top_of_the_exact_solution(turns: int) -> None:
    """One turn is worth what the solution says, and values after later turns are the same as before them."""
    game = ShortRapido(2, 2)
    table, bounds = Solver(game.finish, threads=1).solve({})
    solution = RapidoSolution(game, table, bounds)
    search = rapido_search.search(game)._replace(model=model(None, table))
    for state in positions(game, Phase.FIRST_ROLL, 5):
        begin(search, game, state)
        levels, workspace = rapido_search.look_ahead(search, 0), search.turns[0].workspace
        value = solution.value(state)
        np.testing.assert_allclose(search.turns[0].out, [value, 1 - value], atol=1e-6)
        best, again = workspace.best[0, :levels].copy(), workspace.again[0, :levels].copy()
        rapido_search.plan_by_search(search, turns, 0.0, -1)
        np.testing.assert_allclose(workspace.best[0, :levels], best, atol=1e-6)
        np.testing.assert_allclose(workspace.again[0, :levels], again, atol=1e-6)


def test_a_search_takes_the_best_field_and_leaves_the_position_as_it_was() -> None:
    game = Rapido(3)
    search = rapido_search.search(game)
    for state in positions(game, Phase.FIRST_ROLL, 3):
        begin(search, game, state)
        before, workspace, own = search.rows[0].copy(), search.turns[0].workspace, state.steps[state.turn]
        rapido_search.look_ahead(search, 0)
        seems, again = workspace.best[0, 0].copy(), workspace.again[0, 0]
        rapido_search.plan_by_search(search, 1, CUT, -1)
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
        rapido_search.plan_by_search(search, 2, 0.05, -1)
        np.testing.assert_array_equal(search.rows[0], before)
