"""Batches: the games of ``simulate``, and the observations of the adapters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from escadaria import BadOptions, IllegalAction, load
from escadaria.adapters import observation
from escadaria.arena.simulation import DICE, Stream, simulate
from escadaria.compute.batch import Batch
from escadaria.dice import equal_shares
from escadaria.game import CHANCE, AnyGame, Outcome
from escadaria.games.chain.boards import Board
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido

SEED = 11

NARROW = Board(18, tuple((space, 17) for space in range(1, 14)))
"""Everybody meets on a few spaces, so that stacks grow high and moves walk back (C15, C17)."""

EVERY = [
    *(Rapido(*options) for options in ((2, 20), (3, 5), (4, 9), (5, 20), (6, 20))),
    *(Chain(2, "short"), Chain(3), Chain(4, NARROW), Chain(5, "long", balanced=True), Chain(6)),
]

every = pytest.mark.parametrize("game", EVERY, ids=str)


@every
def test_a_batch_plays_the_games_of_simulate(game: AnyGame) -> None:
    """Place i plays the numbers i, i + games, …: by random play of the same noise they end alike."""
    games = 50
    expected = simulate(game, "random", 40 * games, SEED, workers=1)
    batch, ended = Batch(game, games, SEED), 0
    while ended < 2 * games:
        numbers = batch.numbers.copy()
        step = batch.step(batch.sample())
        for place in np.flatnonzero(step.done & (numbers < expected.games)):
            assert step.reward[place].argmax() == expected.winner[numbers[place]]
            ended += 1
        assert ((batch.numbers - np.arange(games)) % games == 0).all()
        assert (batch.numbers[~step.done] == numbers[~step.done]).all()


class Readable:
    """One place of a batch by the readable engine, with the same dice."""

    def __init__(self, game: AnyGame, number: int, games: int) -> None:
        self.game, self.number, self.games = game, number - games, games
        self.begin()

    def begin(self) -> None:
        self.number += self.games
        self.dice, self.state = Stream.of(SEED, self.number, DICE), self.game.initial_state()
        self.roll()

    def roll(self) -> None:
        while self.game.current_player(self.state) == CHANCE:
            falls = equal_shares(self.game.chance_outcomes(self.state))
            self.state = self.game.apply(self.state, self.dice.choice(falls)[0])

    def act(self, action: Any) -> Outcome | None:
        """Who won by it, if anybody did; then the next game has begun."""
        self.state = self.game.apply(self.state, action)
        self.roll()
        outcome = self.game.outcome(self.state)
        if outcome:
            self.begin()
        return outcome


@every
def test_every_step_is_the_readable_engine_s(game: AnyGame) -> None:
    games = 6
    batch, rng = Batch(game, games, SEED), np.random.default_rng(SEED)
    tables = [Readable(game, number, games) for number in range(games)]
    for _ in range(150):
        for place, table in enumerate(tables):
            state = table.state
            assert batch.position(place) == state
            assert batch.numbers[place] == table.number
            assert game.current_player(state) == batch.seat[place]
            np.testing.assert_array_equal(batch.mask[place], observation.mask(game, state))
            seen = observation.observe(game, state, state.turn)
            np.testing.assert_array_equal(batch.observation[place], seen)
        actions = (rng.random(batch.mask.shape) * batch.mask).argmax(axis=1)
        step = batch.step(actions)
        for place, table in enumerate(tables):
            outcome = table.act(game.actions[actions[place]])
            assert step.done[place] == (outcome is not None)
            wanted = observation.rewards(outcome, game.players)
            np.testing.assert_array_equal(step.reward[place], np.array(wanted, np.float32))


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
    with pytest.raises(BadOptions, match="at least one game"):
        Batch(load("rapido"), 0)
    with pytest.raises(BadOptions, match="4 games take as many actions"):
        Batch(load("rapido"), 4).step([0])
