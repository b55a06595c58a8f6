"""Chain's table: a chain takes few taps, hands are cut, the board answers to fingers."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from system.browser import docks
from system.browser.conftest import Come
from system.browser.docks import DOCKS, TWO_DISCS, Dock, at, chain, chips
from system.browser.looks import TARGET
from system.browser.people import Person
from system.browser.setup import DESK, SHORT, SHORTEST, TALL, asked, joined, opened


def test_a_way_that_never_fits_looks_like_a_warning(come: Come, url: str) -> None:
    person = docks.seated(come, url, DOCKS["chain-decide-never"], SHORTEST)
    never, fits = person.risky.all()
    expect(never).to_contain_text(person.say("web.chain.never"))
    expect(never).not_to_have_css("color", fits.evaluate("button => getComputedStyle(button).color"))
    for way in (never, fits):
        expect(way).to_contain_text(person.say("web.chain.miss.short", lost=3))


# Building a chain.


def linked(person: Person) -> list[int]:
    """The numbers of the chain, as its description has them; without those that are proposed."""
    label = person.turn.locator(".melody svg").first.get_attribute("aria-label") or ""
    return [int(number) for number in re.findall(r"\d", label)]


def test_a_chain_with_one_order_is_built_by_itself(come: Come, url: str) -> None:
    where = "turn=0 phase=build hands=4,2 pool=10 discs=2+9,4+9 stacks=2:0,4:1,9:1+0 chain=3/3/open loose=125"
    person = docks.seated(come, url, Dock("chain", 2, where, {"board": "18"}), TALL, "de")
    expect(person.main).to_have_accessible_name(person.like("web.chain.move"))
    assert linked(person) == [3, 2, 1, 5]
    # and its note is not covered
    note = person.turn.locator(".note").bounding_box()
    undo = person.turn.get_by_role("button", name=person.say("web.undo")).bounding_box()
    assert note and undo and note["x"] + note["width"] <= undo["x"]


def test_a_chain_that_was_taken_back_is_not_built_by_itself(come: Come, url: str) -> None:
    person = docks.seated(come, url, chain(2, "build", 4, "2/2/open", "356"), SHORT)
    person.main.tap()
    expect(person.main).to_have_accessible_name(person.like("web.chain.move"))
    assert linked(person) == [2, 3, 5, 6]
    for links in ([2, 3], [2]):  # the choice between 5 and 6, and the first one
        person.press("z")
        expect(person.main).to_have_accessible_name(person.say("web.chain.link_all"))
        assert linked(person) == links
    person.turn.locator("[data-action='link 6']").tap()
    person.main.tap()
    expect(person.main).to_have_accessible_name(person.like("web.chain.move"))
    assert linked(person) == [2, 6, 5, 3]


def test_dice_are_put_into_order_by_taps_and_linked_all_at_once(come: Come, url: str) -> None:
    person = docks.seated(come, url, DOCKS["chain-build"], SHORT)
    page = person.page
    expect(person.main).to_have_accessible_name(person.say("web.chain.link_all"))

    def order() -> list[str]:
        return [str(chip.get_attribute("data-action"))[-1] for chip in chips(person).all()]

    def next_die(number: int) -> Locator:
        return person.turn.locator(f"[data-action='link {number}']")

    next_die(6).tap()
    expect(next_die(6)).to_have_attribute("aria-pressed", "true")
    expect(chips(person).first).to_have_attribute("data-action", "link 6")
    next_die(1).tap()
    expect(chips(person).nth(1)).to_have_attribute("data-action", "link 1")
    assert order() == ["6", "1", "3", "5"]
    # a die that cannot come next says so
    expect(next_die(5)).to_have_attribute("aria-disabled", "true")
    expect(next_die(5)).to_contain_text(person.say("web.chain.after", number=3))
    # the last one is taken back, without asking the server
    next_die(1).click()
    expect(next_die(1)).to_have_attribute("aria-pressed", "false")
    next_die(1).tap()
    person.main.tap()
    expect(person.main).to_have_accessible_name(person.like("web.chain.move"))
    assert linked(person) == [2, 6, 1, 3, 5]
    expect(page.get_by_role("radio").first).to_be_visible()


def test_dice_are_dragged_into_order(come: Come, url: str) -> None:
    person = docks.seated(come, url, DOCKS["chain-build"], DESK)
    first = chips(person).first
    expect(first).to_have_attribute("data-action", "link 1")
    six = person.turn.locator("[data-action='link 6']")
    start, end = six.bounding_box(), first.bounding_box()
    assert start and end
    mouse = person.page.mouse
    mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    mouse.down()
    mouse.move(end["x"] + 5, end["y"] + end["height"] / 2, steps=6)
    mouse.up()
    expect(first).to_have_attribute("data-action", "link 6")
    expect(six).to_have_attribute("aria-pressed", "true")


def test_many_dice_are_grouped_and_linked_part_by_part(come: Come, url: str) -> None:
    person = docks.seated(come, url, DOCKS["chain-build-many"], SHORT)
    expect(chips(person)).to_have_count(6)
    for number in (4, 5):
        person.turn.locator(f"[data-action='link {number}']").tap()
    # there are too many orders to know all of them: what was chosen is linked first
    expect(person.main).to_have_accessible_name(person.say("web.chain.link_these", dice=2))
    person.main.tap()
    expect(person.main).to_have_accessible_name(person.say("web.chain.link_all"))
    assert linked(person) == [3, 4, 5]
    person.main.click()  # two taps this close would be one double tap
    expect(person.main).to_have_accessible_name(person.like("web.chain.move"))
    assert len(linked(person)) == 13


# Keeping dice.


def test_a_large_hand_is_cut_by_a_slider(come: Come, url: str) -> None:
    person = docks.seated(come, url, DOCKS["chain-keep-many"], SHORT)
    slider = person.turn.get_by_role("slider")
    slider.fill("7")
    expect(person.main).to_contain_text(person.say("web.chain.roll", dice=7))
    expect(person.main).to_contain_text(person.say("web.chain.all_fit", share=person.texts.percent(0.8757)))
    expect(person.main).to_contain_text(person.say("web.chain.miss", lost=4))
    person.main.tap()
    kept = person.say("chain.fact.kept.you", dice=7, discarded=6)
    expect(person.page.locator("body")).to_contain_text(kept)


def test_a_hand_is_rolled_by_itself_on_request(come: Come, url: str) -> None:
    first, second, larger = (docks.opened(url, chain(2, "keep", hand)) for hand in (2, 2, 3))
    person = at(come, [first, second, larger], SHORT)
    melody = person.turn.locator(".melody svg").first
    always = person.button("web.chain.always")
    expect(always).to_have_attribute("aria-pressed", "false")
    always.click()
    expect(melody).to_be_visible()
    person.go(second.path)  # without asking
    expect(melody).to_be_visible()
    person.go(larger.path)  # such a hand was not rolled before
    expect(always).to_have_attribute("aria-pressed", "false")
    expect(person.main).to_contain_text(person.say("web.chain.roll", dice=3))


# While others play.

NOTE_WORDS = """() => {
  window.words = [];
  const note = () => window.words.push(...document.querySelectorAll('.turn-dock .word'));
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
}"""
"""Keeps the words that are shown large for a moment."""


def test_what_was_done_to_a_player_is_shown_again(come: Come, url: str) -> None:
    where = (
        "turn=1 phase=decide hands=3,3 pool=10 discs=16+30,13+22 stacks=16:0,13:1,22:1,30:0"
        " chain=345/5/up loose=-"
    )
    table = opened(url, "chain", people=[{"name": "Ana"}], settings={"practice": True}, start_from=where)
    guest = joined(url, table, "Bento")
    asked(url, table, "start")
    ana = come(page={"viewport": SHORT, "has_touch": True}, seats=[table], speed=0.5).go(table.path)
    ana.page.evaluate(NOTE_WORDS)
    bento = at(come, [guest], SHORT)
    bento.turn.locator("[data-action='move 13']").tap()
    bento.main.tap()
    recap = ana.turn.get_by_role("region", name=ana.say("web.recap"))
    expect(recap).to_contain_text("Bento")
    expect(recap).to_contain_text(ana.say("web.chain.how_many"))
    expect(ana.turn.locator(".word")).to_have_count(0)
    text, shown = recap.inner_text(), ana.page.evaluate("window.words.length")
    assert shown
    ana.click("web.recap.again")
    ana.page.wait_for_function("shown => window.words.length > shown", arg=shown)
    expect(recap).to_have_text(text, use_inner_text=True)
    expect(ana.main).to_be_visible()


# The board.


def test_of_two_discs_whose_targets_overlap_the_nearer_one_takes_the_tap(come: Come, url: str) -> None:
    discs = "discs=29+30,19+22 stacks=19:1,22:1,29:0,30:0"
    where = chain(2, "decide", 3, "345/5/up").position.replace(TWO_DISCS, discs)
    person = docks.seated(come, url, Dock("chain", 2, where), SHORTEST)
    for space in (29, 30):
        target = person.page.locator(f"rect.tap[data-space='{space}']")
        box = target.bounding_box()
        assert box and box["width"] >= TARGET and box["height"] >= TARGET
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        person.page.touchscreen.tap(*middle)
        expect(person.turn.locator(f"[data-action='move {space}']")).to_be_checked()


def test_the_spaces_of_a_board_are_large_enough_for_fingers(come: Come) -> None:
    me = come(page={"viewport": {"width": 320, "height": 640}, "has_touch": True})
    me.go("/new/chain?how=device&board=60")
    board = me.named("group", "chain.option.board").last
    expect(board.get_by_role("button")).to_have_count(59)
    boxes = [button.bounding_box() for button in board.get_by_role("button").all()]
    assert all(box and min(box["width"], box["height"]) >= 44 for box in boxes)
    last = board.get_by_role("button").last
    last.tap()  # it is scrolled into view, inside the window
    me.reads("web.board.to", **{"from": 59})
    assert me.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_a_board_of_ones_own_by_tapping(come: Come) -> None:
    """It is checked (C3), kept on the device, shared by a link, and played on."""
    me = come(page={"viewport": SHORTEST}).go("/new/chain?how=device")
    me.page.locator("label", has_text=me.say("web.new.own")).click()
    board = me.named("group", "chain.option.board")
    text = me.named("textbox", "web.new.own")

    def tap(key: str = "web.board.space", **spaces: int) -> None:
        board.get_by_role("button", name=me.say(key, **spaces), exact=True).click()

    expect(text).to_have_value("34 7>11 10>5")
    tap(space=20)
    me.reads("web.board.to", **{"from": 20})
    tap(space=25)
    expect(text).to_have_value("34 7>11 10>5 20>25")
    me.troubles.forgive("status of 400")
    tap(space=3)
    tap("web.board.arrow", **{"from": 20, "to": 25})  # an arrow must not lead to another
    expect(me.page.get_by_role("alert")).to_have_text(me.say("web.board.wrong"))
    expect(text).to_have_value("34 7>11 10>5 20>25")
    tap(space=4)  # another end of the same arrow
    expect(text).to_have_value("34 3>4 7>11 10>5 20>25")
    for start, end in ((3, 4), (7, 11)):
        me.click("web.board.remove", **{"from": start, "to": end})
    expect(text).to_have_value("34 10>5 20>25")
    tap("web.board.arrow", **{"from": 10, "to": 5})  # by keys: two spaces further
    me.page.keyboard.press("ArrowRight")
    me.page.keyboard.press("ArrowRight")
    me.page.keyboard.press("Enter")
    expect(text).to_have_value("34 10>12 20>25")
    length = me.named("spinbutton", "web.board.length")
    length.fill("22")
    length.press("Tab")
    expect(text).to_have_value("22 10>12")
    link = me.named("textbox", "web.board.link").input_value()

    me.page.reload()
    expect(text).to_have_value("22 10>12")
    friend = come().go(link.removeprefix(me.url))
    field = friend.named("textbox", "web.new.own")
    expect(field).to_have_value("22 10>12")
    friend.click("web.start")
    expect(friend.main).to_be_visible()
    friend.reads("web.chain.summary", spaces=22, players=4)
