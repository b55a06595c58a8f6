"""The kernel is the readable engine, compiled: same dice, same decisions, same positions (R1-R19)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from escadaria.arena import simulation
from escadaria.compute import streams
from escadaria.game import play_out
from escadaria.games.rapido.compiled import play as kernel
from escadaria.games.rapido.rules import VALUES, Action, Again, Phase, Place, Rapido, Scored, State, ThrewOut

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
        tower, marks = words(game, state)
        assert kernel.free_fields(tower) == sum(1 << place - 1 for place in state.free_fields() if place)
        if state.phase is not Phase.DECIDE:
            continue
        for field in state.free_fields():
            out = kernel.thrown_out(tower, marks[state.turn], field, state.value)
            left, own = kernel.put(kernel.without(tower, out), marks[state.turn], field, state.value)
            after = [mark & ~out for mark in marks]
            after[state.turn] = own
            facts = game.facts(state, Place(field))
            victims = {(fact.victim, fact.field) for fact in facts if isinstance(fact, ThrewOut)}
            found = {
                (seat, lane)
                for seat in range(players)
                for lane in range(8)
                if marks[seat] & out & 128 << 8 * lane
            }
            assert found == victims
            scores = [fact for fact in facts if isinstance(fact, Scored)]
            seat = (state.turn + 1) % players
            assert (kernel.number_of_pairs(after[seat]) == game.pairs) == bool(scores)  # R18
            for fact in scores:
                assert kernel.sum_of_fields(after[seat]) == fact.climbed
                left, after[seat] = kernel.without(left, after[seat]), 0
            assert (left, after) == words(game, game.apply(state, Place(field)))
            placed += 1
    assert placed > 500


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


def words(game: Rapido, state: State) -> tuple[int, list[int]]:
    """A position's tower and marks."""
    tower, marks = kernel.NO_PAIRS, [0] * game.players
    for pair in state.tower:
        tower, marks[pair.seat] = kernel.put(tower, marks[pair.seat], pair.field, pair.value)
    return tower, marks


def legal(game: Rapido, state: State) -> tuple[Action, ...]:
    """What the kernel's ``choose`` chooses among."""
    if state.phase is not Phase.DECIDE:
        return ()
    free = kernel.free_fields(words(game, state)[0])
    chosen = {kernel.choose(free, np.uint64(noise))[0] for noise in range(60)}
    return (*(Again() if code == kernel.ROLL_AGAIN else Place(code) for code in sorted(chosen)),)


def test_no_value_is_taken_for_an_empty_field() -> None:
    assert max(VALUES) < kernel.EMPTY


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
