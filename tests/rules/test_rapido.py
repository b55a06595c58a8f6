"""Rapido, ruling by ruling: each test is named after the ruling in docs/rulings.md that it checks."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from escadaria.game import CHANCE, TERMINAL, BadOptions, Fact, IllegalAction, InvalidText, Outcome
from escadaria.games.rapido.rules import (
    Action,
    Again,
    Doubled,
    Fell,
    Pair,
    Phase,
    Place,
    Placed,
    Rapido,
    Roll,
    Rolled,
    RolledAgain,
    Scored,
    State,
    ThrewOut,
    Won,
    X,
)

BY_SEATS = {players: Rapido(players) for players in range(2, 7)}
TWO, THREE, FOUR = BY_SEATS[2], BY_SEATS[3], BY_SEATS[4]

# Copied from R2 again, to detect a mistake in the engine's faces.
FACES_A = (1, 2, 3, 4, 7, 0)
FACES_B = (1, 2, 3, 5, 6, 0)


def position(
    *tower: tuple[int, int, int],
    turn: int = 0,
    phase: Phase = Phase.DECIDE,
    value: int = 0,
    steps: tuple[int, ...] = (0, 0, 0),
) -> State:
    """A position with pairs (field, seat, value) on the tower; it must be one that can be read back."""
    state = State(turn, phase, value, steps, tuple(Pair(*pair) for pair in sorted(tower)))
    assert BY_SEATS[len(steps)].parse_state(str(state)) == state
    return state


def play(game: Rapido, *texts: str) -> State:
    """The position after these actions from the start."""
    state = game.initial_state()
    for text in texts:
        state = game.apply(state, game.parse(text))
    return state


def lying(state: State) -> set[tuple[int, int]]:
    """Which seat has a pair on which field."""
    return {(pair.field, pair.seat) for pair in state.tower}


# R1-R5: what there is


@pytest.mark.parametrize("players, pairs", [(2, 2), (3, 1), (4, 1), (5, 1), (6, 1)])
def test_r1_two_to_six_players_have_a_piece_and_a_pair_each(players: int, pairs: int) -> None:
    game = Rapido(players)
    assert game.initial_state().steps == (0,) * players
    assert game.pairs == pairs  # two of them in a game for two (R16)


@pytest.mark.parametrize("players", [1, 7])
def test_r1_other_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(BadOptions, match=f"players must be a whole number from 2 to 6, not {players} .R1"):
        Rapido(players)


def test_r2_both_dice_fall_together_and_all_36_outcomes_are_alike() -> None:
    for state in (THREE.initial_state(), position(phase=Phase.LATER_ROLL)):
        outcomes = THREE.chance_outcomes(state)
        assert Counter(outcome for outcome, _ in outcomes) == Counter(
            Roll(a, b) for a in FACES_A for b in FACES_B
        )
        assert {chance for _, chance in outcomes} == {Fraction(1, 36)}


@pytest.mark.parametrize("roll", [Roll(5, 1), Roll(6, 1), Roll(1, 4), Roll(1, 7), Roll(8, X), Roll(-1, 1)])
def test_r2_a_face_that_the_die_does_not_have_cannot_fall(roll: Roll) -> None:
    with pytest.raises(IllegalAction, match="no such faces .R2"):
        THREE.apply(THREE.initial_state(), roll)


def test_r3_the_staircase_runs_from_0_to_20_by_default() -> None:
    assert THREE.finish == 20
    assert set(THREE.initial_state().steps) == {0}


@pytest.mark.parametrize("finish", [5, 50])
def test_r3_the_finish_is_an_option(finish: int) -> None:
    game = Rapido(3, finish=finish)
    below = State(0, Phase.FIRST_ROLL, 0, (finish - 2, 0, 0), ())
    assert game.outcome(game.apply(below, Roll(1, 1))) is None
    assert game.outcome(game.apply(below, Roll(2, 2))) == Outcome(0, "R15")


@pytest.mark.parametrize("finish", [4, 51])
def test_r3_a_finish_out_of_range_is_refused(finish: int) -> None:
    with pytest.raises(BadOptions, match=f"finish must be a whole number from 5 to 50, not {finish} .R3"):
        Rapido(3, finish=finish)


def test_r3_pieces_may_share_a_step() -> None:
    state = position(phase=Phase.FIRST_ROLL, steps=(3, 5, 5))
    assert THREE.apply(state, Roll(2, 2)).steps == (5, 5, 5)


def test_r4_field_0_holds_any_number_of_pairs() -> None:
    state = position((0, 1, 0), (0, 2, 0), (0, 3, 0), value=62, steps=(0, 0, 0, 0))
    assert Place(0) in FOUR.legal_actions(state)
    after = FOUR.apply(state, Place(0))
    assert after.tower[0] == Pair(0, 0, 0)
    assert lying(after) == {(0, 0), (0, 2), (0, 3)}  # seat 1 took its pair back, its turn has started


def test_r4_fields_1_to_5_hold_one_pair_each() -> None:
    full = position(
        (1, 1, 76), (2, 2, 76), (3, 3, 76), (4, 4, 76), (5, 5, 76), value=10, steps=(0, 0, 0, 0, 0, 0)
    )
    assert BY_SEATS[6].legal_actions(full) == (Again(), Place(0))


@pytest.mark.parametrize("field", [-1, 6])
@pytest.mark.parametrize("phase, value", [(Phase.DECIDE, 62), (Phase.FIRST_ROLL, 0)])
def test_r4_there_are_no_other_fields(field: int, phase: Phase, value: int) -> None:
    with pytest.raises(IllegalAction, match="the tower has fields 0 to 5 .R4"):
        THREE.apply(position(phase=phase, value=value), Place(field))


@pytest.mark.parametrize("players", range(2, 7))
def test_r5_the_first_seat_starts_then_clockwise(players: int) -> None:
    game = Rapido(players)
    state = game.initial_state()
    turns = []
    for _ in range(players + 1):
        turns.append(state.turn)
        state = game.apply(game.apply(state, Roll(7, 6)), Place(0))
    assert turns == [*range(players), 0]


# R6-R8: the turn


def test_r6_a_turn_is_score_then_roll_then_place() -> None:
    before = position((3, 1, 21), turn=0, value=10, steps=(0, 4, 0))
    scored = THREE.apply(before, Place(5))
    assert (scored.turn, scored.phase, scored.steps) == (1, Phase.FIRST_ROLL, (0, 7, 0))
    rolled = THREE.apply(scored, Roll(7, 6))
    assert (rolled.turn, rolled.phase, rolled.value) == (1, Phase.DECIDE, 76)
    placed = THREE.apply(rolled, Place(4))
    assert (placed.turn, placed.phase, lying(placed)) == (2, Phase.FIRST_ROLL, {(4, 1)})


@pytest.mark.parametrize("field", range(6))
def test_r7_the_piece_climbs_as_many_steps_as_the_field_and_the_pair_comes_back(field: int) -> None:
    before = position((field, 1, 76 if field else 0), phase=Phase.LATER_ROLL, steps=(0, 4, 0))
    after = THREE.apply(before, Roll(X, 1))
    assert (after.turn, after.steps, after.tower) == (1, (0, 4 + field, 0), ())


def test_r7_there_is_nothing_to_score_on_a_first_turn() -> None:
    after = play(THREE, "76", "place 5")
    assert (after.turn, after.steps) == (1, (0, 0, 0))


def test_r7_only_the_seat_whose_turn_starts_scores() -> None:
    before = position((3, 1, 76), (4, 2, 76), value=10)
    after = THREE.apply(before, Place(5))
    assert after.steps == (0, 3, 0)
    assert lying(after) == {(4, 2), (5, 0)}


def test_r7_scoring_is_not_optional() -> None:
    """It is not a decision: the next node is a roll, and the steps are already climbed."""
    after = THREE.apply(position((3, 1, 76), value=10), Place(1))
    assert THREE.current_player(after) == CHANCE
    assert after.steps[1] == 3


def test_r8_the_first_roll_is_compulsory() -> None:
    state = THREE.initial_state()
    assert (THREE.current_player(state), THREE.legal_actions(state)) == (CHANCE, ())
    for action in THREE.actions:
        with pytest.raises(IllegalAction, match="the dice are still to fall .R8"):
            THREE.apply(state, action)


def test_r8_after_every_valid_roll_the_player_rolls_again_or_places() -> None:
    anything = (Again(), *(Place(field) for field in range(6)))
    for phase in (Phase.FIRST_ROLL, Phase.LATER_ROLL):
        state = THREE.apply(position(phase=phase), Roll(4, 1))
        assert THREE.current_player(state) == 0
        assert THREE.legal_actions(state) == anything


def test_r8_there_is_no_limit_on_rolls() -> None:
    state = play(THREE, "41")
    for _ in range(100):
        rolling = THREE.apply(state, Again())
        assert (rolling.phase, rolling.value) == (Phase.LATER_ROLL, 0)
        assert THREE.apply(rolling, Roll(4, 1)) == state
        state = THREE.apply(rolling, Roll(4, 1))
    assert Again() in THREE.legal_actions(state)


def test_r8_only_the_last_roll_counts() -> None:
    assert play(THREE, "76", "again", "21").value == 21


# R9-R12: the dice


@pytest.mark.parametrize(
    "roll, value",
    [
        (Roll(2, 6), 62),
        (Roll(7, 6), 76),
        (Roll(4, 5), 54),
        (Roll(7, X), 70),
        (Roll(X, 6), 60),
        (Roll(X, X), 0),
        (Roll(1, 2), 21),
        (Roll(2, 1), 21),
        (Roll(3, 3), 33),
    ],
)
def test_r9_the_higher_digit_is_the_tens_and_x_counts_0(roll: Roll, value: int) -> None:
    assert THREE.apply(THREE.initial_state(), roll).value == value


def test_r9_a_first_roll_has_30_values_with_exact_chances() -> None:
    expected: dict[int, Fraction] = {}
    for a in FACES_A:
        for b in FACES_B:
            value = int(max(f"{a}{b}", f"{b}{a}"))
            expected[value] = expected.get(value, Fraction(0)) + Fraction(1, 36)

    found: dict[int, Fraction] = {}
    state = THREE.initial_state()
    for outcome, chance in THREE.chance_outcomes(state):
        value = THREE.apply(state, outcome).value
        found[value] = found.get(value, Fraction(0)) + chance

    assert found == expected
    assert (len(found), max(found), sum(found.values())) == (30, 76, 1)
    # Two faces that both dice have fall in two ways, everything else in one.
    twice = {value for value, chance in found.items() if chance == Fraction(2, 36)}
    assert twice == {10, 20, 30, 21, 31, 32}
    assert {found[value] for value in found.keys() - twice} == {Fraction(1, 36)}


@pytest.mark.parametrize("phase", [Phase.FIRST_ROLL, Phase.LATER_ROLL])
@pytest.mark.parametrize("digit", [1, 2, 3])
def test_r10_a_double_climbs_at_once_and_is_an_ordinary_roll(phase: Phase, digit: int) -> None:
    after = THREE.apply(position(phase=phase, steps=(5, 9, 2)), Roll(digit, digit))
    assert after == position(phase=Phase.DECIDE, value=11 * digit, steps=(5 + digit, 9, 2))


def test_r10_doubles_of_one_turn_add_up() -> None:
    assert play(THREE, "33", "again", "33", "again", "11").steps == (7, 0, 0)


def test_r10_other_rolls_do_not_climb() -> None:
    state = position(phase=Phase.FIRST_ROLL, steps=(5, 9, 2))
    climbing = {
        str(roll) for roll, _ in THREE.chance_outcomes(state) if THREE.apply(state, roll).steps != (5, 9, 2)
    }
    assert climbing == {"11", "22", "33"}


def test_r10_x_x_is_no_double() -> None:
    after = THREE.apply(position(phase=Phase.FIRST_ROLL, steps=(5, 9, 2)), Roll(X, X))
    assert after.steps == (5, 9, 2)


@pytest.mark.parametrize("roll, value", [(Roll(X, 5), 50), (Roll(7, X), 70), (Roll(X, X), 0)])
def test_r11_an_x_on_the_first_roll_is_valid_and_counts_0(roll: Roll, value: int) -> None:
    after = THREE.apply(position(phase=Phase.FIRST_ROLL, steps=(5, 9, 2)), roll)
    assert after == position(phase=Phase.DECIDE, value=value, steps=(5, 9, 2))


def test_r11_even_a_pair_of_value_0_is_placed_like_any_other() -> None:
    after = play(THREE, "XX", "place 3")
    assert after.tower == (Pair(3, 0, 0),)


@pytest.mark.parametrize("roll, left", [(Roll(X, 5), 4), (Roll(7, X), 4), (Roll(X, X), 3)])
def test_r12_each_x_on_a_later_roll_costs_one_step(roll: Roll, left: int) -> None:
    state = position(phase=Phase.LATER_ROLL, steps=(5, 9, 2))
    after = THREE.apply(state, roll)
    assert (after.turn, after.steps) == (1, (left, 9, 2))


@pytest.mark.parametrize("step, roll", [(0, Roll(X, 5)), (0, Roll(X, X)), (1, Roll(X, X))])
def test_r12_never_below_the_start_square(step: int, roll: Roll) -> None:
    assert THREE.apply(position(phase=Phase.LATER_ROLL, steps=(step, 9, 2)), roll).steps == (0, 9, 2)


def test_r12_the_turn_ends_and_nothing_is_placed() -> None:
    state = position((4, 2, 10), phase=Phase.LATER_ROLL, steps=(5, 9, 2))
    after = THREE.apply(state, Roll(X, 5))
    assert after == position((4, 2, 10), turn=1, phase=Phase.FIRST_ROLL, steps=(4, 9, 2))


def test_r12_steps_climbed_by_doubles_are_not_undone() -> None:
    assert play(THREE, "33", "again", "X5").steps == (2, 0, 0)


# R13, R14: the tower


def test_r13_the_pair_goes_on_any_free_field_or_on_field_0() -> None:
    state = position((0, 3, 0), (2, 1, 10), (5, 2, 76), value=62, steps=(0, 0, 0, 0))
    assert FOUR.legal_actions(state) == (Again(), Place(0), Place(1), Place(3), Place(4))


def test_r13_example_62_may_not_go_on_the_taken_field_3() -> None:
    state = position((3, 1, 51), value=62)
    with pytest.raises(IllegalAction) as refused:
        THREE.apply(state, Place(3))
    assert str(refused.value) == (
        "place 3 is not possible at turn=0 phase=decide value=62 steps=0,0,0 tower=3:1:51: "
        "field 3 is taken, free are 0, 1, 2, 4, 5 (R13)"
    )
    assert (refused.value.code, refused.value.ruling) == ("illegal_action", "R13")


def test_r13_a_pair_may_lie_above_an_opponents_pair_of_higher_value() -> None:
    after = THREE.apply(position((2, 2, 76), value=10), Place(5))
    assert lying(after) == {(2, 2), (5, 0)}


def test_r13_who_stops_rolling_must_place() -> None:
    """There is no third option: every action except rolling again places the pair on the tower."""
    state = position((1, 1, 76), (2, 2, 76), value=10)
    stops = [action for action in THREE.legal_actions(state) if action != Again()]
    towers = [THREE.apply(state, stop).tower for stop in stops]
    assert [pair.field for tower in towers for pair in tower if pair.seat == 0] == [0, 3, 4, 5]


@pytest.mark.parametrize("field, left", [(5, {1, 2, 3}), (2, {1, 3}), (0, {1})])
def test_r14_example_whites_62_on_fields_5_2_and_0(field: int, left: set[int]) -> None:
    """Above field 2 lie red (1, higher than 62) and blue (2, lower), between 0 and 2 black (3, lower).

    White is the last of five seats: the first is next and has no pair there, so nobody scores meanwhile.
    """
    state = position((4, 1, 70), (3, 2, 51), (1, 3, 21), turn=4, value=62, steps=(0, 0, 0, 0, 0))
    after = BY_SEATS[5].apply(state, Place(field))
    assert lying(after) == {pair for pair in lying(state) if pair[1] in left} | {(field, 4)}


@pytest.mark.parametrize(
    "value, stays", [(61, False), (62, False), (63, True), (70, True), (0, False), (76, True)]
)
def test_r14_equal_or_lower_pairs_above_are_thrown_out(value: int, stays: bool) -> None:
    after = THREE.apply(position((4, 2, value), value=62), Place(3))
    assert ((4, 2) in lying(after)) is stays


def test_r14_pairs_below_stay_whatever_their_value() -> None:
    after = THREE.apply(position((2, 2, 10), value=62), Place(3))
    assert (2, 2) in lying(after)


def test_r14_every_such_pair_is_thrown_out() -> None:
    tower = ((2, 1, 10), (3, 2, 20), (4, 3, 76), (5, 4, 30))
    after = BY_SEATS[6].apply(position(*tower, turn=5, value=62, steps=(0,) * 6), Place(1))
    assert lying(after) == {(1, 5), (4, 3)}


def test_r14_who_was_thrown_out_has_nothing_to_score() -> None:
    after = THREE.apply(position((5, 1, 10), value=62, steps=(0, 4, 0)), Place(1))
    assert (after.turn, after.steps) == (1, (0, 4, 0))
    assert lying(after) == {(1, 0)}


def test_r14_pairs_on_field_0_are_never_thrown_out() -> None:
    after = THREE.apply(position((0, 2, 0), value=76), Place(0))
    assert lying(after) == {(0, 0), (0, 2)}


def test_r14_a_pair_on_field_0_throws_out_by_its_rolled_value() -> None:
    after = THREE.apply(position((1, 2, 62), value=62), Place(0))
    assert lying(after) == {(0, 0)}


# R15: the end


@pytest.mark.parametrize("step, field", [(17, 3), (18, 3), (16, 4), (19, 5)])
def test_r15_a_piece_that_reaches_or_passes_the_finish_by_scoring_wins(step: int, field: int) -> None:
    state = position((field, 1, 76), phase=Phase.LATER_ROLL, steps=(19, step, 19))
    over = THREE.apply(state, Roll(X, 1))
    assert (over.steps, over.tower) == ((18, 20, 19), ())
    assert THREE.outcome(over) == Outcome(winner=1, ruling="R15")


@pytest.mark.parametrize("phase", [Phase.FIRST_ROLL, Phase.LATER_ROLL])
@pytest.mark.parametrize("step, digit", [(19, 1), (19, 3), (17, 3)])
def test_r15_a_double_wins_at_once(phase: Phase, step: int, digit: int) -> None:
    over = THREE.apply(position((5, 1, 76), phase=phase, steps=(step, 19, 19)), Roll(digit, digit))
    assert over.steps == (20, 19, 19)
    assert THREE.outcome(over) == Outcome(winner=0, ruling="R15")


def test_r15_one_step_short_is_not_enough() -> None:
    state = position((2, 1, 76), phase=Phase.LATER_ROLL, steps=(19, 17, 19))
    assert THREE.outcome(THREE.apply(state, Roll(X, 1))) is None


def test_r15_after_the_end_nothing_is_possible() -> None:
    over = position(phase=Phase.OVER, steps=(20, 3, 3))
    assert THREE.current_player(over) == TERMINAL
    assert (THREE.legal_actions(over), THREE.chance_outcomes(over)) == ((), ())
    for action in (*THREE.actions, Roll(1, 1)):
        with pytest.raises(IllegalAction, match="the game is over .R15"):
            THREE.apply(over, action)


# R16-R19: two players


def test_r16_two_players_have_two_pairs_but_one_piece_each() -> None:
    state = play(TWO, "76", "place 1", "76", "place 2", "76", "place 3", "76", "place 4")
    assert lying(state) == {(2, 1), (4, 1)}
    assert state.steps == (4, 0)  # seat 0 has just taken up its pairs from fields 1 and 3


def test_r16_one_pair_is_rolled_and_placed_on_a_turn() -> None:
    state = position((3, 0, 76), turn=0, phase=Phase.FIRST_ROLL, steps=(0, 0))
    after = TWO.apply(TWO.apply(state, Roll(7, 6)), Place(4))
    assert after == position((3, 0, 76), (4, 0, 76), turn=1, phase=Phase.FIRST_ROLL, steps=(0, 0))


def test_r16_a_failed_turn_leaves_the_other_pair_where_it_lies() -> None:
    state = position((3, 0, 76), turn=0, phase=Phase.LATER_ROLL, steps=(4, 0))
    after = TWO.apply(state, Roll(X, X))
    assert after == position((3, 0, 76), turn=1, phase=Phase.FIRST_ROLL, steps=(2, 0))


def test_r17_placing_throws_out_the_opponents_pairs_only() -> None:
    state = position((2, 1, 10), (4, 0, 10), (5, 1, 10), value=62, steps=(0, 0))
    after = TWO.apply(state, Place(1))
    assert lying(after) == {(1, 0), (4, 0)}


def test_r18_example_fields_2_and_4_score_6() -> None:
    state = position((2, 1, 10), (4, 1, 76), phase=Phase.LATER_ROLL, steps=(5, 3))
    after = TWO.apply(state, Roll(X, 1))
    assert after == position(turn=1, phase=Phase.FIRST_ROLL, steps=(4, 9))


def test_r18_one_pair_alone_scores_nothing_and_stays() -> None:
    state = position((4, 1, 76), phase=Phase.LATER_ROLL, steps=(5, 3))
    after = TWO.apply(state, Roll(X, 1))
    assert after == position((4, 1, 76), turn=1, phase=Phase.FIRST_ROLL, steps=(4, 3))


def test_r18_a_pair_on_field_0_counts_as_lying_on_a_field() -> None:
    state = position((0, 1, 0), (4, 1, 76), phase=Phase.LATER_ROLL, steps=(5, 3))
    assert TWO.apply(state, Roll(X, 1)) == position(turn=1, phase=Phase.FIRST_ROLL, steps=(4, 7))


def test_r18_two_pairs_on_field_0_score_nothing_and_come_back() -> None:
    state = position((0, 1, 0), (0, 1, 0), phase=Phase.LATER_ROLL, steps=(5, 3))
    assert TWO.apply(state, Roll(X, 1)) == position(turn=1, phase=Phase.FIRST_ROLL, steps=(4, 3))


def test_r19_which_pair_was_placed_first_makes_no_difference() -> None:
    """Seat 0 puts 76 on 2 and 73 on 4, in either order, while seat 1 only fails."""
    fail = ("41", "again", "X1")
    one = play(TWO, "76", "place 2", *fail, "73", "place 4")
    other = play(TWO, "73", "place 4", *fail, "76", "place 2")
    assert one == other
    assert hash(one) == hash(other)


def test_r19_a_pair_that_came_back_is_like_one_that_never_left() -> None:
    """Seat 0's first pair is thrown out; then it is as if only the second had ever been placed."""
    state = play(TWO, "21", "place 4", "76", "place 3")
    assert state == position((3, 1, 76), turn=0, phase=Phase.FIRST_ROLL, steps=(0, 0))


