"""A kit: a game with everything that comes with it. Only the rules are required.

Each part is a module that is imported on first use, so that loading a game imports only its rules. The
fields below list what a part must define; the module that uses a part has its protocol. A missing part has
a generic default.
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
    """A part that imports the module with this name when it is called."""
    return partial(import_module, module)


@dataclass(frozen=True, kw_only=True)
class Kit:
    """The parts of a game. Other packages register theirs in the entry-point group ``escadaria.games``."""

    game: type[AnyGame]
    """The rules."""
    package: str = ""
    """The game's package. ``data/rulebook.toml`` in it has the rules with examples, ``data/lesson.toml`` a
    guided first game. Default: none."""
    bots: Part | None = None
    """``BOTS``: from a bot's name to its ``escadaria.bots.Maker``. Default: random play and rollouts."""
    values: Part | None = None
    """``shipped(game)``: the values of positions, or None. ``turn_start(state)``, optional: the position as
    if its turn started now, if that is evaluated faster. Default: the coach plays rollouts."""
    solution: Part | None = None
    """``file_name(game)`` and ``opened(game, about, arrays)``: how a solution is stored. Default: none."""
    solver: Part | None = None
    """``needs(game)``, ``solve(game, work, threads)`` and ``seconds_left(phase, residual, took)``."""
    compiled: Part | None = None
    """``POLICIES`` and ``play_batch``: compiled games of bots. Default: bots play by the rules in Python."""
    search: Part | None = None
    """``grandmaster(game)``: a bot that searches, stronger than a master. Default: none."""
    batch: Part | None = None
    """``games(game, number, bots)``: games for ``escadaria.compute.batch``. Default: none."""
    benchmark: Part | None = None
    """``SHORT`` and ``ANCHORS``: see ``escadaria.arena.benchmark``. Default: neither ratings nor regret."""
    observation: Part | None = None
    """``FIELDS`` and ``parts(game, state, seat)``. Default: the position's fields in one row."""
    picture: Part | None = None
    """``draw(scene)``: the position in the terminal. Default: its text."""
    drawing: Part | None = None
    """``draw(sheet, state)`` and ``note(state, seat)``: the position as pixels. Default: its text."""
    heuristics: Part | None = None
    """``advice()``: heuristics and charts, by number of players. Default: none."""
    explanations: Part | None = None
    """``GOOD`` and ``BAD``: facts that explain why a decision was better. Default: none."""
    sequences: Part | None = None
    """``sequences(game, state)``: series of decisions without a roll between them that front ends offer as
    one choice, the first as a proposal, and whether these are all. Default: none."""
    texts: str = ""
    """A package with ``en.po`` and files for other languages. Default: the identifiers as texts."""
    counted: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What simulations count by seat: from a name to the kind of fact and its field with the seat."""
    at_end: tuple[str, ...] = ()
    """Fields of the last position, by seat, that simulations report."""
    shows_risk: bool = False
    """Whether front ends show the probability that the turn continues after a roll."""
    most_rolls: int = 64
    """The maximum number of rolls between two decisions."""
