"""Simulations: correct counts, the same for the same seed, fair to every bot."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

import escadaria
from escadaria import BadOptions
from escadaria.arena.simulation import DICE, NOISE, Results, Share, Stream, play, simulate
from escadaria.game import AnyGame
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido
from escadaria.record import Record, Seat

RAPIDO = Rapido(players=2, finish=5)
CHAIN = Chain(players=3, board="short")


def last(game: AnyGame, state: Any) -> Any:
    """A user's bot."""
    return game.legal_actions(state)[-1]


def few(games: int = 40, seed: int = 7) -> Results:
    return simulate(RAPIDO, ["simple", "random"], games, seed)


def same(one: Results, other: Results) -> bool:
    assert one.counts.keys() == other.counts.keys()
    return all(np.array_equal(one.counts[name], other.counts[name]) for name in one.counts)


def test_the_same_seed_gives_the_same_games_and_more_games_begin_with_them() -> None:
    fewer, more = few(40), few(80)
    assert same(fewer, few(40))
    assert not same(few(seed=8), fewer)
    for name, column in fewer.counts.items():
        assert np.array_equal(column, more.counts[name][:40])


@pytest.mark.parametrize("bots", [["simple"], ["simple", "random"], ["simple", "random", "random"]])
def test_every_game_has_one_winner(bots: list[str]) -> None:
    results = simulate(CHAIN, bots, 6, seed=1)
    assert sum(share.wins for share in results.by_bot) == 6
    assert sum(share.wins for share in results.by_seat) == 6
    assert sum(share.seats for share in results.by_bot) == CHAIN.players
    assert results.bots == tuple(bots[seat % len(bots)] for seat in range(3))


def test_seats_rotate_so_that_each_bot_sits_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def sit(game: object, bots: list[str], *streams: object) -> dict[str, int]:
        seen.append(list(bots))
        return {"winner": 0, "turns": 1, "plies": 1}

    monkeypatch.setattr("escadaria.arena.simulation.play", sit)
    results = simulate(CHAIN, ["simple", "random", "random"], 6, workers=1)
    assert [bots.index("simple") for bots in seen] == [0, 1, 2, 0, 1, 2]
    assert [share.wins for share in results.by_seat] == [6, 0, 0], "one seat always wins"
    assert [share.wins for share in results.by_bot] == [2, 4], "but the bots rotate"


@pytest.mark.parametrize("game", [Rapido(2, 5), Rapido(3, 8), Chain(2, "short")], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_counts_agree_with_records(game: AnyGame, seed: int) -> None:
    met: list[object] = []
    kind = type(game)

    class Noted(kind):  # type: ignore[misc, valid-type]
        def apply(self, state: Any, action: Any) -> Any:
            met.append(action)
            return super().apply(state, action)

    streams = Stream.of(seed, 0, DICE), Stream.of(seed, 0, NOISE)
    row = play(Noted(**game.options), ["random"] * game.players, *streams)
    record = Record(game, tuple(map(Seat, "ABCDEF"[: game.players])), tuple(met))
    assert record.outcome is not None
    assert (row["winner"], row["plies"]) == (record.outcome.winner, len(met))
    assert row["turns"] == len(list(record.turns()))
    facts = [fact for ply in range(1, len(met) + 1) for fact in record.facts(ply)]
    end = record.position(len(met))
    of_seats = Counter((fact.kind, fact.seat) for fact in facts)
    of_victims = Counter((fact.kind, getattr(fact, "victim", None)) for fact in facts)
    seats = range(game.players)
    if isinstance(game, Rapido):
        assert row["steps"] == end.steps
        assert row["thrown_out"] == [of_victims["threw_out", seat] for seat in seats]
        assert row["doubles"] == [of_seats["doubled", seat] for seat in seats]
        assert row["falls"] == [of_seats["fell", seat] for seat in seats]
    if isinstance(game, Chain):
        assert row["hands"] == end.hands
        assert row["covered"] == [of_victims["covered", seat] for seat in seats]
        assert row["home"] == [discs.count(game.track.length) for discs in end.discs]


def test_counts_are_arrays_by_game_and_seat() -> None:
    results = few(7)
    assert results.winner.shape == results.turns.shape == results.plies.shape == (7,)
    assert results.steps.shape == results.thrown_out.shape == (7, 2)
    assert (results.steps[np.arange(7), results.winner] == RAPIDO.finish).all()
    with pytest.raises(AttributeError, match="no 'luck', there are winner, turns, plies, steps"):
        results.luck  # noqa: B018 - the access raises
    assert same(pickle.loads(pickle.dumps(results)), results)


def test_progress_is_reported_until_the_end() -> None:
    done: list[int] = []
    simulate(RAPIDO, ["simple"], 50, progress=done.append)
    assert done == sorted(set(done))
    assert len(done) > 1 and done[-1] == 50


def test_a_bot_may_be_a_function_with_a_name() -> None:
    results = simulate(RAPIDO, ["random", last], 40, workers=1)
    assert results.bots == ("random", "last")
    assert results.by_bot[1].wins > results.by_bot[0].wins
    assert simulate(RAPIDO, last, 2).bots == ("last", "last")
    with pytest.raises(BadOptions, match="different names: <lambda>, <lambda>"):
        simulate(RAPIDO, [lambda game, state: None, lambda game, state: None], 1)


# Random numbers.


def test_the_generator_is_splitmix64() -> None:
    stream, known = Stream(1234567), (6457827717110365317, 3203168211198807973, 9817491932198370423)
    assert tuple(stream.getrandbits(64) for _ in known) == known, "the reference implementation's"


def test_streams_are_uniform_and_independent() -> None:
    streams = [Stream.of(*numbers) for numbers in product(range(9), range(9), (DICE, NOISE))]
    assert len({stream.getrandbits(64) for stream in streams}) == len(streams)
    stream = Stream.of(1, 2, DICE)
    falls = Counter(stream.below(36) for _ in range(36_000))
    assert sum((falls[face] - 1000) ** 2 / 1000 for face in range(36)) < 80, "chi squared, p < 1e-5"
    assert 0 <= stream.random() < 1
    assert stream.getrandbits(3) < 8


@pytest.mark.parametrize(
    "wins, games, low, high",
    [(50, 100, 0.4038, 0.5962), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 1, 0.2065, 1.0)],
)
def test_wilson_intervals_match_published_values(wins: int, games: int, low: float, high: float) -> None:
    assert Share("x", 1, wins, games).interval == pytest.approx((low, high), abs=1e-4)


def test_invalid_simulations_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'stimulate'"):
        escadaria.stimulate  # noqa: B018 - the access raises
    with pytest.raises(BadOptions, match="at least one game"):
        simulate(RAPIDO, ["simple"], 0)
    with pytest.raises(BadOptions, match="at least one worker"):
        simulate(RAPIDO, ["simple"], 1, workers=0)
