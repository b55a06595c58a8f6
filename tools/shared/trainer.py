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

from escadaria import network as values
from escadaria.compute.network import Weights
from escadaria.network import Network
from research.learning import Progress, Report, rounded

ROOT = Path(__file__).parents[2]
GAMES, LOGS = ROOT / "src" / "escadaria" / "games", ROOT / "docs" / "training"
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
    file = GAMES / game / "data" / f"values-{wish.players}"
    if not wish.measure:
        _train(wish, game, file, teach)
    told = json.loads(file.with_suffix(".json").read_text("utf-8"))
    told["figures"] = figures(wish.players, wish.games)
    _note(file, told)
    print(json.dumps(told, indent=2))
    return 0


def _train(wish: argparse.Namespace, game: str, file: Path, teach: Teach) -> None:
    began, said = time.monotonic(), [0.0]
    package = f"escadaria.games.{game}"
    shipped = values.load(package, wish.players) if wish.go_on else None
    before = values.provenance(package, wish.players)["commands"] if shipped else []
    LOGS.mkdir(parents=True, exist_ok=True)
    told: dict[str, Any] = {
        "commands": [*before, f"python3 run.py tool train_{game} {' '.join(sys.argv[1:])}"],
        "network": {"rows": "int8", "widths": list(values.WIDTHS)},
    }
    with (LOGS / f"{game}-{wish.players}.log").open("a" if shipped else "w", encoding="utf-8") as log:
        print(f"# {told['commands'][-1]}", file=log, flush=True)

        def report(progress: Progress, net: Weights) -> None:
            spent = time.monotonic() - began
            if spent - said[0] < EVERY and progress.done < 1:
                return
            said[0] = spent
            left = spent / progress.done - spent if progress.done else float("inf")
            line = f"{progress.done:6.1%}  {progress.positions:>10,} positions  error {progress.error:.5f}"
            print(line, file=log, flush=True)
            print(f"{line}  {left:5.0f} s left", file=sys.stderr, flush=True)
            rounded(net).save(file.with_suffix(".npz"))
            _note(file, {**told, "positions": progress.positions, "error": round(progress.error, 5)})

        teach(wish, shipped, report)


def _note(file: Path, told: dict[str, Any]) -> None:
    file.with_suffix(".json").write_text(json.dumps(told, indent=2) + "\n", "utf-8")
