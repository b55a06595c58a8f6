"""Bots that choose by action values: the expert adds noise to them, the master does not."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from escadaria.game import AnyGame

if TYPE_CHECKING:
    from escadaria.solutions import Values

DRAWS = 1 << 20
"""The number of equally likely values of a random draw."""


class Expert:
    """Chooses the action with the highest noisy value."""

    source = "shipped values"

    def __init__(
        self,
        values: Values,
        noisy: Callable[[float, float], float],
        rng: random.Random,
        tolerance: float = 0.0,
    ) -> None:
        """``noisy`` computes the noisy value from an action's value and a random draw from -1 to 1."""
        self.values, self.noisy, self.rng, self.tolerance = values, noisy, rng, tolerance

    def __call__(self, game: AnyGame, state: Any) -> Any:
        worths = self.values.action_values(state)
        return best(
            {action: self.noisy(worth, self._draw()) for action, worth in worths.items()}, self.tolerance
        )

    def _draw(self) -> float:
        return 2 * self.rng.choice(range(DRAWS)) / DRAWS - 1


@dataclass(frozen=True)
class Master:
    """Chooses the action with the highest value."""

    values: Values
    source: str = "shipped values"
    tolerance: float = 0.0

    def __call__(self, game: AnyGame, state: Any) -> Any:
        return best(self.values.action_values(state), self.tolerance)


def best(worths: Mapping[Any, float], tolerance: float) -> Any:
    """The best action; values within the tolerance count as equal, and the first of them is chosen."""
    first, *others = worths
    for action in others:
        if worths[action] > worths[first] + tolerance:
            first = action
    return first
