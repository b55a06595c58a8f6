"""The full rules of each game, in reading order; every ruling is covered.

Only the order, the rulings and the examples are here. The words are in ``i18n``, under the keys below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from escadaria.catalogue import KITS, game_type
from escadaria.table import Table
from escadaria.teaching.cast import Start


@dataclass(frozen=True)
class Example:
    """A position to look at, and what may happen in it."""

    caption: str
    start: Start
    setup: tuple[str, ...] = ()
    """Events that lead from the start to the position that is shown."""
    tries: tuple[str, ...] = ()
    """Events, each from the position that is shown."""

    def table(self) -> Table:
        """A table at the position that is shown."""
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
    """Paragraphs given by name, rulings and example; their texts are ``rules.GAME.NAME``."""
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
