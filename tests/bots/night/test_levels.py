"""The levels stand in the order of their strength."""

from __future__ import annotations

from itertools import pairwise

import pytest

from escadaria.arena.simulation import simulate
from escadaria.bots import LEVELS
from escadaria.game import AnyGame
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido

GAMES: list[tuple[AnyGame, int]] = [(Rapido(players, 12), 3000) for players in range(2, 7)]
GAMES += [(Chain(players), 300) for players in range(2, 5)]

pytestmark = pytest.mark.usefixtures("no_solution")


@pytest.mark.parametrize("game, games", GAMES, ids=str)
@pytest.mark.parametrize("below, level", [*pairwise(LEVELS)])
def test_one_seat_wins_more_than_its_share_among_the_level_below(
    game: AnyGame, games: int, level: str, below: str
) -> None:
    results = simulate(game, [level] + [below] * (game.players - 1), games, seed=12)
    assert results.by_bot[0].interval[0] > 1 / game.players
