"""The kernel is the readable engine, compiled: same dice, same decisions, same positions (C1-C18)."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement, pairwise
from pathlib import Path

import numpy as np
import pytest

from escadaria import bots
from escadaria.arena import simulation
from escadaria.games.chain.boards import Board
from escadaria.games.chain.compiled import play as kernel
from escadaria.games.chain.compiled import rules as chain_rules
from escadaria.games.chain.rules import FACES, Chain, Heading, Links, can_link

NARROW = Board(18, tuple((space, 17) for space in range(1, 14)))
"""Everybody meets on a few spaces, so that stacks grow high and moves walk back."""

GAMES = [
    Chain(players, board, balanced)
    for players in range(2, 7)
    for board, balanced in (("default", False), ("long", True), (NARROW, False))
]


@pytest.fixture(autouse=True)
def no_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the user's cache folder must make no difference here."""
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))


def lineups(players: int) -> list[list[str]]:
    mixed = [("simple", "random")[seat % 2] for seat in range(players)]
    return [["simple"] * players, ["random"] * players, mixed]


def levels(players: int) -> list[str]:
    """Every level has a seat in turn, those who plan first."""
    return [("master", "expert", "regular", "tourist")[seat % 4] for seat in range(players)]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_position_is_the_engine_s(game: Chain) -> None:
    """From game to game the bots move on by one seat, so all of them play from every seat."""
    for lineup in lineups(game.players):
        for number in range(2):
            (_, state), *plies = kernel.watch(game, lineup, number, seed=3)
            assert state == game.initial_state()
            for action, after in plies:
                assert action is not None
                state = game.apply(state, action)
                assert after == state
            assert game.outcome(state) is not None


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_bots_decide_as_the_readable_ones_do(game: Chain) -> None:
    """The dice and noise of a game are those of its streams, so all that is counted agrees."""
    for lineup in lineups(game.players):
        ours = kernel.play_batch(game, lineup, first=5, games=2, seed=2**64 - 2)
        theirs = simulation.play_batch(game, lineup, first=5, games=2, seed=2**64 - 2)
        assert ours.keys() == theirs.keys()
        for name, column in theirs.items():
            assert np.array_equal(ours[name], column), name


@pytest.mark.parametrize("game", [*GAMES[::3], Chain(3, "long"), Chain(4, NARROW)], ids=str)
def test_the_levels_decide_as_the_readable_ones_do(game: Chain) -> None:
    """Decision by decision: those who plan weigh every one of them anew, with the same noise."""
    for lineup in (levels(game.players), [*levels(game.players)[1:], "regular"]):
        (_, state), *plies = kernel.watch(game, lineup, 0, seed=5)
        noise = simulation.Stream.of(5, 0, simulation.NOISE)
        seated = [bots.load(bot, game, noise) for bot in lineup]
        for action, after in plies:
            if game.legal_actions(state):
                assert action == seated[state.turn](game, state), f"{lineup[state.turn]} at {state}"
            state = after
        assert game.outcome(state) is not None


def test_simple_plays_alike_where_the_pool_runs_dry() -> None:
    """With a few dice at the start of a long game every kind of decision comes up (C13)."""
    game = Chain(2, "long")
    ours = kernel.play_batch(game, ["simple", "random"], first=0, games=12, seed=8)
    theirs = simulation.play_batch(game, ["simple", "random"], first=0, games=12, seed=8)
    for name, column in theirs.items():
        assert np.array_equal(ours[name], column), name


@pytest.mark.parametrize("dice", [2, 3, 4, 5])
def test_c10_what_can_be_linked_is_told_at_once(dice: int) -> None:
    """For every chain that can come up and all loose dice beside it, as the engine finds by trying."""
    for first in FACES:
        for loose in combinations_with_replacement(FACES, dice):
            numbers = (first, *loose)
            if max(map(numbers.count, FACES)) > 3:
                assert not can_link(Links((first,), first), loose)
                continue
            word = sum(1 << 8 * (number - 1) for number in loose)
            found = chain_rules.can_link(first - 1, 0, word)
            assert found == can_link(Links((first,), first), loose)
            for code, heading in ((1, Heading.UP), (2, Heading.DOWN)):
                if first not in (1, 6) and loose.count(first) < 3:
                    chain = Links((first,), first, heading)
                    assert chain_rules.can_link(first - 1, code, word) == can_link(chain, loose)


@pytest.mark.parametrize("players, bot", [(2, "simple"), (4, "simple"), (3, "random")])
def test_shares_and_lengths_are_those_of_other_dice(players: int, bot: str) -> None:
    """Python's own generator in the readable engine comes to the same, within five standard errors."""
    game = Chain(players, "short")
    ours = kernel.play_batch(game, [bot] * players, 0, 20_000, seed=1)
    rng = random.Random(players)
    rows = [simulation.play(game, [bot] * players, rng, rng) for _ in range(30)]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    for seat in range(players):
        agree(ours["winner"] == seat, columns["winner"] == seat)
        agree(ours["covered"][:, seat], columns["covered"][:, seat])
        agree(ours["failed"][:, seat], columns["failed"][:, seat])
    agree(ours["turns"], columns["turns"])
    agree(ours["plies"], columns["plies"])


def agree(many: np.ndarray, few: np.ndarray) -> None:
    error = np.sqrt(many.var() * (1 / len(many) + 1 / len(few)))
    assert abs(many.mean() - few.mean()) < 5 * error


def test_simulate_plays_chain_compiled() -> None:
    game = Chain(4)
    compiled = simulation.simulate(game, "simple", simulation.FEW + 5, seed=2, workers=1)
    readable = simulation.play_batch(game, ["simple"] * 4, simulation.FEW, 5, seed=2)
    for name, column in readable.items():
        assert np.array_equal(compiled.counts[name][simulation.FEW :], column), name


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("weaker, stronger", [*pairwise(bots.LEVELS)])
def test_one_seat_of_a_level_wins_more_than_its_share_among_the_level_below(
    players: int, stronger: str, weaker: str
) -> None:
    lineup = [stronger] + [weaker] * (players - 1)
    share = simulation.simulate(Chain(players), lineup, 300, seed=12, workers=1).by_bot[0]
    assert share.name == stronger and share.interval[0] > 1 / players
