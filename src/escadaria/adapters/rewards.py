"""Rewards of environments, and how they handle illegal actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from escadaria.adapters import observation
from escadaria.catalogue import kit_of
from escadaria.coach import evaluators
from escadaria.game import AnyGame, BadOptions, Outcome

Potential: TypeAlias = Callable[[Any], Sequence[float]]
"""A function from a position to a value for each seat."""

REWARDS = ZERO_SUM, WIN, POTENTIAL = "zero_sum", "win", "potential"
"""``zero_sum``: at the end the winner gets 1 and the others share -1 equally. ``win``: 1 and 0.
``potential``: zero-sum, and for every decision the change of ``potential``."""

ILLEGAL = ("end", "random", "raise")
"""How an illegal action is handled: the match ends and the agent loses, as in PettingZoo's games; a random
legal action is played instead; or IllegalAction is raised."""

ILLEGAL_REWARD = -1.0
"""The reward of an agent that ends the match by an illegal action; the others get 0."""


def check(**given: tuple[object, Sequence[object]]) -> None:
    """Check options, given as value and allowed values. :raises BadOptions: for the first invalid one."""
    for name, (value, allowed) in given.items():
        if value not in allowed:
            raise BadOptions(f"{name} must be one of {', '.join(map(str, allowed))}, not {value!r}")


def potential(game: AnyGame) -> Potential:
    """Each seat's expected zero-sum reward, exact if the game is solved, else learned.

    It shapes sparse rewards without changing which policy is best (Ng, Harada and Russell 1999):
    ``discount * potential(after) - potential(before)`` is added to each reward, with 0 at the end. The
    positions of a turn are evaluated as if the turn started now, which is ten times as fast.

    :raises BadOptions: if there are no values for this game.
    """
    kit = kit_of(game)
    if kit.values is None:
        raise BadOptions(f"{game.name} has no values of positions")
    turn_start, others = getattr(kit.values(), "turn_start", lambda state: state), game.players - 1
    evaluator = evaluators.find(game)

    def expected(state: Any) -> list[float]:
        return [share - (1 - share) / others for share in evaluator.shares(turn_start(state))]

    return expected


def checked(game: AnyGame, given: Potential) -> Potential:
    """A user's function, which raises BadOptions unless it returns a value for each seat."""

    def values(state: Any) -> Sequence[float]:
        found = given(state)
        if np.shape(found) != (game.players,):
            raise BadOptions(f"reward must return a value for each of {game.players} seats, not {found!r}")
        return found

    return values


class Rewards:
    """The rewards of one match after another."""

    def __init__(self, game: AnyGame, kind: str | Potential = ZERO_SUM, discount: float = 1.0) -> None:
        """:param kind: one of ``REWARDS``, or a function that shapes zero-sum rewards."""
        if not callable(kind):
            check(reward=(kind, REWARDS))
        self.players, self.discount = game.players, discount
        self.kind: str | Potential = kind
        if callable(kind):
            self.kind = checked(game, kind)
        elif kind == POTENTIAL:
            self.kind = potential(game)
        self._before: Sequence[float] = [0.0] * game.players

    def begin(self, state: Any) -> None:
        """A match starts in this position."""
        if callable(self.kind):
            self._before = self.kind(state)

    def after(self, state: Any, outcome: Outcome | None) -> list[float]:
        """The rewards by seat of a decision that led to this position."""
        if outcome is None and not callable(self.kind):
            return [0.0] * self.players
        if self.kind == WIN:
            return [float(outcome is not None and seat == outcome.winner) for seat in range(self.players)]
        rewards = observation.rewards(outcome, self.players)
        if callable(self.kind):
            after = self.kind(state) if outcome is None else [0.0] * self.players
            shaped = zip(rewards, after, self._before, strict=True)
            rewards = [reward + self.discount * new - old for reward, new, old in shaped]
            self._before = after
        return rewards
