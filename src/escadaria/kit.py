"""A kit: a game and everything that comes with it. Only the rules are required.

A part is a module that is imported when it is first needed, so that loading a game costs nothing but its
rules. What a part must define stands beside the field below and, as a protocol, where the part is used. A
part that is missing has a generic default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from escadaria.game import AnyGame

Part = Callable[[], Any]
"""Imports a module and returns it."""


def lazy(module: str) -> Part:
    """The module with this name, imported when the part is called."""
    return partial(import_module, module)


@dataclass(frozen=True, kw_only=True)
class Kit:
    """What a game has. A game registers its kit in the entry-point group ``escadaria.games``."""

    game: type[AnyGame]
    """The rules."""
    bots: Part | None = None
    """``BOTS``: from a bot's name to its ``escadaria.bots.Maker``. Default: random play and rollouts."""
    values: Part | None = None
    """``evaluator(game)``: what positions are worth, or None. Default: the coach plays rollouts."""
    solution: Part | None = None
    """``file_name(game)`` and ``opened(game, about, arrays)``: how a solution is stored. Default: none is."""
    solver: Part | None = None
    """``needs(game)``, ``solve(game, work, threads)`` and ``seconds_left(phase, residual, took)``."""
    compiled: Part | None = None
    """``POLICIES`` and ``play_batch``: many games of bots, compiled. Default: the rules play them."""
    batch: Part | None = None
    """``games(game, number)``: what ``escadaria.compute.batch`` steps. Default: there is no batch."""
    observation: Part | None = None
    """``FIELDS`` and ``parts(game, state, seat)``. Default: the position's fields in one row."""
    picture: Part | None = None
    """``draw(scene)``: the position in the terminal. Default: its text."""
    drawing: Part | None = None
    """``draw(sheet, state)`` and ``note(state, seat)``: the position as pixels. Default: its text."""
    heuristics: Part | None = None
    """``advice()``: heuristics and charts, by number of players. Default: there are none."""
    explanations: Part | None = None
    """``GOOD`` and ``BAD``: facts that explain why a decision was better. Default: none do."""
    lesson: Part | None = None
    """``SCENES``: a guided first game. Default: there is none."""
    rulebook: Part | None = None
    """``SECTIONS``: the rules with examples. Default: there are none."""
    texts: str = ""
    """A package with ``en.po`` and files for other languages. Default: names and facts as they are."""
    counted: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What simulations count by seat: a name, the kind of fact, and the fact's field with the seat."""
    at_end: tuple[str, ...] = ()
    """Fields of the last position, by seat, that simulations keep."""
    most_rolls: int = 64
    """The number of rolls between two decisions, at most."""
