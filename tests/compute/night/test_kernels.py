"""The kernels with all options."""

from __future__ import annotations

import pytest

from compute.kernels import NARROW, check_bots, lineups
from escadaria import bots
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
    for shift in range(2):
        check_bots(game, (bots.LEVELS[::-1] * 2)[shift : game.players + shift], games=2)
