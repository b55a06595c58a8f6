"""Chain's games compiled (C1-C18): bots play many, and batches wait for decisions from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.counting import Counts, begin, counted
from escadaria.compute.steps import GO_ON, WAIT, Bytes, Floats, Games, Places, Step, Streams
from escadaria.compute.streams import DICE, NOISE, below
from escadaria.game import AnyGame
from escadaria.games.chain.compiled import rules
from escadaria.games.chain.compiled.policies import (
    EXPERT,
    POLICIES,
    RANDOM,
    PolicyTables,
    Tables,
    built,
    decide,
    decide_keep,
    decide_link,
    is_built_at_once,
    plan,
    plan_keep,
    plan_link,
    plan_turn,
    policy_tables_for,
    tables,
)
from escadaria.games.chain.compiled.rules import Dice, Words, inlined
from escadaria.games.chain.compiled.turns import (
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

# Playing.

_LINK, _MOVE = LONGEST, LONGEST + rules.SIDES
"""The first action of a kind. The first actions of all keep dice; after the moves come up and down."""
_COVERED, _FAILED, _ARROW, _HOME = range(4)
_COUNTED = ("covered", "failed", "arrows", "home")
"""What is counted by seat, in the order of the rows."""


@inlined
def play_on(
    tables: Tables,
    policy_tables: PolicyTables | None,
    policies: Words | None,
    action: int,
    players: int,
    row: Words,
    streams: Streams,
    counts: Words | None,
) -> tuple[int, int]:
    """Carry out an action and those of bots, and roll the dice, until a decision from outside or the end.

    :param action: its number, or ``GO_ON``.
    :param policies: the bots by seat; without them all decisions come from outside.
    :param counts: by what is counted and by seat, where wanted.
    :return: the number of turns that ended, and of plies after the action.
    """
    hands, discs, stacks = rules.position_in(row, players)
    spaces, rolls, noise = len(stacks) - 1, streams[DICE], streams[NOISE]
    seat, phase, pool = row[rules.TURN], row[rules.PHASE], row[rules.POOL]
    dice = Dice(row[rules.NUMBERS], row[rules.LAST], row[rules.HEADING], row[rules.LOOSE])
    turns, plies, planned = 0, 0, False
    while True:
        ended = failed = False
        if action == GO_ON:
            pass
        elif action < _LINK:
            pool += rules.set_hand(seat, action + 1, hands)  # C8
            phase = rules.ROLL
        elif action < _MOVE:
            dice = rules.link(dice, action - _LINK)
            phase = rules.BUILD if dice.loose else rules.DECIDE
        elif action < _MOVE + spaces:
            walked, end, victim = rules.move(seat, action - _MOVE, hands[seat], tables.arrows, discs, stacks)
            ended = True
            if counts is not None:
                if victim >= 0:
                    counts[_COVERED, victim] += 1
                counts[_ARROW, seat] += end != walked
                counts[_HOME, seat] += end == spaces
        else:
            pool += rules.set_hand(seat, hands[seat] + 1, hands)  # C13
            dice = Dice(dice.numbers, dice.last, action - _MOVE - spaces + UP, dice.loose)
            phase = rules.LENGTHEN
        if phase == rules.ROLL:  # C9
            numbers, last, loose = dice.numbers, dice.last, dice.loose
            if numbers == 0:
                rolls, last = below(rolls, rules.SIDES)
                numbers = 1 << 8 * last
                plies += 1
            for _ in range(hands[seat] - 1 - rules.how_many(loose)):
                rolls, number = below(rolls, rules.SIDES)
                loose += 1 << 8 * number
                plies += 1
            dice = Dice(numbers, last, dice.heading, loose)
            failed = not rules.can_build(last, loose)
            phase = rules.BUILD if loose else rules.DECIDE
        elif phase == rules.LENGTHEN:
            rolls, number = below(rolls, rules.SIDES)
            plies += 1
            failed = not rules.fits(dice.numbers, dice.last, dice.heading, number)
            if not failed:
                numbers, last, heading = rules.add_link(dice.numbers, dice.last, dice.heading, number)
                dice = Dice(numbers, last, heading, dice.loose)
            phase = rules.DECIDE
        if failed:
            pool += rules.fail(seat, hands)
            if counts is not None:
                counts[_FAILED, seat] += 1
        if failed or ended:
            dice = Dice(0, 0, 0, 0)
            turns += 1
            seat = rules.next_seat(seat, players)
            phase = rules.OVER if rules.has_won(seat, discs, stacks) else rules.KEEP
        if phase == rules.OVER or policies is None:
            break
        policy = policies[seat]
        if policy < 0:
            break
        action = GO_ON
        if policy_tables is None or policy < EXPERT:
            if phase == rules.KEEP:
                choice, noise = decide_keep(policy, hands[seat], noise)
                action = choice - 1
            elif phase == rules.BUILD and is_built_at_once(policy, dice):
                plies += rules.how_many(dice.loose)
                dice = built(tables, dice, pool)
                phase = rules.DECIDE
            elif phase == rules.BUILD:
                choice, noise = decide_link(policy, tables, dice, pool, noise)
                action = _LINK + choice
            if phase == rules.DECIDE:
                choice, noise = decide(policy, tables, seat, dice, pool, hands, discs, stacks, noise)
                action = _MOVE + (choice if choice >= 0 else spaces - choice - UP)
        else:
            if phase != rules.KEEP and not planned:  # the game began within the turn
                plan_turn(policy, policy_tables, tables.arrows, seat, pool, hands, discs, stacks)
            planned = True
            if phase == rules.KEEP:
                choice, noise = plan_keep(
                    policy, policy_tables, tables.arrows, seat, pool, hands, discs, stacks, noise
                )
                action = choice - 1
            elif phase == rules.BUILD:
                choice, noise = plan_link(policy, policy_tables, dice, noise)
                action = _LINK + choice
            else:
                choice, noise = plan(policy, policy_tables, seat, dice, pool, hands, discs, stacks, noise)
                action = _MOVE + (choice if choice >= 0 else spaces - choice - UP)
        plies += 1
    streams[DICE], streams[NOISE] = rolls, noise
    row[rules.TURN], row[rules.PHASE], row[rules.POOL] = seat, phase, pool
    row[rules.NUMBERS], row[rules.LAST], row[rules.HEADING], row[rules.LOOSE] = dice
    return turns, plies


# Games of bots.


@njit(cache=True, nogil=True)
def play_games(
    tables: Tables,
    policy_tables: PolicyTables | None,
    lineup: Words,
    first_row: Words,
    first: int,
    seed: np.uint64,
    each: Counts,
    by_seat: Counts,
) -> None:
    """Fill the rows of ``each`` and ``by_seat`` with as many games, from number ``first`` on."""
    players = len(lineup)
    policies, row, streams = np.empty(players, np.int64), first_row.copy(), np.empty((1, 2), np.uint64)
    counts = np.empty((len(_COUNTED), players), np.int64)
    for game in range(len(each)):
        begin(lineup, first + game, seed, policies, streams)
        row[:], counts[:] = first_row, 0
        turns, plies = play_on(tables, policy_tables, policies, GO_ON, players, row, streams[0], counts)
        each[game, 0], each[game, 1], each[game, 2] = row[rules.TURN], turns, plies
        for seat in range(players):
            by_seat[0, game, seat] = row[rules.SEATS + seat]
            for name in range(len(_COUNTED)):
                by_seat[1 + name, game, seat] = counts[name, seat]


def play_batch(
    game: AnyGame, bots: Sequence[str], first: int, games: int, seed: int, exact: bool = True
) -> dict[str, Counts]:
    """The games ``first``, ``first + 1``, … of a seed; the bots of game 0 move on by one seat each game."""
    assert isinstance(game, Chain)
    lineup, row = (
        np.array([POLICIES[bot] for bot in bots]),
        np.array(rules.row_of(game.track.length, game.initial_state())),
    )
    play = partial(play_games, tables(game), policy_tables_for(game, lineup, exact), lineup, row, first)
    return counted(play, ("hands", *_COUNTED), games, game.players, seed)


# Batches.

_PHASES, _HEADINGS = int(rules.OVER) + 1, 3


def games(game: Chain, number: int, bots: Sequence[str] = ()) -> Games:
    """A batch with this number of games, in which these bots may play."""
    rows = np.zeros((number, rules.columns(game.players, game.track.length + 1)), np.int64)
    planning = policy_tables_for(game, np.array([RANDOM, *(POLICIES[bot] for bot in bots)]))
    playing = partial(advance, tables(game), planning, rows)
    size = 7 * game.players + _PHASES + 1 + 3 * rules.SIDES + _HEADINGS
    row = partial(rules.row_of, game.track.length)
    return Games(rows, size, playing, rules.position_of, row, partial(_values, game, rows))


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
        if actions[game] == WAIT:
            continue
        row, mine = rows[game], policies[game] if policies is not None else None
        play_on(tables, policy_tables, mine, actions[game], players, row, streams[game], None)
        winners[game] = row[rules.TURN] if row[rules.PHASE] == rules.OVER else -1
        seats[game] = row[rules.TURN]
        allow(players, row, mask[game])
        observe(players, row, viewers[game] if viewers[game] >= 0 else row[rules.TURN], observation[game])


@njit(cache=True, nogil=True)
def allow(players: int, row: Words, mask: Bytes) -> None:
    """Mark the legal actions."""
    mask[:] = row[rules.PHASE] == rules.OVER
    if row[rules.PHASE] == rules.KEEP:
        mask[: row[rules.SEATS + row[rules.TURN]]] = 1
    elif row[rules.PHASE] == rules.BUILD:
        dice = Dice(row[rules.NUMBERS], row[rules.LAST], row[rules.HEADING], row[rules.LOOSE])
        for number in range(rules.SIDES):
            mask[_LINK + number] = rules.may_link(dice, number)
    elif row[rules.PHASE] == rules.DECIDE:
        _, discs, stacks = rules.position_in(row, players)
        for space in rules.free_discs(row[rules.TURN], discs, stacks):
            if space >= 0:
                mask[_MOVE + space] = 1
        for way in range(2):
            mask[len(mask) - 2 + way] = row[rules.POOL] > 0 and row[rules.HEADING] in (OPEN, way + UP)  # C13


@njit(cache=True, nogil=True)
def observe(players: int, row: Words, seat: int, seen: Floats) -> None:
    """Write down what the seat sees, in the order of ``observation.FIELDS``."""
    seen[:] = 0
    dice, lying, stacks = rules.position_in(row, players)
    turn, centre = row[rules.TURN], len(stacks) - 1
    after = turn - seat if turn >= seat else turn - seat + players
    seen[seat] = seen[players + after] = seen[2 * players + row[rules.PHASE]] = 1
    hands = 2 * players + _PHASES
    pool = hands + players
    discs = pool + 1
    covered = discs + 2 * players
    chain = covered + 2 * players
    ends = chain + rules.SIDES
    headings = ends + rules.SIDES
    loose = headings + _HEADINGS
    seen[pool] = row[rules.POOL] / (DICE_EACH * players)
    other = seat
    for place in range(players):
        seen[hands + place] = dice[other] / (LONGEST + 1)
        one, two = lying[other, 0], lying[other, 1]
        low, high = min(one, two), max(one, two)
        seen[discs + 2 * place], seen[discs + 2 * place + 1] = low / centre, high / centre
        if 0 < low < centre:
            seen[covered + 2 * place] = rules.discs_above(stacks[low], other, False) / (2 * players)
        if 0 < high < centre:
            above = rules.discs_above(stacks[high], other, low == high)
            seen[covered + 2 * place + 1] = above / (2 * players)
        other = rules.next_seat(other, players)
    if row[rules.NUMBERS]:
        seen[ends + row[rules.LAST]] = 1
    for number in range(rules.SIDES):
        seen[chain + number] = rules.times(row[rules.NUMBERS], number) / ALIKE
        seen[loose + number] = rules.times(row[rules.LOOSE], number) / (LONGEST - 1)
    seen[headings + row[rules.HEADING]] = 1


@njit(cache=True, nogil=True)
def fill_shares(
    evaluator: Evaluator, workspace: Workspace, rows: Words, which: Words, shares: NDArray[np.float64]
) -> None:
    """Fill in the win probability of each seat in these games, as if the turn started now."""
    players = shares.shape[1]
    for number in range(len(which)):
        row = rows[which[number]]
        hands, discs, stacks = rules.position_in(row, players)
        seat = row[rules.TURN]
        evaluate(evaluator, workspace, seat, hands, discs, stacks)
        total = workspace.shares.sum()
        for after in range(players):
            shares[number, seat] = workspace.shares[after] / total
            seat = rules.next_seat(seat, players)
