"""Adapters and batches refuse numbers that are no actions, unknown seats, and to run without their extra."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np
import pyspiel
import pytest

import escadaria
import escadaria.adapters.openspiel  # registers the games
from escadaria import BadOptions, IllegalAction
from escadaria.adapters import observation, pettingzoo
from escadaria.compute.batch import Batch

every_game = pytest.mark.parametrize("name", ["rapido", "chain"])


@every_game
def test_the_observation_of_an_unknown_seat_or_position_is_refused(name: str) -> None:
    game = escadaria.load(name, players=3)
    for seat in (-1, 3):
        with pytest.raises(BadOptions, match="seats are 0 to 2"):
            observation.observe(game, game.initial_state(), seat)
    with pytest.raises(BadOptions, match="a position for 2 players in a game for 3"):
        observation.observe(game, escadaria.load(name, players=2).initial_state(), 0)


@every_game
@pytest.mark.parametrize("illegal", ["end", "raise", "random"])
def test_pettingzoo_refuses_invalid_actions(name: str, illegal: str) -> None:
    env = pettingzoo.env(name, players=2, illegal=illegal)
    env.reset(seed=1)
    before = env.unwrapped.position
    for action in (-1, 10_000, 1.0, True, "1"):
        with pytest.raises(IllegalAction):
            env.step(action)
        assert env.unwrapped.position == before
    env.step(np.int64(np.flatnonzero(env.last()[4]["action_mask"])[0]))
    assert env.unwrapped.position != before


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
def test_a_batch_takes_whole_numbers_only_and_its_own_arrays_cannot_be_written_to(name: str) -> None:
    batch = Batch(escadaria.load(name, players=2), games=2, seed=1, copy=False)
    wrong: list[Any] = [[0.0, 0.0], [True, True], ["0", "0"], [0.5, 0.5], [None, 0]]
    for actions in wrong:
        with pytest.raises(BadOptions, match="actions are whole numbers, not "):
            batch.step(actions)
    step = batch.step(batch.sample().astype(np.uint8))
    for array in (batch.mask, batch.observation, batch.seat, batch.numbers, *step[:6]):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1
    again = batch.reset(1)
    assert again.mask.any() and not again.mask.flags.writeable


@pytest.mark.parametrize(
    "extra, package",
    [("gymnasium", "gymnasium"), ("pettingzoo", "pettingzoo"), ("openspiel", "pyspiel")],
)
def test_a_missing_extra_is_named(extra: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, f"escadaria.adapters.{extra}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"escadaria\[{extra}\]"):
        importlib.import_module(f"escadaria.adapters.{extra}")
