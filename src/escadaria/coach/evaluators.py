"""Judges: who can say how often each seat wins from a position, the best one that is at hand.

A solution is exact; values that ship are learned and nearly so; where there are neither, bots play
on from the position as many games as one likes to wait for.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Protocol, runtime_checkable

from escadaria import solutions
from escadaria.bots import Bots
from escadaria.bots import load as load_bot
from escadaria.bots.rollouts import winner
from escadaria.catalogue import kit_of
from escadaria.game import TERMINAL, AnyGame, BadOptions, GameError
from escadaria.solutions import Solution

EXACT, VALUES, ROLLOUTS = "exact", "values", "rollouts"

MOST_GAP = 1e-3
"""How far proven bounds may be apart to be called exact: a tenth of a percent, the least that is shown."""

FEW_ROLLOUTS = 100
"""The number of games from each position where nobody said how many, for games without values."""

Shares = tuple[float, ...]
"""How often each seat wins; they sum to 1."""


class NoJudge(GameError):
    """Nothing can say what positions of this game are worth."""

    code = "no_judge"


@dataclass(frozen=True, slots=True)
class Source:
    """Where figures come from."""

    kind: str
    """``exact``, ``values`` (they ship, and were learned) or ``rollouts``."""
    gap: float = 0.0
    """How far the proven bounds of an exact figure are apart at most."""
    games: int = 0
    """How many games were played on from a position."""
    bot: str = ""
    """Who played them."""

    def data(self) -> dict[str, Any]:
        own: dict[str, dict[str, Any]] = {
            EXACT: {"gap": self.gap},
            ROLLOUTS: {"games": self.games, "bot": self.bot},
        }
        return {"kind": self.kind, **own.get(self.kind, {})}


class Judge(Protocol):
    """Knows how often each seat wins."""

    @property
    def source(self) -> Source:
        """Where its figures come from."""

    def shares(self, state: Any) -> Shares:
        """How often each seat wins from here, at any node."""

    def options(self, state: Any) -> Mapping[Any, Shares]:
        """The same after each legal action, in the game's order; empty where there is nothing to decide."""

    def error(self, state: Any) -> Shares:
        """The standard error of each share; zeros where nothing was left to chance."""


class Evaluator(Protocol):
    """A solution or shipped values."""

    def value(self, state: Any) -> float:
        """How often the seat wins whose turn it is."""

    def action_values(self, state: Any) -> Mapping[Any, float]:
        """The same after each legal action."""


@runtime_checkable
class SeatsEvaluator(Evaluator, Protocol):
    """One that knows more than two players apart."""

    def seats(self, state: Any) -> Shares:
        """How often each seat wins, at any node."""


def find(game: AnyGame, rollouts: int = 0) -> Judge:
    """The best judge at hand; with ``rollouts`` one that plays so many games from each position.

    A game whose kit has no values gets rollouts anyway.

    :raises NoJudge: if the kit has values, but neither they nor a solution know this game.
    """
    if rollouts:
        return Rollouts(game, rollouts)
    solution = solutions.find(game)
    if solution is not None and solution.bounds.gap <= MOST_GAP:
        return exact(solution)
    if kit_of(game).values is None:
        return Rollouts(game, FEW_ROLLOUTS)
    values = _shipped(game)
    if values is None:
        raise NoJudge(f"neither a solution nor values of {game.name} for {game.players} players are at hand")
    return Valued(game, values, Source(VALUES))


def exact(solution: Solution) -> Judge:
    """A judge by a solution."""
    return Valued(solution.game, solution, Source(EXACT, gap=solution.bounds.gap))


class Values(Protocol):
    """A kit's part ``values``."""

    def evaluator(self, game: Any, /) -> SeatsEvaluator | None:
        """What knows the worth of positions of this game; None if nothing does."""


def _shipped(game: AnyGame) -> SeatsEvaluator | None:
    kit = kit_of(game)
    if kit.values is None:
        return None
    part: Values = kit.values()
    return part.evaluator(game)


def rollout_bot(game: AnyGame) -> str:
    """Who plays on: the game's own ``simple`` bot, else chance."""
    kit = kit_of(game)
    if kit.bots is None:
        return "random"
    part: Bots = kit.bots()
    return "simple" if "simple" in part.BOTS else "random"


class Valued:
    """A judge by an evaluator. What it once said of a position it says again at no cost."""

    def __init__(self, game: AnyGame, evaluator: Evaluator, source: Source) -> None:
        self.game, self.evaluator, self.source = game, evaluator, source
        self._known: dict[Any, Shares] = {}

    def shares(self, state: Any) -> Shares:
        if state not in self._known:
            self._known[state] = self._shares(state)
        return self._known[state]

    def options(self, state: Any) -> Mapping[Any, Shares]:
        legal = self.game.legal_actions(state)
        after = [self.game.apply(state, action) for action in legal]
        if self.game.players == 2 and legal:
            values = self.evaluator.action_values(state)  # all at once: they share most of the work
            for position, action in zip(after, legal, strict=True):
                self._known[position] = _of_two(state.turn, values[action])
        return {action: self.shares(position) for action, position in zip(legal, after, strict=True)}

    def error(self, state: Any) -> Shares:
        return (0.0,) * self.game.players

    def _shares(self, state: Any) -> Shares:
        outcome = self.game.outcome(state)
        if outcome is not None:
            return tuple(float(seat == outcome.winner) for seat in range(self.game.players))
        if self.game.players == 2:
            return _of_two(state.turn, self.evaluator.value(state))
        assert isinstance(self.evaluator, SeatsEvaluator), "only two players need no more than values"
        return self.evaluator.seats(state)


def _of_two(seat: int, value: float) -> Shares:
    return (value, 1.0 - value) if seat == 0 else (1.0 - value, value)


class Rollouts:
    """A judge that lets bots play on. The same position always gets the same games.

    What it says of a position is how often each seat wins when bots of this kind take over. So where a
    player is to decide, the figure is that of the bot's own choice, not that of the best option: the best
    of several uncertain figures looks better than it is, and luck would seem to grow with every roll.
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

    def options(self, state: Any) -> Mapping[Any, Shares]:
        legal = self.game.legal_actions(state)
        return {action: self.shares(self.game.apply(state, action)) for action in legal}

    def error(self, state: Any) -> Shares:
        if self.game.legal_actions(state):
            return self.error(self.game.apply(state, self._bot(self.game, state)))
        if self.game.current_player(state) == TERMINAL:
            return (0.0,) * self.game.players
        games = self.source.games
        # One win and one loss more keep it from saying that nothing is uncertain when all games went one way.
        shares = [(wins + 1) / (games + 2) for wins in self._played(state)]
        return tuple(sqrt(share * (1 - share) / games) for share in shares)

    def _played(self, state: Any) -> tuple[int, ...]:
        if state not in self._wins:
            self._dice.seed(str(state))
            wins = [0] * self.game.players
            for _ in range(self.source.games):
                seat = winner(self.game, state, lambda state: self._bot(self.game, state), self._dice)
                if seat is None:
                    raise NoJudge(f"{self.source.bot} bots never end a game of {self.game.name}")
                wins[seat] += 1
            self._wins[state] = tuple(wins)
        return self._wins[state]
