"""Search on top of Chain's values: against the readable rules and by its own laws."""

from __future__ import annotations

import random

import numpy as np
import pytest

from escadaria import bots
from escadaria.bots.evaluating import Master
from escadaria.games.chain import values
from escadaria.games.chain.compiled import search as chain_search
from escadaria.games.chain.compiled.rules import Words, pool_of
from escadaria.games.chain.compiled.search import FAILS, Search, Searched, new_search
from escadaria.games.chain.rules import Chain, Phase, State

GAME = Chain(3)
HANDS, DISCS = (3, 2, 4), ((5, 20), (0, 11), (3, 14))

pytestmark = pytest.mark.usefixtures("no_solution")


@pytest.fixture(scope="module")
def search() -> Search:
    return new_search(GAME)


def position() -> tuple[Words, Words, Words]:
    hands, discs = np.array(HANDS), np.array(DISCS)
    stacks = np.zeros(GAME.track.length + 1, np.int64)
    for seat, spaces in enumerate(DISCS):
        for space in spaces:
            if space:
                stacks[space] = seat + 1
    return hands, discs, stacks


def readable(hands: Words) -> State:
    piles = tuple(sorted((space, (seat,)) for seat, spaces in enumerate(DISCS) for space in spaces if space))
    return State(0, Phase.KEEP, tuple(map(int, hands)), pool_of(hands), DISCS, piles)


def two_turns(search: Search) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The mean of one turn's expectation after all ends of the turn before it."""
    level, mean, after, total = search.levels[0], np.zeros(3), np.zeros(3), 0.0
    chain_search.plan(search, level, 0, *position())
    for end in range(1, FAILS + len(level.paths.fails)):
        chance = 0.0 if end == FAILS else chain_search.chance_of(level.paths, end)
        if chance:
            hands, discs, stacks = position()
            disc = chain_search.better_disc(level.workspace, end) if end < FAILS else 0
            chain_search.play_end(search, disc, end, 0, hands, discs, stacks)
            chain_search.look(search, search.levels[1], 1, hands, discs, stacks, after)
            mean += chance * np.roll(after, 1)
            total += chance
    assert total == pytest.approx(1.0)
    return mean


def test_one_turn_is_the_readable_expectation(search: Search) -> None:
    """The best number of dice to keep is worth that much to the readable evaluator."""
    hands, discs, stacks = position()
    out = np.zeros(3)
    chain_search.look(search, search.levels[1], 0, hands, discs, stacks, out)
    worths = values.evaluator(GAME).action_values(readable(hands))
    assert out[0] == pytest.approx(max(worths.values()), abs=1e-5)
    assert out.sum() == pytest.approx(1.0, abs=1e-5)


def test_rollouts_of_two_turns_have_the_mean_of_two_turns(search: Search) -> None:
    """Within four standard errors of 20 estimates by 50 rollouts each."""
    fifty, estimates = new_search(GAME, rollouts=50, turns=2), np.zeros((20, 3))
    chain_search.set_seed(1)
    for out in estimates:
        chain_search.roll_out(fifty, 0, *position(), out)
    error = estimates.std(axis=0) / len(estimates) ** 0.5
    assert (error > 0).all() and (abs(estimates.mean(axis=0) - two_turns(search)) < 4 * error).all()


@pytest.mark.parametrize("rolled", [0, 3])
def test_a_search_leaves_the_position_as_it_was(search: Search, rolled: int) -> None:
    before, now = position(), position()
    chain_search.plan_deeper(search, rolled, 0, *now)
    for one, other in zip(before, now, strict=True):
        np.testing.assert_array_equal(one, other)


# The grandmaster.


@pytest.mark.parametrize("players", [2, 6])
def test_a_grandmaster_plays_to_the_end(players: int) -> None:
    check_game(Chain(players, "18"))


def check_game(game: Chain) -> None:
    """At every decision its values are probabilities, those of all legal actions."""
    rng = random.Random(game.players)
    searched = Searched(game, rollouts=2, turns=3)
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
    centre, hands = GAME.track.length, np.array(HANDS)
    discs = ((centre - 1, centre), (0, 11), (3, 14))
    piles = ((3, (2,)), (11, (1,)), (14, (2,)), (centre - 1, (0,)))
    state = State(0, Phase.KEEP, HANDS, pool_of(hands), discs, piles)
    assert Master(Searched(GAME), "")(GAME, state) == bots.load("master", GAME)(GAME, state)


def test_a_grandmaster_searches() -> None:
    bot = bots.load("grandmaster", GAME)
    assert isinstance(bot, Master) and bot.source == "search"
