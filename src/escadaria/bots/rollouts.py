"""Generic bots that evaluate each action by random rollouts, for games without bots in their kit."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from escadaria.dice import equal_shares
from escadaria.game import AnyGame, play_out

GAMES: Mapping[str, int] = {"simple": 2, "tourist": 1, "regular": 4, "expert": 12, "master": 36}
"""By bot: the number of random games after each action."""

MOST_PLIES = 100_000
"""The number of plies after which a rollout is abandoned, since it might never end."""


def maker(name: str) -> Callable[[AnyGame, random.Random], Rollouts]:
    """The maker of the bot with this name."""
    return lambda game, rng: Rollouts(GAMES[name], rng)


class Rollouts:
    """Chooses the action after which its seat wins the most random games; ties are broken at random."""

    source = "rollouts"

    def __init__(self, games: int, rng: random.Random) -> None:
        self.games, self.rng = games, rng

    def __call__(self, game: AnyGame, state: Any) -> Any:
        legal = game.legal_actions(state)
        if len(legal) == 1:
            return legal[0]
        wins = [self._wins(game, game.apply(state, action), state.turn) for action in legal]
        best = [action for action, won in zip(legal, wins, strict=True) if won == max(wins)]
        return self.rng.choice(best)

    def _wins(self, game: AnyGame, state: Any, seat: int) -> int:
        def decide(state: Any) -> Any:
            return self.rng.choice(game.legal_actions(state))

        return sum(winner(game, state, decide, self.rng) == seat for _ in range(self.games))


def winner(game: AnyGame, state: Any, decide: Callable[[Any], Any], dice: random.Random) -> int | None:
    """Play the game to its end and return the winning seat; None if it takes more than ``MOST_PLIES``."""

    def roll(state: Any) -> Any:
        return dice.choice(equal_shares(game.chance_outcomes(state)))[0]

    for _, after in islice(play_out(game, state, decide, roll), MOST_PLIES):
        state = after
    outcome = game.outcome(state)
    return outcome.winner if outcome is not None else None
