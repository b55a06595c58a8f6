"""Changes of screens: the focus, the title, what is announced, and how far down the page is."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from system.browser.conftest import Come
from system.browser.people import Person
from system.browser.setup import opened, played, practising

DECIDE = "turn=0 phase=decide value=54 steps=9,5,12 tower=2:1:52,4:2:63"
PHONE = {"viewport": {"width": 390, "height": 664}}


def follow(page: Page, path: str) -> None:
    """Follow a link of the page to a path."""
    page.evaluate(
        """path => {
      const link = document.createElement('a');
      link.href = path;
      document.querySelector('main').append(link);
      link.click();
    }""",
        path,
    )


def arrived(person: Person, title: str) -> None:
    """Assert that a new screen begins at its heading, and that its title was announced."""
    page = person.page
    expect(page).to_have_title(re.compile(re.escape(title)))
    expect(page.get_by_role("heading", level=1).first).to_be_focused()
    expect(page.get_by_test_id("live")).to_contain_text(title)


def test_each_screen_begins_at_its_heading_and_its_title_is_announced(come: Come, url: str) -> None:
    table = practising(url, "rapido", DECIDE, 3, "Ana")
    waiting = opened(url, "chain", 3, people=[{"name": "Ana"}])
    over = played(url, "rapido", 2, finish=20)
    person = come(seats=[table, waiting]).go("/")
    page = person.page
    assert page.evaluate("document.activeElement === document.body"), "not on the first page"
    expect(page.get_by_test_id("live")).to_have_text("")
    for path, title in (
        ("/new/rapido", named(person, "web.rules.play", "rapido")),
        ("/learn/rapido", named(person, "web.learn.title", "rapido")),
        ("/rules/chain", named(person, "web.rules.of", "chain")),
        ("/strategy/chain", named(person, "web.strategy.of", "chain")),
        ("/position/rapido", person.say("web.position.title")),
        ("/replay", person.say("web.replay.title")),
        ("/nothing/here", person.say("web.lost.title")),
        (table.path, person.say("rapido.name")),
        (waiting.path, person.say("chain.name")),
        (f"/replay/{over.match}", f"{person.say('web.replay.title')} · {person.say('rapido.name')}"),
    ):
        follow(page, path)
        arrived(person, title)
        page.go_back()
        arrived(person, person.say("web.home.title"))


def named(person: Person, title: str, game: str) -> str:
    """The title of a screen for a game."""
    return person.say(title, game=person.say(f"{game}.name"))


def test_the_page_is_where_it_was_after_back_forward_and_reload(come: Come) -> None:
    person = come(page=PHONE).go("/")
    page = person.page
    learn = person.named("link", "web.rules", exact=True)
    learn.scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 37)")
    home = page.evaluate("scrollY")
    assert home > 0
    learn.click()
    arrived(person, named(person, "web.rules.of", "rapido"))
    expect(page.get_by_role("heading", level=2).nth(3)).to_be_visible()
    assert page.evaluate("scrollY") == 0, "a new page begins at its top"
    page.evaluate("scrollTo(0, 1500)")
    page.go_back()
    arrived(person, person.say("web.home.title"))
    at(page, home)
    page.go_forward()
    arrived(person, named(person, "web.rules.of", "rapido"))
    at(page, 1500)
    page.reload()
    person.ready()
    at(page, 1500)


def at(page: Page, height: float) -> None:
    expect(page.locator("html")).to_have_js_property("scrollTop", height)


def test_a_fragment_moves_neither_the_focus_nor_the_page(come: Come) -> None:
    person = come().go("/rules/rapido")
    page = person.page
    link = page.locator("main nav a[href^='#']").nth(2)
    link.click()
    expect(page).to_have_url(re.compile("#"))
    expect(page.get_by_role("heading", level=1)).not_to_be_focused()
    expect(page.get_by_test_id("live")).to_have_text("")


def test_who_goes_on_by_keys_is_not_called_back(come: Come) -> None:
    """The heading of a table comes with its data; until then the focus may have moved."""
    person = come().go("/")
    page = person.page

    def go_on(route: Route) -> None:
        page.keyboard.press("Tab")
        route.continue_()

    page.route("**/api/lessons/*", go_on)
    follow(page, "/learn/rapido")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_test_id("live")).to_contain_text(named(person, "web.learn.title", "rapido"))
    expect(page.get_by_role("heading", level=1)).not_to_be_focused()
