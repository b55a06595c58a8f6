"""Escadaria: Rapido and Chain, two dice races, as pure functions over immutable positions."""

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
    "load",
    "simulate",
    "solve",
]

if TYPE_CHECKING:
    from escadaria.arena.simulation import simulate
    from escadaria.compute.solve import solve

    __version__: str


def __getattr__(name: str) -> Any:
    """Import lazily what needs more than the rules."""
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("escadaria")
        except PackageNotFoundError:
            return "0+unknown"  # run from the source, not installed
    if name == "simulate":
        from escadaria.arena.simulation import simulate

        return simulate
    if name == "solve":
        from escadaria.compute.solve import solve

        return solve
    raise AttributeError(f"module 'escadaria' has no attribute {name!r}")
