"""Batches of Chain games (C1-C18): each step carries out one decision per game and the dice after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.steps import GO_ON, WAIT, Bytes, Floats, Games, Places, Step, Streams
from escadaria.compute.streams import DICE, NOISE, below
from escadaria.games.chain.compiled.play import (
    BUILD,
    DECIDE,
    EXPERT,
    HEADING,
    KEEP,
    LAST,
    LENGTHEN,
    LOOSE,
    NUMBERS,
    OVER,
    PHASE,
    POLICIES,
    POOL,
    RANDOM,
    ROLL,
    SEATS,
    TURN,
    PolicyTables,
    Tables,
    decide,
    decide_keep,
    decide_link,
    plan,
    plan_keep,
    plan_link,
    plan_turn,
    play_batch,
    policy_tables_for,
    position_in,
    position_of,
    row_of,
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
    how_many,
    inlined,
    is_link,
    move,
    next_seat,
    set_hand,
    times,
)
from escadaria.games.chain.compiled.values import (
    Evaluator,
    Workspace,
    evaluate,
    load_evaluator,
    new_workspace,
)
from escadaria.games.chain.links import ALIKE, LONGEST
from escadaria.games.chain.positions import DICE_EACH
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.turn import OPEN, UP

__all__ = ["POLICIES", "games", "play_batch"]

_PHASES, _HEADINGS = int(OVER) + 1, 3
_LINK, _MOVE = LONGEST, LONGEST + SIDES
"""The first action of a kind. The first actions of all keep dice; after the moves come up and down."""


def games(game: Chain, number: int, bots: Sequence[str] = ()) -> Games:
    """A batch with this number of games, in which these bots may play."""
    rows = np.zeros((number, SEATS + 3 * game.players + game.track.length + 1), np.int64)
    planning = policy_tables_for(game, np.array([RANDOM, *(POLICIES[bot] for bot in bots)]))
    playing = partial(advance, tables(game), planning, rows)
    size = 7 * game.players + _PHASES + 1 + 3 * SIDES + _HEADINGS
    row = partial(row_of, game.track.length)
    return Games(rows, size, playing, position_of, row, partial(_values, game, rows))


def _values(game: Chain, rows: Words) -> Callable[[Words, NDArray[np.float64]], None]:
    return partial(fill_shares, load_evaluator(game, exact=True), new_workspace(game.players), rows)


@njit(cache=True, nogil=True)
def advance(
    tables: Tables,
    policy_tables: PolicyTables | None,
    rows: Words,
    actions: Words,
    policies: Words | None,
    places: Places,
    step: Step,
) -> None:
    """Carry out an action in each game, and those of the bots after it."""
    streams, viewers, winners = places
    observation, mask, seats = step[:3]
    players = step.reward.shape[1]
    for game in range(len(rows)):
        row, action = rows[game], actions[game]
        if action == WAIT:
            continue
        if action != GO_ON:
            streams[game, DICE] = carry_out(players, tables, row, action, streams[game, DICE])
        elif row[PHASE] == ROLL or row[PHASE] == LENGTHEN:
            streams[game, DICE] = roll(players, row, streams[game, DICE])
        if policies is not None:
            reply(players, tables, policy_tables, policies[game], row, streams[game])
        over = row[PHASE] == OVER
        winners[game] = row[TURN] if over else -1
        seats[game] = row[TURN]
        allow(players, row, mask[game])
        observe(players, row, viewers[game] if viewers[game] >= 0 else row[TURN], observation[game])


@njit(cache=True, nogil=True)
def carry_out(players: int, tables: Tables, row: Words, action: int, dice: np.uint64) -> np.uint64:
    """Carry out a decision and roll the dice until the next one; returns the stream of dice."""
    seat, spaces = row[TURN], len(tables.arrows) - 1
    hands, discs, stacks = position_in(row, players)
    if action < _LINK:
        row[POOL] += set_hand(seat, action + 1, hands)  # C8
        row[PHASE] = ROLL
        return roll(players, row, dice)
    if action < _MOVE:
        number = action - _LINK
        link(row, row[HEADING], number)
        row[LOOSE] -= 1 << 8 * number
        row[PHASE] = BUILD if row[LOOSE] else DECIDE
        return dice
    if action < _MOVE + spaces:
        move(seat, action - _MOVE, hands[seat], tables.arrows, discs, stacks)
        end_turn(row, discs, stacks)
        return dice
    row[POOL] += set_hand(seat, hands[seat] + 1, hands)  # C13
    row[HEADING] = action - _MOVE - spaces + UP
    row[PHASE] = LENGTHEN
    return roll(players, row, dice)


@njit(cache=True, nogil=True)
def roll(players: int, row: Words, dice: np.uint64) -> np.uint64:
    """Roll the rest of the hand (C9), or one die more (C13); returns the stream of dice."""
    seat = row[TURN]
    hands, discs, stacks = position_in(row, players)
    if row[PHASE] == ROLL:
        if row[NUMBERS] == 0:
            dice, row[LAST] = below(dice, SIDES)
            row[NUMBERS] = 1 << 8 * row[LAST]
        for _ in range(hands[seat] - 1 - how_many(row[LOOSE])):
            dice, number = below(dice, SIDES)
            row[LOOSE] += 1 << 8 * number
        linked = can_build(row[LAST], row[LOOSE])
    else:
        dice, number = below(dice, SIDES)
        linked = fits(row[NUMBERS], row[LAST], row[HEADING], number)
        if linked:
            link(row, row[HEADING], number)
    if linked:
        row[PHASE] = BUILD if row[LOOSE] else DECIDE
    else:
        row[POOL] += fail(seat, hands)
        end_turn(row, discs, stacks)
    return dice


@njit(cache=True, nogil=True)
def reply(
    players: int,
    tables: Tables,
    policy_tables: PolicyTables | None,
    policies: Words,
    row: Words,
    streams: Streams,
) -> None:
    """Let the bots play until a decision from outside, or the end of the game."""
    hands, discs, stacks = position_in(row, players)
    spaces, planned = len(tables.arrows) - 1, False
    while row[PHASE] != OVER and policies[row[TURN]] >= 0:
        seat, pool, noise = row[TURN], row[POOL], streams[NOISE]
        policy, phase = policies[seat], row[PHASE]
        numbers, last, heading, loose = row[NUMBERS], row[LAST], row[HEADING], row[LOOSE]
        if policy_tables is None or policy < EXPERT:
            if phase == KEEP:
                choice, noise = decide_keep(policy, hands[seat], noise)
            elif phase == BUILD:
                choice, noise = decide_link(policy, tables, numbers, last, heading, loose, pool, noise)
            else:
                choice, noise = decide(
                    policy, tables, seat, numbers, last, heading, hands[seat], pool, discs, stacks, noise
                )
        else:
            if phase != KEEP and not planned:  # the game began within the turn
                plan_turn(policy, policy_tables, tables.arrows, seat, pool, hands, discs, stacks)
            planned = True
            if phase == KEEP:
                choice, noise = plan_keep(
                    policy, policy_tables, tables.arrows, seat, pool, hands, discs, stacks, noise
                )
            elif phase == BUILD:
                choice, noise = plan_link(policy, policy_tables, numbers, last, heading, loose, noise)
            else:
                choice, noise = plan(
                    policy,
                    policy_tables,
                    seat,
                    numbers,
                    last,
                    heading,
                    hands[seat],
                    pool,
                    discs,
                    stacks,
                    noise,
                )
        streams[NOISE] = noise
        if phase == KEEP:
            action = choice - 1
        elif phase == BUILD:
            action = _LINK + choice
        else:
            action = _MOVE + (choice if choice >= 0 else spaces - choice - UP)
        streams[DICE] = carry_out(players, tables, row, action, streams[DICE])


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
    mask[:] = row[PHASE] == OVER
    if row[PHASE] == KEEP:
        mask[: row[SEATS + row[TURN]]] = 1
    elif row[PHASE] == BUILD:
        for number in range(SIDES):
            mask[_LINK + number] = is_link(row[NUMBERS], row[LAST], row[HEADING], row[LOOSE], number)
    elif row[PHASE] == DECIDE:
        _, discs, stacks = position_in(row, players)
        for space in free_discs(row[TURN], discs, stacks):
            if space >= 0:
                mask[_MOVE + space] = 1
        for way in range(2):
            mask[len(mask) - 2 + way] = row[POOL] > 0 and row[HEADING] in (OPEN, way + UP)  # C13


@njit(cache=True, nogil=True)
def observe(players: int, row: Words, seat: int, seen: Floats) -> None:
    """Write down what the seat sees, in the order of ``observation.FIELDS``."""
    seen[:] = 0
    dice, lying, stacks = position_in(row, players)
    turn, centre = row[TURN], len(stacks) - 1
    after = turn - seat if turn >= seat else turn - seat + players
    seen[seat] = seen[players + after] = seen[2 * players + row[PHASE]] = 1
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


@njit(cache=True, nogil=True)
def fill_shares(
    evaluator: Evaluator, workspace: Workspace, rows: Words, which: Words, shares: NDArray[np.float64]
) -> None:
    """Fill in the win probability of each seat in these games, as if the turn started now."""
    players = shares.shape[1]
    for number in range(len(which)):
        row = rows[which[number]]
        hands, discs, stacks = position_in(row, players)
        seat = row[TURN]
        evaluate(evaluator, workspace, seat, hands, discs, stacks)
        total = workspace.shares.sum()
        for after in range(players):
            shares[number, seat] = workspace.shares[after] / total
            seat = next_seat(seat, players)
