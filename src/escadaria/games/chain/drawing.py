"""A position of Chain as pixels."""

from __future__ import annotations

from escadaria.adapters.rendering import BONE, COLUMNS, FADED, INK, LINE, WIDTH, Sheet
from escadaria.games.chain import rules as chain
from escadaria.games.chain import spiral
from escadaria.games.chain.picture import BACK, ON


def note(state: chain.State, seat: int) -> str:
    return f"dice {state.hands[seat]}"


def draw(sheet: Sheet, state: chain.State) -> None:
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
            colour = ON if onward else BACK
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
