"""A whole match of Chain takes the taps that ``bench/taps.py`` counts."""

from __future__ import annotations

import pytest

from system.browser.conftest import Come
from system.browser.playing import Player, followed
from system.browser.setup import opened


@pytest.mark.parametrize("bot", ["regular", "expert"])
def test_a_match_of_chain_takes_the_taps_that_are_counted(come: Come, url: str, bot: str) -> None:
    """Each decision is made by exactly these taps; without any, it is made by itself."""
    table = opened(
        url, "chain", people=[{"name": "Ana"}], bots=["simple"], start=True, options={"board": "short"}
    )
    person = come(page={"viewport": {"width": 390, "height": 664}, "has_touch": True}, seats=[table])
    with followed(url, table) as match:
        player = Player(person.go(table.path), match, bot)
        while not match.over:
            if match.asks(0):
                player.decide()
            else:
                player.follow()
    assert player.taps
