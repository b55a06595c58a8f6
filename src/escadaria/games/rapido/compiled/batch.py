"""Rapido for batches (R1-R19): what a decision and the dice after it make of each game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.steps import GO_ON, WAIT, Bytes, Floats, Games, Places, Step, Streams
from escadaria.compute.streams import DICE, NOISE, below
from escadaria.games.rapido.compiled.play import (
    POLICIES,
    RANDOM,
    TOURIST,
    PolicyTables,
    decide,
    decide_by_tables,
    policy_tables,
    policy_tables_for,
    simple_decisions,
)
from escadaria.games.rapido.compiled.rules import (
    DECIDE,
    EMPTY,
    FAILED,
    LATER_ROLL,
    NUMBER_OF_ROLLS,
    OVER,
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
    next_seat,
    pass_turn,
    place,
    position_of,
    roll,
    row_of,
    start_turn,
)
from escadaria.games.rapido.compiled.values import Model, Workspace, evaluate, key_of, see_start
from escadaria.games.rapido.rules import TOP_FIELD, VALUES, Rapido

_PHASES = 4


def games(game: Rapido, number: int, bots: Sequence[str] = ()) -> Games:
    """A number of games, in which these bots may play."""
    rows = np.zeros((number, columns(game.players)), np.int64)
    legal = np.array([_mask(free, len(game.actions)) for free in range(1 << TOP_FIELD)])
    tables = policy_tables_for(game, np.array([RANDOM, *(POLICIES[bot] for bot in bots)]))
    playing = partial(
        advance, game.pairs, game.finish, _scales(game.finish), legal, simple_decisions(), tables, rows
    )
    size = 9 * game.players + _PHASES + 1 + TOP_FIELD
    return Games(rows, size, playing, position_of, row_of, partial(_values, game, rows))


def _values(game: Rapido, rows: Words) -> Callable[[Words, NDArray[np.float64]], None]:
    tables = policy_tables(game)
    return partial(fill_shares, tables.master, tables.workspaces[1], game.finish, rows)


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
    simple: Words,
    policy_tables: PolicyTables | None,
    rows: Words,
    actions: Words,
    policies: Words | None,
    places: Places,
    step: Step,
) -> None:
    streams, viewers, winners = places
    observation, mask, seats = step[:3]
    players = step.reward.shape[1]
    for game in range(len(rows)):
        action = actions[game]
        if action == WAIT:
            continue
        over = False
        if action != GO_ON:
            over = carry_out(finish, players, action, rows, game, streams)
        elif rows[game, PHASE] != DECIDE:
            over = roll_on(finish, players, rows[game, PHASE] == LATER_ROLL, rows, game, streams)
        if policies is not None:
            over = over or reply(finish, players, simple, policy_tables, policies[game], rows, game, streams)
        winners[game] = rows[game, TURN] if over else -1
        rows[game, PHASE] = OVER if over else DECIDE
        seats[game] = rows[game, TURN]
        free = free_fields(rows[game, TOWER])
        for number in range(mask.shape[1]):
            mask[game, number] = over or legal[free, number]
        seat = viewers[game] if viewers[game] >= 0 else rows[game, TURN]
        observe(pairs, players, rows, game, seat, scales, observation)


@njit(cache=True, nogil=True)
def carry_out(finish: int, players: int, action: int, rows: Words, game: int, streams: Streams) -> bool:
    """Carry out a decision and roll the dice until the next one: whether a seat has won."""
    again = action == 0
    if not again:
        place(players, rows, game, action - 1, None)
        pass_turn(players, rows, game)
    return roll_on(finish, players, again, rows, game, streams)


@njit(cache=True, nogil=True)
def reply(
    finish: int,
    players: int,
    simple: Words,
    policy_tables: PolicyTables | None,
    policies: Words,
    rows: Words,
    game: int,
    streams: Streams,
) -> bool:
    """Let the bots play until a decision from outside: whether a seat has won."""
    turns = 0
    if policy_tables is not None:
        policy_tables.known[:] = -1
    while policies[rows[game, TURN]] >= 0:
        seat = rows[game, TURN]
        policy, noise = policies[seat], streams[game, NOISE]
        if policy_tables is None or policy < TOURIST:
            field, noise = decide(policy, simple, rows[game, ROLLED], rows[game, TOWER], noise)
        else:
            field, noise = decide_by_tables(policy, policy_tables, finish, turns, rows[game], noise)
        streams[game, NOISE] = noise
        if carry_out(finish, players, field + 1, rows, game, streams):
            return True
        turns += rows[game, TURN] != seat
    return False


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
def observe(
    pairs: int, players: int, rows: Words, game: int, seat: int, scales: Floats, seen: Floats
) -> None:
    """Fill in what the seat sees, in the order of ``observation.FIELDS``."""
    for number in range(seen.shape[1]):
        seen[game, number] = 0
    phase, turn, tower = rows[game, PHASE], rows[game, TURN], rows[game, TOWER]
    at = 2 * players + _PHASES
    after = turn - seat if turn >= seat else turn - seat + players
    seen[game, seat] = seen[game, players + after] = seen[game, 2 * players + phase] = 1
    seen[game, at] = scales[0, rows[game, ROLLED]] if phase == DECIDE else 0
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


@njit(cache=True, nogil=True)
def fill_shares(
    model: Model, workspace: Workspace, finish: int, rows: Words, which: Words, shares: NDArray[np.float64]
) -> None:
    """Fill in the win probability of each seat in these games, as if the turn started now."""
    players = shares.shape[1]
    for number in range(len(which)):
        row = rows[which[number]]
        seat, tower, marks = row[TURN], row[TOWER], row[SEATS + players :]
        if players == 2:
            pairs = marks[1 - seat]
            lowest = pairs & -pairs  # of the two pairs that the other may have (R16)
            workspace.steps[0], workspace.steps[1] = row[SEATS + seat], row[SEATS + 1 - seat]
            workspace.keys[0] = key_of(2, tower, marks[seat])
            workspace.keys[1], workspace.keys[2] = key_of(2, tower, lowest), key_of(2, tower, pairs ^ lowest)
        else:
            see_start(row, workspace)
        evaluate(model, finish, workspace)
        total = workspace.shares.sum()
        for after in range(players):
            shares[number, seat] = workspace.shares[after] / total
            seat = next_seat(seat, players)
