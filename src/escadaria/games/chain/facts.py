"""What the transitions of Chain do, as data: front ends turn facts into sentences and animations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from escadaria.game import Fact


@dataclass(frozen=True, slots=True)
class Kept(Fact):
    """The seat put dice of its hand back into the pool."""

    ruling: ClassVar[str] = "C8"
    dice: int
    discarded: int


@dataclass(frozen=True, slots=True)
class Rolled(Fact):
    """One die of the seat's hand fell."""

    ruling: ClassVar[str] = "C9"
    number: int
    coloured: bool


@dataclass(frozen=True, slots=True)
class Linked(Fact):
    """The seat linked one of its loose dice."""

    ruling: ClassVar[str] = "C10"
    number: int


@dataclass(frozen=True, slots=True)
class Lengthened(Fact):
    """The seat named a direction and took a die from the pool."""

    ruling: ClassVar[str] = "C13"
    heading: str


@dataclass(frozen=True, slots=True)
class Added(Fact):
    """The new die fitted and is the last link."""

    ruling: ClassVar[str] = "C13"
    number: int
    links: int


@dataclass(frozen=True, slots=True)
class Missed(Fact):
    """The new die did not fit."""

    ruling: ClassVar[str] = "C13"
    number: int


@dataclass(frozen=True, slots=True)
class Unlinkable(Fact):
    """The rolled dice cannot all be linked."""

    ruling: ClassVar[str] = "C10"
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Failed(Fact):
    """The turn ended without a move, and half of the dice went back into the pool."""

    ruling: ClassVar[str] = "C14"
    used: int
    lost: int


@dataclass(frozen=True, slots=True)
class Moved(Fact):
    """The seat stopped, and one of its discs walked as many spaces as the chain has links."""

    ruling: ClassVar[str] = "C12"
    start: int
    end: int
    links: int


@dataclass(frozen=True, slots=True)
class WalkedBack(Fact):
    """The disc went past the centre and walked back the surplus."""

    ruling: ClassVar[str] = "C15"
    surplus: int
    space: int


@dataclass(frozen=True, slots=True)
class TookArrow(Fact):
    """The disc ended on an arrow and followed it."""

    ruling: ClassVar[str] = "C16"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Covered(Fact):
    """The disc came to lie on another disc, which cannot move while it does."""

    ruling: ClassVar[str] = "C17"
    victim: int
    space: int


@dataclass(frozen=True, slots=True)
class Freed(Fact):
    """The disc that lay on this seat's disc left, so it may move again."""

    ruling: ClassVar[str] = "C7"
    space: int


@dataclass(frozen=True, slots=True)
class Arrived(Fact):
    """The disc ended its move at the centre and stays there."""

    ruling: ClassVar[str] = "C15"


@dataclass(frozen=True, slots=True)
class Won(Fact):
    """The seat's turn started, and none of its discs can move."""

    ruling: ClassVar[str] = "C6"
