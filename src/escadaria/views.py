"""Steps, facts and previews as data for JSON."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, Fact
from escadaria.play import Step

FactView = Annotated[dict[str, Any], msgspec.Meta(title="Fact")]
"""A fact as JSON: its ``kind`` and ``ruling``, and its fields. The title names its type in TypeScript."""


class StepView(msgspec.Struct, frozen=True, kw_only=True):
    """One decision or roll, its facts, and the position after it."""

    action: str
    facts: list[FactView]
    position: Any


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """The effects of a legal decision."""

    facts: list[FactView]
    rolls: dict[str, list[FactView]] = {}
    """If it rolls a single die: the facts of each number."""


class Sequences(msgspec.Struct, frozen=True, kw_only=True):
    """Series of decisions without a roll between them, each one choice for the player."""

    decisions: list[str]
    """All decisions that occur in them."""
    orders: list[list[int]]
    """Each series, by the indices of its decisions; the first is a proposal."""
    complete: bool
    """Whether these are all. Otherwise there is at least one for each legal decision."""
    ends: list[int] = []
    """Where each series leads, by the index in ``after``; equal where the position is the same."""
    after: list[dict[str, Preview]] = []
    """The effects of each decision that may follow. Empty if there is one series, or these are not all."""


def fact_data(fact: Fact) -> FactView:
    """A fact as JSON data."""
    return {"kind": fact.kind, "ruling": fact.ruling, **fact.data()}


def step_view(step: Step) -> StepView:
    """A step as JSON data."""
    return StepView(
        action=str(step.action), facts=[fact_data(fact) for fact in step.facts], position=step.state
    )


def previews(game: AnyGame, state: Any) -> dict[str, Preview]:
    """The preview of each legal decision, by its text."""
    found = {}
    for action in game.legal_actions(state):
        node = game.apply(state, action)
        outcomes = game.chance_outcomes(node) if node.turn == state.turn else ()
        found[str(action)] = Preview(
            facts=[fact_data(fact) for fact in game.facts(state, action)],
            rolls={
                str(die): [fact_data(fact) for fact in game.facts(node, die)]
                for die, _ in outcomes
                if len(outcomes) <= 6
            },
        )
    return found


def sequences(game: AnyGame, state: Any) -> Sequences | None:
    """The series of decisions that the seat to act can choose from; None if the game offers none here."""
    part = kit_of(game).sequences
    found, complete = part().sequences(game, state) if part is not None else ([], True)
    if not found:
        return None
    decisions = sorted({str(action) for series in found for action in series})
    index = {action: number for number, action in enumerate(decisions)}
    orders = [[index[str(action)] for action in series] for series in found]
    known = found if complete and len(found) > 1 else []
    steps: dict[tuple[Any, Any], Any] = {}  # most series share positions
    places: dict[Any, int] = {}
    ends = []
    for series in known:
        end = state
        for action in series:
            if (end, action) not in steps:
                steps[end, action] = game.apply(end, action)
            end = steps[end, action]
        ends.append(places.setdefault(end, len(places)))
    return Sequences(
        decisions=decisions,
        orders=orders,
        complete=complete,
        ends=ends,
        after=[previews(game, place) for place in places],
    )