# Positions are canonical: what no longer matters is reset, alike things are sorted


def test_the_value_of_a_pair_on_field_0_is_reset() -> None:
    assert {play(THREE, roll, "place 0") for roll in ("76", "XX", "41")} == {
        position((0, 0, 0), turn=1, phase=Phase.FIRST_ROLL)
    }


def test_the_value_in_hand_is_reset_before_a_roll() -> None:
    assert play(THREE, "76", "again") == play(THREE, "41", "again") == position(phase=Phase.LATER_ROLL)


def test_rolls_of_one_value_are_one_position() -> None:
    assert play(THREE, "12") == play(THREE, "21")


def test_pairs_are_sorted_by_field_and_seat() -> None:
    state = play(FOUR, "76", "place 5", "75", "place 0", "73", "place 1", "72", "place 0")
    assert state == State(
        0, Phase.FIRST_ROLL, 0, (5, 0, 0, 0), (Pair(0, 1, 0), Pair(0, 3, 0), Pair(1, 2, 73))
    )


def test_equal_positions_have_equal_keys() -> None:
    """Neither a second roll nor a failed roll after a double leaves a trace in the position."""
    assert len({play(THREE, "76", "place 4"), play(THREE, "21", "again", "76", "place 4")}) == 1
    assert len({play(THREE, "41", "again", "X1"), play(THREE, "11", "again", "7X")}) == 1
    state = play(THREE, "76", "place 4", "33")
    assert {state: "found"}[THREE.parse_state(str(state))] == "found"


