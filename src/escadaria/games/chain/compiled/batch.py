"""Batches of Chain games (C1-C18): each step carries out one decision per game and the dice after it."""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit

from escadaria.compute.steps import Bytes, Floats, Games, Places, Step, begin
from escadaria.compute.streams import DICE, below
from escadaria.games.chain.compiled.play import (
    BUILD,
    DECIDE,
    HEADING,
    KEEP,
    LAST,
    LOOSE,
    NUMBERS,
    OVER,
    PHASE,
    POOL,
    SEATS,
    TURN,
    Tables,
    position_in,
    position_of,
    roll_hand,
    tables,
)
from escadaria.games.chain.compiled.rules import (
    SIDES,
    Words,
    add_link,
    can_build,
    discs_above,
    fail,
    fits,
    free_discs,
    has_won,
    inlined,
    is_link,
    move,
    next_seat,
    pool_of,
    set_hand,
    times,
)
from escadaria.games.chain.rules import ALIKE, DICE_EACH, LONGEST, Chain
from escadaria.games.chain.turn import OPEN, UP

_PHASES, _HEADINGS = OVER + 1, 3
_LINK, _MOVE = LONGEST, LONGEST + SIDES
"""The first action of a kind. The first actions of all keep dice; after the moves come up and down."""


def games(game: Chain, number: int) -> Games:
    """A batch with this number of games."""
    rows = np.zeros((number, SEATS + 3 * game.players + game.track.length + 1), np.int64)
    playing = partial(advance, np.array(game.initial_state().hands), tables(game), rows)
    return Games(rows, 7 * game.players + _PHASES + 1 + 3 * SIDES + _HEADINGS, playing, position_of)


@njit(cache=True, nogil=True)
def advance(
    dealt: Words, tables: Tables, rows: Words, actions: Words | None, places: Places, step: Step
) -> None:
    """Carry out an action in each game, or begin all games; games that end begin anew."""
    seed, numbers, streams, winners = places
    observation, mask, seats = step[:3]
    players = len(dealt)
    for game in range(len(rows)):
        row, over = rows[game], True
        if actions is not None:
            streams[game, DICE] = carry_out(players, tables, row, actions[game], streams[game, DICE])
            over = row[PHASE] == OVER
            winners[game] = row[TURN] if over else -1
        if over:
            begin(rows, game, seed, numbers, streams)
            row[SEATS : SEATS + players] = dealt
            row[POOL] = pool_of(dealt)
        seats[game] = row[TURN]
        allow(players, row, mask[game])
        observe(players, row, observation[game])


@njit(cache=True, nogil=True)
def carry_out(players: int, tables: Tables, row: Words, action: int, dice: np.uint64) -> np.uint64:
    """Carry out a decision and roll the dice until the next one; returns the stream of dice."""
    seat, spaces, linked = row[TURN], len(tables.arrows) - 1, True
    hands, discs, stacks = position_in(row, players)
    if action < _LINK:
        row[POOL] += set_hand(seat, action + 1, hands)  # C8
        dice, _, last, loose = roll_hand(dice, seat, row[POOL], hands, discs, stacks, None, 0)
        row[NUMBERS], row[LAST], row[LOOSE] = 1 << 8 * last, last, loose
        linked = can_build(last, loose)
    elif action < _MOVE:
        number = action - _LINK
        link(row, row[HEADING], number)
        row[LOOSE] -= 1 << 8 * number
    elif action < _MOVE + spaces:
        move(seat, action - _MOVE, hands[seat], tables.arrows, discs, stacks)
        end_turn(row, discs, stacks)
        return dice
    else:
        way = action - _MOVE - spaces + UP
        row[POOL] += set_hand(seat, hands[seat] + 1, hands)  # C13
        dice, number = below(dice, SIDES)
        linked = fits(row[NUMBERS], row[LAST], way, number)
        if linked:
            link(row, way, number)
    if linked:
        row[PHASE] = BUILD if row[LOOSE] else DECIDE
    else:
        row[POOL] += fail(seat, hands)
        end_turn(row, discs, stacks)
    return dice


@inlined
def link(row: Words, heading: int, number: int) -> None:
    row[NUMBERS], row[LAST], row[HEADING] = add_link(row[NUMBERS], row[LAST], heading, number)


@inlined
def end_turn(row: Words, discs: Words, stacks: Words) -> None:
    row[NUMBERS] = row[LAST] = row[HEADING] = row[LOOSE] = 0
    row[TURN] = next_seat(row[TURN], len(discs))
    row[PHASE] = OVER if has_won(row[TURN], discs, stacks) else KEEP


@njit(cache=True, nogil=True)
def allow(players: int, row: Words, mask: Bytes) -> None:
    """Mark the legal actions."""
    mask[:] = 0
    if row[PHASE] == KEEP:
        mask[: row[SEATS + row[TURN]]] = 1
    elif row[PHASE] == BUILD:
        for number in range(SIDES):
            mask[_LINK + number] = is_link(row[NUMBERS], row[LAST], row[HEADING], row[LOOSE], number)
    else:
        _, discs, stacks = position_in(row, players)
        for space in free_discs(row[TURN], discs, stacks):
            if space >= 0:
                mask[_MOVE + space] = 1
        for way in range(2):
            mask[len(mask) - 2 + way] = row[POOL] > 0 and row[HEADING] in (OPEN, way + UP)  # C13


@njit(cache=True, nogil=True)
def observe(players: int, row: Words, seen: Floats) -> None:
    """Write down what the seat to decide sees, in the order of ``observation.FIELDS``."""
    seen[:] = 0
    dice, lying, stacks = position_in(row, players)
    seat, centre = row[TURN], len(stacks) - 1
    seen[seat] = seen[players] = seen[2 * players + row[PHASE]] = 1
    hands = 2 * players + _PHASES
    pool = hands + players
    discs = pool + 1
    covered = discs + 2 * players
    chain = covered + 2 * players
    ends = chain + SIDES
    headings = ends + SIDES
    loose = headings + _HEADINGS
    seen[pool] = row[POOL] / (DICE_EACH * players)
    other = seat
    for place in range(players):
        seen[hands + place] = dice[other] / (LONGEST + 1)
        one, two = lying[other, 0], lying[other, 1]
        low, high = min(one, two), max(one, two)
        seen[discs + 2 * place], seen[discs + 2 * place + 1] = low / centre, high / centre
        if 0 < low < centre:
            seen[covered + 2 * place] = discs_above(stacks[low], other, False) / (2 * players)
        if 0 < high < centre:
            above = discs_above(stacks[high], other, low == high)
            seen[covered + 2 * place + 1] = above / (2 * players)
        other = next_seat(other, players)
    if row[NUMBERS]:
        seen[ends + row[LAST]] = 1
    for number in range(SIDES):
        seen[chain + number] = times(row[NUMBERS], number) / ALIKE
        seen[loose + number] = times(row[LOOSE], number) / (LONGEST - 1)
    seen[headings + row[HEADING]] = 1
