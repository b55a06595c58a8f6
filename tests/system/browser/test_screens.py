"""Every screen once: no overflow, no missing text, nothing that axe finds; and what is special to some."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ViewportSize, expect

from escadaria.i18n import LANGUAGES, load
from system.browser.conftest import Come, Screens
from system.browser.looks import LEFTOVER_KEYS, SCROLLS, TARGET, overflows, small_targets, switch, violations
from system.browser.screens import SCREENS
from system.browser.setup import DESK, DESKS, SHORT, SHORTEST, SIDE, TABLET, TALL

NAMES = [*SCREENS]
WIDTHS = (320, 390, 768, 1280)


@pytest.mark.parametrize("name", NAMES)
def test_every_screen_fits_and_can_be_used_by_everybody(come: Come, screens: Screens, name: str) -> None:
    """In German, the longest language; every other screen on a phone and in the dark theme."""
    phone = NAMES.index(name) % 2
    size = TALL if phone else DESK
    screen = screens(name)
    person = come(
        seats=screen.seats, name="Ana", language="de",
        page={"viewport": size, "color_scheme": "dark" if phone else "light"},
    )  # fmt: skip
    screen.show(person)
    problems = {"axe": violations(person), **overflows(person, size["width"])}
    problems["targets"] = small_targets(person)
    problems |= overflows(person, 320)
    assert not {what: them for what, them in problems.items() if them}


def test_the_language_is_switched_without_reloading(come: Come, screens: Screens) -> None:
    screen = screens("rapido-decide")
    person = come(seats=screen.seats, name="Ana")
    screen.show(person)
    for language in (*LANGUAGES[1:], LANGUAGES[0]):
        switch(person, language)
        assert not overflows(person, DESK["width"])


def test_the_system_s_theme_changes_while_it_is_open(come: Come, screens: Screens) -> None:
    screen = screens("rapido-decide")
    person = come(seats=screen.seats, page={"color_scheme": "light"})
    screen.show(person)
    body = person.page.locator("body")
    light = body.evaluate("element => getComputedStyle(element).backgroundColor")
    to_dark = person.named("button", "web.theme.to_dark")
    expect(to_dark).to_be_visible()
    person.page.emulate_media(color_scheme="dark")
    to_light = person.named("button", "web.theme.to_light")
    expect(to_light).to_be_visible()
    expect(body).not_to_have_css("background-color", light)
    to_light.click()  # from now on the user's choice overrides the system's
    expect(to_dark).to_be_visible()
    expect(body).to_have_css("background-color", light)
    person.page.reload()
    expect(to_dark).to_be_visible()
    expect(body).to_have_css("background-color", light)


def test_the_first_visit_is_small_and_in_the_language_of_the_browser(come: Come) -> None:
    """All bytes over the network, compressed and with the headers, until nothing more is requested."""
    person = come(page={"locale": "de-CH", "viewport": SHORTEST, "has_touch": True}, fresh=True)
    person.texts = load("de")
    session = person.context.new_cdp_session(person.page)
    session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    paths: list[str] = []
    person.page.on("request", lambda request: paths.append(urlsplit(request.url).path))
    person.go("/")
    expect(person.button("web.online").first).to_be_visible()
    person.page.wait_for_load_state("networkidle")
    assert len(sizes) >= 3, "page, script, style"
    assert sum(sizes) <= 75_000
    assert not [path for path in paths if path.startswith("/api/texts")], "the page has its texts"
    assert sum(path.startswith("/assets/") for path in paths) <= 3, f"other screens are not loaded: {paths}"
    # a short phone says what this is
    expect(person.page.locator("html")).to_have_attribute("lang", "de")
    play = person.page.get_by_role("button", name=person.like("web.home.bots")).first
    welcome = person.page.get_by_text(person.say("web.home.welcome"))
    for shown in (welcome, person.page.get_by_label(person.say("web.name.yours")), play):
        expect(shown).to_be_in_viewport(ratio=1)


def test_a_page_in_another_language_loads_its_texts(come: Come) -> None:
    """The server knows the browser's languages, not the one that was chosen here."""
    person = come(language="fr", page={"locale": "de"})
    person.texts = load("fr")
    person.go("/")
    person.reads("web.home.welcome")
    expect(person.page.locator("html")).to_have_attribute("lang", "fr")
    person.click("web.home.learn")
    expect(person.page.get_by_role("heading", level=1)).to_be_visible()
    assert not person.page.evaluate(LEFTOVER_KEYS)


SIDEWAYS: tuple[ViewportSize, ...] = ({"width": 844, "height": 390}, SIDE)