# Facts: what happened, in order


@pytest.mark.parametrize(
    "game, state, action, facts",
    [
        pytest.param(THREE, position(value=41), Again(), (RolledAgain(0),), id="again"),
        pytest.param(
            THREE, position(phase=Phase.FIRST_ROLL), Roll(2, 6), (Rolled(0, "26", 62),), id="ordinary roll"
        ),
        pytest.param(
            THREE, position(phase=Phase.FIRST_ROLL), Roll(X, X), (Rolled(0, "XX", 0),), id="X on a first roll"
        ),
        pytest.param(
            THREE,
            position(phase=Phase.LATER_ROLL, steps=(5, 0, 0)),
            Roll(2, 2),
            (Rolled(0, "22", 22), Doubled(0, climbed=2, step=7)),
            id="double",
        ),
        pytest.param(
            THREE,
            position(phase=Phase.LATER_ROLL, steps=(19, 0, 0)),
            Roll(3, 3),
            (Rolled(0, "33", 33), Doubled(0, climbed=3, step=20), Won(0)),
            id="double that wins",
        ),
        pytest.param(
            THREE,
            position(phase=Phase.LATER_ROLL, steps=(5, 0, 0)),
            Roll(7, X),
            (Rolled(0, "7X", 70, invalid=True), Fell(0, crosses=1, fallen=1, step=4)),
            id="X on a later roll",
        ),
        pytest.param(
            THREE,
            position(phase=Phase.LATER_ROLL, steps=(1, 0, 0)),
            Roll(X, X),
            (Rolled(0, "XX", 0, invalid=True), Fell(0, crosses=2, fallen=1, step=0)),
            id="fall to the start square",
        ),
        pytest.param(
            THREE,
            position((3, 1, 41), phase=Phase.LATER_ROLL, steps=(5, 2, 0)),
            Roll(X, 1),
            (
                Rolled(0, "X1", 10, invalid=True),
                Fell(0, crosses=1, fallen=1, step=4),
                Scored(1, fields=(3,), climbed=3, step=5),
            ),
            id="fall, then the next seat scores",
        ),
        pytest.param(THREE, position(value=62), Place(3), (Placed(0, field=3, value=62),), id="place"),
        pytest.param(
            FOUR,
            position((1, 1, 41), (3, 2, 21), (4, 3, 10), value=62, steps=(0, 0, 0, 0)),
            Place(0),
            (
                Placed(0, field=0, value=62),
                ThrewOut(0, victim=1, field=1, value=41),
                ThrewOut(0, victim=2, field=3, value=21),
                ThrewOut(0, victim=3, field=4, value=10),
            ),
            id="throw out, lowest field first",
        ),
        pytest.param(
            TWO,
            position((2, 1, 76), (4, 1, 73), value=62, steps=(0, 15)),
            Place(1),
            (Placed(0, field=1, value=62), Scored(1, fields=(2, 4), climbed=6, step=20), Won(1)),
            id="place, then the next seat scores and wins",
        ),
    ],
)
def test_facts_are_complete_and_in_order(
    game: Rapido, state: State, action: Action, facts: tuple[Fact, ...]
) -> None:
    assert game.facts(state, action) == facts


