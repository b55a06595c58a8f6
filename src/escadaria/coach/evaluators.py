"""Evaluators: the win probability of each seat in a position.

A solution is exact. Shipped values are learned and nearly exact. Without either, the probabilities are
estimated by games of bots from the position (rollouts).
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from math import sqrt
from typing import Any, Protocol, TypeVar, runtime_checkable

from escadaria import solutions
from escadaria.bots import load as load_bot
from escadaria.bots.rollouts import winner
from escadaria.catalogue import kit_of
from escadaria.game import TERMINAL, AnyGame, BadOptions, GameError
from escadaria.solutions import PositionValues, Solution

EXACT, VALUES, ROLLOUTS = "exact", "values", "rollouts"

MOST_GAP = 1e-3
"""The largest distance between proven bounds that counts as exact: 0.1 %, the smallest step shown."""

FEW_ROLLOUTS = 100
"""The default number of games from each position, for games without values."""

T = TypeVar("T")

Shares = tuple[float, ...]
"""The win probability of each seat; they sum to 1."""


class NoEvaluator(GameError):
    """There is no evaluator for this game."""

    code = "no_evaluator"


@dataclass(frozen=True, slots=True)
class Source:
    """The source of an evaluator's figures."""

    kind: str
    """``exact``, ``values`` (learned, and shipped) or ``rollouts``."""
    gap: float = 0.0
    """The largest distance between the proven bounds of an exact figure."""
    games: int = 0
    """The number of rollouts from each position."""
    bot: str = ""
    """The bot that plays the rollouts."""

    def known_error(self, error: T) -> T | None:
        """An error for JSON. That of learned values is not known: they are neither sampled nor exact."""
        return None if self.kind == VALUES else error

    def data(self) -> dict[str, Any]:
        own: dict[str, dict[str, Any]] = {
            EXACT: {"gap": self.gap},
            ROLLOUTS: {"games": self.games, "bot": self.bot},
        }
        return {"kind": self.kind, **own.get(self.kind, {})}


@dataclass(frozen=True, slots=True)
class ActionValue:
    """A legal action with its win probabilities."""

    action: Any
    shares: Shares
    """The win probability of each seat after it."""
    error: float
    """The standard error for the seat that decides."""


class Evaluator(Protocol):
    """Estimates the win probability of each seat."""

    @property
    def source(self) -> Source:
        """The source of its figures."""

    def shares(self, state: Any) -> Shares:
        """The win probability of each seat, at any node."""

    def options(self, state: Any) -> tuple[ActionValue, ...]:
        """The legal actions, the best for the seat to act first; empty at other nodes."""

    def error(self, state: Any) -> Shares:
        """The standard error of each share by sampling; zeros if nothing was sampled."""


@runtime_checkable
class SeatValues(PositionValues, Protocol):
    """Position values for each seat, for any number of players."""

    def seats(self, state: Any) -> Shares:
        """The win probability of each seat, at any node."""


def find(game: AnyGame, rollouts: int = 0) -> Evaluator:
    """The best evaluator available; with ``rollouts``, one that plays this number of rollouts.

    A game whose kit has no values always gets rollouts.

    :raises NoEvaluator: if the kit has values, but neither they nor a solution cover this game.
    """
    if rollouts:
        return RolloutEvaluator(game, rollouts)
    solution = solutions.find(game)
    if solution is not None and solution.bounds.gap <= MOST_GAP:
        return exact(solution)
    kit = kit_of(game)
    if kit.values is None:
        return RolloutEvaluator(game, FEW_ROLLOUTS)
    values = kit.values().shipped(game)
    if values is None:
        raise NoEvaluator(f"there is neither a solution nor values of {game.name} for {game.players} players")
    return ValueEvaluator(game, values, Source(VALUES))


def exact(solution: Solution) -> Evaluator:
    """An evaluator that reads a solution."""
    return ValueEvaluator(solution.game, solution, Source(EXACT, gap=solution.bounds.gap))


