"""The registry of games: the built-in ones, and those that other packages add.

A package adds a game by an entry point in the group ``escadaria.games`` that names a ``Kit``. An unusable
kit is skipped with a warning; the other games still work.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from escadaria.game import AnyGame, BadOptions, Game
from escadaria.games import BUILT_IN
from escadaria.kit import Kit

GROUP = "escadaria.games"


class BadKit(TypeError):
    """An entry point that names no usable kit."""


def collect(built_in: Iterable[Kit], added: Iterable[EntryPoint]) -> dict[str, Kit]:
    """All kits by the names of their games; unusable kits are skipped with a warning."""
    kits = {kit.game.name: kit for kit in built_in}
    for entry in added:
        try:
            kit = _checked(entry.load())
            if kit.game.name in kits:
                raise BadKit(f"a game named {kit.game.name!r} exists already")
        except Exception as error:  # noqa: BLE001 - third-party code may raise anything
            warnings.warn(f"the game {entry.name!r} ({entry.value}) is skipped: {error!r}", stacklevel=2)
            continue
        kits[kit.game.name] = kit
    return kits


def _checked(kit: object) -> Kit:
    """Check a kit and return it. :raises BadKit: if it cannot be used."""
    if not isinstance(kit, Kit):
        raise BadKit(f"an entry point of {GROUP} must name a Kit, not {kit!r}")
    game = kit.game()  # the defaults must be valid
    missing = [name for name in _MEMBERS if not hasattr(game, name)]
    if missing:
        raise BadKit(f"{kit.game.__name__} lacks {', '.join(missing)}")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,31}", kit.game.name):
        raise BadKit(f"the name of a game must be a short lower-case word, not {kit.game.name!r}")
    if [option.name for option in kit.game.OPTIONS][:1] != ["players"]:
        raise BadKit("the first option of a game must be 'players'")
    state = game.initial_state()
    if game.parse_state(str(state)) != state:
        raise BadKit(f"parse_state must be the inverse of str: {state}")
    return kit


_MEMBERS = [name for name in (*Game.__annotations__, *vars(Game)) if not name.startswith("_")]
"""The members that every game must have."""


KITS: Mapping[str, Kit] = collect(BUILT_IN, entry_points(group=GROUP))
"""Every kit by the name of its game."""

GAMES: Mapping[str, type[AnyGame]] = {name: kit.game for name, kit in KITS.items()}
"""Every game by name; ``GAMES[name].OPTIONS`` lists its options."""

DEFAULT = next(iter(GAMES))
"""The default game."""


def load(name: str, /, **options: Any) -> AnyGame:
    """The game with this name and these options; the other options have their defaults.

    :raises BadOptions: if there is no such game or option, or a value is out of range.
    """
    kind = game_type(name)
    known = [option.name for option in kind.OPTIONS]
    for option in options:
        if option not in known:
            raise BadOptions(f"{name} has no option {option!r}, it has {', '.join(known)}")
    return kind(**options)


def game_type(name: str) -> type[AnyGame]:
    """The class of the game with this name. :raises BadOptions: if there is none."""
    if name not in tuple(GAMES):  # a tuple: the name may be unhashable
        raise BadOptions(f"there is no game {name!r}, there are {', '.join(GAMES)}")
    return GAMES[name]


def kit_of(game: AnyGame) -> Kit:
    """The game's kit. A game that is not registered gets a kit with only its rules."""
    kit = KITS.get(game.name)
    return kit if kit is not None and isinstance(game, kit.game) else Kit(game=type(game))


def read_options(name: str, texts: Mapping[str, str]) -> dict[str, int | str]:
    """Parse options from their text forms, as in records and on the command line.

    :raises BadOptions: if there is no such game or option, or a value is invalid.
    """
    options = {option.name: option for option in game_type(name).OPTIONS}
    for key in texts:
        if key not in options:
            raise BadOptions(f"{name} has no option {key!r}, it has {', '.join(options)}")
    return {key: options[key].read(text) for key, text in texts.items()}
