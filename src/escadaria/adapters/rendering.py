"""Rendering of positions: the terminal's pictures as text, and pictures as SVG and as pixels."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

from escadaria import i18n
from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, Fact
from escadaria.kit import Drawing
from escadaria.record import Seat, colour_seats
from escadaria.terminal import pictures
from escadaria.terminal.pieces import look_of

if TYPE_CHECKING:
    from PIL import ImageFont

MODES = ("human", "ansi", "rgb_array")
"""How environments render: they print the position, return a text, or return pixels."""

COLUMNS = 80
"""The width of a text."""

WIDTH, HEIGHT = 960, 600
"""The size of a picture in pixels."""

SCALE = 2
"""Pictures are drawn larger by this factor and then scaled down, for anti-aliasing."""

PAPER, INK, LINE, FADED = "#f7efe2", "#2b211a", "#d8c7ae", "#8d7b67"
BONE = "#fffaf0"
"""Background, text, thin lines, secondary text; and the surface of fields and dice."""


def render(mode: str | None, game: AnyGame, state: Any, turn: Iterable[tuple[Any, Any]] = ()) -> Any:
    """Render a position in one of ``MODES``; without one nothing.

    :param turn: the positions and actions of the current turn so far.
    """
    if mode is None:
        return None
    if mode == "rgb_array":
        return pixels(game, state)
    picture = text(game, state, [fact for before, action in turn for fact in game.facts(before, action)])
    if mode == "ansi":
        return picture
    print(picture)
    return None


def text(game: AnyGame, state: Any, facts: Iterable[Fact] = ()) -> str:
    """The terminal's picture of a position, in colour.

    :param facts: the facts of the current turn, since the position does not contain a chain's order.
    """
    scene = pictures.Scene(game, state, _seats(game), tuple(facts), i18n.load("en"), COLUMNS)
    picture = pictures.draw(scene)
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=COLUMNS)
    with console.capture() as captured:
        for line in [*picture.board, *picture.turn]:
            console.print(line, no_wrap=True)
    return captured.get()


def pixels(game: AnyGame, state: Any) -> npt.NDArray[np.uint8]:
    """The picture of a position as an RGB array: ``HEIGHT`` rows of ``WIDTH`` pixels."""
    return _drawn(game, state).pixels()


def svg(game: AnyGame, state: Any) -> str:
    """The picture of a position as SVG."""
    return _drawn(game, state).svg()


def _drawn(game: AnyGame, state: Any) -> Sheet:
    sheet, kit = Sheet(game), kit_of(game)
    artist: Drawing = kit.drawing() if kit.drawing is not None else Plain
    for seat in range(game.players):
        left = 24 + seat * 156
        if seat == state.turn:
            sheet.box(left - 10, 12, 150, 48, fill=BONE, line=INK)
        sheet.piece(left + 14, 36, seat)
        sheet.write(left + 34, 36, artist.note(state, seat), size=17, anchor="lm")
    artist.draw(sheet, state)
    return sheet


class Plain:
    """The default: writes the position's text, one field per line."""

    @staticmethod
    def draw(sheet: Sheet, state: Any) -> None:
        for row, word in enumerate(str(state).split()[:14]):
            sheet.write(40, 110 + 34 * row, word[:90], size=20, anchor="lm")

    @staticmethod
    def note(state: Any, seat: int) -> str:
        return f"seat {seat}"


