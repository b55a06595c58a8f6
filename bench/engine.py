"""How fast is the readable engine? Random play of both games, beside OpenSpiel's pig in the same run.

    PYTHONPATH=src python bench/engine.py
    PYTHONPATH=src python bench/engine.py --seconds 1 --rounds 7 --json

A step is one decision or one fall of the dice. All are driven in the same way, from Python: ask whose
turn it is, list what may be done or may fall, choose evenly by one generator, apply. What may fall has
equal chances in both games and in pig. OpenSpiel's states change in place and its rules are C++; ours
are new at every step. The aim is a quarter of pig's steps or better (issue 2); nothing is asserted here.

The candidates take turns for several rounds, so that a machine that slows down slows all of them down;
the median round counts, and the best one is told too. Seconds are those of the processor, so that other
programs matter little. ``open_spiel`` comes with the development dependencies; without it there is no ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import escadaria
from escadaria import CHANCE, TERMINAL

SEATS = (2, 3, 6)
PIG = "pig"

Play = Callable[[random.Random], int]
"""Plays one game and says how many steps it took."""


@dataclass
class Candidate:
    """One thing that is measured."""

    name: str
    players: int
    play: Play = field(repr=False)
    steps: list[float] = field(default_factory=list)
    """Steps per second, by round."""
    games: list[float] = field(default_factory=list)
    """Games per second, by round."""


@dataclass(frozen=True)
class Row:
    """What is told of a candidate."""

    game: str
    players: int
    steps_per_second: float
    best_steps_per_second: float
    games_per_second: float
    steps_per_game: float
    ratio_to_pig: float | None
    """Steps per second beside those of pig for as many players."""


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Measure the readable engine beside OpenSpiel's pig.")
    parser.add_argument("--rounds", type=int, default=5, help="how often each takes its turn (5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a turn lasts (0.5)")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds must be 1 or more, --seconds more than 0")
    candidates = [
        *(Candidate(name, players, ours(name, players)) for name in escadaria.GAMES for players in SEATS),
        *(Candidate(PIG, players, play) for players in SEATS if (play := pig(players))),
    ]
    for number in range(options.rounds):
        for candidate in candidates:
            measure(candidate, options.seconds, seed=number)
    rows = tell(candidates)
    if options.json:
        print(json.dumps({"machine": machine(), "rows": [asdict(row) for row in rows]}, indent=2))
    else:
        print_table(rows)


def ours(name: str, players: int) -> Play:
    """Random play of one of our games."""
    game = escadaria.load(name, players=players)

    def play(rng: random.Random) -> int:
        state, steps = game.initial_state(), 0
        while (seat := game.current_player(state)) != TERMINAL:
            if seat == CHANCE:
                action = rng.choice(game.chance_outcomes(state))[0]
            else:
                action = rng.choice(game.legal_actions(state))
            state = game.apply(state, action)
            steps += 1
        return steps

    return play


def pig(players: int) -> Play | None:
    """Random play of OpenSpiel's pig, or None if OpenSpiel is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(PIG, {"players": players})

    def play(rng: random.Random) -> int:
        state: Any = game.new_initial_state()
        steps = 0
        while (seat := state.current_player()) != pyspiel.PlayerId.TERMINAL:
            if seat == pyspiel.PlayerId.CHANCE:
                action = rng.choice(state.chance_outcomes())[0]
            else:
                action = rng.choice(state.legal_actions())
            state.apply_action(action)
            steps += 1
        return steps

    return play


def measure(candidate: Candidate, seconds: float, seed: int) -> None:
    """One turn: whole games until the time is over."""
    rng = random.Random(seed)
    steps = games = 0
    start = time.process_time()
    while (passed := time.process_time() - start) < seconds or not games:
        steps += candidate.play(rng)
        games += 1
    candidate.steps.append(steps / passed)
    candidate.games.append(games / passed)


def tell(candidates: list[Candidate]) -> list[Row]:
    """The medians, each beside pig's."""
    pigs = {one.players: statistics.median(one.steps) for one in candidates if one.name == PIG}
    rows = []
    for one in candidates:
        steps, games = statistics.median(one.steps), statistics.median(one.games)
        ratio = steps / pigs[one.players] if one.players in pigs else None
        rows.append(Row(one.name, one.players, steps, max(one.steps), games, steps / games, ratio))
    return rows


def machine() -> dict[str, str | int | None]:
    """What it was measured on."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else None,
    }


def print_table(rows: list[Row]) -> None:
    """The rows for people."""
    told = machine()
    print(f"{told['python']}, {told['system']}, {told['cpus']} CPUs, load {told['load']}")
    print(
        f"{'game':<8}{'players':>8}{'steps/s':>12}{'best':>12}{'games/s':>10}{'steps/game':>12}{'of pig':>8}"
    )
    for row in rows:
        ratio = f"{row.ratio_to_pig:.2f}" if row.ratio_to_pig is not None else "-"
        print(
            f"{row.game:<8}{row.players:>8}{row.steps_per_second:>12,.0f}{row.best_steps_per_second:>12,.0f}"
            f"{row.games_per_second:>10,.1f}{row.steps_per_game:>12,.0f}{ratio:>8}"
        )
    if not any(row.game == PIG for row in rows):
        print("install open_spiel to see the ratio to pig", file=sys.stderr)


if __name__ == "__main__":
    main()
