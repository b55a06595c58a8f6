"""Chain's levels, from the tourist to the master.

``tourist`` follows rules of thumb when no whim takes it. ``regular`` follows them always, loves to lie on
other people's discs, and hands nobody the win. ``expert`` works its turn out to the end by what positions
are worth, and misjudges a little. ``master`` plays by the exact solution if the cache folder has it, else it
works its turn out by shipped values and never misjudges them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from escadaria.bots import simple
from escadaria.chain import Action, Arrived, Chain, Covered, Move, State

LOTS = 1 << 20
"""Chance is drawn in so many equal parts."""

# The tourist and the regular.

WHIM = 2 * LOTS // 5
"""How often a tourist does anything that is allowed."""


class Tourist:
    """A player by rules of thumb who often forgets them."""

    source = "rules of thumb"

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, game: Chain, state: State) -> Action:
        if self.rng.choice(range(LOTS)) < WHIM:
            return self.rng.choice(game.legal_actions(state))
        return simple.chain(game, state)


LOVE = 2
"""Regular: how many spaces it is worth to lie on somebody."""


def regular(game: Chain, state: State) -> Action:
    """Play by rules of thumb, but move where it covers somebody; hand nobody the win."""
    action = simple.chain(game, state)
    if not isinstance(action, Move):
        return action
    moves = [move for move in game.legal_actions(state) if isinstance(move, Move)]
    return max(moves, key=lambda move: _charm(game, state, move))


def _charm(game: Chain, state: State, move: Move) -> tuple[bool, bool, int]:
    """It hands nobody the win, brings a disc home, gets far or on top of somebody."""
    seat, after = state.turn, game.apply(state, move)
    facts = game.facts(state, move)
    covers = any(isinstance(fact, Covered) and fact.victim != seat for fact in facts)
    return (
        all(game.free_discs(after, other) for other in range(game.players) if other != seat),
        any(isinstance(fact, Arrived) for fact in facts),
        sum(after.discs[seat]) + LOVE * covers,
    )


# Those who plan.

MISJUDGES = {2: 0.12, 3: 0.16, 4: 0.16, 5: 0.14, 6: 0.1}
"""By what part of its worth an expert can be wrong about a decision, by players: a gift it always sees."""

SHADE = 1e-13
"""What is better by less is equal: sums are off by less, and a quicker win is worth more."""


class Values(Protocol):
    """A solution, or shipped values."""

    def action_values(self, state: State, /) -> Mapping[Action, float]: ...


class Expert:
    """Takes the best decision as it sees it, a little wrong."""

    source = "shipped values"

    def __init__(self, values: Values, width: float, rng: random.Random) -> None:
        self.values, self.width, self.rng = values, width, rng

    def __call__(self, game: Chain, state: State) -> Action:
        seen = {
            action: worth * (1.0 + self.width * (2 * self.rng.choice(range(LOTS)) / LOTS - 1))
            for action, worth in self.values.action_values(state).items()
        }
        return _best(seen)


class Master:
    """Takes the best decision."""

    def __init__(self, values: Values, source: str) -> None:
        self.values, self.source = values, source

    def __call__(self, game: Chain, state: State) -> Action:
        return _best(self.values.action_values(state))


def _best(worths: Mapping[Action, float]) -> Action:
    """The first of those that none is better than."""
    best, *others = worths
    for action in others:
        if worths[action] > worths[best] + SHADE:
            best = action
    return best


def shipped(game: Chain) -> Values:
    """What the package knows of a game."""
    from escadaria import values
    from escadaria.values.chain import ChainValues

    network = values.load(f"{game.name}-{game.players}")
    assert network is not None, "there is one for every number of players"
    return ChainValues(game, network)


def _master(game: Chain, rng: random.Random) -> Master:
    from escadaria import solutions

    solution = solutions.find(game)
    return Master(solution, "exact solution") if solution else Master(shipped(game), "shipped values")


MAKERS: Mapping[str, Callable[[Any, random.Random], Callable[[Any, Any], Action]]] = {
    "tourist": lambda game, rng: Tourist(rng),
    "regular": lambda game, rng: regular,
    "expert": lambda game, rng: Expert(shipped(game), MISJUDGES[game.players], rng),
    "master": _master,
}
