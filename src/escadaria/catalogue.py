"""The games there are: those that ship and those that other packages add. It is the only registry.

A package adds a game by an entry point in the group ``escadaria.games`` that names a ``Kit``. A kit that
cannot be used is reported as a warning and left out; the other games go on working.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from escadaria.game import AnyGame, BadOptions
from escadaria.games import BUILT_IN, typed_load
from escadaria.kit import Kit

GROUP = "escadaria.games"


class BadKit(TypeError):
    """An entry point that names no usable kit."""


def collect(built_in: Iterable[Kit], added: Iterable[EntryPoint]) -> dict[str, Kit]:
    """All kits by the names of their games; those that cannot be used are left out with a warning."""
    kits = {kit.game.name: kit for kit in built_in}
    for entry in added:
        try:
            kit = _checked(entry.load())
            if kit.game.name in kits:
                raise BadKit(f"there is a game {kit.game.name!r} already")
        except Exception as error:  # noqa: BLE001 - third-party code may raise anything
            warnings.warn(f"the game {entry.name!r} ({entry.value}) is left out: {error!r}", stacklevel=2)
            continue
        kits[kit.game.name] = kit
    return kits


def _checked(kit: object) -> Kit:
    """The kit itself. :raises BadKit: if it cannot be used."""
    if not isinstance(kit, Kit):
        raise BadKit(f"an entry point of {GROUP} names a Kit, not {kit!r}")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,31}", kit.game.name):
        raise BadKit(f"a game's name is a short word in small letters, not {kit.game.name!r}")
    if [option.name for option in kit.game.OPTIONS][:1] != ["players"]:
        raise BadKit("the first option of a game is 'players'")
    kit.game()  # a game can be made with its defaults
    return kit


KITS: Mapping[str, Kit] = collect(BUILT_IN, entry_points(group=GROUP))
"""Every kit by the name of its game."""

GAMES: Mapping[str, type[AnyGame]] = {name: kit.game for name, kit in KITS.items()}
"""Every game by name; ``GAMES[name].OPTIONS`` tells what it can be asked for."""

DEFAULT = next(iter(GAMES))
"""The game to play when none is named."""


@typed_load
def load(name: str, /, **options: Any) -> AnyGame:
    """The game with this name and these options; those left out have their defaults.

    :raises BadOptions: if there is no such game or option, or a value is out of range.
    """
    kind = game_type(name)
    known = [option.name for option in kind.OPTIONS]
    for option in options:
        if option not in known:
            raise BadOptions(f"{name} has no option {option!r}, it has {', '.join(known)}")
    return kind(**options)


def game_type(name: str) -> type[AnyGame]:
    """The game with this name, options still open. :raises BadOptions: if there is none."""
    if name not in tuple(GAMES):  # also for a name that is no text, nor even hashable
        raise BadOptions(f"there is no game {name!r}, there are {', '.join(GAMES)}")
    return GAMES[name]


def kit_of(game: AnyGame) -> Kit:
    """The game's kit. A game that is not registered has one with nothing but its rules."""
    kit = KITS.get(game.name)
    return kit if kit is not None and isinstance(game, kit.game) else Kit(game=type(game))


def read_options(name: str, texts: Mapping[str, str]) -> dict[str, int | str]:
    """Options from their text forms, as records and command lines have them.

    :raises BadOptions: if there is no such game or option, or a text is none of its values.
    """
    options = {option.name: option for option in game_type(name).OPTIONS}
    for key in texts:
        if key not in options:
            raise BadOptions(f"{name} has no option {key!r}, it has {', '.join(options)}")
    return {key: options[key].read(text) for key, text in texts.items()}
