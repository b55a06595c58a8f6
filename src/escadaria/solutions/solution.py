"""The interface of a solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from escadaria.game import AnyGame


@dataclass(frozen=True, slots=True)
class Bounds:
    """The proven bounds of a solution."""

    low: float
    """The lower bound of the first seat's win probability at the start, with best play on both sides."""
    high: float
    """The upper bound."""
    gap: float
    """The largest distance between the bounds of any position."""


class Solution(Protocol):
    """The exact value of every position of a game."""

    @property
    def game(self) -> AnyGame:
        """The solved game."""

    @property
    def bounds(self) -> Bounds:
        """The proven bounds."""

    def value(self, state: Any) -> float:
        """The win probability of the seat to act; at a chance node, of the seat whose turn it is."""

    def action_values(self, state: Any) -> dict[Any, float]:
        """The win probability after each legal action; empty at other nodes."""
