"""Shipped values: they load, have a provenance, and evaluate a turn in agreement with the rules."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings

from escadaria import evaluator_network
from escadaria.game import CHANCE
from escadaria.games.rapido import values as features
from escadaria.games.rapido.rules import VALUES, Again, Phase, Place, Rapido, State
from escadaria.games.rapido.values import LEVELS, RapidoValues, keys_of, shipped
from strategies import Walk, play_random, rapidos, walks


def test_values_that_do_not_ship_are_none() -> None:
    assert evaluator_network.load("escadaria.games.rapido", 7) is None


@pytest.mark.parametrize("players", range(2, 7))
def test_a_file_has_its_commands_and_results_and_a_row_for_every_feature(players: int) -> None:
    provenance = evaluator_network.provenance("escadaria.games.rapido", players)
    assert all(f"rapido {players}" in command for command in provenance["commands"])
    assert provenance["positions"] > 0
    assert provenance["figures"]["games"] > 0
    network = shipped(Rapido(players)).network
    assert network.table.dtype == np.int8
    assert len(network.table) == features.number_of_rows(players)
    assert network.out.shape == (players, network.mix.shape[1])


@given(walks(rapidos(), max_length=150))
@settings(max_examples=60)
def test_action_values_are_probabilities_of_all_legal_actions(walk: Walk) -> None:
    game, state = walk.game, walk.state
    assert isinstance(game, Rapido)
    known = shipped(game)
    assert set(known.action_values(state)) == set(game.legal_actions(state))
    assert 0 <= known.value(state) <= 1 + 1e-6
    assert all(0 <= worth <= 1 for worth in known.action_values(state).values())


@pytest.mark.parametrize("players", range(2, 7))
def test_the_value_of_placing_agrees_with_the_engine(players: int) -> None:
    """The value of the position after it, to the seat that has just played."""
    game = Rapido(players)
    known, looked = shipped(game), 0
    for state in positions(game, games=5)[::20]:
        for action, worth in known.action_values(state).items():
            if isinstance(action, Place):
                after = game.apply(state, action)
                assert worth == pytest.approx(worth_to_last(known, after), abs=1e-6)
                looked += 1
    assert looked > 20


@pytest.mark.parametrize("players", range(2, 7))
def test_the_value_of_rolling_again_is_the_expectation_by_the_engine(players: int) -> None:
    """Over all rolls with the best decision after each, near the finish where all levels are searched."""
    game, rng = Rapido(players, finish=LEVELS), random.Random(players)
    known, looked = shipped(game), 0
    for state in positions(game, games=4):
        if state.phase is Phase.DECIDE and rng.random() < 0.2:
            later = game.apply(state, Again())
            total = 0.0
            for roll, chance in game.chance_outcomes(later):
                after = game.apply(later, roll)
                ours = after.turn == state.turn
                total += float(chance) * (known.value(after) if ours else worth_to_last(known, after))
            assert known.action_values(state)[Again()] == pytest.approx(total, abs=1e-6)
            assert known.value(later) == known.action_values(state)[Again()]
            looked += 1
    assert looked > 2


def worth_to_last(known: RapidoValues, after: State) -> float:
    """The value of a turn start for the seat that played before."""
    if after.phase is Phase.OVER:
        return 0.0
    steps = after.steps[after.turn :] + after.steps[: after.turn]
    keys = np.array(keys_of(known.game.players, after))[:, None]
    return float(known.outlooks(np.array(steps)[:, None], keys)[0, -1])


def positions(game: Rapido, games: int) -> list[State]:
    met = (state for seed in range(games) for _, state in play_random(game, seed))
    return [state for state in met if game.current_player(state) != CHANCE]


def test_values_depend_on_the_distance_to_the_finish() -> None:
    """The same distances in a shorter race are worth the same, away from the start square (R12)."""
    long, short = Rapido(3, 20), Rapido(3, 12)
    text = "turn=1 phase=decide value=62 steps={} tower=4:0:50"
    there = shipped(long).action_values(long.parse_state(text.format("15,12,11")))
    here = shipped(short).action_values(short.parse_state(text.format("7,4,3")))
    assert here == pytest.approx(there, abs=1e-6)


@pytest.mark.parametrize(
    "steps, left", [([0, 2, 5], [19, 17, 14]), ([0, 25, 30], [19, 14, 9]), ([45, 25, 30], [4, 19, 19])]
)
def test_in_a_long_race_all_distances_are_shifted_together(steps: list[int], left: list[int]) -> None:
    """The last is MAX_DISTANCE away then, but the first no nearer than MIN_DISTANCE."""
    found = np.zeros((3, 1), np.int64)
    features.left(50, np.array(steps)[:, None], found)
    assert found[:, 0].tolist() == left


@pytest.mark.parametrize("players", range(2, 7))
def test_features_have_distinct_rows(players: int) -> None:
    """No two features share a row, and every row is within the table."""
    seen = [set[int]() for _ in range(features.number_of_features(players))]
    game = Rapido(players)
    for state in positions(game, games=60 // players):
        left = np.zeros(players, np.int64)
        features.left(game.finish, np.array(state.steps), left)
        rows = np.zeros(features.number_of_features(players), np.int64)
        fill = features.rows_for_two if players == 2 else features.rows_for_more
        if state.phase is Phase.DECIDE:
            fill(left, np.array(keys_of(players, state)), rows)
            for found, row in zip(seen, rows.tolist(), strict=True):
                found.add(row)
    assert sum(map(len, seen)) == len(set.union(*seen))
    assert max(set.union(*seen)) < features.number_of_rows(players)


def test_a_pair_on_field_0_is_as_good_as_in_hand_for_three_and_more() -> None:
    """It scores nothing and is in nobody's way (R4, R7); with two players it counts as placed (R18)."""
    three, two = Rapido(3), Rapido(2)
    for game, alike in ((three, True), (two, False)):
        steps = ",".join(["3"] * game.players)
        on_field = game.parse_state(f"turn=0 phase=first value=0 steps={steps} tower=0:1")
        in_hand = game.parse_state(f"turn=0 phase=first value=0 steps={steps} tower=-")
        assert (shipped(game).value(on_field) == shipped(game).value(in_hand)) is alike


def test_ranks_are_those_of_values() -> None:
    assert [features.key(3, 2, rank) for rank in range(len(VALUES))] == [*range(60, 90)]
