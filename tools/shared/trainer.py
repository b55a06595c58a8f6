"""Shared by ``train_rapido`` and ``train_chain``: options, progress, logs and results.

The network is saved every minute, so training may be interrupted.
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
"""Trains with these options, starting from a shipped network if one is given."""


def run(
    game: str,
    teach: Teach,
    figures: Callable[[int, int], dict[str, Any]],
    *,
    positions: int,
    rate: float,
    games: int,
) -> int:
    """Run the command line; ``positions``, ``rate`` and ``games`` are its defaults.

    :param figures: measures the strength of the shipped values, by players and number of games.
    """
    parser = argparse.ArgumentParser(description=f"Train the shipped values of {game}.")
    parser.add_argument("players", type=int, choices=range(2, 7))
    parser.add_argument("--positions", type=int, default=positions, help="number of training positions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=rate, help="learning rate")
    parser.add_argument("--go-on", action="store_true", help="start from the shipped values")
    parser.add_argument("--measure", action="store_true", help="only measure, do not train")
    parser.add_argument("--games", type=int, default=games, help="number of games to measure with")
    options = parser.parse_args()
    file = GAMES / game / "data" / f"values-{options.players}"
    if not options.measure:
        _train(options, game, file, teach)
    about = json.loads(file.with_suffix(".json").read_text("utf-8"))
    about["figures"] = figures(options.players, options.games)
    _note(file, about)
    print(json.dumps(about, indent=2))
    return 0


def _train(options: argparse.Namespace, game: str, file: Path, teach: Teach) -> None:
    began, reported = time.monotonic(), [0.0]
    package = f"escadaria.games.{game}"
    shipped = values.load(package, options.players) if options.go_on else None
    before = values.provenance(package, options.players)["commands"] if shipped else []
    LOGS.mkdir(parents=True, exist_ok=True)
    about: dict[str, Any] = {
        "commands": [*before, f"python3 run.py tool train_{game} {' '.join(sys.argv[1:])}"],
        "network": {"rows": "int8", "widths": list(values.WIDTHS)},
    }
    with (LOGS / f"{game}-{options.players}.log").open("a" if shipped else "w", encoding="utf-8") as log:
        print(f"# {about['commands'][-1]}", file=log, flush=True)

        def report(progress: Progress, net: Weights) -> None:
            spent = time.monotonic() - began
            if spent - reported[0] < EVERY and progress.done < 1:
                return
            reported[0] = spent
            left = spent / progress.done - spent if progress.done else float("inf")
            line = f"{progress.done:6.1%}  {progress.positions:>10,} positions  error {progress.error:.5f}"
            print(line, file=log, flush=True)
            print(f"{line}  {left:5.0f} s left", file=sys.stderr, flush=True)
            rounded(net).save(file.with_suffix(".npz"))
            _note(file, {**about, "positions": progress.positions, "error": round(progress.error, 5)})

        teach(options, shipped, report)


def _note(file: Path, about: dict[str, Any]) -> None:
    file.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")
