"""What players read: "you", the name that is asked once, the resume card, the lesson, and newcomers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from system.browser.conftest import Come
from system.browser.setup import joined, opened, practising

CHAIN = (
    "turn=0 phase=decide hands=4,3 pool=9 discs=12+20,3+16 stacks=3:1,12:0,16:1,20:0 chain=2345/5/up loose=-"
)
DECIDE = "turn=0 phase=decide value=54 steps=12,9,7 tower=2:1:53,4:2:42"
SHORT = {"viewport": {"width": 360, "height": 600}}


def test_sentences_say_you_to_the_only_player_of_a_device(come: Come, url: str) -> None:
    alone = practising(url, "rapido", DECIDE, 3, "Ana")
    shared = practising(url, "rapido", DECIDE, 3, "Ana", "Rui")
    person = come(seats=[alone, shared], name="Ana", language="de")
    for table, key in ((alone, "rapido.fact.placed.you"), (shared, "rapido.fact.placed")):
        person.sit(table)
        person.press("1")
        person.press("Enter")
        expect(person.log).to_contain_text(person.say(key, name="Ana", value=54, field=1))


def test_the_name_is_asked_once(come: Come, url: str) -> None:
    person = come().go("/")
    field = person.named("textbox", "web.name.yours")
    field.fill("Inês")
    person.go("/")
    expect(field).to_have_count(0)
    person.go("/new/rapido?how=online")
    expect(person.named("textbox", "web.name", exact=True)).to_have_count(0)
    change = person.named("button", "web.name.change", name="Inês")
    change.click()
    own = person.named("textbox", "web.name", exact=True)
    expect(own).to_be_focused()
    own.fill("Nês")
    own.press("Tab")
    expect(person.named("button", "web.name.change", name="Nês")).to_be_visible()
    person.click("web.new.open")
    expect(person.named("heading", "web.lobby.title")).to_be_visible()
    expect(person.named("button", "web.name.change", name="Nês")).to_be_visible()
    person.go(opened(url, players=3, people=[{"name": "Ana"}]).path)  # nor is a guest asked again
    expect(person.named("textbox", "web.name", exact=True)).to_have_count(0)
    person.click("web.sit")
    expect(person.named("button", "web.lobby.leave", name="Nês")).to_be_visible()


def test_the_resume_card_says_whose_turn_it_is_and_how_it_stands(come: Come, url: str) -> None:
    mine = practising(url, "rapido", DECIDE, 3, "Ana", "Bento", "Clara")
    host = opened(url, people=[{"name": "Ana"}, {"name": "Bento"}], players=3)
    guest = joined(url, host, "Clara")
    person = come(seats=[guest, mine]).go("/")
    card = person.named("region", "web.home.unfinished")
    first = card.get_by_role("listitem").first
    # three people share the device of the first match: names stay
    expect(first).to_contain_text(person.say("web.home.turn_of", name="Ana", game=person.say("rapido.name")))
    expect(first).to_contain_text(person.say("web.rapido.standing", name="Ana", step=12))
    expect(first).to_contain_text(person.say("web.rapido.standing.other", name="Bento", step=9))
    alone = practising(url, "chain", CHAIN, 2, "Ana")
    person = come(seats=[alone]).go("/")
    first = person.page.get_by_role("listitem").first
    expect(first).to_contain_text(person.say("web.home.turn_of.you", game=person.say("chain.name")))
    expect(first).to_contain_text(person.say("web.chain.standing.you", spaces="12 and 20"))


def test_a_lesson_answers_a_wrong_choice(come: Come) -> None:
    person = come().go("/learn/rapido#step=2")
    person.turn.get_by_role("radio", name=re.compile("^5")).click()
    person.main.first.click()
    guide = person.named("region", "web.learn.guide")
    expect(guide).to_contain_text(person.say("lesson.rapido.begin.place.high"))


def test_newcomers_find_the_lesson_beside_the_first_button(come: Come) -> None:
    person = come(page=SHORT).go("/")
    card = person.card("rapido")
    play = card.get_by_role("button", name=person.like("web.home.bots"))
    lesson = card.get_by_role("link", name=person.say("web.home.new.label", game=person.say("rapido.name")))
    play_box, lesson_box = play.bounding_box(), lesson.bounding_box()
    assert play_box and lesson_box
    assert play_box["y"] == pytest.approx(lesson_box["y"], abs=2), "beside each other"
    assert max(box["y"] + box["height"] for box in (play_box, lesson_box)) <= 600, "without scrolling"
    lesson.click()
    expect(person.page).to_have_url(person.url + "/learn/rapido#step=1")
