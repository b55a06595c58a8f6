"""What ``train_rapido`` and ``train_chain`` have in common: wishes, progress, and what is written down.

What was learned so far is written every minute, so training may be stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from escadaria import values
from escadaria.lab.learning import Progress, Report, rounded
from escadaria.lab.rapido_values import Model
from escadaria.values import Network

ROOT = Path(__file__).parents[2]
VALUES, LOGS = ROOT / "src" / "escadaria" / "values", ROOT / "docs" / "training"
EVERY = 60.0

Teach = Callable[[argparse.Namespace, Network | None, Report], object]
"""What trains as wished, maybe from a network that ships."""


def run(
    game: str,
    teach: Teach,
    figures: Callable[[int, int], dict[str, Any]],
    *,
    positions: int,
    rate: float,
    games: int,
) -> int:
    """Do what the command line says; the numbers are what is done if it says nothing.

    :param figures: by players and games: how well what ships plays.
    """
    parser = argparse.ArgumentParser(description=f"Train the values that ship for {game}.")
    parser.add_argument("players", type=int, choices=range(2, 7))
    parser.add_argument("--positions", type=int, default=positions, help="how many to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=rate, help="how fast to learn")
    parser.add_argument("--go-on", action="store_true", help="start from the values that ship")
    parser.add_argument("--measure", action="store_true", help="do not train")
    parser.add_argument("--games", type=int, default=games, help="how many to measure by")
    wish = parser.parse_args()
    name = f"{game}-{wish.players}"
    if not wish.measure:
        _train(wish, game, name, teach)
    told = json.loads((VALUES / f"{name}.json").read_text("utf-8"))
    told["figures"] = figures(wish.players, wish.games)
    _note(name, told)
    print(json.dumps(told, indent=2))
    return 0


def _train(wish: argparse.Namespace, game: str, name: str, teach: Teach) -> None:
    began, said = time.monotonic(), [0.0]
    shipped = values.load(name) if wish.go_on else None
    before = values.provenance(name)["commands"] if shipped else []
    LOGS.mkdir(parents=True, exist_ok=True)
    told: dict[str, Any] = {
        "commands": [*before, f"python3 run.py tool train_{game} {' '.join(sys.argv[1:])}"],
        "network": {"rows": "int8", "widths": list(values.WIDTHS)},
    }
    with (LOGS / f"{name}.log").open("a" if shipped else "w", encoding="utf-8") as log:
        print(f"# {told['commands'][-1]}", file=log, flush=True)

        def report(progress: Progress, net: Model) -> None:
            spent = time.monotonic() - began
            if spent - said[0] < EVERY and progress.done < 1:
                return
            said[0] = spent
            left = spent / progress.done - spent if progress.done else float("inf")
            line = f"{progress.done:6.1%}  {progress.positions:>10,} positions  error {progress.error:.5f}"
            print(line, file=log, flush=True)
            print(f"{line}  {left:5.0f} s left", file=sys.stderr, flush=True)
            rounded(net).save(VALUES / f"{name}.npz")
            _note(name, {**told, "positions": progress.positions, "error": round(progress.error, 5)})

        teach(wish, shipped, report)


def _note(name: str, told: dict[str, Any]) -> None:
    (VALUES / f"{name}.json").write_text(json.dumps(told, indent=2) + "\n", "utf-8")
