"""The analysis of a match as a report and as a plot, and the evaluation of a single position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from escadaria.coach.analysis import SIZES, Analysis, Decision, Roll, explanation, hint
from escadaria.coach.evaluators import Evaluator, Source
from escadaria.game import AnyGame
from escadaria.i18n import Texts
from escadaria.terminal.pieces import look_of, token
from escadaria.terminal.plot import COLOURS, STYLE, check_plot
from escadaria.terminal.progress import show_progress
from escadaria.terminal.screen import QUIET, Screen
from escadaria.terminal.sentences import bot_name, result

SIGNS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
STYLES = {"inaccuracy": "yellow", "mistake": "bold yellow", "blunder": "bold red"}

BARS = "▁▂▃▄▅▆▇█"
PLAIN_BARS = "12345678"

GREAT_ROLLS = 5
"""The number of rolls in the report."""

FIGURE = 12
"""The minimum width of a column of figures."""


def show_analysis(analysis: Analysis, screen: Screen) -> None:
    """Print the report: accuracy, luck and mistakes of each player."""
    texts, record = screen.texts, analysis.record
    screen.say("coach.title", "bold", game=texts(f"{record.game.name}.name"), players=record.game.players)
    screen.show(outcome(analysis, texts))
    screen.show(Text(source(analysis.source, texts), QUIET))
    screen.out.print()
    screen.out.print(_figures(analysis, screen))
    screen.out.print()
    screen.say("coach.curve", "bold")
    screen.draw(_curve(analysis, screen))
    screen.out.print()
    screen.say("coach.what_was_lost" if analysis.mistakes else "coach.nothing_lost", "bold")
    for decision in analysis.mistakes:
        sign = Text(f"{SIGNS[decision.size]:>2}", STYLES[decision.size])
        mark = Text.assemble(sign, " ", _token(analysis, decision, screen))
        screen.show(sentence(analysis, decision, texts), mark)
    screen.out.print()
    screen.say("coach.great_rolls", "bold")
    for roll in great_rolls(analysis):
        luck = Text(f"{signed(roll.luck[roll.seat], texts):>7} ")
        screen.show(sentence(analysis, roll, texts), luck + _token(analysis, roll, screen))
    screen.out.print()
    screen.show(Text(about(texts), QUIET))


def show_hint(game: AnyGame, state: Any, evaluator: Evaluator, screen: Screen) -> None:
    """Print the win probability after each legal action; at other nodes, that of each seat."""
    texts, options = screen.texts, hint(game, state, evaluator)
    rows = [
        (texts.action(game.name, option.action), option.shares[state.turn], option.error)
        for option in options
    ]
    heading = "coach.hint.action"
    if not options:
        screen.say("coach.hint.nothing")
        heading = "simulate.seat"
        both = zip(evaluator.shares(state), evaluator.error(state), strict=True)
        rows = [(texts("coach.hint.seat", seat=seat), *pair) for seat, pair in enumerate(both, 1)]
    table = Table(box=box.SIMPLE_HEAD if screen.fancy else box.ASCII2)
    table.add_column(texts(heading), overflow="fold")
    table.add_column(texts("coach.hint.share"), justify="right", no_wrap=True)
    for label, share, error in rows:
        table.add_row(Text(label), Text(texts.percent(share, 1) + plus_minus(error, texts)))
    screen.out.print(table)
    screen.show(Text(source(evaluator.source, texts), QUIET))


def hint_data(game: AnyGame, state: Any, evaluator: Evaluator) -> dict[str, Any]:
    """The hint for JSON. ``turn`` is the seat to act."""
    known = evaluator.source.known_error
    return {
        "source": evaluator.source.data(),
        "turn": state.turn,
        "shares": list(evaluator.shares(state)),
        "errors": known(list(evaluator.error(state))),
        "options": [
            {"action": str(option.action), "share": option.shares[state.turn], "error": known(option.error)}
            for option in hint(game, state, evaluator)
        ],
    }


@contextmanager
def analysis_progress(screen: Screen) -> Iterator[Callable[[int, int], None]]:
    """The progress of an analysis."""
    text = screen.texts("coach.progress")
    with show_progress(screen, text) as report:
        yield lambda done, plies: report(text, done, plies)


# Shared by the report and the page.


def outcome(analysis: Analysis, texts: Texts) -> str:
    """The winner, or that the match is unfinished."""
    record = analysis.record
    if record.outcome is None:
        return texts("coach.unfinished")
    return result(record.outcome, record.names, texts)


def source(source: Source, texts: Texts) -> str:
    """The source of the figures."""
    bot, games = bot_name(source.bot, texts), texts.number(source.games)
    return texts(f"coach.{source.kind}", gap=f"{source.gap:.1e}", bot=bot, games=games)


def about(texts: Texts) -> str:
    """The legend of the figures."""
    return texts("coach.about", **{size: texts.percent(least) for size, least in SIZES.items()})


def figures(analysis: Analysis, texts: Texts) -> Iterator[tuple[str, list[str]]]:
    """Each figure's name, and its value for each seat."""
    players = analysis.players

    def row(name: str, written: Iterable[str]) -> tuple[str, list[str]]:
        return texts(f"coach.{name}"), list(written)

    yield row("accuracy", ("–" if one.accuracy is None else texts.percent(one.accuracy) for one in players))
    yield row("decisions", (str(one.decisions) for one in players))
    for size, name in (("inaccuracy", "inaccuracies"), ("mistake", "mistakes"), ("blunder", "blunders")):
        yield row(name, (str(one.mistakes[size]) for one in players))
    first = analysis.errors[0]
    starts = (texts.percent(one.start, 1) + plus_minus(first[one.seat], texts) for one in players)
    yield row("start", starts)
    parts = ["luck", "skill", "given", *(["resigned"] if any(player.resigned for player in players) else [])]
    for name in parts:
        yield row(name, (signed(getattr(one, name), texts) for one in players))
    yield row("result", (texts.percent(one.result, 1) for one in players))
    yield row("adjusted", (texts.percent(one.adjusted, 1).replace("-", "−") for one in players))


