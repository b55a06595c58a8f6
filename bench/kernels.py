"""How many complete games a second do the kernels play, beside OpenSpiel's and Pgx's games of dice?

    python3 run.py bench kernels
    python3 run.py bench kernels --seconds 3 --rounds 9 --json

Ours play the bot ``simple`` on every seat, the others play at random: OpenSpiel's pig and backgammon are
driven from Python, as its examples do; Pgx's backgammon plays a batch of games in one compiled loop, each
begun anew when it ends. The games differ, so a ratio says what a user of either library waits for, and not
which rules are quicker to carry out. Issue 5 aims at 690 000 games a second for three players, 985 000 for
two, and 200 times pig; nothing is asserted here.

The candidates take turns for several rounds, so that a machine that slows down slows all of them down; the
median round counts, and the best one is told too. Seconds are those of the processor, summed over threads, so
this is speed per core. How much several cores bring is told apart, by the clock on the wall. Compiling comes
before the clock starts. OpenSpiel and Pgx are installed by run.py; without them their rows are missing.
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
from escadaria.game import AnyGame
from escadaria.lab.simulate import kernel

PIG = "OpenSpiel pig"
BATCH = 20_000
"""Our games in one call of a kernel."""

PlaySome = Callable[[int], int]
"""Plays some games, others for each number, and says how many."""


@dataclass
class Candidate:
    """One thing that is measured."""

    name: str
    players: int
    play: PlaySome = field(repr=False)
    speeds: list[float] = field(default_factory=list)
    """Games per second, by round."""

    def take_turn(self, seconds: float) -> None:
        games = number = 0
        start = time.process_time()
        while (passed := time.process_time() - start) < seconds or not games:
            games += self.play(number)
            number += 1
        self.speeds.append(games / passed)


@dataclass(frozen=True)
class Row:
    """What is told of a candidate."""

    name: str
    players: int
    games_per_second: float
    best: float
    ratio_to_pig: float | None


@dataclass(frozen=True)
class Scaling:
    """All the games there are to play, by so many workers."""

    workers: int
    games_per_second: float
    """By the clock on the wall, the best of the rounds."""


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Measure the kernels beside OpenSpiel and Pgx.")
    parser.add_argument("--rounds", type=int, default=5, help="how often each takes its turn (5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a turn lasts (1)")
    parser.add_argument("--games", type=int, default=2_000_000, help="how many games several cores share")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0 or options.games < 1:
        parser.error("--rounds and --games must be 1 or more, --seconds more than 0")
    candidates = [*ours(), *open_spiel(), *pgx()]
    for candidate in candidates:
        candidate.play(0)  # compiles
    for _ in range(options.rounds):
        for candidate in candidates:
            candidate.take_turn(options.seconds)
    rows = tell(candidates)
    scalings = scale(options.games, options.rounds)
    if options.json:
        told = {"machine": machine(), "rows": rows, "scaling": scalings}
        print(json.dumps(told, indent=2, default=asdict))
    else:
        print_tables(rows, scalings)


# The candidates.


def ours() -> Iterator[Candidate]:
    """Every game that has a kernel."""
    for name in escadaria.GAMES:
        for players in (2, 3, 6):
            game = escadaria.load(name, players=players)
            if play := batches(game):
                yield Candidate(f"{name} simple", players, play)


def batches(game: AnyGame) -> PlaySome | None:
    bots = ["simple"] * game.players
    play_batch = kernel(game, bots)
    if not play_batch:
        return None

    def play(number: int) -> int:
        return len(play_batch(game, bots, number * BATCH, BATCH, 1)["winner"])

    return play


def open_spiel() -> Iterator[Candidate]:
    """Random play from Python, a game at a time."""
    try:
        import pyspiel
    except ImportError:
        return

    def player(name: str, fall: Callable[[random.Random, Any], int]) -> PlaySome:
        game = pyspiel.load_game(name)

        def play(number: int) -> int:
            rng = random.Random(number)
            state: Any = game.new_initial_state()
            while (seat := state.current_player()) != pyspiel.PlayerId.TERMINAL:
                if seat == pyspiel.PlayerId.CHANCE:
                    state.apply_action(fall(rng, state.chance_outcomes()))
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
            return 1

        return play

    def evenly(rng: random.Random, outcomes: Any) -> int:
        return int(rng.choice(outcomes)[0])

    def by_chance(rng: random.Random, outcomes: Any) -> int:
        faces, chances = zip(*outcomes, strict=True)
        return int(rng.choices(faces, chances)[0])

    yield Candidate(PIG, 2, player("pig", evenly))  # the quicker way, for all its faces are equally likely
    yield Candidate("OpenSpiel backgammon", 2, player("backgammon", by_chance))


def pgx(games: int = 1024, steps: int = 256) -> Iterator[Candidate]:
    """Random play of so many games at once. A call makes so many steps in each and counts those that end."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        import jax
        import pgx
    except ImportError:
        return
    env = pgx.make("backgammon")
    numpy = jax.numpy

    def step(state: Any, key: Any) -> tuple[Any, Any]:
        """One random step in one game, or its new beginning."""
        choosing, rolling, beginning = jax.random.split(key, 3)
        chances = numpy.where(state.legal_action_mask, 0.0, -numpy.inf)
        after = env.step(state, jax.random.categorical(choosing, chances), rolling)
        ended = after.terminated | after.truncated
        fresh = env.init(beginning)
        return jax.tree.map(lambda new, old: numpy.where(ended, new, old), fresh, after), ended

    def run_all(states: Any, key: Any) -> tuple[Any, Any]:
        def all_step(states: Any, key: Any) -> tuple[Any, Any]:
            states, ended = jax.vmap(step)(states, jax.random.split(key, games))
            return states, ended.sum()

        states, ended = jax.lax.scan(all_step, states, jax.random.split(key, steps))
        return states, ended.sum()

    run = jax.jit(run_all)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))
    for number in range(4):  # so that the games are at different stages
        states, _ = run(states, jax.random.key(number))

    def play(number: int) -> int:
        nonlocal states
        states, ended = run(states, jax.random.key(number))
        return int(ended)

    yield Candidate("Pgx backgammon", 2, play)


