"""Escadaria: Rapido and Chain, two dice races, as pure functions over immutable positions."""

from typing import TYPE_CHECKING, Any

from escadaria.boards import Board
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
    "load",
    "simulate",
    "solve",
]

if TYPE_CHECKING:
    from escadaria.lab.solve import solve
    from escadaria.simulation import simulate


def __getattr__(name: str) -> Any:
    """What needs more than the rules is loaded when it is first asked for."""
    if name == "simulate":
        from escadaria.simulation import simulate

        return simulate
    if name == "solve":
        from escadaria.lab.solve import solve

        return solve
    raise AttributeError(f"module 'escadaria' has no attribute {name!r}")
