"""A position of Rapido as pixels."""

from __future__ import annotations

from escadaria.adapters.rendering import BONE, FADED, LINE, PAPER, WIDTH, Sheet
from escadaria.games.rapido import rules as rapido
from escadaria.games.rapido.picture import CLAY, COBALT


def note(state: rapido.State, seat: int) -> str:
    return f"step {state.steps[seat]}"


def draw(sheet: Sheet, state: rapido.State) -> None:
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
        colour = COBALT if step % 5 == 0 else CLAY
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
