"""What is learned from solutions, and what a network of Chain loses, by turn and by decision."""

from __future__ import annotations

import numpy as np
import pytest

from compute.kernels import GAME
from compute.test_chain_values import CLOSE
from escadaria.arena.benchmark import regret
from escadaria.bots.evaluating import Master
from escadaria.games.chain import values as features
from escadaria.games.chain.compiled import turns as compiled
from escadaria.games.chain.compiled.policies import tables
from escadaria.games.chain.compiled.search import paths as new_paths
from escadaria.games.chain.compiled.solver import GAP, layout
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.solution import HAND_PAIRS, ChainSolution, arrangements, hands_number
from escadaria.games.chain.values import ChainValues
from escadaria.games.rapido.index import TOWERS
from research import chain_training, rapido_training
from research.learning import ReplayMemory

pytestmark = pytest.mark.usefixtures("no_solution")


def test_what_a_turn_gives_away_is_what_its_decisions_do() -> None:
    """Played in the readable engine, decision by decision, it comes to the same on average."""
    network = features.network(GAME)
    truth = chain_training.exact_evaluator(GAME)
    solution = ChainSolution(GAME, truth.waiter, GAP)
    by_decision = regret(Master(ChainValues(GAME, network), ""), solution, 40)
    by_turn = chain_training.loss(network, GAME, 4000, seed=1)
    assert by_decision.low - 2 * by_turn.error < by_turn.regret < by_decision.high + 2 * by_turn.error


def test_from_a_solution_the_exact_worth_of_all_that_turns_may_lead_to_is_learned() -> None:
    """The table here depends on the hands alone, so that they show what was read."""
    game = Chain(2, "18")
    waiter = np.tile(np.arange(HAND_PAIRS) / HAND_PAIRS, (arrangements(game.track).count, 1))
    waiter.flags.writeable = False
    model = compiled.load_evaluator(game, exact=False)
    truth = model._replace(waiter=waiter, layout=layout(game.track))
    memory = ReplayMemory(features.number_of_features(2), 2, 4000)
    new = memory.grow(
        chain_training.sample_exact(
            model, truth, compiled.chain_table(), tables(game).arrows, compiled.new_workspace(2),
            np.zeros(2, np.int64), np.zeros((2, 2), np.int64), new_paths(), *memory.next_rows(), 3000,
        )
    )  # fmt: skip
    assert memory.filled == new >= 3000 and not memory.targets[new:].any()
    of_hands = features.DISTANCES**2
    mover = (memory.rows[:new, 1] - of_hands) % features.MOST_DICE + 1
    other = (memory.rows[:new, 6] - features.OF_SEAT - of_hands) % features.MOST_DICE + 1
    known = np.maximum(mover, other) < features.MOST_DICE  # more count as these
    wanted = [hands_number(*both) / HAND_PAIRS for both in zip(mover[known], other[known], strict=True)]
    np.testing.assert_allclose(memory.targets[:new][known, 1], wanted, atol=CLOSE)
    assert len(set(wanted)) > 50


def test_what_is_distilled_comes_near_the_truth() -> None:
    """The truth is that a step ahead is worth a tenth, whatever lies on the tower."""
    table = np.zeros((5, 5, TOWERS), np.uint32)
    for own in range(5):
        for other in range(5):
            table[own, other] = (0.5 + (own - other) / 10) * (2**32 - 1)
    errors: list[float] = []
    rapido_training.distil(table, 1 << 18, 1, lambda now, net: errors.append(now.error))
    assert errors[-1] < 0.02 < 0.05 < errors[0]
