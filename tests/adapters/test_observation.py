"""Observations of learning agents: every number, from every seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import escadaria
from escadaria.adapters import observation
from escadaria.game import CHANCE, AnyGame
from escadaria.games.rapido import rules as rapido
from strategies import play_random

EVERY = [(game, players) for game in escadaria.GAMES for players in range(2, 7)]


def positions(game: AnyGame, seed: int) -> list[Any]:
    """All positions of a random match."""
    return [game.initial_state(), *(after for _, after in play_random(game, seed))]


@pytest.mark.parametrize("game, players", EVERY)
def test_every_part_is_documented_and_between_0_and_1(game: str, players: int) -> None:
    rules = escadaria.load(game, players=players)
    sizes = observation.sizes(rules)
    assert list(sizes) == list(observation.fields(rules))
    for state in positions(rules, players):
        for seat in range(players):
            parts = observation.parts(rules, state, seat)
            assert {name: len(part) for name, part in parts.items()} == sizes
            assert all(0 <= x <= 1 for part in parts.values() for x in part), (parts, str(state))


@pytest.mark.parametrize("game, players", EVERY)
def test_different_positions_look_different_to_every_seat(game: str, players: int) -> None:
    """An observation contains the whole position."""
    rules = escadaria.load(game, players=players)
    met = {state for seed in range(3) for state in positions(rules, seed)}
    for seat in range(players):
        assert len({observation.observe(rules, state, seat).tobytes() for state in met}) == len(met)


def test_a_rapido_position_number_by_number() -> None:
    game = escadaria.load("rapido", players=3)
    state = game.parse_state("turn=1 phase=decide value=62 steps=5,10,0 tower=0:2,4:0:76")
    parts = observation.parts(game, state, 1)
    assert parts == {
        "seat": [0, 1, 0],
        "turn": [1, 0, 0],
        "phase": [0, 0, 1, 0],
        "value": [62 / 76],
        "steps": [0.5, 0, 0.25],
        "owners": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
        "values": [0, 0, 0, 1, 0],
        "ground": [0, 1, 0],
    }
    assert observation.parts(game, state, 0)["turn"] == [0, 1, 0]


def test_a_chain_position_number_by_number() -> None:
    game = escadaria.load("chain", players=2, board="20")
    state = game.parse_state(
        "turn=0 phase=build hands=4,2 pool=10 discs=5+5,0+5 stacks=5:0+1+0 chain=33/3/open loose=16"
    )
    parts = observation.parts(game, state, 1)
    assert parts == {
        "seat": [0, 1],
        "turn": [0, 1],
        "phase": [0, 0, 1, 0, 0, 0],
        "hands": [2 / 19, 4 / 19],
        "pool": [10 / 16],
        "discs": [0, 0.25, 0.25, 0.25],
        "covered": [0, 1 / 4, 0, 2 / 4],
        "chain": [0, 0, 2 / 3, 0, 0, 0],
        "last": [0, 0, 1, 0, 0, 0],
        "heading": [1, 0, 0],
        "loose": [1 / 17, 0, 0, 0, 0, 1 / 17],
    }


def test_the_mask_has_the_legal_actions() -> None:
    game = rapido.Rapido(players=3)
    state = game.parse_state("turn=1 phase=decide value=62 steps=5,10,0 tower=0:2,4:0:76")
    assert observation.mask(game, state).tolist() == [1, 1, 1, 1, 1, 0, 1]
    rolling = game.initial_state()
    assert game.current_player(rolling) == CHANCE
    assert not np.any(observation.mask(game, rolling))
