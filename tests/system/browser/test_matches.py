"""Whole matches: against bots, on one device, and online by a link."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import ViewportSize, expect

from system.browser.conftest import Come
from system.browser.people import play_together
from system.browser.setup import DESK, SHORT, SHORTEST, joined, opened, setup

BOT = "bot regular"


@pytest.mark.parametrize(
    "game, players, options, size",
    [("rapido", 3, {"finish": 5}, DESK), ("rapido", 2, {"finish": 5}, SHORTEST),
     ("chain", 2, {"board": "18 3>8 9>5"}, DESK)],  # and on a phone: test_taps.py
    ids=["rapido-desk", "rapido-phone", "chain-desk"],
)  # fmt: skip
def test_two_taps_start_a_match_against_bots(
    come: Come, game: str, players: int, options: dict[str, object], size: ViewportSize
) -> None:
    whole_match(come, game, players, options, size)


def whole_match(come: Come, game: str, players: int, options: dict[str, object], size: ViewportSize) -> None:
    page = {"viewport": size, "has_touch": size["width"] < 600}
    person = come(setups={f"{game}.bots": setup(players, BOT, **options)}, name="Ana", page=page)
    person.go("/")
    card = person.card(game)
    card.get_by_role("button", name=person.like("web.home.bots")).click()
    expect(person.players).to_have_count(players)
    person.play(seed=players)
    # the result, the statistics and the verified dice are shown
    expect(person.button("web.rematch").or_(person.button("web.after.next")).first).to_be_visible()
    person.ready()
    numbers = person.named("region", "web.after.details")
    expect(numbers.get_by_text(person.like("web.fair.yes"))).to_be_visible()
    expect(numbers.get_by_role("table").first).to_be_visible()


def test_set_up_by_hand_and_play_on_one_device(come: Come) -> None:
    person = come()
    person.go("/")
    card = person.card("rapido")
    card.get_by_role("link", name=person.say("web.on_device")).click()
    person.ready()
    page = person.page
    fewer = person.say("web.less", what=person.say("web.players"))
    page.get_by_role("button", name=fewer).click()
    names = person.named("textbox", "web.name")
    expect(names).to_have_count(2)
    for field, name in zip(names.all(), ("Ana", "Rui"), strict=True):
        field.fill(name)
    finish = person.named("spinbutton", "rapido.option.finish")
    finish.fill("50")  # nobody wins by the first roll
    finish.press("Tab")
    person.click("web.start")
    assert person.asked()
    expect(person.turn.get_by_role("heading")).to_have_text(person.say("web.turn_of", name="Ana"))
    person.main.first.click()
    expect(person.choices.first).to_be_visible()
    person.main.first.click()
    expect(person.turn.get_by_role("heading")).to_have_text(person.say("web.turn_of", name="Rui"))


def test_nothing_moves_under_the_finger_that_changes_the_number_of_players(come: Come) -> None:
    person = come(page={"viewport": SHORTEST, "has_touch": True})
    person.go("/new/rapido?how=bots")
    players = person.say("web.players")
    number = person.page.get_by_role("spinbutton", name=players)
    before = number.bounding_box()
    person.named("button", "web.less", what=players).tap()
    expect(person.button("web.new.usual")).to_be_visible()
    assert number.bounding_box() == before


def test_a_phone_in_the_lobby_shows_who_has_come(come: Come, url: str) -> None:
    table = opened(url, "rapido", 4, people=[{"name": "Ana"}])
    friend = joined(url, table, "Maximiliane")
    phone = {"viewport": SHORT, "has_touch": True}
    host = come(seats=[table], page=phone).go(table.path)
    expect(host.page.get_by_text("Maximiliane").first).to_be_in_viewport(ratio=1)
    guest = come(seats=[friend], page=phone).go(table.path)
    people = guest.page.get_by_role("region", name=guest.like("web.players"))
    expect(people.get_by_text("Ana")).to_be_in_viewport(ratio=1)
    invitation = guest.named("region", "web.lobby.invite")
    first, second = people.bounding_box(), invitation.bounding_box()
    assert first and second and first["y"] < second["y"]


def test_a_phone_shows_the_link_at_once_and_promises_no_code_that_it_cannot_show(come: Come) -> None:
    phone = {"viewport": SHORTEST, "has_touch": True}
    host = come(setups={"rapido.online": setup(3, "link")}, name="Ana", page=phone)
    host.go("/new/rapido?how=online")
    host.reads("web.new.open.local")
    host.click("web.new.open")
    link = host.named("textbox", "web.lobby.link", exact=True)
    copy = host.named("button", "web.lobby.copy").first
    expect(link).to_be_in_viewport(ratio=1)
    copy.click(trial=True)
    assert host.page.evaluate("scrollY") == 0, "nothing covers the button"


def test_online_by_a_link_with_a_rematch(come: Come) -> None:
    host = come(setups={"rapido.online": setup(2, "link", finish=5)}, name="Ana")
    host.go("/new/rapido?how=online")
    host.click("web.new.open")
    expect(host.named("heading", "web.lobby.title")).to_be_visible()
    link = host.named("textbox", "web.lobby.link", exact=True).input_value()
    assert link.startswith(host.url + "/t/")
    assert link == host.page.url, "the link is the URL of the table, without a secret"
    guest = come(name="Rui")
    guest.page.goto(link)
    guest.click("web.sit")
    expect(host.page.get_by_role("listitem").filter(has_text="Rui")).to_be_visible()
    host.click("web.start")
    play_together([host, guest])
    results = {person.winner.inner_text() for person in (host, guest)}
    assert host.say("web.winner.you") in results and len(results) == 2, (
        "the winner is addressed, the other not"
    )
    # one player requests a rematch, and all clients follow
    guest.click("web.rematch")
    following = re.compile(rf"/t/(?!{link.rpartition('/')[2]})")
    expect(guest.page).to_have_url(following)
    host.reads("web.after.next.ready")
    host.click("web.after.next")
    expect(host.page).to_have_url(guest.page.url)
    host.click("web.start")
    play_together([host, guest], most=4)


def test_the_host_starts_with_who_is_there(come: Come) -> None:
    """Seats can be added and removed in the lobby, and free ones need not be filled (R16)."""
    host = come(setups={"rapido.online": setup(3, "link", finish=5)}, name="Ana")
    host.go("/new/rapido?how=online")
    host.click("web.new.open")
    seats = host.page.get_by_role("region", name=host.like("web.players")).get_by_role("listitem")
    expect(seats).to_have_count(3)
    expect(host.button("web.start")).to_be_disabled()
    what = host.say("web.lobby.seats")
    host.named("button", "web.more", what=what).click()
    expect(seats).to_have_count(4)
    host.named("button", "web.less", what=what).click()
    expect(seats).to_have_count(3)
    two = host.page.get_by_text(host.say("web.new.two.rapido"))
    expect(two).to_have_count(0)
    guest = come(name="Rui")
    guest.page.goto(host.page.url)
    guest.click("web.sit")
    expect(two).to_be_visible()
    host.click("web.lobby.start_with", number=2)
    for person in (host, guest):
        expect(person.players).to_have_count(2)
    assert host.asked()
