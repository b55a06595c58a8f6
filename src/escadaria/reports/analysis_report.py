"""The analysis of a match as a report, and the evaluation of a single position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from escadaria.coach.analysis import SIZES, Analysis, Decision, Roll, explanation, option_data
from escadaria.coach.evaluators import Evaluator, Source
from escadaria.game import AnyGame
from escadaria.i18n import Texts
from escadaria.terminal.screen import QUIET, Item, Screen
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
    screen.show(Text(title(analysis, screen.texts), "bold"))
    show_source(analysis, screen)
    screen.show()
    screen.out.print(_figures(analysis, screen))
    screen.section("coach.curve")
    screen.draw(_curve(analysis, screen))
    show_moments(analysis, screen)


def show_source(analysis: Analysis, screen: Screen) -> None:
    """Print who won, and the source of the figures."""
    record, texts = analysis.record, screen.texts
    won = record.outcome and result(record.outcome, record.names, texts)
    screen.show(won or texts("coach.unfinished"))
    screen.show(Text(source(analysis.source, texts), QUIET))


def show_moments(analysis: Analysis, screen: Screen) -> None:
    """Print the mistakes, the greatest rolls, and the legend of the figures."""
    texts = screen.texts

    def item(sign: Text, moment: Decision | Roll) -> Item:
        return sign, screen.token(analysis.record.seats, moment.seat), sentence(analysis, moment, texts)

    screen.section("coach.what_was_lost" if analysis.mistakes else "coach.nothing_lost")
    screen.items(item(Text(f"{SIGNS[one.size]:>2}", STYLES[one.size]), one) for one in analysis.mistakes)
    screen.section("coach.great_rolls")
    screen.items(item(Text(f"{signed(one.luck[one.seat], texts):>7}"), one) for one in great_rolls(analysis))
    screen.show()
    sizes = {size: texts.percent(least) for size, least in SIZES.items()}
    screen.say("coach.about", QUIET, **sizes)


def title(analysis: Analysis, texts: Texts) -> str:
    game = analysis.record.game
    return texts("coach.title", game=texts(f"{game.name}.name"), players=game.players)


def source(source: Source, texts: Texts) -> str:
    """The source of the figures."""
    bot, games = bot_name(source.bot, texts), texts.number(source.games)
    return texts(f"coach.{source.kind}", gap=f"{source.gap:.1e}", bot=bot, games=games)


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


def _figures(analysis: Analysis, screen: Screen) -> Table:
    """A column for each seat; in a narrow terminal the seats are listed below one another."""
    rows = list(figures(analysis, screen.texts))
    labels = max(len(label) for label, _ in rows)
    names = screen.names(analysis.record.seats)
    table = Table(box=None, padding=(0, 1), show_header=False)
    if labels + 3 + len(names) * FIGURE <= screen.width:
        table.add_column("")
        for _ in names:
            table.add_column(justify="right", overflow="ellipsis", no_wrap=True)
        table.add_row("", *names)
        for label, values in rows:
            table.add_row(label, *values)
        return table
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for seat, name in enumerate(names):
        table.add_row(name, "")
        for label, values in rows:
            table.add_row(f"  {label}", values[seat])
    return table


def _curve(analysis: Analysis, screen: Screen) -> Iterator[Text]:
    """A row of bars for each seat; the height is its win probability."""
    bars, curve, room = screen.either(BARS, PLAIN_BARS), analysis.curve, max(10, screen.width - 9)
    if len(curve) > room:  # points at equal distances, with the first and the last
        curve = tuple(curve[round(place * (len(curve) - 1) / (room - 1))] for place in range(room))
    for seat, shares in enumerate(zip(*curve, strict=True)):
        row = "".join(bars[min(int(share * len(bars)), len(bars) - 1)] for share in shares)
        mark = screen.token(analysis.record.seats, seat)
        yield Text.assemble(mark, " ", row, f" {screen.texts.percent(shares[-1])}")


# A single position.


def show_hint(game: AnyGame, state: Any, evaluator: Evaluator, screen: Screen) -> None:
    """Print the win probability after each legal action; at other nodes, that of each seat."""
    texts, options = screen.texts, evaluator.options(state)
    heading = "coach.hint.action" if options else "simulate.seat"
    rows = [
        (texts.action(game.name, option.action), option.shares[state.turn], option.error)
        for option in options
    ]
    if not options:
        screen.say("coach.hint.nothing")
        both = zip(evaluator.shares(state), evaluator.error(state), strict=True)
        rows = [(texts("coach.hint.seat", seat=seat), *pair) for seat, pair in enumerate(both, 1)]
    written = [(label, texts.percent(share, 1) + plus_minus(error, texts)) for label, share, error in rows]
    screen.table((texts(heading), texts("coach.hint.share")), written)
    screen.show(Text(source(evaluator.source, texts), QUIET))


def hint_data(state: Any, evaluator: Evaluator) -> dict[str, Any]:
    """The hint for JSON. ``turn`` is the seat to act."""
    known = evaluator.source.known_error
    return {
        "source": evaluator.source.data(),
        "turn": state.turn,
        "shares": list(evaluator.shares(state)),
        "errors": known(list(evaluator.error(state))),
        "options": [option_data(option, state.turn, evaluator.source) for option in evaluator.options(state)],
    }
