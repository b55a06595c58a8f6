"""A position of Chain in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from escadaria.games.chain import facts as chain_facts
from escadaria.games.chain import rules as chain
from escadaria.games.chain import spiral
from escadaria.terminal.pictures import QUIET, Lines, Picture, Scene, packed, roster
from escadaria.terminal.pieces import letter

ON, BACK = "#2e8b84", "#c8553d"
"""The colours of arrows forward and back, which their heads also show."""


def draw(scene: Scene) -> Picture:
    """The spiral, the dice and discs of each seat, and the chain as it was built."""
    state = scene.state
    notes = []
    for seat in range(scene.game.players):
        dice = scene.word("dice", number=state.hands[seat])
        notes.append(Text.assemble((dice, "bold"), " ", _discs(scene, seat)))
    return Picture([*_track(scene), *roster(scene, notes)], _chain(scene))


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
    """A space's number and its discs, bottom first. If there are too many, only the upper ones."""
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
    """The spaces of a seat's discs; those that cannot move are in brackets."""
    assert isinstance(scene.game, chain.Chain)
    free = list(scene.state.free_discs(seat))
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
        if isinstance(fact, chain_facts.Rolled) and fact.coloured:
            links.append((fact.number, scene.look(state.turn).style))
        elif isinstance(fact, chain_facts.Linked | chain_facts.Added):
            links.append((fact.number, "reverse"))
    heading = state.chain.heading.value
    sign = {"up": scene.either("↗", "/"), "down": scene.either("↘", "\\"), "open": scene.either("↕", "|")}
    way = Text(f"{sign[heading]} {scene.texts(f'chain.word.{heading}')}")
    parts = [_dice(scene, "chain", links, scene.either("─", "-")), way]
    if state.loose:
        parts.append(_dice(scene, "loose", [(number, "reverse") for number in state.loose], " "))
    return packed([*parts, pool], scene.width)


def _dice(scene: Scene, word: str, dice: Sequence[tuple[int, str]], between: str) -> Text:
    """A word and the dice after it, without spaces around the numbers if the line is too narrow."""
    for form in (" {} ", "{}"):
        faces = Text(between).join(Text(form.format(number), style) for number, style in dice)
        line = Text.assemble(scene.word(word), " ", faces)
        if line.cell_len <= scene.width:
            break
    return line
