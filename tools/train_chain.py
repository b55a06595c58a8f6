"""Train the values that ship for Chain, and measure them.

    python3 run.py tool train_chain 4 --positions 300000 --seed 1
    python3 run.py tool train_chain 6 --go-on               # starts from what ships
    python3 run.py tool train_chain 4 --measure             # only plays, and notes the figures anew

It writes ``chain-N.npz`` and ``chain-N.json`` into ``src/escadaria/values`` and a log into ``docs/training``.
What was learned so far is written every minute, so it may be stopped. For two players it learns from the
exact solutions in the cache folder on their boards; see ``docs/training/chain.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from escadaria import simulate, values
from escadaria.chain import Chain
from escadaria.lab import chain_training as training
from escadaria.lab.rapido_training import Progress, rounded
from escadaria.lab.rapido_values import Model
from escadaria.values import WIDTHS

ROOT = Path(__file__).parents[1]
VALUES, LOGS = ROOT / "src" / "escadaria" / "values", ROOT / "docs" / "training"
EVERY = 60.0
SEED = 2026
"""Of the games that are measured by."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Train Chain's values.")
    parser.add_argument("players", type=int, choices=range(2, 7))
    parser.add_argument("--positions", type=int, default=300_000, help="how many to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3, help="how fast to learn")
    parser.add_argument("--go-on", action="store_true", help="start from the values that ship")
    parser.add_argument("--measure", action="store_true", help="do not train")
    parser.add_argument("--games", type=int, default=1000, help="how many to measure by")
    wish = parser.parse_args()
    name = f"chain-{wish.players}"
    if not wish.measure:
        train(wish, name)
    told = json.loads((VALUES / f"{name}.json").read_text("utf-8"))
    told["figures"] = figures(wish.players, wish.games)
    note(name, told)
    print(json.dumps(told, indent=2))
    return 0


def train(wish: argparse.Namespace, name: str) -> None:
    began, said = time.monotonic(), [0.0]
    shipped = values.load(name) if wish.go_on else None
    before = values.provenance(name)["commands"] if shipped else []
    LOGS.mkdir(parents=True, exist_ok=True)
    told: dict[str, Any] = {
        "commands": [*before, f"python3 run.py tool train_chain {' '.join(sys.argv[1:])}"],
        "network": {"rows": "int8", "widths": list(WIDTHS)},
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
            note(name, {**told, "positions": progress.positions, "error": round(progress.error, 5)})

        training.train(wish.players, wish.positions, wish.seed, report, trained=shipped, rate=wish.rate)


def figures(players: int, games: int) -> dict[str, Any]:
    """How often one master, without a solution, wins among others."""
    found = {}
    with tempfile.TemporaryDirectory() as nothing:
        os.environ["ESCADARIA_CACHE"] = nothing
        for other in ("random", "tourist", "simple"):
            results = simulate(Chain(players), ["master"] + [other] * (players - 1), games, SEED)
            found[f"wins of a master among {other}"] = round(results.by_bot[0].share, 4)
    return {"games": games, "fair share": round(1 / players, 4), **found}


def note(name: str, told: dict[str, Any]) -> None:
    (VALUES / f"{name}.json").write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
