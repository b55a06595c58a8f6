"""The decision time and the loading time of bots.

    python3 run.py bench decisions
    python3 run.py bench decisions --decisions 2000 --json

Every level plays against itself, and each of its decisions is timed, in wall time (which on a busy machine
includes other programs) and in CPU time. The loading time of the first bot of a game includes imports and
tables. The column "plays by" is the bot's source. The goal is 20 ms for the 99th percentile of a decision,
one second for that of a grandmaster, and one second for loading; nothing is asserted here.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import escadaria
from bench.shared.rounds import Row, machine, print_table
from escadaria.bots import load, names
from escadaria.catalogue import KITS
from escadaria.game import AnyGame, play_out


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Measure the decision time of bots.")
    parser.add_argument("--decisions", type=int, default=500, help="decisions of each bot (500)")
    parser.add_argument(
        "--players", type=int, nargs="*", default=[2, 3, 6], help="numbers of players (2 3 6)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    rows = [
        measure(escadaria.load(game, players=players), level, options.decisions)
        for game, kit in KITS.items()
        for players in options.players
        for level in names(kit)
        if level not in ("random", "simple")
    ]
    if options.json:
        print(json.dumps({"machine": machine(), "rows": rows}, indent=2))
    else:
        print(", ".join(f"{name} {what}" for name, what in machine().items()))
        print_table(rows)


def measure(game: AnyGame, level: str, wanted: int) -> Row:
    """Time decisions of one bot in all seats, in as many games as necessary."""
    rng, times, busy = random.Random(1), list[float](), list[float]()
    began = time.perf_counter()
    bot = load(level, game, rng)
    loading = time.perf_counter() - began

    def decide(state: object) -> object:
        start, work = time.perf_counter(), time.process_time()
        action = bot(game, state)
        times.append(time.perf_counter() - start)
        busy.append(time.process_time() - work)
        return action

    def roll(state: object) -> object:
        return rng.choice(game.chance_outcomes(state))[0]

    while len(times) < wanted:
        for _ in play_out(game, game.initial_state(), decide, roll):
            if len(times) >= wanted:
                break
    return {
        "bot": f"{game.name} {level}",
        "players": game.players,
        "plays_by": getattr(bot, "source", "heuristics"),
        "loading_ms": 1e3 * loading,
        "p50_ms": 1e3 * float(np.quantile(times, 0.5)),
        "p99_ms": 1e3 * float(np.quantile(times, 0.99)),
        "p99_processor_ms": 1e3 * float(np.quantile(busy, 0.99)),
    }


if __name__ == "__main__":
    main()
