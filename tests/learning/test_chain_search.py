"""Search on top of Chain's values: against the readable rules and by its own laws."""

from __future__ import annotations

import numpy as np
import pytest

from escadaria.games.chain import values
from escadaria.games.chain.compiled.rules import Words, pool_of
from escadaria.games.chain.rules import Chain, Phase, State
from research import chain_search
from research.chain_search import Search

GAME = Chain(3)
HANDS, DISCS = (3, 2, 4), ((5, 20), (0, 11), (3, 14))


@pytest.fixture(scope="module")
def search() -> Search:
    return chain_search.search(GAME)


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


def test_one_turn_is_the_readable_expectation(search: Search) -> None:
    """The best number of dice to keep is worth that much to the readable evaluator."""
    hands, discs, stacks = position()
    out = np.zeros(3)
    chain_search.look(search, search.levels[1], 0, hands, discs, stacks, out)
    worths = values.evaluator(GAME).action_values(readable(hands))
    assert out[0] == pytest.approx(max(worths.values()), abs=1e-5)
    assert out.sum() == pytest.approx(1.0, abs=1e-5)


def test_two_turns_are_the_mean_of_one_turn_after_all_ends(search: Search) -> None:
    hands, discs, stacks = position()
    out, after, mean = np.zeros(3), np.zeros(3), np.zeros(3)
    chain_search.look_further(search, 0, hands, discs, stacks, 0.0, out)
    level = search.levels[0]
    chain_search.plan(search, level, 0, hands, discs, stacks)
    total = 0.0
    for end in range(1, chain_search.FAILS + len(level.paths.fails)):
        chance = 0.0 if end == chain_search.FAILS else chain_search.chance_of(level.paths, end)
        if chance:
            hands, discs, stacks = position()
            disc = chain_search.better_disc(level.workspace, end) if end < chain_search.FAILS else 0
            chain_search.play_end(search, disc, end, 0, hands, discs, stacks)
            chain_search.look(search, search.levels[1], 1, hands, discs, stacks, after)
            mean += chance * np.roll(after, 1)
            total += chance
    assert total == pytest.approx(1.0)
    np.testing.assert_allclose(out, mean, atol=1e-9)


def test_rollouts_of_two_turns_have_the_mean_of_two_turns() -> None:
    """Within four standard errors of 20 estimates by 50 rollouts each."""
    search = chain_search.search(GAME, rollouts=50)
    exact, estimates = np.zeros(3), np.zeros((20, 3))
    chain_search.look_further(search, 0, *position(), 0.0, exact)
    for out in estimates:
        chain_search.roll_out(search, 2, 0, *position(), out)
    error = estimates.std(axis=0) / len(estimates) ** 0.5
    assert (error > 0).all() and (abs(estimates.mean(axis=0) - exact) < 4 * error).all()


def test_a_search_by_rollouts_leaves_the_position_as_it_was() -> None:
    before, now = position(), position()
    chain_search.plan_deeper(chain_search.search(GAME, rollouts=2), 4, chain_search.CUT, 0, *now)
    for one, other in zip(before, now, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("turns", [1, 2])
def test_a_search_leaves_the_position_as_it_was(search: Search, turns: int) -> None:
    before, now = position(), position()
    chain_search.plan_deeper(search, turns, chain_search.CUT, 0, *now)
    for one, other in zip(before, now, strict=True):
        np.testing.assert_array_equal(one, other)


def test_luck_has_no_mean_and_a_seed_gives_the_same_games() -> None:
    """Without search the shares are fair: three masters, all seats; within four standard errors."""
    results = chain_search.measure(GAME, 0, 900, seed=3)[:, :2]
    error = results.std(axis=0) / len(results) ** 0.5
    assert (abs(results.mean(axis=0) - 1 / 3) < 4 * error).all()
    assert error[1] < error[0] / 2
    again = chain_search.measure(GAME, 0, 30, seed=3)
    np.testing.assert_array_equal(results[:30], again[:, :2])
