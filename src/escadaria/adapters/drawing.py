"""Positions to look at: the terminal's pictures as text, and the same scenes as pixels."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

from escadaria import i18n
from escadaria.game import AnyGame, Fact
from escadaria.games.chain import rules as chain
from escadaria.games.rapido import rules as rapido
from escadaria.record import Seat, colour_seats
from escadaria.terminal import pictures, spiral
from escadaria.terminal.tokens import look_of

if TYPE_CHECKING:
    from PIL import ImageFont

COLUMNS = 80
"""How wide a text is."""

WIDTH, HEIGHT = 960, 600
"""How large a picture is."""

FINE = 2
"""A picture is drawn so many times larger, then made smaller: that smooths its edges."""

PAPER, INK, LINE, FADED = "#f7efe2", "#2b211a", "#d8c7ae", "#8d7b67"
BONE = "#fffaf0"
"""Paper, what is written on it, what is drawn thinly, what is said quietly; and where things may lie."""


def text(game: AnyGame, state: Any, facts: Iterable[Fact] = ()) -> str:
    """The terminal's picture of a position, in colour.

    :param facts: what has happened in this turn: the order of a chain is not in the position.
    """
    scene = pictures.Scene(game, state, _seats(game), tuple(facts), i18n.load("en"), COLUMNS)
    picture = pictures.draw(scene)
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=COLUMNS)
    with console.capture() as captured:
        for line in [*picture.board, *picture.turn]:
            console.print(line, no_wrap=True)
    return captured.get()


def pixels(game: AnyGame, state: Any) -> npt.NDArray[np.uint8]:
    """The picture of a position: ``HEIGHT`` rows of ``WIDTH`` pixels in red, green and blue."""
    sheet = Sheet(game)
    for seat in range(game.players):
        left = 24 + seat * 156
        if seat == state.turn:
            sheet.box(left - 10, 12, 150, 48, fill=BONE, line=INK)
        sheet.piece(left + 14, 36, seat)
        sheet.write(left + 34, 36, _NOTES[game.name](state, seat), size=17, anchor="lm")
    _SCENES[game.name](sheet, state)
    return sheet.pixels()


class Sheet:
    """A picture in the making; lengths are those of the finished picture."""

    def __init__(self, game: AnyGame) -> None:
        try:
            from PIL import Image, ImageDraw
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                "Pillow is not installed: pictures need escadaria[pettingzoo]", name=missing.name
            ) from missing
        self.game = game
        self.seats = _seats(game)
        self.image = Image.new("RGB", (WIDTH * FINE, HEIGHT * FINE), PAPER)
        self.draw = ImageDraw.Draw(self.image)

    def pixels(self) -> npt.NDArray[np.uint8]:
        from PIL import Image

        return np.array(self.image.resize((WIDTH, HEIGHT), Image.Resampling.BOX), np.uint8)

    def box(
        self, left: float, top: float, width: float, height: float, *, fill: str, line: str, round_: float = 8
    ) -> None:
        corners = [left * FINE, top * FINE, (left + width) * FINE, (top + height) * FINE]
        self.draw.rounded_rectangle(corners, round_ * FINE, fill, line, FINE)

    def line(self, *points: tuple[float, float], fill: str, width: float) -> None:
        scaled = [(x * FINE, y * FINE) for x, y in points]
        self.draw.line(scaled, fill, round(width * FINE), joint="curve")

    def write(
        self, x: float, y: float, words: str, *, size: float, fill: str = INK, anchor: str = "mm"
    ) -> None:
        self.draw.text((x * FINE, y * FINE), words, fill, _font(size * FINE), anchor=anchor)

    def piece(self, x: float, y: float, seat: int, radius: float = 14) -> None:
        """A piece or disc in the seat's colour, with its letter."""
        paper, ink = self.colours(seat)
        corners = [(x - radius) * FINE, (y - radius) * FINE, (x + radius) * FINE, (y + radius) * FINE]
        self.draw.ellipse(corners, paper, INK, FINE)
        self.write(x, y, look_of(self.seats, seat).letter, size=radius * 1.15, fill=ink)

    def die(self, left: float, top: float, face: str, size: float, seat: int | None = None) -> None:
        """A die in the seat's colour, or a black one."""
        paper, ink = (INK, BONE) if seat is None else self.colours(seat)
        self.box(left, top, size, size, fill=paper, line=INK, round_=size / 6)
        self.write(left + size / 2, top + size / 2, face, size=size * 0.6, fill=ink)

    def colours(self, seat: int) -> tuple[str, str]:
        """The seat's colour, and the one to write on it with."""
        _, ink, _, paper = look_of(self.seats, seat).style.split()
        return paper, ink


# Rapido.


