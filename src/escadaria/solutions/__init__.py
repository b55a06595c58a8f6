"""Exact solutions: what every position is worth when both players play as well as can be.

They are computed once by ``escadaria.solve`` (the extra ``lab``) and kept in the user's cache folder;
to look a position up needs NumPy only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from escadaria.game import AnyGame
from escadaria.games.chain import solution as chain
from escadaria.games.rapido import solution as rapido
from escadaria.solutions import files
from escadaria.solutions.files import BadSolution
from escadaria.solutions.solution import Bounds, Solution

__all__ = ["BadSolution", "Bounds", "Solution", "find", "open_solution", "path_of"]


Opener = Callable[[Any, Mapping[str, Any], Mapping[str, np.ndarray]], Solution]

_READERS: Mapping[str, tuple[Callable[[Any], str], Opener]] = {
    "rapido": (rapido.file_name, rapido.RapidoSolution.opened),
    "chain": (chain.file_name, chain.ChainSolution.opened),
}


def path_of(game: AnyGame) -> Path:
    """Where the game's solution is kept, once there is one."""
    return files.folder() / _READERS[game.name][0](game)


def open_solution(game: AnyGame) -> Solution:
    """The game's solution from the cache folder.

    :raises FileNotFoundError: if it has none there.
    :raises BadSolution: if the file is damaged, or of other rules.
    """
    about, arrays = files.read(path_of(game))
    if about.get("rules_version") != game.rules_version:
        raise BadSolution(f"{path_of(game)} solves other rules, version {about.get('rules_version')}")
    return _READERS[game.name][1](game, about, arrays)


def find(game: AnyGame) -> Solution | None:
    """The game's solution if the cache folder has a sound one. Each file is opened once."""
    if game.players != 2 or game.name not in _READERS:
        return None
    try:
        changed = path_of(game).stat().st_mtime_ns
    except OSError:
        return None
    return _found(cast(Hashable, game), changed)


@lru_cache(maxsize=16)
def _found(game: Any, changed: int) -> Solution | None:
    try:
        return open_solution(game)
    except (OSError, BadSolution):
        return None
