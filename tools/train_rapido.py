"""Train the values that ship for Rapido, and measure them.

    python3 run.py tool train_rapido 3 --positions 2000000 --seed 1
    python3 run.py tool train_rapido 2 --positions 40000000     # distils the exact solution
    python3 run.py tool train_rapido 4 --go-on                  # starts from what ships
    python3 run.py tool train_rapido 4 --measure                # only plays, and notes the figures anew

It writes ``rapido-N.npz`` and ``rapido-N.json`` into ``src/escadaria/values`` and a log into
``docs/training``. What was learned so far is written every minute, so it may be stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from escadaria import simulate, solutions, values
from escadaria.lab import rapido_training as training
from escadaria.lab import rapido_values
from escadaria.rapido import Rapido
from escadaria.solutions.rapido import RapidoSolution

ROOT = Path(__file__).parents[1]
VALUES, LOGS = ROOT / "src" / "escadaria" / "values", ROOT / "docs" / "training"
EVERY = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(description="Train Rapido's values.")
    parser.add_argument("players", type=int, choices=range(2, 7))
    parser.add_argument("--positions", type=int, default=2_000_000, help="how many to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1e-3, help="how fast to learn")
    parser.add_argument("--go-on", action="store_true", help="start from the values that ship")
    parser.add_argument("--measure", action="store_true", help="do not train")
    parser.add_argument("--games", type=int, default=20_000, help="how many to measure by")
    wish = parser.parse_args()
    name = f"rapido-{wish.players}"
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
    start = rapido_values.model(shipped) if shipped else None
    before = values.provenance(name)["commands"] if shipped else []
    LOGS.mkdir(parents=True, exist_ok=True)
    told: dict[str, Any] = {
        "commands": [*before, f"python3 run.py tool train_rapido {' '.join(sys.argv[1:])}"],
        "network": {"rows": "int8", "widths": list(values.WIDTHS)},
    }
    with (LOGS / f"{name}.log").open("a" if shipped else "w", encoding="utf-8") as log:
        print(f"# {told['commands'][-1]}", file=log, flush=True)

        def report(progress: training.Progress, net: rapido_values.Model) -> None:
            spent = time.monotonic() - began
            if spent - said[0] < EVERY and progress.done < 1:
                return
            said[0] = spent
            left = spent / progress.done - spent if progress.done else float("inf")
            line = f"{progress.done:6.1%}  {progress.positions:>10,} positions  error {progress.error:.5f}"
            print(line, file=log, flush=True)
            print(f"{line}  {left:5.0f} s left", file=sys.stderr, flush=True)
            training.rounded(net).save(VALUES / f"{name}.npz")
            note(name, {**told, "positions": progress.positions, "error": round(progress.error, 5)})

        teacher(wish.players)(wish.positions, wish.seed, report, trained=start, rate=wish.rate)


def teacher(players: int) -> Callable[..., rapido_values.Model]:
    if players > 2:
        return lambda *given, **more: training.train_by_self_play(players, *given, **more)
    return lambda *given, **more: training.distil(exact(), *given, **more)


def exact() -> Any:
    solution = solutions.find(Rapido(players=2))
    if not isinstance(solution, RapidoSolution):
        raise SystemExit("there is no exact solution yet: escadaria solve rapido --players 2")
    return solution.values


def figures(players: int, games: int) -> dict[str, Any]:
    """How well what ships plays: against exact play, or one master among others."""
    if players == 2:
        network = values.load("rapido-2")
        assert network is not None
        loss = training.loss(network, exact(), games, seed=1)
        return {
            "games": games,
            "regret against exact play, in points of win share": round(100 * loss.regret, 4),
            "standard error": round(100 * loss.error, 4),
            "wins": loss.wins,
        }
    found = {}
    for other in ("simple", "regular"):
        results = simulate(Rapido(players), ["master"] + [other] * (players - 1), games, seed=1)
        found[f"wins of a master among {other}"] = round(results.by_bot[0].share, 4)
    return {"games": games, "fair share": round(1 / players, 4), **found}


def note(name: str, told: dict[str, Any]) -> None:
    (VALUES / f"{name}.json").write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
