"""A guided first game: scripted dice, other players' turns, and what the learner is asked to do.

A step plays what there is to watch, then the guide says something, then mostly the learner acts. A scene
starts from a position of its own, so that a lesson reaches the interesting moments fast. The words are in
``i18n``, under the keys below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from escadaria.catalogue import KITS, game_type
from escadaria.table import Table
from escadaria.teaching.cast import Start

LEARNER = 0
"""The learner's seat."""


@dataclass(frozen=True)
class Step:
    """Watch, listen, act."""

    say: str
    """What the guide says."""
    ask: tuple[str, ...] = ()
    """The right answers as events of the learner, with the dice that fall upon them; none: just go on."""
    hint: str = ""
    """What the guide says to an answer that is possible but not wanted; empty if there is none."""
    watch: tuple[str, ...] = ()
    """Events of the others, played before the guide speaks."""


@dataclass(frozen=True)
class Scene:
    """Steps from one starting position. Only the last may have several answers."""

    title: str
    start: Start
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        assert all(len(step.ask) <= 1 for step in self.steps[:-1]), f"{self.title}: the way parts too early"

    def table(self, number: int, watched: tuple[str, ...] = ()) -> Table:
        """A table at which the steps before this one have been played, and then what was watched."""
        before = [event for step in self.steps[:number] for event in (*step.watch, *step.ask)]
        return self.start.table((*before, *watched))


def scene(game: str, name: str, cast: str, position: str, *steps: tuple[str, str, str]) -> Scene:
    """Steps given by name, answers and what is watched before; events stand between semicolons.

    The texts are ``lesson.GAME.SCENE.STEP``, with ``.hint`` where a name ends with a question mark.
    """
    key = f"lesson.{game}.{name}"
    return Scene(
        key,
        Start(game, position, tuple(cast.split())),
        tuple(
            Step(
                f"{key}.{step.removesuffix('?')}",
                _events(ask),
                f"{key}.{step.removesuffix('?')}.hint" if step.endswith("?") else "",
                _events(watch),
            )
            for step, ask, watch in steps
        ),
    )


def _events(text: str) -> tuple[str, ...]:
    return tuple(event.strip() for event in text.split(";") if event.strip())


class Lesson(Protocol):
    """A kit's part ``lesson``."""

    @property
    def SCENES(self) -> tuple[Scene, ...]: ...


def lesson(game: str) -> tuple[Scene, ...]:
    """The lesson of a game; empty if it has none. :raises BadOptions: if there is no such game."""
    game_type(game)
    kit = KITS[game]
    if kit.lesson is None:
        return ()
    part: Lesson = kit.lesson()
    return part.SCENES
