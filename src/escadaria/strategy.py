"""Strategy advice: heuristics that a person can remember, their measured strength, and charts.

All of it was found by search (``tools/find_rules.py``) and is stored as data in ``data/heuristics.json`` in
a game's folder, with the commands that produced it. Texts are ``strategy.*`` in ``escadaria.i18n``; that of
a rule is ``strategy.GAME.NAME``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Literal

import msgspec

from escadaria.catalogue import KITS
from escadaria.game import BadOptions


@dataclass(frozen=True, slots=True)
class Rule:
    """One heuristic. Rules are sorted, the most helpful first."""

    name: str
    """Its text is ``strategy.GAME.NAME``, with ``args`` for its placeholders."""
    args: Mapping[str, int]
    least: Mapping[str, int]
    """For a rule about fields: the lowest value to place on each; a missing field is never chosen."""
    loss: float
    """The loss per game of a player who follows this rule and all before it (0.05 is five points of 100).

    If games were counted, the fair share minus the share of games won; negative if more were won.
    """


@dataclass(frozen=True, slots=True)
class Quality:
    """The measured strength of a player."""

    who: str
    """``rules``, ``chart``, or the name of a bot."""
    loss: float
    """The loss per game against best play: the mean win probability that its decisions lose.

    If games were counted, the fair share minus the share of games won.
    """
    error: float
    """The standard error of ``loss``."""
    wins: float
    """The share of games won, with rotating seats."""
    wins_error: float
    games: int


@dataclass(frozen=True, slots=True)
class Chart:
    """When to stop, as a table; its title is ``strategy.GAME.chart.NAME``."""

    name: str
    kind: Literal["value", "lengthen"]
    """The meaning of a cell.

    ``value``: the lowest value with which to stop on the field (column) on this step (row), None for never.
    ``lengthen``: 1 to lengthen, 0 to stop, by the chain's length (row) and the count of fitting numbers
    (column).
    """
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[int | None, ...], ...]
    right: float
    """The share of decisions in good play for which the chart is right."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """All advice for a game and a number of players."""

    players: int
    source: Literal["exact", "values", "games"]
    """The measure of losses: the solution, shipped values, or games won if the values are too rough."""
    commands: tuple[str, ...]
    """The command that found the rules and, if it is another one, the command that measured them."""
    rivals: str
    """The bot that the games were played against."""
    rules: tuple[Rule, ...]
    qualities: tuple[Quality, ...]
    charts: tuple[Chart, ...]
    game: str = ""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from escadaria import notebook

        return notebook.advice_html(self.game, self)

    @property
    def fair(self) -> float:
        """The share of games that each of equal players wins."""
        return 1 / self.players

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def games() -> tuple[str, ...]:
    """The games with advice."""
    return tuple(name for name, kit in KITS.items() if kit.heuristics is not None)


def players(game: str) -> tuple[int, ...]:
    """The numbers of players with advice."""
    return tuple(_advice(game))


def advice(game: str, players: int) -> Strategy:
    """The advice for a game and a number of players.

    :raises BadOptions: if there is none.
    """
    found = _advice(game).get(players)
    if found is None:
        known = ", ".join(map(str, _advice(game)))
        raise BadOptions(f"there is advice for {known} players of {game}, not for {players}")
    return replace(found, game=game)


def _advice(game: str) -> Mapping[int, Strategy]:
    kit = KITS.get(game)
    if kit is None or kit.heuristics is None:
        raise BadOptions(f"there is no advice for {game!r}, only for {' and '.join(games())}")
    return kit.heuristics().advice()


@cache
def read(package: str) -> Mapping[int, Strategy]:
    """The advice in ``data/heuristics.json`` of a package, by number of players."""
    data = resources.files(package).joinpath("data", "heuristics.json").read_bytes()
    return {advice.players: advice for advice in msgspec.json.decode(data, type=list[Strategy])}
