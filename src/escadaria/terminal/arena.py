"""The progress and the results of a league, as tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import box
from rich.table import Table
from rich.text import Text

from escadaria.arena.league import League, Points
from escadaria.arena.simulation import Share
from escadaria.terminal.progress import show_progress
from escadaria.terminal.screen import QUIET, Screen, command


def show_league(league: League, screen: Screen) -> None:
    """Print ratings, head-to-head results, seats and the length of games."""
    texts, length = screen.texts, league.length
    players = league.game.players
    screen.say("arena.title", "bold", game=texts(f"{league.game.name}.name"), players=players)
    _table(screen, _bots(league, screen))
    if len(league.bots) > 2:
        screen.say("arena.against", QUIET)
        _table(screen, _against(league, screen))
    _table(screen, _seats(league, screen))
    mean, low, high = (texts.number(round(turns, 1)) for turns in (length.mean, length.low, length.high))
    screen.say("arena.length", mean=mean, low=low, high=high, short=length.short, long=length.long)
    screen.say("arena.games", games=texts.number(league.games))


Rows = list[list[str]]


def _bots(league: League, screen: Screen) -> Rows:
    texts = screen.texts
    names = ("simulate.bot", "arena.rating", "simulate.interval", "simulate.share", "simulate.interval")
    rows = [["", *map(texts, names)]]
    for rank, (share, points) in enumerate(league.by_bot, 1):
        rows.append([str(rank), share.name, *_rating(points, screen), *_share(share, screen)])
    return rows


def _seats(league: League, screen: Screen) -> Rows:
    texts = screen.texts
    names = ("simulate.seat", "arena.rating", "simulate.interval", "simulate.share", "simulate.interval")
    rows = [["", *map(texts, names)]]
    rows += [
        ["", share.name, *_rating(points, screen), *_share(share, screen)] for share, points in league.by_seat
    ]
    return rows


def _against(league: League, screen: Screen) -> Rows:
    names = [standing.share.name for standing in league.by_bot]
    rows = [["", screen.texts("simulate.bot"), *(str(rank) for rank, _ in enumerate(names, 1))]]
    for rank, one in enumerate(names, 1):
        shares = (league.against(one, other) if one != other else None for other in names)
        rows.append([str(rank), one, *(_percent(share, screen) for share in shares)])
    return rows


def _table(screen: Screen, rows: Rows) -> None:
    """Print rows as a table. The first row has the headings; the first two columns are rank and name."""
    table = Table(box=box.SIMPLE_HEAD if screen.fancy else box.ASCII2)
    for column, heading in enumerate(rows[0]):
        table.add_column(heading, justify="left" if column == 1 else "right", overflow="fold")
    for row in rows[1:]:
        table.add_row(*map(Text, row))
    screen.out.print(table)


def _rating(points: Points, screen: Screen) -> tuple[str, str]:
    rating, low, high = (signed(number, screen) for number in points)
    return rating, f"{low} … {high}"


def _share(share: Share, screen: Screen) -> tuple[str, str]:
    low, high = (screen.texts.number(round(100 * part, 1)) for part in share.interval)
    return _percent(share, screen), f"{low} – {high}"


def _percent(share: Share | None, screen: Screen) -> str:
    return (
        screen.texts.number(round(100 * share.share, 1)) if share and share.games else screen.either("·", "")
    )


def signed(number: float, screen: Screen) -> str:
    """A rating in whole points with its sign; 0 is the mean."""
    return ("+" if round(number) > 0 else "") + screen.texts.number(round(number))


@contextmanager
def league_progress(screen: Screen, first: str) -> Iterator[Callable[[int, int], None]]:
    """The progress of a league, with ``first`` until games are played. After Ctrl-C, prints how to resume."""
    text, state = screen.texts("simulate.progress"), (0, 0)

    def update(done: int, games: int) -> None:
        nonlocal state
        report(text if state[1] and done > state[0] else first, done, games)
        state = done, games

    try:
        with show_progress(screen, first) as report:
            yield update
    except KeyboardInterrupt:
        if state[1]:
            again = command(*(word for word in sys.argv[1:] if word != "--resume"), "--resume")
            kept, wanted = map(screen.texts.number, state)
            screen.error_line(screen.texts("arena.stopped", done=kept, games=wanted, command=again))
        raise
