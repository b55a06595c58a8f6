"""Batches: the games of ``simulate``, and the observations of the adapters."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from compute.kernels import CHAINS, EVERY, RAPIDOS
from escadaria import GAMES, BadOptions, IllegalAction, InvalidText, load
from escadaria.adapters import observation
from escadaria.adapters.gymnasium import SeatEnv
from escadaria.adapters.rewards import zero_sum
from escadaria.arena.simulation import DICE, Stream, simulate
from escadaria.bots import LEVELS
from escadaria.compute.batch import Batch
from escadaria.dice import equal_shares
from escadaria.game import CHANCE, AnyGame, Outcome
from escadaria.games.rapido.rules import Rapido
from strategies import play_random

pytestmark = pytest.mark.usefixtures("no_solution")

SEED = 11

every = pytest.mark.parametrize("game", EVERY, ids=str)


@pytest.mark.parametrize("game", [RAPIDOS[1], CHAINS[1]], ids=str)
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

    def __init__(self, game: AnyGame, number: int, games: int, start: Any = None) -> None:
        self.game, self.number, self.games = game, number - games, games
        self.begin(start)

    def begin(self, start: Any = None) -> None:
        self.number += self.games
        self.dice, self.state = Stream.of(SEED, self.number, DICE), start or self.game.initial_state()
        self.roll()
        if self.game.outcome(self.state):
            self.begin(start)

    def check(self, batch: Batch, place: int) -> None:
        """The batch is at the same position of the same game, and shows it."""
        game, state = self.game, self.state
        assert batch.position(place) == state and batch.numbers[place] == self.number
        assert batch.seat[place] == game.current_player(state)
        np.testing.assert_array_equal(batch.mask[place], observation.mask(game, state))
        seen = observation.observe(game, state, state.turn)
        np.testing.assert_array_equal(batch.observation[place], seen)

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
            table.check(batch, place)
        actions = (rng.random(batch.mask.shape) * batch.mask).argmax(axis=1)
        step = batch.step(actions)
        for place, table in enumerate(tables):
            outcome = table.act(game.actions[actions[place]])
            assert step.done[place] == (outcome is not None)
            wanted = zero_sum(outcome, game.players)
            np.testing.assert_array_equal(step.reward[place], np.array(wanted, np.float32))


@every
def test_games_start_from_any_position(game: AnyGame) -> None:
    """Positions of all kinds, chance nodes too, go on as in the readable engine."""
    starts = _positions(game, 60)
    batch = Batch(game, len(starts), SEED)
    batch.reset(SEED, state=[state if number % 2 else str(state) for number, state in enumerate(starts)])
    tables = [Readable(game, number, len(starts), start) for number, start in enumerate(starts)]
    for _ in range(20):
        for place, table in enumerate(tables):
            table.check(batch, place)
        actions = batch.sample()
        batch.step(actions)
        for table, action in zip(tables, actions, strict=True):
            table.act(game.actions[action])


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("name", GAMES)
def test_bots_play_as_in_single_environments(name: str, players: int) -> None:
    check_bots(name, players, matches=8, decisions=4)


def check_bots(name: str, players: int, matches: int, decisions: int) -> None:
    """Matches beside bots of a level, or of two neighbouring levels, are those of single environments.

    The position is compared at each decision.
    """
    rng = np.random.default_rng(SEED)
    pairs = pairwise(LEVELS) if players > 2 else ()
    for others in [*zip(LEVELS), *pairs]:
        batch = Batch(load(name, players=players), matches, list(range(matches)), bots=others)
        single = [SeatEnv(name, players=players, opponents=others) for _ in range(matches)]
        for number, env in enumerate(single):
            env.reset(seed=number)
        for _ in range(decisions):
            for place, env in enumerate(single):
                assert batch.position(place) == env.position, others
            actions = (rng.random(batch.mask.shape) * batch.mask).argmax(axis=1)
            batch.step(actions)
            for env, action in zip(single, actions, strict=True):
                if env.step(action)[2]:
                    env.reset()


def _positions(game: AnyGame, number: int) -> list[Any]:
    """The positions of a random game, each kind of node among them."""
    found = [game.initial_state(), *(state for _, state in play_random(game, SEED, number - 1))]
    found = [state for state in found if game.outcome(state) is None]
    phases: Any = type(found[0].phase)
    assert {state.phase for state in found} | {phases.OVER} == set(phases)
    return found


def test_some_games_are_reset() -> None:
    """The others go on; a place without a seed gets the next number, one with its own seed its first."""
    batch = Batch(load("chain"), 4, SEED)
    batch.step(batch.sample())
    before = batch.observation.copy()
    step = batch.reset(mask=[False, True, True, False])
    assert batch.numbers.tolist() == [0, 5, 6, 3]
    np.testing.assert_array_equal(step.observation[[0, 3]], before[[0, 3]])
    assert batch.position(1) == batch.position(2) == batch.game.initial_state()
    batch.reset([7, None, 7, 8], mask=[True, True, False, True])
    assert batch.numbers.tolist() == [0, 9, 6, 0]
    first = Batch(load("chain"), 1, 7)
    assert batch.sample()[0] == first.sample()[0]


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_a_game_that_ends_is_replaced_when_wanted(mode: str) -> None:
    """Until then its last position is seen, by the winner; all actions count as legal."""
    batch = Batch(Rapido(2, 5), 20, SEED, autoreset=mode)
    while not (step := batch.step(batch.sample())).done.any():
        pass
    ended = np.flatnonzero(step.done)
    assert len(ended) < 20 and step.mask[ended].all() and len(step.final_observation) == 0
    for place in ended.tolist():
        state = batch.position(place)
        assert batch.game.outcome(state) and state.turn == step.seat[place] == step.reward[place].argmax()
        np.testing.assert_array_equal(
            step.observation[place], observation.observe(batch.game, state, state.turn)
        )
    numbers, actions = batch.numbers.copy(), batch.sample()
    actions[ended] = 99  # ignored
    if mode == "Disabled":
        with pytest.raises(BadOptions, match=f"game {ended[0]} has ended and must be reset"):
            batch.step(actions)
        batch.reset(mask=step.done)
        assert batch.step(batch.sample()).observation.any()
        return
    step = batch.step(actions)
    assert not step.done[ended].any() and not step.reward[ended].any()
    assert (batch.numbers[ended] == numbers[ended] + 20).all()


def test_a_game_is_truncated_and_its_last_observation_kept() -> None:
    batch = Batch(load("chain"), 3, SEED, max_steps=2)
    other = Batch(load("chain"), 3, SEED)
    assert not batch.step(batch.sample()).truncated.any()
    other.step(other.sample())
    step = batch.step(batch.sample())
    expected = other.step(other.sample())
    assert step.truncated.all() and not step.done.any()
    np.testing.assert_array_equal(step.final_observation, expected.observation)
    np.testing.assert_array_equal(step.final_mask, expected.mask)
    assert batch.numbers.tolist() == [3, 4, 5]
    assert not batch.step(batch.sample()).truncated.any()


def test_rewards_are_chosen() -> None:
    """By win; and by a potential, whose sum over a game is the reward without the value of its start."""
    game = Rapido(3, 5)

    def potential(state: Any) -> list[float]:
        return [step / 5 for step in state.steps]

    plain, win, shaped = (Batch(game, 10, SEED, reward=reward) for reward in ("zero_sum", "win", potential))
    starts = np.array([potential(shaped.position(place)) for place in range(10)])
    total, ended = np.zeros((10, 3)), np.zeros(10, bool)
    while not ended.all():
        steps = [batch.step(batch.sample()) for batch in (plain, win, shaped)]
        np.testing.assert_array_equal(steps[1].reward, steps[0].reward == 1)
        total[~ended] += steps[2].reward[~ended]
        just = steps[0].done & ~ended
        np.testing.assert_allclose(total[just], (steps[0].reward - starts)[just], atol=1e-5)
        ended |= just


def test_the_arrays_of_a_step_are_fresh_or_shared_as_asked() -> None:
    """Both can be passed on by DLPack without a copy, to PyTorch for example."""
    for copy in (True, False):
        batch = Batch(load("rapido"), 4, SEED, copy=copy)
        first = batch.step(batch.sample())
        before = first.observation.copy()
        second = batch.step(batch.sample())
        assert np.shares_memory(first.observation, second.observation) == (not copy)
        assert np.array_equal(first.observation, before) == copy
        for array in second:
            assert np.shares_memory(np.from_dlpack(array), array) or not array.size


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"autoreset": "never"}, "autoreset must be one of SameStep, NextStep, Disabled"),
        ({"reward": "much"}, "reward must be one of zero_sum, win"),
        ({"illegal": "x"}, "illegal must be one of"),
        ({"seat": 3, "bots": ["simple"]}, "seat must be one of 0, 1, 2, random"),
        ({"max_steps": 0}, "max_steps must be at least 1"),
        ({"bots": ["nobody"]}, "compiled bots of rapido are random, simple, .* not 'nobody'"),
        ({"bots": ["simple"] * 3}, "3 players have 2 others, not 3"),
        ({"seed": [1, 2]}, "4 games take as many seed"),
        ({"games": 0}, "at least one game"),
        ({"game": "rapido"}, r"load\('rapido'\)"),
        ({"reward": lambda state: 0.5}, "a value for each of 3 seats"),
        ({"reward": lambda state: (0.1, 0.2)}, "a value for each of 3 seats"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(BadOptions, match=expected):
        Batch(**{"game": load("rapido"), "games": 4, **options})


def test_a_game_cannot_start_where_nobody_decides() -> None:
    batch = Batch(load("rapido"), 2)
    with pytest.raises(BadOptions, match="2 games take as many actions"):
        batch.step([0])
    with pytest.raises(BadOptions, match="over"):
        batch.reset(state="turn=0 phase=over value=0 steps=20,0,0 tower=-")
    with pytest.raises(InvalidText):
        batch.reset(state=["turn=0", "turn=1"])


def test_a_reset_clears_the_last_step() -> None:
    batch = Batch(Rapido(2, 5), 200, SEED, copy=False)
    while not (step := batch.step(batch.sample())).done.any():
        pass
    assert step.reward.any()
    batch.reset(SEED)
    assert not step.reward.any() and not step.done.any()


@pytest.mark.parametrize("action", [-1, 6, 7, 99])
def test_an_illegal_action_is_named_and_nothing_happens(action: int) -> None:
    """Number 6 is field 5, which is taken."""
    batch = Batch(load("rapido"), 8, SEED)
    batch.step([6] * 8)
    place = int(np.flatnonzero(batch.mask[:, 6] == 0)[0])
    before, actions = batch.observation.copy(), batch.sample()
    actions[place] = action
    named = (
        rf"game {place}, seat {batch.seat[place]}: action {action}( \(place 5\))? is not legal, legal are 0"
    )
    with pytest.raises(IllegalAction, match=named):
        batch.step(actions)
    np.testing.assert_array_equal(batch.observation, before)
