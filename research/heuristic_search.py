"""A search for heuristics: which rules help most, one after the other, and with which numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from escadaria.game import GameError

Numbers = NDArray[np.int64]
Cost = Callable[[Numbers], float]
Report = Callable[[str, float, Numbers], None]

NEAR = 3
"""How far a number moves at once if it has many choices."""
MANY = 14
TINY = 1e-5


class NotSolved(GameError):
    """A game whose exact solution is needed and not there."""

    code = "not_solved"


@dataclass(frozen=True)
class Family:
    """Rules, the places of their numbers, and what these may be."""

    places: Mapping[str, tuple[int, ...]]
    """Rule by rule; a search starts with the first."""
    nothing: tuple[int, ...]
    start: Mapping[str, tuple[int, ...]]
    """Numbers to begin with, of rules with too many of them to try all."""
    choices: Mapping[int, Sequence[int]]
    """By place."""


@dataclass(frozen=True)
class Stage:
    """After so many rules."""

    rule: str
    """Which was added."""
    loss: float


@dataclass(frozen=True)
class Measured:
    """How well somebody plays."""

    loss: float
    error: float
    wins: float
    games: int


def search(
    family: Family, cost: Cost, rough: Cost, most: int, gain: float, report: Report
) -> tuple[Numbers, list[str]]:
    """Add the rule that helps most, and again, while one saves at least ``gain``; tune all after each.

    Which one helps most is asked of ``rough``, which may look at less.
    """
    rules, names = np.array(family.nothing), list[str]()
    lost, left = np.inf, list(family.places)
    while left and len(names) < most:
        tried = {name: added(family, name, rules, rough) for name in (left if names else left[:1])}
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
    """What is lost with the first rule alone, the first two, …; each time tuned."""
    found = []
    for number in range(1, len(names) + 1):
        fewer = only(family, names[:number], rules)
        lost, tuned_rules = tuned(family, names[:number], fewer, cost, 1)
        report(names[number - 1], lost, tuned_rules)
        found.append(Stage(names[number - 1], lost))
    return found


def adopted(
    family: Family, names: Sequence[str], rules: Numbers, wins: Cost, fair: float, report: Report
) -> tuple[Numbers, list[Stage]]:
    """The rules without those that win no games beside the others; what is missing to a fair share.

    The first one stays. The others come in the order in which they bring most; whatever brings nothing to
    those before it goes too.
    """

    def share(some: Sequence[str]) -> float:
        return wins(only(family, some, rules))

    kept, most = list(names), share(names)
    while len(kept) > 1:
        without = {name: share([other for other in kept if other != name]) for name in kept[1:]}
        name = max(without, key=lambda name: without[name])
        if without[name] < most:
            break
        most = without[name]
        kept.remove(name)
        report(f"no {name}", fair - most, only(family, kept, rules))
    chosen, most, found = kept[:1], share(kept[:1]), [Stage(kept[0], fair - share(kept[:1]))]
    while len(chosen) < len(kept):
        beside = {name: share([*chosen, name]) for name in kept if name not in chosen}
        name = max(beside, key=lambda name: beside[name])
        if beside[name] <= most:
            break
        chosen, most = [*chosen, name], beside[name]
        found.append(Stage(name, fair - most))
        report(name, fair - most, only(family, chosen, rules))
    return only(family, chosen, rules), found


def only(family: Family, names: Sequence[str], rules: Numbers) -> Numbers:
    """Only these of the rules."""
    fewer = np.array(family.nothing)
    for name in names:
        places = list(family.places[name])
        fewer[places] = rules[places]
    return fewer


def added(family: Family, name: str, rules: Numbers, cost: Cost) -> tuple[float, Numbers]:
    """The rule with the numbers that are best beside the others as they are."""
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
    """Move one number after the other while that helps."""
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
    """At most eight of them."""
    step = -(-len(choices) // 8)
    return choices[::step]
