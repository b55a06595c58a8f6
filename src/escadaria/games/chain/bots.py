"""Chain's levels, from the tourist to the master.

``tourist`` follows heuristics, but often decides at random. ``regular`` always follows them, prefers to cover
other players' discs, and never gives a win away. ``expert`` plans its whole turn by the values of
positions, with some noise. ``master`` plays by the exact solution if the cache folder has it, else it plans
its turn by shipped values, without noise.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

from escadaria.bots import Maker
from escadaria.bots.evaluating import DRAWS, Expert, Master
from escadaria.game import Fact
from escadaria.games.chain.facts import Arrived, Covered
from escadaria.games.chain.links import FACES, fitting, headed, most_fitting
from escadaria.games.chain.rules import Action, Chain, Keep, Lengthen, Link, Move, State

# The simple bot: the heuristics of a casual player.

HANDFUL = 5
"""The most dice to roll at a time; more of them seldom make a chain."""

ODDS = Fraction(2, 3)
"""The least chance of success to lengthen for."""


def simple(game: Chain, state: State) -> Action:
    """Roll a handful, leave the chain's end open, lengthen while the odds are good, run far."""
    legal = game.legal_actions(state)
    keeps = [action for action in legal if isinstance(action, Keep)]
    if keeps:
        return keeps[min(len(keeps), HANDFUL) - 1]
    links = [action for action in legal if isinstance(action, Link)]
    if links:
        return max(links, key=lambda link: _openness(game.apply(state, link)))
    moves = [action for action in legal if isinstance(action, Move)]
    best = max(moves, key=lambda move: _appeal(game, state, move))
    lengthenings = [action for action in legal if isinstance(action, Lengthen)]
    bold = max(lengthenings, key=lambda action: fits(state, action), default=None)
    kind, home, _ = _appeal(game, state, best)
    if bold and (not kind or (not home and fits(state, bold) >= ODDS * len(FACES))):
        return bold
    return best


def fits(state: State, action: Lengthen) -> int:
    """How many of the six numbers can be added in this direction (C13)."""
    return fitting(headed(state.chain, action.heading))


def _openness(state: State) -> int:
    """How many numbers fit at best once all loose dice are linked; 0 if there are too many dice to try."""
    if state.pool == 0 or len(state.loose) >= HANDFUL:
        return 0
    return most_fitting(state.chain, state.loose)


def _appeal(game: Chain, state: State, move: Move, cover_bonus: int = 0) -> tuple[bool, bool, int]:
    """How good a move looks: it gives no win away, brings a disc home, gets far or covers a disc."""
    seat, after, facts = state.turn, game.apply(state, move), game.facts(state, move)
    return (
        not gives_win(game, after, seat),
        any(isinstance(fact, Arrived) for fact in facts),
        sum(after.discs[seat]) + cover_bonus * covers_another(facts, seat),
    )


def gives_win(game: Chain, state: State, seat: int) -> bool:
    """Whether another seat has won if its turn comes with these discs (C6)."""
    return not all(state.free_discs(other) for other in range(game.players) if other != seat)


def covers_another(facts: Sequence[Fact], seat: int) -> bool:
    """Whether a move covers another seat's disc (C17)."""
    return any(isinstance(fact, Covered) and fact.victim != seat for fact in facts)


# The tourist and the regular.

RANDOM_BELOW = 2 * DRAWS // 5
"""Below this draw a tourist takes a random legal action."""


class Tourist:
    """Plays like ``simple``, but often takes a random action."""

    source = "rules of thumb"

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, game: Chain, state: State) -> Action:
        if self.rng.choice(range(DRAWS)) < RANDOM_BELOW:
            return self.rng.choice(game.legal_actions(state))
        return simple(game, state)


COVER_BONUS = 2
"""Regular: the number of spaces that covering another player's disc counts for."""


def regular(game: Chain, state: State) -> Action:
    """Play like ``simple``, but prefer moves that cover another player's disc; give no win away."""
    action = simple(game, state)
    if not isinstance(action, Move):
        return action
    moves = [move for move in game.legal_actions(state) if isinstance(move, Move)]
    return max(moves, key=lambda move: _appeal(game, state, move, COVER_BONUS))


# The expert and the master.

NOISE_WIDTH = {2: 0.12, 3: 0.16, 4: 0.16, 5: 0.14, 6: 0.15}
"""By players: the largest noise of an expert, as a share of a decision's value. A value of 0 stays 0."""

TOLERANCE = 1e-13
"""Smaller differences count as equal: rounding errors are smaller, and a quicker win is worth more."""


def _expert(game: Chain, rng: random.Random) -> Expert:
    from escadaria.games.chain.values import shipped  # NumPy

    width = NOISE_WIDTH[game.players]
    return Expert(shipped(game), lambda worth, draw: worth * (1.0 + width * draw), rng, TOLERANCE)


def _master(game: Chain, rng: random.Random) -> Master:
    from escadaria.games.chain.values import shipped  # NumPy

    return Master(shipped(game), tolerance=TOLERANCE)


BOTS: Mapping[str, Maker] = {
    "simple": lambda game, rng: simple,
    "tourist": lambda game, rng: Tourist(rng),
    "regular": lambda game, rng: regular,
    "expert": _expert,
    "master": _master,
}
