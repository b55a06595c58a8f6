"""Chain's compiled rules, piece by piece (C1-C18)."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from escadaria.games.chain.compiled import rules as chain_rules
from escadaria.games.chain.rules import FACES, Heading, Links, can_link


@pytest.mark.parametrize("dice", [2, 3, 4, 5])
def test_c10_what_can_be_linked_is_told_at_once(dice: int) -> None:
    """For every chain that can come up and all loose dice beside it, as the engine finds by trying."""
    for first in FACES:
        for loose in combinations_with_replacement(FACES, dice):
            numbers = (first, *loose)
            if max(map(numbers.count, FACES)) > 3:
                assert not can_link(Links((first,), first), loose)
                continue
            word = sum(1 << 8 * (number - 1) for number in loose)
            found = chain_rules.can_link(first - 1, 0, word)
            assert found == can_link(Links((first,), first), loose)
            for code, heading in ((1, Heading.UP), (2, Heading.DOWN)):
                if first not in (1, 6) and loose.count(first) < 3:
                    chain = Links((first,), first, heading)
                    assert chain_rules.can_link(first - 1, code, word) == can_link(chain, loose)