def rollout_bot(game: AnyGame) -> str:
    """The bot that plays rollouts: the game's ``simple`` bot, else ``random``."""
    part = kit_of(game).bots
    return "simple" if part is not None and "simple" in part().BOTS else "random"


class ValueEvaluator:
    """An evaluator that reads position values and caches them."""

    def __init__(self, game: AnyGame, values: PositionValues, source: Source) -> None:
        self.game, self.values, self.source = game, values, source
        self._known: dict[Any, Shares] = {}

    def shares(self, state: Any) -> Shares:
        if state not in self._known:
            self._known[state] = self._shares(state)
        return self._known[state]

    def options(self, state: Any) -> tuple[ActionValue, ...]:
        legal = self.game.legal_actions(state)
        after = [self.game.apply(state, action) for action in legal]
        if self.game.players == 2 and legal:
            values = self.values.action_values(state)  # all together: they share most of the work
            for position, action in zip(after, legal, strict=True):
                self._known[position] = _of_two(state.turn, values[action])
        return _best_first(state.turn, map(ActionValue, legal, map(self.shares, after), repeat(0.0)))

    def error(self, state: Any) -> Shares:
        return (0.0,) * self.game.players

    def _shares(self, state: Any) -> Shares:
        outcome = self.game.outcome(state)
        if outcome is not None:
            return tuple(float(seat == outcome.winner) for seat in range(self.game.players))
        if self.game.players == 2:
            return _of_two(state.turn, self.values.value(state))
        assert isinstance(self.values, SeatValues), "more than two players need a share for each seat"
        return self.values.seats(state)


def _best_first(seat: int, options: Iterable[ActionValue]) -> tuple[ActionValue, ...]:
    return tuple(sorted(options, key=lambda option: -option.shares[seat]))


def _of_two(seat: int, value: float) -> Shares:
    return (value, 1.0 - value) if seat == 0 else (1.0 - value, value)


class RolloutEvaluator:
    """An evaluator that plays rollouts. The same position always gets the same games.

    At a decision node the shares are those after the bot's own choice, not after the best option: the
    maximum of several uncertain estimates is biased upwards, and every roll would seem lucky.
    """

    def __init__(self, game: AnyGame, games: int) -> None:
        if games < 2:
            raise BadOptions(f"at least two games must be played from a position, not {games}")
        bot = rollout_bot(game)
        self.game, self.source = game, Source(ROLLOUTS, games=games, bot=bot)
        self._dice = random.Random()
        self._bot = load_bot(bot, game, self._dice)
        self._wins: dict[Any, tuple[int, ...]] = {}

    def shares(self, state: Any) -> Shares:
        if self.game.legal_actions(state):
            return self.shares(self.game.apply(state, self._bot(self.game, state)))
        return tuple(wins / self.source.games for wins in self._played(state))

    def options(self, state: Any) -> tuple[ActionValue, ...]:
        options = []
        for action in self.game.legal_actions(state):
            after = self.game.apply(state, action)
            options.append(ActionValue(action, self.shares(after), self.error(after)[state.turn]))
        return _best_first(state.turn, options)

    def error(self, state: Any) -> Shares:
        if self.game.legal_actions(state):
            return self.error(self.game.apply(state, self._bot(self.game, state)))
        if self.game.current_player(state) == TERMINAL:
            return (0.0,) * self.game.players
        games = self.source.games
        # Add one win and one loss, so that the error is not 0 when one seat wins all games.
        shares = [(wins + 1) / (games + 2) for wins in self._played(state)]
        return tuple(sqrt(share * (1 - share) / games) for share in shares)

    def _played(self, state: Any) -> tuple[int, ...]:
        if state not in self._wins:
            self._dice.seed(str(state))
            wins = [0] * self.game.players
            for _ in range(self.source.games):
                seat = winner(self.game, state, lambda state: self._bot(self.game, state), self._dice)
                if seat is None:
                    raise NoEvaluator(f"{self.source.bot} bots never end a game of {self.game.name}")
                wins[seat] += 1
            self._wins[state] = tuple(wins)
        return self._wins[state]
