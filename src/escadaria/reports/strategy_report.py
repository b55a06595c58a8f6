"""Strategy advice as a report: heuristics, their strength, charts."""

from __future__ import annotations

from rich.text import Text

from escadaria.i18n import Texts
from escadaria.strategy import Chart, Quality, Rule, Strategy
from escadaria.terminal.screen import KEY, QUIET, Screen
from escadaria.terminal.sentences import bot_name


def show_advice(game: str, advice: Strategy, screen: Screen) -> None:
    """Print the heuristics, their strength and the charts."""
    texts, counted = screen.texts, advice.source == "games"
    screen.say("strategy.title", "bold", game=texts(f"{game}.name"), players=advice.players)
    screen.section("strategy.rules")
    for number, rule in enumerate(advice.rules, 1):
        screen.show(rule_text(game, rule, texts), Text(f"{number:>2}", KEY))
        loss, wins = (texts.percent(share, 1) for share in (rule.loss, advice.fair - rule.loss))
        so_far = "strategy.so_far.games" if counted else "strategy.so_far"
        screen.show(Text(texts(so_far, loss=loss, wins=wins), QUIET), "  ")
    screen.show()
    screen.show(_within(advice, texts))
    # If games were counted, the loss follows from the games won.
    shown = ("wins",) if counted else ("loss", "wins")
    screen.table(
        [texts(f"strategy.{name}") for name in ("who", *shown)],
        [(_who(quality, texts), *_figures(quality, texts)[-len(shown) :]) for quality in advice.qualities],
    )
    games = texts.number(advice.qualities[0].games)
    source = texts(f"strategy.source.{advice.source}", games=games)
    screen.show(Text(source if counted else f"{texts('strategy.loss.about')} {source}", QUIET))
    for chart in advice.charts:
        screen.section(f"strategy.{game}.chart.{chart.name}")
        _show_chart(game, chart, screen)
    if advice.charts:
        screen.say(f"strategy.{game}.chart.about", QUIET, right=texts.percent(advice.charts[0].right))
    screen.show()
    for command in advice.commands:
        screen.say("strategy.made", QUIET, command=command)


def rule_text(game: str, rule: Rule, texts: Texts) -> str:
    """The text of a rule."""
    highest_first = sorted(rule.least.items(), reverse=True)
    parts = [texts(f"strategy.{game}.from", field=field, value=value) for field, value in highest_first]
    return texts(f"strategy.{game}.{rule.name}", least=texts.listed(parts), **rule.args)


def _within(advice: Strategy, texts: Texts) -> str:
    """The sentence about the distance between the rules and best play."""
    rules = next(quality for quality in advice.qualities if quality.who == "rules")
    return texts(
        f"strategy.within.{advice.source}",
        loss=texts.percent(rules.loss, 1),
        wins=texts.percent(rules.wins, 1),
        fair=texts.percent(advice.fair, 1),
    )


def _who(quality: Quality, texts: Texts) -> str:
    key = f"strategy.who.{quality.who}"
    return texts(key) if key in texts else bot_name(quality.who, texts)


def _figures(quality: Quality, texts: Texts) -> list[str]:
    pairs = (quality.loss, quality.error), (quality.wins, quality.wins_error)
    return [f"{texts.percent(share, 1)} ± {texts.percent(error, 1)}" for share, error in pairs]


def _show_chart(game: str, chart: Chart, screen: Screen) -> None:
    """Print a chart as a table. All information is in the text; colour is redundant."""
    texts = screen.texts
    headings = (texts(f"strategy.{game}.chart.row"), *chart.columns)
    rows = zip(chart.rows, chart.cells, strict=True)
    screen.table(
        headings,
        [(row, *(_cell(chart, cell, texts) for cell in cells)) for row, cells in rows],
        left=-1,
        title=texts(f"strategy.{game}.chart.column"),
    )


def _cell(chart: Chart, cell: int | None, texts: Texts) -> Text:
    if cell is None:
        return Text("–" if chart.kind == "value" else "", QUIET)
    if chart.kind == "value":
        return Text(str(cell))
    return Text(texts("strategy.go_on"), "green") if cell else Text(texts("strategy.stop"), "bold red")
