"""Bots that decide by values: an expert, who sees them with noise, and a master, who sees them exactly."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from escadaria.game import AnyGame

DRAWS = 1 << 20
"""A random draw is one of this number of equally likely values."""


class Values(Protocol):
    """A solution, or shipped values."""

    def action_values(self, state: Any, /) -> Mapping[Any, float]: ...


class Expert:
    """Takes the decision that looks best to it."""

    source = "shipped values"

    def __init__(
        self,
        values: Values,
        seen: Callable[[float, float], float],
        rng: random.Random,
        tolerance: float = 0.0,
    ) -> None:
        """``seen`` makes of a decision's value, and of a draw from -1 to 1, the value that the bot sees."""
        self.values, self.seen, self.rng, self.tolerance = values, seen, rng, tolerance

    def __call__(self, game: AnyGame, state: Any) -> Any:
        worths = self.values.action_values(state)
        return best(
            {action: self.seen(worth, self._draw()) for action, worth in worths.items()}, self.tolerance
        )

    def _draw(self) -> float:
        return 2 * self.rng.choice(range(DRAWS)) / DRAWS - 1


class Master:
    """Takes the best decision."""

    def __init__(self, values: Values, source: str, tolerance: float = 0.0) -> None:
        self.values, self.source, self.tolerance = values, source, tolerance

    def __call__(self, game: AnyGame, state: Any) -> Any:
        return best(self.values.action_values(state), self.tolerance)


def master(game: AnyGame, shipped: Callable[[Any], Values], tolerance: float = 0.0) -> Master:
    """The master: by the exact solution if the cache folder has it, else by shipped values."""
    from escadaria import solutions

    solution = solutions.find(game)
    if solution:
        return Master(solution, "exact solution", tolerance)
    return Master(shipped(game), "shipped values", tolerance)


def best(worths: Mapping[Any, float], tolerance: float) -> Any:
    """The first action that no other one exceeds by more than the tolerance."""
    first, *others = worths
    for action in others:
        if worths[action] > worths[first] + tolerance:
            first = action
    return first
