"""The results of simulations, leagues, benchmarks and solving, as tables and sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.text import Text

from escadaria.arena.benchmark import GAMES, PROTOCOL, Benchmark, Entry, Regret
from escadaria.arena.league import League, Points
from escadaria.arena.simulation import Results, Share
from escadaria.game import AnyGame
from escadaria.i18n import Texts
from escadaria.solutions import Solution
from escadaria.terminal.screen import QUIET, WRONG, Screen

RATED = ("arena.rating", "simulate.interval", "simulate.share", "simulate.interval")
"""The headings of ``rated``."""


def show_results(results: Results, seconds: float, screen: Screen) -> None:
    """Print the shares of games won, by bot and by seat, and the speed."""
    show_shares(results, screen)
    speed = results.games / max(seconds, 1e-9)
    rounded = round(speed) if speed >= 10 else round(speed, 1)
    screen.say("simulate.speed", number=results.games, speed=screen.texts.number(rounded))


def show_shares(results: Results, screen: Screen) -> None:
    """Print the shares of games won, by bot and by seat."""
    texts = screen.texts
    names = ("wins", "share", "interval", "expected")
    for kind, shares in (("bot", results.by_bot), ("seat", results.by_seat)):
        if kind == "seat" or len(shares) > 1:
            rows = [
                (
                    share.name,
                    texts.number(share.wins),
                    percent(share.share, texts),
                    interval(share, texts),
                    percent(share.seats / results.game.players, texts),
                )
                for share in shares
            ]
            screen.table([texts(f"simulate.{name}") for name in (kind, *names)], rows)
    means = results.turns.mean(), results.plies.mean()
    turns, plies = (texts.number(round(mean, 1)) for mean in map(float, means))
    screen.say("simulate.mean", turns=turns, plies=plies)


def show_league(league: League, screen: Screen) -> None:
    """Print ratings, head-to-head results, seats and the length of games."""
    texts, length = screen.texts, league.length
    screen.show(Text(title(league.game, texts), "bold"))
    rows = [(str(rank), *rated(*standing, texts)) for rank, standing in enumerate(league.by_bot, 1)]
    screen.table(["", *map(texts, ("simulate.bot", *RATED))], rows, left=1)
    if len(league.bots) > 2:
        screen.say("arena.against", QUIET)
        screen.table(["", texts("simulate.bot"), *(row[0] for row in rows)], _against(league, screen), left=1)
    seats = [("", *rated(*standing, texts)) for standing in league.by_seat]
    screen.table(["", *map(texts, ("simulate.seat", *RATED))], seats, left=1)
    mean, low, high = (texts.number(round(turns, 1)) for turns in (length.mean, length.low, length.high))
    screen.say("arena.length", mean=mean, low=low, high=high, short=length.short, long=length.long)
    screen.say("arena.games", games=texts.number(league.games))


def show_benchmark(result: Benchmark, screen: Screen) -> None:
    """Print a table for each game, and a sentence for each measure that not all entries have."""
    texts = screen.texts
    names = (
        "benchmark.players", "simulate.share", "simulate.interval", "simulate.expected", "arena.rating",
        "simulate.interval", "benchmark.cost",
    )  # fmt: skip
    for game, group in groupby(result.entries, lambda entry: entry.league.game.name):
        entries = list(group)
        screen.show(Text(f"{result.bot} · {texts(f'{game}.name')}", "bold"))
        screen.table([*map(texts, names)], [_entry(entry, texts) for entry in entries], left=-1)
        for entry in entries:
            _say_regret(entry, screen)
            _say_exploitability(entry, screen)
    games = texts.number(min(entry.league.games for entry in result.entries))
    screen.say("benchmark.protocol", protocol=PROTOCOL, games=games)
    if not result.official:
        screen.say("benchmark.shortened", WRONG, games=texts.number(GAMES))


def solution_data(solution: Solution, path: Path) -> dict[str, Any]:
    """The bounds and the path of a solution, for JSON."""
    about = {"game": solution.game.name, "options": solution.game.options, "path": str(path)}
    return {**about, **dataclasses.asdict(solution.bounds)}


def show_solution(solution: Solution, path: Path, screen: Screen) -> None:
    """Print the bounds and the path of a solution."""
    bounds = solution.bounds
    screen.say("solve.result", low=f"{100 * bounds.low:.7f}", high=f"{100 * bounds.high:.7f}")
    screen.say("solve.gap", gap=f"{bounds.gap:.1e}")
    screen.say("solve.kept", path=str(path))


# Parts of tables.


def title(game: AnyGame, texts: Texts) -> str:
    return texts("arena.title", game=texts(f"{game.name}.name"), players=game.players)


def percent(share: float, texts: Texts, digits: int = 1) -> str:
    """A probability in per cent, without the sign."""
    return texts.number(round(100 * share, digits))


def interval(share: Share, texts: Texts) -> str:
    return " – ".join(percent(bound, texts) for bound in share.interval)


def signed(number: float, texts: Texts) -> str:
    """A rating in whole points with its sign; 0 is the mean."""
    return ("+" if round(number) > 0 else "") + texts.number(round(number))


def rated(share: Share, points: Points, texts: Texts) -> Sequence[str]:
    """A name, its rating and its share of games won."""
    rating, low, high = (signed(number, texts) for number in points)
    return share.name, rating, f"{low} … {high}", percent(share.share, texts), interval(share, texts)


def _against(league: League, screen: Screen) -> Iterator[list[str]]:
    """The share that the bot of a row has won against the bot of each column."""
    names = [share.name for share, _ in league.by_bot]
    for rank, one in enumerate(names, 1):
        shares = [league.against(one, other) if one != other else None for other in names]
        none = screen.either("·", "")
        won = [percent(share.share, screen.texts) if share and share.games else none for share in shares]
        yield [str(rank), one, *won]


def _entry(entry: Entry, texts: Texts) -> Sequence[str]:
    rating = [texts.number(round(number)) for number in entry.rating or ()]
    return (
        str(entry.league.game.players),
        percent(entry.share.share, texts),
        interval(entry.share, texts),
        percent(1 / entry.league.game.players, texts),
        "".join(rating[:1]),
        " – ".join(rating[1:]),
        texts.number(float(f"{1000 * entry.cost.seconds:.2g}")),
    )


def _say_regret(entry: Entry, screen: Screen) -> None:
    for game, regret in entry.regret.items():
        if isinstance(regret, Regret):
            figures = {
                "game": percent(regret.per_game, screen.texts, 2),
                "low": percent(regret.low, screen.texts, 2),
                "high": percent(regret.high, screen.texts, 2),
                "decision": percent(regret.per_decision, screen.texts, 3),
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
        share=percent(most.share, screen.texts),
        points=percent(entry.exploitability, screen.texts),
    )


def _options(game: AnyGame) -> str:
    return " ".join(f"{name}={value}" for name, value in game.options.items())