def test_facts_are_data_with_a_kind_and_a_ruling() -> None:
    threw_out = ThrewOut(0, victim=2, field=4, value=51)
    assert (threw_out.kind, threw_out.ruling) == ("threw_out", "R14")
    assert threw_out.data() == {"seat": 0, "victim": 2, "field": 4, "value": 51}


def test_every_kind_of_fact_names_its_ruling() -> None:
    assert {fact.__name__: fact.ruling for fact in Rapido.FACTS} == {
        "Scored": "R7",
        "Rolled": "R9",
        "Doubled": "R10",
        "Fell": "R12",
        "RolledAgain": "R8",
        "Placed": "R13",
        "ThrewOut": "R14",
        "Won": "R15",
    }


# Refusals: what was given, where, what is allowed, by which ruling


@pytest.mark.parametrize(
    "state, action, why, ruling",
    [
        (position(phase=Phase.FIRST_ROLL), Again(), "the dice are still to fall", "R8"),
        (position(phase=Phase.LATER_ROLL), Place(0), "the dice are still to fall", "R8"),
        (position(phase=Phase.FIRST_ROLL), Place(6), "the tower has fields 0 to 5", "R4"),
        (position(phase=Phase.FIRST_ROLL), Roll(5, 5), "the dice have no such faces", "R2"),
        (
            position(value=62),
            Roll(1, 1),
            "the dice have fallen, the player is to roll again or to place",
            "R8",
        ),
        (position(value=62), Place(7), "the tower has fields 0 to 5", "R4"),
        (
            position((1, 1, 10), (4, 2, 10), value=62),
            Place(4),
            "field 4 is taken, free are 0, 2, 3, 5",
            "R13",
        ),
        (position(phase=Phase.OVER, steps=(20, 0, 0)), Again(), "the game is over", "R15"),
        (position(value=62), "place 3", "'place 3' is no action of Rapido", "R6"),
        (position(phase=Phase.FIRST_ROLL), None, "None is no action of Rapido", "R6"),
    ],
)
def test_a_refusal_names_the_action_the_position_the_reason_and_the_ruling(
    state: State, action: Action, why: str, ruling: str
) -> None:
    for ask in (THREE.apply, THREE.facts):
        with pytest.raises(IllegalAction) as refused:
            ask(state, action)
        assert str(refused.value) == f"{action} is not possible at {state}: {why} ({ruling})"
        assert (refused.value.code, refused.value.ruling) == ("illegal_action", ruling)