def sentence(analysis: Analysis, moment: Decision | Roll, texts: Texts) -> str:
    """A decision or a roll in words."""
    record = analysis.record
    if isinstance(moment, Roll):
        what = moment.dice
    else:
        played = texts.action(record.game.name, moment.played.action)
        what = f"{played}. {explanation(record, moment, texts)}"
    return texts("coach.moment", turn=moment.turn, name=record.names[moment.seat], what=what)


def great_rolls(analysis: Analysis) -> list[Roll]:
    """The rolls with the largest gain or loss for the seat that rolled, in order."""
    greatest = sorted(analysis.rolls, key=lambda roll: -abs(roll.luck[roll.seat]))[:GREAT_ROLLS]
    return sorted(greatest, key=lambda roll: roll.ply)


def signed(share: float, texts: Texts) -> str:
    """A gain or a loss with its sign."""
    written = texts.percent(abs(share), 1)
    if written == texts.percent(0, 1):
        return written
    return ("+" if share > 0 else "−") + written


def plus_minus(error: float, texts: Texts) -> str:
    return f" ± {texts.percent(error, 1)}" if error else ""


# The report.


def _token(analysis: Analysis, moment: Decision | Roll, screen: Screen) -> Text:
    return token(look_of(analysis.record.seats, moment.seat), screen.fancy)


def _headings(analysis: Analysis, screen: Screen) -> list[Text]:
    seats = analysis.record.seats
    return [
        Text.assemble(token(look_of(seats, seat), screen.fancy), f" {one.name}")
        for seat, one in enumerate(seats)
    ]


def _figures(analysis: Analysis, screen: Screen) -> Table:
    """A column for each seat; in a narrow terminal the seats are listed below one another."""
    rows = list(figures(analysis, screen.texts))
    labels = max(len(label) for label, _ in rows)
    headings = _headings(analysis, screen)
    table = Table(box=None, padding=(0, 1), show_header=False)
    if labels + 3 + len(headings) * FIGURE <= screen.width:
        table.add_column("")
        for _ in headings:
            table.add_column(justify="right", overflow="ellipsis", no_wrap=True)
        table.add_row("", *headings)
        for label, values in rows:
            table.add_row(label, *values)
        return table
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for seat, heading in enumerate(headings):
        table.add_row(heading, "")
        for label, values in rows:
            table.add_row(f"  {label}", values[seat])
    return table


def _curve(analysis: Analysis, screen: Screen) -> Iterator[Text]:
    """A row of bars for each seat; the height is its win probability."""
    bars = screen.either(BARS, PLAIN_BARS)
    seats = analysis.record.seats
    room = max(10, screen.width - 9)
    for seat in range(len(seats)):
        mark = token(look_of(seats, seat), screen.fancy)
        shares = [point[seat] for point in _sampled(analysis.curve, room)]
        row = "".join(bars[min(int(share * len(bars)), len(bars) - 1)] for share in shares)
        yield Text.assemble(mark, " ", row, f" {screen.texts.percent(shares[-1])}")


def _sampled(curve: Sequence[tuple[float, ...]], room: int) -> Sequence[tuple[float, ...]]:
    """At most ``room`` points, including the first and the last."""
    if len(curve) <= room:
        return curve
    return [curve[round(place * (len(curve) - 1) / (room - 1))] for place in range(room)]


# The plot.


def draw_analysis(analysis: Analysis, path: Path, texts: Texts) -> None:
    """Plot the curve with its mistakes; the suffix of the file determines the format.

    Raises the errors of ``check_plot``.
    """
    check_plot(path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(9, 4.5), layout="constrained")
        axes = figure.subplots()
        for seat, name in enumerate(analysis.record.names):
            colour = seat_colour(analysis, seat)
            shares = [100 * point[seat] for point in analysis.curve]
            axes.plot(shares, color=COLOURS["edge"], lw=3.2, alpha=0.6)  # an outline for light colours
            axes.plot(shares, color=colour, lw=2, label=name)
            own = [decision for decision in analysis.mistakes if decision.seat == seat]
            for decision in own:
                axes.annotate(
                    SIGNS[decision.size], (decision.ply, shares[decision.ply]), (0, -12),
                    textcoords="offset points", ha="center", fontsize=9, fontweight="bold",
                )  # fmt: skip
            axes.plot(
                [decision.ply for decision in own], [shares[decision.ply] for decision in own], "o",
                color=colour, markeredgecolor=COLOURS["ink"],
            )  # fmt: skip
        axes.set_ylim(-6, 104)
        axes.set_xlabel(texts("coach.plies"))
        axes.set_ylabel("%")
        axes.set_title(texts("coach.curve"))
        axes.legend(frameon=False, loc="best", ncols=3)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def seat_colour(analysis: Analysis, seat: int) -> str:
    """The colour of a seat for CSS and matplotlib."""
    return look_of(analysis.record.seats, seat).style.rpartition(" ")[2]
