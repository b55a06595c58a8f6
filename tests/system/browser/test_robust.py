"""Failures during a match: the screen stays usable, and play continues."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from serving import Server, running
from system.browser.conftest import Come
from system.browser.people import Person
from system.browser.setup import Table, asked, joined, opened, played, practising, setup

DECIDE = "turn=0 phase=decide value=54 steps=3,5,2 tower=2:1:52,4:2:63"


def duel(url: str) -> tuple[Table, Table]:
    """A started match of two people, each with their own device."""
    ana = opened(url, people=[{"name": "Ana"}], options={"finish": 30}, settings={"grace": None})
    rui = joined(url, ana, "Rui")
    asked(url, ana, "start")
    return ana, rui


def test_the_server_dies_in_the_middle_of_a_roll(
    come_to: Callable[..., Person], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with running(Server(tmp_path_factory.mktemp("mortal"))) as live:
        start = "turn=0 phase=first value=0 steps=0,0,0 tower=-"
        table = practising(live.url, "rapido", start, 3, "Ana", finish=30)  # nobody can win soon
        ana = come_to(live.url, seats=[table], speed=2, fresh=True)
        ana.troubles.forgive("WebSocket connection to", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET")
        ana.sit(table)
        ana.main.first.click()  # slow dice: they are animated while the server is killed
        live.kill()
        ana.reads("web.reconnecting")
        live.start()
        expect(ana.page.get_by_text(ana.say("web.reconnecting"))).to_have_count(0)
        assert ana.asked()
        rolled = ana.like("rapido.fact.rolled.you", "rapido.fact.rolled.invalid.you")
        made = ana.log.get_by_role("listitem").filter(has_text=rolled)
        expect(made).to_have_count(1)  # it was made exactly once
        ana.main.first.click()
        placed = ana.like("rapido.fact.placed.you")
        expect(ana.log.get_by_role("listitem").filter(has_text=placed)).to_be_visible()


def test_refresh_at_any_moment(come: Come, url: str) -> None:
    table = practising(url, "rapido", DECIDE, 3, "Ana", finish=30)  # nobody can win soon
    person = come(seats=[table], speed=1).go(table.path)
    assert person.asked()
    offered = person.main.first.inner_text()
    person.page.reload()  # without animation: the same question again
    assert person.asked()
    expect(person.main.first).to_have_text(offered, use_inner_text=True)
    person.main.first.click()
    person.page.reload()  # during an animation
    assert person.asked()


def test_two_tabs_of_one_seat(come: Come, url: str) -> None:
    table = opened(url, people=[{"name": "Ana"}, {"name": "Rui"}], start=True)
    person = come(seats=[table], fresh=True).sit(table)
    first, person.page = person.page, person.context.new_page()
    person.sit(table).main.first.click()
    expect(person.choices.first).to_be_visible()
    shown = person.turn.text_content()
    person.page = first  # it shows the same decision, which is made here
    expect(person.turn).to_have_text(shown or "")
    person.main.first.click()
    assert person.asked()


def test_browser_history(come: Come) -> None:
    person = come(name="Ana")
    page = person.go("/").page
    card = person.card("rapido")
    card.get_by_role("link", name=person.say("web.home.change")).click()
    expect(person.named("heading", "web.new.title")).to_be_visible()
    person.click("web.start")
    assert person.asked()
    table = page.url
    page.go_back()
    expect(person.named("heading", "web.new.title")).to_be_visible()
    page.go_back()
    unfinished = person.named("region", "web.home.unfinished")
    expect(unfinished).to_contain_text(person.say("web.home.turn_of.you", game=person.say("rapido.name")))
    page.go_forward()
    page.go_forward()
    expect(page).to_have_url(table)
    assert person.asked()
    person.named("link", "web.home").click()
    unfinished.get_by_role("link", name=person.say("web.home.resume")).click()
    expect(page).to_have_url(table)
    assert person.asked()


def test_links_to_what_there_is_not(come: Come) -> None:
    person = come()
    person.troubles.forgive("status of 404")
    for path, title, text in (
        ("/t/nosuchmatch12", "web.closed.title", "web.closed.unknown_match"),
        ("/replay/nosuchmatch12", "web.replay.error.title", "web.replay.error.unknown_match"),
        ("/nowhere/at/all", "web.lost.title", "web.lost.text"),
        ("/new/chess", "web.lost.title", "web.lost.text"),
        ("/learn/chess", "web.lost.title", "web.lost.text"),
        ("/rules/chess", "web.lost.title", "web.lost.text"),
    ):
        person.go(path)
        expect(person.page.get_by_role("heading", level=1)).to_have_text(person.say(title))
        person.reads(text)
    person.page.get_by_role("main").get_by_role("link", name=person.say("web.home")).click()
    expect(person.page).to_have_url(person.url + "/")


def test_what_a_guest_reads(come: Come, url: str) -> None:
    guest = come()
    title = guest.page.get_by_role("heading", level=1)
    full = opened(url, people=[{"name": "Ana"}])
    joined(url, full, "Rui")
    guest.go(full.path)
    guest.reads("web.lobby.full")
    guest.reads("web.lobby.no_seat")
    expect(guest.button("web.sit")).to_have_count(0)
    running_match, _ = duel(url)
    guest.go(running_match.path)
    expect(title).to_have_text(guest.say("web.guest.title"))
    guest.reads("web.guest.text")
    guest.go(played(url, "rapido", finish=5).path)
    expect(title).to_have_text(guest.say("web.guest.over"))
    guest.page.get_by_role("main").get_by_role("button", name=guest.say("web.replay")).click()
    expect(guest.named("slider", "web.replay.slider")).to_be_visible()


def test_a_finished_match_is_kept(come: Come, url: str) -> None:
    table = played(url, "rapido", finish=5)
    host = come(seats=[table]).go(table.path)
    result = host.winner.inner_text()
    host.page.reload()
    expect(host.winner).to_have_text(result)
    host.go("/")
    expect(host.named("region", "web.home.unfinished")).to_have_count(0)


def test_the_winner_by_resignation_is_marked(come: Come, url: str) -> None:
    ana, rui = duel(url)
    winner = come(seats=[rui]).go(rui.path)
    asked(url, ana, "resign", version=4)
    expect(winner.winner).to_be_visible()
    expect(winner.players.filter(has_text="Rui")).to_have_attribute("aria-current", "true")
    expect(winner.players.filter(has_text="Ana")).not_to_have_attribute("aria-current", "true")


def test_the_links_of_a_running_match_are_in_its_menu(come: Come, url: str) -> None:
    """One lets others watch, until that is switched off; one moves the seat to another device."""
    ana, _ = duel(url)
    host = come(seats=[ana]).sit(ana)
    host.click("web.settings")
    host.click("web.lobby.watch.link")
    link = host.named("textbox", "web.lobby.watch.link").input_value()
    assert ana.watch in link
    watcher = come().go(link.removeprefix(url))
    watcher.reads("web.watching")
    assert not watcher.main.count()
    host.click("web.close")
    host.main.first.click()
    expect(watcher.log.get_by_role("listitem").filter(has_text="Ana").first).to_be_visible()
    asked(url, ana, "configure", settings={"grace": None, "watch": False})
    watcher.reads("web.closed.watching_off")
    host.click("web.settings")
    host.click("web.lobby.move")
    link = host.named("textbox", "web.lobby.move.link").input_value()
    after = come().go(link.removeprefix(url))
    assert after.asked()
    expect(after.page).to_have_url(url + ana.path)  # the secret is removed
    host.reads("web.closed.moved")
    after.page.reload()
    assert after.asked()


def test_the_record_is_saved_and_opened_again(come: Come, url: str, tmp_path: Path) -> None:
    table = played(url, "chain", 2, board="18")
    person = come(seats=[table]).go(table.path)
    with person.page.expect_download() as download:
        person.click("web.after.download")
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    person.go("/replay")
    with person.page.expect_file_chooser() as chooser:
        person.click("web.replay.choose")
    chooser.value.set_files(file)
    slider = person.named("slider", "web.replay.slider")
    expect(slider).to_be_visible()
    person.ready()
    expect(person.page.get_by_text(person.like("web.fair.yes"))).to_be_visible()
    slider.focus()
    slider.press("End")
    expect(slider).to_have_value(slider.get_attribute("max") or "")
    expect(person.page).to_have_url(re.compile(r"#ply=\d+$"))


def test_a_click_before_the_page_has_loaded_is_not_lost(come: Come) -> None:
    """A click before the list of games has loaded opens a match with the stored set-up."""
    person = come(setups={"rapido.bots": setup(2, "bot tourist", finish=7)}, name="Ana")
    page = person.page
    held: list[Route] = []
    page.route("**/api/games", lambda route: held.append(route))
    page.goto(person.url + "/new/rapido?how=bots")
    person.reads("web.loading")
    expect(person.button("web.start")).to_have_count(0)
    expect(page.get_by_role("textbox")).to_have_count(0)
    page.goto(person.url)
    card = person.card("rapido")
    card.get_by_role("button", name=person.like("web.home.bots")).click()
    expect(card).to_be_visible()
    page.route("**/api/games", lambda route: route.continue_())  # what is asked for only now
    held[-1].continue_()
    expect(person.players).to_have_count(2)


def test_set_up_while_the_server_is_unreachable(come: Come) -> None:
    person = come(setups={"rapido.bots": setup(2, "bot tourist", finish=7)}, name="Ana")
    person.troubles.forgive("ERR_FAILED")
    person.page.route("**/api/games", lambda route: route.abort())
    person.page.goto(person.url + "/new/rapido?how=bots")
    person.reads("error.offline")
    person.page.unroute("**/api/games")
    person.click("web.after.again")
    change = person.named("button", "web.name.change", name="Ana")
    expect(change).to_have_count(1)
    person.click("web.start")
    assert person.asked()
