"""The track of Chain drawn as a spiral between walls."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

Cell = tuple[int, int]
"""Row and column."""

NARROWEST, WIDEST = 6, 9
"""The minimum and maximum width of a cell in characters."""

WALL = "dim"
WALLS = " ╴╷┐╶─┌┬╵┘│┤└┴├┼"
"""Corners, indexed by the sum of the walls that meet: 1 to the left, 2 below, 4 to the right, 8 above."""
PLAIN_WALLS = " -|+--++|+|+++++"
WAYS = {(0, 1): "›", (0, -1): "‹", (1, 0): "↓", (-1, 0): "↑"}
PLAIN_WAYS = {(0, 1): ">", (0, -1): "<", (1, 0): "v", (-1, 0): "^"}


def size(cells: int, width: int) -> tuple[int, int, int]:
    """Columns, rows and the width of a cell, with the fewest unused cells and about five rows."""
    most = max(2, (width - 1) // (NARROWEST + 1))
    shapes = [(-(-cells // rows), rows) for rows in range(4, max(8, -(-cells // most)) + 1)]
    fitting = [shape for shape in shapes if shape[0] <= most]
    columns, rows = min(fitting, key=lambda shape: (shape[0] * shape[1] - cells, abs(shape[1] - 5)))
    return columns, rows, max(NARROWEST, min(WIDEST, (width - 1) // columns - 1))


def path(columns: int, rows: int) -> list[Cell]:
    """All cells from the upper left corner clockwise inward."""
    top, left, bottom, right = 0, 0, rows - 1, columns - 1
    cells: list[Cell] = []
    while top <= bottom and left <= right:
        cells += [(top, column) for column in range(left, right + 1)]
        cells += [(row, right) for row in range(top + 1, bottom + 1)]
        if top < bottom:
            cells += [(bottom, column) for column in range(right - 1, left - 1, -1)]
        if left < right:
            cells += [(row, left) for row in range(bottom - 1, top, -1)]
        top, left, bottom, right = top + 1, left + 1, bottom - 1, right - 1
    return cells


def lines(contents: Sequence[Text], columns: int, rows: int, room: int, *, fancy: bool = True) -> list[Text]:
    """The spiral with these contents in its cells, from the upper left corner to the middle."""
    order = path(columns, rows)[: len(contents)]
    number = {cell: index for index, cell in enumerate(order)}
    inside = dict(zip(order, contents, strict=True))
    picture = []
    for row in range(rows):
        picture.append(_edge(number, row, columns, room, fancy))
        line = Text()
        for column in range(columns):
            line.append_text(_side(number, (row, column - 1), (row, column), fancy))
            content = inside.get((row, column), Text()).copy()
            content.truncate(room, pad=True)
            line.append_text(content)
        line.append_text(_side(number, (row, columns - 1), (row, columns), fancy))
        picture.append(line)
    return [*picture, _edge(number, rows, columns, room, fancy)]


def _is_wall(number: dict[Cell, int], one: Cell, other: Cell) -> bool:
    """Whether there is a wall between two adjacent cells: not between consecutive or between unused ones."""
    first, second = number.get(one), number.get(other)
    if first is None or second is None:
        return first is not second
    return abs(first - second) != 1


def _side(number: dict[Cell, int], left: Cell, right: Cell, fancy: bool) -> Text:
    if _is_wall(number, left, right):
        return Text("│" if fancy else "|", WALL)
    return Text(_way(number, left, right, fancy), WALL)


def _way(number: dict[Cell, int], one: Cell, other: Cell, fancy: bool) -> str:
    """The arrow between two consecutive cells."""
    if one not in number:
        return " "
    if number[one] > number[other]:
        one, other = other, one
    return (WAYS if fancy else PLAIN_WAYS)[other[0] - one[0], other[1] - one[1]]


def _edge(number: dict[Cell, int], row: int, columns: int, room: int, fancy: bool) -> Text:
    """The line above a row of cells."""
    line = ""
    for column in range(columns + 1):
        around = {(r, c): (row + r, column + c) for r in (-1, 0) for c in (-1, 0)}
        meeting = (
            1 * _is_wall(number, around[-1, -1], around[0, -1])
            + 2 * _is_wall(number, around[0, -1], around[0, 0])
            + 4 * _is_wall(number, around[-1, 0], around[0, 0])
            + 8 * _is_wall(number, around[-1, -1], around[-1, 0])
        )
        line += (WALLS if fancy else PLAIN_WALLS)[meeting]
        if column < columns:
            above, below = around[-1, 0], around[0, 0]
            if _is_wall(number, above, below):
                line += ("─" if fancy else "-") * room
            else:
                line += _way(number, above, below, fancy).center(room)
    return Text(line, WALL)
