"""Candidates that take turns, and what is told of them.

They take turns for several rounds, so that a machine that slows down slows all of them down; the median
round counts, and the best one is told too. Seconds are those of the processor, summed over threads, so this
is speed per core, and other programs matter little. Compiling comes before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[int], int]
"""Does something, other for each number, and says how much it was."""
Row: TypeAlias = dict[str, Any]
"""What is told, by the name of a column."""


@dataclass
class Candidate:
    """One thing that is measured."""

    name: str
    players: int
    work: Work = field(repr=False)
    speeds: list[float] = field(default_factory=list)
    """How much it did in a second, by round."""
    calls: list[float] = field(default_factory=list)
    """How often it was called in a second, by round."""

    def take_turn(self, seconds: float) -> None:
        done = number = 0
        start = time.process_time()
        while (passed := time.process_time() - start) < seconds or not done:
            done += self.work(number)
            number += 1
        self.speeds.append(done / passed)
        self.calls.append(number / passed)


def parser(description: str, seconds: float = 1.0) -> argparse.ArgumentParser:
    """The options that all have."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--rounds", type=int, default=5, help="how often each takes its turn (5)")
    made.add_argument("--seconds", type=float, default=seconds, help=f"how long a turn lasts ({seconds:g})")
    made.add_argument("--json", action="store_true", help="print JSON, not a table")
    return made


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds must be 1 or more, --seconds more than 0")
    return options


def take_turns(candidates: Iterable[Candidate], options: argparse.Namespace) -> list[Candidate]:
    """All of them, measured."""
    measured = list(candidates)
    for candidate in measured:
        candidate.work(0)  # compiles
    for _ in range(options.rounds):
        for candidate in measured:
            candidate.take_turn(options.seconds)
    return measured


def tell(candidates: Sequence[Candidate], unit: str, beside: Mapping[str, str]) -> list[Row]:
    """The medians, each beside those of peers.

    :param unit: what is counted.
    :param beside: from a column to the name of the candidate that it compares with: to the one for as many
        players, if there is one.
    """
    rows = []
    for one in candidates:
        speed = statistics.median(one.speeds)
        row: Row = {
            "name": one.name, "players": one.players, f"{unit}_per_second": speed, "best": max(one.speeds)
        }  # fmt: skip
        for column, name in beside.items():
            peers = [other for other in candidates if other.name == name]
            peers.sort(key=lambda other: other.players != one.players)
            row[column] = speed / statistics.median(peers[0].speeds) if peers else None
        rows.append(row)
    return rows


def show(options: argparse.Namespace, **tables: Sequence[Row]) -> None:
    """Print all that was measured, as JSON or as tables."""
    if options.json:
        print(json.dumps({"machine": machine(), **tables}, indent=2))
        return
    print(", ".join(f"{name} {told}" for name, told in machine().items()))
    for name, rows in tables.items():
        print(f"\n{name}:")
        print_table(rows)


def machine() -> dict[str, str | int | None]:
    """What it was measured on."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else None,
    }


def print_table(rows: Sequence[Row]) -> None:
    """For people: names to the left, figures to the right."""
    texts = [[column.replace("_", " ") for column in rows[0]]]
    texts += [[_text(told) for told in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for first, *more in texts:
        figures = (f"{text:>{width}}" for text, width in zip(more, widths[1:], strict=True))
        print("  ".join((f"{first:<{widths[0]}}", *figures)))


def _text(told: object) -> str:
    if isinstance(told, float):
        return f"{told:,.0f}" if told >= 100 else f"{told:.3g}"
    return "-" if told is None else str(told)
