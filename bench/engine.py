"""The speed of the Python engine: random play of both games, beside OpenSpiel's pig in the same run.

    python3 run.py bench engine
    python3 run.py bench engine --seconds 1 --rounds 7 --json

A step is one decision or one roll. All games are driven in the same way from Python: get the current player,
list the legal actions or outcomes, choose one uniformly, apply it. Outcomes are equally likely in both games
and in pig. OpenSpiel's states are mutable and its rules are C++; ours are immutable. The goal is at least a
quarter of pig's steps; nothing is asserted here.

``shared/rounds.py`` describes the method. ``open_spiel`` is a development dependency; without it there is no
ratio.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import escadaria
from bench.shared.rounds import Candidate, Work, measure, parse, parser, report, show
from escadaria import CHANCE, TERMINAL

SEATS = (2, 3, 6)
PIG = "pig"


def main() -> None:
    """Measure, and print a table or JSON."""
    options = parse(parser("Measure the Python engine beside OpenSpiel's pig.", seconds=0.5))
    measured = measure(candidates(), options)
    rows = report(measured, "steps", {"of_pig": PIG})
    for row, one in zip(rows, measured, strict=True):
        row["games_per_second"] = statistics.median(one.calls)
        row["steps_per_game"] = row["steps_per_second"] / row["games_per_second"]
    show(options, rows=rows)
    if not any(one.name == PIG for one in measured):
        print("install open_spiel to see the ratio to pig", file=sys.stderr)


def candidates() -> Iterator[Candidate]:
    for name in escadaria.GAMES:
        for players in SEATS:
            yield Candidate(name, players, ours(name, players))
    for players in SEATS:
        if play := pig(players):
            yield Candidate(PIG, players, play)


def ours(name: str, players: int) -> Work:
    """Random play of one of our games."""
    game = escadaria.load(name, players=players)

    def play(number: int) -> int:
        rng = random.Random(number)
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


def pig(players: int) -> Work | None:
    """Random play of OpenSpiel's pig, or None if OpenSpiel is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(PIG, {"players": players})

    def play(number: int) -> int:
        rng = random.Random(number)
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


if __name__ == "__main__":
    main()
