"""Two-player Rapido, solved: the worth of any position from the worth of every start of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from escadaria.games.rapido.index import tower_number
from escadaria.games.rapido.rolls import FALLS, RANK, roll_again, worth_of_doubles
from escadaria.games.rapido.rules import (
    DIE_A,
    VALUES,
    Action,
    Again,
    Pair,
    Phase,
    Place,
    Rapido,
    Roll,
    State,
    X,
)
from escadaria.solutions.solution import Bounds

ONE = 2**32 - 1
"""A probability of 1 as it is stored."""

Tower: TypeAlias = tuple[Pair, ...]

_LONGEST = Rapido(players=2, finish=Rapido.OPTIONS[1].high)
"""No score of one turn ends this race, so it shows what follows whatever the steps are."""


def file_name(game: Rapido) -> str:
    return f"rapido-2-{game.finish}.solution"


@dataclass(frozen=True, slots=True)
class Next:
    """What the other player finds after each way to end a turn."""

    climbed: np.ndarray
    """How far they climb by scoring (R18)."""
    tower: np.ndarray
    """The number of the tower then, as they see it."""


@lru_cache(maxsize=2**14)
def after_placing(seat: int, tower: Tower) -> tuple[tuple[int, ...], Next]:
    """The free fields, and what follows each of them (first axis) with each value (second axis)."""
    state = State(seat, Phase.DECIDE, VALUES[0], (0, 0), tower)
    fields = state.free_fields()
    found = [
        [_seen(_LONGEST.apply(State(seat, Phase.DECIDE, value, (0, 0), tower), Place(f))) for value in VALUES]
        for f in fields
    ]
    both = np.array(found)
    return fields, Next(both[..., 0], both[..., 1])


@lru_cache(maxsize=2**14)
def after_falling(seat: int, tower: Tower) -> tuple[int, int]:
    """How far the other player climbs, and the tower as they see it then (R12)."""
    falling = Roll(X, next(face for face in DIE_A if face != X))
    return _seen(_LONGEST.apply(State(seat, Phase.LATER_ROLL, 0, (0, 0), tower), falling))


def _seen(state: State) -> tuple[int, int]:
    return state.steps[state.turn], tower_of(state)


def tower_of(state: State) -> int:
    """The number of a position's tower."""
    pairs = [(pair.seat, (pair.field, RANK[pair.value] if pair.field else 0)) for pair in state.tower]
    own = [placed for seat, placed in pairs if seat == state.turn]
    return tower_number(own, [placed for seat, placed in pairs if seat != state.turn])


class RapidoSolution:
    """``values[own step, other's step, tower]`` is what the start of a turn is worth to the mover."""

    def __init__(self, game: Rapido, values: np.ndarray, bounds: Bounds) -> None:
        self.game = game
        self.values = values
        self.bounds = bounds

    def value(self, state: State) -> float:
        if state.phase is Phase.OVER:
            return 1.0
        if state.phase is Phase.FIRST_ROLL:
            own, other = state.steps[state.turn], state.steps[1 - state.turn]
            return float(self.values[own, other, tower_of(state)]) / ONE
        if state.phase is Phase.LATER_ROLL:
            return self._again(state)
        return max(self.action_values(state).values())

    def action_values(self, state: State) -> dict[Action, float]:
        if state.phase is not Phase.DECIDE:
            return {}
        fields, stops = self._stops(state)
        best: dict[Action, float] = {Again(): self._again(state)}
        return best | {
            Place(f): float(worth) for f, worth in zip(fields, stops[0, :, RANK[state.value]], strict=True)
        }

    def turn_values(self, state: State) -> tuple[tuple[int, ...], np.ndarray, float]:
        """The free fields, what placing is worth by [field, rank of the value], and what rolling again is.

        For the step, the tower and the seat to act, whatever it has rolled.
        """
        fields, stops = self._stops(state)
        return fields, stops[0], self._again(state)

    def _stops(self, state: State) -> tuple[tuple[int, ...], np.ndarray]:
        """The free fields; what placing is worth on [each step from the own, each field, each value]."""
        fields, after = after_placing(state.turn, state.tower)
        own, other = state.steps[state.turn], state.steps[1 - state.turn]
        steps = np.arange(own, self.game.finish)[:, None, None]
        return fields, self._lost_to(other + after.climbed, steps, after.tower)

    def _lost_to(self, mover: Any, other: Any, tower: Any) -> np.ndarray:
        """How often the player who is not to move wins; never once the mover has arrived (R15)."""
        arrived = mover >= self.game.finish
        values = self.values[np.where(arrived, 0, mover), other, tower] / ONE
        return np.where(arrived, 0.0, 1.0 - values)

    def _again(self, state: State) -> float:
        """The worth of rolling again on the own step, found from the finish down (R8, R10, R12)."""
        _, stops = self._stops(state)
        best = stops.max(axis=1)
        own, other, finish = state.steps[state.turn], state.steps[1 - state.turn], self.game.finish
        climbed, tower = after_falling(state.turn, state.tower)
        steps = np.arange(own, finish)
        fails = np.zeros(len(steps))
        for crosses, rolls in enumerate(FALLS, 1):
            fails += rolls * self._lost_to(other + climbed, np.maximum(steps - crosses, 0), tower)
        return best_again(finish - own, best, fails)


def best_again(left: int, best: np.ndarray, fails: np.ndarray) -> float:
    """The worth of rolling again on the first of the levels, found from the last down (R8, R10, R12).

    :param left: the number of steps from the first level to the finish.
    :param best: the worth of placing, by [level, value].
    :param fails: by level, the worth of rolls with an X, in 36ths.
    """
    again = np.empty(len(best))
    for level in reversed(range(len(best))):
        sure = float(fails[level]) + worth_of_doubles(left, level, best, again)
        again[level] = roll_again(sure, best[level].tolist())
    return float(again[0])


def opened(game: Rapido, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> RapidoSolution:
    """The solution from what its file holds."""
    return RapidoSolution(game, arrays["values"], Bounds(*about["bounds"]))
