"""Compiled values are those of NumPy, levels play the same compiled and not, and learning learns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compute.test_rapido_kernel import row_of, wild_positions
from escadaria import bots, solutions
from escadaria import network as values
from escadaria.arena import simulation
from escadaria.compute.network import Weights
from escadaria.games.rapido.compiled import play as kernel
from escadaria.games.rapido.compiled.values import Model, model, new_workspace, plan
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rolls import RANK
from escadaria.games.rapido.rules import Again, Phase, Rapido, State
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.games.rapido.values import LEVELS, RapidoValues
from escadaria.solutions.solution import Bounds
from research import learning
from research import rapido_training as training

PLAYED_BY = (kernel.play_batch, simulation.play_batch)


@pytest.fixture(autouse=True)
def no_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the user's cache folder must make no difference here."""
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))


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
    rng, workspace = random.Random(game.players), new_workspace(game.players, levels)
    for state in wild_positions(game, rng, games=8):
        if state.phase is Phase.DECIDE and rng.random() < 0.2:
            own = state.steps[state.turn]
            plan(known, game.finish, row_of(game, state), own, False, workspace)
            yield state, workspace.again[0, 0], workspace.best[0, 0, RANK[state.value]]


def check(worths: dict[Any, float], again: float, best: float) -> None:
    assert worths.pop(Again()) == pytest.approx(again, abs=1e-5)
    assert max(worths.values()) == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("finish", [12, 50])
@pytest.mark.parametrize("players", range(2, 7))
def test_a_turn_is_worth_the_same_compiled(players: int, finish: int) -> None:
    game, network = Rapido(players, finish), values.load("escadaria.games.rapido", players)
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


@pytest.mark.parametrize("players", range(2, 7))
def test_levels_play_the_same_games_compiled(players: int) -> None:
    game = Rapido(players, 8)
    for lineup in ((*bots.LEVELS, "simple", "random"), bots.LEVELS[::-1] * 2):
        ours = kernel.play_batch(game, lineup[:players], 3, 3, seed=1)
        theirs = simulation.play_batch(game, lineup[:players], 3, 3, seed=1)
        for name, column in theirs.items():
            assert np.array_equal(ours[name], column), name


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
    ours, theirs = (play(game, ["master", "regular"], 0, 4, 1) for play in PLAYED_BY)
    assert np.array_equal(ours["plies"], theirs["plies"])


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize(
    "level, below, games",
    [("regular", "tourist", 3000), ("expert", "regular", 500), ("master", "expert", 1500)],
)
def test_levels_stand_in_the_order_of_their_strength(
    level: str, below: str, games: int, players: int
) -> None:
    """One seat among those of the level below wins more than its share, by three standard errors."""
    results = simulation.simulate(Rapido(players, 12), [level] + [below] * (players - 1), games, seed=1)
    fair = 1 / players
    assert results.by_bot[0].share > fair + 3 * (fair * (1 - fair) / games) ** 0.5


def test_exact_play_gives_nothing_away(exact: np.ndarray) -> None:
    known, workspaces = model(None, exact), [new_workspace(2, 10) for _ in range(2)]
    lost, _, won = training.lose(known, known, 5, 200, 1, training.new_rows(2), *workspaces)
    assert lost == pytest.approx(0, abs=1e-9)
    assert 60 < won < 140


def test_a_network_that_knows_nothing_gives_much_away(exact: np.ndarray) -> None:
    fresh = learning.rounded(training.fresh(2, 64, np.random.default_rng(1)))
    once, again = (training.loss(fresh, exact, 600, seed=1, threads=threads) for threads in (1, 2))
    assert once == again
    assert once.regret > 0.1


def test_self_play_learns_and_the_same_seed_learns_the_same() -> None:
    def run() -> tuple[list[float], Weights]:
        errors: list[float] = []
        net = training.train_by_self_play(3, 9000, 1, lambda now, net: errors.append(now.error))
        return errors, net

    (errors, net), (errors_again, net_again) = run(), run()
    assert errors == errors_again
    assert np.array_equal(net.table, net_again.table)
    assert errors[-1] < 0.8 * errors[1]


def test_what_is_distilled_comes_near_the_truth() -> None:
    """The truth is that a step ahead is worth a tenth, whatever lies on the tower."""
    table = np.zeros((5, 5, TOWERS), np.uint32)
    for own in range(5):
        for other in range(5):
            table[own, other] = (0.5 + (own - other) / 10) * (2**32 - 1)
    errors: list[float] = []
    training.distil(table, 1 << 18, 1, lambda now, net: errors.append(now.error))
    assert errors[-1] < 0.02 < 0.05 < errors[0]


def test_rounding_changes_little() -> None:
    net = training.fresh(3, 64, np.random.default_rng(1))
    rows = np.random.default_rng(2).integers(0, len(net.table), (7, 50))
    small = learning.rounded(net)
    first = np.maximum(net.table[rows].sum(axis=0), 0)
    second = np.maximum(first @ net.mix + net.mix_bias, 0)
    odds = np.exp(second @ net.out.T + net.out_bias)
    assert small(rows) == pytest.approx(odds / odds.sum(axis=1, keepdims=True), abs=0.02)
