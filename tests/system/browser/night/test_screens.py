"""Every screen and every kind of decision in every size, theme and language."""

from __future__ import annotations

import pytest
from playwright.sync_api import ViewportSize

from escadaria.i18n import LANGUAGES
from system.browser import docks
from system.browser.conftest import Come, Screens
from system.browser.docks import DOCKS
from system.browser.looks import overflows, switch, violations
from system.browser.screens import SCREENS
from system.browser.setup import DESK, DESKS, PHONE, SHORT, SHORTEST, SIDE, TALL
from system.browser.test_screens import WIDTHS, steps_too_high


@pytest.mark.parametrize("name", SCREENS)
def test_no_width_scrolls_sideways_and_all_languages_fit(come: Come, screens: Screens, name: str) -> None:
    screen = screens(name)
    person = come(seats=screen.seats, name="Ana")
    screen.show(person)
    problems: dict[str, list[str]] = {}
    for language in (*LANGUAGES[1:], LANGUAGES[0]):
        person.page.set_viewport_size(DESK)
        switch(person, language)
        for width in WIDTHS:
            problems |= overflows(person, width)
    assert not problems


@pytest.mark.parametrize("size", [DESK, TALL], ids=["desk", "phone"])
@pytest.mark.parametrize("name", SCREENS)
def test_axe_finds_no_violations_in_both_themes(
    come: Come, screens: Screens, name: str, size: ViewportSize
) -> None:
    screen = screens(name)
    person = come(seats=screen.seats, name="Ana", page={"viewport": size})
    screen.show(person)
    for theme in ("light", "dark"):
        person.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        assert not violations(person), theme


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_every_step_of_a_lesson_fits_the_screen(come: Come, game: str, language: str) -> None:
    assert not steps_too_high(come, game, language, (DESKS[0], SHORT, SHORTEST))


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
