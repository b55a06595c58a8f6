"""Plots: the win probabilities of a match; ratings, head-to-head results, seats and lengths of a league."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from escadaria.arena.batches import MissingExtra
from escadaria.arena.league import League
from escadaria.coach.analysis import Analysis
from escadaria.folders import check_writable
from escadaria.game import BadOptions
from escadaria.i18n import Texts
from escadaria.reports.analysis_report import SIGNS
from escadaria.reports.lab_report import percent, title
from escadaria.terminal.pieces import LOOKS, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Mapping[str, str] = {
    "plaster": "#F3E7D3",
    "paper": "#FFFAF0",
    "line": "#DDCAAB",
    "edge": "#8B7355",
    "ink": "#2B211A",
    "ink-2": "#65533F",
    "cobalt": "#1D4F91",
    "coral": "#B0381D",
    "leaf": "#2B6B47",
}
"""The colours of the web client's light theme, by their names there."""

FORMATS = (".svg", ".png", ".pdf")

LONGEST_NAME = 24


def check_plot(path: Path) -> None:
    """Check that a plot can be written, before anything is played.

    :raises MissingExtra: if matplotlib is not installed.
    :raises BadOptions: if there is no such format.
    :raises OSError: if the file cannot be written.
    """
    if path.suffix not in FORMATS:
        raise BadOptions(f"a plot must end with one of {', '.join(FORMATS)}, not with {path.suffix!r}")
    if find_spec("matplotlib") is None:
        raise MissingExtra("a plot needs matplotlib: install escadaria[lab]")
    check_writable(path)


def draw_analysis(analysis: Analysis, path: Path, texts: Texts) -> None:
    """Plot the curve with its mistakes; the suffix of the file determines the format."""
    with _figure(path, figsize=(9, 4.5), layout="constrained") as figure:
        axes = figure.subplots()
        for seat, name in enumerate(analysis.record.names):
            colour = look_of(analysis.record.seats, seat).paper
            shares = [100 * point[seat] for point in analysis.curve]
            axes.plot(shares, color=COLOURS["edge"], lw=3.2, alpha=0.6)  # an outline for light colours
            axes.plot(shares, color=colour, lw=2, label=name)
            for decision in analysis.mistakes:
                if decision.seat == seat:
                    at = decision.ply, shares[decision.ply]
                    axes.plot(*at, "o", color=colour, markeredgecolor=COLOURS["ink"])
                    _note(axes, SIGNS[decision.size], at, -12, fontweight="bold")
        axes.set_ylim(-6, 104)
        axes.set_xlabel(texts("coach.plies"))
        axes.set_ylabel("%")
        axes.set_title(texts("coach.curve"))
        axes.legend(frameon=False, loc="best", ncols=3)


