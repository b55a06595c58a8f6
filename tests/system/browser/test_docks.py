"""Every kind of decision on the smallest phone, on its side, and on a desk."""

from __future__ import annotations

import pytest

from system.browser import docks
from system.browser.conftest import Come
from system.browser.docks import DOCKS
from system.browser.setup import DESK, SHORTEST, SIDE


@pytest.mark.parametrize("name", DOCKS)
def test_every_choice_is_in_view_and_not_cut(come: Come, url: str, name: str) -> None:
    assert not docks.problems(come, url, DOCKS[name], (SHORTEST, SIDE, DESK), "de")


@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_the_board_and_the_main_button_stay_in_place(come: Come, url: str, game: str) -> None:
    assert len(docks.places(come, url, game, SHORTEST)) == 1
