"""Rules pages and lessons as JSON for the browser: texts by key, positions and facts from the engine.

``GET /api/rules/{game}`` returns a ``RulesView``::

    {"game": "rapido",
     "rulings": [                                   where each ruling comes from
       {"ruling": "R2",
        "origins": ["printed", "picture"],          also "open": left open, and decided here
        "reason": null | "rules.rapido.origin.r2"}],    key
     "components": [                                what a table needs
       {"text": "rules.rapido.part.dice",           key
        "counts": {"2": 4, "3": 3, …}}],            by number of players
     "sections": [                                  in reading order
       {"title": "rules.rapido.turn",               key of the heading
        "paragraphs": [
          {"text": "rules.rapido.value",            key
           "rulings": ["R9"],                       shown beside the paragraph
           "example": null | {
             "caption": "rules.rapido.value.example",   key
             "options": {"players": 3, "finish": 20},   as in a match's snapshot
             "seats": [{"name": "Ana", "colours": ["red"]}, …],
             "position": {…},
             "turn": [fact, …],                     facts since the turn started: the chain's order
             "legal": ["again", "place 0", …],      the legal actions
             "tries": [                             possible continuations, each from this position
               {"action": "place 3",                  or "roll", if the turn starts with dice
                "steps": [StepView, …]}]}}]}]}      the last has the final position

``GET /api/lessons/{game}`` returns a ``LessonView``::

    {"game": "rapido",
     "learner": 0,                                  the learner's seat; the other seats are scripted
     "scenes": [                                    each has its own start
       {"title": "lesson.rapido.begin",
        "options": {…}, "seats": […],
        "position": {…}, "turn": [fact, …],         the starting position
        "steps": [
          {"watch": [StepView, …],                  1. played automatically (others' turns), often empty
           "say": "lesson.rapido.begin.place",      2. then this text is shown
           "ask": ["place 4"],                      3. then the learner plays one of these; if empty,
                                                       "go on" leads to the next step
           "replies": {"again": "lesson.rapido.begin.place.again", …},   what the guide answers to an
                                                       action: to every wrong one, and to right ones
                                                       where several are right
           "legal": ["again", "place 0", …],        the legal actions; ["roll"] before a roll
           "previews": {"place 4": Preview, …},     the effects of each, as at a table
           "answers": {"place 4": [StepView, …]}}   the steps after each of ``ask``, dice included
        ]}]}

A wrong action changes nothing. A step with several right answers ends its scene, so the next step always
starts from the position that it was written for. ``StepView``, ``Preview`` and facts are those of a match
(``escadaria.views``).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from escadaria.catalogue import game_type
from escadaria.play import Event, Play
from escadaria.teaching.cast import Start, play
from escadaria.teaching.lessons import LEARNER, Scene, Step, lesson
from escadaria.teaching.rules import Example, Origin, Paragraph, components, rulebook, rulings
from escadaria.views import FactView, Preview, StepView, fact_data, previews, step_view


class SeatName(msgspec.Struct, frozen=True, kw_only=True):
    """A player of an example."""

    name: str
    colours: list[str]


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


class LessonStep(msgspec.Struct, frozen=True, kw_only=True):
    """Events to watch, a text, and usually an action of the learner."""

    watch: list[StepView]
    say: str
    ask: list[str]
    """The right answers; if empty, the learner just continues."""
    replies: dict[str, str]
    """By action, the guide's answer to it."""
    legal: list[str]
    previews: dict[str, Preview]
    answers: dict[str, list[StepView]]


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
def rules_view(game: str) -> RulesView:
    """The full rules of a game, with positions and facts. :raises BadOptions: if there is no such game."""
    fewest = game_type(game).OPTIONS[0].low
    return RulesView(
        game=game,
        rulings=[
            RulingView(ruling=ruling.number, origins=list(ruling.origins), reason=ruling.reason)
            for ruling in rulings(game)
        ],
        components=[
            ComponentView(
                text=part.text, counts={str(players): n for players, n in enumerate(part.counts, fewest)}
            )
            for part in components(game)
        ],
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
        replies=dict(step.replies),
        legal=list(table.choices()) if asked else [],
        previews=previews(table.game, table.state) if asked else {},
        answers={
            _action(event): [step_view(seen) for seen in play(scene.table(number, step.watch), event)]
            for event in step.ask
        },
    )


def _seats(start: Start) -> list[SeatName]:
    return [SeatName(name=seat.name, colours=list(seat.colours)) for seat in start.seats()]


def _turn(table: Play) -> list[FactView]:
    return [fact_data(fact) for fact in table.turn_facts()]


def _action(event: str) -> str:
    return Event.parse(event).action
