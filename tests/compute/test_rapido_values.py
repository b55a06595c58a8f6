"""Rapido's values compiled are those of NumPy, and masters play by them (R1-R19)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from compute.kernels import RAPIDOS, check_bots, positions, row_of, wild_positions
from escadaria import bots, evaluator_network, solutions
from escadaria.games.rapido.compiled.turns import Model, model, new_workspace, plan
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rolls import RANK
from escadaria.games.rapido.rules import Again, Phase, Rapido, State
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.games.rapido.values import LEVELS, RapidoValues
from escadaria.solutions import Bounds

pytestmark = pytest.mark.usefixtures("no_solution")


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    """No solution of anything, but of the shape of one: whoever is ahead is better off."""
    table = np.random.default_rng(1).integers(0, 2**31, (5, 5, TOWERS), np.uint32)
    for own in range(5):
        for other in range(5):
            table[own, other] += np.uint32((4 + own - other) * 2**27)
    return table


def decisions(game: Rapido, known: Model, levels: int) -> Iterator[tuple[State, float, float]]:
    """Positions to decide in, with the worth of rolling again and of the best placing, compiled."""
    workspace = new_workspace(game.players, levels)
    for state in positions(game, Phase.DECIDE, 12):
        plan(known, game.finish, row_of(state), state.steps[state.turn], False, workspace)
        yield state, workspace.again[0, 0], workspace.best[0, 0, RANK[state.value]]


def check(worths: dict[Any, float], again: float, best: float) -> None:
    assert worths.pop(Again()) == pytest.approx(again, abs=1e-5)
    assert max(worths.values()) == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("game", RAPIDOS, ids=str)
def test_a_turn_is_worth_the_same_compiled(game: Rapido) -> None:
    network = evaluator_network.load("escadaria.games.rapido", game.players)
    assert network is not None
    readable, looked = RapidoValues(game, network), 0
    for state, again, best in decisions(game, model(network), LEVELS):
        check(readable.action_values(state), again, best)
        looked += 1
    assert looked > 10


def test_an_exact_table_is_read_as_a_solution_reads_it(exact: np.ndarray) -> None:
    game = Rapido(2, 5)
    readable, looked = RapidoSolution(game, exact, Bounds(0, 1, 1)), 0
    for state, again, best in decisions(game, model(None, exact), game.finish):
        check(dict(readable.action_values(state)), again, best)
        looked += 1
    assert looked > 5


def test_a_master_with_the_solution_plays_by_it(exact: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every decision is one of the best there are, and the compiled one's is the same."""
    game = Rapido(2, 5)
    solution = RapidoSolution(game, exact, Bounds(0, 1, 1))
    monkeypatch.setattr(solutions, "find", lambda game: solution)
    master, decided = bots.load("master", game), 0
    for state in wild_positions(game, random.Random(1), games=5):
        if worths := solution.action_values(state):
            assert worths[master(game, state)] == max(worths.values())
            decided += 1
    assert decided > 20
    check_bots(game, ["master", "regular"], games=4)
