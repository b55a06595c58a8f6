"""Rapido for batches (R1-R19): what a decision and the dice after it make of each game."""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit

from escadaria.compute.steps import Bytes, Floats, Games, Places, Step, Streams, begin
from escadaria.compute.streams import DICE, below
from escadaria.games.rapido.compiled.rules import (
    DECIDE,
    EMPTY,
    FAILED,
    NUMBER_OF_ROLLS,
    PHASE,
    ROLLED,
    SEATS,
    SPARE,
    TOWER,
    TURN,
    WON,
    Words,
    columns,
    free_fields,
    pass_turn,
    place,
    position_of,
    roll,
    set_up,
    start_turn,
)
from escadaria.games.rapido.rules import TOP_FIELD, VALUES, Rapido

_PHASES = 4


def games(game: Rapido, number: int) -> Games:
    """A number of games."""
    rows = np.zeros((number, columns(game.players)), np.int64)
    legal = np.array([_mask(free, len(game.actions)) for free in range(1 << TOP_FIELD)])
    playing = partial(advance, game.pairs, game.finish, _scales(game.finish), legal, rows)
    return Games(rows, 9 * game.players + _PHASES + 1 + TOP_FIELD, playing, position_of)


def _scales(finish: int) -> Floats:
    """Values, by rank, and steps as observations show them, divided as the readable engine's are."""
    scales = np.zeros((2, max(len(VALUES), finish + 1)), np.float32)
    scales[0, : len(VALUES)] = np.array(VALUES) / VALUES[-1]
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
            again = actions[game] == 0
            if not again:
                place(players, rows, game, actions[game] - 1, None)
                pass_turn(players, rows, game)
            over = roll_on(finish, players, again, rows, game, streams)
            winners[game] = rows[game, TURN] if over else -1
        while over:  # a game that ends before the first decision is not counted: the next one begins
            begin(rows, game, seed, numbers, streams)
            set_up(rows, game)
            rows[game, PHASE] = DECIDE
            over = roll_on(finish, players, False, rows, game, streams)
        seats[game] = rows[game, TURN]
        free = free_fields(rows[game, TOWER])
        for action in range(mask.shape[1]):
            mask[game, action] = legal[free, action]
        observe(pairs, players, rows, game, scales, observation)


@njit(cache=True, nogil=True)
def roll_on(finish: int, players: int, again: bool, rows: Words, game: int, streams: Streams) -> bool:
    """Let the dice fall until a seat is to decide, or has won: whether it has."""
    later = 1 if again else 0
    while True:
        if not later and start_turn(finish, players, rows, game):
            return True
        streams[game, DICE], number = below(streams[game, DICE], NUMBER_OF_ROLLS)
        status = roll(finish, rows, game, later, number)
        if status != FAILED:
            return bool(status == WON)
        later = 0
        pass_turn(players, rows, game)


@njit(cache=True, nogil=True)
def observe(pairs: int, players: int, rows: Words, game: int, scales: Floats, seen: Floats) -> None:
    """Fill in what the seat to decide sees, in the order of ``observation.FIELDS``."""
    for number in range(seen.shape[1]):
        seen[game, number] = 0
    seat, tower = rows[game, TURN], rows[game, TOWER]
    at = 2 * players + _PHASES
    seen[game, seat] = seen[game, players] = seen[game, 2 * players + DECIDE] = 1
    seen[game, at] = scales[0, rows[game, ROLLED]]
    owners = at + 1 + players
    values = owners + TOP_FIELD * players
    ground = values + TOP_FIELD
    other = seat
    for after in range(players):
        seen[game, at + 1 + after] = scales[1, rows[game, SEATS + other]]
        own = rows[game, SEATS + players + other]
        if own:
            on_ground = (own >> 7 & 1) + (own >> 8 * SPARE + 7 & 1)
            seen[game, ground + after] = on_ground / pairs
            for field in range(1, TOP_FIELD + 1):
                if own >> 8 * field & 128:
                    seen[game, owners + (field - 1) * players + after] = 1
                    seen[game, values + field - 1] = scales[0, tower >> 8 * field & EMPTY]
        other = other + 1 if other + 1 < players else 0
