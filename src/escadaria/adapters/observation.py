"""Positions as numbers from 0 to 1: what a learning agent sees.

The games are open: every seat sees the whole position, and no seat the dice to come. An observation is the
position from one seat's view. Seats are counted from that seat on, clockwise: 0 is the seat itself, 1 the
next one. So an agent may learn for all seats alike, and ``seat`` still tells where it sits (R5, C5).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields as fields_of
from enum import Enum
from functools import cache
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, BadOptions, IllegalAction, Outcome

Vector = npt.NDArray[np.float32]
Parts = dict[str, Sequence[float]]

SEAT_FIELDS: Mapping[str, str] = {
    "seat": "one of n: which seat sees this, as the table counts",
    "turn": "one of n: whose turn it is, counted from the seat that sees",
}
"""What every observation starts with."""


class Observation(Protocol):
    """A kit's part ``observation``."""

    @property
    def FIELDS(self) -> Mapping[str, str]:
        """Each part in its order, the number of its numbers, and what they say."""

    def parts(self, game: Any, state: Any, seat: int, /) -> Parts:
        """The position as this seat sees it."""


def fields(game: AnyGame) -> Mapping[str, str]:
    """Each part of an observation in its order, the number of its numbers, and what they say."""
    kit = kit_of(game)
    own = kit.observation().FIELDS if kit.observation is not None else _plain_fields(game)
    return {**SEAT_FIELDS, **own}


def parts(game: AnyGame, state: Any, seat: int) -> Parts:
    """The position as this seat sees it, part by part, as ``fields`` tells."""
    kit = kit_of(game)
    part: Observation | None = kit.observation() if kit.observation is not None else None
    own = part.parts(game, state, seat) if part is not None else _plain_parts(game, state, seat)
    return {
        "seat": one_of(game.players, seat),
        "turn": one_of(game.players, (state.turn - seat) % game.players),
        **own,
    }


def observe(game: AnyGame, state: Any, seat: int) -> Vector:
    """The position as this seat sees it, in one row.

    :raises BadOptions: if there is no such seat, or the position is for another number of players.
    """
    if seat not in range(game.players):
        raise BadOptions(f"seats are 0 to {game.players - 1}, not {seat!r}")
    game.legal_actions(state)  # which refuses what is no position of this game
    return np.fromiter((x for part in parts(game, state, seat).values() for x in part), np.float32)


def sizes(game: AnyGame) -> dict[str, int]:
    """How many numbers each part has."""
    return {name: len(part) for name, part in parts(game, game.initial_state(), 0).items()}


def mask(game: AnyGame, state: Any) -> npt.NDArray[np.int8]:
    """For each of ``game.actions`` 1 if it is legal now, else 0."""
    legal = np.zeros(len(game.actions), np.int8)
    numbers = _numbers(cast(Hashable, game))
    legal[[numbers[action] for action in game.legal_actions(state)]] = 1
    return legal


def action_of(game: AnyGame, number: object) -> Any:
    """The decision with this number.

    :raises IllegalAction: if it is no whole number, or there is none with it.
    """
    if not isinstance(number, int | np.integer) or isinstance(number, bool):
        raise IllegalAction(f"an action is a whole number, not {number!r}")
    if not 0 <= number < len(game.actions):
        raise IllegalAction(f"actions of {game.name} are 0 to {len(game.actions) - 1}, not {number}")
    return game.actions[number]


def rewards(outcome: Outcome | None, players: int) -> list[float]:
    """What a game is worth to each seat: 1 to the winner, who takes it from the others in equal parts.

    They sum to 0, so that with two players the game is one that minimax and its kin can solve. While the
    game goes on, and if it is broken off, there is nothing.
    """
    if outcome is None:
        return [0.0] * players
    return [1.0 if seat == outcome.winner else -1 / (players - 1) for seat in range(players)]


def one_of(size: int, index: int | None) -> list[float]:
    """A 1 at the index among zeros; nothing but zeros if there is none."""
    return [float(place == index) for place in range(size)]


def from_seat(seat: int, items: Iterable[Any]) -> list[Any]:
    """What each seat has, counted from this one on."""
    by_seat = list(items)
    return by_seat[seat:] + by_seat[:seat]


@cache
def _numbers(game: Any) -> dict[Any, int]:
    return {action: number for number, action in enumerate(game.actions)}


def one_word(word: Enum) -> list[float]:
    """A 1 at the member among zeros."""
    return [float(member is word) for member in type(word)]


# Games without an observation of their own: the position's fields in one row.


def _plain_fields(game: AnyGame) -> dict[str, str]:
    return dict.fromkeys(_plain_parts(game, game.initial_state(), 0), "the position's field of this name")


def _plain_parts(game: AnyGame, state: Any, seat: int) -> Parts:
    """The fields but ``turn``; one with an entry for each seat is counted from this seat on.

    :raises BadOptions: if a field is neither numbers nor words of an enumeration.
    """
    found: Parts = {}
    for field in fields_of(state):
        value = getattr(state, field.name)
        if field.name != "turn":
            entries = value if isinstance(value, tuple) else (value,)
            if isinstance(value, tuple) and len(value) != game.players:
                raise BadOptions(f"{game.name} needs an observation in its kit: {field.name} is not by seat")
            seen = from_seat(seat, entries) if isinstance(value, tuple) else list(entries)
            found[field.name] = [x for entry in seen for x in _numbers_of(game, field.name, entry)]
    return found


def _numbers_of(game: AnyGame, name: str, entry: object) -> list[float]:
    """A number between 0 and 1, which grows with the number; or one of the members of an enumeration."""
    if isinstance(entry, Enum):
        return one_word(entry)
    if isinstance(entry, int):
        return [(1 + entry / (1 + abs(entry))) / 2]
    raise BadOptions(f"{game.name} needs an observation in its kit: {name} holds {entry!r}")
