"""How Rapido's values are learned: learning learns, and what a network gives away is measured."""

from __future__ import annotations

import numpy as np
import pytest

from compute.test_rapido_values import exact as exact
from escadaria.compute.forward import Weights
from escadaria.games.rapido.compiled.turns import model, new_workspace
from research import learning
from research import rapido_training as training

pytestmark = pytest.mark.usefixtures("no_solution")


def test_exact_play_gives_nothing_away(exact: np.ndarray) -> None:
    known, workspaces = model(None, exact), [new_workspace(2, 10) for _ in range(2)]
    lost, _, won = training.lose(known, known, 5, 200, 1, training.new_rows(2), *workspaces)
    assert lost == pytest.approx(0, abs=1e-9)
    assert 60 < won < 140


def test_a_network_that_knows_nothing_gives_much_away(exact: np.ndarray) -> None:
    fresh = learning.rounded(training.fresh(2, 64, np.random.default_rng(1)))
    once, again = (training.loss(fresh, exact, 200, seed=1, threads=threads) for threads in (1, 2))
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


def test_rounding_changes_little() -> None:
    net = training.fresh(3, 64, np.random.default_rng(1))
    rows = np.random.default_rng(2).integers(0, len(net.table), (7, 50))
    small = learning.rounded(net)
    first = np.maximum(net.table[rows].sum(axis=0), 0)
    second = np.maximum(first @ net.mix + net.mix_bias, 0)
    odds = np.exp(second @ net.out.T + net.out_bias)
    assert small(rows) == pytest.approx(odds / odds.sum(axis=1, keepdims=True), abs=0.02)
