"""Rapido, ruling by ruling (R1-R19). Most cases are in ``rapido.cases``; here is what is no single line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from escadaria.game import BadOptions, IllegalAction
from escadaria.games.rapido.facts import ThrewOut
from escadaria.games.rapido.rules import Place, Rapido, Roll, X
from rules.cases import Case, cases

THREE = Rapido(3)
START = THREE.initial_state()
LATER = THREE.parse_state("turn=0 phase=later value=0 steps=5,9,2 tower=-")
DECIDING = THREE.parse_state("turn=0 phase=decide value=62 steps=5,9,2 tower=1:1:76,2:2:76")

# Copied from R2 again, to detect a mistake in the engine's faces.
FACES_A = (1, 2, 3, 4, 7, 0)
FACES_B = (1, 2, 3, 5, 6, 0)


@pytest.mark.parametrize("case", cases("rapido"))
def test_rapido(case: Callable[[], Case]) -> None:
    case().check()


def test_r1_two_to_six_players_have_a_piece_and_a_pair_each() -> None:
    for players in range(2, 7):
        game = Rapido(players)
        assert game.initial_state().steps == (0,) * players
        assert game.pairs == (2 if players == 2 else 1)  # R16
    for players in (1, 7):
        with pytest.raises(BadOptions, match=f"a whole number from 2 to 6, not {players} .R1"):
            Rapido(players)


def test_r2_both_dice_fall_together_and_all_36_outcomes_are_alike() -> None:
    for state in (START, LATER):
        outcomes = THREE.chance_outcomes(state)
        fallen = Counter(outcome for outcome, _ in outcomes)
        assert fallen == Counter(Roll(a, b) for a in FACES_A for b in FACES_B)
        assert {chance for _, chance in outcomes} == {Fraction(1, 36)}


def test_r3_a_finish_out_of_range_is_refused() -> None:
    for finish in (4, 51):
        with pytest.raises(BadOptions, match=f"a whole number from 5 to 50, not {finish} .R3"):
            Rapido(3, finish=finish)


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
