"""Steps per second of the environments, beside those of other libraries.

    python3 run.py bench env
    python3 run.py bench env --seconds 3 --rounds 9 --json

A step is one random legal action with the next observation, mask and reward. Ours are
``escadaria.compute.batch`` and the PettingZoo adapter. The peers are PettingZoo's ``connect_four``, RLCard's
``leduc-holdem`` and Pgx's backgammon, whose batch runs in one compiled loop. The goal is 100 times PettingZoo
and 10 times Pgx's backgammon; nothing is asserted here.

``shared/rounds.py`` describes the method. run.py installs the peers; without them their rows are missing.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import escadaria
from bench.shared.rounds import Candidate, Work, measure, parse, parser, report, show
from escadaria.compute.batch import Batch

PETTINGZOO = "PettingZoo connect_four"
PGX = "Pgx backgammon"
GAMES = 4096
"""The number of games of a batch."""


def main() -> None:
    """Measure, and print a table or JSON."""
    options = parse(parser("Measure environments beside those of other libraries."))
    measured = measure([*batches(), *pettingzoo(), *rlcard(), *pgx()], options)
    show(options, rows=report(measured, "steps", {"times_pettingzoo": PETTINGZOO, "times_pgx": PGX}))


def batches() -> Iterator[Candidate]:
    """Our batches of games."""
    for game in escadaria.GAMES:
        for players in (2, 3, 6):
            yield Candidate(f"escadaria batch, {game}", players, stepping(game, players))


def stepping(game: str, players: int) -> Work:
    batch = Batch(escadaria.load(game, players=players), GAMES, seed=1, copy=False)

    def take(number: int) -> int:
        batch.step(batch.sample())
        return GAMES

    return take


def pettingzoo() -> Iterator[Candidate]:
    """Our adapter and PettingZoo's game in the same loop, one game at a time."""
    try:
        from escadaria.adapters import pettingzoo as ours
    except ImportError:
        return
    yield Candidate("escadaria in PettingZoo, rapido", 3, iterating(ours.env("rapido", players=3)))
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return
    yield Candidate(PETTINGZOO, 2, iterating(connect_four_v3.env()))


def iterating(env: Any) -> Work:
    def take(number: int) -> int:
        env.reset(seed=number)
        steps = 0
        for agent in env.agent_iter():
            seen, _, terminated, truncated, info = env.last()
            action = None
            if not (terminated or truncated):
                mask = seen["action_mask"] if isinstance(seen, dict) else info["action_mask"]
                action = env.action_space(agent).sample(mask)
                steps += 1
            env.step(action)
        return steps

    return take


def rlcard() -> Iterator[Candidate]:
    """RLCard's smallest game, one deal at a time."""
    try:
        import rlcard
    except ImportError:
        return
    env = rlcard.make("leduc-holdem", config={"seed": 1})

    def take(number: int) -> int:
        rng = random.Random(number)  # importing RLCard's own agents needs pip
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            steps += 1
        env.get_payoffs()
        return steps

    yield Candidate("RLCard leduc-holdem", env.num_players, take)


def pgx(games: int = 1024, steps: int = 32) -> Iterator[Candidate]:
    """Random play of a batch of games; a call makes ``steps`` steps in each."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        import jax
        import pgx
        from pgx.experimental import auto_reset
    except ImportError:
        return
    env = pgx.make("backgammon")
    resetting = auto_reset(env.step, env.init)
    numpy = jax.numpy

    def step(state: Any, key: Any) -> Any:
        choosing, rolling = jax.random.split(key)
        chances = numpy.where(state.legal_action_mask, 0.0, -numpy.inf)
        return resetting(state, jax.random.categorical(choosing, chances), rolling)

    def run_all(states: Any, key: Any) -> Any:
        def all_step(states: Any, key: Any) -> tuple[Any, Any]:
            states = jax.vmap(step)(states, jax.random.split(key, games))
            return states, (states.observation.sum(), states.rewards.sum())  # so that JAX computes them

        return jax.lax.scan(all_step, states, jax.random.split(key, steps))

    run = jax.jit(run_all)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))

    def take(number: int) -> int:
        nonlocal states
        states, sums = run(states, jax.random.key(number))
        sums[0].block_until_ready()
        return games * steps

    yield Candidate(PGX, 2, take)


if __name__ == "__main__":
    main()
