"""Chain for batches (C1-C18): what a decision and the dice after it make of each game."""

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
    position_of,
    tables,
)
from escadaria.games.chain.compiled.rules import (
    SIDES,
    Words,
    can_link,
    end_of,
    fits,
    free_discs,
    heading_after,
    is_link,
    move,
    times,
    too_often,
)
from escadaria.games.chain.rules import ALIKE, LONGEST, Chain
from escadaria.games.chain.turn import OPEN, UP

_PHASES, _HEADINGS = OVER + 1, 3
_LINK, _MOVE = LONGEST, LONGEST + SIDES
"""Where the actions of a kind start: first come those that keep dice."""


def games(game: Chain, number: int) -> Games:
    """So many games."""
    rows = np.zeros((number, SEATS + 3 * game.players + game.track.length + 1), np.int64)
    playing = partial(advance, np.array(game.initial_state().hands), tables(game), rows)
    return Games(rows, 7 * game.players + _PHASES + 1 + 3 * SIDES + _HEADINGS, playing, position_of)


@njit(cache=True, nogil=True)
def advance(
    dealt: Words, tables: Tables, rows: Words, actions: Words | None, places: Places, step: Step
) -> None:
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
            row[POOL] = 8 * players - dealt.sum()  # C2
        seats[game] = row[TURN]
        allow(players, row, mask[game])
        look(players, row, observation[game])


@njit(cache=True, nogil=True)
def carry_out(players: int, tables: Tables, row: Words, action: int, dice: np.uint64) -> np.uint64:
    """One decision, and the dice until the next one; the stream of dice after it."""
    seat = row[TURN]
    hands = row[SEATS : SEATS + players]
    discs = row[SEATS + players : SEATS + 3 * players].reshape(players, 2)
    piles = row[SEATS + 3 * players :]
    linked = True
    if action < _LINK:
        row[POOL] += hands[seat] - action - 1  # C8
        hands[seat] = action + 1
        linked, dice = roll(row, hands[seat], dice)
    elif action < _MOVE:
        number = action - _LINK
        row[HEADING] = heading_after(row[LAST], row[HEADING], number)
        row[NUMBERS] += 1 << 8 * number
        row[LOOSE] -= 1 << 8 * number
        row[LAST] = number
    elif action < _MOVE + len(piles) - 1:
        space = action - _MOVE
        _, end = end_of(space, hands[seat], tables.arrows)
        move(seat, space, end, discs, piles)
        end_turn(players, row, discs, piles)
        return dice
    else:
        way = action - _MOVE - len(piles) + 1 + UP
        hands[seat] += 1  # C13
        row[POOL] -= 1
        dice, number = below(dice, SIDES)
        linked = fits(row[NUMBERS], row[LAST], way, number)
        if linked:
            row[HEADING] = heading_after(row[LAST], way, number)
            row[NUMBERS] += 1 << 8 * number
            row[LAST] = number
    if linked:
        row[PHASE] = BUILD if row[LOOSE] else DECIDE
        return dice
    lost = (hands[seat] + 1) // 2  # C14
    hands[seat] -= lost
    row[POOL] += lost
    end_turn(players, row, discs, piles)
    return dice


@njit(cache=True, nogil=True)
def roll(row: Words, kept: int, dice: np.uint64) -> tuple[bool, np.uint64]:
    """Roll the hand (C9): whether it can be linked (C10), and the stream of dice."""
    dice, number = below(dice, SIDES)
    row[NUMBERS], row[LAST] = 1 << 8 * number, number
    loose = 0
    for _ in range(kept - 1):
        dice, number = below(dice, SIDES)
        loose += 1 << 8 * number
    row[LOOSE] = loose
    return can_link(row[LAST], OPEN, loose) and not too_often(row[NUMBERS] + loose), dice


@njit(cache=True, nogil=True)
def end_turn(players: int, row: Words, discs: Words, piles: Words) -> None:
    row[NUMBERS] = row[LAST] = row[HEADING] = row[LOOSE] = 0
    row[TURN] = row[TURN] + 1 if row[TURN] + 1 < players else 0  # C5
    row[PHASE] = KEEP if free_discs(row[TURN], discs, piles)[0] >= 0 else OVER  # C6


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
        discs = row[SEATS + players : SEATS + 3 * players].reshape(players, 2)
        for space in free_discs(row[TURN], discs, row[SEATS + 3 * players :]):
            if space >= 0:
                mask[_MOVE + space] = 1
        for way in range(2):
            mask[len(mask) - 2 + way] = row[POOL] > 0 and row[HEADING] in (OPEN, way + UP)  # C13


@njit(cache=True, nogil=True)
def look(players: int, row: Words, seen: Floats) -> None:
    """Write down what the seat to decide sees, in the order of ``observation.FIELDS``."""
    seen[:] = 0
    seat, centre = row[TURN], len(row) - SEATS - 3 * players - 1
    seen[seat] = seen[players] = seen[2 * players + row[PHASE]] = 1
    hands = 2 * players + _PHASES
    pool = hands + players
    discs = pool + 1
    covered = discs + 2 * players
    chain = covered + 2 * players
    ends = chain + SIDES
    headings = ends + SIDES
    loose = headings + _HEADINGS
    seen[pool] = row[POOL] / (8 * players)
    for place in range(players):
        other = seat + place if seat + place < players else seat + place - players
        seen[hands + place] = row[SEATS + other] / (LONGEST + 1)
        at = SEATS + players + 2 * other
        low, high = min(row[at], row[at + 1]), max(row[at], row[at + 1])
        seen[discs + 2 * place], seen[discs + 2 * place + 1] = low / centre, high / centre
        upper = above(row[SEATS + 3 * players + low], other, False)
        lower = above(row[SEATS + 3 * players + high], other, low == high)
        seen[covered + 2 * place] = upper / (2 * players)
        seen[covered + 2 * place + 1] = lower / (2 * players)
    if row[NUMBERS]:
        seen[ends + row[LAST]] = 1
    for number in range(SIDES):
        seen[chain + number] = times(row[NUMBERS], number) / ALIKE
        seen[loose + number] = times(row[LOOSE], number) / (LONGEST - 1)
    seen[headings + row[HEADING]] = 1


@njit(cache=True, nogil=True)
def above(word: int, seat: int, again: bool) -> int:
    """How many discs lie on the seat's disc in a stack, with ``again`` its lower one (C7)."""
    number = 0
    while word and (word & 7 != seat + 1 or again):
        again = again and word & 7 != seat + 1
        word >>= 3
        number += 1
    return number if word else 0
