"""A game as front ends are shown it, as data for JSON: what happened, and what a choice would bring."""

from __future__ import annotations

from typing import Any

import msgspec

from escadaria.game import AnyGame, Fact
from escadaria.table import Step


class StepView(msgspec.Struct, frozen=True, kw_only=True):
    """One decision or roll, what it brought about, and the position after it."""

    action: str
    facts: list[dict[str, Any]]
    position: Any


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What a choice would bring."""

    facts: list[dict[str, Any]]
    rolls: dict[str, list[dict[str, Any]]] = {}
    """If it rolls one die: what each number would bring."""


def fact_data(fact: Fact) -> dict[str, Any]:
    """A fact as it goes over the wire."""
    return {"kind": fact.kind, "ruling": fact.ruling, **fact.data()}


def step_view(step: Step) -> StepView:
    """A step as it goes over the wire."""
    return StepView(
        action=str(step.action), facts=[fact_data(fact) for fact in step.facts], position=step.state
    )


def previews(game: AnyGame, state: Any) -> dict[str, Preview]:
    """What each legal decision would bring; for one that rolls a single die, by its number."""
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
