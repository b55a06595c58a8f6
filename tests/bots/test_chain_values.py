"""Chain by shipped values: what every seat wins from anywhere, and what a turn leads to (C6-C17)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from escadaria import evaluator_network
from escadaria.games.chain import values as features
from escadaria.games.chain.rules import Chain, Keep, Phase, Roll, State
from escadaria.games.chain.values import AFTER, BEFORE, DEEP, FREE, HOME, OWN, features_of, shipped
from strategies import Walk, chains, walks

CLOSE = 1e-6
"""A network's numbers have 32 bits, and how they are rounded depends on how many are asked for at once."""


@given(walks(chains(), max_length=120))
@settings(max_examples=100, deadline=None)
def test_rolls_are_worth_the_mean_of_their_outcomes_and_decisions_the_best_action(walk: Walk) -> None:
    """At the start of a turn the network says so itself, so there only the values of actions are compared."""
    game: Any = walk.game
    state, known = walk.state, shipped(game)
    shares = known.seats(state)
    assert sum(shares) == pytest.approx(1.0) and min(shares) >= 0.0
    if chances := game.chance_outcomes(state):
        mean = [0.0] * game.players
        for die, chance in chances:
            for seat, share in enumerate(known.seats(game.apply(state, die))):
                mean[seat] += float(chance) * share
        assert shares == pytest.approx(mean, abs=CLOSE)
    worths = known.action_values(state)
    assert set(worths) == set(game.legal_actions(state))
    for action, worth in worths.items():
        assert worth == pytest.approx(known.seats(game.apply(state, action))[state.turn], abs=CLOSE)
    if worths and state.phase is not Phase.KEEP:
        assert known.value(state) == pytest.approx(max(worths.values()), abs=CLOSE)


@pytest.mark.parametrize("players, winner", [(n, seat) for n in range(2, 7) for seat in range(1, n)])
def test_c6_a_seat_that_is_home_wins_for_certain_if_nobody_can_win_before(players: int, winner: int) -> None:
    """Discs that wait beside the start cannot be covered (C4); others may be."""
    game = Chain(players)
    start, home = game.initial_state(), (game.track.length, game.track.length)
    discs = [home if seat == winner else (0, 0) for seat in range(players)]
    sure = replace(start, discs=tuple(discs))
    assert shipped(game).seats(sure) == tuple(float(seat == winner) for seat in range(players))
    assert max(shipped(game).seats(start)) <= 1 - features.DOUBT / 2
    if winner > 1:
        discs[1] = (5, 20)
        open_ = replace(start, discs=tuple(discs), piles=((5, (1,)), (20, (1,))))
        assert max(shipped(game).seats(open_)) <= 1 - features.DOUBT / 2


def test_what_is_seen_of_the_start_of_a_turn() -> None:
    """From seat 1 on: near and far disc, hand; who lies on whom; the track's kind. Seat 0 moves last."""
    game = Chain(3)
    words = "hands=2,3,4 pool=15 discs=20+30,15+20,15+34 stacks=15:2+1,20:1+0,30:0 chain=-/0/open loose=-"
    one = [14, AFTER, 19, FREE, 3]
    two = [0, HOME, 19, BEFORE, 4]
    zero = [4, FREE, 14, FREE, 2]
    state = game.parse_state(f"turn=1 phase=keep {words}")
    assert features_of(game, state) == [*one, *two, *zero, 1, 2, 0, 2]


@pytest.mark.parametrize(
    "pile, kinds",
    [
        ((1, 1), {1: (FREE, OWN)}),
        ((2, 0, 1), {2: (DEEP, FREE), 0: (FREE, AFTER)}),
        ((0, 2), {0: (FREE, AFTER)}),
    ],
)
def test_how_discs_lie_under_others(pile: tuple[int, ...], kinds: dict[int, tuple[int, int]]) -> None:
    """Seat 0 is to move, so whatever lies on its disc stays until then; its second disc is at the start."""
    game = Chain(3)
    discs = tuple(tuple(sorted([10] * pile.count(seat) + [0] * (2 - pile.count(seat)))) for seat in range(3))
    state = State(0, Phase.KEEP, (2, 2, 2), 18, discs, ((10, pile),))
    found = features_of(game, state)
    for seat, wanted in kinds.items():
        assert {found[5 * seat + 1], found[5 * seat + 3]} == set(wanted)


@pytest.mark.parametrize("players", range(2, 7))
def test_only_with_two_players_the_solved_boards_have_rows_of_their_own(players: int) -> None:
    """A board is not solved because it is as long as one that is: its arrows lie elsewhere."""
    games = [Chain(players, board) for board in ("short", "default", "long", "34 7>11")]
    found = [rows_of(game) for game in games]
    for game, rows in zip(games, found, strict=True):
        assert max(rows) < len(features.network(game).table)
    assert all(one.isdisjoint(other) is (players == 2) for one, other in combinations(found, 2))
    assert all((one == other) is (players > 2) for one, other in combinations(found, 2))


def test_every_network_has_its_training_command_and_figures() -> None:
    for players in range(2, 7):
        provenance = evaluator_network.provenance("escadaria.games.chain", players)
        assert all(f"chain {players}" in command for command in provenance["commands"])
        assert provenance["positions"] > 0 and provenance["figures"]["games"] > 0


def rows_of(game: Chain) -> set[int]:
    """Of a start as if all discs were 20 spaces away from the centre."""
    found = features_of(game, game.initial_state())
    for seat in range(game.players):
        found[5 * seat] = found[5 * seat + 2] = 20
    rows = np.zeros(features.number_of_features(game.players), np.int64)
    features.fill_rows(game.players, np.array(found), rows)
    return set(rows.tolist())


@pytest.mark.parametrize("number", range(1, 7))
def test_c11_four_alike_fail_whatever_else_falls(number: int) -> None:
    """They are seen one by one (C9), so somebody may ask what is left to hope for."""
    game = Chain(2)
    before = game.parse_state(
        "turn=0 phase=keep hands=6,2 pool=8 discs=0+0,0+0 stacks=- chain=-/0/open loose=-"
    )
    known, state = shipped(game), game.apply(before, Keep(6))
    failed = known.seats(replace(before, turn=1, hands=(3, 2), pool=11))  # C14
    for fallen in range(1, 6):
        state = game.apply(state, Roll(number))
        assert state.phase is Phase.ROLL
        if fallen > 3:
            assert known.seats(state) == pytest.approx(failed, abs=CLOSE)
        else:
            assert known.seats(state)[0] > failed[0]
