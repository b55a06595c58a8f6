"""The games there are. Front ends read their names and options here and know no game by heart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from escadaria.game import AnyGame, BadOptions
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido

GAMES: Mapping[str, type[AnyGame]] = {game.name: game for game in (Rapido, Chain)}
"""Every game by name; ``GAMES[name].OPTIONS`` tells what it can be asked for."""


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


def read_options(name: str, texts: Mapping[str, str]) -> dict[str, int | str]:
    """Options from their text forms, as records and command lines have them.

    :raises BadOptions: if there is no such game or option, or a text is none of its values.
    """
    options = {option.name: option for option in game_type(name).OPTIONS}
    for key in texts:
        if key not in options:
            raise BadOptions(f"{name} has no option {key!r}, it has {', '.join(options)}")
    return {key: options[key].read(text) for key, text in texts.items()}
