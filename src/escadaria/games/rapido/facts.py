"""What the transitions of Rapido do, as data: front ends turn facts into sentences and animations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from escadaria.game import Fact


@dataclass(frozen=True, slots=True)
class Scored(Fact):
    """The seat's pairs lay on fields when its turn started: the piece climbed, the pairs came back."""

    ruling: ClassVar[str] = "R7"
    fields: tuple[int, ...]
    climbed: int
    step: int


@dataclass(frozen=True, slots=True)
class Rolled(Fact):
    """The seat's dice fell."""

    ruling: ClassVar[str] = "R9"
    dice: str
    value: int
    invalid: bool = False
    """An X on a later roll ended the turn (R12), so the value does not count."""


@dataclass(frozen=True, slots=True)
class Doubled(Fact):
    """The roll was a double, and the piece climbed immediately."""

    ruling: ClassVar[str] = "R10"
    climbed: int
    step: int


@dataclass(frozen=True, slots=True)
class Fell(Fact):
    """A later roll showed an X: the turn ended, and the piece went down."""

    ruling: ClassVar[str] = "R12"
    crosses: int
    fallen: int
    """Less than ``crosses`` only at the start square."""
    step: int


@dataclass(frozen=True, slots=True)
class RolledAgain(Fact):
    """The seat took its dice up for another roll."""

    ruling: ClassVar[str] = "R8"


@dataclass(frozen=True, slots=True)
class Placed(Fact):
    """The seat put its pair on a field."""

    ruling: ClassVar[str] = "R13"
    field: int
    value: int


@dataclass(frozen=True, slots=True)
class ThrewOut(Fact):
    """Placing threw an opponent's pair out."""

    ruling: ClassVar[str] = "R14"
    victim: int
    field: int
    value: int


@dataclass(frozen=True, slots=True)
class Won(Fact):
    """The seat's piece reached the finish."""

    ruling: ClassVar[str] = "R15"
