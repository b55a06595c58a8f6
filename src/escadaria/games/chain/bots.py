"""Chain's levels, from the tourist to the master.

``tourist`` follows rules of thumb when no whim takes it. ``regular`` follows them always, loves to lie on
other people's discs, and hands nobody the win. ``expert`` works its turn out to the end by what positions
are worth, and misjudges a little. ``master`` plays by the exact solution if the cache folder has it, else it
works its turn out by shipped values and never misjudges them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from escadaria.bots import simple
from escadaria.bots.evaluating import LOTS, Expert, Values, master
from escadaria.games.chain.rules import Action, Arrived, Chain, Covered, Move, State

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

MISJUDGES = {2: 0.12, 3: 0.16, 4: 0.16, 5: 0.14, 6: 0.15}
"""By what part of its worth an expert can be wrong about a decision, by players: a gift it always sees."""

SHADE = 1e-13
"""What is better by less is equal: sums are off by less, and a quicker win is worth more."""


def shipped(game: Chain) -> Values:
    """What the package knows of a game."""
    from escadaria.games.chain import values

    return values.ChainValues(game, values.shipped(game))


def _expert(game: Chain, rng: random.Random) -> Expert:
    width = MISJUDGES[game.players]
    return Expert(shipped(game), lambda worth, lot: worth * (1.0 + width * lot), rng, SHADE)


MAKERS: Mapping[str, Callable[[Any, random.Random], Callable[[Any, Any], Action]]] = {
    "tourist": lambda game, rng: Tourist(rng),
    "regular": lambda game, rng: regular,
    "expert": _expert,
    "master": lambda game, rng: master(game, shipped, SHADE),
}