@pytest.mark.parametrize("name", ["rapido-roll", "learn-rapido", "learn-chain"])  # decisions: test_docks.py
def test_a_phone_on_its_side_shows_the_board_and_the_action(come: Come, screens: Screens, name: str) -> None:
    screen = screens(name)
    person = come(seats=screen.seats, page={"viewport": SIDEWAYS[0]})
    screen.show(person)
    if name == "learn-chain":  # a lesson chooses nothing for the learner
        person.turn.locator("[data-action]:not([aria-disabled=true])").first.click()
    for size in SIDEWAYS:
        person.page.set_viewport_size(size)
        expect(person.main.first).to_be_in_viewport(ratio=1)
        expect(person.board).to_be_in_viewport(ratio=1)
        assert not person.page.evaluate(SCROLLS)


@pytest.mark.parametrize("name", ["replay", "replay-analysed"])
def test_a_replay_shows_the_board_and_the_way_through_it(come: Come, screens: Screens, name: str) -> None:
    person = come(page={"viewport": DESKS[0]})
    page = person.page
    screens(name).show(person)  # its middle
    expect(page).to_have_url(re.compile("#ply="))
    page.reload()
    expect(page.get_by_role("img", name=person.like("web.coach.curve"))).to_be_visible()
    person.ready()
    # on a small desktop screen the line of this moment is visible
    log = person.named("group", "web.replay.log").locator(".log")
    expect(log.locator("[aria-current=step]")).to_be_in_viewport(ratio=0.99)  # what its box clips is not seen
    box = log.bounding_box()
    assert box and box["height"] >= 3 * TARGET
    play = person.named("button", "web.replay.play", exact=True)
    slider = person.named("slider", "web.replay.slider")
    for size in (DESKS[0], TABLET, TALL, SHORT, *SIDEWAYS):
        page.set_viewport_size(size)
        page.evaluate("scrollTo(0, 0)")
        person.see()
        board, hand, controls = page.evaluate(
            "parts => parts.map((part) => document.querySelector(part).getBoundingClientRect().toJSON())",
            [".frame", ".turn-dock > .hand", ".controls"],
        )
        assert hand["x"] + hand["width"] <= size["width"], size
        for covered in (board, hand):
            assert covered["y"] + covered["height"] <= controls["y"] + 1, size
        for shown in (person.board, person.turn, play, slider) if size in SIDEWAYS else ():
            expect(shown).to_be_in_viewport(ratio=0.99)


def test_names_of_six_can_be_read_where_they_stand_above_the_board(come: Come, screens: Screens) -> None:
    screen = screens("rapido-six")
    person = come(seats=screen.seats, page={"viewport": {"width": 830, "height": 700}})
    screen.show(person)
    for player in person.players.filter(has_not_text="Maximiliane").locator(".who").all():
        assert player.evaluate("element => element.scrollWidth <= element.clientWidth")


@pytest.mark.parametrize("game", ["rapido", "chain"])
def test_every_step_of_a_lesson_fits_the_screen(come: Come, game: str) -> None:
    assert not steps_too_high(come, game, "de", (SHORTEST,))


def steps_too_high(
    come: Come, game: str, language: str, sizes: tuple[ViewportSize, ...]
) -> list[tuple[int, ViewportSize]]:
    """The steps of a lesson, and the sizes at which they scroll or the board is small."""
    person = come(page={"viewport": SHORTEST}, language=language)
    step, last, found = 0, 9, []
    while step <= last:
        person.go(f"/learn/{game}?{step}#step={step}")
        dots = person.page.get_by_role("img", name=person.like("web.learn.step"))
        last = max(last, dots.or_(person.page.locator(".dots")).locator("i").count() - 1)
        for size in sizes:
            person.page.set_viewport_size(size)
            person.see()
            box = person.board.bounding_box()
            if person.page.evaluate(SCROLLS) or not box or box["height"] < 180:
                found.append((step, size))
        step += 1
    return found


def test_pictures_of_the_rules_fill_their_place(come: Come) -> None:
    person = come()
    narrower = """all => all.map((it) => [
      it.parentElement.clientWidth - it.offsetWidth, getComputedStyle(it).margin,
    ])"""
    for game in ("rapido", "chain"):
        pictures = person.go(f"/rules/{game}").page.locator("figure .picture")
        expect(pictures.first).to_be_visible()
        for width in WIDTHS:
            person.page.set_viewport_size({"width": width, "height": 800})
            person.see()
            assert all(found == [0, "0px"] for found in pictures.evaluate_all(narrower)), (game, width)
