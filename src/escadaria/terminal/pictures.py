"""Positions as pictures: the one place in front of the games that knows them by name.

A picture is made of lines, so that it can be measured, compared and put beside another. It is drawn
for a width of 40 columns or more, and of plain characters where the terminal has no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from escadaria.game import AnyGame, Fact
from escadaria.games.chain import rules as chain
from escadaria.games.rapido import rules as rapido
from escadaria.i18n import Texts
from escadaria.record import Seat
from escadaria.terminal import spiral
from escadaria.terminal.tokens import Look, letter, look_of, token

Lines = list[Text]

QUIET = "dim"
CLAY, COBALT = "#c08552", "#4a7fc1"
"""The steps: every fifth is a landing of blue tiles. Both are seen on white and on black."""
ON, BACK = "#2e8b84", "#c8553d"
"""Arrows onward and arrows back; their heads say it too."""


@dataclass(frozen=True)
class Scene:
    """All that a picture shows."""

    game: AnyGame
    state: Any
    seats: tuple[Seat, ...]
    facts: tuple[Fact, ...]
    """What has happened in this turn: the order of a chain is not in the position."""
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
    """A position, drawn."""

    board: Lines
    """What everybody looks at."""
    turn: Lines
    """What the seat to play has before it."""


def draw(scene: Scene) -> Picture:
    """The picture of a position; of a game that nobody has drawn yet, its text."""
    artist = PICTURES.get(scene.game.name)
    return artist(scene) if artist else Picture([Text(str(scene.state))], [])


# Rapido.


def rapido_picture(scene: Scene) -> Picture:
    """The tower beside the staircase, or above it where there is little room."""
    tower = _tower(scene)
    room = scene.width - _width(tower) - 3
    if room >= 36:
        board = beside(tower, _stairs(scene, room), 3)
    else:
        board = [*tower, Text(), *_stairs(scene, scene.width)]
    steps = [Text(str(step), "bold") for step in scene.state.steps]
    return Picture([*board, Text(), *_roster(scene, steps)], _hand(scene))


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


# Chain.


def chain_picture(scene: Scene) -> Picture:
    """The spiral, who has which dice and discs, and the chain as it was built."""
    state = scene.state
    notes = []
    for seat in range(scene.game.players):
        dice = scene.word("dice", number=state.hands[seat])
        notes.append(Text.assemble((dice, "bold"), " ", _discs(scene, seat)))
    return Picture([*_track(scene), *_roster(scene, notes)], _chain(scene))


def _track(scene: Scene) -> Lines:
    assert isinstance(scene.game, chain.Chain)
    length, arrows = scene.game.track.length, dict(scene.game.track.arrows)
    columns, rows, room = spiral.size(length + 1, scene.width)
    cells = []
    for space in range(length + 1):
        if space in arrows:  # where no disc ever stays (C16)
            onward = arrows[space] > space
            head = scene.either("→" if onward else "←", ">" if onward else "<")
            cells.append(
                Text.assemble((f"{space:>2}", QUIET), (f"{head}{arrows[space]}", ON if onward else BACK))
            )
        else:
            cells.append(_space(scene, space, length, room))
    return spiral.lines(cells, columns, rows, room, fancy=scene.fancy)


def _space(scene: Scene, space: int, length: int, room: int) -> Text:
    """A space's number and the discs on it, bottom first; of too many the topmost."""
    seats = scene.state.stacks.get(space, ())
    if space in (0, length):  # beside the start and at the centre no disc lies on another
        seats = tuple(seat for seat, spaces in enumerate(scene.state.discs) for at in spaces if at == space)
        if len(seats) > room - 3:
            seats = tuple(dict.fromkeys(seats))
    sign = {0: scene.either("▸", ">"), length: scene.either("◎", "@")}.get(space, "")
    number = Text(f"{space or sign:>2}" + (sign if space == length else ""), "bold" if sign else QUIET)
    left = max(1, room - len(number) - 1)
    letters = [letter(scene.look(seat)) for seat in seats]
    if len(letters) > left:
        letters = [Text(scene.either("…", "~")), *letters[1 - left :]]
    return Text.assemble(number, " ", *letters)


