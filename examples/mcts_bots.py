"""OpenSpiel's Monte Carlo tree search as bots, for `arena`, `simulate` and `benchmark`:

    escadaria benchmark examples.mcts_bots:mcts_40 --game rapido --players 2 --games 100

The search uses only the rules: it evaluates positions by random rollouts to the end of the match. Its random
numbers depend on the position alone, so that the same match is played again.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np
from open_spiel.python.algorithms import mcts

from escadaria.adapters import openspiel


class Search:
    """Decides by this number of simulations."""

    def __init__(self, simulations: int) -> None:
        self.simulations = simulations

    def __call__(self, game: Any, state: Any) -> Any:
        wrapped = _wrapped(game)
        rng = np.random.RandomState(zlib.crc32(str(state).encode()))
        search = mcts.MCTSBot(
            wrapped,
            uct_c=1.4,
            max_simulations=self.simulations,
            evaluator=mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng),
            random_state=rng,
        )
        start = wrapped.new_initial_state()
        start._node = openspiel.Node(game, state, wrapped.horizon)
        return game.actions[search.step(start)]


@cache
def _wrapped(game: Any) -> openspiel.Game:
    return openspiel.wrap(game)


mcts_10, mcts_40, mcts_100 = Search(10), Search(40), Search(100)
