"""The best response to bots of Rapido: against the readable engine and bots, and the exact solution."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from compute.kernels import positions
from escadaria import bots
from escadaria.game import play_out
from escadaria.games.rapido import values
from escadaria.games.rapido.compiled.solver import Solver
from escadaria.games.rapido.rules import ROLLS, VALUES, Action, Again, Phase, Place, State
from escadaria.games.rapido.solution import ONE, tower_of
from escadaria.games.rapido.values import shipped
from research import best_response, best_response_of_two
from research.best_response import Decisions, Proven, at
from short import ShortRapido

GAME = ShortRapido(players=3)


@pytest.fixture(scope="module")
def masters() -> Decisions:
    return best_response.decisions_of("master", GAME.finish)


@pytest.fixture(scope="module")
def best(masters: Decisions) -> Proven:
    return best_response.prove(GAME.finish, masters)


@pytest.fixture(scope="module")
def alike(masters: Decisions) -> Proven:
    """All three are masters."""
    return best_response.prove(GAME.finish, masters, masters)


def solved(finish: int) -> tuple[NDArray[np.float64], Decisions]:
    """By role and position how often the hero wins with the exact solution, and its decisions."""
    exact, _ = Solver(finish, threads=1).solve({})
    values = np.stack([exact / ONE, 1.0 - exact / ONE])
    return values, best_response_of_two.decisions_by(values[1], finish)


def test_r4_each_start_of_a_turn_has_its_own_place() -> None:
    found: dict[tuple[int, ...], set[str]] = {}
    for state in positions(GAME, Phase.FIRST_ROLL, 3000):
        order = state.steps[state.turn :] + state.steps[: state.turn]
        matters = [((p.seat - state.turn) % 3, p.field, p.value) for p in state.tower if p.field]
        found.setdefault(at(state), set()).add(f"{order} {sorted(matters)}")
        assert best_response.possible()[at(state)[-2:]]
    assert len(found) > 1000 and all(len(texts) == 1 for texts in found.values())
    assert len(set.union(*found.values())) == len(found)
    assert best_response.possible().sum() == 18_301


@pytest.mark.parametrize("bot", ["simple", "regular"])
def test_rules_of_thumb_are_those_of_the_readable_bots(bot: str) -> None:
    decisions, readable = best_response.decisions_of(bot, GAME.finish), bots.load(bot, GAME)
    for state in positions(GAME, Phase.DECIDE, 300):
        assert best_response.action(decisions, state) == readable(GAME, state)


@pytest.mark.parametrize("levels", [values.LEVELS, 2])
def test_the_master_decides_as_the_readable_one_does(levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless two decisions are worth the same to six digits. It looks ahead by this number of steps."""
    monkeypatch.setattr(values, "LEVELS", levels)
    monkeypatch.setattr(best_response, "LEVELS", levels)
    game = ShortRapido(players=3, finish=4)
    decisions, known = best_response.decisions_of("master", game.finish), shipped(game)
    again = 0
    for state in positions(game, Phase.DECIDE, 600):
        worths, chosen = known.action_values(state), best_response.action(decisions, state)
        assert worths[chosen] == pytest.approx(max(worths.values()), abs=1e-6)
        again += chosen == Again()
    assert 100 < again < 500


