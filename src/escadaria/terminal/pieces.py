"""Tokens of seats: letter, shape and colour together, so that no one depends on colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.text import Text

from escadaria.record import COLOURS, Seat


class Look(NamedTuple):
    """The appearance of a colour."""

    letter: str
    """A code, the same in every language: initials collide (gelb, grün)."""
    shape: str
    plain: str
    """The shape in ASCII."""
    ink: str
    paper: str

    @property
    def style(self) -> str:
        """A letter on the colour."""
        return f"bold {self.ink} on {self.paper}"


LOOKS: Mapping[str, Look] = {
    "red": Look("R", "●", "o", "#fff8ec", "#c2362b"),
    "blue": Look("B", "■", "#", "#fff8ec", "#22599f"),
    "green": Look("G", "▲", "^", "#fff8ec", "#2c7a4e"),
    "yellow": Look("Y", "◆", "%", "#2b211a", "#f3bc3f"),
    "black": Look("K", "✱", "*", "#fff8ec", "#2e2b2e"),
    "white": Look("W", "♣", "&", "#2b211a", "#fbf5e8"),
}


def look_of(seats: Sequence[Seat], seat: int) -> Look:
    """The look of a seat's first colour (R16), or a default by its number if it has none."""
    colours = seats[seat].colours or (COLOURS[seat],)
    return LOOKS[colours[0]]


def token(look: Look, fancy: bool) -> Text:
    """Shape and letter in the seat's colour, as in ``●R``."""
    return Text((look.shape if fancy else look.plain) + look.letter, look.style)


def letter(look: Look) -> Text:
    """Only the letter, for narrow places."""
    return Text(look.letter, look.style)