# Text


@pytest.mark.parametrize(
    "text, action",
    [
        ("again", Again()),
        ("place 0", Place(0)),
        ("place 5", Place(5)),
        ("7X", Roll(7, X)),
        ("26", Roll(2, 6)),
    ],
)
def test_actions_have_one_short_text(text: str, action: Action) -> None:
    assert THREE.parse(text) == action
    assert str(action) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Again",
        " again",
        "place",
        "place 6",
        "place  3",
        "place -1",
        "7x",
        "67",
        "8X",
        "X",
        "7X1",
        "x" * 9999,
    ],
)
def test_a_text_that_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(InvalidText) as refused:
        THREE.parse(text)
    assert refused.value.code == "invalid_text"
    assert repr(text[:40]) in str(refused.value)
    assert "again, place 0 … place 5, or two faces such as 7X" in str(refused.value)
    assert len(str(refused.value)) < 200


def test_a_position_is_one_readable_line() -> None:
    state = position((0, 2, 0), (3, 1, 62), value=21, steps=(4, 0, 11))
    assert str(state) == "turn=0 phase=decide value=21 steps=4,0,11 tower=0:2,3:1:62"
    assert str(THREE.initial_state()) == "turn=0 phase=first value=0 steps=0,0,0 tower=-"


def test_a_position_is_read_in_any_order_and_comes_out_canonical() -> None:
    text = "tower=3:1:62,0:2   steps=4,0,11 value=21 phase=decide turn=0"
    assert THREE.parse_state(text) == position((0, 2, 0), (3, 1, 62), value=21, steps=(4, 0, 11))


