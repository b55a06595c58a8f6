"""How Chain's levels decide."""

from __future__ import annotations

import random

import pytest

from escadaria import bots
from escadaria.games.chain.rules import Chain, Keep, Move

pytestmark = pytest.mark.usefixtures("no_solution")


THREE = Chain(players=3)
DECIDING = "turn=0 phase=decide hands=3,3,3 pool=15 chain=245/5/up loose=- "


@pytest.mark.parametrize("level", ["regular", "expert", "master"])
def test_nobody_who_knows_better_hands_out_a_win(level: str) -> None:
    """Three links from 20 lead onto the only disc with which seat 1 can move (C6)."""
    state = THREE.parse_state(DECIDING + "discs=20+28,23+34,4+15 stacks=4:2,15:2,20:0,23:1,28:0")
    assert THREE.outcome(THREE.apply(state, Move(20)))
    for seed in range(10):
        assert bots.load(level, THREE, random.Random(seed))(THREE, state) != Move(20)


@pytest.mark.parametrize("players", range(2, 7))
def test_a_master_that_cannot_lose_comes_home_at_once(players: int) -> None:
    """One die leads to the centre (C15), two lead back to the same space, and nobody can catch up."""
    game = Chain(players)
    centre = game.track.length
    others = ",".join(["0+0"] * (players - 1))
    state = game.parse_state(
        f"turn=0 phase=keep hands=2{',1' * (players - 1)} pool={7 * players - 1} "
        f"discs={centre - 1}+{centre},{others} stacks={centre - 1}:0 chain=-/0/open loose=-"
    )
    assert bots.load("master", game, exact=False)(game, state) == Keep(1)


def test_a_regular_lies_on_whom_it_can() -> None:
    state = THREE.parse_state(DECIDING + "discs=20+26,1+23,4+15 stacks=1:1,4:2,15:2,20:0,23:1,26:0")
    assert bots.load("regular", THREE)(THREE, state) == Move(20)
