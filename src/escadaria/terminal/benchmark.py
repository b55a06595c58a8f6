"""The progress and the results of a benchmark, as tables and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby

from rich import box
from rich.table import Table
from rich.text import Text

from escadaria.arena.benchmark import GAMES, PROTOCOL, Benchmark, Entry, Regret
from escadaria.game import AnyGame
from escadaria.terminal.progress import show_progress
from escadaria.terminal.screen import WRONG, Screen


def show_benchmark(result: Benchmark, screen: Screen) -> None:
    """Print a table for each game, and a sentence for each measure that not all entries have."""
    for name, group in groupby(result.entries, lambda entry: entry.league.game.name):
        entries = list(group)
        screen.out.print(Text.assemble((f"{result.bot} · {screen.texts(f'{name}.name')}", "bold")))
        screen.out.print(_table(entries, screen))
        for entry in entries:
            _say_regret(entry, screen)
            _say_exploitability(entry, screen)
    games = screen.texts.number(min(entry.league.games for entry in result.entries))
    screen.say("benchmark.protocol", protocol=PROTOCOL, games=games)
    if not result.official:
        screen.say("benchmark.shortened", WRONG, games=screen.texts.number(GAMES))


def _table(entries: list[Entry], screen: Screen) -> Table:
    texts = screen.texts
    table = Table(box=box.SIMPLE_HEAD if screen.fancy else box.ASCII2)
    for key in (
        "benchmark.players", "simulate.share", "simulate.interval", "simulate.expected", "arena.rating",
        "simulate.interval", "benchmark.cost",
    ):  # fmt: skip
        table.add_column(texts(key), justify="right")
    for entry in entries:
        low, high = entry.share.interval
        rating, least, most = entry.rating or (None, None, None)
        table.add_row(
            str(entry.league.game.players),
            _points(entry.share.share, screen),
            f"{_points(low, screen)} – {_points(high, screen)}",
            _points(1 / entry.league.game.players, screen),
            "" if rating is None else texts.number(round(rating)),
            ""
            if least is None or most is None
            else f"{texts.number(round(least))} – {texts.number(round(most))}",
            texts.number(float(f"{1000 * entry.cost.seconds:.2g}")),
        )
    return table


def _points(share: float, screen: Screen, digits: int = 1) -> str:
    """A probability in per cent."""
    return screen.texts.number(round(100 * share, digits))


def _say_regret(entry: Entry, screen: Screen) -> None:
    for game, regret in entry.regret.items():
        if isinstance(regret, Regret):
            figures = {
                "game": _points(regret.per_game, screen, 2),
                "low": _points(regret.low, screen, 2),
                "high": _points(regret.high, screen, 2),
                "decision": _points(regret.per_decision, screen, 3),
            }
            screen.say("benchmark.regret", options=_options(game), **figures)
        else:
            screen.say("benchmark.unsolved", options=_options(game), command=regret.solve)


def _say_exploitability(entry: Entry, screen: Screen) -> None:
    if entry.exploitability is None or entry.short is None:
        return
    most = max(entry.among, key=lambda share: share.share)
    screen.say(
        "benchmark.exploitability",
        options=_options(entry.short),
        bot=most.name,
        share=_points(most.share, screen),
        points=_points(entry.exploitability, screen),
    )


def _options(game: AnyGame) -> str:
    return " ".join(f"{name}={value}" for name, value in game.options.items())


@contextmanager
def benchmark_progress(screen: Screen) -> Iterator[Callable[[AnyGame, int, int], None]]:
    """The progress: which game is being played, and how much of it is done."""
    with show_progress(screen, screen.texts("lab.preparing")) as report:

        def update(game: AnyGame, done: int, total: int) -> None:
            name = screen.texts("arena.title", game=screen.texts(f"{game.name}.name"), players=game.players)
            report(name if total else screen.texts("benchmark.solving"), done, total)

        yield update