class Sheet:
    """A canvas; lengths are in pixels of the finished picture. Its shapes are elements of SVG."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.seats = _seats(game)
        self._elements: list[tuple[str, dict[str, Any], str]] = []

    def box(
        self, left: float, top: float, width: float, height: float, *, fill: str, line: str, round_: float = 8
    ) -> None:
        self._add("rect", x=left, y=top, width=width, height=height, rx=round_, fill=fill, stroke=line)

    def line(self, *points: tuple[float, float], fill: str, width: float) -> None:
        self._add("polyline", points=points, fill="none", stroke=fill, stroke_width=width)

    def write(
        self, x: float, y: float, words: str, *, size: float, fill: str = INK, anchor: str = "mm"
    ) -> None:
        """Write words in one line. The anchor is left, middle or right (l, m, r), and the middle (m)."""
        side = _ANCHORS[anchor[0]]
        self._add("text", words, x=x, y=y, dy="0.35em", fill=fill, font_size=size, text_anchor=side)

    def disc(self, x: float, y: float, radius: float, fill: str) -> None:
        self._add("circle", cx=x, cy=y, r=radius, fill=fill, stroke=INK)

    def _add(self, name: str, words: str = "", **attributes: Any) -> None:
        self._elements.append((name, attributes, words))

    def piece(self, x: float, y: float, seat: int, radius: float = 14) -> None:
        """A piece or disc in the seat's colour, with its letter."""
        paper, ink = self.colours(seat)
        self.disc(x, y, radius, paper)
        self.write(x, y, look_of(self.seats, seat).letter, size=radius * 1.15, fill=ink)

    def die(self, left: float, top: float, face: str, size: float, seat: int | None = None) -> None:
        """A die in the seat's colour, or in black."""
        paper, ink = (INK, BONE) if seat is None else self.colours(seat)
        self.box(left, top, size, size, fill=paper, line=INK, round_=size / 6)
        self.write(left + size / 2, top + size / 2, face, size=size * 0.6, fill=ink)

    def colours(self, seat: int) -> tuple[str, str]:
        """The seat's colour, and the text colour on it."""
        look = look_of(self.seats, seat)
        return look.paper, look.ink

    def svg(self) -> str:
        """The picture as SVG, without other packages."""
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
            f' style="max-width: 100%; height: auto" font-family="system-ui, sans-serif">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
            *(_written(*element) for element in self._elements),
            "</svg>",
        ])  # fmt: skip

    def pixels(self) -> npt.NDArray[np.uint8]:
        """The picture as an RGB array, by Pillow."""
        try:
            from PIL import Image, ImageDraw
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                "Pillow is not installed: pictures need escadaria[gymnasium] or [pettingzoo]",
                name=missing.name,
            ) from missing
        image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), PAPER)
        draw = ImageDraw.Draw(image)
        for name, attributes, words in self._elements:
            at: dict[str, Any] = {
                key: x * SCALE if isinstance(x, int | float) else x for key, x in attributes.items()
            }
            if name == "rect":
                corners = (at["x"], at["y"], at["x"] + at["width"], at["y"] + at["height"])
                draw.rounded_rectangle(corners, at["rx"], at["fill"], at["stroke"], SCALE)
            elif name == "polyline":
                points = [(x * SCALE, y * SCALE) for x, y in at["points"]]
                draw.line(points, at["stroke"], round(at["stroke_width"]), joint="curve")
            elif name == "circle":
                x, y, radius = at["cx"], at["cy"], at["r"]
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), at["fill"], INK, SCALE)
            else:
                anchor, font = _SHORT[at["text_anchor"]] + "m", _font(at["font_size"])
                draw.text((at["x"], at["y"]), words, at["fill"], font, anchor=anchor)
        return np.array(image.resize((WIDTH, HEIGHT), Image.Resampling.BOX), np.uint8)


_ANCHORS = {"l": "start", "m": "middle", "r": "end"}
_SHORT = {anchor: short for short, anchor in _ANCHORS.items()}


def _written(name: str, attributes: dict[str, Any], words: str) -> str:
    """An element of SVG as text."""
    start = f"<{name} " + " ".join(f'{key.replace("_", "-")}="{_value(x)}"' for key, x in attributes.items())
    return f"{start}>{escape(words)}</{name}>" if words else f"{start}/>"


def _value(given: Any) -> str:
    if isinstance(given, tuple):
        return " ".join(f"{x:.6g},{y:.6g}" for x, y in given)
    return given if isinstance(given, str) else format(given, ".6g")


def _seats(game: AnyGame) -> tuple[Seat, ...]:
    return colour_seats(game, [Seat(f"player_{seat}") for seat in range(game.players)])


@cache
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)
