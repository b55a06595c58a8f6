"""Escadaria: Rapido and Chain, two dice races, as pure functions over immutable positions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from escadaria.catalogue import GAMES, load
from escadaria.game import (
    CHANCE,
    TERMINAL,
    BadOptions,
    Fact,
    Game,
    GameError,
    IllegalAction,
    InvalidText,
    Option,
    Outcome,
)
from escadaria.games import Board

__all__ = [
    "CHANCE",
    "GAMES",
    "TERMINAL",
    "BadOptions",
    "Board",
    "Fact",
    "Game",
    "GameError",
    "IllegalAction",
    "InvalidText",
    "Option",
    "Outcome",
    "__version__",
    "analyse",
    "load",
    "show",
    "simulate",
    "solve",
]

if TYPE_CHECKING:
    from escadaria.arena.simulation import simulate
    from escadaria.coach.analysis import analyse
    from escadaria.compute.solve import solve
    from escadaria.notebook import show

    __version__: str


_LAZY = {
    "analyse": "escadaria.coach.analysis",
    "show": "escadaria.notebook",
    "simulate": "escadaria.arena.simulation",
    "solve": "escadaria.compute.solve",
}
"""Functions that need more than the rules, and their modules."""


def __getattr__(name: str) -> Any:
    """Import on first use what needs more than the rules."""
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("escadaria")
        except PackageNotFoundError:
            return "0+unknown"  # run from the source, not installed
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'escadaria' has no attribute {name!r}")
