"""The examples for researchers run and give the expected results."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from escadaria.arena.simulation import simulate
from escadaria.catalogue import load
from tools import notebooks

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


def test_an_agent_learns_rapido() -> None:
    """After a few matches it knows the obvious: high values last on high fields, and low ones do not."""
    train: Any = import_module("train_rapido")
    env = train.pettingzoo.env("rapido", players=3)
    learner = train.Learner(env, train.random.Random(1))
    for number in range(100):
        train.play(env, learner, number % 3, seed=number, exploration=1.0)

    def climbed(field: int, values: range) -> float:
        keys = [key for key in learner.counts if key[0] == field + 1 and round(76 * key[1]) in values]
        turns = sum(learner.counts[key] for key in keys)
        return float(sum(learner.counts[key] * learner.averages[key] for key in keys) / turns)

    assert climbed(5, range(70, 77)) > climbed(5, range(40)) + 0.5
    assert train.train(players=3, finish=5, matches=2, check=3).games == 3


@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_openspiels_search_plays(game: str) -> None:
    mcts: Any = import_module("openspiel_mcts")
    options = {"finish": 5} if game == "rapido" else {"board": "18"}
    spiel = mcts.openspiel.wrap(mcts.escadaria.load(game, players=2, **options))
    assert mcts.play(spiel, seat=1, simulations=2, seed=1) in (True, False)


def test_openspiels_search_is_a_bot() -> None:
    search: Any = import_module("mcts_bots")
    game = load("rapido", players=2, finish=5)
    state = game.apply(game.initial_state(), game.parse("26"))
    chosen = {search.Search(4)(game, state) for _ in range(3)}
    assert len(chosen) == 1 and chosen <= set(game.legal_actions(state))


# The notebooks.


def test_the_gradients_of_the_notebooks_network_are_those_of_its_loss() -> None:
    policy_module: Any = import_module("policy")
    rng = np.random.default_rng(3)
    policy = policy_module.Policy(5, 4, hidden=6, seed=3)
    for weights in policy.weights.values():
        weights += rng.normal(0, 0.5, weights.shape)
    mask = rng.random((40, 4)) < 0.7
    mask[:, 0] = True
    seen, advantages, targets = rng.random((40, 5)), rng.normal(size=40), rng.normal(size=40)
    actions, chosen, _ = policy.play(seen, mask, rng)
    assert mask[np.arange(40), actions].all()
    data = seen, mask, actions, chosen * rng.uniform(0.6, 1.5, 40), advantages, targets
    _, gradients = policy.gradients(*data)
    for name, weights in policy.weights.items():
        for at in np.ndindex(weights.shape):
            before, losses = weights[at], []
            for small in (1e-6, -1e-6):
                weights[at] = before + small
                losses.append(policy.gradients(*data)[0])
            weights[at] = before
            assert gradients[name][at] == pytest.approx((losses[0] - losses[1]) / 2e-6, abs=1e-6), name


def test_the_notebooks_network_learns_the_better_of_two_actions() -> None:
    policy_module: Any = import_module("policy")
    rng, policy = np.random.default_rng(1), policy_module.Policy(1, 2, hidden=4, seed=1)
    seen, mask = np.ones((64, 1)), np.ones((64, 2), bool)
    for _ in range(60):
        actions, chosen, values = policy.play(seen, mask, rng)
        policy.learn(rng, 2, 64, seen, mask, actions, chosen, actions - values, actions.astype(float))
    assert policy.best(seen[0], mask[0]) == 1 and policy.forward(seen, mask)[1][0, 1] > 0.9


SMALL = {"GAMES": 8, "STEPS": 40, "UPDATES": 2, "CHECK": 2}
"""A budget that shows that a notebook runs, not that it learns."""


def test_a_notebook_runs() -> None:
    assert "image/svg+xml" in kinds_of_outputs(notebooks.run("self_play", **SMALL))


def kinds_of_outputs(book: Any) -> set[str]:
    return {kind for cell in outputs(book) for kind in cell.get("data", {})}


def test_a_saved_policy_plays_as_before(tmp_path: Path) -> None:
    policy_module: Any = import_module("policy")
    policy = policy_module.Policy(3, 4, hidden=5, seed=2)
    policy.save(tmp_path / "policy.npz")
    loaded = policy_module.Policy.load(tmp_path / "policy.npz")
    seen, mask = np.eye(3), np.array([[True, True, False, True]] * 3)
    for before, after in zip(policy.forward(seen, mask), loaded.forward(seen, mask), strict=True):
        assert after == pytest.approx(before, abs=1e-6)


def test_the_stored_agent_beats_the_bot_that_it_learned_against() -> None:
    ppo = import_module("examples.ppo_bot").ppo
    won = simulate(load("rapido", players=2), [ppo, "simple"], 200, seed=3, workers=1).by_bot[0]
    assert won.share > 0.6


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_stored_with_its_outputs(path: Path) -> None:
    book = notebooks.read(path.stem)
    assert {cell.output_type for cell in outputs(book)} <= {"stream", "execute_result", "display_data"}
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, 1 + len(cells)))


def outputs(book: Any) -> list[Any]:
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
