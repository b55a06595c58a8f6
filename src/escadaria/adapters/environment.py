"""What environments of one match share: bots decide for some seats, the others decide from outside.

Gymnasium's and PettingZoo's environments are built on it. ``escadaria.compute.batch`` does the same for
thousands of matches, by compiled code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from escadaria.adapters import observation, rendering
from escadaria.adapters.rewards import (
    END,
    ILLEGAL,
    ILLEGAL_REWARD,
    RAISE,
    TRIES,
    WIN,
    ZERO_SUM,
    Potential,
    check,
    potential_of,
    zero_sum,
)
from escadaria.bots import AnyBot
from escadaria.catalogue import load
from escadaria.dice import equal_shares
from escadaria.game import CHANCE, TERMINAL, AnyGame, BadOptions, IllegalAction, read_position, refusal


def check_options(options: Mapping[str, Any] | None, known: Sequence[str]) -> Mapping[str, Any]:
    """The options of a reset. :raises BadOptions: if there are others."""
    if unknown := set(options or ()) - set(known):
        raise BadOptions(f"options of reset are {', '.join(known)}, not {', '.join(map(str, unknown))}")
    return options or {}


def observation_space(game: AnyGame) -> spaces.Space[observation.Vector]:
    box: spaces.Space[Any] = spaces.Box(0, 1, (sum(observation.sizes(game).values()),), np.float32)
    return box


class Environment(ABC):
    """A match that stops where a seat decides from outside, or at its end."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium and PettingZoo declare it
        "render_modes": list(rendering.MODES),
        "render_fps": 2,
    }
    position: Any
    legal: npt.NDArray[np.int8]
    """For each action 1 if it is legal now, else 0."""
    over: bool
    """Whether the match is over, also by an illegal action."""
    refused: str
    """Why the last action was not legal; empty after a legal one."""

    def __init__(
        self,
        game: str,
        *,
        reward: str | Potential = ZERO_SUM,
        discount: float = 1.0,
        illegal: str = END,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """All other options are the game's.

        :param game: its name in ``escadaria.GAMES``.
        :param reward: one of ``rewards.REWARDS``, or a function from a position to a value for each seat that
            shapes zero-sum rewards.
        :param discount: the learner's for one decision, for rewards by a potential.
        :param illegal: how an illegal action is handled, one of ``rewards.ILLEGAL``.
        :param render_mode: ``human`` prints the position, ``ansi`` returns a text, ``rgb_array`` pixels.
        :raises BadOptions: if there is no such game or option.
        """
        check(illegal=(illegal, ILLEGAL), render_mode=(render_mode, (None, *rendering.MODES)))
        self.game, self.illegal, self.render_mode = load(game, **options), illegal, render_mode
        self.bots: Mapping[int, AnyBot] = {}
        """By seat; all other seats decide from outside."""
        self._wins, self._discount = reward == WIN, discount
        self._potential = potential_of(self.game, reward)
        self._outcomes: Any = None
        self._shares: Any = None

    @abstractmethod
    def roll(self, sides: int) -> int:
        """A number from 0 to ``sides - 1`` by the random numbers of the dice."""

    @abstractmethod
    def draw(self, sides: int) -> int:
        """The same by other random numbers, for a random legal action."""

    @abstractmethod
    def prepare(self) -> None:
        """Called before each match."""

    def start(self, options: Mapping[str, Any] | None) -> None:
        """Begin a match; one that ends before the first decision from outside is not counted.

        :param options: ``state`` is a position to start from, as itself or as text.
        :raises InvalidText: if that is not a position of this game.
        :raises BadOptions: if there is another option, or no seat decides from outside after the position.
        """
        given = check_options(options, ["state"]).get("state")
        start = self.game.initial_state() if given is None else read_position(self.game, given)
        for _ in range(TRIES):
            self.prepare()
            self.position, self.refused = start, ""
            self._turn: list[tuple[Any, Any]] = []  # positions and actions of the current turn
            self._advance()
            if not self.over:
                self._value = self._potential(self.position) if self._potential else []
                return
        raise BadOptions(f"{TRIES} matches from this position ended before a decision: {start}")

    def play(self, action: Any) -> list[float]:
        """Play an action, then the dice and the bots until the next decision; the rewards by seat.

        :raises IllegalAction: if it is not legal, and illegal actions raise; or not an action's number.
        """
        error = self.refusal(action)
        if error is not None and self.illegal == RAISE:
            raise error
        self.refused = "" if error is None else str(error)
        if error is not None and self.illegal == END:
            self.over = True
            players = range(self.game.players)
            return [ILLEGAL_REWARD if seat == self.position.turn else 0.0 for seat in players]
        if error is not None:
            legal = np.flatnonzero(self.legal)
            action = legal[self.draw(len(legal))]
        self._apply(self.game.actions[action])
        self._advance()
        return self._rewards()

    def refusal(self, action: Any) -> IllegalAction | None:
        """Why an action is not legal now. :raises IllegalAction: if it is not an action's number."""
        observation.action_of(self.game, action)
        return None if self.legal[action] else refusal(self.game, self.position, int(action))

    def render(self) -> Any:
        """Render the position in the render mode; None without one."""
        return rendering.render(self.render_mode, self.game, self.position, self._turn)

    def _advance(self) -> None:
        """Roll the dice and let the bots decide until a decision from outside, or the end."""
        game, roll = self.game, self.roll
        while (seat := game.current_player(self.position)) == CHANCE or seat in self.bots:
            if seat == CHANCE:
                outcomes = game.chance_outcomes(self.position)
                if outcomes is not self._outcomes:
                    self._outcomes, self._shares = outcomes, equal_shares(outcomes)
                shares = self._shares
                self._apply(shares[roll(len(shares))][0])
            else:
                self._apply(self.bots[seat](game, self.position))
        self.over = seat == TERMINAL
        self.legal = observation.mask(game, self.position)

    def _rewards(self) -> list[float]:
        """By seat, of the last decision."""
        players = self.game.players
        if not self.over and self._potential is None:
            return [0.0] * players
        rewards = zero_sum(self.game.outcome(self.position) if self.over else None, players)
        if self._wins:
            return [max(reward, 0.0) for reward in rewards]
        if self._potential is None:
            return rewards
        before, self._value = self._value, [0.0] * players if self.over else self._potential(self.position)
        shaped = zip(rewards, self._value, before, strict=True)
        return [reward + self._discount * after - value for reward, after, value in shaped]

    def _apply(self, action: Any) -> None:
        after = self.game.apply(self.position, action)
        if after.turn == self.position.turn:
            self._turn.append((self.position, action))
        else:
            self._turn = []
        self.position = after
