"""Bots that choose by action values: the expert adds noise to them, the master does not."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from escadaria.game import AnyGame

DRAWS = 1 << 20
"""The number of equally likely values of a random draw."""


class Values(Protocol):
    """A solution, or shipped values."""

    def action_values(self, state: Any, /) -> Mapping[Any, float]: ...


class Expert:
    """Chooses the action with the highest noisy value."""

    source = "shipped values"

    def __init__(
        self,
        values: Values,
        seen: Callable[[float, float], float],
        rng: random.Random,
        tolerance: float = 0.0,
    ) -> None:
        """``seen`` computes the noisy value from an action's value and a random draw from -1 to 1."""
        self.values, self.seen, self.rng, self.tolerance = values, seen, rng, tolerance

    def __call__(self, game: AnyGame, state: Any) -> Any:
        worths = self.values.action_values(state)
        return best(
            {action: self.seen(worth, self._draw()) for action, worth in worths.items()}, self.tolerance
        )

    def _draw(self) -> float:
        return 2 * self.rng.choice(range(DRAWS)) / DRAWS - 1


class Master:
    """Chooses the action with the highest value."""

    def __init__(self, values: Values, source: str, tolerance: float = 0.0) -> None:
        self.values, self.source, self.tolerance = values, source, tolerance

    def __call__(self, game: AnyGame, state: Any) -> Any:
        return best(self.values.action_values(state), self.tolerance)


def master(game: AnyGame, shipped: Callable[[Any], Values], tolerance: float = 0.0) -> Master:
    """A master that uses the exact solution if it is in the cache folder, else shipped values."""
    from escadaria import solutions

    solution = solutions.find(game)
    if solution:
        return Master(solution, "exact solution", tolerance)
    return Master(shipped(game), "shipped values", tolerance)


def best(worths: Mapping[Any, float], tolerance: float) -> Any:
    """The best action; values within the tolerance count as equal, and the first of them is chosen."""
    first, *others = worths
    for action in others:
        if worths[action] > worths[first] + tolerance:
            first = action
    return first
