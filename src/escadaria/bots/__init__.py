"""Bots. A bot is a function of the game and the position; it never sees future dice.

Besides ``random`` and ``simple`` there are the levels ``tourist``, ``regular``, ``expert`` and ``master``,
each stronger than the one before at every number of players. Bots are part of a game's kit; a game without
bots gets bots that evaluate each decision by random rollouts. Some games have a ``grandmaster`` too, which
searches in compiled code. A bot may have an attribute ``source``: what its decisions are based on.

Your own bot is a function, and need not be registered to be used from Python::

    def cautious(game, state):
        return game.legal_actions(state)[-1]
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar

from escadaria.bots import rollouts
from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, GameError
from escadaria.kit import Kit


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


class Search(Protocol):
    """A kit's part ``search``."""

    def grandmaster(self, game: Any, /) -> Callable[[Any, Any], Any]:
        """A bot that searches."""


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
"""Makers by the name of the bot, for bots that every game has."""

GRANDMASTER = "grandmaster"

ANY_BOT = (*BOTS, GRANDMASTER)
"""The names of all bots; some games lack the last one."""


def names(kit: Kit) -> tuple[str, ...]:
    """The bots of a game that can play here, weakest first."""
    return ANY_BOT if kit.search is not None and find_spec("numba") is not None else tuple(BOTS)


def check(name: str, game: AnyGame) -> None:
    """Check that a game has the bot, without loading it. :raises UnknownBot: if not."""
    kit = kit_of(game)
    known = names(kit)
    if name not in known and name == GRANDMASTER and kit.search is not None:
        raise UnknownBot("a grandmaster needs numba: install escadaria[lab]")
    if name not in known:
        raise UnknownBot(f"there is no bot {name!r} for {kit.game.name}, there are {', '.join(known)}")


def load(name: str, game: AnyGame, rng: random.Random | None = None) -> AnyBot:
    """Create the bot with this name. Its noise, if any, comes from ``rng``.

    :raises UnknownBot: if there is none.
    """
    check(name, game)
    kit = kit_of(game)
    if name == GRANDMASTER and kit.search is not None:
        part: Search = kit.search()
        return part.grandmaster(game)
    return BOTS[name](game, rng or random.Random())
