"""The structure of the rules pages: sections, paragraphs, rulings and examples.

The texts are in ``i18n``, under the keys below. Every ruling is covered, and has its origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from escadaria.catalogue import KITS, game_type
from escadaria.play import Play
from escadaria.teaching.cast import Start

Origin = Literal["printed", "picture", "open"]
"""The printed rules state it, show it only in a picture, or leave it open, so that it was decided here."""


@dataclass(frozen=True)
class Ruling:
    """Where a ruling comes from."""

    number: str
    origins: tuple[Origin, ...]
    """Several if its parts differ."""
    reason: str | None
    """The text that says what is not printed, or how the printed editions differ."""


@dataclass(frozen=True)
class Component:
    """Things of one kind that a table needs."""

    text: str
    counts: tuple[int, ...]
    """By number of players, from the fewest to the most."""


@dataclass(frozen=True)
class Example:
    """An example position, and events to try in it."""

    caption: str
    start: Start
    setup: tuple[str, ...] = ()
    """Events from the start to the example position."""
    tries: tuple[str, ...] = ()
    """Events to try, each from the example position."""

    def table(self) -> Play:
        """A table at the example position."""
        return self.start.table(self.setup)


@dataclass(frozen=True)
class Paragraph:
    """One to four sentences."""

    text: str
    rulings: tuple[str, ...]
    example: Example | None = None


@dataclass(frozen=True)
class Section:
    """Paragraphs under a heading."""

    title: str
    paragraphs: tuple[Paragraph, ...]


def section(game: str, name: str, *paragraphs: tuple[str, str, Example | None]) -> Section:
    """A section from paragraphs of name, rulings and example; their texts are ``rules.GAME.NAME``."""
    return Section(
        f"rules.{game}.title.{name}",
        tuple(
            Paragraph(f"rules.{game}.{text}", tuple(rulings.split()), example)
            for text, rulings, example in paragraphs
        ),
    )


def ruling(game: str, number: str, *origins: Origin, noted: bool = False) -> Ruling:
    """A ruling with its origins. Unless it is simply printed, ``rules.GAME.origin.NUMBER`` says why."""
    explained = noted or origins != ("printed",)
    return Ruling(number, origins, f"rules.{game}.origin.{number.lower()}" if explained else None)


def component(game: str, name: str, *counts: int) -> Component:
    """A component; its text is ``rules.GAME.part.NAME``."""
    return Component(f"rules.{game}.part.{name}", counts)


class Rulebook(Protocol):
    """A kit's part ``rulebook``."""

    @property
    def RULINGS(self) -> tuple[Ruling, ...]: ...
    @property
    def COMPONENTS(self) -> tuple[Component, ...]: ...
    @property
    def SECTIONS(self) -> tuple[Section, ...]: ...


def rulebook(game: str) -> tuple[Section, ...]:
    """The rules of a game; empty if it has no pages. :raises BadOptions: if there is no such game."""
    part = _part(game)
    return part.SECTIONS if part else ()


def rulings(game: str) -> tuple[Ruling, ...]:
    """The origin of each ruling. :raises BadOptions: if there is no such game."""
    part = _part(game)
    return part.RULINGS if part else ()


def components(game: str) -> tuple[Component, ...]:
    """What a table needs. :raises BadOptions: if there is no such game."""
    part = _part(game)
    return part.COMPONENTS if part else ()


def _part(game: str) -> Rulebook | None:
    game_type(game)
    kit = KITS[game]
    return kit.rulebook() if kit.rulebook else None