def _discs(scene: Scene, seat: int) -> Text:
    """Where a seat's discs lie; those that cannot move are in brackets."""
    assert isinstance(scene.game, chain.Chain)
    free = list(scene.game.free_discs(scene.state, seat))
    named = {0: scene.word("start"), scene.game.track.length: scene.word("centre")}
    words = []
    for space in scene.state.discs[seat]:
        word = named.get(space, str(space))
        words.append(word if space in free else f"({word})")
        if space in free and space != 0:
            free.remove(space)  # of two on one space only the upper is free
    return Text(scene.either(" · ", ", ").join(words))


def _chain(scene: Scene) -> Lines:
    """The chain in the order it was built, its direction, the dice still to be linked, and the pool."""
    state = scene.state
    pool = Text(f"{scene.word('pool')} {state.pool}")
    if not state.chain.numbers:
        return [pool]
    links: list[tuple[int, str]] = []
    for fact in scene.facts:
        if isinstance(fact, chain.Rolled) and fact.coloured:
            links.append((fact.number, scene.look(state.turn).style))
        elif isinstance(fact, chain.Linked | chain.Added):
            links.append((fact.number, "reverse"))
    heading = state.chain.heading.value
    sign = {"up": scene.either("↗", "/"), "down": scene.either("↘", "\\"), "open": scene.either("↕", "|")}
    way = Text(f"{sign[heading]} {scene.texts(f'chain.word.{heading}')}")
    parts = [_dice(scene, "chain", links, scene.either("─", "-")), way]
    if state.loose:
        parts.append(_dice(scene, "loose", [(number, "reverse") for number in state.loose], " "))
    return packed([*parts, pool], scene.width)


def _dice(scene: Scene, word: str, dice: Sequence[tuple[int, str]], between: str) -> Text:
    """A word and dice behind it: roomy ones, or where there is no room slim ones."""
    for form in (" {} ", "{}"):
        faces = Text(between).join(Text(form.format(number), style) for number, style in dice)
        line = Text.assemble(scene.word(word), " ", faces)
        if line.cell_len <= scene.width:
            break
    return line


# For both.


def _roster(scene: Scene, notes: Sequence[Text]) -> Lines:
    """All seats with what there is to say of each, the one to play marked."""
    longest = max(cell_len(seat.name) for seat in scene.seats)
    room = max(3, min(longest, 12, scene.width - _width(notes) - 5))
    entries = []
    for seat, note in enumerate(notes):
        mark = scene.either("▸", ">") if seat == scene.state.turn else " "
        name = set_cell_size(shortened(scene.seats[seat].name, room), room)
        entries.append(Text.assemble((mark, "bold"), scene.token(seat), f" {name} ", note))
    widest = _width(entries)
    for entry in entries:
        entry.pad_right(widest - entry.cell_len)
    return packed(entries, scene.width)


def packed(parts: Sequence[Text], width: int, gap: int = 3) -> Lines:
    """As many parts in each line as fit; a part too wide for any line is cut."""
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
    """Two pictures side by side, standing on the same ground."""
    width, height = _width(left), max(len(left), len(right))
    lines = []
    for row in range(-height, 0):
        line = left[row].copy() if row >= -len(left) else Text()
        if row >= -len(right):
            line.pad_right(width + gap - line.cell_len)
            line.append_text(right[row])
        lines.append(line)
    return lines


def shortened(name: str, room: int) -> str:
    """The name, cut where there is no room for all of it."""
    return name if cell_len(name) <= room else set_cell_size(name, room - 1).rstrip() + "."


def _width(lines: Sequence[Text]) -> int:
    return max(line.cell_len for line in lines)


PICTURES: Mapping[str, Callable[[Scene], Picture]] = {
    rapido.Rapido.name: rapido_picture,
    chain.Chain.name: chain_picture,
}
"""Who draws which game."""
