"""Bots: who decides when no person does. A bot sees the position and never the dice to come.

``random`` and ``simple`` stand beside the levels ``tourist``, ``regular``, ``expert`` and ``master``, of
which each plays better than the one before at every number of players. A bot that knows may have a
``source``, which says what it plays by.

A bot of one's own is a function; it needs no registering to be used from Python::

    def cautious(game, state):
        return game.legal_actions(state)[-1]
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
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


LEVELS = ("tourist", "regular", "expert", "master")
"""Weakest first."""

_MAKERS: Mapping[str, str] = {"rapido": "escadaria.games.rapido.bots", "chain": "escadaria.games.chain.bots"}
"""From a game to the module that has its levels: ``MAKERS`` there goes from a level to a ``Maker``.

A module is imported when one of its bots is wanted; it may need NumPy.
"""


def _level(name: str, game: AnyGame, rng: random.Random) -> Bot:
    if game.name not in _MAKERS:
        raise UnknownBot(f"the bot {name!r} does not play {game.name}")
    makers: Mapping[str, Maker] = import_module(_MAKERS[game.name]).MAKERS
    return makers[name](game, rng)


BOTS: Mapping[str, Maker] = {
    "random": _random,
    "simple": _simple,
    **{level: partial(_level, level) for level in LEVELS},
}
"""From a bot's name to what makes one for a game."""


def playing(game: str) -> tuple[str, ...]:
    """The bots that play a game."""
    return tuple(name for name in BOTS if name not in LEVELS or game in _MAKERS)


def load(name: str, game: AnyGame, rng: random.Random | None = None) -> Bot:
    """The bot with this name. Its whims, if it has any, come from ``rng``.

    :raises UnknownBot: if there is none, or if it does not play this game.
    """
    if name not in BOTS:
        raise UnknownBot(f"there is no bot {name!r}, there are {', '.join(BOTS)}")
    return BOTS[name](game, rng or random.Random())
