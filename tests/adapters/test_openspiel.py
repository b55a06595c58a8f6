"""The OpenSpiel adapter, with OpenSpiel's own tests and our own."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel
import pytest

import escadaria
from escadaria.adapters import observation, openspiel
from escadaria.game import CHANCE, TERMINAL

EVERY = [(game, players) for game in escadaria.GAMES for players in range(2, 7)]


def load(game: str, **params: Any) -> Any:
    return pyspiel.load_game(openspiel.PREFIX + game, params)


def play(state: Any, rng: random.Random, actions: int = 10**6) -> Any:
    """Apply this number of random actions and outcomes, or play until the match is over."""
    while actions and not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        actions -= 1
    return state


@pytest.mark.parametrize("game, players", EVERY)
def test_openspiels_own_tests_pass(game: str, players: int) -> None:
    pyspiel.random_sim_test(load(game, players=players), num_sims=1, serialize=True, verbose=False)


def test_options_are_parameters() -> None:
    game = load("chain", players=2, board="20 7>11 10>5", balanced=True)
    assert game.rules == escadaria.load("chain", players=2, board="20 7>11 10>5", balanced=True)
    assert pyspiel.load_game(str(game)).rules == game.rules
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("game, players", EVERY)
def test_a_match_is_the_games_own(game: str, players: int) -> None:
    """Player, actions, probabilities, texts and winner are those of our game."""
    rules, rng = escadaria.load(game, players=players), random.Random(players)
    state, position = load(game, players=players).new_initial_state(), rules.initial_state()
    while not state.is_terminal():
        assert str(state) == str(position)
        assert state.current_player() == rules.current_player(position)
        number = rng.choice(state.legal_actions())
        if state.is_chance_node():
            outcomes = rules.chance_outcomes(position)
            assert state.chance_outcomes() == [(i, float(p)) for i, (_, p) in enumerate(outcomes)]
            action = outcomes[number][0]
        else:
            assert [rules.actions[i] for i in state.legal_actions()] == list(rules.legal_actions(position))
            action = rules.actions[number]
        assert state.action_to_string(number) == str(action)
        assert state.string_to_action(str(action)) == number
        state.apply_action(number)
        position = rules.apply(position, action)
    outcome = rules.outcome(position)
    assert outcome is not None and state.current_player() == TERMINAL
    assert state.returns()[outcome.winner] == 1
    assert sum(map(Fraction, state.returns())) == pytest.approx(0)


@pytest.mark.parametrize("game", escadaria.GAMES)
def test_what_a_player_sees_is_the_position(game: str) -> None:
    spiel = load(game, players=3)
    state = play(spiel.new_initial_state(), random.Random(3), 40)
    for player in range(3):
        seen = observation.observe(spiel.rules, state.position, player)
        assert np.array_equal(np.array(state.observation_tensor(player), np.float32), seen)
        assert state.observation_string(player) == f"player={player} {state.position}"
        history = ",".join(map(str, state.history()))
        assert state.information_state_string(player) == f"player={player} {history}"
    assert spiel.observation_tensor_size() == len(seen)


@pytest.mark.parametrize("game", escadaria.GAMES)
def test_games_and_states_can_be_copied_and_pickled(game: str) -> None:
    spiel, rng = load(game, players=2), random.Random(4)
    state = play(spiel.new_initial_state(), rng, 30)
    again = pickle.loads(pickle.dumps(state))
    assert (str(again), again.history()) == (str(state), state.history())
    unpickled = pickle.loads(pickle.dumps(spiel))
    assert (str(unpickled), unpickled.rules) == (str(spiel), spiel.rules)
    before = str(state)
    play(state.clone(), rng)
    assert str(state) == before


def test_a_match_ends_at_the_horizon() -> None:
    spiel, rng = load("chain", players=2, horizon=5), random.Random(0)
    state = spiel.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        decisions += state.current_player() != CHANCE
        play(state, rng, 1)
    assert decisions == spiel.max_game_length() == 5
    assert state.returns() == [0, 0]
    assert str(state).endswith(" broken off")
    pyspiel.random_sim_test(spiel, num_sims=3, serialize=True, verbose=False)


def test_python_exits_cleanly_after_registering() -> None:
    """OpenSpiel releases what is registered after Python has shut down; a function would crash then."""
    script = "import escadaria.adapters.openspiel, pyspiel; pyspiel.load_game('escadaria_rapido')"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("name", escadaria.GAMES)
def test_a_match_starts_from_any_position(name: str) -> None:
    """Also in a copy; an information state distinguishes starts."""
    rng, game = random.Random(4), load(name, players=3)
    other = play(game.new_initial_state(), rng, 20)
    for position in (str(other), other.position):
        state = game.new_initial_state(position)
        assert state.position == other.position and state.history() == []
        copies = [state.clone(), pickle.loads(pickle.dumps(state))]
        assert [str(copy) for copy in copies] == [str(other)] * 2
    recall = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))
    starts = {recall.string_from(one, 0) for one in (state, *copies)}
    assert len(starts) == 1 and recall.string_from(game.new_initial_state(), 0) not in starts
    play(state, rng)
    assert sum(state.returns()) == pytest.approx(0)
    with pytest.raises(escadaria.BadOptions, match="over"):
        game.new_initial_state(str(state))


def test_an_illegal_action_is_named_with_the_legal_ones() -> None:
    expected = r"seat 0: action 17 \(keep 18\) is not legal, legal are 0"
    with pytest.raises(escadaria.IllegalAction, match=expected):
        load("chain", players=2).new_initial_state()._node.after(17)
