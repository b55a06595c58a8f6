"""Heuristics for Chain, and the decisions that follow from them (C1-C17).

Rules are a row of whole numbers, see ``RULE_INDICES``. A rule that is not followed has the numbers of
``NOTHING``, which have no effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from escadaria.games.chain.bots import covers_another, fits, gives_win
from escadaria.games.chain.links import most_fitting
from escadaria.games.chain.positions import with_chain
from escadaria.games.chain.rules import Action, Chain, Keep, Lengthen, Move, Phase, State
from escadaria.strategy import Rule, Strategy, read

UNREACHABLE = 99
"""More spaces and dice than the game has."""

BASE, SLOPE, GIFT, HOME, DICE, WORSE, BETTER, MORE, CLOSE, DARE, COVER, MOST = range(12)

RULE_INDICES: Mapping[str, tuple[int, ...]] = {
    "odds": (BASE, SLOPE),
    "gift": (GIFT,),
    "home": (HOME,),
    "dice": (DICE,),
    "worse": (WORSE,),
    "next": (BETTER, MORE),
    "danger": (CLOSE, DARE),
    "cover": (COVER,),
    "most": (MOST,),
}
"""The indices of each rule's numbers.

``odds``     lengthen while twice the numbers that fit are at least ``BASE``, plus ``SLOPE`` for each link
``gift``     never stop with a move that leaves another seat without a free disc, if there is another way
``home``     the centre counts ``HOME`` spaces; stop with a move that gets there
``dice``     put dice back if the move then goes ``DICE`` spaces further for each of them
``worse``    when one link more moves no further, twice the numbers that fit must be ``WORSE`` more
``next``     when one link more moves ``BETTER`` spaces further, they may be ``MORE`` less
``danger``   they may be ``DARE`` less when another seat's only free disc is ``CLOSE`` to the centre
``cover``    covering another seat's disc counts ``COVER`` spaces
``most``     roll at most ``MOST`` dice
"""

NOTHING = (UNREACHABLE, 0, 0, 0, 0, 0, UNREACHABLE, 0, 0, 0, 0, UNREACHABLE)
"""All rules switched off: the player always stops, and makes the longest move."""


def lengthens(rules: Any, links: int, fits: int, home: bool, gift: bool, extra: int, close: int) -> bool:
    """Whether to lengthen a chain with this number of links and of numbers that fit (C12).

    ``extra`` is how much better the move would look with one link more, ``close`` how far another seat's only
    free disc is from the centre. ``research`` compiles this function and the next two.
    """
    if fits == 0 or (home and rules[HOME] > 0):
        return False
    if gift and rules[GIFT]:
        return True
    wanted = rules[BASE] + rules[SLOPE] * links
    if extra <= 0:
        wanted += rules[WORSE]
    if extra >= rules[BETTER]:
        wanted -= rules[MORE]
    if close <= rules[CLOSE]:
        wanted -= rules[DARE]
    return bool(2 * fits >= wanted)


def appeal(rules: Any, spaces: int, home: int, gift: bool, covers: bool) -> int:
    """How good a move looks, in spaces; ``spaces`` and ``home`` are of the own discs after it."""
    worth = spaces + rules[HOME] * home + rules[COVER] * covers
    return int(worth - 1000 if gift and rules[GIFT] else worth)


def keeps(rules: Any, hand: int, looks: Any) -> int:
    """How many dice to keep (C8); ``looks`` says by links how good the best move looks."""
    kept = min(hand, rules[MOST])
    if rules[DICE] > 0:
        for dice in range(kept - 1, 0, -1):
            if looks[dice] >= looks[kept] + rules[DICE] * (kept - dice):
                kept = dice
    return int(kept)


# Rules by name.

_ARGS: Mapping[str, tuple[str, ...]] = {
    "odds": ("base", "slope"),
    "home": ("spaces",),
    "dice": ("spaces",),
    "worse": ("more",),
    "next": ("spaces", "less"),
    "danger": ("spaces", "less"),
    "cover": ("spaces",),
    "most": ("dice",),
}


def rules_of(numbers: Sequence[int], names: Sequence[str], losses: Sequence[float]) -> list[dict[str, Any]]:
    """The rules as data of ``Rule``; one with negative numbers has a name that ends with ``_not``."""
    rules = []
    for name, loss in zip(names, losses, strict=True):
        places = dict(zip(_ARGS.get(name, ()), RULE_INDICES[name], strict=False))
        args = {arg: abs(numbers[place]) for arg, place in places.items()}
        way = "_not" if any(numbers[place] < 0 for place in places.values()) else ""
        rules.append({"name": name + way, "args": args, "least": {}, "loss": loss})
    return rules


def numbers_of(rules: Sequence[Rule]) -> list[int]:
    """The numbers of rules; the inverse of ``rules_of``."""
    numbers = list(NOTHING)
    for rule in rules:
        name, sign = rule.name.removesuffix("_not"), -1 if rule.name.endswith("_not") else 1
        for place, arg in zip(RULE_INDICES[name], _ARGS.get(name, ("",)), strict=True):
            numbers[place] = sign * rule.args.get(arg, 1)
    return numbers


# A player.


def decide(numbers: Sequence[int], game: Chain, state: State) -> Action:
    """The action of a player who follows these rules."""
    if state.phase is Phase.KEEP:
        hand = state.hands[state.turn]
        looks = [0, *(_best(numbers, game, state, dice).good for dice in range(1, hand + 1))]
        return Keep(keeps(numbers, hand, looks))
    if state.phase is Phase.BUILD:
        after = {link: game.apply(state, link) for link in game.legal_actions(state)}
        return max(after, key=lambda link: most_fitting(after[link].chain, after[link].loose))
    length = len(state.chain.numbers)
    now, later = (_best(numbers, game, state, links) for links in (length, length + 1))
    ways = [action for action in game.legal_actions(state) if isinstance(action, Lengthen)]
    way = max(ways, key=lambda way: fits(state, way), default=None)
    close = min(_close(game, state, seat) for seat in _others(game, state))
    extra = later.good - now.good
    if way and lengthens(numbers, length, fits(state, way), now.home, now.gift, extra, close):
        return way
    return Move(now.space)


def bot(game: Chain, state: State) -> Action:
    """Follow the shipped rules: ``arena chain --bot escadaria.games.chain.heuristics:bot``."""
    return decide(numbers_of(advice()[game.players].rules), game, state)


class _Appeal(NamedTuple):
    """How good a move looks, and why."""

    good: int
    home: bool
    gift: bool
    space: int


def _best(numbers: Sequence[int], game: Chain, state: State, links: int) -> _Appeal:
    """The move that looks best with this number of links."""
    seat, centre, moves = state.turn, game.track.length, list[_Appeal]()
    standing = with_chain(state, links)
    for space in state.free_discs(seat):
        after, facts = game.apply(standing, Move(space)), game.facts(standing, Move(space))
        gift, covers = gives_win(game, after, seat), covers_another(facts, seat)
        home = after.discs[seat].count(centre)
        good = appeal(numbers, sum(after.discs[seat]), home, gift, covers)
        moves.append(_Appeal(good, home > state.discs[seat].count(centre), gift, space))
    return max(moves, key=lambda move: move.good)


def _others(game: Chain, state: State) -> list[int]:
    return [seat for seat in range(game.players) if seat != state.turn]


def _close(game: Chain, state: State, seat: int) -> int:
    """How far the seat's last free disc is from the centre, if it has only one."""
    free = state.free_discs(seat)
    return game.track.length - free[0] if len(free) == 1 else UNREACHABLE


def advice() -> Mapping[int, Strategy]:
    """By number of players: the shipped rules and charts."""
    return read(__package__)
