"""The rules of Pig, ruling by ruling, and the contract of a game over random play."""

from __future__ import annotations

import random

import pytest

from escadaria.game import CHANCE, TERMINAL, BadOptions, IllegalAction, InvalidText, Outcome
from escadaria_pig.rules import Held, Lost, Pig, Rolled, State

TWO = Pig(players=2, goal=20)


def test_p1_a_roll_adds_to_the_turn_and_the_turn_goes_on() -> None:
    rolling = TWO.apply(TWO.initial_state(), "roll")
    assert TWO.current_player(rolling) == CHANCE
    assert sum(chance for _, chance in TWO.chance_outcomes(rolling)) == 1
    assert TWO.apply(rolling, "5") == State(0, False, 5, (0, 0))
    assert TWO.facts(rolling, "5") == (Rolled(0, 5),)


def test_p2_a_1_loses_the_pot() -> None:
    rolling = State(0, True, 12, (7, 3))
    assert TWO.apply(rolling, "1") == State(1, False, 0, (7, 3))
    assert TWO.facts(rolling, "1") == (Rolled(0, 1), Lost(0, 12))


def test_p3_hold_adds_the_pot_and_ends_the_turn() -> None:
    state = State(1, False, 9, (7, 3))
    assert TWO.apply(state, "hold") == State(0, False, 0, (7, 12))
    assert TWO.facts(state, "hold") == (Held(1, 9),)


def test_p3_an_empty_pot_cannot_be_held() -> None:
    assert TWO.legal_actions(TWO.initial_state()) == ("roll",)
    with pytest.raises(IllegalAction):
        TWO.apply(TWO.initial_state(), "hold")


def test_p4_the_goal_wins() -> None:
    state = State(1, False, 17, (19, 3))
    over = TWO.apply(state, "hold")
    assert TWO.current_player(over) == TERMINAL
    assert TWO.outcome(over) == Outcome(1, "P4")
    assert over.scores == (19, 20)


@pytest.mark.parametrize("players", range(2, 7))
def test_every_position_of_random_play_round_trips(players: int) -> None:
    game, rng = Pig(players), random.Random(players)
    state = game.initial_state()
    while game.current_player(state) != TERMINAL:
        assert game.parse_state(str(state)) == state
        outcomes = [face for face, _ in game.chance_outcomes(state)]
        action = rng.choice(outcomes or list(game.legal_actions(state)))
        assert game.parse(str(action)) == action
        state = game.apply(state, action)
    assert game.parse_state(str(state)) == state


def test_nonsense_is_refused() -> None:
    for text in (
        "",
        "turn=0",
        "turn=0 rolling=0 pot=0 scores=1,2,3",
        "turn=9 rolling=0 pot=0 scores=1,2",
    ):
        with pytest.raises(InvalidText):
            TWO.parse_state(text)
    with pytest.raises(InvalidText):
        TWO.parse("7")
    with pytest.raises(BadOptions):
        Pig(players=7)
