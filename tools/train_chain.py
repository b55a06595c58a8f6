"""Train the values that ship for Chain, and measure them.

    python3 run.py tool train_chain 4 --positions 300000 --seed 1
    python3 run.py tool train_chain 6 --go-on               # starts from what ships
    python3 run.py tool train_chain 4 --measure             # only plays, and notes the figures anew

It writes ``values-N.npz`` and ``values-N.json`` into ``src/escadaria/games/chain/data`` and a log into
``docs/training``. For two players it learns from the exact solutions in the cache folder on their boards; see
``docs/training/chain.md``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from escadaria import network as values
from escadaria import simulate
from escadaria.games.chain.rules import Chain
from escadaria.network import Network
from research.chain_training import train
from research.learning import Report
from tools.shared.trainer import run

SEED = 2026
"""Of the games that are measured by."""


def teach(wish: argparse.Namespace, shipped: Network | None, report: Report) -> None:
    train(wish.players, wish.positions, wish.seed, report, trained=shipped, rate=wish.rate)
    values.load.cache_clear()  # it has the network that shipped before


def figures(players: int, games: int) -> dict[str, Any]:
    """How often one master, without a solution, wins among others."""
    found = {}
    with tempfile.TemporaryDirectory() as nothing:
        os.environ["ESCADARIA_CACHE"] = nothing
        for other in ("random", "tourist", "simple"):
            results = simulate(Chain(players), ["master"] + [other] * (players - 1), games, SEED)
            found[f"wins of a master among {other}"] = round(results.by_bot[0].share, 4)
    return {"games": games, "fair share": round(1 / players, 4), **found}


if __name__ == "__main__":
    raise SystemExit(run("chain", teach, figures, positions=300_000, rate=2e-3, games=1000))
