"""Rapido's levels, from the tourist to the master.

``tourist`` takes what looks high and has whims. ``regular`` weighs a field against the danger there, and
loves to throw people out. ``expert`` knows what positions are worth, and misjudges a little. ``master`` plays
by the exact solution if the cache folder has it, else by shipped values and never misjudges them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from escadaria.bots import Maker
from escadaria.bots.evaluating import LOTS, Expert, Values, master
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
    ThrewOut,
    X,
)

# The simple bot: the rules of thumb of a casual player.

GOOD_VALUES = {5: 64, 4: 60, 3: 52, 2: 43}
"""The least value that feels safe on each field worth having."""


def simple(game: Rapido, state: State) -> Again | Place:
    """Take the highest free field that the value is good enough for; without one, roll again.

    When none worth having is free there is nothing to roll for.
    """
    fields = state.free_fields()
    good = [field for field in fields if state.value >= GOOD_VALUES.get(field, 100)]
    if not good and any(field in GOOD_VALUES for field in fields):
        return Again()
    return Place(max(good or fields))


# The tourist.

LOOKS_HIGH = 40
"""A value that looks high to a tourist."""
PATIENT, BORED = 13 * LOTS // 20, LOTS // 10
"""How often a tourist rolls again with less, and how often without any reason."""


class Tourist:
    """Anything high goes on top, whoever may come after; and now and then another roll, just to see."""

    source = "rules of thumb"

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, game: Rapido, state: State) -> Action:
        lot = self.rng.choice(range(LOTS))
        if lot < (BORED if state.value >= LOOKS_HIGH else PATIENT):
            return Again()
        return Place(max(state.free_fields()))


# The regular. Both functions below are compiled by Numba too (``compiled/``).

SPITE = 0.8
"""To take a step from somebody is nearly as good as to make one."""


def appeal(safety: Any, taken: int, field: int, rank: int) -> float:
    """What placing looks worth, in steps, if it takes so many from others."""
    return float(field * safety[field, rank] + SPITE * taken)


def hope(chances: Any, doubles: Any, best: Any) -> float:
    """What rolling again looks worth, in steps, if ``best`` is what placing each value looks worth."""
    sure = -12.0  # all that is lost by rolls with an X (R12)
    for climb in range(1, 4):
        sure += climb + best[doubles[climb - 1]]  # R10
    again = -1e9
    while True:
        worth, rolls = sure, 36.0
        for rank in range(len(best)):
            if best[rank] > again:
                worth += chances[rank] * best[rank]
            else:
                rolls -= chances[rank]
        if worth / rolls <= again + 1e-12:
            return again
        again = worth / rolls


@cache
def safety(players: int) -> list[list[float]]:
    """[field, rank of the value]: how likely a pair seems to stay until it scores.

    A roll that throws it out counts the more, the more fields are below.
    """
    beaten = [sum(roll.value >= value for roll in ROLLS) / len(ROLLS) for value in VALUES]
    return [
        [(1 - (field / TOP_FIELD) ** 2 * share) ** (players - 1) for share in beaten]
        for field in range(TOP_FIELD + 1)
    ]


CHANCES = [
    sum(roll.value == value and roll.a != roll.b and X not in (roll.a, roll.b) for roll in ROLLS)
    for value in VALUES
]
"""How many of the 36 rolls show each value without climbing or failing."""
DOUBLES = [VALUES.index(11 * climbed) for climbed in (1, 2, 3)]


class _Table:
    """Lists of lists under the indices that arrays have."""

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows

    def __getitem__(self, at: tuple[int, int]) -> float:
        return self.rows[at[0]][at[1]]


def regular(game: Rapido, state: State) -> Action:
    """Place where it looks best, unless rolling again looks better."""
    best = _best_looking(game, state.turn, state.tower)
    worth, field = best[VALUES.index(state.value)]
    again = hope(CHANCES, DOUBLES, [worth for worth, _ in best])
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


# Those who know.

MISJUDGES = {2: 0.045, 3: 0.025, 4: 0.026, 5: 0.022, 6: 0.024}
"""By how much of a game an expert can be wrong about a decision, by players."""


def shipped(game: Rapido) -> Values:
    """What the package knows of a game."""
    from escadaria import network as values
    from escadaria.games.rapido.values import RapidoValues

    network = values.load(__package__, game.players)
    assert network is not None, "there is one for every number of players"
    return RapidoValues(game, network)


def _expert(game: Rapido, rng: random.Random) -> Expert:
    width = MISJUDGES[game.players]
    return Expert(shipped(game), lambda worth, lot: worth + width * lot, rng)


BOTS: Mapping[str, Maker] = {
    "simple": lambda game, rng: simple,
    "tourist": lambda game, rng: Tourist(rng),
    "regular": lambda game, rng: regular,
    "expert": _expert,
    "master": lambda game, rng: master(game, shipped),
}