def draw_league(league: League, file: Path | io.StringIO, texts: Texts) -> None:
    """Plot a league; the suffix of the file determines the format."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    rows = max(len(league.bots), league.game.players)
    layout = ConstrainedLayoutEngine(w_pad=0.2, h_pad=0.18, wspace=0.05, hspace=0.04)
    with _figure(file, figsize=(11, 6.2 + 0.28 * max(0, rows - 4)), layout=layout) as figure:
        games = texts("arena.games", games=texts.number(league.games))
        heading = f"{title(league.game, texts)}  ·  {games}"
        figure.suptitle(heading, fontsize=15, family="serif", x=0.02, ha="left")
        (ratings, against), (seats, turns) = figure.subplots(2, 2, width_ratios=(1.15, 1))
        _draw_ratings(ratings, league, texts)
        _draw_against(against, league, texts)
        _draw_seats(seats, league, texts)
        _draw_turns(turns, league, texts)


def league_svg(league: League, texts: Texts) -> str:
    """The same plot as SVG, without the XML declaration. It needs matplotlib."""
    file = io.StringIO()
    draw_league(league, file, texts)
    return "<svg" + file.getvalue().partition("<svg")[2]


@contextmanager
def _figure(file: Path | io.StringIO, **options: Any) -> Iterator[Figure]:
    """A figure in the style of the web client, which is written at the end; to a string as SVG."""
    from matplotlib import style
    from matplotlib.figure import Figure

    kind = file.suffix[1:] if isinstance(file, Path) else "svg"
    with style.context("escadaria.reports.plots"):
        figure = Figure(**options)
        yield figure
        figure.savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None)


def _note(axes: Axes, words: str, at: tuple[float, float], points: int, **style: Any) -> None:
    """Write words this number of points above a position."""
    style = {"ha": "center", "fontsize": 9, **style}
    axes.annotate(words, at, (0, points), textcoords="offset points", **style)


def _draw_ratings(axes: Axes, league: League, texts: Texts) -> None:
    best_first = league.by_bot
    for y, (_, points) in enumerate(best_first):
        ends = (points.low, points.high), (y, y)
        axes.plot(*ends, color=COLOURS["cobalt"], lw=6, alpha=0.3, solid_capstyle="round")
        axes.plot(points.rating, y, "o", color=COLOURS["cobalt"], ms=8)
        _note(axes, texts.number(round(points.rating)), (points.rating, y), 9, color=COLOURS["ink-2"])
    axes.set_yticks(range(len(best_first)), [_short(share.name) for share, _ in best_first])
    axes.set_ylim(len(best_first) - 0.5, -0.6)
    axes.margins(x=0.1)
    axes.axvline(0, color=COLOURS["edge"], lw=1)
    axes.grid(axis="y", visible=False)
    axes.set_title(texts("arena.rating"))


def _draw_against(axes: Axes, league: League, texts: Texts) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    names = [share.name for share, _ in league.by_bot]
    shares = [[float("nan")] * len(names) for _ in names]
    for y, one in enumerate(names):
        for x, other in enumerate(names):
            share = league.against(one, other)
            if one != other and share.games:
                shares[y][x] = share.share
                strong = abs(share.share - 0.5) > 0.33
                colour = COLOURS["paper"] if strong else COLOURS["ink"]
                words = percent(share.share, texts, 0)
                axes.text(x, y, words, ha="center", va="center", color=colour)
    colour_map = LinearSegmentedColormap.from_list("", [COLOURS[n] for n in ("coral", "paper", "cobalt")])
    axes.imshow(shares, colour_map, vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(names)), [str(rank) for rank, _ in enumerate(names, 1)])
    axes.set_yticks(range(len(names)), [f"{_short(name)}  {rank}" for rank, name in enumerate(names, 1)])
    axes.grid(visible=False)
    axes.set_title(texts("arena.plot.against"))


def _draw_seats(axes: Axes, league: League, texts: Texts) -> None:
    for x, ((share, _), look) in enumerate(zip(league.by_seat, LOOKS.values(), strict=False)):
        low, high = share.interval
        axes.bar(x, 100 * share.share, width=0.62, color=look.paper, edgecolor=COLOURS["edge"], lw=0.8)
        for colour, width in (("paper", 5), ("ink", 2)):  # visible on every seat's colour
            axes.vlines(x, 100 * low, 100 * high, color=COLOURS[colour], lw=width)
        _note(axes, percent(share.share, texts), (x, 100 * high), 4, color=COLOURS["ink-2"])
    axes.axhline(100 / league.game.players, color=COLOURS["ink"], lw=1, ls=(0, (4, 3)))
    axes.set_xticks(range(league.game.players), [share.name for share, _ in league.by_seat])
    axes.margins(y=0.15)
    axes.grid(axis="x", visible=False)
    axes.set_title(texts("arena.plot.seats"))


def _draw_turns(axes: Axes, league: League, texts: Texts) -> None:
    lengths, length = league.lengths, league.length
    games = [100 * number / league.games for number in lengths.values()]
    axes.bar(list(lengths), games, width=1, color=COLOURS["leaf"], alpha=0.75)
    axes.axvline(length.median, color=COLOURS["ink"], lw=1, ls=(0, (4, 3)))
    common = [turns for turns, share in zip(lengths, games, strict=True) if share > max(games) / 100]
    axes.set_xlim(0, max(common) + 1)  # without rare, very long games
    axes.grid(axis="x", visible=False)
    axes.set_title(texts("arena.plot.turns"))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else "…" + name[1 - LONGEST_NAME :]
