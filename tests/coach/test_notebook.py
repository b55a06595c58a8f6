"""What notebooks show: drawings of positions, pages of analyses, tables of results."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from PIL import ImageDraw

import escadaria
from escadaria import strategy
from escadaria.adapters import rendering
from escadaria.arena.league import league
from escadaria.game import AnyGame
from escadaria.games.chain.boards import Board
from escadaria.record import open_record
from escadaria_pig.rules import Pig
from strategies import Walk, walks

RECORDS = Path(__file__).parents[1] / "records"
POSITION = "turn=1 phase=decide value=62 steps=3,5 tower=4:0:51"
SVG = "{http://www.w3.org/2000/svg}"


def texts_of(svg: str) -> list[str]:
    """The texts of a drawing, which must be valid XML."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@settings(max_examples=30)
@given(walks(max_length=120))
def test_every_position_has_a_drawing(walk: Walk) -> None:
    for state in (walk.game.initial_state(), walk.state):
        svg = escadaria.show(walk.game, state)._repr_svg_()
        root = ElementTree.fromstring(svg)
        assert root.get("viewBox") == f"0 0 {rendering.WIDTH} {rendering.HEIGHT}"
        assert not re.search(r"\b(nan|inf)\b", svg)


def test_a_drawing_shows_what_the_position_has() -> None:
    game = escadaria.load("rapido", players=2, finish=7)
    shown = texts_of(escadaria.show(game, POSITION)._repr_svg_())
    assert {"step 3", "step 5", "51", "= 62", "7"} <= set(shown)


def test_a_game_shows_its_board() -> None:
    board = Board(20, ((3, 7),))
    shown = texts_of(escadaria.load("chain", players=2, board=board)._repr_svg_())
    assert {"20 centre", "> 7"} <= set(shown)
    assert "7" in texts_of(escadaria.load("rapido", finish=7)._repr_svg_())


def test_the_drawing_has_the_words_of_the_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    game = escadaria.load("chain", players=3)
    written: list[str] = []
    monkeypatch.setattr(
        ImageDraw.ImageDraw, "text", lambda self, at, words, *how, anchor: written.append(words)
    )
    rendering.pixels(game, game.initial_state())
    assert texts_of(rendering.svg(game, game.initial_state())) == written


def test_a_game_without_a_drawing_shows_its_text() -> None:
    game: AnyGame = Pig()
    shown = texts_of(escadaria.show(game)._repr_svg_())
    assert str(game.initial_state()).split()[0] in shown


def test_a_record_shows_its_last_position() -> None:
    record = open_record(RECORDS / "rapido-3.txt")
    assert record._repr_svg_() == escadaria.show(record.game, record.positions[-1])._repr_svg_()


def test_a_position_may_be_shown_by_its_text_and_is_text_elsewhere() -> None:
    game = escadaria.load("rapido", players=2)
    for text in (POSITION, "turn=0 phase=over value=0 steps=20,5 tower=-"):
        shown = escadaria.show(game, text)
        assert shown == escadaria.show(game, game.parse_state(text))
        assert str(shown.state) == text and "●" in str(shown)


@pytest.mark.parametrize("state", ["my position", 5, escadaria.load("chain").initial_state()], ids=str)
def test_only_positions_of_the_game_are_shown(state: object) -> None:
    with pytest.raises(escadaria.InvalidText, match="a position reads turn=… phase=… value=… steps=…"):
        escadaria.show(escadaria.load("rapido"), state)


@pytest.mark.usefixtures("no_solution")
def test_an_analysis_shows_its_page() -> None:
    record = open_record(RECORDS / "rapido-2-fair.txt")
    html = escadaria.analyse(record)._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*"></iframe>', html)
    assert frame and unescape(frame[1]).startswith("<!doctype html>")
    assert all(name in unescape(unescape(frame[1])) for name in record.names)


def test_results_a_league_and_advice_show_tables_and_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    game, names = escadaria.load("rapido", players=2), ["simple", "random"]
    results = league(game, names, 4)
    for shown in (escadaria.simulate(game, names, 20), results):
        html = shown._repr_html_()
        assert html.startswith("<pre") and all(name in html for name in names)
    assert html.count("<svg") == 1 and "</svg>" in html
    monkeypatch.setattr("escadaria.notebook.find_spec", lambda name: None)
    assert "<svg" not in results._repr_html_()
    html = strategy.advice("rapido", 2)._repr_html_()
    assert html.startswith("<pre") and "place" in html.lower()
