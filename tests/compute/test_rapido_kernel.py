"""Rapido's compiled rules, piece by piece (R4-R18)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from compute.kernels import row_of, wild_positions
from escadaria.games.rapido import rolls
from escadaria.games.rapido.compiled import rules
from escadaria.games.rapido.facts import ThrewOut
from escadaria.games.rapido.rules import ROLLS, VALUES, Phase, Place, Rapido, State
from research.best_response_of_two import is_out


@pytest.mark.parametrize("players", [2, 6])
def test_every_transition_is_the_engine_s_also_where_no_bot_would_go(players: int) -> None:
    """Values are drawn from few, so that ties are frequent (R14)."""
    game, placed = Rapido(players, 12), 0
    for state in wild_positions(game, random.Random(players), games=15):
        row = row_of(state)
        free = rules.free_fields(int(row[rules.TOWER]))
        assert free == sum(1 << place - 1 for place in state.free_fields() if place)
        if state.phase is not Phase.DECIDE:
            continue
        assert tuple(field for field in range(6) if rules.is_free(free, field)) == state.free_fields()
        for field in state.free_fields():
            rows, thrown = row[None].copy(), np.zeros(players, np.int64)
            rules.place(players, rows, 0, field, thrown)
            rules.pass_turn(players, rows, 0)
            victims = [fact.victim for fact in game.facts(state, Place(field)) if isinstance(fact, ThrewOut)]
            assert thrown.tolist() == [victims.count(seat) for seat in range(players)]
            after = game.apply(state, Place(field))
            assert rules.start_turn(game.finish, players, rows, 0) == (after.phase is Phase.OVER)
            assert np.array_equal(rows[0, rules.TOWER :], row_of(after)[rules.TOWER :])
            placed += 1
    assert placed > 500


@pytest.mark.parametrize("players", [2, 3])
def test_every_roll_is_the_engine_s(players: int) -> None:
    """From every step, as a first and as a later roll (R10-R12, R15)."""
    game = Rapido(players, 6)
    for step in range(game.finish):
        for later, phase in enumerate((Phase.FIRST_ROLL, Phase.LATER_ROLL)):
            before = State(1, phase, 0, (step,) * players, ())
            for number, roll in enumerate(ROLLS):
                rows = row_of(before)[None].copy()
                status = rules.roll(game.finish, rows, 0, later, number)
                after = game.apply(before, roll)
                assert (status == rules.WON) == (after.phase is Phase.OVER)
                assert (status == rules.FAILED) == (after.phase is Phase.FIRST_ROLL)
                assert tuple(rows[0, rules.SEATS : rules.SEATS + players]) == after.steps
                assert status != rules.GOES_ON or VALUES[rows[0, rules.ROLLED]] == after.value


def test_both_ways_to_say_who_is_thrown_out_and_what_is_free_agree() -> None:
    """R4, R13, R14: one pair at a time, as tables over all positions have it, and all of them in one word."""
    for lies in range(6):
        for its_rank in range(0, len(VALUES), 3) if lies else (0,):
            tower, other = rules.put(rules.NO_PAIRS, 0, lies, its_rank)
            for field in range(6):
                assert rules.is_free(rules.free_fields(tower), field) == rules.is_empty(field, lies, -1, 0)
                for rank in range(len(VALUES)):
                    out = rules.thrown_out(tower, 0, field, rank) & other
                    assert bool(out) == is_out(lies, its_rank, field, rank)
    assert not is_out(5, 0, -1, 29)


def test_rolling_again_is_worth_the_same_for_one_position_and_for_many() -> None:
    """R8: readable, compiled, and for neighbouring positions."""
    rng = np.random.default_rng(1)
    lanes = rules.LANES
    worths, sure = rng.random((rules.RANKS, lanes)), 3 * rng.random(lanes)
    many, chances = np.zeros(lanes), rules.LATER_ROLLS / 36
    sums = np.array([sure / 36, np.zeros(lanes), np.zeros(lanes)])
    rules.roll_again_each(sums, worths, chances, many)
    assert sums[rules.SURE] + sums[rules.TOTAL] == pytest.approx(many, abs=1e-14)
    assert sums[rules.SHARE] == pytest.approx(((worths <= many) * chances[:, None]).sum(axis=0))
    for lane in range(lanes):
        one = rules.roll_again(sure[lane], worths[:, lane].copy())
        readable = rolls.roll_again(float(sure[lane]), worths[:, lane].tolist())
        assert one == pytest.approx(readable, abs=1e-14) == many[lane]
        stops = worths[:, lane] > readable
        by_rule = rolls.roll_again(float(sure[lane]), worths[:, lane].tolist(), stops)
        assert by_rule == pytest.approx(readable, abs=1e-14)


def test_no_value_is_taken_for_an_empty_field() -> None:
    assert rules.RANKS == len(VALUES) < rules.EMPTY
