"""Positions as numbers from 0 to 1: what a learning agent sees.

Both games are open: everybody sees the whole position, and nobody the dice to come. An observation is the
position from one seat's view. Seats are counted from that seat on, clockwise: 0 is the seat itself, 1 the
next one. So an agent may learn for all seats alike, and ``seat`` still tells where it sits (R5, C5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from escadaria.game import AnyGame, Outcome
from escadaria.games.chain import rules as chain
from escadaria.games.rapido import rules as rapido

Vector = npt.NDArray[np.float32]
Parts = dict[str, Sequence[float]]

FIELDS: Mapping[str, Mapping[str, str]] = {
    rapido.Rapido.name: {
        "seat": "one of n: which seat sees this, as the table counts",
        "turn": "one of n: whose turn it is, counted from the seat that sees",
        "phase": "one of 4: first roll, later roll, decide, over",
        "value": "1: the value of the pair in hand / 76; 0 unless a player is to decide (R9)",
        "steps": "n: each seat's step / finish (R3)",
        "owners": "5 times one of n: whose pair lies on the fields 1 to 5; all 0 if the field is free (R4)",
        "values": "5: the values of the pairs on the fields 1 to 5, / 76",
        "ground": "n: each seat's pairs on field 0 / pairs that a seat has (R4, R16)",
    },
    chain.Chain.name: {
        "seat": "one of n: which seat sees this, as the table counts",
        "turn": "one of n: whose turn it is, counted from the seat that sees",
        "phase": "one of 6: keep, roll, build, decide, lengthen, over",
        "hands": "n: each seat's dice / 19, one more than the longest chain (C11, C13)",
        "pool": "1: the dice in the pool / all dice (C2)",
        "discs": "2n: where each seat's two discs lie / centre; 0 is beside the start (C4)",
        "covered": "2n: how many discs lie on each of these discs / 2n (C7, C17)",
        "chain": "6: how often each number stands in the chain / 3 (C11)",
        "last": "one of 6: the link at the end; all 0 before the first",
        "heading": "one of 3: open, up, down (C11)",
        "loose": "6: how often each number is still to be linked / 17 (C10)",
    },
}
"""By game: each part of an observation in its order, how many numbers it has, and what they say."""


def parts(game: AnyGame, state: Any, seat: int) -> Parts:
    """The position as this seat sees it, part by part, as ``FIELDS`` tells."""
    return {
        "seat": one_of(game.players, seat),
        "turn": one_of(game.players, (state.turn - seat) % game.players),
        **_PARTS[game.name](game, state, seat),
    }


def observe(game: AnyGame, state: Any, seat: int) -> Vector:
    """The position as this seat sees it, in one row."""
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


def _rapido(game: rapido.Rapido, state: rapido.State, seat: int) -> Parts:
    best = rapido.VALUES[-1]
    fields = range(1, rapido.TOP_FIELD + 1)
    on = {pair.field: pair for pair in state.tower}
    owners = [(on[field].seat - seat) % game.players if field in on else None for field in fields]
    ground = Counter(pair.seat for pair in state.tower if pair.field == 0)
    return {
        "phase": _one_word(state.phase),
        "value": [state.value / best],
        "steps": [step / game.finish for step in _from(seat, state.steps)],
        "owners": [x for owner in owners for x in one_of(game.players, owner)],
        "values": [on[field].value / best if field in on else 0.0 for field in fields],
        "ground": [ground[other] / game.pairs for other in _from(seat, range(game.players))],
    }


def _chain(game: chain.Chain, state: chain.State, seat: int) -> Parts:
    numbers, loose = Counter(state.chain.numbers), Counter(state.loose)
    discs = [disc for other in _from(seat, range(game.players)) for disc in _discs(state, other)]
    return {
        "phase": _one_word(state.phase),
        "hands": [dice / (chain.LONGEST + 1) for dice in _from(seat, state.hands)],
        "pool": [state.pool / game.dice],
        "discs": [space / game.track.length for space, _ in discs],
        "covered": [above / (2 * game.players) for _, above in discs],
        "chain": [numbers[face] / chain.ALIKE for face in chain.FACES],
        "last": one_of(len(chain.FACES), state.chain.last - 1),
        "heading": _one_word(state.chain.heading),
        "loose": [loose[face] / (chain.LONGEST - 1) for face in chain.FACES],
    }


def _discs(state: chain.State, seat: int) -> list[tuple[int, int]]:
    """The seat's two discs by space, each with how many discs lie on it (C7)."""
    lying = [
        (space, above)
        for space, seats in state.piles
        for above, owner in enumerate(reversed(seats))
        if owner == seat
    ]
    between = [space for space, _ in lying]
    # Beside the start and at the centre no disc lies on another (C4, C17).
    return sorted([*lying, *((space, 0) for space in state.discs[seat] if space not in between)])


def _from(seat: int, items: Iterable[Any]) -> list[Any]:
    """What each seat has, counted from this one on."""
    by_seat = list(items)
    return by_seat[seat:] + by_seat[:seat]


@cache
def _numbers(game: Any) -> dict[Any, int]:
    return {action: number for number, action in enumerate(game.actions)}


def _one_word(word: Enum) -> list[float]:
    return [float(member is word) for member in type(word)]


_PARTS: Mapping[str, Callable[[Any, Any, int], Parts]] = {
    rapido.Rapido.name: _rapido,
    chain.Chain.name: _chain,
}
