"""A position of Rapido in the terminal."""

from __future__ import annotations

from rich.cells import set_cell_size
from rich.text import Text

from escadaria.games.rapido import rules as rapido
from escadaria.terminal.pictures import QUIET, Lines, Picture, Scene, beside, roster, shortened, width_of
from escadaria.terminal.pieces import letter

CLAY, COBALT = "#c08552", "#4a7fc1"
"""The steps: every fifth is a landing of blue tiles. Both colours are visible on white and on black."""


def draw(scene: Scene) -> Picture:
    """The tower beside the staircase, or above it where there is little room."""
    tower = _tower(scene)
    room = scene.width - width_of(tower) - 3
    if room >= 36:
        board = beside(tower, _stairs(scene, room), 3)
    else:
        board = [*tower, Text(), *_stairs(scene, scene.width)]
    steps = [Text(str(step), "bold") for step in scene.state.steps]
    return Picture([*board, Text(), *roster(scene, steps)], _hand(scene))


def _tower(scene: Scene) -> Lines:
    room = 16 if scene.width >= 64 else 14
    side, line = scene.either("│", "|"), scene.either("─", "-")
    roof = scene.either(f"╭{line * room}╮", f".{line * room}.")
    foot = scene.either(f"╰{line * room}╯", f"'{line * room}'")
    lines = [Text("  " + roof, QUIET)]
    for field in range(rapido.TOP_FIELD, -1, -1):
        inside = _field(scene, field, room - 2)
        lines.append(Text.assemble((str(field), "bold"), (f" {side} ", QUIET), inside, (f" {side}", QUIET)))
    return [*lines, Text("  " + foot, QUIET)]


def _field(scene: Scene, field: int, room: int) -> Text:
    pairs = [pair for pair in scene.state.tower if pair.field == field]
    if not pairs:
        line = Text(scene.word("free"), QUIET)
    elif field == 0:  # any number of pairs, whose values matter no more (R4, R14)
        tokens = [scene.token(pair.seat) for pair in pairs]
        letters = [letter(scene.look(pair.seat)) for pair in pairs]
        line = Text(" ").join(tokens if 3 * len(pairs) - 1 <= room else letters)
    else:
        seat, value = pairs[0].seat, f"{pairs[0].value:>2}"
        name = set_cell_size(shortened(scene.seats[seat].name, room - 6), room - 6)
        line = Text.assemble(scene.token(seat), f" {name} ", (value, "bold"))
    line.truncate(room, pad=True)
    return line


def _stairs(scene: Scene, room: int) -> Lines:
    """A flight of steps from left to right, with the pieces standing on it."""
    finish, levels = scene.game.options["finish"], 8 * 6
    assert isinstance(finish, int)
    room -= 1  # the last number is wider than its step may be
    wide = max(1, min(3, room // (finish + 1)))
    columns = min(room, wide * (finish + 1))
    step_at = [min(column // wide, finish) for column in range(columns)]
    if columns < finish + 1:  # several steps share a column
        step_at = [round(column * finish / (columns - 1)) for column in range(columns)]
    height = {step: 1 + step * (levels - 1) // finish for step in step_at}
    canvas: dict[tuple[int, int], Text] = {}
    for column, step in enumerate(step_at):
        for row in range((height[step] + 7) // 8):
            level = min(8, height[step] - 8 * row)
            block = scene.either(" ▁▂▃▄▅▆▇█"[level], "#" if level > 3 else "_")
            canvas[row, column] = Text(block, COBALT if step % 5 == 0 else CLAY)
    for step in sorted(set(scene.state.steps)):
        seats = [seat for seat, at in enumerate(scene.state.steps) if at == step]
        nearest = min(step_at, key=lambda there: abs(there - step))
        first, bottom = step_at.index(nearest), (height[nearest] + 7) // 8
        if len(seats) == 1 and wide > 1:
            canvas[bottom, first], canvas[bottom, first + 1] = scene.token(seats[0]).divide([1])
            continue
        for place, seat in enumerate(seats):
            canvas[bottom + place // wide, first + place % wide] = letter(scene.look(seat))
    top = max(row for row, _ in canvas)
    lines = [
        Text("").join(canvas.get((row, column), Text(" ")) for column in range(columns))
        for row in range(top, -1, -1)
    ]
    return [*lines, _scale(step_at, finish)]


def _scale(step_at: list[int], finish: int) -> Text:
    """The numbers under the finish and every fifth step, as far as there is room for them."""
    marks = [" "] * (len(step_at) + 1)
    for step in (finish, *range(0, finish, 5)):
        column = step_at.index(min(step_at, key=lambda there: abs(there - step)))
        room = slice(column, column + len(str(step)))
        if set(marks[room.start : room.stop + 1]) == {" "}:
            marks[room] = str(step)
    return Text("".join(marks).rstrip(), QUIET)


def _hand(scene: Scene) -> Lines:
    if scene.state.phase is not rapido.Phase.DECIDE:
        return []
    faces = [face if face != "0" else "X" for face in f"{scene.state.value:02}"]
    dice = Text(" ").join(Text(f" {face} ", scene.look(scene.state.turn).style) for face in faces)
    return [Text.assemble(scene.word("hand"), " ", dice, " = ", (str(scene.state.value), "bold"))]
