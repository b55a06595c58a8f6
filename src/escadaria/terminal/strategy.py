"""Strategy advice in the terminal: heuristics, their strength, charts."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from escadaria.i18n import Texts
from escadaria.strategy import Chart, Quality, Rule, Strategy
from escadaria.terminal.screen import KEY, QUIET, Screen
from escadaria.terminal.sentences import bot_name


def show_advice(game: str, advice: Strategy, screen: Screen) -> None:
    """Print the heuristics, their strength and the charts."""
    texts = screen.texts
    screen.say("strategy.title", "bold", game=texts(f"{game}.name"), players=advice.players)
    screen.out.print()
    screen.say("strategy.rules", "bold")
    for number, rule in enumerate(advice.rules, 1):
        screen.show(rule_text(game, rule, texts), Text(f"{number:>2}", KEY))
        screen.show(Text(_so_far(advice, rule, texts), QUIET), "  ")
    screen.out.print()
    screen.show(within(advice, texts))
    screen.out.print(_qualities(advice, screen))
    games = texts.number(advice.qualities[0].games)
    source = texts(f"strategy.source.{advice.source}", games=games)
    screen.show(Text(source if _counted(advice) else f"{texts('strategy.loss.about')} {source}", QUIET))
    for chart in advice.charts:
        screen.out.print()
        screen.say(f"strategy.{game}.chart.{chart.name}", "bold")
        screen.out.print(_chart(game, chart, screen))
    if advice.charts:
        right = texts.percent(advice.charts[0].right)
        screen.show(Text(texts(f"strategy.{game}.chart.about", right=right), QUIET))
    screen.out.print()
    for command in advice.commands:
        screen.show(Text(texts("strategy.made", command=command), QUIET))


def rule_text(game: str, rule: Rule, texts: Texts) -> str:
    """The text of a rule."""
    highest_first = sorted(rule.least.items(), reverse=True)
    parts = [texts(f"strategy.{game}.from", field=field, value=value) for field, value in highest_first]
    return texts(f"strategy.{game}.{rule.name}", least=texts.listed(parts), **rule.args)


def _counted(advice: Strategy) -> bool:
    """Whether only games won were measured."""
    return advice.source == "games"


def _so_far(advice: Strategy, rule: Rule, texts: Texts) -> str:
    if _counted(advice):
        return texts("strategy.so_far.games", wins=texts.percent(advice.fair - rule.loss, 1))
    return texts("strategy.so_far", loss=texts.percent(rule.loss, 1))


def within(advice: Strategy, texts: Texts) -> str:
    """The sentence about the distance between the rules and best play."""
    rules = next(quality for quality in advice.qualities if quality.who == "rules")
    return texts(
        f"strategy.within.{advice.source}",
        loss=texts.percent(rules.loss, 1),
        wins=texts.percent(rules.wins, 1),
        fair=texts.percent(advice.fair, 1),
    )


def _qualities(advice: Strategy, screen: Screen) -> Table:
    texts = screen.texts
    table = Table(box=box.SIMPLE_HEAD if screen.fancy else box.ASCII2)
    table.add_column(texts("strategy.who"))
    shown = ("wins",) if _counted(advice) else ("loss", "wins")
    for name in shown:
        table.add_column(texts(f"strategy.{name}"), justify="right")
    for quality in advice.qualities:
        table.add_row(_who(quality, texts), *_figures(quality, texts)[-len(shown) :])
    return table


def _who(quality: Quality, texts: Texts) -> str:
    key = f"strategy.who.{quality.who}"
    return texts(key) if key in texts else bot_name(quality.who, texts)


def _figures(quality: Quality, texts: Texts) -> list[str]:
    pairs = (quality.loss, quality.error), (quality.wins, quality.wins_error)
    return [f"{texts.percent(share, 1)} ± {texts.percent(error, 1)}" for share, error in pairs]


def _chart(game: str, chart: Chart, screen: Screen) -> Table:
    """A chart as a table. All information is in the text; colour is redundant."""
    texts = screen.texts
    table = Table(
        box=box.SIMPLE_HEAD if screen.fancy else box.ASCII2,
        title=texts(f"strategy.{game}.chart.column"),
        title_style=QUIET,
    )
    table.add_column(texts(f"strategy.{game}.chart.row"), justify="right", no_wrap=True)
    for column in chart.columns:
        table.add_column(column, justify="right", no_wrap=True)
    for row, cells in zip(chart.rows, chart.cells, strict=True):
        table.add_row(row, *(_cell(chart, cell, texts) for cell in cells))
    return table


def _cell(chart: Chart, cell: int | None, texts: Texts) -> Text:
    if cell is None:
        return Text("–" if chart.kind == "value" else "", QUIET)
    if chart.kind == "value":
        return Text(str(cell))
    return Text(texts("strategy.go_on"), "green") if cell else Text(texts("strategy.stop"), "bold red")
