"""Whole matches, and what is shown in them, with more players, bots, sizes and languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import ViewportSize

from escadaria.i18n import LANGUAGES
from system.browser.conftest import Come
from system.browser.screens import evaluated_chain, evaluated_table
from system.browser.setup import DESK, SHORT, SHORTEST, TALL, Table
from system.browser.test_coach import hint_fits
from system.browser.test_keys import KEEP
from system.browser.test_listening import ends_by_reader
from system.browser.test_matches import whole_match
from system.browser.test_print import PAGES, PAPERS, fit
from system.browser.test_real_dice import PLAYS, entered
from system.browser.test_stuck import hammered
from system.browser.test_taps import tapped

SHORT_BOARD = {"board": "18 3>8 9>5"}


def test_a_match_of_chain_by_screen_reader(come: Come, url: str) -> None:
    ends_by_reader(come, url, KEEP)


@pytest.mark.parametrize("size", [DESK, SHORTEST], ids=["desk", "phone"])
@pytest.mark.parametrize(
    "game, players, options",
    [("rapido", 3, {"finish": 8}), ("rapido", 6, {"finish": 5}), ("chain", 2, SHORT_BOARD),
     ("chain", 6, SHORT_BOARD)],
    ids=["rapido-3", "rapido-6", "chain-2", "chain-6"],
)  # fmt: skip
def test_a_match_against_bots(
    come: Come, game: str, players: int, options: dict[str, Any], size: ViewportSize
) -> None:
    whole_match(come, game, players, options, size)


def test_the_taps_of_an_expert(come: Come, url: str) -> None:
    tapped(come, url, "expert")


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("game", PLAYS)
def test_a_whole_match_with_entered_dice(come: Come, game: str, players: int) -> None:
    entered(come, game, players)


@pytest.mark.parametrize(
    "size", [DESK, SHORT, SHORTEST, TALL, {"width": 844, "height": 390}], ids=lambda size: str(size["height"])
)
@pytest.mark.parametrize("made", [evaluated_table, evaluated_chain])
def test_chances_and_a_hint_fit_the_layout(
    come: Come, url: str, made: Callable[[str], Table], size: ViewportSize
) -> None:
    hint_fits(come, url, made, size)


@pytest.mark.parametrize("how", ["touch", "mouse", "enter", "held"])
@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_hammering_decides_only_what_was_seen(come: Come, url: str, game: str, how: str) -> None:
    hammered(come, url, game, how)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("game", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_fit_on_paper(come: Come, game: str, paper: str, language: str) -> None:
    fit(come, game, paper, language)
