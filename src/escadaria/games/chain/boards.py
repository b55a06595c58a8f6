"""The boards of Chain (C3): data, checked when they are made."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources

from escadaria.game import BadOptions, InvalidText

SHORTEST_TRACK, LONGEST_TRACK = 18, 60


@dataclass(frozen=True, slots=True)
class Board:
    """The track (C3)."""

    length: int
    """The number of the centre."""
    arrows: tuple[tuple[int, int], ...] = ()
    """(start, end), sorted; a mapping is accepted too."""

    def __post_init__(self) -> None:
        arrows = self.arrows.items() if isinstance(self.arrows, Mapping) else self.arrows
        try:
            object.__setattr__(self, "arrows", tuple(sorted((start, end) for start, end in arrows)))
        except (TypeError, ValueError):
            raise BadOptions(
                f"arrows must be pairs of spaces, as in ((7, 11), (10, 5)), not {self.arrows!r}", ruling="C3"
            ) from None
        for problem in self._problems():
            raise BadOptions(f"board {self}: {problem}", ruling="C3")

    @classmethod
    def parse(cls, text: str) -> Board:
        """A board from its text, such as ``34 7>11 10>5``; ``str`` is the inverse.

        :raises InvalidText: if it cannot be read.
        :raises BadOptions: if it breaks C3.
        """
        length, *arrows = text.split() or [""]
        try:
            if len(text) > 1000:
                raise ValueError(len(text))
            pairs = [tuple(_digits(end) for end in arrow.split(">")) for arrow in arrows]
            return cls(_digits(length), tuple((start, end) for start, end in pairs))
        except (ValueError, TypeError) as error:
            if isinstance(error, BadOptions):
                raise
            raise InvalidText(
                f"{text[:80]!r} is no board: its length, then arrows, as in 34 7>11 10>5", ruling="C3"
            ) from None

    def __str__(self) -> str:
        return " ".join([str(self.length), *(f"{start}>{end}" for start, end in self.arrows)])

    def _problems(self) -> Iterator[str]:
        if type(self.length) is not int or not SHORTEST_TRACK <= self.length <= LONGEST_TRACK:
            yield f"its length must be a whole number from {SHORTEST_TRACK} to {LONGEST_TRACK}"
        starts = [start for start, _ in self.arrows]
        for start, end in self.arrows:
            arrow = f"the arrow {start}>{end}"
            if type(start) is not int or type(end) is not int:
                yield f"{arrow} must lead from a whole number to a whole number"
            elif outside := [space for space in (start, end) if not 0 < space < self.length]:
                if self.length in outside:
                    yield f"{arrow} must not touch the centre {self.length}"
                elif 0 in outside:
                    yield f"{arrow} must not touch the start 0"
                else:
                    yield f"{arrow} leaves the track 1 to {self.length - 1}"
            elif start == end:
                yield f"{arrow} must lead to another space"
            elif starts.count(start) > 1:
                yield f"space {start} holds more than one arrow"
            elif end in starts:
                yield f"{arrow} must not lead to another arrow"


def _digits(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text)


def _read_boards() -> dict[str, Board]:
    data = json.loads(resources.files(__package__).joinpath("data", "boards.json").read_text("utf-8"))
    return {
        name: Board(board["length"], tuple((int(start), end) for start, end in board["arrows"].items()))
        for name, board in data.items()
    }


BOARDS: Mapping[str, Board] = _read_boards()


def board_name(board: Board) -> str:
    """The board's name if it is one of ours, else its text."""
    return next((name for name, ours in BOARDS.items() if ours == board), str(board))
