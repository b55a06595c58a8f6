"""Chain's levels, from the tourist to the master.

``tourist`` follows rules of thumb when no whim takes it. ``regular`` follows them always, loves to lie on
other people's discs, and hands nobody the win. ``expert`` works its turn out to the end by what positions
are worth, and misjudges a little. ``master`` plays by the exact solution if the cache folder has it, else it
works its turn out by shipped values and never misjudges them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

from escadaria.bots import Maker
from escadaria.bots.evaluating import LOTS, Expert, Values, master
from escadaria.games.chain.rules import Action, Arrived, Chain, Covered, Keep, Lengthen, Link, Move, State

# The simple bot: the rules of thumb of a casual player.

HANDFUL = 5
"""The most dice to roll at once; more of them seldom make a chain."""

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
        return max(links, key=lambda link: _openness(game, game.apply(state, link)))
    moves = [action for action in legal if isinstance(action, Move)]
    best = max(moves, key=lambda move: _appeal(game, state, move))
    lengthenings = [action for action in legal if isinstance(action, Lengthen)]
    bold = max(lengthenings, key=lambda action: _odds(game, state, action), default=None)
    kind, home, _ = _appeal(game, state, best)
    if bold and (not kind or (not home and _odds(game, state, bold) >= ODDS)):
        return bold
    return best


def _odds(game: Chain, state: State, action: Lengthen) -> Fraction:
    """The probability that the turn goes on after lengthening."""
    node = game.apply(state, action)
    return sum(
        (chance for die, chance in game.chance_outcomes(node) if game.apply(node, die).turn == state.turn),
        Fraction(0),
    )


def _openness(game: Chain, state: State) -> Fraction:
    """The best odds of lengthening that can still be reached, looking ahead over a few links."""
    legal = game.legal_actions(state)
    if isinstance(legal[0], Link):
        if len(state.loose) >= HANDFUL:  # too many orders to look through
            return Fraction(0)
        return max(_openness(game, game.apply(state, link)) for link in legal)
    return max((_odds(game, state, a) for a in legal if isinstance(a, Lengthen)), default=Fraction(0))


def _appeal(game: Chain, state: State, move: Move) -> tuple[bool, bool, int]:
    """How good a move looks: it hands nobody the win, brings a disc home, gets far."""
    seat, after = state.turn, game.apply(state, move)
    others = (other for other in range(game.players) if other != seat)
    centre = game.track.length
    return (
        all(game.free_discs(after, other) for other in others),
        after.discs[seat].count(centre) > state.discs[seat].count(centre),
        sum(after.discs[seat]),
    )


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
        return simple(game, state)


LOVE = 2
"""Regular: how many spaces it is worth to lie on somebody."""


def regular(game: Chain, state: State) -> Action:
    """Play by rules of thumb, but move where it covers somebody; hand nobody the win."""
    action = simple(game, state)
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


BOTS: Mapping[str, Maker] = {
    "simple": lambda game, rng: simple,
    "tourist": lambda game, rng: Tourist(rng),
    "regular": lambda game, rng: regular,
    "expert": _expert,
    "master": lambda game, rng: master(game, shipped, SHADE),
}
