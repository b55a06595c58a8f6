"""Generate the golden records in ``tests/records``: matches whose replay must never change.

    PYTHONPATH=src python tools/golden.py          # write them
    PYTHONPATH=src python tools/golden.py --check  # only check whether they are up to date

The output is deterministic on every machine. Dice come from the seeds and secrets below; decisions come from
the heuristics below, not from ``escadaria.bots``, so that a better bot changes no golden record. A record
changes only when a ruling or the format of records changes; then increment ``rules_version`` or the format
version, run this, and review the difference.

``positions.json`` has the last position of each record.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import escadaria
from escadaria.dice import FairDice, SeededDice, commitment
from escadaria.game import AnyGame
from escadaria.play import ROLL, Play
from escadaria.record import Proof, Seat, colour_seats

FOLDER = Path(__file__).parent.parent / "tests" / "records"
POSITIONS = "positions.json"


@dataclass(frozen=True)
class Match:
    """A match to play."""

    game: AnyGame
    seats: tuple[Seat, ...]
    dice: SeededDice | FairDice
    date: str
    commands: Mapping[int, str] = field(default_factory=dict)
    """Commands other than actions, by the version before: ``2 resign``, ``0 bot simple``, ``0 back``."""
    events: int = 10_000
    """The maximum number of events."""
    start: str = ""
    """The starting position, if not the initial one."""


MATCHES = {
    "rapido-2-fair": Match(
        escadaria.load("rapido", players=2),
        (Seat("Ana"), Seat("Bento", "simple")),
        FairDice(bytes(range(32)), "golden-rapido-2", ("a1b2c3", "")),
        "2026-11-15",
    ),
    "rapido-3": Match(
        escadaria.load("rapido", players=3),
        (Seat("Ana"), Seat("Bento", "simple"), Seat("Clara")),
        SeededDice(7),
        "2026-11-15",
    ),
    "rapido-4-resigned": Match(
        escadaria.load("rapido", players=4, finish=30),
        (Seat("Duarte"), Seat("Eva"), Seat("Eva"), Seat("Inês, a mais nova: (seat 2)")),
        SeededDice(2026),
        "2026-11-16",
        {9: "1 resign", 20: "0 bot simple", 41: "0 back", 60: "3 resign", 61: "2 resign"},
    ),
    "rapido-6": Match(
        escadaria.load("rapido", players=6, finish=12),
        tuple(Seat(name) for name in ("Ana", "Bento", "Clara", "Duarte", "Eva", "Filipe")),
        SeededDice(6),
        "2026-11-17",
    ),
    "chain-2-fair": Match(
        escadaria.load("chain", players=2, balanced=True),
        (Seat("Ana"), Seat("Bento", "simple")),
        FairDice(bytes(range(100, 132)), "golden-chain-2", ("", "00ff")),
        "2026-11-15",
    ),
    "chain-3-taken-over": Match(
        escadaria.load("chain", players=3),
        (Seat("Ana"), Seat("Bento"), Seat("Clara")),
        SeededDice(3),
        "2026-11-18",
        {5: "1 bot simple", 20: "1 back", 30: "2 resign"},
    ),
    "chain-4-unfinished": Match(
        escadaria.load("chain", players=4, board="24 5>9 11>3 20>14"),
        (Seat("Ана"), Seat("بشرى"), Seat("千代"), Seat("Zoë")),
        SeededDice(4),
        "",
        events=11,
        start="turn=2 phase=keep hands=2,3,4,1 pool=22 discs=0+9,3+9,9+24,0+0 "
        "stacks=3:1,9:1+0+2 chain=-/0/open loose=-",
    ),
    "chain-6": Match(
        escadaria.load("chain", players=6, board="short", balanced=True),
        tuple(Seat(name) for name in ("Ana", "Bento", "Clara", "Duarte", "Eva", "Filipe")),
        SeededDice(12),
        "2026-11-19",
    ),
}


def main() -> int:
    """Write the records, or check whether they are up to date."""
    files = texts()
    if "--check" in sys.argv[1:]:
        old = [name for name, text in files.items() if _read(FOLDER / name) != text]
        print("\n".join(old) or "the golden records are up to date")
        return 1 if old else 0
    FOLDER.mkdir(exist_ok=True)
    for name, text in files.items():
        (FOLDER / name).write_text(text, "utf-8", newline="\n")
    return 0


def texts() -> dict[str, str]:
    """The files by name."""
    tables = {f"{name}.txt": (match, play(match)) for name, match in MATCHES.items()}
    files = {name: write(match, table) for name, (match, table) in tables.items()}
    positions = {name: str(table.state) for name, (_, table) in tables.items()}
    return files | {POSITIONS: json.dumps(positions, indent=2) + "\n"}


def play(match: Match) -> Play:
    """The table when the match is over."""
    game = match.game
    start = game.parse_state(match.start) if match.start else None
    table = Play(game, colour_seats(game, match.seats), match.dice, start=start)
    while (seat := table.to_act) is not None and table.version < match.events:
        if command := match.commands.get(table.version):
            number, _, name = command.partition(" ")
            table.add(run_command(table, int(number), name))
        else:
            table.add(table.act(seat, ROLL if table.awaits_roll else decide(table, seat)))
    return table


def run_command(table: Play, seat: int, command: str) -> Any:
    """The event of a command."""
    if command == "resign":
        return table.resign(seat)
    return table.take_back(seat) if command == "back" else table.hand_over(seat, command.removeprefix("bot "))


def decide(table: Play, seat: int) -> str:
    """The decision by the seat's heuristic. They differ between seats, to cover many rules."""
    choices, state = table.choices(), table.state
    if table.game.name == "rapido":
        bold = state.value < 35 + 5 * seat and choices[-1] != "place 0"
        return "again" if bold else choices[-1]
    if choices[0].startswith("keep"):
        return choices[min(len(choices), 3 + seat) - 1]
    if choices[0].startswith("link"):
        return choices[-1 if seat % 2 else 0]
    long_enough = len(state.chain.numbers) >= 3 + (seat + len(table.plies)) % 3
    if long_enough or not choices[-1].isalpha():
        return [choice for choice in choices if choice.startswith("move")][-1]
    return "up" if "up" in choices and state.chain.last < 4 else choices[-1]


def write(match: Match, table: Play) -> str:
    """The record's text."""
    if isinstance(match.dice, SeededDice):
        return str(table.record(date=match.date, dice=f"seed {match.dice.seed}"))
    dice = match.dice
    proof = Proof(dice.match, commitment(dice.secret), dice.entropy, dice.secret.hex())
    return str(table.record(date=match.date, dice="fair", proof=proof))


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
