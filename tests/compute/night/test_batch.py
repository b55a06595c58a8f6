"""Long matches of compiled environments beside bots."""

from __future__ import annotations

import pytest

from compute.test_batch import check_bots
from escadaria import GAMES

pytestmark = pytest.mark.usefixtures("no_solution")


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("name", GAMES)
def test_bots_play_as_in_single_environments(name: str, players: int) -> None:
    check_bots(name, players, matches=25, decisions=40)
