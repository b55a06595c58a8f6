"""Bots. A bot is a function of the game and the position; it never sees future dice.

Besides ``random`` and ``simple`` there are the levels ``tourist``, ``regular``, ``expert`` and ``master``,
each stronger than the one before at every number of players. Bots are part of a game's kit; a game without
bots gets bots that evaluate each decision by random rollouts. A bot may have an attribute ``source``: what
its decisions are based on.

Your own bot is a function, and need not be registered to be used from Python::

    def cautious(game, state):
        return game.legal_actions(state)[-1]
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeVar

from escadaria.bots import rollouts
from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, GameError


class UnknownBot(GameError):
    """A bot that does not exist."""

    code = "unknown_bot"


G = TypeVar("G", bound=AnyGame, contravariant=True)
S = TypeVar("S", contravariant=True)
A = TypeVar("A", covariant=True)


class Bot(Protocol[G, S, A]):
    """Decides for the seat to act in games ``G``, whose positions are ``S`` and whose actions are ``A``."""

    def __call__(self, game: G, state: S, /) -> A:
        """One of ``game.legal_actions(state)``. Called only if there is at least one."""


AnyBot = Bot[Any, Any, Any]
"""A bot of any type, for code that works with all games."""


Maker = Callable[[Any, random.Random], Callable[[Any, Any], Any]]
"""Creates a bot for a game; its noise comes from the generator."""


class Bots(Protocol):
    """A kit's part ``bots``."""

    @property
    def BOTS(self) -> Mapping[str, Maker]:
        """Makers by name: ``simple`` or one of the levels. Missing names get a generic bot."""


LEVELS = ("tourist", "regular", "expert", "master")
"""Weakest first."""


def _random(game: AnyGame, rng: random.Random) -> AnyBot:
    return lambda game, state: rng.choice(game.legal_actions(state))


def _of_kit(name: str, game: AnyGame, rng: random.Random) -> AnyBot:
    """The kit's bot with this name, or a rollout bot."""
    kit = kit_of(game)
    if kit.bots is not None:
        part: Bots = kit.bots()
        if name in part.BOTS:
            return part.BOTS[name](game, rng)
    return rollouts.maker(name)(game, rng)


BOTS: Mapping[str, Maker] = {
    "random": _random,
    **{name: partial(_of_kit, name) for name in ("simple", *LEVELS)},
}
"""Makers by the name of the bot."""


def load(name: str, game: AnyGame, rng: random.Random | None = None) -> AnyBot:
    """Create the bot with this name. Its noise, if any, comes from ``rng``.

    :raises UnknownBot: if there is none.
    """
    if name not in BOTS:
        raise UnknownBot(f"there is no bot {name!r}, there are {', '.join(BOTS)}")
    return BOTS[name](game, rng or random.Random())
