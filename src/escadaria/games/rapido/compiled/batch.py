"""Rapido for batches (R1-R19): what a decision and the dice after it make of each game."""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit

from escadaria.compute.steps import Bytes, Floats, Games, Places, Step, Streams, begin
from escadaria.compute.streams import DICE, below
from escadaria.games.rapido.compiled.play import (
    DECIDE,
    EMPTY,
    NO_PAIRS,
    PHASE,
    SEATS,
    SPARE,
    TOWER,
    TURN,
    VALUE,
    Tables,
    Words,
    free_fields,
    number_of_pairs,
    position_of,
    put,
    sum_of_fields,
    tables,
    thrown_out,
    without,
)
from escadaria.games.rapido.rules import ROLLS, TOP_FIELD, VALUES, Rapido

_PHASES = 4
_FALLS = len(ROLLS)
"""In how many ways two dice may fall (R9)."""
_BEST = VALUES[-1]


def games(game: Rapido, number: int) -> Games:
    """So many games."""
    rows = np.zeros((number, SEATS + 2 * game.players), np.int64)
    legal = np.array([_mask(free, len(game.actions)) for free in range(1 << TOP_FIELD)])
    playing = partial(advance, game.pairs, game.finish, tables(), _scales(game.finish), legal, rows)
    return Games(rows, 9 * game.players + _PHASES + 1 + TOP_FIELD, playing, position_of)


def _scales(finish: int) -> Floats:
    """Values and steps as observations show them, divided as the readable engine's are."""
    scales = np.zeros((2, max(_BEST, finish) + 1), np.float32)
    scales[0, : _BEST + 1] = np.arange(_BEST + 1) / _BEST
    scales[1, : finish + 1] = np.arange(finish + 1) / finish
    return scales


def _mask(free: int, actions: int) -> Bytes:
    """Again and field 0 are always legal, the others while they are free (R13)."""
    mask = np.ones(actions, np.int8)
    mask[2:] = [free >> field & 1 for field in range(TOP_FIELD)]
    return mask


@njit(cache=True, nogil=True)
def advance(
    pairs: int,
    finish: int,
    tables: Tables,
    scales: Floats,
    legal: Bytes,
    rows: Words,
    actions: Words | None,
    places: Places,
    step: Step,
) -> None:
    seed, numbers, streams, winners = places
    observation, mask, seats = step[:3]
    players = step.reward.shape[1]
    for game in range(len(rows)):
        over = True
        if actions is not None:
            if actions[game] > 0:
                place(rows, game, players, actions[game] - 1)
            winner = roll_on(pairs, finish, players, actions[game] == 0, tables, rows, game, streams)
            winners[game], over = winner, winner >= 0
        while over:  # a game that ends before anybody decides is nobody's: the next one begins
            begin(rows, game, seed, numbers, streams)
            rows[game, PHASE], rows[game, TOWER] = DECIDE, NO_PAIRS
            over = roll_on(pairs, finish, players, False, tables, rows, game, streams) >= 0
        seats[game] = rows[game, TURN]
        free = free_fields(rows[game, TOWER])
        for action in range(mask.shape[1]):
            mask[game, action] = legal[free, action]
        look(pairs, players, rows, game, scales, observation)


# Rows are named by their array and their number: a slice of an array costs more than a step of a game.


@njit(cache=True, nogil=True)
def place(rows: Words, game: int, players: int, field: int) -> None:
    """Put the pair in hand on a field, throw out (R14) and pass the turn (R5)."""
    seat, value, tower = rows[game, TURN], rows[game, VALUE], rows[game, TOWER]
    marks = SEATS + players
    own = rows[game, marks + seat]
    out = thrown_out(tower, own, field, value)
    if out:
        tower = without(tower, out)
        for other in range(players):
            rows[game, marks + other] &= ~out
    rows[game, TOWER], rows[game, marks + seat] = put(tower, own, field, value)
    rows[game, TURN] = seat + 1 if seat + 1 < players else 0


@njit(cache=True, nogil=True)
def roll_on(
    pairs: int,
    finish: int,
    players: int,
    again: bool,
    tables: Tables,
    rows: Words,
    game: int,
    streams: Streams,
) -> int:
    """Let the dice fall until somebody is to decide, or has won: who, else -1."""
    later = 1 if again else 0
    while True:
        seat = rows[game, TURN]
        own, step = rows[game, SEATS + players + seat], rows[game, SEATS + seat]
        if not later and number_of_pairs(own) == pairs:  # R18; with one pair each, R7
            step += sum_of_fields(own)
            rows[game, TOWER] = without(rows[game, TOWER], own)
            rows[game, SEATS + players + seat] = 0
            if step >= finish:  # R15
                return int(seat)
        streams[game, DICE], roll = below(streams[game, DICE], _FALLS)
        step = max(0, step + tables.climbs[later, roll])  # R10, R12
        if step >= finish:  # R15
            return int(seat)
        rows[game, SEATS + seat] = step
        if not later or tables.climbs[1, roll] >= tables.climbs[0, roll]:
            rows[game, VALUE] = tables.values[roll]
            return -1
        later = 0  # an X ends the turn (R12)
        rows[game, TURN] = seat + 1 if seat + 1 < players else 0


@njit(cache=True, nogil=True)
def look(pairs: int, players: int, rows: Words, game: int, scales: Floats, seen: Floats) -> None:
    """Write down what the seat to decide sees, in the order of ``observation.FIELDS``."""
    for number in range(seen.shape[1]):
        seen[game, number] = 0
    seat, tower = rows[game, TURN], rows[game, TOWER]
    at = 2 * players + _PHASES
    seen[game, seat] = seen[game, players] = seen[game, 2 * players + DECIDE] = 1
    seen[game, at] = scales[0, rows[game, VALUE]]
    owners = at + 1 + players
    values = owners + TOP_FIELD * players
    ground = values + TOP_FIELD
    other = seat
    for place in range(players):
        seen[game, at + 1 + place] = scales[1, rows[game, SEATS + other]]
        own = rows[game, SEATS + players + other]
        if own:
            on_ground = (own >> 7 & 1) + (own >> 8 * SPARE + 7 & 1)
            seen[game, ground + place] = on_ground / pairs
            for field in range(1, TOP_FIELD + 1):
                if own >> 8 * field & 128:
                    seen[game, owners + (field - 1) * players + place] = 1
                    seen[game, values + field - 1] = scales[0, tower >> 8 * field & EMPTY]
        other = other + 1 if other + 1 < players else 0
