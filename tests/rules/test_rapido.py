"""Rapido, ruling by ruling (R1-R19). Most cases are in ``rapido.cases``; here is what is no single line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from escadaria.game import CHANCE, TERMINAL, BadOptions, IllegalAction, InvalidText
from escadaria.games.rapido.rules import Again, Phase, Place, Rapido, Roll, ThrewOut, X
from rules.cases import Case, cases

THREE = Rapido(3)
START = THREE.initial_state()
LATER, DECIDING, OVER = map(
    THREE.parse_state,
    (
        "turn=0 phase=later value=0 steps=5,9,2 tower=-",
        "turn=0 phase=decide value=62 steps=5,9,2 tower=1:1:76,2:2:76",
        "turn=0 phase=over value=0 steps=20,3,3 tower=-",
    ),
)

# Copied from R2 again, to detect a mistake in the engine's faces.
FACES_A = (1, 2, 3, 4, 7, 0)
FACES_B = (1, 2, 3, 5, 6, 0)


@pytest.mark.parametrize("case", cases("rapido"))
def test_rapido(case: Callable[[], Case]) -> None:
    case().check()


@pytest.mark.parametrize("players, pairs", [(2, 2), (3, 1), (4, 1), (5, 1), (6, 1)])
def test_r1_two_to_six_players_have_a_piece_and_a_pair_each(players: int, pairs: int) -> None:
    game = Rapido(players)
    assert game.initial_state().steps == (0,) * players
    assert game.pairs == pairs  # two of them in a game for two (R16)


@pytest.mark.parametrize("players", [1, 7])
def test_r1_other_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(BadOptions, match=f"players must be a whole number from 2 to 6, not {players} .R1"):
        Rapido(players)


def test_r2_both_dice_fall_together_and_all_36_outcomes_are_alike() -> None:
    for state in (START, LATER):
        outcomes = THREE.chance_outcomes(state)
        fallen = Counter(outcome for outcome, _ in outcomes)
        assert fallen == Counter(Roll(a, b) for a in FACES_A for b in FACES_B)
        assert {chance for _, chance in outcomes} == {Fraction(1, 36)}


@pytest.mark.parametrize("finish", [4, 51])
def test_r3_a_finish_out_of_range_is_refused(finish: int) -> None:
    with pytest.raises(BadOptions, match=f"finish must be a whole number from 5 to 50, not {finish} .R3"):
        Rapido(3, finish=finish)


@pytest.mark.parametrize("players", range(2, 7))
def test_r5_the_first_seat_starts_then_clockwise(players: int) -> None:
    game = Rapido(players)
    state = game.initial_state()
    turns = []
    for _ in range(players + 1):
        turns.append(state.turn)
        state = game.apply(game.apply(state, Roll(7, 6)), Place(0))
    assert turns == [*range(players), 0]


def test_r8_the_first_roll_is_compulsory() -> None:
    assert (THREE.current_player(START), THREE.legal_actions(START)) == (CHANCE, ())
    for action in THREE.actions:
        with pytest.raises(IllegalAction, match="the dice are still to fall .R8"):
            THREE.apply(START, action)


def test_r8_there_is_no_limit_on_rolls() -> None:
    state = deciding = THREE.apply(START, Roll(4, 1))
    for _ in range(100):
        state = THREE.apply(THREE.apply(state, Again()), Roll(4, 1))
    assert state == deciding and hash(state) == hash(deciding)
    assert Again() in THREE.legal_actions(state)


def test_r9_a_first_roll_has_30_values_with_exact_chances() -> None:
    expected: Counter[int] = Counter()
    for a in FACES_A:
        for b in FACES_B:
            expected[int(max(f"{a}{b}", f"{b}{a}"))] += 1
    found = Counter(THREE.apply(START, outcome).value for outcome, _ in THREE.chance_outcomes(START))
    assert found == expected
    assert (len(found), max(found)) == (30, 76)
    # Two faces that both dice have fall in two ways, everything else in one.
    assert {value for value, ways in found.items() if ways == 2} == {10, 20, 30, 21, 31, 32}
    assert set(found.values()) == {1, 2}


def test_r10_only_doubles_climb() -> None:
    climbing = {
        str(roll) for roll, _ in THREE.chance_outcomes(START) if THREE.apply(START, roll).steps != START.steps
    }
    assert climbing == {"11", "22", "33"}


def test_r13_who_stops_rolling_must_place() -> None:
    """There is no third option: every action except rolling again places the pair on the tower."""
    stops = [action for action in THREE.legal_actions(DECIDING) if action != Again()]
    towers = [THREE.apply(DECIDING, stop).tower for stop in stops]
    assert [pair.field for tower in towers for pair in tower if pair.seat == 0] == [0, 3, 4, 5]


def test_r15_after_the_end_nothing_is_possible() -> None:
    assert THREE.current_player(OVER) == TERMINAL
    assert (THREE.legal_actions(OVER), THREE.chance_outcomes(OVER)) == ((), ())
    for action in (*THREE.actions, Roll(1, 1)):
        with pytest.raises(IllegalAction, match="the game is over .R15"):
            THREE.apply(OVER, action)


@pytest.mark.parametrize(
    "state, action, why, ruling",
    [
        *((START, Roll(*faces), "the dice have no such faces", "R2")
          for faces in [(5, 1), (6, 1), (1, 4), (1, 7), (8, X), (-1, 1)]),
        *((state, Place(field), "the tower has fields 0 to 5", "R4")
          for state in (START, DECIDING) for field in (-1, 6)),
        (START, None, "None is no action of Rapido", "R6"),
        (DECIDING, "place 3", "'place 3' is no action of Rapido", "R6"),
    ],
)  # fmt: skip
def test_what_is_no_action_is_refused(state: Any, action: Any, why: str, ruling: str) -> None:
    for ask in (THREE.apply, THREE.facts):
        with pytest.raises(IllegalAction) as refused:
            ask(state, action)
        assert str(refused.value) == f"{action} is not possible at {state}: {why} ({ruling})"
        assert (refused.value.code, refused.value.ruling) == ("illegal_action", ruling)


def test_facts_are_data_with_a_kind_and_a_ruling() -> None:
    threw_out = ThrewOut(0, victim=2, field=4, value=51)
    assert (threw_out.kind, threw_out.ruling) == ("threw_out", "R14")
    assert threw_out.data() == {"seat": 0, "victim": 2, "field": 4, "value": 51}
    assert {fact.__name__: fact.ruling for fact in Rapido.FACTS} == {
        "Scored": "R7", "Rolled": "R9", "Doubled": "R10", "Fell": "R12",
        "RolledAgain": "R8", "Placed": "R13", "ThrewOut": "R14", "Won": "R15",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "Again", " again", "place", "place 6", "place  3", "place -1", "7x", "67", "8X", "X", "7X1",
     "x" * 9999],
)  # fmt: skip
def test_a_text_that_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(InvalidText) as refused:
        THREE.parse(text)
    assert refused.value.code == "invalid_text"
    assert repr(text[:40]) in str(refused.value)
    assert "again, place 0 … place 5, or two faces such as 7X" in str(refused.value)
    assert len(str(refused.value)) < 200


def test_a_position_is_read_in_any_order_and_comes_out_canonical() -> None:
    state = THREE.parse_state("tower=3:1:62,0:2   steps=4,0,11 value=21 phase=decide turn=0")
    assert str(state) == "turn=0 phase=decide value=21 steps=4,0,11 tower=0:2,3:1:62"
    assert state.phase is Phase.DECIDE and {state: "found"}[THREE.parse_state(str(state))] == "found"


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "turn is missing: a position reads turn=… phase=… value=… steps=… tower=…"),
        (str(START).removesuffix(" tower=-"), "tower is missing"),
        (f"{START} turn=0", "'turn=0' does not belong there"),
        (f"{START} nonsense", "'nonsense' does not belong there"),
        (f"{START}{' ' * 1000}", "a position is one short line, this text has"),
    ],
)
def test_a_text_without_the_form_of_a_position_is_refused(text: str, why: str) -> None:
    with pytest.raises(InvalidText, match=why) as refused:
        THREE.parse_state(text)
    assert refused.value.ruling == ""