def line(**changes: str) -> str:
    """A good line for three players, with some values changed."""
    words = {"turn": "0", "phase": "decide", "value": "62", "steps": "1,2,3", "tower": "0:2,3:1:51"}
    return " ".join(f"{key}={value}" for key, value in (words | changes).items())


def test_the_line_of_the_next_test_is_valid() -> None:
    assert str(THREE.parse_state(line())) == line()


@pytest.mark.parametrize(
    "text, why, ruling",
    [
        ("", "turn is missing: a position reads turn=… phase=… value=… steps=… tower=…", ""),
        (line().replace(" tower=0:2,3:1:51", ""), "tower is missing", ""),
        (line() + " turn=0", "'turn=0' does not belong there", ""),
        (line() + " pool=3", "'pool=3' does not belong there", ""),
        (line() + " nonsense", "'nonsense' does not belong there", ""),
        (line(value=""), "'value=' has no value", ""),
        (line(tower=""), "'tower=' has no value; write tower=- for an empty list", ""),
        (line() + " " * 1000, "a position is one short line, this text has", ""),
        (line(turn="3"), "turn must be a whole number from 0 to 2, not '3'", "R5"),
        (line(turn="-1"), "turn must be a whole number from 0 to 2, not '-1'", "R5"),
        (line(turn="00"), "turn must be a whole number from 0 to 2, not '00'", "R5"),
        (line(turn="²"), "turn must be a whole number from 0 to 2, not '²'", "R5"),
        (line(phase="roll"), "phase must be one of first, later, decide, over, not 'roll'", "R6"),
        (line(value="77"), "a value must be a whole number from 0 to 76, not '77'", "R9"),
        (line(value="44"), "two dice never show 44", "R9"),
        (line(value="12"), "two dice never show 12", "R9"),
        (line(phase="first"), "value, unless the player is to decide, must be", "R8"),
        (line(phase="later"), "value, unless the player is to decide, must be", "R8"),
        (line(steps="1,2"), "steps must have 3 numbers, not '1,2'", "R1"),
        (line(steps="1,2,3,4"), "steps must have 3 numbers, not '1,2,3,4'", "R1"),
        (line(steps="-"), "steps must have 3 numbers, not '-'", "R1"),
        (line(steps="1,2,21"), "a step must be a whole number from 0 to 20, not '21'", "R3"),
        (line(steps="1,,3"), "a step must be a whole number from 0 to 20, not ''", "R3"),
        (line(steps="20,2,3"), "a piece on the finish 20 has won", "R15"),
        (line(steps="1,20,3"), "a piece on the finish 20 has won", "R15"),
        (line(phase="over", value="0"), "a piece on the finish 20 has won", "R15"),
        (line(phase="over", value="0", steps="1,20,3"), "a piece on the finish 20 has won", "R15"),
        (line(phase="over", value="0", steps="20,20,3"), "a piece on the finish 20 has won", "R15"),
        (line(tower="6:1:51"), "a field must be a whole number from 0 to 5, not '6'", "R4"),
        (line(tower=","), "a field must be a whole number from 0 to 5, not ''", "R4"),
        (line(tower="3"), "a pair reads field:seat:value, or 0:seat on field 0: '3'", "R4"),
        (line(tower="3:1"), "a pair reads field:seat:value, or 0:seat on field 0: '3:1'", "R4"),
        (line(tower="3:1:51:0"), "a pair reads field:seat:value, or 0:seat on field 0: '3:1:51:0'", "R4"),
        (line(tower="0:1:51"), "a pair reads field:seat:value, or 0:seat on field 0: '0:1:51'", "R4"),
        (line(tower="3:3:51"), "a pair's seat must be a whole number from 0 to 2, not '3'", "R1"),
        (line(tower="3:1:44"), "two dice never show 44", "R9"),
        (line(tower="3:1:51,3:2:51"), "a field of 1 to 5 holds one pair, not two: '3:1:51,3:2:51'", "R4"),
        (line(tower="3:1:51,4:1:51"), "seat 1 has too many pairs on the tower", "R16"),
        (line(tower="0:1,0:1"), "seat 1 has too many pairs on the tower", "R16"),
        (line(tower="3:0:51"), "seat 0 has too many pairs on the tower", "R16"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text: str, why: str, ruling: str) -> None:
    with pytest.raises(InvalidText) as refused:
        THREE.parse_state(text)
    assert why in str(refused.value)
    assert (refused.value.code, refused.value.ruling) == ("invalid_text", ruling)
    assert str(refused.value).endswith(f"({ruling})" if ruling else "")


@pytest.mark.parametrize(
    "tower, possible",
    [("1:0:51,2:1:51,3:1:51", True), ("1:0:51,2:0:51", False), ("1:1:51,2:1:51,3:1:51", False)],
)
def test_with_two_players_the_seat_to_play_has_one_pair_on_the_tower_at_most(
    tower: str, possible: bool
) -> None:
    text = f"turn=0 phase=first value=0 steps=0,0 tower={tower}"
    if possible:
        assert str(TWO.parse_state(text)) == text
    else:
        with pytest.raises(InvalidText, match="too many pairs on the tower.*R16"):
            TWO.parse_state(text)
