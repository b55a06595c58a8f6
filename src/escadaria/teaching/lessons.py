"""A guided first game with scripted dice and other players' turns.

A step first plays events to watch, then shows a text of the guide, then usually asks the learner to act.
Each scene has its own starting position, so that a lesson reaches the interesting situations fast. The
texts are in ``i18n``, under the keys below.
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
    """Events to watch, a text, and usually an action of the learner."""

    say: str
    """The key of the guide's text."""
    ask: tuple[str, ...] = ()
    """The right answers as events of the learner, with the dice rolled after them; empty to just continue."""
    hint: str = ""
    """The key of the guide's text for a legal but wrong answer; empty if there is none."""
    watch: tuple[str, ...] = ()
    """Events of other players, played before the text is shown."""


@dataclass(frozen=True)
class Scene:
    """Steps from one starting position. Only the last step may have several right answers."""

    title: str
    start: Start
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        assert all(len(step.ask) <= 1 for step in self.steps[:-1]), f"{self.title}: only the last may branch"

    def table(self, number: int, watched: tuple[str, ...] = ()) -> Table:
        """A table after the steps before this one and the events of ``watched``."""
        before = [event for step in self.steps[:number] for event in (*step.watch, *step.ask)]
        return self.start.table((*before, *watched))


def scene(game: str, name: str, cast: str, position: str, *steps: tuple[str, str, str]) -> Scene:
    """A scene from steps of name, answers and watched events; events are separated by semicolons.

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
