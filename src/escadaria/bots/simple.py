"""The rules of thumb that a casual player would use. They ask the game what follows and know no rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from escadaria.games.chain.rules import Action as ChainAction
from escadaria.games.chain.rules import Chain, Keep, Lengthen, Link, Move
from escadaria.games.chain.rules import State as ChainState
from escadaria.games.rapido.rules import Again, Place, Rapido
from escadaria.games.rapido.rules import State as RapidoState

GOOD_VALUES = {5: 64, 4: 60, 3: 52, 2: 43}
"""Rapido: the least value that feels safe on each field worth having."""

HANDFUL = 5
"""Chain: the most dice to roll at once; more of them seldom make a chain."""

ODDS = Fraction(2, 3)
"""Chain: the least chance of success to lengthen for."""


def rapido(game: Rapido, state: RapidoState) -> Again | Place:
    """Take the highest free field that the value is good enough for; without one, roll again.

    When none worth having is free there is nothing to roll for.
    """
    fields = state.free_fields()
    good = [field for field in fields if state.value >= GOOD_VALUES.get(field, 100)]
    if not good and any(field in GOOD_VALUES for field in fields):
        return Again()
    return Place(max(good or fields))


def chain(game: Chain, state: ChainState) -> ChainAction:
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


def _odds(game: Chain, state: ChainState, action: Lengthen) -> Fraction:
    """The probability that the turn goes on after lengthening."""
    node = game.apply(state, action)
    return sum(
        (chance for die, chance in game.chance_outcomes(node) if game.apply(node, die).turn == state.turn),
        Fraction(0),
    )


def _openness(game: Chain, state: ChainState) -> Fraction:
    """The best odds of lengthening that can still be reached, looking ahead over a few links."""
    legal = game.legal_actions(state)
    if isinstance(legal[0], Link):
        if len(state.loose) >= HANDFUL:  # too many orders to look through
            return Fraction(0)
        return max(_openness(game, game.apply(state, link)) for link in legal)
    return max((_odds(game, state, a) for a in legal if isinstance(a, Lengthen)), default=Fraction(0))


def _appeal(game: Chain, state: ChainState, move: Move) -> tuple[bool, bool, int]:
    """How good a move looks: it hands nobody the win, brings a disc home, gets far."""
    seat, after = state.turn, game.apply(state, move)
    others = (other for other in range(game.players) if other != seat)
    centre = game.track.length
    return (
        all(game.free_discs(after, other) for other in others),
        after.discs[seat].count(centre) > state.discs[seat].count(centre),
        sum(after.discs[seat]),
    )


BOTS: Mapping[str, Callable[[Any, Any], Any]] = {Rapido.name: rapido, Chain.name: chain}
"""One for each game."""
