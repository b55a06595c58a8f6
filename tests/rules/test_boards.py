"""The boards of Chain (C3): the shipped ones, invalid boards, and their text form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import escadaria
from escadaria import BadOptions, Board, GameError, InvalidText
from escadaria.games.chain.boards import BOARDS, board_name
from escadaria.games.chain.rules import Chain

DATA: dict[str, tuple[int, dict[int, int]]] = {
    "default": (34, {7: 11, 10: 5, 14: 19, 17: 12, 21: 26, 24: 18, 27: 30, 32: 25}),
    "short": (26, {5: 9, 8: 3, 13: 17, 16: 11, 19: 22, 24: 18}),
    "long": (39, {7: 12, 13: 16, 17: 14, 24: 19, 29: 25, 36: 32}),
}
SHIPPED = {name: Board(length, tuple(arrows.items())) for name, (length, arrows) in DATA.items()}


def test_c3_the_three_shipped_boards() -> None:
    assert {name: (board.length, dict(board.arrows)) for name, board in BOARDS.items()} == DATA
    assert Chain().track == SHIPPED["default"]


def test_c3_the_shortest_and_the_longest_track() -> None:
    for length in (18, 60):
        for arrows in (((1, length - 1), (length - 2, 2)), ((2, 1), (length - 1, 1))):
            board = Board(length, arrows)
            assert (board.length, board.arrows) == (length, arrows)


WRONG_LENGTH = "its length must be a whole number from 18 to 60"
NO_PAIRS = "arrows must be pairs of spaces, as in ((7, 11), (10, 5)), not "
WRONG_SPACE = "must lead from a whole number to a whole number"


@pytest.mark.parametrize(
    "length, arrows, reason",
    [
        *((length, (), WRONG_LENGTH) for length in (-34, "34", 34.0, True, None)),
        *((34, arrows, NO_PAIRS + repr(arrows))
          for arrows in (None, 7, "7>11", (7, 11), ((7, 11, 13),), ((7, 11), ("9", 3)))),
        *((34, (arrow,), WRONG_SPACE) for arrow in ((7, "11"), (7.5, 11), (7, True))),
        (34, ((-1, 11),), "the arrow -1>11 leaves the track 1 to 33"),
        (34, ((7, -1),), "the arrow 7>-1 leaves the track 1 to 33"),
    ],
)  # fmt: skip
def test_c3_what_is_no_board_is_refused(length: Any, arrows: Any, reason: str) -> None:
    check_refused(lambda: Board(length, arrows), reason)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("17", f"board 17: {WRONG_LENGTH}"),
        ("61", f"board 61: {WRONG_LENGTH}"),
        ("34 34>11", "board 34 34>11: the arrow 34>11 must not touch the centre 34"),
        ("34 7>34", "board 34 7>34: the arrow 7>34 must not touch the centre 34"),
        ("34 0>11", "board 34 0>11: the arrow 0>11 must not touch the start 0"),
        ("34 7>0", "board 34 7>0: the arrow 7>0 must not touch the start 0"),
        ("34 35>11", "the arrow 35>11 leaves the track 1 to 33"),
        ("34 7>35", "the arrow 7>35 leaves the track 1 to 33"),
        ("34 7>7", "the arrow 7>7 must lead to another space"),
        ("34 7>11 7>12", "space 7 holds more than one arrow"),
        ("34 7>11 7>11", "space 7 holds more than one arrow"),
        ("34 7>11 11>13", "the arrow 7>11 must not lead to another arrow"),
        ("34 7>11 11>7", "the arrow 7>11 must not lead to another arrow"),
    ],
)
def test_c3_a_text_that_breaks_the_ruling_is_refused(text: str, reason: str) -> None:
    check_refused(lambda: Board.parse(text), reason)
    check_refused(lambda: Chain(board=text), reason)


def check_refused(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(BadOptions) as refusal:
        make()
    assert (refusal.value.code, refusal.value.ruling) == ("bad_options", "C3")
    assert reason in str(refusal.value) and str(refusal.value).endswith("(C3)")


def test_c3_a_mapping_of_arrows_is_taken_and_sorted() -> None:
    board = Board(34, {10: 5, 7: 11})  # type: ignore[arg-type]
    assert {board, Board(34, ((7, 11), (10, 5))), Board.parse("  34 10>5\t7>11 ")} == {board}
    assert board.arrows == ((7, 11), (10, 5))
    assert board not in {Board(34), Board(35, board.arrows), Board(34, ((7, 11), (10, 6)))}


# The text of a board.


@pytest.mark.parametrize(
    "name, text",
    [
        ("default", "34 7>11 10>5 14>19 17>12 21>26 24>18 27>30 32>25"),
        ("short", "26 5>9 8>3 13>17 16>11 19>22 24>18"),
        ("long", "39 7>12 13>16 17>14 24>19 29>25 36>32"),
    ],
)
def test_a_game_is_the_same_by_name_text_and_board(name: str, text: str) -> None:
    board = Board.parse(text)
    assert (board, str(board), board_name(board)) == (SHIPPED[name], text, name)
    games = [Chain(board=name), Chain(board=text), Chain(board=board)]
    assert len(set(games)) == 1
    assert {game.options["board"] for game in games} == {name}


@pytest.mark.parametrize(
    "text",
    ["", " ", "round", "-34", "34.0", "7>11", "34 7", "34 7>", "34 >11", "34 7>11>13", "34 7-11", "34 -7>11",
     "34 7>x", "34, 7>11", "34 \uff17>11", "34 7>²", "default 7>11"],
)  # fmt: skip
def test_a_text_that_is_no_board_is_refused(text: str) -> None:
    with pytest.raises(InvalidText) as refusal:
        Board.parse(text)
    assert (refusal.value.code, refusal.value.ruling) == ("invalid_text", "C3")
    assert str(refusal.value) == (f"{text!r} is no board: its length, then arrows, as in 34 7>11 10>5 (C3)")


# Games and their boards.


def test_a_custom_board_is_stored_as_its_text() -> None:
    own = Board(40, ((9, 4), (3, 12)))
    game = Chain(board=own)
    assert game.options["board"] == board_name(own) == "40 3>12 9>4"
    assert game.track == own
    assert game == Chain(board="40 9>4 3>12") == escadaria.load("chain", **game.options)
    assert game != Chain(board=Board(40, ((9, 4),)))


def test_c3_a_game_on_a_wrong_board_is_refused() -> None:
    with pytest.raises(BadOptions, match="board must be default, short, long, or .* not 'Default'"):
        escadaria.load("chain", board="Default")
    for text in ("34 x", "34" + " " * 1000 + "5>9"):
        with pytest.raises(InvalidText, match="is no board"):
            escadaria.load("chain", board=text)


def test_a_huge_text_is_refused_in_a_short_message() -> None:
    for text in ("9" * 1_000_000, "spiral" * 200_000):
        for make in (Board.parse, lambda text: Chain(board=text)):
            with pytest.raises(GameError) as refusal:
                make(text)
            assert refusal.value.ruling == "C3" and len(str(refusal.value)) < 200
