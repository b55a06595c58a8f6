"""What search gains, with luck and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from compute.test_chain_search import check_game
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido
from learning.test_tools import check_search
from research import chain_search, rapido_search

pytestmark = pytest.mark.usefixtures("no_solution")


@pytest.mark.parametrize(
    "measure, game, games", [(rapido_search.measure, Rapido(3), 400), (chain_search.measure, Chain(3), 900)]
)
def test_luck_has_no_mean_and_a_seed_gives_the_same_games(
    measure: Callable[..., Any], game: Any, games: int
) -> None:
    """Without search the shares are fair: three masters, all seats; within four standard errors."""
    results = measure(game, 0, games, seed=3)[:, :2]
    error = results.std(axis=0) / len(results) ** 0.5
    assert (abs(results.mean(axis=0) - 1 / 3) < 4 * error).all()
    assert error[1] < error[0] / 2
    np.testing.assert_array_equal(results[:30], measure(game, 0, 30, seed=3)[:, :2])


def test_the_luck_of_a_searcher_has_no_mean_either() -> None:
    """With and without luck its share is the same; within four standard errors."""
    results = chain_search.measure(Chain(3), 1, 400, seed=4)
    luck = results[:, 0] - results[:, 1]
    assert abs(luck.mean()) < 4 * luck.std() / len(luck) ** 0.5
    assert results[:, 1].std() < results[:, 0].std() / 2


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("board", ["default", "short"])
def test_a_grandmaster_plays_to_the_end_on_long_boards(players: int, board: str) -> None:
    check_game(Chain(players, board))


def test_the_tool_prints_the_gain_of_rapido(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_search("rapido", monkeypatch, capsys)
