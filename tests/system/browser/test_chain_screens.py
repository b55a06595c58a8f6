"""Chain's table: everything is in view and stays in place, and a chain takes few taps."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from system.browser.conftest import Come
from system.browser.people import Person
from system.browser.screens import evaluated_chain
from system.browser.setup import Table, asked, joined, opened, practising

SHORT: ViewportSize = {"width": 390, "height": 664}
SHORTEST: ViewportSize = {"width": 360, "height": 600}
PHONE: ViewportSize = {"width": 390, "height": 740}
DESK: ViewportSize = {"width": 1280, "height": 800}
SIDE: ViewportSize = {"width": 667, "height": 375}
SIZES = (SHORT, SHORTEST, PHONE, DESK)
DESKS: tuple[ViewportSize, ...] = (
    {"width": 1024, "height": 768}, {"width": 1366, "height": 657}, {"width": 1440, "height": 900},
)  # fmt: skip
TARGET = 44

NONE = "-/0/open"
TWO_DISCS = "discs=15+30,19+22 stacks=15:0,19:1,22:1,30:0"
SIX_DISCS = "discs=15+30,19+22,16+34,5+19,12+25,0+25 stacks=5:3,12:4,15:0,16:2,19:1+3,22:1,25:5+4,30:0"


def position(players: int, phase: str, hand: int, chain: str = NONE, loose: str = "-") -> str:
    """The first seat is to play; the others have three dice each."""
    pool = 8 * players - hand - 3 * (players - 1)
    hands = ",".join([str(hand)] + ["3"] * (players - 1))
    discs = TWO_DISCS if players == 2 else SIX_DISCS
    return f"turn=0 phase={phase} hands={hands} pool={pool} {discs} chain={chain} loose={loose}"


PHASES = {
    "keep": (2, position(2, "keep", 5)),
    "keep-many": (6, position(6, "keep", 13)),
    "build": (6, position(6, "build", 5, "2/2/open", "1356")),
    "build-six": (2, position(2, "build", 7, "2/2/open", "133566")),
    "build-many": (6, position(6, "build", 13, "3/3/open", "112233445566")),
    "decide": (6, position(6, "decide", 4, "3456/3/down")),
    "decide-open": (2, position(2, "decide", 3, "146/6/open")),
    "decide-five": (2, position(2, "decide", 5, "12245/4/up")),
    "decide-never": (2, position(2, "decide", 4, "4666/6/open")),
    "decide-many": (6, position(6, "decide", 12, "112234445566/5/up")),
}


def named(value: object) -> str:
    return f"{value['width']}x{value['height']}" if isinstance(value, dict) else str(value)


def seated(come: Come, url: str, players: int, position: str, size: ViewportSize) -> Person:
    """A person at a practice table whose turn it is."""
    return at(come, [practising(url, "chain", position, players, "Ana")], size)


def at(
    come: Come, tables: Sequence[Table], size: ViewportSize, language: str = "", **settings: object
) -> Person:
    """A person with seats at these tables, at the first one."""
    person = come(page={"viewport": size, "has_touch": True}, seats=tables, language=language, **settings)
    show(person, tables[0])
    return person


def show(person: Person, table: Table) -> None:
    person.go(table.path)
    expect(person.turn.locator(".btn.main")).to_be_visible()


@pytest.fixture(scope="module")
def tables(url: str) -> dict[str, Table]:
    """A table for each phase; nothing is done there."""
    return {
        phase: practising(url, "chain", where, players, "Ana") for phase, (players, where) in PHASES.items()
    }


def chips(person: Person) -> Locator:
    return person.turn.locator("[data-action]")


def is_in_view(page: Page, control: Locator) -> None:
    """Assert that a control is inside the viewport and that a tap on its centre hits it."""
    box, size = control.bounding_box(), page.viewport_size
    assert box and size
    assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"] + 0.5, box
    assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"] + 0.5, box
    assert box["width"] >= TARGET - 0.5 and box["height"] >= TARGET - 0.5, box
    control.click(trial=True)


CUT = """() => [...document.querySelectorAll('.turn-dock :is([data-action], .btn, .hand)')]
  .filter((box) => {
    const { top, bottom, left, right } = box.getBoundingClientRect();
    return [...box.querySelectorAll('*')].some((inner) => {
      if (inner.closest('.vh') || !inner.checkVisibility({ visibilityProperty: true })) return false;
      return [...inner.childNodes].some((node) => {
        if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) return false;
        const range = document.createRange();
        range.selectNode(node);
        const at = range.getBoundingClientRect();
        return at.top < top - 1 || at.bottom > bottom + 1 || at.left < left - 1 || at.right > right + 1;
      });
    });
  })
  .map((box) => box.outerHTML.replace(/<svg.*?<.svg>/gs, '').slice(0, 400))"""
"""The controls of the dock whose text sticks out of them."""


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES, ids=named)
def test_every_choice_is_in_view(
    come: Come, tables: dict[str, Table], size: ViewportSize, language: str
) -> None:
    person = at(come, list(tables.values()), size, language)
    page = person.page
    for phase, table in tables.items():
        show(person, table)
        choices = chips(person).all()
        assert len(choices) <= 6, phase
        rows = {round(box["y"]) for chip in choices if (box := chip.bounding_box())}
        assert len(rows) <= (2 if size is DESK else 1), phase
        for control in (*choices, *person.turn.locator(".turn-dock .buttons").get_by_role("button").all()):
            is_in_view(page, control)
        if phase == "keep-many":
            is_in_view(page, person.turn.get_by_role("slider"))
        expect(person.turn.locator(".turn-dock .title")).to_be_in_viewport()
        assert page.evaluate(CUT) == [], phase
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), phase


@pytest.mark.parametrize("language", ["fr", "it", "es"])
@pytest.mark.parametrize("size", [SHORTEST, DESKS[0]], ids=named)
def test_the_words_of_all_languages_fit(
    come: Come, tables: dict[str, Table], size: ViewportSize, language: str
) -> None:
    person = at(come, list(tables.values()), size, language)
    for phase, table in tables.items():
        show(person, table)
        assert person.page.evaluate(CUT) == [], phase


def test_a_small_phone_on_its_side_cuts_nothing(come: Come, tables: dict[str, Table]) -> None:
    person = at(come, list(tables.values()), SIDE, "de")
    for phase, table in tables.items():
        show(person, table)
        assert person.page.evaluate(CUT) == [], phase
    person.go("/learn/chain#step=4")
    expect(person.risky.first).to_be_visible()
    assert person.page.evaluate(CUT) == []


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", [SHORT, SHORTEST, PHONE, *DESKS], ids=named)
def test_chances_cut_nothing(come: Come, url: str, size: ViewportSize, language: str) -> None:
    person = at(come, [evaluated_chain(url)], size, language, bars=True)
    share = re.compile(r"\d\s?%")
    for choice in person.choices.all():
        expect(choice).to_have_accessible_name(share)
        expect(choice.get_by_text(share).locator("visible=true").first).to_be_visible()
        is_in_view(person.page, choice)
    expect(person.risky.first).to_contain_text(share)
    # and what a miss costs is still said
    expect(person.risky.first.locator("small")).to_contain_text(person.say("web.chain.miss", lost=2))
    assert person.page.evaluate(CUT) == []


@pytest.mark.parametrize("size", [SHORT, SHORTEST, PHONE], ids=named)
def test_chances_of_two_ways_say_what_a_miss_costs(come: Come, url: str, size: ViewportSize) -> None:
    where = (
        "turn=0 phase=decide hands=3,2 pool=11 discs=2+9,4+9 stacks=2:0,4:1,9:1+0 chain=346/6/open loose=-"
    )
    person = at(come, [practising(url, "chain", where, 2, "Ana", board="18")], size, "de", bars=True)
    for way, lost in zip(person.risky.all(), (2, 0), strict=True):
        expect(way).to_contain_text(re.compile(r"\d\s?%"))
        if lost:
            expect(way.locator(".price")).to_be_visible()
            expect(way.locator(".price")).to_have_text(person.say("web.chain.miss.short", lost=lost))
    assert person.page.evaluate(CUT) == []


def test_the_note_of_a_chain_is_not_covered(come: Come, url: str) -> None:
    where = "turn=0 phase=build hands=4,2 pool=10 discs=2+9,4+9 stacks=2:0,4:1,9:1+0 chain=3/3/open loose=125"
    tall: ViewportSize = {"width": 390, "height": 844}
    person = at(come, [practising(url, "chain", where, 2, "Ana", board="18")], tall, "de")
    expect(person.main).to_have_accessible_name(person.like("web.chain.move"))  # built by itself
    note = person.turn.locator(".note").bounding_box()
    undo = person.turn.get_by_role("button", name=person.say("web.undo")).bounding_box()
    assert note and undo and note["x"] + note["width"] <= undo["x"]


@pytest.mark.parametrize("size", SIZES, ids=named)
def test_the_board_and_the_main_button_stay_in_place(
    come: Come, tables: dict[str, Table], size: ViewportSize
) -> None:
    six = [table for phase, table in tables.items() if PHASES[phase][0] == 6]
    person = at(come, six, size)
    board = person.page.get_by_role("region", name=person.say("web.board"), exact=True)
    boxes = []
    for table in six:
        show(person, table)
        boxes.append((board.bounding_box(), person.turn.locator(".btn.main").bounding_box()))
    assert all(box == boxes[0] for box in boxes), boxes


def test_a_way_that_never_fits_looks_like_a_warning(come: Come, tables: dict[str, Table]) -> None:
    person = at(come, [tables["decide-never"]], SHORTEST)
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
    person = seated(come, url, 2, position(2, "build", 4, "3/3/open", "266"), SHORT)
    expect(person.main).to_have_accessible_name(person.like("web.chain.move"))
    assert linked(person) == [3, 6, 6, 2]


def test_a_chain_that_was_taken_back_is_not_built_by_itself(come: Come, url: str) -> None:
    person = seated(come, url, 2, position(2, "build", 4, "2/2/open", "356"), SHORT)
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
    person = seated(come, url, *PHASES["build"], SHORT)
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
    person = seated(come, url, *PHASES["build"], DESK)
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
    person = seated(come, url, *PHASES["build-many"], SHORT)
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
    person = seated(come, url, *PHASES["keep-many"], SHORT)
    slider = person.turn.get_by_role("slider")
    slider.fill("7")
    expect(person.main).to_contain_text(person.say("web.chain.roll", dice=7))
    expect(person.main).to_contain_text(person.say("web.chain.all_fit", share=person.texts.percent(0.8757)))
    expect(person.main).to_contain_text(person.say("web.chain.miss", lost=4))
    person.main.tap()
    kept = person.say("chain.fact.kept.you", dice=7, discarded=6)
    expect(person.page.locator("body")).to_contain_text(kept)


def test_a_hand_is_rolled_by_itself_on_request(come: Come, url: str) -> None:
    larger = practising(url, "chain", position(2, "keep", 3), 2, "Ana")
    tables = [practising(url, "chain", position(2, "keep", 2), 2, "Ana") for _ in range(2)]
    person = at(come, [*tables, larger], SHORT)
    chain = person.turn.locator(".melody svg").first
    always = person.button("web.chain.always")
    expect(always).to_have_attribute("aria-pressed", "false")
    always.click()
    expect(chain).to_be_visible()
    person.go(tables[1].path)  # without asking
    expect(chain).to_be_visible()
    show(person, larger)  # such a hand was not rolled before
    expect(always).to_have_attribute("aria-pressed", "false")
    expect(person.main).to_contain_text(person.say("web.chain.roll", dice=3))


# While others play.


def test_what_was_done_to_a_player_is_shown_again(come: Come, url: str) -> None:
    where = (
        "turn=1 phase=decide hands=3,3 pool=10 discs=16+30,13+22 stacks=16:0,13:1,22:1,30:0"
        " chain=345/5/up loose=-"
    )
    table = opened(
        url, "chain", people=[{"name": "Ana"}], settings={"practice": True}, start_from=where
    )  # fmt: skip
    guest = joined(url, table, "Bento")
    asked(url, table, "start")
    ana = come(page={"viewport": SHORT, "has_touch": True}, seats=[table], speed=1).go(table.path)
    bento = at(come, [guest], SHORT)
    bento.turn.locator("[data-action='move 13']").tap()
    bento.main.tap()
    recap = ana.turn.get_by_role("region", name=ana.say("web.recap"))
    covered = ana.turn.locator(".word")
    expect(covered).to_be_visible()
    expect(recap).to_contain_text("Bento")
    expect(covered).to_have_count(0)
    expect(recap).to_contain_text(ana.say("web.chain.how_many"))
    text = recap.inner_text()
    ana.click("web.recap.again")
    expect(recap).to_have_count(0)
    expect(covered).to_be_visible()
    expect(recap).to_have_text(text, use_inner_text=True)
    expect(ana.main).to_be_visible()


# The board.


def test_of_two_discs_whose_targets_overlap_the_nearer_one_takes_the_tap(come: Come, url: str) -> None:
    discs = "discs=29+30,19+22 stacks=19:1,22:1,29:0,30:0"
    where = position(2, "decide", 3, "345/5/up").replace(TWO_DISCS, discs)
    person = seated(come, url, 2, where, SHORTEST)
    for space in (29, 30):
        target = person.page.locator(f"rect.tap[data-space='{space}']")
        box = target.bounding_box()
        assert box and box["width"] >= TARGET and box["height"] >= TARGET
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        person.page.touchscreen.tap(*middle)
        expect(person.turn.locator(f"[data-action='move {space}']")).to_be_checked()


@pytest.mark.parametrize("length", [18, 34, 60])
def test_the_spaces_of_a_board_are_large_enough_for_fingers(come: Come, length: int) -> None:
    me = come(page={"viewport": {"width": 320, "height": 640}, "has_touch": True})
    me.go(f"/new/chain?how=device&board={length}")
    board = me.page.get_by_role("group", name=me.say("chain.option.board")).last
    expect(board.get_by_role("button")).to_have_count(length - 1)
    boxes = [button.bounding_box() for button in board.get_by_role("button").all()]
    assert all(box and min(box["width"], box["height"]) >= 44 for box in boxes)
    last = board.get_by_role("button").last
    last.tap()  # it is scrolled into view, inside the window
    me.reads("web.board.to", **{"from": length - 1})
    assert me.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_a_board_of_ones_own_by_tapping(come: Come) -> None:
    """It is checked (C3), kept on the device, shared by a link, and played on."""
    me = come(page={"viewport": {"width": 360, "height": 600}}).go("/new/chain?how=device")
    me.page.locator("label", has_text=me.say("web.new.own")).click()
    board = me.page.get_by_role("group", name=me.say("chain.option.board"))
    text = me.page.get_by_role("textbox", name=me.say("web.new.own"))

    def tap(space: int, arrow: int = 0) -> None:
        name = (
            me.say("web.board.arrow", **{"from": space, "to": arrow})
            if arrow
            else me.say("web.board.space", space=space)
        )
        board.get_by_role("button", name=name, exact=True).click()

    expect(text).to_have_value("34 7>11 10>5")
    tap(20)
    me.reads("web.board.to", **{"from": 20})
    tap(25)
    expect(text).to_have_value("34 7>11 10>5 20>25")
    me.troubles.forgive("status of 400")
    tap(3)
    tap(20, 25)  # an arrow must not lead to another
    expect(me.page.get_by_role("alert")).to_have_text(me.say("web.board.wrong"))
    expect(text).to_have_value("34 7>11 10>5 20>25")
    tap(4)  # another end of the same arrow
    expect(text).to_have_value("34 3>4 7>11 10>5 20>25")
    for start, end in ((3, 4), (7, 11)):
        me.page.get_by_role("button", name=me.say("web.board.remove", **{"from": start, "to": end})).click()
    expect(text).to_have_value("34 10>5 20>25")
    tap(10, 5)  # by keys: two spaces further
    me.page.keyboard.press("ArrowRight")
    me.page.keyboard.press("ArrowRight")
    me.page.keyboard.press("Enter")
    expect(text).to_have_value("34 10>12 20>25")
    for _ in range(12):
        me.page.get_by_role("button", name=me.say("web.less", what=me.say("web.board.length"))).click()
    expect(text).to_have_value("22 10>12")
    link = me.page.get_by_role("textbox", name=me.say("web.board.link")).input_value()

    me.page.reload()
    expect(text).to_have_value("22 10>12")
    friend = come().go(link.removeprefix(me.url))
    field = friend.page.get_by_role("textbox", name=friend.say("web.new.own"))
    expect(field).to_have_value("22 10>12")
    friend.click("web.start")
    expect(friend.main).to_be_visible()
    friend.reads("web.chain.summary", spaces=22, players=4)
