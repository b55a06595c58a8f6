"""Steps, facts and previews as data for JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from escadaria.game import AnyGame, Fact
from escadaria.table import Step


class StepView(msgspec.Struct, frozen=True, kw_only=True):
    """One decision or roll, its facts, and the position after it."""

    action: str
    facts: list[dict[str, Any]]
    position: Any


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """The effects of a legal decision."""

    facts: list[dict[str, Any]]
    rolls: dict[str, list[dict[str, Any]]] = {}
    """If it rolls a single die: the facts of each number."""


def fact_data(fact: Fact) -> dict[str, Any]:
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
