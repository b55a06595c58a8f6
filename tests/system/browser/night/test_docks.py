"""Every kind of decision in every language, at every size."""

from __future__ import annotations

import pytest
from playwright.sync_api import ViewportSize

from escadaria.i18n import LANGUAGES
from system.browser import docks
from system.browser.conftest import Come
from system.browser.docks import DOCKS
from system.browser.setup import DESK, DESKS, PHONE, SHORT, SHORTEST, SIDE


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", DOCKS)
def test_every_choice_is_in_view_and_not_cut(come: Come, url: str, name: str, language: str) -> None:
    sizes = (SHORTEST, SHORT, PHONE, SIDE, DESK, *DESKS)
    assert not docks.problems(come, url, DOCKS[name], sizes, language)


@pytest.mark.parametrize("size", [SHORT, PHONE, DESK], ids=["short", "phone", "desk"])
@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_the_board_and_the_main_button_stay_in_place(
    come: Come, url: str, game: str, size: ViewportSize
) -> None:
    assert len(docks.places(come, url, game, size)) == 1
