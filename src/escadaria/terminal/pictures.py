"""Positions as pictures of text.

A picture is a list of lines, so that it can be measured, compared and put beside another. It needs at least
40 columns, and uses only ASCII if the terminal supports nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, Fact
from escadaria.i18n import Texts
from escadaria.record import Seat
from escadaria.terminal.pieces import Look, look_of, token

Lines = list[Text]

QUIET = "dim"


@dataclass(frozen=True)
class Scene:
    """The input of a picture."""

    game: AnyGame
    state: Any
    seats: tuple[Seat, ...]
    facts: tuple[Fact, ...]
    """The facts of the current turn, since the position does not contain a chain's order."""
    texts: Texts
    width: int = 80
    fancy: bool = True

    def look(self, seat: int) -> Look:
        return look_of(self.seats, seat)

    def token(self, seat: int) -> Text:
        return token(self.look(seat), self.fancy)

    def word(self, key: str, **args: object) -> str:
        return self.texts(f"play.picture.{key}", **args)

    def either(self, fancy: str, plain: str) -> str:
        return fancy if self.fancy else plain


@dataclass(frozen=True)
class Picture:
    """The picture of a position."""

    board: Lines
    """The board and the players."""
    turn: Lines
    """The dice of the seat to play."""


def draw(scene: Scene) -> Picture:
    """The picture of a position; its text if the game's kit has no pictures."""
    kit = kit_of(scene.game)
    if kit.picture is None:
        return Picture([Text(str(scene.state))], [])
    return kit.picture().draw(scene)


# Building blocks of pictures.


def roster(scene: Scene, notes: Sequence[Text]) -> Lines:
    """All seats with their notes; the seat to play is marked."""
    longest = max(cell_len(seat.name) for seat in scene.seats)
    room = max(3, min(longest, 12, scene.width - width_of(notes) - 5))
    entries = []
    for seat, note in enumerate(notes):
        mark = scene.either("▸", ">") if seat == scene.state.turn else " "
        name = set_cell_size(shortened(scene.seats[seat].name, room), room)
        entries.append(Text.assemble((mark, "bold"), scene.token(seat), f" {name} ", note))
    widest = width_of(entries)
    for entry in entries:
        entry.pad_right(widest - entry.cell_len)
    return packed(entries, scene.width)


def packed(parts: Sequence[Text], width: int, gap: int = 3) -> Lines:
    """Fill lines with as many parts as fit; a part wider than a line is truncated."""
    lines: Lines = []
    for part in parts:
        if lines and lines[-1].cell_len + gap + part.cell_len <= width:
            lines[-1].append_text(Text.assemble(" " * gap, part))
        else:
            lines.append(part.copy())
            lines[-1].truncate(width)
    for line in lines:
        line.rstrip()
    return lines


def beside(left: Lines, right: Lines, gap: int) -> Lines:
    """Two pictures side by side, aligned at the bottom."""
    width, height = width_of(left), max(len(left), len(right))
    lines = []
    for row in range(-height, 0):
        line = left[row].copy() if row >= -len(left) else Text()
        if row >= -len(right):
            line.pad_right(width + gap - line.cell_len)
            line.append_text(right[row])
        lines.append(line)
    return lines


def shortened(name: str, room: int) -> str:
    """The name, truncated to the width ``room``."""
    return name if cell_len(name) <= room else set_cell_size(name, room - 1).rstrip() + "."


def width_of(lines: Sequence[Text]) -> int:
    return max(line.cell_len for line in lines)