class Bellman:
    """One turn by the rules as they are written, over given values of the starts of turns."""

    def __init__(self, proven: Proven, hero: int, decide: Callable[[State], Action]) -> None:
        self.starts, self.hero, self.decide = proven.low, hero, decide
        self.rolling = cache(self._rolling)

    def worth(self, state: State, turn: int) -> float:
        """How often the hero wins, from anywhere in somebody's turn or from the start of the next one."""
        if state.phase is Phase.OVER:
            return float(state.turn == self.hero)
        if state.turn != turn:
            return float(self.starts[((self.hero - state.turn) % 3, *at(state))])
        if state.phase is Phase.LATER_ROLL:
            return self.rolling(state)
        if turn != self.hero:
            return self.worth(GAME.apply(state, self.decide(state)), turn)
        return max(self.worth(GAME.apply(state, action), turn) for action in GAME.legal_actions(state))

    def rolled(self, state: State) -> float:
        """The mean over the dice."""
        falls = [GAME.apply(state, roll) for roll in ROLLS]
        return sum(self.worth(after, state.turn) for after in falls) / len(ROLLS)

    def _rolling(self, state: State) -> float:
        """Before a later roll: who rolls again without having climbed is back here, so it is repeated."""
        falls = [GAME.apply(state, roll) for roll in ROLLS]
        here = [fall for fall in falls if fall.phase is Phase.DECIDE and fall.steps == state.steps]
        sure = sum(self.worth(fall, state.turn) for fall in falls if fall not in here)
        choices = [self._choices(fall) for fall in here]
        mean = 0.0
        for _ in range(200):
            mean = (sure + sum(max(mean if worth is None else worth for worth in c) for c in choices)) / 36
        return mean

    def _choices(self, state: State) -> list[float | None]:
        """What each decision that may be taken is worth, None for rolling again."""
        actions = GAME.legal_actions(state) if state.turn == self.hero else (self.decide(state),)
        return [
            self.worth(GAME.apply(state, action), state.turn) if isinstance(action, Place) else None
            for action in actions
        ]


def test_the_engine_s_expectation_over_a_turn_is_the_value(masters: Decisions, best: Proven) -> None:
    """Bellman's equation, with the hero in every seat."""
    assert 0 < best.gap <= best_response.GAP
    for number, state in enumerate(positions(GAME, Phase.FIRST_ROLL, 45)):
        hero = number % 3
        bellman = Bellman(best, hero, lambda state: best_response.action(masters, state))
        value = best.low[((hero - state.turn) % 3, *at(state))]
        assert bellman.rolled(state) == pytest.approx(value, abs=best.gap)


def test_the_best_response_is_nowhere_worse_than_the_master(best: Proven, alike: Proven) -> None:
    possible = best_response.possible()
    assert (best.low <= best.high).all() and (alike.low <= alike.high).all()
    assert (best.high >= alike.low)[..., possible].all()
    for seat in range(3):
        assert best.of_seat(seat)[0] > alike.of_seat(seat)[0]


@pytest.mark.parametrize("seat", range(3))
def test_the_best_response_wins_as_often_as_computed(best: Proven, seat: int) -> None:
    """In the readable engine against readable masters, within three standard errors."""
    decisions, rng, games = best_response.best_decisions(best), random.Random(seat), 500
    master = bots.load("master", GAME)

    def decide(state: State) -> Action:
        if state.turn == seat:
            return best_response.action(decisions, state)
        chosen: Action = master(GAME, state)
        return chosen

    wins = 0
    for _ in range(games):
        *_, (_, end) = play_out(GAME, GAME.initial_state(), decide, lambda state: rng.choice(ROLLS))
        wins += end.turn == seat
    share = best.of_seat(seat)[0]
    assert wins / games == pytest.approx(share, abs=3 * (share * (1 - share) / games) ** 0.5)


def test_r12_r18_nobody_gains_by_one_turn_against_the_exact_solution() -> None:
    """The solution's values do not change, in no position: they are the only ones of the best response."""
    values, decisions = solved(finish=1)
    after = values.copy()
    with ThreadPoolExecutor(1) as pool:
        best_response.sweep(after, decisions, None, pool)
    np.testing.assert_allclose(after, values, rtol=0, atol=1e-8)


def test_r16_the_best_response_to_the_exact_solution_wins_what_the_solution_says() -> None:
    values, decisions = solved(finish=1)
    best = best_response.prove(1, decisions, gap=1e-3)
    assert best.gap <= 1e-3
    assert (best.low <= values + 1e-8).all() and (best.high >= values - 1e-8).all()


def test_the_master_of_two_decides_as_the_readable_one_does() -> None:
    """By shipped values, unless two decisions are worth the same to six digits."""
    game = ShortRapido(players=2, finish=1)
    decisions, known = best_response.decisions_of("master", game.finish, players=2), shipped(game)
    again = 0
    for state in positions(game, Phase.DECIDE, 300):
        worths = known.action_values(state)
        field = decisions[0, 0, tower_of(state), VALUES.index(state.value)]
        chosen = Again() if field == best_response.ROLL_AGAIN else Place(int(field))
        assert worths[chosen] == pytest.approx(max(worths.values()), abs=1e-6)
        again += chosen == Again()
    assert 20 < again < 280
