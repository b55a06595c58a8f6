"""Exact solutions: the value of every position with best play on both sides.

They are computed once by ``escadaria.solve`` (the extra ``lab``) and stored in the user's cache folder.
Looking up a position needs only NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, cast

from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, BadOptions, GameError
from escadaria.kit import SolutionFiles, Solver
from escadaria.solutions import files
from escadaria.solutions.files import BadSolution

__all__ = [
    "BadSolution", "Bounds", "CannotSolve", "PositionValues", "Solution", "Values", "check_solvable", "find",
    "open_solution", "path_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bounds:
    """The proven bounds of a solution."""

    low: float
    """The lower bound of the first seat's win probability at the start, with best play on both sides."""
    high: float
    """The upper bound."""
    gap: float
    """The largest distance between the bounds of any position."""


class Values(Protocol):
    """The values of actions: a solution's, shipped ones, or those of a search."""

    def action_values(self, state: Any, /) -> Mapping[Any, float]:
        """The win probability after each legal action; empty at other nodes."""


class PositionValues(Values, Protocol):
    """The values of positions and actions: a solution's, or shipped ones."""

    def value(self, state: Any, /) -> float:
        """The win probability of the seat to act; at a chance node, of the seat whose turn it is."""


class Solution(PositionValues, Protocol):
    """The exact value of every position of a game."""

    @property
    def game(self) -> AnyGame:
        """The solved game."""

    @property
    def bounds(self) -> Bounds:
        """The proven bounds."""


class CannotSolve(GameError):
    """A game without a solver, or one that needs more memory or disk than there is."""

    code = "cannot_solve"


def check_solvable(game: AnyGame) -> Callable[[], Solver]:
    """The kit's solver. :raises CannotSolve: if there is none for this game."""
    solver = kit_of(game).solver
    if game.players != 2 or solver is None:
        raise CannotSolve(f"{game.name} for {game.players} players has no solver")
    return solver


def _part(game: AnyGame) -> SolutionFiles:
    part = kit_of(game).solution
    if part is None:
        raise BadOptions(f"there are no solutions of {game.name}")
    return part()


def path_of(game: AnyGame) -> Path:
    """The path of the game's solution, whether or not it exists.

    :raises BadOptions: if the game's kit has no solutions.
    """
    return files.folder() / _part(game).file_name(game)


def open_solution(game: AnyGame) -> Solution:
    """Open the game's solution in the cache folder.

    :raises FileNotFoundError: if there is none.
    :raises BadSolution: if the file is damaged, or solves another game or other rules.
    :raises BadOptions: if the game's kit has no solutions.
    """
    path = path_of(game)
    about, arrays = files.read(path)
    if about.get("rules_version") != game.rules_version:
        raise BadSolution(f"{path} solves other rules, version {about.get('rules_version')}")
    if not _is_of(game, about):
        raise BadSolution(f"{path} solves another game, {about.get('game')} with {about.get('options')}")
    return _part(game).opened(game, about, arrays)


def _is_of(game: AnyGame, about: Mapping[str, Any]) -> bool:
    """Whether a file with this header belongs to the game. Some options share a file (C18)."""
    try:
        solved = type(game)(**about["options"])
    except (KeyError, TypeError, GameError):
        return False
    return about.get("game") == game.name and path_of(solved) == path_of(game)


def find(game: AnyGame) -> Solution | None:
    """The game's solution, or None if the cache folder has none. Each file is opened once.

    :raises BadSolution: if the file is damaged or solves another game.
    """
    if game.players != 2 or kit_of(game).solution is None:
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
    """Open the solution; errors are cached too, because the checksum of a gigabyte takes a second."""
    try:
        return open_solution(game)
    except BadSolution as error:
        return error
