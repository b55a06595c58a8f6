"""Rapido's games compiled (R1-R19): bots play many, and batches wait for decisions from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.counting import Counts, begin, counted
from escadaria.compute.steps import GO_ON, WAIT, Bytes, Floats, Games, Places, Step, Streams
from escadaria.compute.streams import DICE, NOISE, below
from escadaria.game import AnyGame
from escadaria.games.rapido.compiled import rules
from escadaria.games.rapido.compiled.policies import (
    POLICIES,
    RANDOM,
    ROLL_AGAIN,
    TOURIST,
    PolicyTables,
    decide,
    decide_by_tables,
    forget_plans,
    policy_tables,
    policy_tables_for,
    simple_decisions,
)
from escadaria.games.rapido.compiled.rules import Words
from escadaria.games.rapido.compiled.turns import Model, Workspace, evaluate, key_of, store_start
from escadaria.games.rapido.rules import TOP_FIELD, VALUES, Rapido


class Race(NamedTuple):
    """A game's options, and the decisions of ``simple``."""

    players: int
    finish: int
    simple: Words


def race(game: Rapido) -> Race:
    return Race(game.players, game.finish, simple_decisions())


# Playing.

START, STAY = -2, -3
"""In place of a decision: the first roll of a turn comes next, or a decision does."""
_NEXT = np.array([START, ROLL_AGAIN, STAY])
"""By phase: what comes next."""
_FIELD = 21
"""What rolls are counted for is counted in one word by seat: the number of bits of each count."""
_COUNTS = (rules.MOVES > 0) + ((rules.MOVES < 0).astype(np.int64) << _FIELD)


@njit(nogil=True, forceinline=True)
def play_on(
    race: Race,
    policy_tables: PolicyTables | None,
    policies: Words | None,
    field: int,
    rows: Words,
    at: int,
    streams: Streams,
    rolled: Words | None,
    thrown: Words | None,
) -> tuple[bool, int, int]:
    """Carry out a decision and those of bots, and roll the dice, until a decision from outside or the end.

    :param field: a field to place on, ``ROLL_AGAIN``, ``START`` or ``STAY``.
    :param policies: the bots by seat; without them all decisions come from outside.
    :param rolled: counts doubles and falls by seat, where wanted.
    :param thrown: counts the pairs thrown out by seat, where wanted.
    :return: whether a seat has won; the number of turns that began, and of plies after the decision.
    """
    dice, noise = streams[at, DICE], streams[at, NOISE]
    won, turns, plies = False, 0, 0
    if policy_tables is not None:
        forget_plans(policy_tables)
    while True:
        if field >= 0:
            rules.place(race.players, rows, at, field, thrown)
            rules.pass_turn(race.players, rows, at)
        seat, later = rows[at, rules.TURN], 1 if field == ROLL_AGAIN else 0
        while field != STAY:
            if not later:
                if rules.start_turn(race.finish, race.players, rows, at):
                    won = True
                    break
                turns += 1
                if policy_tables is not None:
                    forget_plans(policy_tables)
            dice, number = below(dice, rules.NUMBER_OF_ROLLS)
            plies += 1
            if rolled is not None:
                rolled[seat] += _COUNTS[later, number]
            status = rules.roll(race.finish, rows, at, later, number)
            if status != rules.FAILED:
                won = status == rules.WON
                break
            rules.pass_turn(race.players, rows, at)
            seat, later = rows[at, rules.TURN], 0
        if won or policies is None:
            break
        policy = policies[seat]
        if policy < 0:
            break
        if policy_tables is None or policy < TOURIST:
            field, noise = decide(policy, race.simple, rows[at, rules.ROLLED], rows[at, rules.TOWER], noise)
        else:
            field, noise = decide_by_tables(policy, policy_tables, race.finish, rows[at], noise)
        plies += 1
    streams[at, DICE], streams[at, NOISE] = dice, noise
    return won, turns, plies


# Games of bots.


@njit(cache=True, nogil=True)
def play_games(
    race: Race,
    policy_tables: PolicyTables | None,
    lineup: Words,
    first: int,
    seed: np.uint64,
    each: Counts,
    by_seat: Counts,
) -> None:
    """Fill the rows of ``each`` and ``by_seat`` with as many games, from number ``first`` on."""
    players = race.players
    policies, rows = np.empty(players, np.int64), np.empty((1, rules.SEATS + 2 * players), np.int64)
    streams, rolled, thrown = np.empty((1, 2), np.uint64), policies.copy(), policies.copy()
    for game in range(len(each)):
        begin(lineup, first + game, seed, policies, streams)
        rules.set_up(rows, 0)
        for seat in range(players):
            rolled[seat] = thrown[seat] = 0
        _, turns, plies = play_on(race, policy_tables, policies, START, rows, 0, streams, rolled, thrown)
        each[game, 0], each[game, 1], each[game, 2] = rows[0, rules.TURN], turns, plies
        for seat in range(players):
            by_seat[0, game, seat] = rows[0, rules.SEATS + seat]
            by_seat[1, game, seat] = thrown[seat]
            by_seat[2, game, seat] = rolled[seat] & (1 << _FIELD) - 1
            by_seat[3, game, seat] = rolled[seat] >> _FIELD


