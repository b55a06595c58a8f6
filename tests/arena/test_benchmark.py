"""The benchmark: the same for every bot, balanced, and right about the best and the worst play."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from typer.testing import CliRunner

from arena.test_simulation import last
from escadaria import bots, load, solutions
from escadaria.arena import benchmark as module
from escadaria.arena.batches import run_batches
from escadaria.arena.benchmark import GAMES, PROTOCOL, Entries, Unsolved, benchmark, pool, regret
from escadaria.arena.rating import POINTS, fit, fit_one
from escadaria.arena.simulation import Share, play_batch
from escadaria.bots import BadBot
from escadaria.catalogue import KITS
from escadaria.cli import app
from escadaria.game import AnyGame, BadOptions
from escadaria.games.rapido.compiled.policies import policy_tables
from escadaria.solutions import BadSolution, Bounds
from escadaria_pig.rules import Pig
from tools import leaderboard

GAME = Pig(players=2, goal=6)


def broken(game: AnyGame, state: Any) -> Any:
    raise ZeroDivisionError


class SolvedPig:
    """The exact solution of a short game of Pig, by value iteration over its positions."""

    game, bounds = GAME, Bounds(0.0, 1.0, 1e-12)

    def __init__(self) -> None:
        self.values: dict[Any, float] = {}
        left = [GAME.initial_state()]
        while left:
            state = left.pop()
            if state not in self.values and state.pot < GAME.goal:
                self.values[state] = 0.0
                actions = [*GAME.legal_actions(state), *(face for face, _ in GAME.chance_outcomes(state))]
                left += [GAME.apply(state, action) for action in actions]
        for _ in range(200):
            self.values |= {state: self._worth(state) for state in self.values}

    def _worth(self, state: Any) -> float:
        outcome = GAME.outcome(state)
        if outcome is not None:
            return float(outcome.winner == state.turn)
        if state.pot >= GAME.goal and not state.rolling:
            return 1.0  # hold
        if chances := GAME.chance_outcomes(state):
            return sum(float(chance) * self._after(state, face) for face, chance in chances)
        return max(self.action_values(state).values())

    def _after(self, state: Any, action: Any) -> float:
        after = GAME.apply(state, action)
        return self.value(after) if after.turn == state.turn else 1 - self.value(after)

    def value(self, state: Any) -> float:
        return self.values[state] if state in self.values else self._worth(state)

    def action_values(self, state: Any) -> dict[Any, float]:
        return {action: self._after(state, action) for action in GAME.legal_actions(state)}


@pytest.fixture(scope="module")
def solution() -> SolvedPig:
    return SolvedPig()


@pytest.fixture(autouse=True)
def nothing_is_solved(no_solution: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solving the short games takes a minute."""
    monkeypatch.setattr(module, "_solved", lambda game: None)
    monkeypatch.setattr(module, "TIMED", 5)


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["benchmark", *words, "--workers", "1"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def measured(*words: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run(*words, "--json"))
    return data


# The protocol.


@pytest.mark.parametrize("players", range(2, 7))
def test_the_bot_meets_everyone_and_has_every_seat_equally_often(players: int) -> None:
    schedule = Entries(1 + len(pool(players)), players)
    seats, met = Counter[int](), Counter[int]()
    for line_up, games in enumerate(schedule.goal(1)):
        bots = schedule.line_up(line_up)
        for number in range(games):
            order = [bots[(seat - number) % players] for seat in range(players)]
            assert order.count(0) == 1
            seats[order.index(0)] += 1
            met.update(bot for bot in order if bot)
    assert set(seats) == set(range(players)) and len(set(seats.values())) == 1
    assert len(met) == len(pool(players)) and len(set(met.values())) == 1


def test_every_game_and_number_of_players_has_anchors() -> None:
    for name in ("rapido", "chain"):
        kit = KITS[name]
        assert kit.benchmark is not None
        part = kit.benchmark()
        assert list(part.ANCHORS) == list(range(2, 7))
        for players, ratings in part.ANCHORS.items():
            assert set(ratings) == set(pool(players)) and ratings["simple"] == 1000
        load(name, players=2, **part.SHORT)


@pytest.mark.parametrize("workers", [1, 2])
def test_bots_by_name_open_no_solution_in_any_process(workers: int) -> None:
    """A damaged solution shows who opens it."""
    game = load("rapido", players=2)
    path = solutions.path_of(game)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"damaged")
    get_reusable_executor().shutdown()  # new processes, which know the folder

    def played(exact: bool) -> int:
        batches = run_batches(
            play_batch,
            game,
            ["master", "simple"],
            [(0, 1), (1, 1)],
            seed=1,
            exact=exact,
            workers=workers,
            scheduler="",
            compiled=False,
        )
        return len(list(batches))

    assert played(exact=False) == 2
    with pytest.raises(BadSolution):
        played(exact=True)
    assert policy_tables(game, exact=False).master is not None
    with pytest.raises(BadSolution):
        policy_tables(game, exact=True)


# Results.


