"""The kernel is the readable engine, compiled: same dice, same decisions, same positions (R1-R19)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from escadaria.arena import simulation
from escadaria.compute import streams
from escadaria.game import play_out
from escadaria.games.rapido import rolls
from escadaria.games.rapido.compiled import play as kernel
from escadaria.games.rapido.compiled import rules
from escadaria.games.rapido.rolls import RANK
from escadaria.games.rapido.rules import (
    ROLLS,
    VALUES,
    Action,
    Again,
    Phase,
    Place,
    Rapido,
    Scored,
    State,
    ThrewOut,
)

GAMES = [Rapido(players, finish) for players in range(2, 7) for finish in (5, 20, 50)]


def lineups(players: int) -> list[list[str]]:
    mixed = [("simple", "random")[seat % 2] for seat in range(players)]
    return [["simple"] * players, ["random"] * players, mixed]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_position_is_the_engine_s(game: Rapido) -> None:
    """From game to game the bots move on by one seat, so all of them play from every seat."""
    for lineup in lineups(game.players):
        for number in range(game.players):
            (_, state), *plies = kernel.watch(game, lineup, number, seed=3)
            assert state == game.initial_state()
            for action, after in plies:
                assert action is not None
                assert legal(game, state) == game.legal_actions(state)
                state = game.apply(state, action)
                assert after == state
            assert game.outcome(state) is not None


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_bots_decide_as_the_readable_ones_do(game: Rapido) -> None:
    """The dice and noise of a game are those of its streams, so all that is counted agrees."""
    for lineup in lineups(game.players):
        ours = kernel.play_batch(game, lineup, first=5, games=6, seed=2**64 - 2)
        theirs = simulation.play_batch(game, lineup, first=5, games=6, seed=2**64 - 2)
        assert ours.keys() == theirs.keys()
        for name, column in theirs.items():
            assert np.array_equal(ours[name], column), name


@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_transition_is_the_engine_s_also_where_no_bot_would_go(players: int) -> None:
    """Values are drawn from few, so that ties are frequent (R14)."""
    game, rng = Rapido(players, 12), random.Random(players)
    placed = 0
    for state in wild_positions(game, rng, games=15):
        row = row_of(game, state)
        tower, own = int(row[rules.TOWER]), int(rules.own_marks(row))
        free = rules.free_fields(tower)
        assert free == sum(1 << place - 1 for place in state.free_fields() if place)
        if state.phase is not Phase.DECIDE:
            continue
        assert tuple(field for field in range(6) if rules.is_free(free, field)) == state.free_fields()
        for field in state.free_fields():
            facts = game.facts(state, Place(field))
            victims = {(fact.victim, fact.field) for fact in facts if isinstance(fact, ThrewOut)}
            out = rules.thrown_out(tower, own, field, RANK[state.value])
            marks = row[rules.SEATS + players :].tolist()
            found = {
                (seat, lane)
                for seat in range(players)
                for lane in range(8)
                if marks[seat] & out & 128 << 8 * lane
            }
            assert found == victims
            rows, thrown = row[None].copy(), np.zeros(players, np.int64)
            rules.place(players, rows, 0, field, thrown)
            rules.pass_turn(players, rows, 0)
            assert thrown.sum() == len(victims)
            scores = [fact for fact in facts if isinstance(fact, Scored)]
            climbed = rules.score(players, int(rules.own_marks(rows[0])))
            assert (climbed >= 0) == bool(scores)  # R18
            for fact in scores:
                assert climbed == fact.climbed
            after = game.apply(state, Place(field))
            assert rules.start_turn(game.finish, players, rows, 0) == (after.phase is Phase.OVER)
            assert np.array_equal(rows[0, rules.TOWER :], row_of(game, after)[rules.TOWER :])
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
                rows = row_of(game, before)[None].copy()
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
                    assert bool(out) == rules.is_out(lies, its_rank, field, rank)
    assert not rules.is_out(5, 0, -1, 29)


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


def wild_positions(game: Rapido, rng: random.Random, games: int) -> Iterator[State]:
    for _ in range(games):
        start = game.initial_state()
        for _, state in play_out(
            game,
            start,
            lambda state: rng.choice(game.legal_actions(state)),
            lambda state: rng.choice(game.chance_outcomes(state)[::5])[0],
        ):
            yield state


def row_of(game: Rapido, state: State) -> np.ndarray:
    """A position as a row."""
    row = np.zeros(rules.columns(game.players), np.int64)
    row[rules.TURN], row[rules.ROLLED] = state.turn, RANK[state.value]
    row[rules.TOWER], row[rules.SEATS : rules.SEATS + game.players] = rules.NO_PAIRS, state.steps
    for pair in state.tower:
        marks = rules.SEATS + game.players + pair.seat
        tower, own = int(row[rules.TOWER]), int(row[marks])
        row[rules.TOWER], row[marks] = rules.put(tower, own, pair.field, RANK[pair.value])
    return row


def legal(game: Rapido, state: State) -> tuple[Action, ...]:
    """What the kernel's ``choose`` chooses among."""
    if state.phase is not Phase.DECIDE:
        return ()
    free = rules.free_fields(int(row_of(game, state)[rules.TOWER]))
    chosen = {kernel.choose(free, np.uint64(noise))[0] for noise in range(60)}
    return (*(Again() if code == kernel.ROLL_AGAIN else Place(code) for code in sorted(chosen)),)


def test_no_value_is_taken_for_an_empty_field() -> None:
    assert rules.RANKS == len(VALUES) < rules.EMPTY


@pytest.mark.parametrize("sides", [1, 2, 7, 36, 2**31 + 1])
def test_streams_are_those_of_readable_python(sides: int) -> None:
    """Of 2**31 + 1 sides nearly half of the draws are passed over."""
    for which in (streams.DICE, streams.NOISE):
        theirs = simulation.Stream.of(9, 10**12, which)
        state = np.uint64(streams.start(np.uint64(9), 10**12, which))
        for _ in range(50):
            state, number = streams.below(state, sides)
            state = np.uint64(state)
            assert number == theirs.below(sides)


@pytest.mark.parametrize("players, bot", [(2, "simple"), (3, "simple"), (4, "random")])
def test_shares_and_lengths_are_those_of_other_dice(players: int, bot: str) -> None:
    """Python's own generator in the readable engine comes to the same, within five standard errors."""
    game = Rapido(players, 10)
    ours = kernel.play_batch(game, [bot] * players, 0, 100_000, seed=1)
    rng = random.Random(players)
    rows = [simulation.play(game, [bot] * players, rng, rng) for _ in range(500)]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    for seat in range(players):
        agree(ours["winner"] == seat, columns["winner"] == seat)
        agree(ours["thrown_out"][:, seat], columns["thrown_out"][:, seat])
        agree(ours["steps"][:, seat], columns["steps"][:, seat])
    agree(ours["turns"], columns["turns"])
    agree(ours["plies"], columns["plies"])


def agree(many: np.ndarray, few: np.ndarray) -> None:
    error = np.sqrt(many.var() * (1 / len(many) + 1 / len(few)))
    assert abs(many.mean() - few.mean()) < 5 * error
