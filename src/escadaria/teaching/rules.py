"""The structure of the rules pages: sections, paragraphs, rulings and examples.

The texts are in ``i18n``, under the keys below. Every ruling is covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from escadaria.catalogue import KITS, game_type
from escadaria.table import Table
from escadaria.teaching.cast import Start


@dataclass(frozen=True)
class Example:
    """An example position, and events to try in it."""

    caption: str
    start: Start
    setup: tuple[str, ...] = ()
    """Events from the start to the example position."""
    tries: tuple[str, ...] = ()
    """Events to try, each from the example position."""

    def table(self) -> Table:
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


class Rulebook(Protocol):
    """A kit's part ``rulebook``."""

    @property
    def SECTIONS(self) -> tuple[Section, ...]: ...


def rulebook(game: str) -> tuple[Section, ...]:
    """The rules of a game; empty if it has no pages. :raises BadOptions: if there is no such game."""
    game_type(game)
    kit = KITS[game]
    if kit.rulebook is None:
        return ()
    part: Rulebook = kit.rulebook()
    return part.SECTIONS
