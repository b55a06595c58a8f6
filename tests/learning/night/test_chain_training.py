"""What a network of Chain loses, turn by turn and decision by decision."""

from __future__ import annotations

import pytest

from compute.kernels import GAME
from escadaria.arena.benchmark import regret
from escadaria.bots.evaluating import Master
from escadaria.games.chain import values as features
from escadaria.games.chain.compiled.solver import GAP
from escadaria.games.chain.solution import ChainSolution
from escadaria.games.chain.values import ChainValues
from research import chain_training

pytestmark = pytest.mark.usefixtures("no_solution")


def test_what_a_turn_gives_away_is_what_its_decisions_do() -> None:
    """Played in the readable engine, decision by decision, it comes to the same on average."""
    network = features.shipped(GAME)
    truth = chain_training.exact_evaluator(GAME)
    solution = ChainSolution(GAME, truth.waiter, GAP)
    by_decision = regret(Master(ChainValues(GAME, network), ""), solution, 40)
    by_turn = chain_training.loss(network, GAME, 4000, seed=1)
    assert by_decision.low - 2 * by_turn.error < by_turn.regret < by_decision.high + 2 * by_turn.error
