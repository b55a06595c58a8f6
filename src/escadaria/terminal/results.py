"""The results of matches, simulations, solving and verification, as tables and sentences."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from escadaria.arena.simulation import Results, Share
from escadaria.record import Record, Verdict
from escadaria.solutions.solution import Solution
from escadaria.terminal.pieces import look_of, token
from escadaria.terminal.progress import show_progress
from escadaria.terminal.screen import WRONG, Screen


def show_statistics(record: Record, screen: Screen) -> None:
    """Print how often each kind of fact happened to each seat, for the kinds that have a text."""
    facts = (fact for ply in range(1, len(record.plies) + 1) for fact in record.facts(ply))
    counts = Counter((fact.kind, fact.seat) for fact in facts)
    counts.update(("turns", seat) for _, seat, _ in record.turns())
    seats = range(len(record.seats))
    table = Table("", box=None, padding=(0, 1))
    for seat in seats:
        name = Text.assemble(token(look_of(record.seats, seat), screen.fancy), f" {record.names[seat]}")
        table.add_column(name, justify="right")
    start = f"play.count.{record.game.name}."
    kinds = [key.removeprefix(start) for key in screen.texts.messages if key.startswith(start)]
    for key, kind in [("play.turns", "turns"), *((start + kind, kind) for kind in kinds)]:
        table.add_row(screen.texts(key), *(str(counts[kind, seat]) for seat in seats))
    screen.out.print(table)


def show_results(results: Results, seconds: float, screen: Screen) -> None:
    """Print the shares of games won, by bot and by seat, and the speed."""
    show_shares(results, screen)
    speed = results.games / max(seconds, 1e-9)
    rounded = round(speed) if speed >= 10 else round(speed, 1)
    screen.say("simulate.speed", number=results.games, speed=screen.texts.number(rounded))


def show_shares(results: Results, screen: Screen) -> None:
    """Print the shares of games won, by bot and by seat."""
    texts = screen.texts
    if len(results.by_bot) > 1:
        screen.out.print(_shares("simulate.bot", results.by_bot, results.game.players, screen))
    screen.out.print(_shares("simulate.seat", results.by_seat, results.game.players, screen))
    means = results.turns.mean(), results.plies.mean()
    turns, plies = (texts.number(round(mean, 1)) for mean in map(float, means))
    screen.say("simulate.mean", turns=turns, plies=plies)


def _shares(title: str, shares: Sequence[Share], players: int, screen: Screen) -> Table:
    texts = screen.texts
    table = Table(box=box.SIMPLE_HEAD if screen.fancy else box.ASCII2)
    table.add_column(texts(title))
    for heading in ("wins", "share", "interval", "expected"):
        table.add_column(texts(f"simulate.{heading}"), justify="right")

    def percent(part: float) -> str:
        return texts.number(round(100 * part, 1))

    for share in shares:
        low, high = share.interval
        table.add_row(
            Text(share.name),
            texts.number(share.wins),
            percent(share.share),
            f"{percent(low)} – {percent(high)}",
            percent(share.seats / players),
        )
    return table


@contextmanager
def solve_progress(screen: Screen) -> Iterator[Callable[[Any], None]]:
    """The progress of the solver."""
    with show_progress(screen, screen.texts("lab.preparing")) as report:

        def update(step: Any) -> None:
            done = screen.texts(f"solve.{step.phase}", sweep=step.sweep, residual=f"{step.residual:.1e}")
            left = screen.texts("solve.left", minutes=max(1, round(step.seconds_left / 60)))
            report(f"{done}, {left}")

        yield update


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


def show_verdict(record: Record, verdict: Verdict, screen: Screen) -> None:
    """Print whether the dice were fair, and if not, why."""
    seed = record.dice.removeprefix("seed ") if record.proof is None else ""
    if verdict.fair:
        key = "verify.yes.seed" if seed else "verify.yes"
        screen.say(key, "bold green", rolls=verdict.rolls, seed=seed)
        return
    turn, seat = 0, 0
    for turn, seat, plies in record.turns():  # noqa: B007 - find the turn of the ply
        if verdict.ply in plies:
            break
    name = record.names[seat]
    args = {"roll": verdict.rolls + 1, "ply": verdict.ply, "turn": turn, "name": name}
    screen.say(f"verify.no.{verdict.reason}", WRONG, **args)
