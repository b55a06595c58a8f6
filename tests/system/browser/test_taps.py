"""A whole match of Chain takes the taps that ``bench/taps.py`` counts."""

from __future__ import annotations

from system.browser.conftest import Come
from system.browser.playing import Player, followed
from system.browser.setup import SHORT, opened


def test_a_match_of_chain_takes_the_taps_that_are_counted(come: Come, url: str) -> None:
    tapped(come, url, "regular")


def tapped(come: Come, url: str, bot: str) -> None:
    """Each decision is made by exactly these taps; without any, it is made by itself."""
    table = opened(
        url, "chain", people=[{"name": "Ana"}], bots=["simple"], start=True, options={"board": "short"}
    )
    person = come(page={"viewport": SHORT, "has_touch": True}, seats=[table])
    with followed(url, table) as match:
        player = Player(person.go(table.path), match, bot)
        while not match.over:
            if match.asks(0):
                player.decide()
            else:
                player.follow()
    assert player.taps
