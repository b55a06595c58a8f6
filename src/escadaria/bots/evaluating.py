"""Bots that know what each decision is worth: an expert, who sees it a little wrong, and a master."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from escadaria.game import AnyGame

LOTS = 1 << 20
"""Chance is drawn in so many equal parts."""


class Values(Protocol):
    """A solution, or shipped values."""

    def action_values(self, state: Any, /) -> Mapping[Any, float]: ...


class Expert:
    """Takes the best decision as it sees it."""

    source = "shipped values"

    def __init__(
        self, values: Values, seen: Callable[[float, float], float], rng: random.Random, shade: float = 0.0
    ) -> None:
        """``seen`` makes of a decision's worth, and of a lot from -1 to 1, what it looks worth."""
        self.values, self.seen, self.rng, self.shade = values, seen, rng, shade

    def __call__(self, game: AnyGame, state: Any) -> Any:
        worths = self.values.action_values(state)
        return best({action: self.seen(worth, self._lot()) for action, worth in worths.items()}, self.shade)

    def _lot(self) -> float:
        return 2 * self.rng.choice(range(LOTS)) / LOTS - 1


class Master:
    """Takes the best decision."""

    def __init__(self, values: Values, source: str, shade: float = 0.0) -> None:
        self.values, self.source, self.shade = values, source, shade

    def __call__(self, game: AnyGame, state: Any) -> Any:
        return best(self.values.action_values(state), self.shade)


def master(game: AnyGame, shipped: Callable[[Any], Values], shade: float = 0.0) -> Master:
    """One who plays by the exact solution if the cache folder has it."""
    from escadaria import solutions

    solution = solutions.find(game)
    if solution:
        return Master(solution, "exact solution", shade)
    return Master(shipped(game), "shipped values", shade)


def best(worths: Mapping[Any, float], shade: float) -> Any:
    """The first of those that none is better than by more than a shade."""
    first, *others = worths
    for action in others:
        if worths[action] > worths[first] + shade:
            first = action
    return first
