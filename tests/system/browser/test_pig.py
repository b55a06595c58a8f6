"""A game without its own board, played on the plain board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

import pig
from serving import Server, running
from system.browser.people import Person
from system.browser.setup import SHORT, setup


@pytest.fixture
def live_pig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that has Pig."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setenv("PYTHONPATH", pig.install(site)["PYTHONPATH"])
    with running(Server(tmp_path)) as server:
        yield server


def test_pig_is_found_and_played_to_the_end(live_pig: Server, come_to: Callable[..., Person]) -> None:
    setups = {"pig.bots": setup(2, "bot regular", goal=15)}
    person = come_to(live_pig.url, page={"viewport": SHORT}, setups=setups, name="Ana", fresh=True)
    person.go("/")
    card = person.page.get_by_role("article", name="Pig")
    card.get_by_role("button", name=person.like("web.home.bots")).click()
    board = person.page.get_by_role("table").first
    expect(board.get_by_role("columnheader", name="Scores")).to_be_visible()
    expect(board.get_by_role("row", name="Ana")).to_be_visible()
    hold, roll = (
        person.turn.get_by_role("button", name=name, exact=True, disabled=False) for name in ("Hold", "Roll")
    )
    while True:
        expect(roll.or_(person.winner).first).to_be_visible()
        if person.winner.is_visible():
            break
        (hold if hold.is_visible() else roll).click()
    expect(person.page.get_by_text("held, points").first).to_be_attached()
    expect(person.button("web.rematch").first).to_be_visible()
