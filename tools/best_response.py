"""The gain of the best response against masters of Rapido: see docs/solution.md.

    python3 run.py tool best_response --finish 7              # some minutes, 1 GB
    python3 run.py tool best_response --finish 5 --others regular --json
    python3 run.py tool best_response --players 2 --finish 5

The other seats are a bot without noise; the last one is the same bot, the master and the best response. All
win probabilities are between proven bounds that are at most ``--gap`` apart. With two players the bot is the
master: by the exact solution if the cache folder has it, to which the best response wins what it says.
"""

from __future__ import annotations

import argparse
import json
import os
from math import log
from typing import Any

import psutil
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from research import best_response
from research.best_response import Decisions

SEATS = ("first", "second", "third")
BEST = "best response"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how exploitable a bot of Rapido is.")
    parser.add_argument("--players", type=int, choices=(2, 3), default=3)
    parser.add_argument("--finish", type=int, default=5, help="steps of the race")
    parser.add_argument(
        "--others", choices=best_response.BOTS, default="master", help="the bot of the others"
    )
    parser.add_argument("--gap", type=float, default=best_response.GAP, help="largest gap of the bounds")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.players == 2 and options.others != "master":
        parser.error("with two players --others is master")
    needed, free = best_response.memory(options.finish, options.players), psutil.virtual_memory().available
    if needed > free:
        raise SystemExit(f"this needs {needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free")
    found = shares(options)
    print(json.dumps(data(options, found), indent=2)) if options.json else show(options, found)


def shares(options: argparse.Namespace) -> dict[str, list[tuple[float, float]]]:
    """By player of the last seat: bounds of its win probability, by when it plays."""
    columns = TextColumn("{task.description:>14}"), BarColumn(), TextColumn("{task.fields[status]}")
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bars:
        decisions: dict[str, Decisions | None] = {}
        for bot in dict.fromkeys((options.others, "master")):
            task = bars.add_task(f"policy of {bot}", total=None, status="")
            decisions[bot] = best_response.decisions_of(bot, options.finish, options.players)
            bars.update(task, total=1, completed=1)
        others = decisions[options.others]
        assert others is not None
        found = {}
        for hero, chosen in (decisions | {BEST: None}).items():
            task = bars.add_task(hero, total=-log(options.gap), status="")

            def update(rounds: int, gap: float, task: Any = task) -> None:
                bars.update(task, completed=-log(gap), status=f"round {rounds}, gap {gap:.1e}")

            proven = best_response.prove(
                options.finish, others, chosen, gap=options.gap, threads=options.threads, progress=update
            )
            found[hero] = [proven.of_seat(seat) for seat in range(options.players)]
            del proven  # free its memory before the next one
    return found


def data(options: argparse.Namespace, found: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    about = {name: getattr(options, name) for name in ("players", "finish", "others", "gap")}
    return about | {"shares": found}


def show(options: argparse.Namespace, found: dict[str, list[tuple[float, float]]]) -> None:
    race = f"Rapido for {options.players} to step {options.finish}"
    table = Table(title=f"{race}, the others {options.others}: % of games won")
    table.add_column("to play")
    for hero in found:
        table.add_column(hero, justify="right")
    table.add_column("gain", justify="right")
    for seat, name in enumerate(SEATS[: options.players]):
        middles = [100 * sum(bounds[seat]) / 2 for bounds in found.values()]
        table.add_row(name, *(f"{share:.3f}" for share in middles), f"{middles[-1] - middles[0]:+.3f}")
    Console().print(table)
    print(f"Bounds are at most {options.gap:.0e} apart: shares are exact to {50 * options.gap:.4f} points.")


if __name__ == "__main__":
    main()
