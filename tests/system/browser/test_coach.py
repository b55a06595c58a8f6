"""The coach in the browser: hints at a practice table, the curve of a match, the position editor."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, ViewportSize, expect

from system.browser.conftest import Come
from system.browser.people import Person
from system.browser.screens import EVALUATED, evaluated_chain, evaluated_table
from system.browser.setup import DESK, SHORTEST, Table, opened, played


def percentages(person: Person) -> list[str]:
    return person.turn.locator(".win b").all_inner_texts()


def test_a_hint_is_selected_and_explained_and_the_bars_setting_is_stored(come: Come, url: str) -> None:
    table = evaluated_table(url)
    person = come(seats=[table]).sit(table)
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
    bar = person.page.get_by_role(
        "img", name=re.compile(rf"^{person.say('web.coach.bars')}: Ana \d+%, .+ \d+%")
    )
    expect(bar).to_be_visible()
    person.page.reload()
    expect(person.turn.locator(".win").first).to_be_visible()
    expect(bar).to_be_visible()
    person.click("web.coach.bars")
    expect(person.turn.locator(".win")).to_have_count(0)
    expect(bar).to_have_count(0)


OVERLAPS = """(turn) => {
  const boxes = [...turn.querySelectorAll('button')].map((it) => [it, it.getBoundingClientRect()]);
  const seen = boxes.filter(([button, box]) => box.width && !button.matches('.ticker'));
  const text = ([button]) => button.innerText;
  const across = (a, b) => a.left < b.right - 1 && b.left < a.right - 1;
  const meet = ([, a], [, b]) => across(a, b) && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const after = (one, i) => seen.slice(i + 1).filter((other) => meet(one, other));
  return seen.flatMap((one, i) => after(one, i).map((other) => [text(one), text(other)]));
}"""


@pytest.mark.parametrize("made, size", [(evaluated_table, DESK), (evaluated_chain, SHORTEST)])
def test_chances_and_a_hint_fit_the_layout(
    come: Come, url: str, made: Callable[[str], Table], size: ViewportSize
) -> None:
    hint_fits(come, url, made, size)


def hint_fits(come: Come, url: str, made: Callable[[str], Table], size: ViewportSize) -> None:
    table = made(url)
    person = come(seats=[table], language="de", page={"viewport": size}).sit(table)
    before = person.main.first.bounding_box()
    person.click("web.coach.bars")
    expect(person.turn.locator(".win")).to_have_count(person.choices.count() + 1)
    if size["width"] > 1080:
        assert person.main.first.bounding_box() == before
    assert not person.turn.evaluate(OVERLAPS)
    buttons = person.button("web.hint"), person.button("web.coach.bars"), person.main.first
    places = [button.bounding_box() for button in buttons]
    person.click("web.hint")
    hint = person.turn.get_by_text(person.like("web.coach.hinted"))
    expect(hint).to_be_in_viewport(ratio=0.98)
    expect(buttons[0]).to_be_focused()  # where it was asked for
    assert not person.turn.evaluate(OVERLAPS)
    if size["width"] <= 1080:  # nothing moves, and the hint covers neither choices nor hand
        assert [button.bounding_box() for button in buttons] == places
        box, dock = hint.bounding_box(), person.turn.bounding_box()
        assert box and dock
        assert dock["x"] < box["x"] and box["x"] + box["width"] < dock["x"] + dock["width"]
        below = person.turn.locator(".turn-dock > .hand").bounding_box()
        assert below
        assert box["y"] + box["height"] <= below["y"] + 1 or box["y"] >= below["y"] + below["height"]


def test_hints_are_for_practice_tables_only(come: Come, url: str) -> None:
    tables = (evaluated_table(url), evaluated_chain(url))
    earnest = opened(url, people=[{"name": "Ana"}, {"name": "Rui"}], start=True)
    person = come(seats=[*tables, earnest], bars=True)
    keys = person.page.get_by_role("dialog")
    for table in tables:
        person.sit(table)
        person.press("h")
        expect(person.turn.get_by_text(person.like("web.coach.hinted"))).to_be_visible()
        person.press("?")
        expect(keys).to_contain_text(person.say("web.key.hint"))
        person.press("Escape")
    person.sit(earnest).main.first.click()
    expect(person.choices.first).to_be_visible()
    expect(person.button("web.hint")).to_have_count(0)
    expect(person.button("web.coach.bars")).to_have_count(0)
    assert not percentages(person)
    person.press("?")
    expect(keys).to_contain_text(person.say("web.key.undo"))
    expect(keys).not_to_contain_text(person.say("web.key.hint"))


def test_a_key_pressed_before_the_coach_has_loaded_is_not_lost(come: Come, url: str) -> None:
    table = evaluated_table(url)
    person = come(seats=[table])
    held: list[Route] = []
    person.page.route("**/CoachHints*.js", lambda route: held.append(route))
    person.sit(table).press("h")
    person.page.route("**/CoachHints*.js", lambda route: route.continue_())  # what is asked for only now
    for route in held:
        route.continue_()
    expect(person.turn.get_by_text(person.like("web.coach.hinted"))).to_be_visible()


def test_the_curve_of_a_match_its_table_and_trying_from_a_moment(come: Come, url: str) -> None:
    person = come(name="Ana")
    person.go(f"/replay/{played(url, 'rapido', 2, finish=5).match}")
    page = person.page
    curve = page.get_by_role("img", name=person.like("web.coach.curve"))
    expect(curve).to_be_visible()
    expect(page.get_by_text(person.say("web.coach.exact"), exact=True)).to_be_visible()
    expect(person.named("rowheader", "coach.accuracy")).to_be_visible()

    slider = person.named("slider", "web.replay.slider")
    before = slider.input_value()
    curve.click()  # in its middle
    expect(slider).not_to_have_value(before)
    page.get_by_text(person.say("web.coach.table")).first.click()
    table = person.named("region", "web.coach.table").get_by_role("row")
    expect(table.last).to_contain_text("100%")

    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")  # to the first decision
    person.click("web.coach.try")
    expect(page).to_have_url(re.compile("/t/"))
    assert person.asked()
    expect(person.button("web.hint").first).to_be_visible()


def test_a_position_is_set_up_by_parts_and_by_its_text_and_played_on(come: Come) -> None:
    person = come(name="Ana")
    person.go("/position/rapido#players=2&finish=5")
    person.troubles.forgive("status of 400")  # of the text that is none
    page = person.page
    page.get_by_text(person.say("web.position.text"), exact=True).click()
    text = person.named("textbox", "web.position.text")
    expect(text).to_have_value("turn=0 phase=first value=0 steps=0,0 tower=-")
    page.get_by_text(person.say("web.position.phase.decide"), exact=True).click()
    expect(text).to_have_value(re.compile("phase=decide value=62"))
    person.named("combobox", "web.position.owner", field=3).select_option(label="Blue")
    expect(text).to_have_value(re.compile(r"tower=3:1:53"))
    person.named("spinbutton", "web.position.step", name="Red").fill("4")
    page.keyboard.press("Tab")
    expect(text).to_have_value(re.compile("steps=4,0"))
    expect(page.locator(".win")).to_have_count(6)  # again, and every field but the one that is taken

    text.fill("turn=7")
    expect(page.get_by_role("alert")).to_contain_text(person.say("web.position.bad"))
    text.fill(EVALUATED)
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page).to_have_url(re.compile("value%3D54"))
    person.click("web.position.play", name="Red")
    expect(page).to_have_url(re.compile("/t/"))
    assert person.asked()
    expect(person.turn.get_by_text("54").first).to_be_visible()


def test_chain_is_set_up_by_its_parts_and_its_text_and_mistakes_are_explained_in_every_language(
    come: Come,
) -> None:
    person = come(language="de").go("/position/chain#players=2&board=18")
    person.troubles.forgive("status of 400")
    page, blue, red = person.page, person.say("colour.blue"), person.say("colour.red")
    page.get_by_text(person.say("web.position.text"), exact=True).click()
    text = person.named("textbox", "web.position.text")
    expect(text).to_have_value(re.compile("phase=keep hands=2,2 "))
    person.named("spinbutton", "web.position.hand", name=blue).fill("5")
    page.keyboard.press("Tab")
    expect(text).to_have_value(re.compile("hands=2,5 pool=9"))
    person.named("combobox", "web.position.disc", name=red, number=1).select_option("7")
    expect(text).to_have_value(re.compile(r"discs=0\+7,0\+0 stacks=7:0"))
    for number in (3, 5):
        person.named("button", "web.position.link", number=number).click()
        expect(text).to_have_value(re.compile(f"chain=[35]*{number}/{number}/"))
    expect(page.locator(".win")).to_have_count(3)  # two discs, and upwards
    person.click("web.position.unlink")
    expect(text).to_have_value(re.compile("chain=3/3/open"))

    known, alert = text.input_value(), page.get_by_role("alert")
    text.fill(known.replace("phase=", "phase=no"))
    expect(alert).to_contain_text(person.say("web.position.wrong.C8"))
    text.fill(known.replace("pool=10", "pool=11"))
    expect(alert).to_contain_text(person.say("web.position.wrong.C2"))
    expect(alert.get_by_role("link")).to_have_attribute("href", "/rules/chain#C2")
    text.fill("nothing")
    expect(alert).to_contain_text(person.say("web.position.wrong"))
    text.fill(known)
    expect(alert).to_have_count(0)
