"""Train the shipped networks, and measure them.

    python3 run.py tool train rapido 4                  # from nothing, with the numbers of BUDGETS
    python3 run.py tool train chain 2 --positions 100000 --out /tmp/trial
    python3 run.py tool train chain 6 --go-on           # continues from the shipped network
    python3 run.py tool train chain 4 --measure         # only plays, and notes the figures anew
    python3 run.py tool train chain 4 --measure --scheduler tcp://127.0.0.1:8786

It writes ``values-N.npz`` and ``values-N.json`` into ``src/escadaria/games/GAME/data`` and a log into
``docs/training``; the pages there say how the networks learn. For two players they learn from exact
solutions, which are computed if they are not in the cache folder. The network is saved every minute.

With ``--scheduler`` a Dask cluster does what divides: the games of self-play, and the games that measure a
network for three and more players. Learning stays on this machine. The workers need
the same shipped networks, and the project's folder in PYTHONPATH. Self-play on a cluster goes in other rounds
than on one machine, so the network is another one, but the same for every number of workers.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import escadaria
from escadaria import evaluator_network
from escadaria.arena.batches import NoCluster, dask_client
from escadaria.compute.forward import Weights
from escadaria.compute.solve import solve
from escadaria.evaluator_network import Network
from escadaria.game import GameError
from escadaria.games.chain.boards import BOARDS
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido
from escadaria.games.rapido.solution import RapidoSolution
from research import chain_training, rapido_training
from research.learning import SECOND_WIDTH, Loss, Progress, Report, rounded, unrounded

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "docs" / "training"
EVERY = 60.0
SEED = 2026
"""The seed of the games that measure networks."""


class Budget(NamedTuple):
    """The defaults for training a network."""

    positions: int
    rate: float
    width: int = 64
    """The width of the first layer."""


BUDGETS: Mapping[str, Mapping[int, Budget]] = {
    "rapido": {
        2: Budget(60_000_000, 3e-3),
        3: Budget(2_000_000, 1e-3),
        4: Budget(1_500_000, 1e-3),
        5: Budget(1_200_000, 1e-3),
        6: Budget(1_200_000, 1e-3),
    },
    "chain": {
        2: Budget(80_000_000, 8e-3, 256),
        3: Budget(2_500_000, 2e-3),
        4: Budget(2_000_000, 2e-3),
        5: Budget(3_000_000, 2e-3),
        6: Budget(5_000_000, 2e-3),
    },
}


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Train the shipped networks, and measure them.")
    parser.add_argument("game", choices=BUDGETS)
    parser.add_argument("players", type=int, choices=range(2, 7))
    parser.add_argument("--positions", type=int, help="number of training positions")
    parser.add_argument("--rate", type=float, help="learning rate")
    parser.add_argument("--width", type=int, help="of the first layer, a multiple of 4 up to 256")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--go-on", action="store_true", help="start from the shipped values")
    parser.add_argument("--measure", action="store_true", help="only measure, do not train")
    parser.add_argument("--games", type=int, default=4000, help="number of games to measure with")
    parser.add_argument("--out", type=Path, help="write everything into this folder, and do not measure")
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="of a Dask cluster")
    options = parser.parse_args(words)
    budget = BUDGETS[options.game][options.players]
    options.positions = options.positions or budget.positions
    options.rate = options.rate or budget.rate
    options.width = options.width or budget.width
    folder = options.out or ROOT / "src" / "escadaria" / "games" / options.game / "data"
    file = folder / f"values-{options.players}"
    if options.scheduler:
        with dask_client(options.scheduler):
            pass  # it is there, before a long training
    if not options.measure:
        log = (options.out or LOGS) / f"{options.game}-{options.players}.log"
        command = f"python3 run.py tool train {' '.join(words)}"
        _train(options, command.replace(f" --out {options.out}", ""), file, log)
    about = json.loads(file.with_suffix(".json").read_text("utf-8"))
    if not options.out:
        evaluator_network.load.cache_clear()  # it may have the former network
        about["figures"] = FIGURES[options.game](options.players, options.games, options.scheduler)
        _note(file, about)
    print(json.dumps(about, indent=2))


def _train(options: argparse.Namespace, command: str, file: Path, log_file: Path) -> None:
    began, reported = time.monotonic(), [0.0]
    package = f"escadaria.games.{options.game}"
    shipped = evaluator_network.load(package, options.players) if options.go_on else None
    before = evaluator_network.provenance(package, options.players)["commands"] if shipped else []
    for path in (file, log_file):
        path.parent.mkdir(parents=True, exist_ok=True)
    about: dict[str, Any] = {
        "commands": [*before, command],
        "network": {"rows": "int8", "widths": [options.width, SECOND_WIDTH]},
    }
    with log_file.open("a" if shipped else "w", encoding="utf-8") as log:
        print(f"# {command}", file=log, flush=True)

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

        with dask_client(options.scheduler) if options.scheduler else nullcontext() as client:
            TEACH[options.game](options, shipped, client, report)


def _note(file: Path, about: dict[str, Any]) -> None:
    file.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")


def among(game: str, players: int, games: int, others: tuple[str, ...], scheduler: str) -> dict[str, Any]:
    """How often one master, without a solution, wins among others."""
    if scheduler:
        check_workers_have(
            evaluator_network.load(f"escadaria.games.{game}", players), game, players, scheduler
        )
    found: dict[str, Any] = {"games": games, "fair share": round(1 / players, 4)}
    rules = escadaria.load(game, players=players)
    for other in others:
        bots = ["master"] + [other] * (players - 1)
        results = escadaria.simulate(rules, bots, games, SEED, exact=False, scheduler=scheduler)
        found[f"wins of a master among {other}"] = round(results.by_bot[0].share, 4)
    return found


def check_workers_have(network: Network | None, game: str, players: int, scheduler: str) -> None:
    """:raises NoCluster: if a worker of the cluster would play with another network."""
    with dask_client(scheduler) as client:
        client.run(evaluator_network.load.cache_clear)  # it may have the network that was there before
        for worker, other in client.run(evaluator_network.load, f"escadaria.games.{game}", players).items():
            pairs = ((getattr(one, name) for one in (network, other)) for name in Network.__slots__)
            if not all(np.array_equal(*pair) for pair in pairs):
                raise NoCluster(f"{worker} has another network: copy values-{players}.npz of {game} to it")


# Rapido.


def teach_rapido(options: argparse.Namespace, shipped: Network | None, client: Any, report: Report) -> None:
    start = unrounded(shipped) if shipped else None
    if options.players == 2:
        rapido_training.distil(
            exact_rapido(), options.positions, options.seed, report,
            trained=start, rate=options.rate, width=options.width,
        )  # fmt: skip
    else:
        rapido_training.train_by_self_play(
            options.players, options.positions, options.seed, report,
            trained=start, rate=options.rate, width=options.width, client=client,
        )  # fmt: skip


def exact_rapido() -> Any:
    solution = solve(Rapido(players=2), threads=1)
    assert isinstance(solution, RapidoSolution)
    return solution.values


def figures_of_rapido(players: int, games: int, scheduler: str) -> dict[str, Any]:
    """The loss against exact play, or how often one master wins among others."""
    if players > 2:
        return among("rapido", players, games, ("random", "tourist", "simple", "regular"), scheduler)
    network = evaluator_network.load("escadaria.games.rapido", 2)
    assert network is not None
    loss = rapido_training.loss(network, exact_rapido(), games, seed=1)
    return _points(loss)


# Chain.


def teach_chain(options: argparse.Namespace, shipped: Network | None, client: Any, report: Report) -> None:
    chain_training.train(
        options.players, options.positions, options.seed, report,
        trained=shipped, rate=options.rate, width=options.width, client=client,
    )  # fmt: skip


def figures_of_chain(players: int, games: int, scheduler: str) -> dict[str, Any]:
    """How often one master wins among others; for two players also the loss against exact play."""
    found = among("chain", players, games, ("random", "tourist", "simple", "regular"), scheduler)
    if players > 2:
        return found
    network = evaluator_network.load("escadaria.games.chain", 2)
    assert network is not None
    for name in BOARDS:
        found[name] = _points(chain_training.loss(network, Chain(2, name), games, seed=1))
    return found


def _points(loss: Loss) -> dict[str, Any]:
    return {
        "games": loss.games,
        "regret against exact play, in points of win share": round(100 * loss.regret, 4),
        "standard error": round(100 * loss.error, 4),
        "wins": loss.wins,
    }


TEACH = {"rapido": teach_rapido, "chain": teach_chain}
FIGURES = {"rapido": figures_of_rapido, "chain": figures_of_chain}


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except GameError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
