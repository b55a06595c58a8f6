"""What a solution is, whichever game it solves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from escadaria.game import AnyGame


@dataclass(frozen=True, slots=True)
class Bounds:
    """What was proven."""

    low: float
    """The least share of games that the first seat wins, from the start with best play on both sides."""
    high: float
    """The greatest such share."""
    gap: float
    """Between the bounds of any position, the largest."""


class Solution(Protocol):
    """The exact worth of every position of a game."""

    @property
    def game(self) -> AnyGame:
        """What it solves."""

    @property
    def bounds(self) -> Bounds:
        """How exact it is."""

    def value(self, state: Any) -> float:
        """The probability that the seat to act wins; at a chance node, the seat whose turn it is."""

    def action_values(self, state: Any) -> dict[Any, float]:
        """That probability after each legal action; empty where there is nothing to decide."""
