"""Search on top of Chain's values: against the readable rules and by its own laws."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from compute.kernels import words
from escadaria import bots
from escadaria.bots.evaluating import Master
from escadaria.games.chain import values
from escadaria.games.chain.compiled import search as chain_search
from escadaria.games.chain.compiled.search import FAILS, Search, SearchValues, new_search
from escadaria.games.chain.rules import Chain

GAME = Chain(3)
STATE = GAME.parse_state(
    "turn=0 phase=keep hands=3,2,4 pool=15 discs=5+20,0+11,3+15 stacks=3:2,5:0,11:1,15:2,20:0 "
    "chain=-/0/open loose=-"
)

pytestmark = pytest.mark.usefixtures("no_solution")


@pytest.fixture(scope="module")
def search() -> Search:
    return new_search(GAME)


def two_turns(search: Search) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The mean of one turn's expectation after all ends of the turn before it."""
    level, mean, after, total = search.levels[0], np.zeros(3), np.zeros(3), 0.0
    chain_search.plan(search, level, 0, *words(GAME, STATE))
    for end in range(1, FAILS + len(level.paths.fails)):
        chance = 0.0 if end == FAILS else chain_search.chance_of(level.paths, end)
        if chance:
            hands, discs, stacks = words(GAME, STATE)
            disc = chain_search.better_disc(level.workspace, end) if end < FAILS else 0
            chain_search.play_end(search, disc, end, 0, hands, discs, stacks)
            chain_search.look_ahead(search, search.levels[1], 1, hands, discs, stacks, after)
            mean += chance * np.roll(after, 1)
            total += chance
    assert total == pytest.approx(1.0)
    return mean


def test_one_turn_is_the_readable_expectation(search: Search) -> None:
    """The best number of dice to keep is worth that much to the readable evaluator."""
    out = np.zeros(3)
    chain_search.look_ahead(search, search.levels[1], 0, *words(GAME, STATE), out)
    worths = values.shipped(GAME).action_values(STATE)
    assert out[0] == pytest.approx(max(worths.values()), abs=1e-5)
    assert out.sum() == pytest.approx(1.0, abs=1e-5)


def test_rollouts_of_two_turns_have_the_mean_of_two_turns(search: Search) -> None:
    """Within four standard errors of 20 estimates by 50 rollouts each."""
    fifty, estimates = new_search(GAME, rollouts=50, turns=2), np.zeros((20, 3))
    chain_search.set_seed(1)
    for out in estimates:
        chain_search.roll_out(fifty, 0, *words(GAME, STATE), out)
    error = estimates.std(axis=0) / len(estimates) ** 0.5
    assert (error > 0).all() and (abs(estimates.mean(axis=0) - two_turns(search)) < 4 * error).all()


@pytest.mark.parametrize("rolled", [0, 3])
def test_a_search_leaves_the_position_as_it_was(search: Search, rolled: int) -> None:
    before, now = words(GAME, STATE), words(GAME, STATE)
    chain_search.plan_by_search(search, rolled, 0, *now)
    for one, other in zip(before, now, strict=True):
        np.testing.assert_array_equal(one, other)


# The grandmaster.


@pytest.mark.parametrize("players", [2, 6])
def test_a_grandmaster_plays_to_the_end(players: int) -> None:
    check_game(Chain(players, "18"))


def check_game(game: Chain) -> None:
    """At every decision its values are probabilities, those of all legal actions."""
    rng = random.Random(game.players)
    searched = SearchValues(game, rollouts=2, turns=3)
    state = game.initial_state()
    while game.outcome(state) is None:
        if outcomes := game.chance_outcomes(state):
            action, _ = rng.choice(outcomes)
        else:
            worths = searched.action_values(state)
            assert list(worths) == list(game.legal_actions(state))
            assert min(worths.values()) > -0.2 and max(worths.values()) < 1.2  # estimates may leave 0 to 1
            action = max(worths, key=lambda action: worths[action])
        state = game.apply(state, action)


def test_a_grandmaster_takes_the_win_that_a_master_takes() -> None:
    """With one disc at the centre and the other one space before it, keeping one die is best (C6, C7)."""
    discs = (GAME.track.length - 1, GAME.track.length), *STATE.discs[1:]
    piles = (3, (2,)), (11, (1,)), (15, (2,)), (GAME.track.length - 1, (0,))
    state = replace(STATE, discs=discs, piles=piles)
    assert Master(SearchValues(GAME), "")(GAME, state) == bots.load("master", GAME)(GAME, state)


def test_a_grandmaster_searches() -> None:
    bot = bots.load("grandmaster", GAME)
    assert isinstance(bot, Master) and bot.source == "search"
