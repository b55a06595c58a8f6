"""How many steps a second can an agent learn from, beside the environments of others?

    python3 run.py bench env
    python3 run.py bench env --seconds 3 --rounds 9 --json

A step is one decision, taken at random among the legal ones, with the observation, the mask and the reward
that follow. Ours are ``escadaria.lab.batch`` and the PettingZoo adapter; beside them PettingZoo's own
``connect_four``, RLCard's ``leduc-holdem`` and Pgx's backgammon, whose batch runs in one compiled loop. Issue
6 aims at 100 times the PettingZoo path and 10 times Pgx's backgammon; nothing is asserted here.

The candidates take turns for several rounds, so that a machine that slows down slows all of them down; the
median round counts, and the best one is told too. Seconds are those of the processor, summed over threads, so
this is speed per core. Compiling comes before the clock starts. The peers are installed by run.py; without
them their rows are missing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import escadaria
from escadaria.lab.batch import Batch

PETTINGZOO = "PettingZoo connect_four"
PGX = "Pgx backgammon"
GAMES = 4096
"""How many games a batch has."""

TakeSteps = Callable[[int], int]
"""Takes some steps, others for each number, and says how many."""


@dataclass
class Candidate:
    """One thing that is measured."""

    name: str
    players: int
    take: TakeSteps = field(repr=False)
    speeds: list[float] = field(default_factory=list)
    """Steps per second, by round."""

    def take_turn(self, seconds: float) -> None:
        steps = number = 0
        start = time.process_time()
        while (passed := time.process_time() - start) < seconds or not steps:
            steps += self.take(number)
            number += 1
        self.speeds.append(steps / passed)


@dataclass(frozen=True)
class Row:
    """What is told of a candidate."""

    name: str
    players: int
    steps_per_second: float
    best: float
    times_pettingzoo: float | None
    times_pgx: float | None


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Measure environments beside those of others.")
    parser.add_argument("--rounds", type=int, default=5, help="how often each takes its turn (5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a turn lasts (1)")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds must be 1 or more, --seconds more than 0")
    candidates = [*batches(), *pettingzoo(), *rlcard(), *pgx()]
    for candidate in candidates:
        candidate.take(0)  # compiles
    for _ in range(options.rounds):
        for candidate in candidates:
            candidate.take_turn(options.seconds)
    rows = tell(candidates)
    if options.json:
        print(json.dumps({"machine": machine(), "rows": rows}, indent=2, default=asdict))
    else:
        print_table(rows)


# The candidates.


def batches() -> Iterator[Candidate]:
    """Ours, many games at once."""
    for players in (2, 3, 6):
        yield Candidate("escadaria batch, rapido", players, stepping(players))


def stepping(players: int) -> TakeSteps:
    batch = Batch(escadaria.load("rapido", players=players), GAMES, seed=1)

    def take(number: int) -> int:
        batch.step(batch.sample())
        return GAMES

    return take


def pettingzoo() -> Iterator[Candidate]:
    """Ours and theirs by the same loop, a game at a time."""
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


def iterating(env: Any) -> TakeSteps:
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
    """RLCard's smallest game, a deal at a time."""
    try:
        import rlcard
    except ImportError:
        return
    env = rlcard.make("leduc-holdem", config={"seed": 1})

    def take(number: int) -> int:
        rng = random.Random(number)  # its own agents ask for pip when they are imported
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            steps += 1
        env.get_payoffs()
        return steps

    yield Candidate("RLCard leduc-holdem", env.num_players, take)


def pgx(games: int = 1024, steps: int = 32) -> Iterator[Candidate]:
    """Random play of so many games at once; a call makes so many steps in each."""
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
            return states, (states.observation.sum(), states.rewards.sum())  # or they would not be made

        return jax.lax.scan(all_step, states, jax.random.split(key, steps))

    run = jax.jit(run_all)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))

    def take(number: int) -> int:
        nonlocal states
        states, told = run(states, jax.random.key(number))
        jax.block_until_ready(told)
        return games * steps

    yield Candidate(PGX, 2, take)


# What is told.


def tell(candidates: list[Candidate]) -> list[Row]:
    """The medians, each beside those of PettingZoo and Pgx."""
    speeds = {one.name: statistics.median(one.speeds) for one in candidates}
    theirs, pgx_s = speeds.get(PETTINGZOO), speeds.get(PGX)
    return [
        Row(
            one.name,
            one.players,
            speed,
            max(one.speeds),
            speed / theirs if theirs else None,
            speed / pgx_s if pgx_s else None,
        )
        for one in candidates
        for speed in [statistics.median(one.speeds)]
    ]


def machine() -> dict[str, str | int | None]:
    """What it was measured on."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else None,
    }


def print_table(rows: list[Row]) -> None:
    """The rows for people."""
    told = machine()
    print(f"{told['python']}, {told['system']}, {told['cpus']} CPUs, load {told['load']}")
    print(
        f"{'environment':<34}{'players':>8}{'steps/s a core':>16}{'best':>14}{'x PettingZoo':>14}{'x Pgx':>8}"
    )
    for row in rows:
        ratios = (
            "-" if ratio is None else f"{ratio:,.3g}" for ratio in (row.times_pettingzoo, row.times_pgx)
        )
        told_ratios = "".join(f"{ratio:>{width}}" for ratio, width in zip(ratios, (14, 8), strict=True))
        print(f"{row.name:<34}{row.players:>8}{row.steps_per_second:>16,.0f}{row.best:>14,.0f}{told_ratios}")


if __name__ == "__main__":
    main()
