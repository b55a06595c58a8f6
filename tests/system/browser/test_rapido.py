"""Rapido's table: it stays in place, says what a choice does, and shows what happened."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from system.browser import docks
from system.browser.conftest import ROOT, Come
from system.browser.docks import DOCKS, Dock
from system.browser.looks import CUT, out_of_view
from system.browser.screens import SCREENS
from system.browser.setup import DESK, SHORT, SHORTEST, SIDE, practising

DECIDE = "turn=0 phase=decide value=62 steps={} tower={}"


LOG_LINE = """() => {
  const head = document.querySelector('.turn-dock > .head').getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(document.querySelector('.turn-dock > .head > .newest-line > span'));
  const text = range.getBoundingClientRect();
  return text.width > 0 && text.top >= head.top - 1 && text.bottom <= head.bottom + 1;
}"""
"""Whether the whole log line is visible."""
LINES = """(box) => {
  const range = document.createRange();
  range.selectNodeContents(box);
  return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size;
}"""
"""The number of lines of a text."""


def test_a_long_log_line_is_not_cut_and_moves_nothing(come: Come, url: str) -> None:
    where = DECIDE.format("12,15,9,13", "2:2:53,4:3:61")
    names = ["Maximiliane", "Bartholomäus", "Clementine", "Dietlinde Charlotte"]
    person = docks.at(come, [practising(url, "rapido", where, 4, *names)], SHORTEST, "de")
    page = person.page
    before = person.board.bounding_box(), person.main.first.bounding_box()
    person.turn.get_by_role("radio", name=re.compile("^3")).tap()
    person.main.tap()
    newest = person.turn.locator(".newest-line")
    expect(newest).to_contain_text("Dietlinde")
    assert newest.locator("span").evaluate(LINES) > 1
    assert page.evaluate(LOG_LINE)
    assert (person.board.bounding_box(), person.main.first.bounding_box()) == before
    # and no word of the button to take it back is broken
    words = person.button("web.undo").locator("visible=true").first.locator(".words")
    assert words.evaluate(LINES) == 1


def test_six_players_on_a_short_phone(come: Come, url: str) -> None:
    """All pieces are visible, a tap on a field chooses it, and only the main button commits."""
    person = docks.seated(come, url, DOCKS["rapido-six"], SHORT)
    page, hand = person.page, person.turn.locator(".hand").first
    pieces = [page.locator(f".piece[data-seat='{seat}']").bounding_box() for seat in range(6)]
    assert all(piece and piece["width"] >= 20 for piece in pieces)
    frame, own = person.board.bounding_box(), pieces[0]
    assert frame and own
    assert frame["y"] < own["y"] and own["y"] + own["height"] < frame["y"] + frame["height"]
    expect(page.locator(".pill")).to_have_text(["3"])  # the last seat is on step 3, below the window
    expect(person.players).to_have_count(6)
    expect(person.players.locator(".dot").locator("visible=true")).to_have_count(0)  # they lie at the tokens
    for field in (1, 3):
        row = page.locator(f"rect.tap[data-field='{field}']")
        box = row.bounding_box()
        assert box and 45 <= box["height"] <= 58
        row.tap()
        expect(person.turn.get_by_role("radio", name=re.compile(f"^{field}"))).to_be_checked()
        expect(person.main).to_have_text(person.say("web.rapido.place", value=62, field=field))
        expect(hand).to_contain_text(person.say("web.rapido.on", field=field))
    expect(hand).to_contain_text(person.say("web.rapido.throws_out"))
    person.choices.last.tap()
    expect(person.main).to_have_text(person.say("web.rapido.place", value=62, field=0))


def test_the_board_and_the_main_button_stay_in_place(come: Come, url: str) -> None:
    start = "turn=0 phase=first value=0 steps=0,0,0 tower=-"
    person = docks.seated(come, url, Dock("rapido", 3, start, {"finish": 50}), SHORT)
    unrolled = person.turn.get_by_role("img", name=person.say("web.rapido.no_dice"))
    expect(unrolled.locator("svg.resting")).to_be_visible()
    expect(unrolled.locator(".cube")).to_have_count(0)
    for size in (SHORT, SIDE, DESK):
        person.page.set_viewport_size(size)
        person.see()
        boxes = []
        for _ in range(2):  # rolling and placing: nobody can win so soon
            assert person.asked()
            boxes.append((person.board.bounding_box(), person.main.first.bounding_box()))
            offered = person.main.first.inner_text()
            person.main.first.click()
            expect(person.main.first).not_to_have_text(offered, use_inner_text=True)
        assert boxes[0] == boxes[1], size
    person.main.first.click()
    expect(person.turn.locator(".cube")).to_have_count(2)


def test_r18_with_two_players_the_hand_says_what_each_pair_brings(come: Come, url: str) -> None:
    cases: tuple[tuple[str, str, dict[str, int]], ...] = (
        (DECIDE.format("9,5", "3:0:54,4:1:41"), "web.rapido.on.two", {"field": 5, "climb": 8}),
        (DECIDE.format("9,5", "4:1:41"), "web.rapido.on.first", {"field": 5}),
        ("turn=0 phase=first value=0 steps=9,5 tower=3:0:54,4:1:41", "web.rapido.roll_second", {}),
    )
    tables = [practising(url, "rapido", position, 2, "Ana") for position, _, _ in cases]
    person = docks.at(come, tables, SHORTEST, "de")
    for table, (_, key, args) in zip(tables, cases, strict=True):
        person.sit(table)
        expect(person.turn.locator(".hand").first).to_contain_text(person.say(key, **args))
        assert person.page.evaluate(CUT) == []


def test_after_a_throw_out_the_last_decision_can_be_taken_back(come: Come, url: str) -> None:
    """Tourists throw out whom they can, if they do not roll an X before."""
    where = "turn=0 phase=decide value=11 steps=9,5,7 tower=-"
    tables = [practising(url, "rapido", where, 3, "Ana", bot="tourist") for _ in range(30)]
    person = docks.at(come, tables, SHORT, "de", speed=0.5)
    again = person.button("web.recap.again")
    for table in tables:
        person.sit(table)
        person.turn.get_by_role("radio", name=re.compile("^5")).tap()
        person.main.first.click()
        expect(person.main).to_contain_text(person.say("web.rapido.roll"))  # all others have played
        if again.is_visible():
            break
    expect(again).to_be_visible()
    back = person.turn.get_by_role("button", name=person.say("web.undo")).locator("visible=true")
    expect(back).to_have_count(1)
    assert not out_of_view(back, 0)
    person.see()
    back.click()
    expect(person.main).to_have_text(person.say("web.rapido.place", value=11, field=5))


def test_r15_a_field_that_lets_another_player_win_is_not_proposed(come: Come, url: str) -> None:
    where = "turn=0 phase=decide value=64 steps=3,14 tower=3:1:63,4:1:62"
    person = docks.seated(come, url, Dock("rapido", 2, where), SHORT)
    expect(person.main).to_have_text(person.say("web.rapido.place", value=64, field=2))
    person.turn.get_by_role("radio", name=re.compile("^5")).tap()
    expect(person.main).to_have_text(person.say("web.rapido.place", value=64, field=5))
    expect(person.turn.locator(".now")).to_contain_text(person.say("play.preview.rapido.won", name="Clara"))


def test_an_x_is_staged_and_goes_on_by_a_tap(come: Come, url: str) -> None:
    screen = SCREENS["rapido-staged"](url)
    person = come(seats=screen.seats, page={"viewport": SHORT, "has_touch": True})
    screen.show(person)  # an X is entered, and shown slowly
    assert person.page.evaluate("document.querySelector('.shake') !== null")
    person.click("web.go_on")
    expect(person.turn.locator(".word")).to_have_count(0)


# Colours.

GROUNDS = ["tread", "wall", *(part + str(glaze) for part in "gab" for glaze in range(6))]
COLOURS = ("red", "blue", "green", "yellow", "black", "white")
Rgb = tuple[float, float, float]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_pieces_are_seen_on_every_tile(theme: int) -> None:
    """A piece has a bright and a dark ring: one of them has a contrast of 3:1 to what is below it."""
    for ground in [*GROUNDS, *(f"p-{colour}" for colour in COLOURS)]:
        below = token(ground, theme)
        rings = token("halo", theme), token("contour", theme, below)
        assert max(contrast(ring, below) for ring in rings) >= 3, ground
    for colour in COLOURS:
        assert contrast(token(f"p-{colour}-ink", theme), token(f"p-{colour}", theme)) >= 4.5, colour


def token(name: str, theme: int, below: Rgb = (0, 0, 0)) -> Rgb:
    """A colour of the style sheet, over what is below it."""
    sheet = (ROOT / "web" / "src" / "app.css").read_text("utf-8")
    found = re.search(rf"--{name}: (.+?);", sheet)
    assert found, name
    colours = re.findall(r"#[0-9a-f]{6}|rgba\([^)]+\)", found[1])
    colour = colours[min(theme, len(colours) - 1)]
    if colour.startswith("#"):
        parts = [float(int(colour[at : at + 2], 16)) for at in (1, 3, 5)]
        alpha = 1.0
    else:
        *parts, alpha = map(float, re.findall(r"[\d.]+", colour))
    red, green, blue = (part * alpha + under * (1 - alpha) for part, under in zip(parts, below, strict=True))
    return red, green, blue


def contrast(a: Rgb, b: Rgb) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: Rgb) -> float:
    shares = [part / 255 for part in colour]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
