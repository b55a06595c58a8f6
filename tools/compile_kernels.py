"""Compile the kernels of a game into Numba's cache, so that tests need not wait for them.

    python3 run.py tool compile_kernels rapido

It uses each kernel as the tests do, in games as small as can be. run.py calls it before the tests, for all
games at the same time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from escadaria import load
from escadaria.catalogue import KITS
from escadaria.compute.batch import Batch
from escadaria.games.chain.boards import Board
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.compiled.solver import Solver
from research import (
    best_response_of_two,
    chain_heuristics,
    chain_training,
    rapido_training,
)
from research.learning import rounded
from tools import best_response, search, train

Call = Callable[[], object]


def main(words: list[str]) -> None:
    (name,) = words
    calls: dict[str, Call] = {**of_kit(name), "training": partial(train_network, name), **OTHERS[name]}
    for what, call in calls.items():
        began = time.process_time()
        with TemporaryDirectory() as empty, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            os.environ["ESCADARIA_CACHE"] = empty
            call()
        print(f"{name}: {what}, {time.process_time() - began:.1f} s", flush=True)


def of_kit(name: str) -> dict[str, Call]:
    """The kernels of the package: games of bots, batches and search."""
    kit, game = KITS[name], load(name, players=3)
    assert kit.compiled
    kernel: Any = kit.compiled()
    found = dict[str, Call]()
    for bot in ("simple", "master"):
        found[f"a game of {bot}"] = partial(kernel.play_batch, game, [bot] * 3, 0, 1, 0)
        found[f"a batch against {bot}"] = partial(step, Batch, game, 2, bots=[bot], reward="potential")
    found["a batch"] = partial(step, Batch, game, 2)
    if kit.search:
        found["search"] = partial(kit.search().grandmaster, game)
    return found


def step(make: Callable[..., Batch], *arguments: Any, **options: Any) -> None:
    batch = make(*arguments, **options)
    batch.step(batch.sample())


def run(tool: Callable[[], object], *words: str) -> None:
    """A tool that takes its words from the command line."""
    with patch.object(sys, "argv", ["", *words]):
        tool()


def train_network(name: str) -> None:
    with TemporaryDirectory() as folder:
        train.main([name, "3", "--positions", "1", "--out", folder])


# Research.


def rapido_for_two() -> None:
    """The exact solution of the shortest race, what a network loses to it, and the best response."""
    values, _ = Solver(1, threads=1).solve({})
    network = rounded(rapido_training.fresh(2, 64, np.random.default_rng(1)))
    rapido_training.loss(network, values, 1, seed=1, threads=1)
    best_response_of_two.decisions_by(values / 1.0, 1)


def chain_for_two() -> None:
    """The same of a board on which few spaces can be stood on."""
    game = Chain(2, Board.parse("18 1>4 2>4 3>4 5>9 6>9 7>9 8>9 10>13 11>13 12>9 14>13 15>16"))
    network = rounded(chain_training.fresh(2, 64, np.random.default_rng(1)))
    chain_training.loss(network, game, 1, seed=1)
    tables = chain_heuristics.game_tables(game, chain_training.exact_evaluator(game))
    chain_heuristics.measure(tables, np.array(chain_heuristics.GUESS), 1, seed=1)


OTHERS: Mapping[str, Mapping[str, Call]] = {
    "rapido": {
        "two players": rapido_for_two,
        "best response": partial(run, best_response.main, "--finish", "1", "--others", "regular", "--json"),
    },
    "chain": {
        "two players": chain_for_two,
        "search of masters": partial(run, search.main, "chain", "--players", "3", "--games", "1"),
    },
}


if __name__ == "__main__":
    main(sys.argv[1:])
