"""Batches: the games of ``simulate``, and the observations of the adapters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from escadaria import BadOptions, IllegalAction, load
from escadaria.adapters import observation
from escadaria.game import CHANCE, Outcome
from escadaria.lab.batch import Batch
from escadaria.rapido import Rapido
from escadaria.simulation import simulate

SEED = 11

tables = pytest.mark.parametrize("players, finish", [(2, 20), (3, 5), (4, 9), (5, 20), (6, 20)])


@tables
def test_a_batch_plays_the_games_of_simulate(players: int, finish: int) -> None:
    """Place i plays the numbers i, i + games, …: by random play of the same whims they end alike."""
    game, games = Rapido(players, finish), 50
    expected = simulate(game, "random", 40 * games, SEED, workers=1)
    batch, ended = Batch(game, games, SEED), 0
    for _ in range(600):
        numbers = batch.numbers.copy()
        step = batch.step(batch.sample())
        for place in np.flatnonzero(step.done & (numbers < expected.games)):
            assert step.reward[place].argmax() == expected.winner[numbers[place]]
            ended += 1
        assert ((batch.numbers - np.arange(games)) % games == 0).all()
        assert (batch.numbers[~step.done] == numbers[~step.done]).all()
    assert ended > 2 * games


@tables
def test_everything_told_is_what_the_readable_engine_says(players: int, finish: int) -> None:
    game, games = Rapido(players, finish), 8
    batch = Batch(game, games, SEED)
    rng = np.random.default_rng(SEED)
    for _ in range(40):
        before = [batch.position(place) for place in range(games)]
        for place, state in enumerate(before):
            assert game.current_player(state) == batch.seat[place]
            np.testing.assert_array_equal(batch.mask[place], observation.mask(game, state))
            seen = observation.observe(game, state, state.turn)
            np.testing.assert_array_equal(batch.observation[place], seen)
        actions = (rng.random(batch.mask.shape) * batch.mask).argmax(axis=1)
        step = batch.step(actions)
        for place, state in enumerate(before):
            after = game.apply(state, game.actions[actions[place]])
            if step.done[place]:
                winner = int(step.reward[place].argmax())
                wanted = observation.rewards(Outcome(winner, ""), players)
                np.testing.assert_array_equal(step.reward[place], np.array(wanted, np.float32))
            else:
                assert not step.reward[place].any()
                assert reachable(game, after, batch.position(place))


def reachable(game: Rapido, state: Any, wanted: Any) -> bool:
    """Whether the dice may lead from one position to another in which somebody decides."""
    waiting, met = [state], {state}
    while waiting:
        at = waiting.pop()
        after = {game.apply(at, roll) for roll, _ in game.chance_outcomes(at)} - met
        met |= after
        waiting += [state for state in after if game.current_player(state) == CHANCE]
    return wanted in met


def test_the_same_seed_gives_the_same_games_and_another_one_others() -> None:
    def run(batch: Batch) -> list[bytes]:
        return [batch.step(batch.sample()).observation.tobytes() for _ in range(30)]

    batch = Batch(load("rapido"), 8, SEED)
    first = run(batch)
    batch.reset(SEED)
    assert run(batch) == first
    assert run(Batch(load("rapido"), 8, SEED)) == first
    assert run(Batch(load("rapido"), 8, SEED + 1)) != first


def test_a_reset_forgets_what_was_told() -> None:
    batch = Batch(Rapido(2, 5), 200, SEED)
    while not (step := batch.step(batch.sample())).done.any():
        pass
    assert step.reward.any()
    batch.reset(SEED)
    assert not step.reward.any() and not step.done.any()


@pytest.mark.parametrize("action", [-1, 7, 99])
def test_an_illegal_action_is_named_and_nothing_happens(action: int) -> None:
    batch = Batch(load("rapido"), 8, SEED)
    before = batch.observation.copy()
    actions = batch.sample()
    actions[5] = action
    with pytest.raises(IllegalAction, match=rf"action {action} is not legal in game 5: turn=0 phase=decide"):
        batch.step(actions)
    np.testing.assert_array_equal(batch.observation, before)


def test_a_taken_field_is_illegal() -> None:
    batch = Batch(load("rapido"), 4, SEED)
    batch.step([6, 6, 6, 6])
    place = int(np.flatnonzero(batch.mask[:, 6] == 0)[0])
    actions = np.zeros(4, np.int64)
    actions[place] = 6
    with pytest.raises(IllegalAction, match="action 6"):
        batch.step(actions)


def test_what_is_no_batch_is_refused() -> None:
    with pytest.raises(BadOptions, match="not yet of chain"):
        Batch(load("chain"), 4)
    with pytest.raises(BadOptions, match="at least one game"):
        Batch(load("rapido"), 0)
    with pytest.raises(BadOptions, match="4 games take as many actions"):
        Batch(load("rapido"), 4).step([0])
