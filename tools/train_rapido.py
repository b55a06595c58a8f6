"""Train the values that ship for Rapido, and measure them.

    python3 run.py tool train_rapido 3 --positions 2000000 --seed 1
    python3 run.py tool train_rapido 2 --positions 60000000 --rate 0.003     # distils the exact solution
    python3 run.py tool train_rapido 4 --go-on                  # starts from what ships
    python3 run.py tool train_rapido 4 --measure                # only plays, and notes the figures anew

It writes ``values-N.npz`` and ``values-N.json`` into ``src/escadaria/games/rapido/data`` and a log into
``docs/training``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from escadaria import network as values
from escadaria import simulate, solutions
from escadaria.games.rapido.rules import Rapido
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.network import Network
from research import rapido_training as training
from research.learning import Report, unrounded
from tools.shared.trainer import run


def teach(wish: argparse.Namespace, shipped: Network | None, report: Report) -> None:
    start = unrounded(shipped) if shipped else None
    if wish.players == 2:
        training.distil(exact(), wish.positions, wish.seed, report, trained=start, rate=wish.rate)
    else:
        training.train_by_self_play(
            wish.players, wish.positions, wish.seed, report, trained=start, rate=wish.rate
        )


def exact() -> Any:
    solution = solutions.find(Rapido(players=2))
    if not isinstance(solution, RapidoSolution):
        raise SystemExit("there is no exact solution yet: escadaria solve rapido --players 2")
    return solution.values


def figures(players: int, games: int) -> dict[str, Any]:
    """How well what ships plays: against exact play, or one master among others."""
    if players == 2:
        network = values.load("escadaria.games.rapido", 2)
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


if __name__ == "__main__":
    raise SystemExit(run("rapido", teach, figures, positions=2_000_000, rate=1e-3, games=20_000))
