"""The strategy page: the best action for every roll, and advice."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, expect

from escadaria import strategy
from system.browser.conftest import Come
from system.browser.people import Person
from system.browser.screens import BOARD, KEEPS, RACE, STARTS, explored, there
from system.browser.test_keys import reach

RAPIDO = there("strategy/rapido", RACE, STARTS)
CHAIN = there("strategy/chain", BOARD, KEEPS)


def cells(person: Person) -> Locator:
    """The rolls, each with its best action."""
    return person.page.get_by_role("radio", name=person.like("web.strategy.roll"))


def cell(person: Person, dice: str) -> Locator:
    return person.page.get_by_role("radio", name=re.compile(f"^{re.escape(dice)}:"))


def looked_at(person: Person) -> Locator:
    return person.named("region", "web.strategy.looked")


def test_every_roll_of_rapido_has_an_answer_and_an_x_harms_only_later(come: Come) -> None:
    person = come().go(RAPIDO)
    explored(person)
    expect(cells(person)).to_have_count(36)
    assert all(re.search(r" \d+%$", name) for name in names(person))
    fall = re.compile(person.say("web.strategy.rapido.fall"))
    expect(cell(person, "7 and X")).not_to_have_accessible_name(fall)
    before = dict(zip(range(36), names(person), strict=True))
    person.page.get_by_text(person.say("web.strategy.later"), exact=True).click()
    for dice in ("7 and X", "X and X"):
        expect(cell(person, dice)).to_have_accessible_name(fall)
    changed = [before[i] for i, name in enumerate(names(person)) if name != before[i]]
    assert len(changed) == 11 and all("X" in name for name in changed)  # R11, R12

    cell(person, "2 and 6").click()
    expect(looked_at(person)).to_contain_text("62")
    expect(looked_at(person).locator(".win")).to_have_count(5)  # again, and the free fields 0, 1, 4, 5
    expect(looked_at(person).get_by_role("listitem").first).to_contain_text("★")


def names(person: Person) -> list[str]:
    found: list[str] = cells(person).evaluate_all("all => all.map((cell) => cell.getAttribute('aria-label'))")
    return found


def test_answers_follow_the_position_and_the_url_stores_it(come: Come) -> None:
    person = come().go(RAPIDO)
    explored(person)
    page = person.page
    before = names(person)
    person.named("spinbutton", "web.position.step", name="Red").fill("4")
    page.keyboard.press("Tab")
    expect(cell(person, "1 and 1")).to_have_accessible_name(re.compile(person.say("web.strategy.rapido.won")))
    assert names(person) != before
    expect(page).to_have_url(re.compile("steps%3D4%2C2"))
    page.reload()
    expect(cell(person, "1 and 1")).to_have_accessible_name(re.compile(person.say("web.strategy.rapido.won")))
    person.click("web.strategy.editor")
    expect(page).to_have_url(re.compile("/position/rapido#.*steps%3D4%2C2"))


def test_rolls_are_chosen_by_arrows(come: Come) -> None:
    person = come().go(RAPIDO)
    explored(person)
    reach(person, person.page.get_by_role("radio", name=person.like("web.strategy.roll"), checked=True))
    person.press("Home")
    expect(cell(person, "1 and 1")).to_be_focused()
    person.press("ArrowRight")
    person.press("ArrowDown")  # the next row
    expect(cell(person, "2 and 2")).to_be_checked()
    expect(looked_at(person)).to_contain_text("22")


def test_chain_says_how_many_dice_to_keep_and_what_to_build(come: Come) -> None:
    person = come().go(CHAIN)
    explored(person)
    kept = person.named("radiogroup", "web.strategy.keep").get_by_role("radio")
    expect(kept).to_have_count(3)
    expect(kept.filter(has_text="★")).to_be_checked()  # by default the best action is selected
    kept.nth(1).click()
    expect(cells(person)).to_have_count(36)
    kept.nth(2).click()
    person.named("group", "web.strategy.coloured").get_by_text("3", exact=True).click()
    expect(cells(person)).to_have_count(21)
    expect(cell(person, "3, 2, and 4")).to_have_accessible_name(
        re.compile(person.say("web.strategy.chain.fail"))
    )
    cell(person, "3, 4, and 5").click()
    expect(looked_at(person).get_by_role("listitem")).to_have_count(3)  # two discs, and onwards


def test_a_disc_is_taken_up_and_put_down_on_the_board(come: Come) -> None:
    person = come().go(there("position/chain", BOARD, KEEPS))
    page = person.page
    page.locator("[data-space='2']").click()
    page.locator("[data-space='4']").click()
    expect(page).to_have_url(re.compile(quote("discs=4+9,4+9 stacks=4:1+0", safe="").replace("%20", r"\+")))
    disc = person.named("combobox", "web.position.disc", name="Blue", number=2)
    disc.select_option(label=person.say("play.picture.centre"))
    expect(page).to_have_url(re.compile(quote("4+18", safe="")))


def test_on_a_phone_the_answers_come_first_and_the_editor_is_collapsed(come: Come) -> None:
    person = come(page={"viewport": {"width": 390, "height": 844}}, language="de").go(RAPIDO)
    explored(person)
    step = person.page.get_by_role("spinbutton").first
    expect(step).to_be_hidden()
    person.page.get_by_text(person.say("web.position.edit"), exact=True).click()
    expect(step).to_be_visible()


@pytest.mark.parametrize("game", strategy.games())
def test_heuristics_have_their_losses_and_follow_the_number_of_players(come: Come, game: str) -> None:
    person = come().go(f"/strategy/{game}")
    explored(person)
    advised(person, strategy.advice(game, 2))
    person.named("group", "web.players").get_by_text("3", exact=True).click()
    expect(person.page).to_have_url(re.compile("players=3"))
    advised(person, strategy.advice(game, 3))


def advised(person: Person, advice: strategy.Strategy) -> None:
    """Assert that rules with their losses or games won, the strength of players, and charts are shown."""
    rules = person.named("region", "strategy.rules")
    expect(rules.get_by_role("listitem")).to_have_count(len(advice.rules))
    for number, rule in enumerate(advice.rules):
        percent = person.texts.percent
        shown = person.say("web.strategy.loses", share=percent(rule.loss, 1))
        if advice.source == "games":
            shown = person.say("web.strategy.wins", share=percent(advice.fair - rule.loss, 1))
        expect(rules.get_by_role("listitem").nth(number)).to_contain_text(shown)
    expect(rules.get_by_role("rowheader")).to_have_count(len(advice.qualities))
    expect(rules.get_by_role("columnheader")).to_have_count(2 if advice.source == "games" else 3)
    rows = sum(len(chart.rows) for chart in advice.charts)
    expect(person.page.get_by_role("rowheader")).to_have_count(len(advice.qualities) + rows)
