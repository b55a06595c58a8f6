"""Complete games per second of the kernels, beside dice games of OpenSpiel and Pgx.

    python3 run.py bench kernels
    python3 run.py bench kernels --seconds 3 --rounds 9 --json

Ours play the bot ``simple`` in every seat, the others play at random. OpenSpiel's pig and backgammon are
driven from Python, as in its examples; Pgx's backgammon plays a batch of games in one compiled loop, each
restarted when it ends. The games differ, so a ratio compares the waiting time of users, not the efficiency of
the rules. The goal is 690 000 games per second for three players, 985 000 for two, and 200 times pig; nothing
is asserted here.

``shared/rounds.py`` describes the method. The scaling over cores is measured separately, in wall time, as the
best of the rounds. run.py installs OpenSpiel and Pgx; without them their rows are missing.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import escadaria
from bench.shared.rounds import Candidate, Row, Work, measure, parse, parser, report, show
from escadaria.arena.batches import kernel
from escadaria.game import AnyGame

PIG = "OpenSpiel pig"
BATCH = 20_000
"""Games per call of a kernel."""
TIMES_RAPIDO = {"rapido": 1, "chain": 10}
"""The approximate duration of a game relative to Rapido."""


def main() -> None:
    """Measure, and print tables or JSON."""
    words = parser("Measure the kernels beside OpenSpiel and Pgx.")
    words.add_argument("--games", type=int, default=2_000_000, help="games of rapido in the scaling test")
    options = parse(words)
    measured = measure([*ours(), *open_spiel(), *pgx()], options)
    show(
        options,
        rows=report(measured, "games", {"times_pig": PIG}),
        scaling=list(scale(options.games, options.rounds)),
    )


def ours() -> Iterator[Candidate]:
    """Every game with a kernel."""
    for name in escadaria.GAMES:
        for players in (2, 3, 6):
            game = escadaria.load(name, players=players)
            if play := batches(game):
                yield Candidate(f"{name} simple", players, play)


def batches(game: AnyGame) -> Work | None:
    bots = ["simple"] * game.players
    play_batch = kernel(game, bots, BATCH)
    if not play_batch:
        return None

    def play(number: int) -> int:
        return len(play_batch(game, bots, number * BATCH, BATCH, 1)["winner"])

    return play


def open_spiel() -> Iterator[Candidate]:
    """Random play from Python, one game at a time."""
    try:
        import pyspiel
    except ImportError:
        return

    def player(name: str, roll: Callable[[random.Random, Any], int]) -> Work:
        game = pyspiel.load_game(name)

        def play(number: int) -> int:
            rng = random.Random(number)
            state: Any = game.new_initial_state()
            while (seat := state.current_player()) != pyspiel.PlayerId.TERMINAL:
                if seat == pyspiel.PlayerId.CHANCE:
                    state.apply_action(roll(rng, state.chance_outcomes()))
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
            return 1

        return play

    def uniform(rng: random.Random, outcomes: Any) -> int:
        return int(rng.choice(outcomes)[0])

    def weighted(rng: random.Random, outcomes: Any) -> int:
        faces, chances = zip(*outcomes, strict=True)
        return int(rng.choices(faces, chances)[0])

    yield Candidate(PIG, 2, player("pig", uniform))  # faster than weighted; its faces are equally likely
    yield Candidate("OpenSpiel backgammon", 2, player("backgammon", weighted))


def pgx(games: int = 1024, steps: int = 256) -> Iterator[Candidate]:
    """Random play of a batch of games. A call makes ``steps`` steps in each and counts games that end."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        import jax
        import pgx
    except ImportError:
        return
    env = pgx.make("backgammon")
    numpy = jax.numpy

    def step(state: Any, key: Any) -> tuple[Any, Any]:
        """One random step in one game; a finished game restarts."""
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
    for number in range(4):  # so that the games are in different phases
        states, _ = run(states, jax.random.key(number))

    def play(number: int) -> int:
        nonlocal states
        states, ended = run(states, jax.random.key(number))
        return int(ended)

    yield Candidate("Pgx backgammon", 2, play)


def scale(most: int, rounds: int) -> Iterator[Row]:
    """``escadaria.simulate`` of each game for three players, with one worker up to one per core."""
    cores = os.cpu_count() or 1
    numbers = sorted({1, cores, *(2**power for power in range(8) if 2**power < cores)})
    for name, times in TIMES_RAPIDO.items():
        game, games, best = escadaria.load(name, players=3), most // times, dict.fromkeys(numbers, 0.0)
        for _ in range(rounds):
            for workers in numbers:
                start = time.perf_counter()
                escadaria.simulate(game, "simple", games, seed=1, workers=workers)
                best[workers] = max(best[workers], games / (time.perf_counter() - start))
        for workers, speed in best.items():
            yield {
                "name": f"{name} simple", "players": 3, "workers": workers, "games_per_second": speed,
                "times_one": speed / best[1],
            }  # fmt: skip


if __name__ == "__main__":
    main()
