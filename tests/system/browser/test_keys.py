"""Whole matches with the keyboard only, from the first screen on."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Locator, expect

from system.browser.conftest import Come
from system.browser.people import Person
from system.browser.setup import practising, setup
from system.browser.test_listening import LATE

DECIDE = "turn=0 phase=decide value=54 steps=3,5,2 tower=2:1:52,4:2:63"
KEEP = "turn=0 phase=keep hands=4,2 pool=10 discs=0+0,0+0 stacks=- chain=-/0/open loose=-"


def reach(person: Person, target: Locator) -> None:
    """Press Tab until the element has the focus."""
    expect(target).to_be_visible()
    expect(target).to_be_enabled()
    for _ in range(60):
        if target.evaluate("element => element === document.activeElement"):
            return
        person.press("Tab")
    raise AssertionError(f"Tab does not lead to {target}")


def play_again(person: Person) -> None:
    """The focus is on the result, from where Tab leads to the rematch."""
    before = person.page.url
    expect(person.winner).to_be_focused()
    reach(person, person.button("web.rematch"))
    person.press("Enter")
    person.page.wait_for_url(lambda url: url != before)
    assert person.asked()


def test_rapido_by_keys(come: Come) -> None:
    chance = random.Random(4)
    person = come(setups={"rapido.bots": setup(3, "bot regular", finish=5)}, name="Ana")
    keyboard = person.page.keyboard
    person.go("/")
    reach(person, person.card("rapido").get_by_role("button", name=person.like("web.home.bots")))
    person.press("Enter")
    while person.asked():
        if not person.choices.count():
            keyboard.press("r")
        elif chance.random() < 0.15:
            keyboard.press("r")  # again
        elif chance.random() < 0.3:
            keyboard.press("Enter")  # what is chosen already
        else:
            choose_field(person, chance)
    play_again(person)


def choose_field(person: Person, chance: random.Random) -> None:
    """Choose a field by its digit and confirm it."""
    fields = [name[:1] for name in person.choices.all_inner_texts()]
    field = chance.choice(fields)
    person.press(field)
    expect(person.choices.nth(fields.index(field))).to_be_checked()
    said = person.main.first.inner_text()
    found = person.like("web.rapido.place").match(said + "\n")
    assert found, said
    person.press("Enter")
    value = re.sub(r"\D.*", "", found[1])
    expect(person.log).to_contain_text(person.say("rapido.fact.placed.you", value=value, field=field))


def test_the_end_of_a_match_of_chain_by_keys(come: Come, url: str) -> None:
    chance = random.Random(5)
    table = practising(url, "chain", LATE, 2, "Ana", board="18")
    person = come(seats=[table]).go(table.path)
    keyboard = person.page.keyboard
    while person.asked():
        dice = chance.random()
        if dice < 0.15 and person.risky.count():
            keyboard.press("u")
            keyboard.press("d")
        elif dice < 0.3 and person.choices.count() > 1:
            keyboard.press("1")  # keeps one die, links a one, or chooses the first disc
            if person.asked():
                keyboard.press("Enter")
        else:
            keyboard.press("Enter")
    play_again(person)


@pytest.mark.parametrize("focused", [False, True], ids=["from afar", "on the choices"])
def test_a_digit_and_enter_do_what_was_chosen(come: Come, url: str, focused: bool) -> None:
    table = practising(url, "chain", KEEP, 2, "Ana", board="18")
    person = come(seats=[table]).sit(table)
    if focused:
        reach(person, person.page.get_by_role("radio", checked=True))
    person.press("3")
    expect(person.named("radio", "chain.action.keep", number=3)).to_be_checked()
    person.press("Enter")
    expect(person.log).to_contain_text(person.say("chain.fact.kept.you", dice=3, discarded=1))


def test_arrows_choose_and_escape_leaves_dialogs(come: Come, url: str) -> None:
    table = practising(url, "rapido", DECIDE, 3, "Ana")
    person = come(seats=[table]).sit(table)
    keyboard = person.page.keyboard
    reach(person, person.choices.first)
    keyboard.press("ArrowDown")
    expect(person.choices.nth(1)).to_be_checked()
    expect(person.choices.nth(1)).to_be_focused()
    keyboard.press("End")
    expect(person.choices.last).to_be_checked()
    keyboard.press("?")
    dialog = person.named("dialog", "web.help")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text(person.say("web.rapido.key.roll"))
    keyboard.press("r")  # the table behind the dialog ignores the key
    keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(person.choices.last).to_be_focused()
    expect(person.choices.last).to_be_checked()
