"""Orders of links with more dice, and longer random games than in the quick tier."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement, product

import pytest

from escadaria.game import AnyGame
from rules.test_chain import check_can_link, check_orders
from rules.test_game import ALL, lockstep


def test_c10_the_orders_of_six_dice_are_the_legal_orders() -> None:
    for coloured, black in product(range(1, 7), combinations_with_replacement(range(1, 7), 5)):
        check_orders(coloured, black)


@pytest.mark.parametrize("dice", [6, 7])
def test_c10_dice_can_all_be_linked_if_a_search_finds_an_order(dice: int) -> None:
    check_can_link(dice)


@pytest.mark.parametrize("game", ALL)
def test_both_implementations_play_alike_to_the_end(game: AnyGame) -> None:
    for seed in range(3, 100):
        lockstep(game, random.Random(seed), plies=10_000)
