"""Many games of bots: counted right, the same for the same seed, fair to every bot."""

from __future__ import annotations

import json
import random

import pytest

from escadaria import BadOptions, load
from escadaria.bots import UnknownBot
from escadaria.rapido import Action, Rapido, State
from escadaria.record import Record, Seat
from escadaria.simulation import Results, Share, play, simulate

RAPIDO = load("rapido", players=2, finish=5)
CHAIN = load("chain", players=3, board="short")


def few(games: int = 40, seed: int = 7) -> Results:
    return simulate(RAPIDO, ["simple", "random"], games, seed)


def test_the_same_seed_gives_the_same_results() -> None:
    assert few() == few()
    assert few(seed=8) != few()


def test_more_games_begin_with_the_same_games() -> None:
    fewer, more = few(40), few(80)
    assert all(a.wins <= b.wins for a, b in zip(fewer.by_seat, more.by_seat, strict=True))


@pytest.mark.parametrize("bots", [["simple"], ["simple", "random"], ["simple", "random", "random"]])
def test_every_game_has_one_winner(bots: list[str]) -> None:
    results = simulate(CHAIN, bots, 6, seed=1)
    assert sum(share.wins for share in results.by_bot) == 6
    assert sum(share.wins for share in results.by_seat) == 6
    assert sum(share.seats for share in results.by_bot) == CHAIN.players
    assert results.bots == tuple(bots[seat % len(bots)] for seat in range(3))


def test_seats_rotate_so_that_each_bot_sits_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def sit(game: object, bots: list[str], rng: random.Random) -> tuple[int, int, int]:
        seen.append(list(bots))
        return 0, 1, 1

    monkeypatch.setattr("escadaria.simulation.play", sit)
    results = simulate(CHAIN, ["simple", "random", "random"], 6)
    assert seen[:3] == [
        ["simple", "random", "random"],
        ["random", "simple", "random"],
        ["random", "random", "simple"],
    ]
    assert seen[3:] == seen[:3]
    assert [share.wins for share in results.by_seat] == [6, 0, 0], "a seat that always wins"
    assert [share.wins for share in results.by_bot] == [2, 4], "is no merit of a bot"


@pytest.mark.parametrize("seed", range(10))
def test_turns_and_plies_are_counted_as_records_count_them(seed: int) -> None:
    met: list[object] = []

    class Noted(Rapido):
        def apply(self, state: State, action: Action) -> State:
            met.append(action)
            return super().apply(state, action)

    game = Noted(players=2, finish=5)
    winner, turns, plies = play(game, ["random", "random"], random.Random(seed))
    record = Record(RAPIDO, (Seat("Ana"), Seat("Bento")), tuple(met))
    assert record.outcome is not None
    assert (winner, turns, plies) == (record.outcome.winner, len(list(record.turns())), len(met))


def test_progress_is_told_after_every_game() -> None:
    done: list[int] = []
    simulate(RAPIDO, ["simple"], 5, progress=done.append)
    assert done == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "wins, games, low, high",
    [(50, 100, 0.4038, 0.5962), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 1, 0.2065, 1.0)],
)
def test_wilson_intervals_are_those_of_the_textbooks(wins: int, games: int, low: float, high: float) -> None:
    assert Share("x", 1, wins, games).interval == pytest.approx((low, high), abs=1e-4)


def test_the_data_are_json() -> None:
    data = json.loads(json.dumps(few().data()))
    assert data["options"] == {"players": 2, "finish": 5}
    assert data["by_bot"][0]["bot"] == "simple"
    assert data["by_bot"][0]["low"] < data["by_bot"][0]["share"] < data["by_bot"][0]["high"]


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(UnknownBot, match="random, simple"):
        simulate(RAPIDO, ["genius"], 1)
    with pytest.raises(BadOptions, match="1 to 2 bots, not 3"):
        simulate(RAPIDO, ["simple"] * 3, 1)
    with pytest.raises(BadOptions, match="at least one game"):
        simulate(RAPIDO, ["simple"], 0)
