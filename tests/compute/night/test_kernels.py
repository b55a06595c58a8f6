"""The kernels with all options, and by other dice."""

from __future__ import annotations

import random

import numpy as np
import pytest

from compute.kernels import NARROW, check_bots, check_positions, lineups
from escadaria import bots
from escadaria.arena import simulation
from escadaria.catalogue import kit_of
from escadaria.game import AnyGame
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido

GAMES: list[AnyGame] = [
    *(Rapido(players, finish) for players in range(2, 7) for finish in (5, 20, 50)),
    *(
        Chain(players, board, balanced)
        for players in range(2, 7)
        for board, balanced in (("default", False), ("long", True), (NARROW, False))
    ),
]

pytestmark = pytest.mark.usefixtures("no_solution")


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_games_are_the_engine_s(game: AnyGame) -> None:
    """From game to game the bots move on by one seat, so all of them play from every seat."""
    for lineup in lineups(game.players):
        check_bots(game, lineup, games=12)
        for number in range(game.players):
            check_positions(game, lineup, number)
    for shift in range(2):
        check_bots(game, (bots.LEVELS[::-1] * 2)[shift : game.players + shift], games=2)


@pytest.mark.parametrize("bot", ["simple", "random"])
@pytest.mark.parametrize(
    "game", [Rapido(2, 10), Rapido(4, 10), Chain(2, "short"), Chain(4, "short")], ids=str
)
def test_shares_and_lengths_are_those_of_other_dice(game: AnyGame, bot: str) -> None:
    """Python's own generator in the readable engine comes to the same, within five standard errors."""
    kernel = kit_of(game).compiled
    assert kernel
    lineup, rng = [bot] * game.players, random.Random(game.players)
    ours = kernel().play_batch(game, lineup, 0, 20_000, seed=1)
    rows = [simulation.play(game, lineup, rng, rng) for _ in range(100)]
    for name, column in ours.items():
        few = np.array([row[name] for row in rows])
        if name == "winner":
            column, few = (which[:, None] == range(game.players) for which in (column, few))
        error = np.sqrt(column.var(axis=0) * (1 / len(column) + 1 / len(few)))
        assert (abs(column.mean(axis=0) - few.mean(axis=0)) <= 5 * error).all(), name
