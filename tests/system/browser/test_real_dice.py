"""Matches at a real table: people roll their own dice and tap in what they show."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from system.browser.conftest import Come
from system.browser.people import Person, pattern
from system.browser.setup import SHORTEST, joined, opened, setup

REAL = {"dice": "real", "grace": None}
NAMES = ("Ana", "Rui", "Eva", "Leo", "Mia", "Tom")


def at_table(
    come: Come, url: str, game: str, players: int, position: str = "", language: str = "en", height: int = 600
) -> Person:
    """A phone at a table where dice are entered for everybody."""
    people = [{"name": name} for name in NAMES[:players]]
    start = {"start_from": position} if position else {}
    settings = REAL | {"practice": bool(position)}
    table = opened(url, game, players, people=people, settings=settings, start=True, **start)
    phone = {"viewport": {**SHORTEST, "height": height}, "has_touch": True}
    return come(seats=[table], language=language, page=phone).go(table.path)


def pad(person: Person) -> Locator:
    """The rows of faces; there is none unless dice are to be entered here."""
    keys = ("web.real.die", "web.real.die.own", "web.real.die.black", "web.rapido.die")
    return person.turn.get_by_role("group", name=pattern(person.texts, *keys))


def tap(person: Person, *faces: str) -> None:
    """Tap the faces: each in a row of its own where the dice differ, else one after the other."""
    expect(pad(person).first).to_be_visible()
    rows = pad(person).count()
    for i, face in enumerate(faces):
        pad(person).nth(i if rows > 1 else 0).get_by_role("button", name=face, exact=True).click()


def roll(person: Person, *faces: str) -> None:
    tap(person, *faces)
    person.turn.get_by_role("button", name=person.say("web.real.enter"), exact=True).click()


def call(person: Person, key: str, name: str) -> None:
    """Wait until the turn is called in large print."""
    expect(person.page.locator(".call b")).to_have_text(person.say(key, name=name))


def fits(person: Person) -> None:
    """Nothing scrolls, and all faces can be tapped."""
    page = "document.scrollingElement"
    assert person.page.evaluate(f"{page}.scrollHeight <= innerHeight && {page}.scrollWidth <= innerWidth")
    for face in pad(person).get_by_role("button").all():
        box = face.bounding_box()
        assert box and box["height"] >= 44 and box["width"] >= 40 and box["y"] + box["height"] <= 600


def rapido(person: Person, names: Sequence[str], first: Callable[[], None]) -> Callable[[], None]:
    """Win with doubles; return what enters the last dice again."""
    for name in names:
        call(person, "web.real.roll", name)
        roll(person, "1", "X")
        first()
        expect(person.choices.first).to_be_visible()
        person.press("0")
        person.main.click()
    for faces in ("33", "22", "33"):
        roll(person, *faces)
        expect(person.winner.or_(person.risky).first).to_be_visible()
        if person.winner.is_visible():
            break
        person.risky.click()
    return partial(roll, person, *faces)


def chain(person: Person, names: Sequence[str], first: Callable[[], None]) -> Callable[[], None]:
    """Everybody moves to the same space, twice: then all discs of the first seat are covered (C6).

    Return what moves the last disc again.
    """
    for _ in range(2):
        for name in names:
            call(person, "web.turn_of", name)
            person.main.click()
            call(person, "web.real.roll", name)
            roll(person, "4", "5")
            first()
            expect(person.turn.get_by_role("button", name=person.like("web.chain.move"))).to_be_visible()
            person.main.click()
    return person.main.click


PLAYS = {"rapido": rapido, "chain": chain}
SHORT: dict[str, dict[str, Any]] = {"rapido": {"finish": 5}, "chain": {"board": "18"}}


@pytest.mark.parametrize("game, players", [("rapido", 4), ("chain", 2)])
def test_a_whole_match_with_entered_dice(come: Come, game: str, players: int) -> None:
    entered(come, game, players)


def entered(come: Come, game: str, players: int) -> None:
    """Play a whole match on one phone; one wrong entry and the last one are taken back."""
    wish = setup(players, "here", **SHORT[game])
    names = NAMES[:players]
    for seat, name in zip(wish["seats"], names, strict=True):
        seat["name"] = name
    page = {"viewport": SHORTEST, "has_touch": True}
    me = come(page=page, setups={f"{game}.real": wish}).go("/")
    me.card(game).get_by_role("link", name=me.say("web.at_table")).click()
    me.reads("web.real.about")
    me.click("web.start")
    corrected = False

    def correct() -> None:
        """Take back a wrong entry, once; the page is loaded again in the middle of it."""
        nonlocal corrected
        if corrected:
            return
        corrected = True
        expect(pad(me)).to_have_count(0)
        me.page.locator(".call").get_by_role("button", name=me.say("web.undo")).click()
        expect(pad(me).first).to_be_visible()
        fits(me)
        tap(me, "2")
        me.page.reload()
        if game == "chain":
            expect(me.turn.get_by_role("img", name=me.say("web.real.entered", dice="2"))).to_be_visible()
        else:
            expect(pad(me).first.get_by_role("button", pressed=True)).to_have_text("2")
        me.press("Backspace")  # the face that was tapped is still there
        me.press("3" if game == "chain" else "6")
        me.press("4" if game == "chain" else "X")
        me.press("Enter")

    finish = PLAYS[game](me, names, correct)
    expect(me.winner).to_be_visible()
    last = me.named("button", "web.real.correct")
    expect(last).to_be_in_viewport(ratio=1)
    last.click()  # so is the entry that ended the match
    expect(me.winner).to_have_count(0)
    me.page.reload()
    finish()
    expect(me.winner).to_be_visible()
    match = re.search(r"/t/([\w-]+)", me.page.url)
    assert match
    me.reads("web.fair.no.real")
    record = me.page.request.get(f"{me.url}/api/matches/{match[1]}/record").text()
    assert "dice: real" in record and "* Ana (seat 1) takes back" in record
    assert {"rapido": "1. Ana: X6", "chain": "3, 4, link 4"}[game] in record.replace("\n", " ")


def test_the_rows_say_which_die_they_are(come: Come, url: str) -> None:
    me = at_table(come, url, "rapido", 2, language="de")
    expect(pad(me)).to_have_count(2)
    for row, face in zip(pad(me).all(), "76", strict=True):
        label = row.get_by_text(me.say("web.rapido.die", face=face), exact=True)
        expect(label).to_be_in_viewport(ratio=1)
        assert label.evaluate("(it) => it.scrollWidth <= it.clientWidth")
        expect(row).to_have_accessible_name(me.say("web.rapido.die", face=face))
        expect(row.get_by_role("button", name=face, exact=True)).to_be_visible()
    fits(me)


def test_r16_the_second_pair_has_the_second_color(come: Come, url: str) -> None:
    """Ana's pairs are red and green, if nobody has chosen colours."""
    me = at_table(come, url, "rapido", 2, "turn=0 phase=first value=0 steps=0,0 tower=3:0:54")
    expect(pad(me)).to_have_count(2)
    face = pad(me).first.get_by_role("button").first
    assert "green" in face.inner_html() and "red" not in face.inner_html()


