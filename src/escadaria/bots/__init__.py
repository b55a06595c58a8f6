"""Bots: who decides when no person does. A bot sees the position and never the dice to come.

A bot of one's own is a function; it needs no registering to be used from Python::

    def cautious(game, state):
        return game.legal_actions(state)[-1]
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from escadaria.bots import simple
from escadaria.game import AnyGame, GameError


class UnknownBot(GameError):
    """A bot that does not exist, or that does not play this game."""

    code = "unknown_bot"


class Bot(Protocol):
    """Decides for the seat to act."""

    def __call__(self, game: AnyGame, state: Any, /) -> Any:
        """One of ``game.legal_actions(state)``. Asked only where there is at least one."""


Maker = Callable[[AnyGame, random.Random], Bot]


def _random(game: AnyGame, rng: random.Random) -> Bot:
    return lambda game, state: rng.choice(game.legal_actions(state))


def _simple(game: AnyGame, rng: random.Random) -> Bot:
    return simple.BOTS[game.name]


BOTS: Mapping[str, Maker] = {"random": _random, "simple": _simple}
"""From a bot's name to what makes one for a game; weakest first."""


def load(name: str, game: AnyGame, rng: random.Random | None = None) -> Bot:
    """The bot with this name. Its whims, if it has any, come from ``rng``.

    :raises UnknownBot: if there is none.
    """
    if name not in BOTS:
        raise UnknownBot(f"there is no bot {name!r}, there are {', '.join(BOTS)}")
    return BOTS[name](game, rng or random.Random())
