"""A greedy search for heuristics: adds the rule that helps most, with its best numbers, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from escadaria.game import GameError

Numbers = NDArray[np.int64]
Cost = Callable[[Numbers], float]
Report = Callable[[str, float, Numbers], None]
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""Calls a function for each of several items, as ``map`` does; a cluster does so on many machines."""

NEAR = 3
"""How far a number moves in one step if it has more than ``MANY`` choices."""
MANY = 14
TINY = 1e-5


class NotSolved(GameError):
    """The exact solution of the game is missing."""

    code = "not_solved"


@dataclass(frozen=True)
class Family:
    """The rules to choose from, the indices of their numbers, and the choices for these."""

    places: Mapping[str, tuple[int, ...]]
    """By rule: the indices of its numbers. A search starts with the first rule."""
    nothing: tuple[int, ...]
    start: Mapping[str, tuple[int, ...]]
    """By rule: its first numbers, if there are too many combinations to try them all."""
    choices: Mapping[int, Sequence[int]]
    """By index: the choices for the number."""


@dataclass(frozen=True)
class Stage:
    """The loss after a rule was added."""

    rule: str
    """The rule that was added."""
    loss: float


@dataclass(frozen=True)
class Measured:
    """The result of games: loss per game with its standard error, and share of wins."""

    loss: float
    error: float
    wins: float
    games: int


def search(
    family: Family, cost: Cost, rough: Cost, most: int, gain: float, report: Report, run: Map = map
) -> tuple[Numbers, list[str]]:
    """Add the rule that helps most while one saves at least ``gain``; tunes all rules after each.

    The rule that helps most is found by ``rough``, a quicker estimate of ``cost``; ``run`` tries them all.
    """
    rules, names = np.array(family.nothing), list[str]()
    lost, left = np.inf, list(family.places)
    while left and len(names) < most:
        some = left if names else left[:1]
        tried = dict(zip(some, run(partial(added, family, rules=rules, cost=rough), some), strict=True))
        name = min(tried, key=lambda name: tried[name][0])
        after = tuned(family, [*names, name], tried[name][1], cost, 1 if names else 3)
        if lost - after[0] < gain:
            break
        lost, rules = after
        left.remove(name)
        names.append(name)
        report(name, lost, rules)
    return rules, names


def stages(family: Family, names: Sequence[str], rules: Numbers, cost: Cost, report: Report) -> list[Stage]:
    """The loss with the first rule alone, the first two, …, tuned each time."""
    found = []
    for number in range(1, len(names) + 1):
        fewer = only(family, names[:number], rules)
        lost, tuned_rules = tuned(family, names[:number], fewer, cost, 1)
        report(names[number - 1], lost, tuned_rules)
        found.append(Stage(names[number - 1], lost))
    return found


def adopted(
    family: Family,
    names: Sequence[str],
    rules: Numbers,
    wins: Cost,
    fair: float,
    report: Report,
    run: Map = map,
) -> tuple[Numbers, list[Stage]]:
    """Drop the rules that win no games beside the others; the loss is the difference to a fair share of wins.

    The first rule stays. The others are ordered by what they add to those before them; a rule that adds
    nothing is dropped too.
    """

    def share(some: Sequence[str]) -> float:
        return wins(only(family, some, rules))

    def shares(choices: Mapping[str, Sequence[str]]) -> dict[str, float]:
        rules_of = [only(family, some, rules) for some in choices.values()]
        return dict(zip(choices, run(wins, rules_of), strict=True))

    kept, most = list(names), share(names)
    while len(kept) > 1:
        without = shares({name: [other for other in kept if other != name] for name in kept[1:]})
        name = max(without, key=lambda name: without[name])
        if without[name] < most:
            break
        most = without[name]
        kept.remove(name)
        report(f"no {name}", fair - most, only(family, kept, rules))
    chosen, most, found = kept[:1], share(kept[:1]), [Stage(kept[0], fair - share(kept[:1]))]
    while len(chosen) < len(kept):
        beside = shares({name: [*chosen, name] for name in kept if name not in chosen})
        name = max(beside, key=lambda name: beside[name])
        if beside[name] <= most:
            break
        chosen, most = [*chosen, name], beside[name]
        found.append(Stage(name, fair - most))
        report(name, fair - most, only(family, chosen, rules))
    return only(family, chosen, rules), found


def only(family: Family, names: Sequence[str], rules: Numbers) -> Numbers:
    """The rules with the numbers of all but these names reset."""
    fewer = np.array(family.nothing)
    for name in names:
        places = list(family.places[name])
        fewer[places] = rules[places]
    return fewer


def added(family: Family, name: str, rules: Numbers, cost: Cost) -> tuple[float, Numbers]:
    """Add a rule with its best numbers, while the other rules stay as they are."""
    places, tries = family.places[name], list[Numbers]()
    grid = [_spread(family.choices[place]) for place in places]
    starts = [family.start[name]] if name in family.start else product(*grid)
    for numbers in starts:
        trial = rules.copy()
        trial[list(places)] = numbers
        tries.append(trial)
    costs = [cost(trial) for trial in tries]
    best = int(np.argmin(costs))
    return costs[best], tries[best]


def tuned(
    family: Family, names: Sequence[str], rules: Numbers, cost: Cost, sweeps: int = 3
) -> tuple[float, Numbers]:
    """Change one number after the other while that lowers the cost."""
    rules = rules.copy()
    lost = cost(rules)
    for _ in range(sweeps):
        before = lost
        for name in names:
            for place in family.places[name]:
                lost = _moved(family.choices[place], place, rules, cost, lost)
        if before - lost < TINY:
            break
    return lost, rules


def _moved(choices: Sequence[int], place: int, rules: Numbers, cost: Cost, lost: float) -> float:
    kept = best = int(rules[place])
    for number in choices:
        far = len(choices) > MANY and abs(number - kept) > NEAR and number != choices[-1]
        if far or number == kept:
            continue
        rules[place] = number
        after = cost(rules)
        if after < lost - TINY:
            lost, best = after, number
    rules[place] = best
    return lost


def _spread(choices: Sequence[int]) -> Sequence[int]:
    """At most eight of the choices, evenly spread."""
    step = -(-len(choices) // 8)
    return choices[::step]