def _rapido(sheet: Sheet, state: rapido.State) -> None:
    for field in range(rapido.TOP_FIELD + 1):
        top = 90 + (rapido.TOP_FIELD - field) * 66
        sheet.box(56, top, 210, 58, fill=BONE, line=LINE)
        sheet.write(34, top + 29, str(field), size=24)
        pairs = [pair for pair in state.tower if pair.field == field]
        for place, pair in enumerate(pairs):
            if field:
                _pair(sheet, 70, top + 8, pair.seat, pair.value, 42)
                sheet.write(250, top + 29, str(pair.value), size=22, anchor="rm")
            else:  # the values matter no more (R14)
                sheet.piece(82 + place * 32, top + 29, pair.seat)
    _stairs(sheet, state)
    if state.phase is rapido.Phase.DECIDE:
        _pair(sheet, 70, 508, state.turn, state.value, 60)
        sheet.write(218, 538, f"= {state.value}", size=30, anchor="lm")


def _stairs(sheet: Sheet, state: rapido.State) -> None:
    game = sheet.game
    assert isinstance(game, rapido.Rapido)
    left, ground, high = 310.0, 560.0, 330.0
    wide = (WIDTH - 30 - left) / (game.finish + 1)
    for step in range(game.finish + 1):
        top = ground - 24 - high * step / game.finish
        colour = pictures.COBALT if step % 5 == 0 else pictures.CLAY
        sheet.box(left + step * wide, top, wide, ground - top, fill=colour, line=PAPER, round_=2)
        if step % 5 == 0 or step == game.finish:
            sheet.write(left + (step + 0.5) * wide, ground + 16, str(step), size=15, fill=FADED)
        standing = [seat for seat, at in enumerate(state.steps) if at == step]
        for place, seat in enumerate(standing):
            sheet.piece(left + (step + 0.5) * wide, top - 15 - place * 26, seat, radius=13)


def _pair(sheet: Sheet, left: float, top: float, seat: int, value: int, size: float) -> None:
    """Both dice, the higher first (R9)."""
    for place, face in enumerate(divmod(value, 10)):
        sheet.die(left + place * (size + 6), top, str(face or "X"), size, seat)


# Chain.


def _chain(sheet: Sheet, state: chain.State) -> None:
    game = sheet.game
    assert isinstance(game, chain.Chain)
    length, arrows = game.track.length, dict(game.track.arrows)
    columns, rows, _ = spiral.size(length + 1, COLUMNS)
    wide, high = (WIDTH - 40) / columns, 400 / rows
    way = spiral.path(columns, rows)[: length + 1]
    middles = [(20 + (column + 0.5) * wide, 84 + (row + 0.5) * high) for row, column in way]
    sheet.line(*middles, fill=LINE, width=10)
    for space, (x, y) in enumerate(middles):
        end = space in (0, length)
        sheet.box(
            x - wide / 2 + 5, y - high / 2 + 5, wide - 10, high - 10,
            fill=LINE if end else BONE, line=INK if end else LINE,
        )  # fmt: skip
        name = {0: "start", length: f"{length} centre"}.get(space, str(space))
        sheet.write(x - wide / 2 + 12, y - high / 2 + 16, name, size=14, fill=FADED, anchor="lm")
        if space in arrows:
            onward = arrows[space] > space
            colour = pictures.ON if onward else pictures.BACK
            sheet.write(x, y + 8, f"{'>' if onward else '<'} {arrows[space]}", size=22, fill=colour)
        lying = state.stacks.get(space, ())
        if end:
            lying = tuple(seat for seat, spaces in enumerate(state.discs) for at in spaces if at == space)
        gap = min(20.0, (wide - 44) / max(1, len(lying) - 1))
        for place, seat in enumerate(lying):  # the topmost is drawn last
            sheet.piece(x - wide / 2 + 22 + place * gap, y + 10, seat, radius=12)
    _dice(sheet, state)


def _dice(sheet: Sheet, state: chain.State) -> None:
    """The chain's numbers in order of size, then its end and direction, the loose dice, the pool."""
    for row, (name, numbers) in enumerate((("chain", state.chain.numbers), ("loose", state.loose))):
        if not numbers:
            continue
        top = 500 + row * 46
        sheet.write(24, top + 18, name, size=18, anchor="lm", fill=FADED)
        for place, number in enumerate(numbers):
            sheet.die(90 + place * 40, top, str(number), 36)
    if state.chain.numbers:
        heading = state.chain.heading.value
        sheet.write(WIDTH - 24, 518, f"ends at {state.chain.last}, {heading}", size=18, anchor="rm")
    sheet.write(WIDTH - 24, 564, f"pool {state.pool}", size=18, anchor="rm")


# For both.


def _seats(game: AnyGame) -> tuple[Seat, ...]:
    return colour_seats(game, [Seat(f"player_{seat}") for seat in range(game.players)])


@cache
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)


_NOTES: Mapping[str, Callable[[Any, int], str]] = {
    rapido.Rapido.name: lambda state, seat: f"step {state.steps[seat]}",
    chain.Chain.name: lambda state, seat: f"dice {state.hands[seat]}",
}
_SCENES: Mapping[str, Callable[[Sheet, Any], None]] = {rapido.Rapido.name: _rapido, chain.Chain.name: _chain}
"""What is said of each seat, and who draws which game."""
