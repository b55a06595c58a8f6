"""OpenSpiel's Monte Carlo tree search plays against our bot ``simple``.

    python examples/openspiel_mcts.py --game rapido --players 2 --games 20 --simulations 100

The search uses only the rules: it evaluates positions by random rollouts to the end of the match. Its seat
rotates from match to match.
"""

from __future__ import annotations

import argparse
import random

import numpy as np
from open_spiel.python.algorithms import mcts

import escadaria
from escadaria import bots
from escadaria.adapters import openspiel
from escadaria.arena.simulation import Share
from escadaria.game import CHANCE, TERMINAL


def play(game: openspiel.Game, seat: int, simulations: int, seed: int) -> bool:
    """Play one match of the search in this seat against ``simple``; return whether the search won."""
    rng = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    search = mcts.MCTSBot(game, uct_c=1.4, max_simulations=simulations, evaluator=evaluator, random_state=rng)
    simple = bots.load("simple", game.rules, random.Random(seed))
    state = game.new_initial_state()
    while (player := state.current_player()) != TERMINAL:
        if player == CHANCE:
            numbers, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(numbers, p=chances)))
        elif player == seat:
            state.apply_action(search.step(state))
        else:
            state.apply_action(game.rules.actions.index(simple(game.rules, state.position)))
    return bool(state.returns()[seat] > 0)


def main() -> None:
    parser = argparse.ArgumentParser(description="OpenSpiel's Monte Carlo tree search plays against simple.")
    parser.add_argument("--game", choices=escadaria.GAMES, default="rapido")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--simulations", type=int, default=100, help="simulations per decision")
    options = parser.parse_args()
    game = openspiel.wrap(escadaria.load(options.game, players=options.players))
    wins = 0
    for number in range(options.games):
        wins += play(game, number % options.players, options.simulations, seed=number)
        print(f"match {number + 1}: {wins} won so far", flush=True)
    low, high = Share("mcts", 1, wins, options.games).interval
    share, fair = wins / options.games, 1 / options.players
    print(f"MCTS won {share:.0%} of the matches ({low:.0%} to {high:.0%}); a fair share is {fair:.0%}")


if __name__ == "__main__":
    main()
