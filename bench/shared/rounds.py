"""Measuring several candidates in rounds, and reporting the results.

The candidates are measured alternately in several rounds, so that changes in the machine's speed affect all
of them. The result is the median round; the best one is reported too. Seconds are CPU time, summed over
threads, so this is speed per core, and other programs matter little. Compilation is not included.
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
"""Does work that depends on a number, and returns its amount."""
Row: TypeAlias = dict[str, Any]
"""A row of the report, by the name of the column."""


@dataclass
class Candidate:
    """Something to measure."""

    name: str
    players: int
    work: Work = field(repr=False)
    speeds: list[float] = field(default_factory=list)
    """Amount of work per second, by round."""
    calls: list[float] = field(default_factory=list)
    """Calls per second, by round."""

    def run(self, seconds: float) -> None:
        done = number = 0
        start = time.process_time()
        while (passed := time.process_time() - start) < seconds or not done:
            done += self.work(number)
            number += 1
        self.speeds.append(done / passed)
        self.calls.append(number / passed)


def parser(description: str, seconds: float = 1.0) -> argparse.ArgumentParser:
    """A parser with the common options."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--rounds", type=int, default=5, help="number of rounds (5)")
    made.add_argument("--seconds", type=float, default=seconds, help=f"per candidate and round ({seconds:g})")
    made.add_argument("--json", action="store_true", help="print JSON, not a table")
    return made


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds must be 1 or more, --seconds more than 0")
    return options


def measure(candidates: Iterable[Candidate], options: argparse.Namespace) -> list[Candidate]:
    """Measure all candidates."""
    measured = list(candidates)
    for candidate in measured:
        candidate.work(0)  # compiles
    for _ in range(options.rounds):
        for candidate in measured:
            candidate.run(options.seconds)
    return measured


def report(candidates: Sequence[Candidate], unit: str, beside: Mapping[str, str]) -> list[Row]:
    """The median speeds, with ratios to those of peers.

    :param unit: the unit of work.
    :param beside: from a column to the name of the peer that it compares with; the one with the same number
        of players is preferred.
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
    """Print the results as JSON or as tables."""
    if options.json:
        print(json.dumps({"machine": machine(), **tables}, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    for name, rows in tables.items():
        print(f"\n{name}:")
        print_table(rows)


def machine() -> dict[str, str | int | None]:
    """A description of this machine."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else None,
    }


def print_table(rows: Sequence[Row]) -> None:
    """Print rows as a table with aligned columns."""
    texts = [[column.replace("_", " ") for column in rows[0]]]
    texts += [[_text(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for first, *more in texts:
        figures = (f"{text:>{width}}" for text, width in zip(more, widths[1:], strict=True))
        print("  ".join((f"{first:<{widths[0]}}", *figures)))


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return "-" if value is None else str(value)
