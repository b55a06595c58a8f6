"""Rapido's levels, from the tourist to the master.

``tourist`` throws out whom it can, else takes what looks high, and sometimes decides at random. ``regular``
weighs a field against the danger there, and prefers to throw pairs out. ``expert`` plays by the values of
positions, with some noise. ``master`` plays by the exact solution if the cache folder has it, else by shipped
values, without noise.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from escadaria.bots import Maker
from escadaria.bots.evaluating import DRAWS, Expert, Master
from escadaria.games.rapido.facts import ThrewOut
from escadaria.games.rapido.rolls import DOUBLES, MOVES, roll_again
from escadaria.games.rapido.rules import (
    ROLLS,
    TOP_FIELD,
    VALUES,
    Action,
    Again,
    Pair,
    Phase,
    Place,
    Rapido,
    State,
)

# The simple bot: the heuristics of a casual player.

GOOD_VALUES = {5: 64, 4: 60, 3: 52, 2: 43}
"""The least value that feels safe on each field worth having."""


def simple(game: Rapido, state: State) -> Again | Place:
    """Take the highest free field that the value is good enough for; without one, roll again.

    If no good field is free, take the highest free one.
    """
    fields = state.free_fields()
    good = [field for field in fields if state.value >= GOOD_VALUES.get(field, 100)]
    if not good and any(field in GOOD_VALUES for field in fields):
        return Again()
    return Place(max(good or fields))


# The tourist.

HIGH_VALUE = 40
"""The least value that looks high to a tourist."""
AGAIN_IF_LOW, AGAIN_IF_HIGH = 13 * DRAWS // 20, DRAWS // 10
"""Below this draw a tourist rolls again: with a low value, and with a high one."""


class Tourist:
    """Throws out whom it can, else places as high as it can; sometimes rolls again without a reason."""

    source = "rules of thumb"

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, game: Rapido, state: State) -> Action:
        draw = self.rng.choice(range(DRAWS))
        if draw < (AGAIN_IF_HIGH if state.value >= HIGH_VALUE else AGAIN_IF_LOW):
            return Again()
        return Place(max(state.free_fields(), key=lambda field: (_taken(game, state, field) > 0, field)))


# The regular. ``appeal`` is compiled by Numba too (``compiled/``).

TAKEN_WEIGHT = 0.8
"""What a step taken from an opponent counts, in own steps."""
CLIMBED = float(sum(MOVES[1]))
"""The steps that doubles climb (R10) and rolls with an X lose (R12), over all 36 later rolls."""


def appeal(safety: Any, taken: int, field: int, rank: int) -> float:
    """What placing looks worth, in steps, if it takes ``taken`` steps from others."""
    return float(field * safety[field, rank] + TAKEN_WEIGHT * taken)


def again_appeal(best: Sequence[float]) -> float:
    """What rolling again looks worth, in steps, if ``best`` is what placing each value looks worth."""
    return roll_again(CLIMBED + sum(best[rank] for rank in DOUBLES), best)


@cache
def safety(players: int) -> list[list[float]]:
    """[field, rank of the value]: how likely a pair seems to stay until it scores.

    The higher the field, the more a roll that throws the pair out counts.
    """
    beaten = [sum(roll.value >= value for roll in ROLLS) / len(ROLLS) for value in VALUES]
    return [
        [(1 - (field / TOP_FIELD) ** 2 * share) ** (players - 1) for share in beaten]
        for field in range(TOP_FIELD + 1)
    ]


class _Table:
    """Lists of lists, indexed like an array."""

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows

    def __getitem__(self, at: tuple[int, int]) -> float:
        return self.rows[at[0]][at[1]]


def regular(game: Rapido, state: State) -> Action:
    """Place where it looks best, unless rolling again looks better."""
    best = _best_looking(game, state.turn, state.tower)
    worth, field = best[VALUES.index(state.value)]
    again = again_appeal([worth for worth, _ in best])
    return Again() if again > worth else Place(field)


@lru_cache(maxsize=64)
def _best_looking(game: Rapido, seat: int, tower: tuple[Pair, ...]) -> list[tuple[float, int]]:
    """By rank of the value: what the best field looks worth, and which it is."""
    table = _Table(safety(game.players))
    return [
        max((appeal(table, _taken(game, state, field), field, rank), field) for field in state.free_fields())
        for rank, value in enumerate(VALUES)
        for state in [State(seat, Phase.DECIDE, value, (0,) * game.players, tower)]
    ]


def _taken(game: Rapido, state: State, field: int) -> int:
    """How many steps placing takes from those it throws out (R14)."""
    return sum(fact.field for fact in game.facts(state, Place(field)) if isinstance(fact, ThrewOut))


# The expert and the master.

NOISE_WIDTH = {2: 0.045, 3: 0.033, 4: 0.032, 5: 0.028, 6: 0.024}
"""By players: the largest noise of an expert, in win probability."""


def _expert(game: Rapido, rng: random.Random) -> Expert:
    from escadaria.games.rapido.values import shipped  # NumPy

    width = NOISE_WIDTH[game.players]
    return Expert(shipped(game), lambda worth, draw: worth + width * draw, rng)


def _master(game: Rapido, rng: random.Random) -> Master:
    from escadaria.games.rapido.values import shipped  # NumPy

    return Master(shipped(game))


BOTS: Mapping[str, Maker] = {
    "simple": lambda game, rng: simple,
    "tourist": lambda game, rng: Tourist(rng),
    "regular": lambda game, rng: regular,
    "expert": _expert,
    "master": _master,
}
