"""Rules of thumb for Chain, as numbers: what a player who follows them decides (C1-C17).

Rules are a row of whole numbers, each with its place; a rule that is not followed has numbers that change
nothing (``NOTHING``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from escadaria.strategy import Rule

FAR = 99
"""More spaces or dice than there are."""

BASE, SLOPE, GIFT, HOME, DICE, WORSE, BETTER, MORE, CLOSE, DARE, COVER, MOST = range(12)

PLACES: Mapping[str, tuple[int, ...]] = {
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
"""Where each rule has its numbers.

``odds``     lengthen while twice the numbers that fit are at least ``BASE``, plus ``SLOPE`` for each link
``gift``     never stop with a move that leaves the other without a free disc, if there is another way
``home``     the centre counts so many spaces; stop with a move that gets there
``dice``     put dice back for a move that then goes so many spaces further for each of them
``worse``    when one link more moves no further, twice the numbers that fit must be so many more
``next``     when one link more moves so many spaces further, they may be so many less
``danger``   so too when the other has one free disc left, so close to the centre
``cover``    to land on a disc of the other counts so many spaces
``most``     roll no more than so many dice
"""

NOTHING = (FAR, 0, 0, 0, 0, 0, FAR, 0, 0, 0, 0, FAR)
"""Who follows no rule stops at once, and takes the move that goes furthest."""


def lengthens(rules: Any, links: int, fits: int, home: bool, gift: bool, extra: int, close: int) -> bool:
    """Whether to lengthen a chain of so many links when so many numbers fit (C12).

    ``extra`` is how much better a move would look with one link more; ``close`` how far the other's last
    free disc is from the centre. ``escadaria.lab`` compiles this and what follows.
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
    """How good a move looks, in spaces: where the discs lie then, how many are home."""
    worth = spaces + rules[HOME] * home + rules[COVER] * covers
    return int(worth - 1000 if gift and rules[GIFT] else worth)


def keeps(rules: Any, hand: int, looks: Any) -> int:
    """How many dice to roll (C8); ``looks`` is by links how good the move looks."""
    kept = min(hand, rules[MOST])
    if rules[DICE] > 0:
        for dice in range(kept - 1, 0, -1):
            if looks[dice] >= looks[kept] + rules[DICE] * (kept - dice):
                kept = dice
    return int(kept)


# The same in words.

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


def told(numbers: Sequence[int], names: Sequence[str], losses: Sequence[float]) -> list[dict[str, Any]]:
    """Rules as ``Rule`` has them; one that counts against something has a name of its own."""
    rules = []
    for name, loss in zip(names, losses, strict=True):
        places = dict(zip(_ARGS.get(name, ()), PLACES[name], strict=False))
        args = {arg: abs(numbers[place]) for arg, place in places.items()}
        way = "_not" if any(numbers[place] < 0 for place in places.values()) else ""
        rules.append({"name": name + way, "args": args, "least": {}, "loss": loss})
    return rules


def numbers_of(rules: Sequence[Rule]) -> list[int]:
    """The inverse."""
    numbers = list(NOTHING)
    for rule in rules:
        name, sign = rule.name.removesuffix("_not"), -1 if rule.name.endswith("_not") else 1
        for place, arg in zip(PLACES[name], _ARGS.get(name, ("",)), strict=True):
            numbers[place] = sign * rule.args.get(arg, 1)
    return numbers
