"""Observations for learning agents: positions as numbers from 0 to 1.

The games have perfect information: every seat sees the whole position, and none sees future dice. An
observation is the position from one seat's view: seats are counted clockwise from that seat, which is 0. So
one agent can learn for all seats, and ``seat`` still has the absolute number (R5, C5).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, BadOptions, IllegalAction

Vector = npt.NDArray[np.float32]
Parts = dict[str, Sequence[float]]

SEAT_FIELDS: Mapping[str, str] = {
    "seat": "one-hot of n: the absolute number of the observing seat",
    "turn": "one-hot of n: the seat whose turn it is, relative to the observing seat",
}
"""The first parts of every observation."""

_WHOLE = (int, np.integer)


def fields(game: AnyGame) -> Mapping[str, str]:
    """The parts of an observation in order, each with its size and meaning."""
    kit = kit_of(game)
    own = kit.observation().FIELDS if kit.observation is not None else _plain_fields(game)
    return {**SEAT_FIELDS, **own}


def parts(game: AnyGame, state: Any, seat: int) -> Parts:
    """The position from this seat's view, by part: see ``fields``."""
    return {
        "seat": one_of(game.players, seat),
        "turn": one_of(game.players, (state.turn - seat) % game.players),
        **_own_parts(cast(Hashable, game))(game, state, seat),
    }


def observe(game: AnyGame, state: Any, seat: int) -> Vector:
    """The position from this seat's view, as one vector.

    :raises BadOptions: if there is no such seat, or the position is for another number of players.
    """
    if seat not in range(game.players):
        raise BadOptions(f"seats are 0 to {game.players - 1}, not {seat!r}")
    game.legal_actions(state)  # raises if this is not a position of the game
    return vector(game, state, seat)


def vector(game: AnyGame, state: Any, seat: int) -> Vector:
    """``observe`` without checks."""
    players = game.players
    numbers = [*one_of(players, seat), *one_of(players, (state.turn - seat) % players)]
    for part in _own_parts(cast(Hashable, game))(game, state, seat).values():
        numbers += part
    return np.array(numbers, np.float32)


def sizes(game: AnyGame) -> dict[str, int]:
    """The size of each part."""
    return {name: len(part) for name, part in parts(game, game.initial_state(), 0).items()}


def mask(game: AnyGame, state: Any) -> npt.NDArray[np.int8]:
    """The action mask: for each of ``game.actions`` 1 if it is legal, else 0."""
    return _mask(cast(Hashable, game), game.legal_actions(state)).copy()


def action_of(game: AnyGame, number: object) -> Any:
    """The decision with this number.

    :raises IllegalAction: if it is not a whole number, or out of range.
    """
    if not isinstance(number, _WHOLE) or isinstance(number, bool):
        raise IllegalAction(f"an action must be a whole number, not {number!r}")
    if not 0 <= number < len(game.actions):
        raise IllegalAction(f"actions of {game.name} are 0 to {len(game.actions) - 1}, not {number}")
    return game.actions[number]


def one_of(size: int, index: int | None) -> list[float]:
    """A one-hot vector; all zeros if the index is None."""
    vector = [0.0] * size
    if index is not None and 0 <= index < size:
        vector[index] = 1.0
    return vector


def from_seat(seat: int, items: Sequence[Any]) -> list[Any]:
    """Items by seat, rotated so that this seat comes first."""
    return [*items[seat:], *items[:seat]]


@lru_cache(1024)
def _mask(game: Any, legal: tuple[Any, ...]) -> npt.NDArray[np.int8]:
    mask = np.zeros(len(game.actions), np.int8)
    for action in legal:
        mask[game.actions.index(action)] = 1
    return mask


@cache
def _own_parts(game: Any) -> Callable[[Any, Any, int], Parts]:
    """The function of the game's own parts, from its kit."""
    kit = kit_of(game)
    return kit.observation().parts if kit.observation is not None else _plain_parts


def one_word(word: Enum) -> list[float]:
    """A one-hot vector over the members of an enumeration."""
    return [*_one_word(word)]


@cache
def _one_word(word: Enum) -> tuple[float, ...]:
    return tuple([float(word is other) for other in type(word)])


# The default observation: the position's fields.


def _plain_fields(game: AnyGame) -> dict[str, str]:
    return dict.fromkeys(_plain_parts(game, game.initial_state(), 0), "the position's field of this name")


def _plain_parts(game: AnyGame, state: Any, seat: int) -> Parts:
    """The fields except ``turn``; those with an entry for each seat are rotated to this seat's view.

    :raises BadOptions: if a field contains neither numbers nor members of an enumeration.
    """
    found: Parts = {}
    for name in type(state).__match_args__:
        value = getattr(state, name)
        if name != "turn":
            entries = value if isinstance(value, tuple) else (value,)
            if isinstance(value, tuple) and len(value) != game.players:
                raise BadOptions(f"{game.name} needs an observation in its kit: {name} is not by seat")
            seen = from_seat(seat, entries) if isinstance(value, tuple) else list(entries)
            found[name] = [x for entry in seen for x in _numbers_of(game, name, entry)]
    return found


def _numbers_of(game: AnyGame, name: str, entry: object) -> Sequence[float]:
    """A number squashed to between 0 and 1, or an enumeration member as a one-hot vector."""
    if isinstance(entry, Enum):
        return one_word(entry)
    if isinstance(entry, int):
        return [(1 + entry / (1 + abs(entry))) / 2]
    raise BadOptions(f"{game.name} needs an observation in its kit: {name} contains {entry!r}")
