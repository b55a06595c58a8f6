"""Rules of thumb for Chain, as numbers: what a player who follows them decides (C1-C17).

Rules are a row of whole numbers, each with its place; a rule that is not followed has numbers that change
nothing (``NOTHING``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FAR = 99

BOLD, LONG, CAREFUL, KEEP, HOME, GIFT, COVER, BURIED, REAR, NEAR, HAVE, AIM, FEW = range(13)

PLACES: Mapping[str, tuple[int, ...]] = {
    "odds": (BOLD,),
    "long": (LONG, CAREFUL),
    "keep": (KEEP,),
    "home": (HOME,),
    "gift": (GIFT,),
    "cover": (COVER,),
    "buried": (BURIED,),
    "rear": (REAR,),
    "near": (NEAR,),
    "aim": (AIM,),
}
"""Where each rule has its numbers.

``odds``     lengthen while so many numbers fit
``long``     a chain of so many links or more wants so many
``keep``     roll no more than so many dice
``home``     stop when that brings a disc to the centre
``gift``     never stop with a move that leaves the other without a free disc, if there is another way
``cover``    a move that leaves a disc of the other covered counts so many spaces more
``buried``   an own disc that lies covered counts so many spaces more
``rear``     prefer the disc behind, as if it went so many spaces more
``near``
``aim``
"""

NOTHING = (7, FAR, 7, FAR, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def lengthens(rules: Any, links: int, fits: int, home: bool, gift: bool) -> bool:
    """Whether to lengthen a chain of so many links when so many numbers fit (C12)."""
    if fits == 0:
        return False
    if gift and rules[GIFT]:
        return True
    if home and rules[HOME]:
        return False
    return bool(fits >= (rules[CAREFUL] if links >= rules[LONG] else rules[BOLD]))


def appeal(rules: Any, spaces: int, home: int, covered: int, buried: int, rear: bool, left: int) -> int:
    """How good a move looks."""
    worth = spaces + rules[COVER] * covered + rules[BURIED] * buried + rules[REAR] * rear
    if rules[HOME]:
        worth += 100 * home
    if 0 < left <= rules[NEAR]:
        worth -= rules[AIM]
    return int(worth)
