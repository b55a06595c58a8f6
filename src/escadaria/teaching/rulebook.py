"""Rules pages: sections, paragraphs, the origin of each ruling, examples to try.

A game's ``data/rulebook.toml`` has their structure. ``i18n`` has the texts: ``rules.GAME.title.SECTION``,
``rules.GAME.PARAGRAPH`` and ``rules.GAME.PARAGRAPH.example``, ``rules.GAME.origin.RULING``, and
``rules.GAME.part.COMPONENT``.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import msgspec

from escadaria.catalogue import game_type
from escadaria.teaching.cast import Content, SeatName, Start, action_of, play, read, seat_names, turn_view
from escadaria.views import FactView, StepView, step_view

Origin = Literal["printed", "picture", "open"]
"""The printed rules state it, show it only in a picture, or leave it open, so that it was decided here."""


class Example(Start, frozen=True, kw_only=True):
    """An example position, and events to try in it."""

    setup: tuple[str, ...] = ()
    """Events from the start to the example position."""
    tries: tuple[str, ...] = ()
    """Events to try, each from the example position."""


class Paragraph(Content, frozen=True, kw_only=True):
    """One to four sentences."""

    name: str
    rulings: tuple[str, ...]
    example: Example | None = None


class Section(Content, frozen=True, kw_only=True):
    """Paragraphs under a heading."""

    name: str
    paragraphs: tuple[Paragraph, ...]


class Rulebook(Content, frozen=True, kw_only=True):
    """The file ``rulebook.toml``."""

    rulings: dict[str, tuple[Origin, ...]]
    """Where each ruling comes from; several origins if its parts differ."""
    explained: tuple[str, ...] = ()
    """Rulings with a text about their origin although they are simply printed; all others have one."""
    components: dict[str, tuple[int, ...]]
    """Things that a table needs, by number of players from the fewest to the most."""
    sections: tuple[Section, ...]
    """In reading order."""


class TryView(msgspec.Struct, frozen=True, kw_only=True):
    """A possible continuation of an example."""

    action: str
    """A decision, or ``roll`` if the turn starts with dice."""
    steps: list[StepView]


class ExampleView(msgspec.Struct, frozen=True, kw_only=True):
    """A position beside a paragraph."""

    caption: str
    options: dict[str, bool | int | str]
    seats: list[SeatName]
    position: Any
    turn: list[FactView]
    """The facts since the turn started."""
    legal: list[str]
    tries: list[TryView]
    """Possible continuations, each from the example position."""


class ParagraphView(msgspec.Struct, frozen=True, kw_only=True):
    """One to four sentences."""

    text: str
    rulings: list[str]
    example: ExampleView | None


class SectionView(msgspec.Struct, frozen=True, kw_only=True):
    """Paragraphs under a heading."""

    title: str
    paragraphs: list[ParagraphView]


class RulingView(msgspec.Struct, frozen=True, kw_only=True):
    """Where a ruling comes from."""

    ruling: str
    origins: list[Origin]
    reason: str | None
    """What is not printed, or how the printed editions differ."""


class ComponentView(msgspec.Struct, frozen=True, kw_only=True):
    """Things of one kind that a table needs."""

    text: str
    counts: dict[str, int]
    """By number of players."""


class RulesView(msgspec.Struct, frozen=True, kw_only=True):
    """The full rules of a game."""

    game: str
    rulings: list[RulingView]
    components: list[ComponentView]
    sections: list[SectionView]


@cache
def rulebook(game: str) -> Rulebook | None:
    """The rules of a game; None if it has no pages. :raises BadOptions: if there is no such game."""
    return read(game, "rulebook.toml", Rulebook)


@cache
def rules_view(game: str) -> RulesView:
    """The rules of a game with positions and facts; empty if it has no pages.

    :raises BadOptions: if there is no such game.
    """
    book, key = rulebook(game), f"rules.{game}"
    if book is None:
        return RulesView(game=game, rulings=[], components=[], sections=[])
    explained = {name for name, origins in book.rulings.items() if origins != ("printed",)}
    explained.update(book.explained)
    fewest = game_type(game).OPTIONS[0].low
    return RulesView(
        game=game,
        rulings=[
            RulingView(
                ruling=name,
                origins=list(origins),
                reason=f"{key}.origin.{name.lower()}" if name in explained else None,
            )
            for name, origins in book.rulings.items()
        ],
        components=[
            ComponentView(
                text=f"{key}.part.{name}",
                counts={str(players): count for players, count in enumerate(counts, fewest)},
            )
            for name, counts in book.components.items()
        ],
        sections=[
            SectionView(
                title=f"{key}.title.{section.name}",
                paragraphs=[_paragraph(game, paragraph) for paragraph in section.paragraphs],
            )
            for section in book.sections
        ],
    )


def _paragraph(game: str, paragraph: Paragraph) -> ParagraphView:
    text = f"rules.{game}.{paragraph.name}"
    return ParagraphView(
        text=text,
        rulings=list(paragraph.rulings),
        example=_example(game, f"{text}.example", paragraph.example) if paragraph.example else None,
    )


def _example(game: str, caption: str, example: Example) -> ExampleView:
    match = example.play(game, example.setup)
    return ExampleView(
        caption=caption,
        options=match.game.options,
        seats=seat_names(match),
        position=match.state,
        turn=turn_view(match),
        legal=list(match.choices()),
        tries=[
            TryView(
                action=action_of(event),
                steps=[step_view(step) for step in play(example.play(game, example.setup), event)],
            )
            for event in example.tries
        ],
    )
