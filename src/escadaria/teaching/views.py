"""The rules and the lessons as a browser takes them: texts by key, positions and facts from the engine.

``GET /api/rules/{game}`` answers a ``RulesView``::

    {"game": "rapido",
     "sections": [                                  in the order they are read
       {"title": "rules.rapido.turn",               key of the heading
        "paragraphs": [
          {"text": "rules.rapido.value",            key
           "rulings": ["R9"],                       the marks beside the paragraph
           "example": null | {
             "caption": "rules.rapido.value.example",   key
             "options": {"players": 3, "finish": 20},   as in a match's snapshot
             "seats": [{"name": "Ana", "colours": ["red"]}, …],
             "position": {…},                       the picture
             "turn": [fact, …],                     facts since the turn started: the chain's order
             "legal": ["again", "place 0", …],      what the seat to play may do
             "tries": [                             none, or what may happen next: each on its own
               {"action": "place 3",                  or "roll", where the turn starts with dice
                "steps": [StepView, …]}]}}]}]}      the last has the picture afterwards

``GET /api/lessons/{game}`` answers a ``LessonView``::

    {"game": "rapido",
     "learner": 0,                                  the learner's seat; the others are played for them
     "scenes": [                                    each starts anew
       {"title": "lesson.rapido.begin",
        "options": {…}, "seats": […],
        "position": {…}, "turn": [fact, …],         where it starts
        "steps": [
          {"watch": [StepView, …],                  1. plays by itself (others' turns), often empty
           "say": "lesson.rapido.begin.place",      2. then the guide says this
           "ask": ["place 4"],                      3. then the learner does one of these; if there is
                                                       none, "go on" leads to the next step
           "hint": "lesson.rapido.begin.place.hint" | null,   said when a legal try is none of them
           "legal": ["again", "place 0", …],        what may be tried; ["roll"] where dice are awaited
           "previews": {"place 4": Preview, …},     what each would bring, as at a table
           "answers": {"place 4": [StepView, …]}}   what happens upon each of ``ask``, dice included
        ]}]}

A wrong try changes nothing. Where there are several right answers the scene ends with them, so the
next step always finds the position that it was written for. ``StepView``, ``Preview`` and facts are
those of a match (``escadaria.views``).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from escadaria.table import Event, Table
from escadaria.teaching.cast import Start, play
from escadaria.teaching.lessons import LEARNER, Scene, Step, lesson
from escadaria.teaching.rules import Example, Paragraph, rulebook
from escadaria.views import Preview, StepView, fact_data, previews, step_view


class SeatName(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits there in an example."""

    name: str
    colours: list[str]


class TryView(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may happen in an example."""

    action: str
    """A decision, or ``roll`` where the turn starts with dice."""
    steps: list[StepView]


class ExampleView(msgspec.Struct, frozen=True, kw_only=True):
    """A position beside a paragraph."""

    caption: str
    options: dict[str, bool | int | str]
    seats: list[SeatName]
    position: Any
    turn: list[dict[str, Any]]
    """The facts since the turn started."""
    legal: list[str]
    tries: list[TryView]
    """What may happen next, each from the same position."""


class ParagraphView(msgspec.Struct, frozen=True, kw_only=True):
    """One to four sentences."""

    text: str
    rulings: list[str]
    example: ExampleView | None


class SectionView(msgspec.Struct, frozen=True, kw_only=True):
    """Paragraphs under a heading."""

    title: str
    paragraphs: list[ParagraphView]


class RulesView(msgspec.Struct, frozen=True, kw_only=True):
    """The full rules of a game."""

    game: str
    sections: list[SectionView]


class LessonStep(msgspec.Struct, frozen=True, kw_only=True):
    """Something to watch, something that the guide says, and mostly something to do."""

    watch: list[StepView]
    say: str
    ask: list[str]
    """The right answers; if there are none the learner just goes on."""
    hint: str | None
    legal: list[str]
    previews: dict[str, Preview]
    answers: dict[str, list[StepView]]


class LessonScene(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the lesson with a start of its own."""

    title: str
    options: dict[str, bool | int | str]
    seats: list[SeatName]
    position: Any
    turn: list[dict[str, Any]]
    steps: list[LessonStep]


class LessonView(msgspec.Struct, frozen=True, kw_only=True):
    """A guided first game."""

    game: str
    learner: int
    scenes: list[LessonScene]


@cache
def rules_view(game: str) -> RulesView:
    """The full rules of a game, with positions and facts. :raises BadOptions: if there is no such game."""
    return RulesView(
        game=game,
        sections=[
            SectionView(title=section.title, paragraphs=[_paragraph(p) for p in section.paragraphs])
            for section in rulebook(game)
        ],
    )


@cache
def lesson_view(game: str) -> LessonView:
    """The guided first game, played through. :raises BadOptions: if there is no such game."""
    return LessonView(game=game, learner=LEARNER, scenes=[_scene(scene) for scene in lesson(game)])


def _paragraph(paragraph: Paragraph) -> ParagraphView:
    example = paragraph.example
    return ParagraphView(
        text=paragraph.text,
        rulings=list(paragraph.rulings),
        example=_example(example) if example else None,
    )


def _example(example: Example) -> ExampleView:
    table = example.table()
    return ExampleView(
        caption=example.caption,
        options=table.game.options,
        seats=_seats(example.start),
        position=table.state,
        turn=_turn(table),
        legal=list(table.choices()),
        tries=[
            TryView(action=_action(event), steps=[step_view(step) for step in play(example.table(), event)])
            for event in example.tries
        ],
    )


def _scene(scene: Scene) -> LessonScene:
    table = scene.start.table()
    return LessonScene(
        title=scene.title,
        options=table.game.options,
        seats=_seats(scene.start),
        position=table.state,
        turn=_turn(table),
        steps=[_step(scene, number) for number in range(len(scene.steps))],
    )


def _step(scene: Scene, number: int) -> LessonStep:
    """The step with this number, played from the start of its scene."""
    step: Step = scene.steps[number]
    table = scene.table(number)
    watched = [step_view(seen) for event in step.watch for seen in play(table, event)]
    asked = bool(step.ask)
    return LessonStep(
        watch=watched,
        say=step.say,
        ask=[_action(event) for event in step.ask],
        hint=step.hint or None,
        legal=list(table.choices()) if asked else [],
        previews=previews(table.game, table.state) if asked else {},
        answers={
            _action(event): [step_view(seen) for seen in play(scene.table(number, step.watch), event)]
            for event in step.ask
        },
    )


def _seats(start: Start) -> list[SeatName]:
    return [SeatName(name=seat.name, colours=list(seat.colours)) for seat in start.seats()]


def _turn(table: Table) -> list[dict[str, Any]]:
    return [fact_data(fact) for fact in table.turn_facts()]


def _action(event: str) -> str:
    return Event.parse(event).action