def test_each_has_a_phone_and_anybody_rolls_for_the_bot(come: Come, url: str) -> None:
    wish = {"people": [{"name": "Ana"}], "settings": REAL}
    host = opened(url, "rapido", 3, **wish)
    guest = joined(url, host, "Rui")
    ana = come(seats=[host]).go(host.path)
    rui = come(seats=[guest]).go(host.path)
    ana.click("web.lobby.fill", number=1)
    ana.click("web.start")
    call(rui, "web.real.roll", "Ana")
    rui.reads("web.real.rolling", name="Ana")
    expect(pad(rui)).to_have_count(0)
    roll(ana, "2", "6")
    expect(ana.main).to_be_visible()
    rui.page.locator(".call").get_by_role("button", name=rui.say("web.undo")).click()  # saw another roll
    roll(ana, "1", "6")
    ana.main.click()
    roll(rui, "3", "5")
    rui.main.click()
    bot = ana.page.locator(".call b")
    expect(bot).to_have_text(pattern(ana.texts, "web.real.roll.bot"))
    expect(pad(ana).first).to_be_visible()
    roll(rui, "7", "6")  # it would roll a worse pair again
    expect(ana.page.locator(".call b")).not_to_have_text(pattern(ana.texts, "web.real.roll.bot"))


def test_large_hands_are_entered_on_small_phones(come: Come, url: str) -> None:
    position = "turn=0 phase=roll hands=18,2,2 pool=2 discs=0+0,0+0,0+0 stacks=- chain=-/0/open loose=-"
    me = at_table(come, url, "chain", 3, position, "de")
    for face in "111222333444555666":
        me.press(face)
    expect(
        me.turn.get_by_role("img", name=me.say("web.real.entered", dice=" ".join("111222333444555666")))
    ).to_be_visible()
    fits(me)
    me.press("Backspace")
    roll(me, "6")
    expect(pad(me)).to_have_count(0)


@pytest.mark.parametrize("game, faces, height", [("rapido", "26", 600), ("chain", "45", 844)])
def test_the_board_stays_in_place_while_dice_are_entered(
    come: Come, url: str, game: str, faces: str, height: int
) -> None:
    me = at_table(come, url, game, 3, language="de", height=height)
    if game == "chain":
        me.main.click()
    expect(pad(me).first).to_be_visible()
    entering = me.board.bounding_box()
    roll(me, *faces)
    expect(me.main).to_be_visible()
    assert me.board.bounding_box() == entering
    # and one button takes it back
    expect(me.page.get_by_role("button", name=me.like("web.undo"))).to_have_count(1)


def test_the_chain_is_seen_while_a_die_is_added(come: Come, url: str) -> None:
    position = "turn=0 phase=lengthen hands=5,2,2 pool=15 discs=0+0,0+0,0+0 stacks=- chain=2345/5/up loose=-"
    me = at_table(come, url, "chain", 3, position)
    expect(pad(me).first).to_be_visible()
    expect(me.turn.get_by_role("img", name=re.compile("2, 3, 4, 5"))).to_be_in_viewport(ratio=1)
    fits(me)
