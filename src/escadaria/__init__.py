"""Escadaria: Rapido and Chain, two dice races, as pure functions over immutable positions."""

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
]
