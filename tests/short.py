"""A race that is short enough to be solved in a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from escadaria.game import Option
from escadaria.games.rapido.rules import Rapido


@dataclass(frozen=True)
class ShortRapido(Rapido):
    """Rapido with fewer steps than R3 allows."""

    players: int = 2
    finish: int = 2
    OPTIONS: ClassVar[tuple[Option, ...]] = (
        Option("players", default=2, low=2, high=3, ruling="R1"),
        Option("finish", default=2, low=1, high=4, ruling="R3"),
    )