def scale(games: int, rounds: int) -> list[Scaling]:
    """Three-player Rapido through ``escadaria.simulate``, by one worker up to one for each core."""
    game = escadaria.load("rapido")
    cores = os.cpu_count() or 1
    numbers = sorted({1, cores, *(2**power for power in range(8) if 2**power < cores)})
    best = dict.fromkeys(numbers, 0.0)
    for _ in range(rounds):
        for workers in numbers:
            start = time.perf_counter()
            escadaria.simulate(game, "simple", games, seed=1, workers=workers)
            best[workers] = max(best[workers], games / (time.perf_counter() - start))
    return [Scaling(workers, speed) for workers, speed in best.items()]


# What is told.


def tell(candidates: list[Candidate]) -> list[Row]:
    """The medians, each beside pig's."""
    pig = next((statistics.median(one.speeds) for one in candidates if one.name == PIG), None)
    return [
        Row(one.name, one.players, speed, max(one.speeds), speed / pig if pig else None)
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


def print_tables(rows: list[Row], scalings: list[Scaling]) -> None:
    """The rows for people."""
    told = machine()
    print(f"{told['python']}, {told['system']}, {told['cpus']} CPUs, load {told['load']}")
    print(f"{'game':<24}{'players':>8}{'games/s a core':>16}{'best':>14}{'times pig':>12}")
    for row in rows:
        ratio = f"{row.ratio_to_pig:,.3g}" if row.ratio_to_pig is not None else "-"
        speeds = f"{row.games_per_second:>16,.1f}{row.best:>14,.1f}"
        print(f"{row.name:<24}{row.players:>8}{speeds}{ratio:>12}")
    print("escadaria.simulate, rapido for three, by the clock on the wall:")
    for scaling in scalings:
        times = scaling.games_per_second / scalings[0].games_per_second
        print(
            f"{scaling.workers:>8} workers{scaling.games_per_second:>14,.0f} games/s{times:>8.2f} times one"
        )


if __name__ == "__main__":
    main()
