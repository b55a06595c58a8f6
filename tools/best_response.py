"""The gain of the best response against two masters of Rapido: see docs/solution.md.

    python3 run.py tool best_response --finish 7              # some minutes, 1 GB
    python3 run.py tool best_response --finish 5 --others regular --json

Two seats are a bot without noise; the third is the same bot, the master and the best response. All win
probabilities are between proven bounds that are at most ``--gap`` apart.
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
    parser = argparse.ArgumentParser(description="Measure how exploitable a bot of three-player Rapido is.")
    parser.add_argument("--finish", type=int, default=5, help="steps of the race")
    parser.add_argument("--others", choices=best_response.BOTS, default="master", help="the bot of two seats")
    parser.add_argument("--gap", type=float, default=best_response.GAP, help="largest gap of the bounds")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    needed, free = best_response.memory(options.finish), psutil.virtual_memory().available
    if needed > free:
        raise SystemExit(f"this needs {needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free")
    found = shares(options)
    print(json.dumps(data(options, found), indent=2)) if options.json else show(options, found)


def shares(options: argparse.Namespace) -> dict[str, list[tuple[float, float]]]:
    """By player of the third seat: bounds of its win probability, as the first, second and third to play."""
    columns = TextColumn("{task.description:>14}"), BarColumn(), TextColumn("{task.fields[status]}")
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bars:
        decisions: dict[str, Decisions | None] = {}
        for bot in dict.fromkeys((options.others, "master")):
            task = bars.add_task(f"policy of {bot}", total=None, status="")
            decisions[bot] = best_response.decisions_of(bot, options.finish)
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
            found[hero] = [proven.of_seat(seat) for seat in range(len(SEATS))]
            del proven  # free its memory before the next one
    return found


def data(options: argparse.Namespace, found: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    return {"finish": options.finish, "others": options.others, "gap": options.gap, "shares": found}


def show(options: argparse.Namespace, found: dict[str, list[tuple[float, float]]]) -> None:
    table = Table(
        title=f"Rapido for three to step {options.finish}, among two of {options.others}: % of games won"
    )
    table.add_column("to play")
    for hero in found:
        table.add_column(hero, justify="right")
    table.add_column("gain", justify="right")
    for seat, name in enumerate(SEATS):
        middles = [100 * sum(bounds[seat]) / 2 for bounds in found.values()]
        table.add_row(name, *(f"{share:.3f}" for share in middles), f"{middles[-1] - middles[0]:+.3f}")
    Console().print(table)
    print(f"Bounds are at most {options.gap:.0e} apart: shares are exact to {50 * options.gap:.4f} points.")


if __name__ == "__main__":
    main()
