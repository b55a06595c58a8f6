"""The statistics of a match, and whether its dice were fair."""

from __future__ import annotations

from collections import Counter

from rich.table import Table
from rich.text import Text

from escadaria.record import Record, Verdict
from escadaria.terminal.screen import WRONG, Screen


def show_statistics(record: Record, screen: Screen) -> None:
    """Print how often each kind of fact happened to each seat, for the kinds that have a text."""
    facts = (fact for ply in range(1, len(record.plies) + 1) for fact in record.facts(ply))
    counts = Counter((fact.kind, fact.seat) for fact in facts)
    counts.update(("turns", seat) for _, seat, _ in record.turns())
    seats = range(len(record.seats))
    table = Table("", box=None, padding=(0, 1))
    for seat in seats:
        name = Text.assemble(screen.token(record.seats, seat), f" {record.names[seat]}")
        table.add_column(name, justify="right")
    start = f"play.count.{record.game.name}."
    kinds = [key.removeprefix(start) for key in screen.texts.messages if key.startswith(start)]
    for key, kind in [("play.turns", "turns"), *((start + kind, kind) for kind in kinds)]:
        table.add_row(screen.texts(key), *(str(counts[kind, seat]) for seat in seats))
    screen.out.print(table)


def show_verdict(record: Record, verdict: Verdict, screen: Screen) -> None:
    """Print whether the dice were fair, and if not, why."""
    seed = record.dice.removeprefix("seed ") if record.proof is None else ""
    if verdict.fair:
        key = "verify.yes.seed" if seed else "verify.yes"
        screen.say(key, "bold green", rolls=verdict.rolls, seed=seed)
        return
    found = ((turn, seat) for turn, seat, plies in record.turns() if verdict.ply in plies)
    turn, seat = next(found, (0, 0))
    args = {"roll": verdict.rolls + 1, "ply": verdict.ply, "turn": turn, "name": record.names[seat]}
    screen.say(f"verify.no.{verdict.reason}", WRONG, **args)