def play_batch(
    game: AnyGame, bots: Sequence[str], first: int, games: int, seed: int, exact: bool = True
) -> dict[str, Counts]:
    """The games ``first``, ``first + 1``, … of a seed; the bots of game 0 move on by one seat each game."""
    assert isinstance(game, Rapido)
    lineup = np.array([POLICIES[bot] for bot in bots])
    play = partial(play_games, race(game), policy_tables_for(game, lineup, exact), lineup, first)
    return counted(play, ("steps", "thrown_out", "doubles", "falls"), games, game.players, seed)


# Batches.

_PHASES = 4


def games(game: Rapido, number: int, bots: Sequence[str] = ()) -> Games:
    """A number of games, in which these bots may play."""
    rows = np.zeros((number, rules.columns(game.players)), np.int64)
    legal = np.array([_mask(free, len(game.actions)) for free in range(1 << TOP_FIELD)])
    tables = policy_tables_for(game, np.array([RANDOM, *(POLICIES[bot] for bot in bots)]))
    playing = partial(advance, race(game), tables, _scales(game.finish), legal, rows)
    size = 9 * game.players + _PHASES + 1 + TOP_FIELD
    return Games(rows, size, playing, rules.position_of, rules.row_of, partial(_values, game, rows))


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
    race: Race,
    policy_tables: PolicyTables | None,
    scales: Floats,
    legal: Bytes,
    rows: Words,
    actions: Words,
    policies: Words | None,
    places: Places,
    step: Step,
) -> None:
    """Carry out an action in each game, and those of the bots after it."""
    streams, viewers, winners = places
    observation, mask, seats = step[:3]
    for game in range(len(rows)):
        action = actions[game]
        if action == WAIT:
            continue
        field = action - 1
        if action == GO_ON:
            field = (
                STAY
                if rows[game, rules.PHASE] == rules.DECIDE
                else ROLL_AGAIN
                if rows[game, rules.PHASE] == rules.LATER_ROLL
                else START
            )
        mine = policies[game] if policies is not None else None
        over, _, _ = play_on(race, policy_tables, mine, field, rows, game, streams, None, None)
        winners[game] = rows[game, rules.TURN] if over else -1
        rows[game, rules.PHASE] = rules.OVER if over else rules.DECIDE
        seats[game] = rows[game, rules.TURN]
        free = rules.free_fields(rows[game, rules.TOWER])
        for number in range(mask.shape[1]):
            mask[game, number] = over or legal[free, number]
        seat = viewers[game] if viewers[game] >= 0 else rows[game, rules.TURN]
        observe(race.players, rows, game, seat, scales, observation)


@njit(cache=True, nogil=True)
def observe(players: int, rows: Words, game: int, seat: int, scales: Floats, seen: Floats) -> None:
    """Fill in what the seat sees, in the order of ``observation.FIELDS``."""
    for number in range(seen.shape[1]):
        seen[game, number] = 0
    phase, turn, tower = rows[game, rules.PHASE], rows[game, rules.TURN], rows[game, rules.TOWER]
    at = 2 * players + _PHASES
    after = turn - seat if turn >= seat else turn - seat + players
    seen[game, seat] = seen[game, players + after] = seen[game, 2 * players + phase] = 1
    seen[game, at] = scales[0, rows[game, rules.ROLLED]] if phase == rules.DECIDE else 0
    owners = at + 1 + players
    values = owners + TOP_FIELD * players
    ground = values + TOP_FIELD
    other = seat
    for after in range(players):
        seen[game, at + 1 + after] = scales[1, rows[game, rules.SEATS + other]]
        own = rows[game, rules.SEATS + players + other]
        if own:
            on_ground = (own >> 7 & 1) + (own >> 8 * rules.SPARE + 7 & 1)
            seen[game, ground + after] = on_ground / rules.pairs_each(players)
            for field in range(1, TOP_FIELD + 1):
                if own >> 8 * field & 128:
                    seen[game, owners + (field - 1) * players + after] = 1
                    seen[game, values + field - 1] = scales[0, tower >> 8 * field & rules.EMPTY]
        other = rules.next_seat(other, players)


@njit(cache=True, nogil=True)
def fill_shares(
    model: Model, workspace: Workspace, finish: int, rows: Words, which: Words, shares: NDArray[np.float64]
) -> None:
    """Fill in the win probability of each seat in these games, as if the turn started now."""
    players = shares.shape[1]
    for number in range(len(which)):
        row = rows[which[number]]
        seat, tower, marks = row[rules.TURN], row[rules.TOWER], row[rules.SEATS + players :]
        if players == 2:
            pairs = marks[1 - seat]
            lowest = pairs & -pairs  # of the two pairs that the other may have (R16)
            workspace.steps[0], workspace.steps[1] = row[rules.SEATS + seat], row[rules.SEATS + 1 - seat]
            workspace.keys[0] = key_of(2, tower, marks[seat])
            workspace.keys[1], workspace.keys[2] = key_of(2, tower, lowest), key_of(2, tower, pairs ^ lowest)
        else:
            store_start(row, workspace)
        evaluate(model, finish, workspace)
        total = workspace.shares.sum()
        for after in range(players):
            shares[number, seat] = workspace.shares[after] / total
            seat = rules.next_seat(seat, players)
