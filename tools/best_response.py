"""How much is to be gained against two masters of Rapido, by playing as well as can be: docs/solution.md.

    python3 run.py tool best_response --finish 7              # some minutes, 1 GB
    python3 run.py tool best_response --finish 5 --others regular --json

Two seats play by a bot without noise, the third by the same bot, by the master and by the best response.
All shares are proven: they lie between bounds that are at most ``--gap`` apart.
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
    parser = argparse.ArgumentParser(description="How exploitable a bot of Rapido for three is.")
    parser.add_argument("--finish", type=int, default=5, help="steps of the race")
    parser.add_argument("--others", choices=best_response.BOTS, default="master", help="who has two seats")
    parser.add_argument("--gap", type=float, default=best_response.GAP, help="between the bounds")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true")
    wish = parser.parse_args()
    needed, free = best_response.memory(wish.finish), psutil.virtual_memory().available
    if needed > free:
        raise SystemExit(f"this needs {needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free")
    found = shares(wish)
    print(json.dumps(told(wish, found), indent=2)) if wish.json else show(wish, found)


def shares(wish: argparse.Namespace) -> dict[str, list[tuple[float, float]]]:
    """Who has the third seat: bounds of how often it wins, as the first, second and third to play."""
    columns = TextColumn("{task.description:>14}"), BarColumn(), TextColumn("{task.fields[news]}")
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bars:
        decisions: dict[str, Decisions | None] = {}
        for bot in dict.fromkeys((wish.others, "master")):
            task = bars.add_task(f"asking {bot}", total=None, news="")
            decisions[bot] = best_response.decisions_of(bot, wish.finish)
            bars.update(task, total=1, completed=1)
        others = decisions[wish.others]
        assert others is not None
        found = {}
        for hero, chosen in (decisions | {BEST: None}).items():
            task = bars.add_task(hero, total=-log(wish.gap), news="")

            def tell(rounds: int, gap: float, task: Any = task) -> None:
                bars.update(task, completed=-log(gap), news=f"round {rounds}, gap {gap:.1e}")

            proven = best_response.prove(
                wish.finish, others, chosen, gap=wish.gap, threads=wish.threads, progress=tell
            )
            found[hero] = [proven.of_seat(seat) for seat in range(len(SEATS))]
            del proven  # before the next one is made
    return found


def told(wish: argparse.Namespace, found: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    return {"finish": wish.finish, "others": wish.others, "gap": wish.gap, "shares": found}


def show(wish: argparse.Namespace, found: dict[str, list[tuple[float, float]]]) -> None:
    table = Table(title=f"Rapido for three to step {wish.finish}, among two of {wish.others}: % of games won")
    table.add_column("to play")
    for hero in found:
        table.add_column(hero, justify="right")
    table.add_column("gain", justify="right")
    for seat, name in enumerate(SEATS):
        middles = [100 * sum(bounds[seat]) / 2 for bounds in found.values()]
        table.add_row(name, *(f"{share:.3f}" for share in middles), f"{middles[-1] - middles[0]:+.3f}")
    Console().print(table)
    print(f"Bounds are at most {wish.gap:.0e} apart: shares are true to {50 * wish.gap:.4f} points.")


if __name__ == "__main__":
    main()
