"""OpenSpiel's value iteration solves a tiny race of Rapido exactly.

    python examples/openspiel_value_iteration.py --finish 1 --rolls 26 7X

The real race has some hundreds of millions of positions, too many for an algorithm that keeps each as a
Python object. So the stairs are short, shorter than R3 allows, and the dice are loaded: only the rolls named
may fall, each as often as it is named. All other rules are those of Rapido for two. Such a race has some
thousand positions, and its value serves to check a faster solver.
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
"""The race that is solved unless another is asked for."""

LINEAR_PROGRAMS = "open_spiel.python.algorithms.lp_solver"


@dataclass(frozen=True)
class LoadedRapido(Rapido):
    """Rapido with loaded dice, up a staircase of any height."""

    players: int = 2
    finish: int = FINISH
    rolls: tuple[str, ...] = ROLLS
    """What may fall, each as often as it stands here."""

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
    """The starter's probability of winning, and that from each position in which somebody is to decide.

    :param exactness: when no value changes by more than this in a round, the work is done.
    """
    if (
        find_spec("cvxpy") is None
    ):  # which OpenSpiel needs only where players move at once; it loads it always
        sys.modules.setdefault(LINEAR_PROGRAMS, ModuleType(LINEAR_PROGRAMS))
    from open_spiel.python.algorithms import value_iteration

    sys.setrecursionlimit(10**6)  # OpenSpiel walks from position to position without ever turning back
    values = value_iteration.value_iteration(
        openspiel.wrap(race, horizon=10**6), depth_limit=-1, threshold=exactness, cyclic_game=True
    )
    wins = {text: (value + 1) / 2 for text, value in values.items()}
    start = race.initial_state()
    first = sum(float(p) * wins[str(race.apply(start, roll))] for roll, p in race.chance_outcomes(start))
    return first, wins


def main() -> None:
    parser = argparse.ArgumentParser(description="OpenSpiel's value iteration solves a tiny race of Rapido.")
    parser.add_argument("--finish", type=int, default=FINISH, help="how high the stairs are")
    parser.add_argument("--rolls", nargs="+", default=ROLLS, help="what may fall, as often as named")
    wish = parser.parse_args()
    race = LoadedRapido(finish=wish.finish, rolls=tuple(wish.rolls))
    first, wins = solve(race)
    print(f"{len(wins)} positions in which somebody is to decide, or has won")
    print(f"the starter wins with probability {first:.12f}")


if __name__ == "__main__":
    main()
