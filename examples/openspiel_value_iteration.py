"""OpenSpiel's value iteration solves a tiny race of Rapido exactly.

    python examples/openspiel_value_iteration.py --finish 1 --rolls 26 7X

The real race has hundreds of millions of positions, too many for an algorithm that stores each as a Python
object. So the race is short, shorter than R3 allows, and the dice are loaded: only the given rolls are
possible, weighted by how often each is given. All other rules are those of Rapido for two. Such a race has
a few thousand positions, and its value is used to test a faster solver.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from importlib.util import find_spec
from types import ModuleType
from typing import ClassVar

from escadaria.adapters import openspiel
from escadaria.game import CHANCE, Option
from escadaria.games.rapido.rules import Action, Rapido, State

FINISH, ROLLS = 1, ("26", "7X")
"""The default race."""

LINEAR_PROGRAMS = "open_spiel.python.algorithms.lp_solver"


@dataclass(frozen=True)
class LoadedRapido(Rapido):
    """Rapido with loaded dice, up a staircase of any height."""

    players: int = 2
    finish: int = FINISH
    rolls: tuple[str, ...] = ROLLS
    """The possible rolls; repeated ones are more likely."""

    OPTIONS: ClassVar[tuple[Option, ...]] = (
        Option("players", default=2, low=2, high=6, ruling="R1"),
        Option("finish", default=FINISH, low=1, high=50, ruling="R3"),
    )

    @cached_property
    def outcomes(self) -> tuple[tuple[Action, Fraction], ...]:
        each = {text: self.rolls.count(text) for text in self.rolls}
        return tuple((self.parse(text), Fraction(count, len(self.rolls))) for text, count in each.items())

    def chance_outcomes(self, state: State) -> tuple[tuple[Action, Fraction], ...]:
        return self.outcomes if self.current_player(state) == CHANCE else ()


def solve(race: LoadedRapido, exactness: float = 1e-12) -> tuple[float, dict[str, float]]:
    """The win probability of the starting player, and that of each decision node by its text.

    :param exactness: stop when no value changes by more than this in a sweep.
    """
    # OpenSpiel always imports its linear programs, but needs them only for simultaneous moves.
    if find_spec("cvxpy") is None:
        sys.modules.setdefault(LINEAR_PROGRAMS, ModuleType(LINEAR_PROGRAMS))
    from open_spiel.python.algorithms import value_iteration

    sys.setrecursionlimit(10**6)  # OpenSpiel explores the positions recursively
    values = value_iteration.value_iteration(
        openspiel.wrap(race, horizon=10**6), depth_limit=-1, threshold=exactness, cyclic_game=True
    )
    wins = {text: (value + 1) / 2 for text, value in values.items()}
    start = race.initial_state()
    first = sum(float(p) * wins[str(race.apply(start, roll))] for roll, p in race.chance_outcomes(start))
    return first, wins


def main() -> None:
    parser = argparse.ArgumentParser(description="OpenSpiel's value iteration solves a tiny race of Rapido.")
    parser.add_argument("--finish", type=int, default=FINISH, help="the number of steps")
    parser.add_argument("--rolls", nargs="+", default=ROLLS, help="the possible rolls; repeat to weight one")
    options = parser.parse_args()
    race = LoadedRapido(finish=options.finish, rolls=tuple(options.rolls))
    first, wins = solve(race)
    print(f"{len(wins)} decision nodes and finished positions")
    print(f"the starting player wins with probability {first:.12f}")


if __name__ == "__main__":
    main()
