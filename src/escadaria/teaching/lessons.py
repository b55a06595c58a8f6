"""A guided first game with scripted dice and other players' turns.

A step first plays events to watch, then shows a text of the guide, then usually asks the learner to act.
Each scene has its own starting position, so that a lesson reaches the interesting situations fast. A game's
``data/lesson.toml`` has the structure, and ``i18n`` the texts: ``lesson.GAME.SCENE.STEP.REPLY``.

A wrong action changes nothing. A step with several right answers ends its scene, so the next step always
starts from the position that it was written for.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from escadaria.play import Play
from escadaria.teaching.cast import Content, SeatName, Start, action_of, play, read, seat_names, turn_view
from escadaria.views import FactView, Preview, StepView, previews, step_view

LEARNER = 0
"""The learner's seat."""


class Step(Content, frozen=True, kw_only=True):
    """Events to watch, a text, and usually an action of the learner."""

    name: str
    watch: tuple[str, ...] = ()
    """Events of other players, played before the text is shown."""
    ask: tuple[str, ...] = ()
    """The right answers as events of the learner, with the dice rolled after them; empty to just continue."""
    replies: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """What the guide answers, by name, to which actions: why a wrong one is not as good, and what a right
    one means where several are right."""


class Scene(Start, frozen=True, kw_only=True):
    """Steps from one starting position. Only the last step may have several right answers."""

    name: str
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if any(len(step.ask) > 1 for step in self.steps[:-1]):
            raise ValueError(f"{self.name}: only the last step may have several right answers")

    def at(self, game: str, number: int, watched: tuple[str, ...] = ()) -> Play:
        """The match after the steps before this one and the events of ``watched``."""
        before = [event for step in self.steps[:number] for event in (*step.watch, *step.ask)]
        return self.play(game, (*before, *watched))


class Lesson(Content, frozen=True, kw_only=True):
    """The file ``lesson.toml``."""

    scenes: tuple[Scene, ...] = ()


class LessonStep(msgspec.Struct, frozen=True, kw_only=True):
    """Events to watch, a text, and usually an action of the learner."""

    watch: list[StepView]
    """Played automatically, before the text is shown."""
    say: str
    ask: list[str]
    """The right answers; if empty, the learner just continues."""
    replies: dict[str, str]
    """By action, the guide's answer to it."""
    legal: list[str]
    """The legal actions; ``roll`` before a roll."""
    previews: dict[str, Preview]
    answers: dict[str, list[StepView]]
    """The steps after each right answer, dice included."""


class LessonScene(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the lesson with its own starting position."""

    title: str
    options: dict[str, bool | int | str]
    seats: list[SeatName]
    position: Any
    turn: list[FactView]
    steps: list[LessonStep]


class LessonView(msgspec.Struct, frozen=True, kw_only=True):
    """A guided first game."""

    game: str
    learner: int
    scenes: list[LessonScene]


@cache
def lesson(game: str) -> Lesson:
    """The lesson of a game; without scenes if it has none. :raises BadOptions: if there is no such game."""
    return read(game, "lesson.toml", Lesson) or Lesson()


@cache
def lesson_view(game: str) -> LessonView:
    """The guided first game, played through. :raises BadOptions: if there is no such game."""
    return LessonView(
        game=game, learner=LEARNER, scenes=[_scene(game, scene) for scene in lesson(game).scenes]
    )


def _scene(game: str, scene: Scene) -> LessonScene:
    match = scene.play(game)
    return LessonScene(
        title=f"lesson.{game}.{scene.name}",
        options=match.game.options,
        seats=seat_names(match),
        position=match.state,
        turn=turn_view(match),
        steps=[_step(game, scene, number) for number in range(len(scene.steps))],
    )


def _step(game: str, scene: Scene, number: int) -> LessonStep:
    """The step with this number, played from the start of its scene."""
    step = scene.steps[number]
    say = f"lesson.{game}.{scene.name}.{step.name}"
    match = scene.at(game, number)
    watched = [step_view(seen) for event in step.watch for seen in play(match, event)]
    asked = bool(step.ask)
    return LessonStep(
        watch=watched,
        say=say,
        ask=[action_of(event) for event in step.ask],
        replies={action: f"{say}.{name}" for name, actions in step.replies.items() for action in actions},
        legal=list(match.choices()) if asked else [],
        previews=previews(match.game, match.state) if asked else {},
        answers={
            action_of(event): [step_view(seen) for seen in play(scene.at(game, number, step.watch), event)]
            for event in step.ask
        },
    )
