"""Escadaria: Rapido and Chain, two dice races, as pure functions over immutable positions."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

from escadaria import catalogue
from escadaria.catalogue import GAMES
from escadaria.game import (
    CHANCE,
    TERMINAL,
    AnyGame,
    BadOptions,
    Fact,
    Game,
    GameError,
    IllegalAction,
    InvalidText,
    Option,
    Outcome,
)
from escadaria.games.chain.boards import Board
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido

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


@overload
def load(name: Literal["rapido"], /, *, players: int = ..., finish: int = ...) -> Rapido: ...


@overload
def load(
    name: Literal["chain"], /, *, players: int = ..., board: str | Board = ..., balanced: bool = ...
) -> Chain: ...


@overload
def load(name: str, /, **options: Any) -> AnyGame: ...


def load(name: str, /, **options: Any) -> AnyGame:
    """The game with this name and these options; the other options have their defaults.

    :raises BadOptions: if there is no such game or option, or a value is out of range.
    """
    return catalogue.load(name, **options)


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
