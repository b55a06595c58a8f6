"""Input validation: invalid action numbers, positions of another game, unknown options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest

import escadaria
import escadaria.adapters.openspiel  # registers the games
from escadaria import BadOptions, IllegalAction
from escadaria.adapters import observation, pettingzoo
from escadaria.compute.batch import Batch
from escadaria.games.chain import rules as chain
from escadaria.games.rapido import rules as rapido

every_game = pytest.mark.parametrize("name", ["rapido", "chain"])
NO_ACTIONS = [-1, 10_000, 1.0, True, "1"]


@pytest.mark.parametrize(
    "game, text, action",
    [
        ("rapido", "turn=0 phase=decide value=62 steps=0,0,0 tower=-", rapido.Place(5.0)),  # type: ignore[arg-type]
        ("rapido", "turn=0 phase=decide value=62 steps=0,0,0 tower=-", rapido.Place(True)),
        ("rapido", "turn=0 phase=first value=0 steps=0,0,0 tower=-", rapido.Roll(2.0, 6)),  # type: ignore[arg-type]
        ("rapido", "turn=0 phase=first value=0 steps=0,0,0 tower=-", rapido.Roll(2, 6.0)),  # type: ignore[arg-type]
        ("chain", "keep", chain.Keep(1.0)),  # type: ignore[arg-type]
        ("chain", "keep", chain.Keep(True)),
        ("chain", "roll", chain.Roll(4.0)),  # type: ignore[arg-type]
        ("chain", "build", chain.Link(3.0)),  # type: ignore[arg-type]
        ("chain", "decide", chain.Move(0.0)),  # type: ignore[arg-type]
    ],
)
def test_only_whole_numbers_are_actions(game: str, text: str, action: Any) -> None:
    rules = escadaria.load(game)
    state = rules.parse_state(text) if "=" in text else chain_at(text)
    for ask in (rules.apply, rules.facts):
        with pytest.raises(IllegalAction, match="is not possible"):
            ask(state, action)
    whole = type(action)(*(int(getattr(action, field)) for field in type(action).__match_args__))
    assert rules.apply(state, whole)


def chain_at(phase: str) -> Any:
    rules = escadaria.load("chain")
    state = rules.initial_state()
    for text in ("keep 2", "3", "3", "link 3"):
        if state.phase.value == phase:
            break
        state = rules.apply(state, rules.parse(text))
    assert state.phase.value == phase
    return state


@every_game
def test_a_position_for_another_number_of_players_is_refused(name: str) -> None:
    two, three = escadaria.load(name, players=2), escadaria.load(name, players=3)
    for game, other in ((two, three), (three, two)):
        state = other.initial_state()
        action = (other.legal_actions(state) or [roll for roll, _ in other.chance_outcomes(state)])[0]
        match = f"a position for {other.players} players in a game for {game.players}"
        with pytest.raises(BadOptions, match=match):
            game.apply(state, action)
        with pytest.raises(BadOptions, match=match):
            game.facts(state, action)
        with pytest.raises(BadOptions, match=match):
            game.legal_actions(state)
        with pytest.raises(BadOptions, match=match):
            observation.observe(game, state, 0)


@every_game
@pytest.mark.parametrize("seat", [-1, 3])
def test_the_observation_of_an_unknown_seat_is_refused(name: str, seat: int) -> None:
    game = escadaria.load(name, players=3)
    with pytest.raises(BadOptions, match="seats are 0 to 2"):
        observation.observe(game, game.initial_state(), seat)


@every_game
@pytest.mark.parametrize("illegal", ["end", "raise", "random"])
@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_pettingzoo_refuses_invalid_actions(name: str, illegal: str, action: Any) -> None:
    env = pettingzoo.env(name, players=2, illegal=illegal)
    env.reset(seed=1)
    before = env.unwrapped.position
    with pytest.raises(IllegalAction):
        env.step(action)
    assert env.unwrapped.position == before
    env.step(np.int64(np.flatnonzero(env.last()[4]["action_mask"])[0]))
    assert env.unwrapped.position != before


def test_pettingzoo_refuses_unknown_options_of_a_reset() -> None:
    env = pettingzoo.env("rapido")
    with pytest.raises(BadOptions, match="reset has the option state, not finish"):
        env.reset(seed=1, options={"finish": 8})
    env.reset(seed=1, options={})


@every_game
def test_openspiel_refuses_invalid_actions(name: str) -> None:
    state = pyspiel.load_game(f"escadaria_{name}(players=2)").new_initial_state()
    with pytest.raises(pyspiel.SpielError):
        state.clone().apply_action(-1)  # OpenSpiel's own check
    outcomes = 36 if name == "rapido" else 6
    if not state.is_chance_node():
        state.apply_action(0)  # keep 1
    for number in (-2, outcomes):
        with pytest.raises(Exception, match=f"outcomes of the dice are 0 to {outcomes - 1}"):
            state.clone().apply_action(number)
    while state.is_chance_node():
        state.apply_action(1)
    for number in (-2, 10_000):
        with pytest.raises(Exception, match=f"actions of {name} are 0 to"):
            state.clone().apply_action(number)
    with pytest.raises(TypeError):
        state.apply_action(0.0)


@every_game
def test_the_arrays_of_a_batch_itself_cannot_be_written_to(name: str) -> None:
    batch = Batch(escadaria.load(name, players=2), games=3, seed=1, copy=False)
    step = batch.step(batch.sample())
    for array in (batch.mask, batch.observation, batch.seat, batch.numbers, *step[:6]):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1
    again = batch.reset(1)
    assert again.mask.any() and not again.mask.flags.writeable


@every_game
@pytest.mark.parametrize("actions", [[0.0, 0.0], [True, True], ["0", "0"], [0.5, 0.5], [None, 0]], ids=repr)
def test_a_batch_takes_whole_numbers_only(name: str, actions: Any) -> None:
    batch = Batch(escadaria.load(name, players=2), games=2, seed=1)
    with pytest.raises(BadOptions, match="actions are whole numbers, not "):
        batch.step(actions)
    for number in (-1, 10_000):
        with pytest.raises(IllegalAction, match=f"game 0, seat 0: action {number} is not legal"):
            batch.step([number, 0])
    batch.step(batch.sample().astype(np.uint8))
