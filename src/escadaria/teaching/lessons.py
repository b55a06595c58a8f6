"""A guided first game with scripted dice and other players' turns.

A step first plays events to watch, then shows a text of the guide, then usually asks the learner to act.
Each scene has its own starting position, so that a lesson reaches the interesting situations fast. The
texts are in ``i18n``, under the keys below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from escadaria.catalogue import KITS, game_type
from escadaria.play import Play
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
    watch: tuple[str, ...] = ()
    """Events of other players, played before the text is shown."""
    replies: Mapping[str, str] = field(default_factory=dict)
    """By action, the key of what the guide answers to it: why a wrong one is not as good, and what a right
    one means where several are right."""


@dataclass(frozen=True)
class Scene:
    """Steps from one starting position. Only the last step may have several right answers."""

    title: str
    start: Start
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        assert all(len(step.ask) <= 1 for step in self.steps[:-1]), f"{self.title}: only the last may branch"

    def table(self, number: int, watched: tuple[str, ...] = ()) -> Play:
        """A table after the steps before this one and the events of ``watched``."""
        before = [event for step in self.steps[:number] for event in (*step.watch, *step.ask)]
        return self.start.table((*before, *watched))


def scene(game: str, name: str, cast: str, position: str, *steps: tuple[str, str, str, str]) -> Scene:
    """A scene from steps of name, answers, watched events and replies; each separated by semicolons.

    A reply is a name and the actions that it answers: ``low: place 1, place 2``. The texts are
    ``lesson.GAME.SCENE.STEP`` and ``lesson.GAME.SCENE.STEP.REPLY``.
    """
    key = f"lesson.{game}.{name}"
    return Scene(
        key,
        Start(game, position, tuple(cast.split())),
        tuple(
            Step(f"{key}.{step}", _parts(ask), _parts(watch), _replies(f"{key}.{step}", replies))
            for step, ask, watch, replies in steps
        ),
    )


def _parts(text: str, separator: str = ";") -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(separator) if part.strip())


def _replies(key: str, text: str) -> dict[str, str]:
    named = (reply.split(":") for reply in _parts(text))
    return {action: f"{key}.{name}" for name, actions in named for action in _parts(actions, ",")}


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
