"""The exact values of all positions within a turn of Rapido, given the values of turn starts (R7-R14).

A turn ends when the pair is placed or a later roll shows an X. The tower and the score of the next seat do
not depend on the steps, so they are computed once for all steps and all values of the pair.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from escadaria.games.rapido.rolls import FALLS, RANK, RANKS, roll_again, worth_of_doubles
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

Tower: TypeAlias = tuple[Pair, ...]
Values: TypeAlias = npt.NDArray[np.floating[Any]]
Ints: TypeAlias = npt.NDArray[np.int64]

_FALL = Roll(X, next(face for face in DIE_A if face != X))


class Ends(NamedTuple):
    """The start of the next turn, for each way to end this one."""

    fields: tuple[int, ...]
    """The free fields."""
    climbed: Ints
    """[field, value]: the steps that the next seat scores after the pair is placed (R7, R18)."""
    towers: Ints
    """[number, field, value]: the tower after that, encoded by ``ByTurns.encode_tower``."""
    climbed_after_fall: int
    """The steps that the next seat scores after an X (R12)."""
    tower_after_fall: Ints
    """[number]: the tower after an X."""


class Plan(NamedTuple):
    """The values of the choices in a turn, on the own step and on those that doubles lead to (R10)."""

    fields: tuple[int, ...]
    """The free fields."""
    stops: Values
    """[steps climbed, field, value]: the value of placing."""
    again: float
    """The value of rolling again on the own step (R8)."""


class ByTurns(ABC):
    """An evaluator that computes the values within a turn from those of the turn starts after it."""

    levels = Rapido.OPTIONS[1].high
    """The number of steps for which a turn is computed, from the own one up."""

    def __init__(self, game: Rapido) -> None:
        self.game = game
        # With the longest race no score ends the match, so the ends of a turn are the same for all steps.
        self._longest = Rapido(game.players, finish=Rapido.OPTIONS[1].high)
        self._ends = lru_cache(maxsize=256)(self._find_ends)
        self._plan = lru_cache(maxsize=16)(self._compute_plan)

    @abstractmethod
    def encode_tower(self, state: State) -> tuple[int, ...]:
        """The tower at the start of a turn, as the numbers that ``outlooks`` takes."""

    @abstractmethod
    def outlooks(self, steps: Ints, towers: Ints) -> Values:
        """[position, seat from the one to move]: the probability that each seat wins, at turn starts.

        :param steps: [seat from the one to move, position]
        :param towers: [number, position]
        """

    def value(self, state: State) -> float:
        """The probability that the seat whose turn it is wins, at any node."""
        if state.phase is Phase.OVER:
            return 1.0
        if state.phase is Phase.FIRST_ROLL:
            return float(self._starts([state])[0, 0])
        if state.phase is Phase.LATER_ROLL:
            return self.plan(state).again
        return max(self.action_values(state).values())

    def action_values(self, state: State) -> dict[Action, float]:
        """By legal action: the probability that the seat to act wins."""
        if state.phase is not Phase.DECIDE:
            return {}
        plan = self.plan(state)
        placed = zip(plan.fields, plan.stops[0, :, RANK[state.value]], strict=True)
        return {Again(): plan.again, **{Place(field): float(worth) for field, worth in placed}}

    def plan(self, state: State) -> Plan:
        """The plan of a position's turn. It does not depend on the dice so far; the last ones are cached."""
        return self._plan(state.turn, state.steps, state.tower)

    def _starts(self, states: list[State]) -> Values:
        """[position, seat from the one to move]"""
        steps = [_from_seat(state.turn, state.steps) for state in states]
        towers = [self.encode_tower(state) for state in states]
        return self.outlooks(np.array(steps).T, np.array(towers).T)

    def _compute_plan(self, seat: int, steps: tuple[int, ...], tower: Tower) -> Plan:
        ends, order = self._ends(seat, tower), _from_seat(seat, steps)
        levels = np.arange(steps[seat], min(self.game.finish, steps[seat] + self.levels))
        stops = self._ended(order, levels[:, None, None], ends.climbed[None], ends.towers[:, None])
        fallen = np.maximum([levels - 1, levels - 2], 0)  # R12
        after_fall = ends.tower_after_fall[:, None, None]
        one, two = self._ended(order, fallen, ends.climbed_after_fall, after_fall)
        fails = FALLS[0] * one + FALLS[1] * two
        again = best_again(self.game.finish - steps[seat], stops.max(axis=1), fails)
        return Plan(ends.fields, stops, again)

    def _ended(self, order: tuple[int, ...], own: Ints, climbed: Ints | int, towers: Ints) -> Values:
        """The probability that the seat that has just played wins, from its step ``own``.

        It is 0 once the next seat has arrived (R15).
        """
        shape = np.broadcast_shapes(own.shape, np.shape(climbed))
        arrived = np.broadcast_to(order[1] + climbed >= self.game.finish, shape)
        steps = np.empty((len(order), *shape), np.int64)
        for seat, step in enumerate(order[1:]):
            steps[seat] = step
        steps[0] += np.where(arrived, 0, climbed)
        steps[-1] = own
        towers = np.broadcast_to(towers, (len(towers), *shape)).reshape(len(towers), -1)
        found = self.outlooks(steps.reshape(len(order), -1), towers)[:, -1].reshape(shape)
        return np.where(arrived, 0.0, found)

    def _find_ends(self, seat: int, tower: Tower) -> Ends:
        def ended(phase: Phase, value: int, action: Action) -> State:
            return self._longest.apply(State(seat, phase, value, (0,) * self.game.players, tower), action)

        fallen = ended(Phase.LATER_ROLL, 0, _FALL)
        tower_after_fall = self.encode_tower(fallen)
        fields = State(seat, Phase.DECIDE, VALUES[0], fallen.steps, tower).free_fields()
        climbed = np.empty((len(fields), RANKS), np.int64)
        towers = np.empty((len(tower_after_fall), len(fields), RANKS), np.int64)
        # All values between two on the tower throw out the same pairs (R14): the first one is applied.
        bounds = sorted({0, *(RANK[pair.value] for pair in tower), RANKS})
        for first, end in pairwise(bounds):
            for row, field in enumerate(fields):
                after = ended(Phase.DECIDE, VALUES[first], Place(field))
                climbed[row, first:end] = after.steps[after.turn]
                for rank in range(first, end) if field else (first,):
                    encoded = self.encode_tower(_revalued(after, field, rank))
                    towers[:, row, rank:end] = np.array(encoded)[:, None]
        return Ends(fields, climbed, towers, fallen.steps[fallen.turn], np.array(tower_after_fall))


def _revalued(state: State, field: int, rank: int) -> State:
    """The position with another value on a field; on field 0 values do not matter."""
    pairs = (Pair(field, pair.seat, VALUES[rank]) if pair.field == field else pair for pair in state.tower)
    return State(state.turn, state.phase, state.value, state.steps, tuple(pairs)) if field else state


def best_again(left: int, best: Values, fails: Values) -> float:
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


def _from_seat(seat: int, steps: tuple[int, ...]) -> tuple[int, ...]:
    """The steps from this seat on, in the order of turns."""
    return steps[seat:] + steps[:seat]
