"""The coach at a browser: hints and bars at a practice table, the curve of a match, any position set up."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from browser.conftest import Come
from browser.house import opened, played
from browser.people import Person
from browser.screens import JUDGED, judged_table


def percentages(person: Person) -> list[str]:
    return person.turn.locator(".win b").all_inner_texts()


def test_a_hint_is_chosen_and_told_and_bars_are_remembered(come: Come, url: str) -> None:
    table = judged_table(url)
    person = come(seats=[table])
    person.go(table.path)
    assert person.asked()
    assert not percentages(person)
    person.click("web.hint")
    expect(person.turn.get_by_text(person.like("web.coach.hinted"))).to_be_visible()
    expect(person.turn.get_by_text(person.say("web.coach.source.exact"))).to_be_visible()

    person.click("web.coach.bars")
    expect(person.turn.locator(".win")).to_have_count(person.choices.count() + 1)  # rolling again too
    assert all(re.search(r"\d+%", text) for text in percentages(person))
    expect(
        person.turn.get_by_role("radio", name=re.compile(person.say("web.coach.wins"))).first
    ).to_be_visible()
    person.page.reload()
    expect(person.turn.locator(".win").first).to_be_visible()
    person.click("web.coach.bars")
    expect(person.turn.locator(".win")).to_have_count(0)


def test_a_table_that_is_not_for_practice_offers_no_coach(come: Come, url: str) -> None:
    table = opened(url, options={"finish": 5}, people=[{"name": "Ana"}, {"name": "Rui"}], start=True)
    person = come(seats=[table], bars=True)
    person.go(table.path)
    assert person.asked()
    person.main.first.click()
    expect(person.choices.first).to_be_visible()
    expect(person.button("web.hint")).to_have_count(0)
    expect(person.button("web.coach.bars")).to_have_count(0)
    assert not percentages(person)


def slider(page: Page, person: Person) -> str:
    return page.get_by_role("slider", name=person.say("web.replay.slider")).input_value()


def test_the_curve_of_a_match_its_table_and_trying_from_a_moment(come: Come, url: str) -> None:
    person = come(name="Ana")
    person.go(f"/replay/{played(url, 'rapido', 2, finish=5).match}")
    page = person.page
    curve = page.get_by_role("img", name=person.like("web.coach.curve"))
    expect(curve).to_be_visible()
    expect(page.get_by_text(person.say("web.coach.exact"), exact=True)).to_be_visible()
    expect(page.get_by_role("rowheader", name=person.say("coach.accuracy"))).to_be_visible()

    before = slider(page, person)
    curve.click()  # in its middle
    assert slider(page, person) != before
    page.get_by_text(person.say("web.coach.table")).first.click()
    table = page.get_by_role("region", name=person.say("web.coach.table")).get_by_role("row")
    expect(table.last).to_contain_text("100%")

    page.keyboard.press("Home")
    person.click("web.coach.try")
    expect(page).to_have_url(re.compile("/t/"))
    assert person.asked()
    person.main.first.click()
    expect(person.button("web.hint").first).to_be_visible()


def test_a_position_is_set_up_by_parts_and_by_its_text_and_played_on(come: Come) -> None:
    person = come(name="Ana")
    person.go("/position/rapido#players=2&finish=5")
    person.troubles.forgive("status of 400")  # of the text that is none
    page = person.page
    text = page.get_by_role("textbox", name=person.say("web.position.text"))
    expect(text).to_have_value("turn=0 phase=first value=0 steps=0,0 tower=-")
    page.get_by_text(person.say("web.position.phase.decide"), exact=True).click()
    expect(text).to_have_value(re.compile("phase=decide value=62"))
    page.get_by_role("combobox", name=person.say("web.position.owner", field=3)).select_option(label="Blue")
    expect(text).to_have_value(re.compile(r"tower=3:1:53"))
    page.get_by_role("spinbutton").first.fill("4")
    page.keyboard.press("Tab")
    expect(text).to_have_value(re.compile("steps=4,0"))
    expect(page.locator(".win")).to_have_count(6)  # again, and every field but the one that is taken

    text.fill("turn=7")
    expect(page.get_by_role("alert")).to_contain_text(person.say("web.position.bad"))
    text.fill(JUDGED)
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page).to_have_url(re.compile("value%3D54"))
    person.click("web.position.play", name="Red")
    expect(page).to_have_url(re.compile("/t/"))
    assert person.asked()
    expect(person.turn.get_by_text("54").first).to_be_visible()


def test_chain_is_set_up_by_its_text(come: Come) -> None:
    person = come()
    person.go("/position/chain")
    person.troubles.forgive("status of 400")
    page = person.page
    text = page.get_by_role("textbox", name=person.say("web.position.text"))
    expect(text).to_have_value(re.compile("phase=keep"))
    known = text.input_value()
    text.fill(known.replace("phase=keep", "phase=sleep"))
    expect(page.get_by_role("alert")).to_contain_text("phase")
    text.fill(known)
    expect(page.get_by_role("alert")).to_have_count(0)
