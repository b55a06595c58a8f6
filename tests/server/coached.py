"""Artificial solutions for the coach: the seat that is ahead wins more often."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from escadaria.game import AnyGame
from escadaria.games.chain import solution as chain
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rules import Rapido
from escadaria.games.rapido.solution import ONE, file_name
from escadaria.solutions import files

SHORT: dict[str, Any] = {"players": 2, "finish": 5}
SMALL: dict[str, Any] = {"players": 2, "board": "18"}


def write_solution(folder: Path) -> None:
    """Write an artificial solution of the shortest Rapido into a cache folder."""
    game = Rapido(**SHORT)
    ahead = np.subtract.outer(range(game.finish), range(game.finish))
    values = np.repeat((0.5 + 0.08 * ahead)[:, :, None] * ONE, TOWERS, axis=2).astype(np.uint32)
    files.write(folder / file_name(game), _about(game), {"values": values})


def write_chain_solution(folder: Path) -> None:
    """Write an artificial solution of Chain on the shortest board."""
    game = Chain(**SMALL)
    known = chain.arrangements(game.track)
    on = np.array([sum(pair) for pair in known.pairs])
    ahead = np.subtract.outer(on, on).ravel()
    orders = np.diff(known.first.ravel(), append=known.count)
    waits = np.repeat(0.5 - ahead / (5 * game.track.length), orders)  # the other seat is to move
    values = np.repeat(waits[:, None], chain.HAND_PAIRS, axis=1).astype(np.float32)
    files.write(folder / chain.file_name(game), _about(game), {"waiter": values})


def _about(game: AnyGame) -> dict[str, Any]:
    about = {"game": game.name, "options": game.options, "rules_version": game.rules_version}
    return about | {"bounds": (0.5, 0.5, 0.0)}
