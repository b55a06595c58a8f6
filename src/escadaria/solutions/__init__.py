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

from escadaria.game import AnyGame, GameError
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
    :raises BadSolution: if the file is damaged, or solves another game or other rules.
    """
    path = path_of(game)
    about, arrays = files.read(path)
    if about.get("rules_version") != game.rules_version:
        raise BadSolution(f"{path} solves other rules, version {about.get('rules_version')}")
    if not _is_of(game, about):
        raise BadSolution(f"{path} solves another game, {about.get('game')} with {about.get('options')}")
    return _READERS[game.name][1](game, about, arrays)


def _is_of(game: AnyGame, about: Mapping[str, Any]) -> bool:
    """Whether a file that says this of itself belongs to the game. Some options share a file (C18)."""
    try:
        solved = type(game)(**about["options"])
    except (KeyError, TypeError, GameError):
        return False
    return about.get("game") == game.name and path_of(solved) == path_of(game)


def find(game: AnyGame) -> Solution | None:
    """The game's solution, or None if the cache folder has none. Each file is opened once.

    :raises BadSolution: if there is a file, but it is damaged or solves something else.
    """
    if game.players != 2 or game.name not in _READERS:
        return None
    try:
        changed = path_of(game).stat().st_mtime_ns
    except (FileNotFoundError, NotADirectoryError):
        return None
    found = _found(cast(Hashable, game), changed)
    if isinstance(found, BadSolution):
        raise BadSolution(str(found))
    return found


@lru_cache(maxsize=16)
def _found(game: Any, changed: int) -> Solution | BadSolution:
    """What opening the file gives, a refusal included: a gigabyte is summed up once."""
    try:
        return open_solution(game)
    except BadSolution as error:
        return error
