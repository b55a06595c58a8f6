"""The boards of Chain (C3): the shipped ones, invalid boards, and their text form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import product
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
    assert next(iter(BOARDS)) == "default"


def test_c3_the_default_board_is_used_by_default() -> None:
    assert Chain().track == SHIPPED["default"]
    assert Chain(board="long").track == SHIPPED["long"]


@pytest.mark.parametrize("length", [18, 60])
def test_c3_the_shortest_and_the_longest_track(length: int) -> None:
    board = Board(length, ((1, length - 1), (length - 2, 2)))
    assert (board.length, board.arrows) == (length, ((1, length - 1), (length - 2, 2)))


def test_c3_two_arrows_may_lead_to_the_same_space() -> None:
    assert Board(20, ((3, 9), (12, 9))).arrows == ((3, 9), (12, 9))


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


def test_c3_an_arrow_leads_from_one_space_of_the_track_to_another_and_touches_neither_end() -> None:
    length = 18
    for start, end in product(range(-2, length + 3), repeat=2):
        allowed = 1 <= start <= 17 and 1 <= end <= 17 and start != end
        try:
            board = Board(length, ((start, end),))
        except BadOptions:
            assert not allowed, (start, end)
        else:
            assert allowed, board


def test_c3_a_mapping_of_arrows_is_taken_and_sorted() -> None:
    board = Board(34, {10: 5, 7: 11})  # type: ignore[arg-type]
    assert board == Board(34, ((7, 11), (10, 5))) == Board(34, ((10, 5), (7, 11)))
    assert hash(board) == hash(Board(34, ((10, 5), (7, 11))))
    assert board.arrows == ((7, 11), (10, 5))


def test_c3_boards_differ_by_length_and_by_arrows() -> None:
    boards = {Board(34), Board(35), Board(34, ((7, 11),)), Board(34, ((7, 12),)), Board(34, ((8, 11),))}
    assert len(boards) == 5


def test_a_board_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Board(34).length = 35  # type: ignore[misc]


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


def test_arrows_may_be_written_in_any_order() -> None:
    assert str(Board.parse("  34 10>5\t7>11 ")) == "34 7>11 10>5"


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


def test_a_huge_text_is_refused_in_a_short_message() -> None:
    with pytest.raises(GameError) as refusal:
        Board.parse("9" * 1_000_000)
    assert refusal.value.ruling == "C3"
    with pytest.raises(InvalidText) as refusal_of_text:
        Board.parse("spiral" * 200_000)
    assert len(str(refusal_of_text.value)) < 200


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
