"""Rewards of environments, and how they handle illegal actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from escadaria.catalogue import kit_of
from escadaria.coach import evaluators
from escadaria.game import AnyGame, BadOptions, Outcome

Potential: TypeAlias = Callable[[Any], Sequence[float]]
"""A function from a position to a value for each seat."""

REWARDS = ZERO_SUM, WIN, POTENTIAL = "zero_sum", "win", "potential"
"""``zero_sum``: at the end the winner gets 1 and the others share -1 equally. ``win``: 1 and 0.
``potential``: zero-sum, and for every decision the change of ``potential``."""

ILLEGAL = END, RANDOM, RAISE = "end", "random", "raise"
"""How an illegal action is handled: the match ends and the agent loses, as in PettingZoo's games; a random
legal action is played instead; or IllegalAction is raised."""

ILLEGAL_REWARD = -1.0
"""The reward of an agent that ends the match by an illegal action; the others get 0."""

TRIES = 1000
"""How often a match is started again if it ends before the first decision."""


def check(**given: tuple[object, Sequence[object]]) -> None:
    """Check options, given as value and allowed values. :raises BadOptions: for the first invalid one."""
    for name, (value, allowed) in given.items():
        if value not in allowed:
            raise BadOptions(f"{name} must be one of {', '.join(map(str, allowed))}, not {value!r}")


def zero_sum(outcome: Outcome | None, players: int) -> list[float]:
    """The rewards by seat: 1 for the winner, -1 / (players - 1) for the others.

    They sum to 0, so that with two players minimax applies. Without an outcome all rewards are 0.
    """
    if outcome is None:
        return [0.0] * players
    return [1.0 if seat == outcome.winner else -1 / (players - 1) for seat in range(players)]


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


def potential_of(game: AnyGame, reward: str | Potential) -> Potential | None:
    """The potential of rewards of this kind, or None. :raises BadOptions: if there are no such rewards."""
    if callable(reward):
        return checked(game, reward)
    check(reward=(reward, REWARDS))
    return potential(game) if reward == POTENTIAL else None
