"""How Chain's values are learned: turns are worth what they lead to, and learning learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from compute.kernels import GAME, tiny_evaluator, words
from compute.test_chain_values import CLOSE, starts
from escadaria.games.chain import values as features
from escadaria.games.chain.compiled import turns as compiled
from escadaria.games.chain.compiled.policies import tables
from escadaria.games.chain.compiled.search import paths as new_paths
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.values import ChainValues
from research import chain_training
from research.learning import Progress, rounded

pytestmark = pytest.mark.usefixtures("no_solution")


@pytest.mark.parametrize("exploration", [0.0, 1.0], ids=["planned", "by chance"])
@pytest.mark.parametrize("game", [Chain(2), Chain(4, "18")], ids=str)
def test_a_turn_that_is_learned_is_worth_what_it_makes_of_all_chances(
    game: Chain, exploration: float
) -> None:
    """A planned turn is worth what it was before its dice fell; one by chance what it led to."""
    evaluator, chains, arrows = (
        compiled.load_evaluator(game, exact=False),
        compiled.chain_table(),
        tables(game).arrows,
    )
    workspace, paths, outlook = compiled.new_workspace(game.players), new_paths(), np.zeros(game.players)
    for state in list(starts(game))[::5]:
        seat, table = state.turn, words(game, state)
        compiled.compute_turn(evaluator, chains, workspace, arrows, seat, state.pool, *table)
        best = max(compiled.kept(chains, workspace, dice) for dice in range(1, state.hands[seat] + 1))
        chain_training.play_turn(
            evaluator, chains, arrows, exploration, seat, workspace, *table, paths, outlook
        )
        if exploration:
            compiled.evaluate(evaluator, workspace, (seat + 1) % game.players, *table)
            assert outlook.tolist() == np.roll(workspace.shares, 1).tolist()
        else:
            assert outlook[0] == pytest.approx(best, abs=1e-12)
        assert outlook.sum() == pytest.approx(1.0, abs=CLOSE)


def test_results_of_a_turn_are_by_seat_from_the_one_to_move() -> None:
    """Three seats, two turns: seat 0, seat 1; then seat 2 has won. The outcome is trusted by half."""
    mixed = np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2]])
    chain_training._mix_with_outcome(mixed, 0.5)
    np.testing.assert_allclose(mixed, [[0.3, 0.2, 0.5], [0.1, 0.8, 0.1]])


def test_training_learns_and_the_same_seed_gives_the_same_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_training, "BEFOREHAND", 20)
    errors = list[float]()

    def report(progress: Progress, net: object) -> None:
        if progress.done:
            errors.append(progress.error)

    first, again = (chain_training.train(3, 5000, 2, report) for _ in range(2))
    assert errors[1] > errors[2] and errors[: len(errors) // 2] == errors[len(errors) // 2 :]
    assert np.array_equal(rounded(first).table, rounded(again).table)
    game = Chain(3)
    known = ChainValues(game, rounded(first))
    near = "discs={},0+0 stacks={} chain=-/0/open loose=-"
    state = game.parse_state("turn=0 phase=keep hands=4,2,2 pool=16 " + near.format("33+34,0+0", "33:0"))
    assert max(known.seats(state)) == known.seats(state)[0]


def test_boards_made_by_chance_are_learned_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two players they share no rows with a board that is solved."""
    play, kinds = chain_training.self_play, list[int]()

    def watched(model: compiled.Evaluator, *rest: Any) -> int:
        kinds.append(model.track)
        return int(play(model, *rest))

    monkeypatch.setattr(chain_training, "self_play", watched)
    monkeypatch.setattr(chain_training, "OF_TWO", (0.0, 0.0, 0.0, 1.0))
    chain_training.train(2, 500, 1, lambda *_: None)
    assert set(kinds) == {features.ANY}


# What a network loses, on the board of the solver's tests, which is solved in seconds.


def test_exact_play_gives_nothing_away_and_a_network_that_knows_nothing_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    truth, arrows = tiny_evaluator(), tables(GAME).arrows
    monkeypatch.setattr(chain_training, "exact_evaluator", lambda game: truth)
    workspace, exact = compiled.new_workspace(2), compiled.new_workspace(2)
    lost, _, won = chain_training.lose(
        truth, truth, compiled.chain_table(), arrows, 200, 1, workspace, exact, new_paths()
    )
    assert lost == pytest.approx(0, abs=1e-9)
    assert 60 < won < 140
    nothing = rounded(chain_training.fresh(2, 64, np.random.default_rng(1)))
    loss = chain_training.loss(nothing, GAME, 200, seed=1)
    assert loss.regret > 0.1 and loss.wins < won
