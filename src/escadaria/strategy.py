"""How to play well: heuristics that a person can remember, what they are worth, and charts.

All of it was found by search (``tools/find_rules.py``) and is data: ``data/heuristics.json`` in a game's
folder says how each figure was made. Texts are ``strategy.*`` in ``escadaria.i18n``; a rule's is
``strategy.GAME.NAME``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, Protocol

from escadaria.catalogue import KITS
from escadaria.game import BadOptions


@dataclass(frozen=True, slots=True)
class Rule:
    """One heuristic; the most helpful one comes first."""

    name: str
    """Its text is ``strategy.GAME.NAME``, with ``args`` for its placeholders."""
    args: Mapping[str, int]
    least: Mapping[str, int]
    """The least value for each field, where the rule is about that; one that is left out is never taken."""
    loss: float
    """What is lost per game by who follows this rule and all before it, in games (0.05 is five points).

    Where games are counted, what is missing to a fair share of them: less than nothing for who wins more.
    """


@dataclass(frozen=True, slots=True)
class Quality:
    """How well a player plays."""

    who: str
    """``rules``, ``chart``, or the name of a bot."""
    loss: float
    """What it loses per game to best play: the mean share of a game that its decisions give away.

    Where games are counted, what is missing to a fair share of them.
    """
    error: float
    """The standard error of that."""
    wins: float
    """The share of games that it won, in seats that took turns."""
    wins_error: float
    games: int


@dataclass(frozen=True, slots=True)
class Chart:
    """When to stop, as a table; its title is ``strategy.GAME.chart.NAME``."""

    name: str
    kind: Literal["value", "lengthen"]
    """What a cell says.

    ``value``: the least value with which to stop on the field (column) on this step (row), None for never.
    ``lengthen``: 1 to lengthen, 0 to stop, by the chain's length (row) and how many numbers fit (column).
    """
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[int | None, ...], ...]
    right: float
    """The share of decisions of good play that the chart tells rightly."""


@dataclass(frozen=True, slots=True)
class Advice:
    """All there is for a game and a number of players."""

    players: int
    source: Literal["exact", "values", "games"]
    """Whether losses are exact, by the values that ship, or games were counted as values are too rough."""
    commands: tuple[str, ...]
    """What found the rules, and, if that is another, what measured them."""
    rivals: str
    """Whom the games were played against: a bot's name."""
    rules: tuple[Rule, ...]
    qualities: tuple[Quality, ...]
    charts: tuple[Chart, ...]

    @property
    def fair(self) -> float:
        """The share of games that everybody wins among equals."""
        return 1 / self.players

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class Heuristics(Protocol):
    """A kit's part ``heuristics``."""

    def advice(self) -> Mapping[int, Advice]:
        """By number of players."""


def games() -> tuple[str, ...]:
    """The games that there is advice for."""
    return tuple(name for name, kit in KITS.items() if kit.heuristics is not None)


def players(game: str) -> tuple[int, ...]:
    """For which numbers of players there is advice."""
    return tuple(_advice(game))


def advice(game: str, players: int) -> Advice:
    """How to play a game well with a number of players.

    :raises BadOptions: if there is none.
    """
    found = _advice(game).get(players)
    if found is None:
        known = ", ".join(map(str, _advice(game)))
        raise BadOptions(f"there is advice for {known} players of {game}, not for {players}")
    return found


def _advice(game: str) -> Mapping[int, Advice]:
    kit = KITS.get(game)
    if kit is None or kit.heuristics is None:
        raise BadOptions(f"there is no advice for {game!r}, there is for {' and '.join(games())}")
    part: Heuristics = kit.heuristics()
    return part.advice()


@cache
def read(package: str) -> Mapping[int, Advice]:
    """The advice in ``data/heuristics.json`` of a package, by number of players."""
    data = json.loads(resources.files(package).joinpath("data", "heuristics.json").read_text("utf-8"))
    return {entry["players"]: _read(entry) for entry in data}


def _read(entry: Mapping[str, Any]) -> Advice:
    rules = tuple(Rule(**rule) for rule in entry["rules"])
    qualities = tuple(Quality(**quality) for quality in entry["qualities"])
    charts = tuple(
        Chart(
            chart["name"], chart["kind"], tuple(chart["rows"]), tuple(chart["columns"]),
            tuple(tuple(row) for row in chart["cells"]), chart["right"],
        )
        for chart in entry["charts"]
    )  # fmt: skip
    commands = tuple(entry["commands"])
    return Advice(**{**entry, "rules": rules, "qualities": qualities, "charts": charts, "commands": commands})
