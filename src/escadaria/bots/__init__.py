"""Bots. A bot is a function of the game and the position; it never sees future dice.

Besides ``random`` and ``simple`` there are the levels ``tourist``, ``regular``, ``expert`` and ``master``,
each stronger than the one before at every number of players. Bots are part of a game's kit; a game without
bots gets bots that evaluate each decision by random rollouts. Some games have a ``grandmaster`` too, which
searches in compiled code. A bot may have an attribute ``source``: what its decisions are based on.

Your own bot is a function. It need not be registered: ``make`` takes it as it is, or by its import path::

    def cautious(game, state):
        return game.legal_actions(state)[-1]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeVar

from escadaria.bots import rollouts
from escadaria.bots.evaluating import Master
from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, GameError
from escadaria.kit import Kit


class UnknownBot(GameError):
    """A bot that does not exist."""

    code = "unknown_bot"


class BadBot(GameError):
    """A bot that raises an error or plays an illegal action."""

    code = "bad_bot"


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


MASTER, GRANDMASTER = "master", "grandmaster"

LEVELS = ("tourist", "regular", "expert", MASTER)
"""Weakest first."""


def _random(game: AnyGame, rng: random.Random) -> AnyBot:
    return lambda game, state: rng.choice(game.legal_actions(state))


def _of_kit(name: str, game: AnyGame, rng: random.Random) -> AnyBot:
    """The kit's bot with this name, or a rollout bot."""
    kit = kit_of(game)
    if kit.bots is not None:
        makers = kit.bots().BOTS
        if name in makers:
            return makers[name](game, rng)
    return rollouts.maker(name)(game, rng)


BOTS: Mapping[str, Maker] = {
    "random": _random,
    **{name: partial(_of_kit, name) for name in ("simple", *LEVELS)},
}
"""Makers by the name of the bot, for bots that every game has."""

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


def load(name: str, game: AnyGame, rng: random.Random | None = None, *, exact: bool = True) -> AnyBot:
    """Create the bot with this name. Its noise, if any, comes from ``rng``.

    :param exact: whether a master and a grandmaster play by the exact solution if the cache folder has it.
    :raises UnknownBot: if there is none.
    """
    check(name, game)
    kit, solution = kit_of(game), None
    if exact and name in (MASTER, GRANDMASTER):
        from escadaria import solutions  # needs NumPy

        solution = solutions.find(game)
    if name == GRANDMASTER and kit.search is not None and solution is None:
        return kit.search().grandmaster(game)
    bot = BOTS[MASTER if solution else name](game, rng or random.Random())
    if solution and isinstance(bot, Master):
        return replace(bot, values=solution, source="exact solution")
    return bot


# Bots by name, by import path, or as a function.


def make(bot: str | AnyBot, game: AnyGame, rng: random.Random | None = None, *, exact: bool = True) -> AnyBot:
    """Create the bot with this name or import path; a function is returned as it is.

    :param exact: whether a master and a grandmaster play by the exact solution if the cache folder has it.
    :raises UnknownBot: if there is none.
    """
    found = read(bot, game) if isinstance(bot, str) else bot
    return load(found, game, rng, exact=exact) if isinstance(found, str) else found


def read(bot: str | AnyBot, game: AnyGame) -> str | AnyBot:
    """The name of a built-in bot, or a user's bot wrapped in checks.

    :raises UnknownBot: if the game has no such bot, or an import path leads to nothing.
    :raises BadBot: if its module cannot be imported.
    """
    if isinstance(bot, CheckedBot):
        return bot
    if callable(bot):
        return CheckedBot(name_of(bot), bot)
    if ":" not in bot:
        check(bot, game)
        return bot
    folder = str(Path.cwd())
    import_bot(bot, folder)
    return CheckedBot(bot, ImportedBot(bot, folder))


def name_of(bot: str | AnyBot) -> str:
    if isinstance(bot, str):
        return bot
    return str(getattr(bot, "name", "") or getattr(bot, "__name__", type(bot).__name__))


@dataclass(frozen=True)
class CheckedBot:
    """A user's bot; its actions are checked, and errors contain its name."""

    name: str
    bot: AnyBot

    def __call__(self, game: AnyGame, state: Any) -> Any:
        """The bot's decision. :raises BadBot: if it is not legal, or the bot raises an error."""
        try:
            action = self.bot(game, state)
        except GameError:
            raise
        except Exception as error:
            raise BadBot(f"{self.name} failed with {error!r} at {state}") from error
        if action not in (legal := game.legal_actions(state)):
            allowed = ", ".join(map(str, legal))
            text = f"{self.name} played {action} at {state}, where it may play {allowed}"
            if isinstance(action, str):
                text += f": it must return an action, not the text {action!r}; game.parse reads texts"
            raise BadBot(text)
        return action


@dataclass(frozen=True)
class ImportedBot:
    """A function by its import path, imported in every worker process."""

    path: str
    folder: str

    def __call__(self, game: AnyGame, state: Any) -> Any:
        return import_bot(self.path, self.folder)(game, state)


@cache
def import_bot(path: str, folder: str) -> AnyBot:
    """Import ``package.module:function``; ``folder`` is searched first.

    :raises UnknownBot: if there is no such function.
    """
    module, _, name = path.partition(":")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownBot(f"there is no bot {path!r}: {error}") from None
    except Exception as error:
        raise BadBot(f"{path} cannot be imported: {error!r}") from error
    if not callable(found):
        raise UnknownBot(f"there is no bot {path!r}: it must be a function of game and position")
    bot: AnyBot = found
    return bot
