"""What notebooks show: positions as drawings, analyses as pages, results as tables and plots.

Games, records, analyses and results call this module when a notebook displays them. A position does not know
its game, so it is displayed by ``escadaria.show(game, position)``.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any

from rich.console import Console

from escadaria import i18n
from escadaria.adapters import rendering
from escadaria.arena.league import League
from escadaria.arena.simulation import Results
from escadaria.coach.analysis import Analysis
from escadaria.game import AnyGame
from escadaria.reports.lab_report import show_league, show_shares
from escadaria.reports.page import page
from escadaria.reports.plots import league_svg
from escadaria.reports.strategy_report import show_advice
from escadaria.strategy import Strategy
from escadaria.terminal.screen import Screen

_HEIGHT = 700
"""The height of an analysis, in pixels; it scrolls."""


@dataclass(frozen=True)
class Picture:
    """A position of a game: a drawing in a notebook, and the terminal's picture as a string."""

    game: AnyGame
    state: Any

    def _repr_svg_(self) -> str:
        return rendering.svg(self.game, self.state)

    def __str__(self) -> str:
        return rendering.text(self.game, self.state)


def show(game: AnyGame, state: Any = None) -> Picture:
    """The picture of a position; by default of the initial one, with the empty board.

    :param state: the position, as itself or as text.
    :raises InvalidText: if it is not a position of this game.

    >>> import escadaria
    >>> game = escadaria.load("chain", players=2)
    >>> escadaria.show(game)._repr_svg_()[:4]
    '<svg'
    """
    return Picture(game, game.initial_state() if state is None else game.parse_state(str(state)))


def analysis_html(analysis: Analysis) -> str:
    """The page of an analysis in a frame, since its styles are those of a whole page."""
    content = escape(page(analysis, _texts()))
    return f'<iframe srcdoc="{content}" style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>'


def results_html(results: Results) -> str:
    """The tables of a simulation."""
    return _printed(lambda screen: show_shares(results, screen))


def league_html(league: League) -> str:
    """The tables of a league and, if matplotlib is installed, its plot."""
    tables = _printed(lambda screen: show_league(league, screen))
    if not find_spec("matplotlib"):
        return tables
    return f'{tables}<div style="overflow-x: auto">{league_svg(league, _texts())}</div>'


def advice_html(game: str, advice: Strategy) -> str:
    """Heuristics and charts."""
    return _printed(lambda screen: show_advice(game, advice, screen))


def _texts() -> i18n.Texts:
    return i18n.load(i18n.negotiate())


def _printed(show: Callable[[Screen], None]) -> str:
    """What is printed on a terminal, as HTML."""
    console = Console(
        file=io.StringIO(), record=True, width=100, highlight=False, markup=False, force_jupyter=False
    )
    show(Screen(_texts(), console, console))
    return console.export_html(inline_styles=True, code_format="<pre style='line-height: 1.2'>{code}</pre>")
