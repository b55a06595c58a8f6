"""Kernels are the readable engine, compiled: same dice, decisions and positions (R1-R19, C1-C18)."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

from compute.kernels import CHAINS, EVERY, check_bots, lineups, same_games
from escadaria import bots
from escadaria.arena import batches, simulation
from escadaria.compute import streams
from escadaria.game import AnyGame
from escadaria.games.chain.compiled import rules as chain_rules
from escadaria.games.chain.links import FACES, Heading, Links, can_link
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido

pytestmark = pytest.mark.usefixtures("no_solution")

every = pytest.mark.parametrize("game", EVERY, ids=str)


@every
def test_the_bots_decide_as_the_readable_ones_do(game: AnyGame) -> None:
    for lineup in lineups(game.players):
        check_bots(game, lineup, games=2)


@pytest.mark.parametrize("game", [*(Rapido(players, 5) for players in range(2, 7)), *CHAINS], ids=str)
def test_the_levels_decide_as_the_readable_ones_do(game: AnyGame) -> None:
    check_bots(game, (bots.LEVELS[::-1] * 2)[: game.players], games=1)


def test_simulate_plays_compiled_games() -> None:
    game = Chain(4)
    compiled = simulation.simulate(game, "simple", batches.FEW + 5, seed=2, workers=1).counts
    readable = simulation.play_batch(game, ["simple"] * 4, batches.FEW, 5, seed=2)
    same_games({name: column[batches.FEW :] for name, column in compiled.items()}, readable)


@pytest.mark.parametrize("sides", [1, 2, 7, 36, 2**31 + 1])
def test_streams_are_those_of_readable_python(sides: int) -> None:
    """Of 2**31 + 1 sides nearly half of the draws are passed over."""
    for which in (streams.DICE, streams.NOISE):
        theirs = simulation.Stream.of(9, 10**12, which)
        state = np.uint64(streams.start(np.uint64(9), 10**12, which))
        for _ in range(50):
            state, number = streams.below(state, sides)
            state = np.uint64(state)
            assert number == theirs.below(sides)


@pytest.mark.parametrize("dice", [2, 3, 4, 5])
def test_c10_the_table_says_what_can_be_linked(dice: int) -> None:
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
