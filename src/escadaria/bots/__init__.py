"""Bots: who decides when no person does. A bot sees the position and never the dice to come.

``random`` and ``simple`` stand beside the levels ``tourist``, ``regular``, ``expert`` and ``master``, of
which each plays better than the one before at every number of players. A game's kit has its bots; a game
without any has bots that try each decision in a few random games. A bot may have a ``source``, which says
what it plays by.

A bot of one's own is a function; it needs no registering to be used from Python::

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
        """One of ``game.legal_actions(state)``. Asked only where there is at least one."""


AnyBot = Bot[Any, Any, Any]
"""A bot that is taken as it comes: what leagues and servers work with."""


Maker = Callable[[Any, random.Random], Callable[[Any, Any], Any]]
"""Makes a bot for a game; its noise comes from the generator."""


class Bots(Protocol):
    """A kit's part ``bots``."""

    @property
    def BOTS(self) -> Mapping[str, Maker]:
        """By name, which is one of the levels or ``simple``. Names that are left out get a generic bot."""


LEVELS = ("tourist", "regular", "expert", "master")
"""Weakest first."""


def _random(game: AnyGame, rng: random.Random) -> AnyBot:
    return lambda game, state: rng.choice(game.legal_actions(state))


def _of_kit(name: str, game: AnyGame, rng: random.Random) -> AnyBot:
    """The kit's bot with this name, or else one that plays rollouts."""
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
"""From a bot's name to what makes one for a game."""


def load(name: str, game: AnyGame, rng: random.Random | None = None) -> AnyBot:
    """The bot with this name. Its noise, if it has any, comes from ``rng``.

    :raises UnknownBot: if there is none.
    """
    if name not in BOTS:
        raise UnknownBot(f"there is no bot {name!r}, there are {', '.join(BOTS)}")
    return BOTS[name](game, rng or random.Random())