def test_fewer_games_are_not_official_and_an_unsolved_game_names_the_command() -> None:
    words = ["simple", "--game", "rapido", "--players", "2", "--games", "10"]
    data = measured(*words)
    (entry,) = data["entries"]
    assert data["protocol"] == PROTOCOL and data["bot"] == "simple" and data["games"] == 10
    assert data["official"] is entry["official"] is False
    assert entry["games"] < GAMES
    commands = [one["solve"] for one in entry["regret"]]
    assert commands == ["escadaria solve rapido --option finish=5", "escadaria solve rapido"]
    (again,) = measured(*words)["entries"]
    assert again | {"cost": None} == entry | {"cost": None}
    assert "Not an official entry" in run(*words, "--lang", "en")
    (chain,) = benchmark(last, ["chain"], [2], number=2).entries
    assert isinstance(next(iter(chain.regret.values())), Unsolved)


def test_an_own_bot_is_measured() -> None:
    data = measured(
        "arena.test_simulation:last", "--game", "rapido", "--players", "2", "--players", "3", "--games", "6"
    )
    two, three = data["entries"]
    assert data["bot"] == "arena.test_simulation:last" and (two["players"], three["players"]) == (2, 3)
    assert two["games"] == 10 and [one["bot"] for one in two["against"]] == list(pool(2))
    assert sum(one["games"] for one in two["against"]) == two["games"]
    assert two["cost"]["decisions"] == 5 and two["cost"]["seconds"] > 0
    assert two["exploitability"] is None and 0 <= three["exploitability"] < 2 / 3
    assert [one["bot"] for one in three["among"]] == list(pool(3)) and three["short"]["finish"] == 5


def test_random_is_worst() -> None:
    ratings = {}
    for bot in ("random", "simple"):
        entry = benchmark(bot, ["rapido"], [2], number=60).entries[0]
        assert entry.rating is not None
        ratings[bot] = entry.rating[0]
        assert entry.rating[1] < ratings[bot] < entry.rating[2]
    assert ratings["random"] < ratings["simple"]


def test_at_least_one_game_is_played() -> None:
    with pytest.raises(BadOptions):
        benchmark("simple", number=0)
    with pytest.raises(BadBot, match="ZeroDivisionError"):
        benchmark(broken, ["rapido"], [2], number=1)


def test_the_leaderboard_is_written_from_the_results() -> None:
    results = [json.loads(path.read_text("utf-8")) for path in sorted(leaderboard.RESULTS.glob("*.json"))]
    text = leaderboard.PAGE.read_text("utf-8")
    assert leaderboard.page(text, results) == text
    rated = [result for result in results if "protocol" in result]
    assert rated and all(f"| `{result['bot']}` |" in text for result in rated)


# Regret.


def test_perfect_play_has_no_regret(solution: SolvedPig) -> None:
    def perfect(game: AnyGame, state: Any) -> Any:
        values = solution.action_values(state)
        return max(values, key=values.__getitem__)

    found = regret(perfect, solution, 40)
    assert (found.per_game, found.per_decision, found.low, found.high) == (0, 0, 0, 0)
    assert found.games == 40 and found.decisions > 40


def test_regret_is_what_perfect_play_wins_more(solution: SolvedPig) -> None:
    """The sum of the losses of decisions is an unbiased estimate of the loss of the game."""
    found = regret("random", solution, 2000)
    rng, won = random.Random(1), 0
    other = bots.load("random", GAME, rng)
    for number in range(found.games):
        state = GAME.initial_state()
        while (outcome := GAME.outcome(state)) is None:
            if chances := GAME.chance_outcomes(state):
                action = rng.choice(chances)[0]
            elif state.turn == number % 2:
                action = other(GAME, state)
            else:
                values = solution.action_values(state)
                action = max(values, key=values.__getitem__)
            state = GAME.apply(state, action)
        won += outcome.winner == number % 2
    low, high = Share("random", 1, won, found.games).interval
    assert found.low > 0.05 and low < 0.5 - found.per_game < high


# The rating.


def test_a_bot_among_known_ones_gets_the_rating_that_the_model_has() -> None:
    rng = np.random.default_rng(3)
    points = np.array([1210.0, 800.0, 1000.0, 1150.0])
    seat = np.array([60.0, 0.0, -60.0]) / POINTS
    seated = rng.permuted(np.tile(np.arange(4), (20_000, 1)), axis=1)[:, :3]
    seated = seated[(seated == 0).any(axis=1)]
    power = np.exp(points[seated] / POINTS + seat)
    winner = (power.cumsum(axis=1) < rng.random((len(seated), 1)) * power.sum(axis=1, keepdims=True)).sum(
        axis=1
    )
    wins = np.eye(3, dtype=int)[winner]
    rating, error = fit_one(seated, wins, np.array([0.0, *points[1:]]))
    assert abs(rating - 1210) < 4 * error < 20
    both = fit(seated, wins, 4)
    assert error < both.bot_errors[0] * 2 and abs(both.seats[0] - 60) < 4 * both.seat_errors[0]


def test_solving_a_short_game_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[tuple[int, int]] = []
    monkeypatch.setattr(solutions, "find", lambda game: None)
    monkeypatch.setattr(module, "_solved", lambda game: None)
    module._regrets(load("chain"), "simple", 4, lambda game, done, total: reports.append((done, total)))
    assert reports == [(0, 0)]
