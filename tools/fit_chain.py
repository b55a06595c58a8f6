"""Fit what Chain's planner takes prospects by to the exact solutions in the cache folder: prints the weights.

The positions are turn starts of games for two on the boards that are solved, played well but for some
decisions by chance. See ``docs/training/chain.md``.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

import numpy as np

from escadaria import solutions
from escadaria.bots import chain as bots
from escadaria.bots import load
from escadaria.chain import Chain, Phase, State

CARELESS = 0.15
"""The part of all decisions that are made by chance."""
RIDGE = 1.0
SWEEPS = 30


def turn_starts(game: Chain, games: int, rng: random.Random) -> Iterator[State]:
    players = load("simple", game), load("regular", game), bots.Master(bots.Planner(game), "")
    for _ in range(games):
        seated = [rng.choice(players) for _ in range(2)]
        state = game.initial_state()
        while game.outcome(state) is None:
            if state.phase is Phase.KEEP:
                yield state
            if outcomes := game.chance_outcomes(state):
                action = rng.choice(outcomes)[0]
            elif rng.random() < CARELESS:
                action = rng.choice(game.legal_actions(state))
            else:
                action = seated[state.turn](game, state)
            state = game.apply(state, action)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=300, help="games on each board")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    rows, exact = [], []
    for board in ("default", "short"):
        game = Chain(players=2, board=board)
        solution = solutions.open_solution(game)
        for state in turn_starts(game, arguments.games, rng):
            waits = 1 - state.turn
            if not game.free_discs(state, waits):
                continue  # the planner asks no weights there (C6)
            own, other = (np.array(bots.features(game, state, seat)) for seat in (waits, state.turn))
            rows.append(np.append(own - other, -1.0))
            exact.append(1.0 - solution.value(state))
    differences, target = np.array(rows), np.array(exact)
    weights = np.zeros(differences.shape[1])
    for _ in range(SWEEPS):
        seen = 1.0 / (1.0 + np.exp(-differences @ weights))
        slope = differences * (seen * (1.0 - seen))[:, None]
        away = slope.T @ (target - seen) - RIDGE * 1e-2 * weights
        weights += np.linalg.solve(slope.T @ slope + RIDGE * np.eye(len(weights)), away)
    seen = 1.0 / (1.0 + np.exp(-differences @ weights))
    print(f"WEIGHTS = {tuple(round(float(weight), 3) for weight in weights[:-1])}")
    print(f"TEMPO = {weights[-1]:.3f}")
    error = np.sqrt(np.mean((target - seen) ** 2))
    print(f"root mean square error {error:.4f} of {np.std(target):.4f}, {len(target)} positions")


if __name__ == "__main__":
    main()
