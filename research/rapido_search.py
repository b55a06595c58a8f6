"""Whether search makes a master of Rapido stronger: it plans beyond its own turn (R4-R18).

A master evaluates the ends of its turn by the network. The *searcher* computes the next one or two turns from
there exactly, as masters play them, and takes the network's values after those. Or it plays some more turns
many times, in *rollouts*, and takes the mean of the values after them. Choices less likely than ``CUT`` are
not searched; they get the mean correction of the others.

The luck of every roll, measured by these values, is subtracted from the results and from the rollouts (as GNU
Backgammon does). Its mean is 0, so the mean result stays and its interval narrows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria import evaluator_network
from escadaria.compute import NONE, ZERO, constants
from escadaria.games.rapido.compiled.rules import (
    DOUBLES,
    FIRST_ROLLS,
    GOES_ON,
    LATER_ROLLS,
    MOVES,
    NUMBER_OF_ROLLS,
    ONE_CROSS,
    RANK_OF_ROLL,
    RANKS,
    ROLLED,
    SEATS,
    TOWER,
    TURN,
    TWO_CROSSES,
    WON,
    Words,
    columns,
    free_fields,
    is_free,
    moved,
    next_seat,
    pass_turn,
    place,
    roll,
    roll_again,
    set_up,
    start_turn,
    worth_of_doubles,
)
from escadaria.games.rapido.compiled.turns import (
    EACH_LEVEL,
    Model,
    Workspace,
    end_turn,
    evaluate,
    model,
    new_workspace,
    plan,
    store_start,
)
from escadaria.games.rapido.rules import TOP_FIELD, Rapido
from escadaria.games.rapido.values import LEVELS
from research.rapido_training import expected
from research.rapido_training import play_turn as play_planned_turn

OWN, NEXT, LATER = constants(3)
"""The consecutive turns of a search."""
CUT = 0.01
"""The least probability of a choice, or of an end of a turn, that is searched."""
MARGIN = 0.05
"""A field that seems worse than the best choice by more than this is not searched."""

Shares = NDArray[np.float64]


class Turn(NamedTuple):
    """The arrays for one of the consecutive turns of a search."""

    workspace: Workspace
    shown: Shares
    """[level, value]: how likely the player is to have the value in hand there; more than 1 is possible."""
    falls: Shares
    """[level, crosses - 1]: the probability that the turn ends with a fall from there."""
    out: Shares
    """The shares at its start, from its seat on, by the values after it."""


class Search(NamedTuple):
    model: Model
    finish: int
    turns: tuple[Turn, Turn, Turn]
    rows: Words
    """The position of each turn after scoring; the first is the game's."""
    fallen: Shares
    """[crosses - 1]: what a fall from the first level of the first turn is worth to the searcher."""
    rollouts: int
    """The number for each end of the searcher's turn, with three players or more; with 0 the turns after it
    are computed exactly."""


def search(game: Rapido, rollouts: int = 0) -> Search:
    """A search by the shipped network."""
    assert not rollouts or game.players > 2  # ``store_start`` needs as many
    one, two, three = (_turn(game.players) for _ in range(3))
    net = model(evaluator_network.load("escadaria.games.rapido", game.players))
    rows = np.zeros((3, columns(game.players)), np.int64)
    return Search(net, game.finish, (one, two, three), rows, np.zeros(2), rollouts)


def _turn(players: int) -> Turn:
    workspace = new_workspace(players, LEVELS)
    return Turn(workspace, np.zeros((LEVELS, RANKS)), np.zeros((LEVELS, 2)), np.zeros(players))


# Turns as masters play them.


@njit(cache=True, nogil=True)
def own_step(search: Search, at: int) -> int:
    return int(search.rows[at, SEATS + search.rows[at, TURN]])


@njit(cache=True, nogil=True)
def look_ahead(search: Search, at: int) -> int:
    """Compute the values of a turn and the shares at its start; returns the number of levels."""
    turn, own = search.turns[at], own_step(search, at)
    levels = plan(search.model, search.finish, search.rows[at], own, EACH_LEVEL, turn.workspace)
    expected(levels, search.finish - own, turn.workspace, turn.out)
    return int(levels)


@njit(cache=True, nogil=True)
def fall(search: Search, at: int, level: int, crosses: int) -> Shares:
    """The network's shares after a turn that ends with a fall (R12), from the next seat on."""
    workspace, step = search.turns[at].workspace, moved(own_step(search, at) + level, -crosses)
    end_turn(search.model, search.finish, search.rows[at], step, NONE, ZERO, workspace)
    shares: Shares = workspace.shares
    return shares


@njit(cache=True, nogil=True)
def stops(workspace: Workspace, level: int, rank: int) -> bool:
    return bool(workspace.best[0, level, rank] >= workspace.again[0, level])


@njit(cache=True, nogil=True)
def find_chances(turn: Turn, levels: int, left: int, hand: int) -> None:
    """Fill in ``shown`` and ``falls`` of a turn that was planned.

    :param left: the number of steps from the first level to the finish.
    :param hand: the rank of the value in hand, as if the player rolled again; -1 before the first roll.
    """
    turn.shown[:] = 0.0
    if hand < 0:
        add_rolls(turn.shown[:levels], left, 0, FIRST_ROLLS, 1.0)
    for level in range(levels):
        again, same = 1.0 if hand >= 0 and level == 0 else 0.0, 0.0
        for rank in range(RANKS):
            if not stops(turn.workspace, level, rank):
                again += turn.shown[level, rank]
                same += LATER_ROLLS[rank] / NUMBER_OF_ROLLS
        again /= 1.0 - same
        add_rolls(turn.shown[:levels], left, level, LATER_ROLLS, again)
        turn.falls[level, 0] = again * ONE_CROSS / NUMBER_OF_ROLLS
        turn.falls[level, 1] = again * TWO_CROSSES / NUMBER_OF_ROLLS
    if hand >= 0:
        turn.shown[0, hand] += 1.0


@njit(cache=True, nogil=True)
def add_rolls(shown: Shares, left: int, level: int, rolls: Shares, often: float) -> None:
    """Add what a number of rolls from a level show."""
    for rank in range(RANKS):
        shown[level, rank] += often * rolls[rank] / NUMBER_OF_ROLLS
    for climb in range(1, 4):
        if level + climb < left:
            shown[min(level + climb, len(shown) - 1), DOUBLES[climb - 1]] += often / NUMBER_OF_ROLLS


@njit(cache=True, nogil=True)
def begin_next(search: Search, at: int, level: int, field: int, rank: int) -> bool:
    """Set up the turn after this one ended with a pair on the field, or with a fall (-1); whether that wins.

    :param level: the steps that its player climbed.
    """
    rows, players, after = search.rows, len(search.turns[0].out), at + 1
    rows[after] = rows[at]
    rows[after, SEATS + rows[at, TURN]] = moved(own_step(search, at), level)
    if field >= 0:
        rows[after, ROLLED] = rank
        place(players, rows, after, field, None)
    pass_turn(players, rows, after)
    won = start_turn(search.finish, players, rows, after)
    if won:
        search.turns[after].out[:] = 0.0
        search.turns[after].out[0] = 1.0
    return bool(won)


@njit(cache=True, nogil=True)
def look_two_ahead(search: Search, cut: float) -> None:
    """Evaluate the second turn by the values after one more turn, where that is likely enough."""
    turn, workspace, levels = search.turns[1], search.turns[1].workspace, look_ahead(search, NEXT)
    find_chances(turn, levels, search.finish - own_step(search, NEXT), NONE)
    total, likely, change = 0.0, 0.0, np.zeros(len(turn.out))
    for level in range(levels):
        for end in range(RANKS + 2):  # a value that is placed, or a fall
            crosses = end - RANKS + 1
            chance = turn.shown[level, end] if crosses <= 0 else turn.falls[level, crosses - 1]
            if crosses <= 0 and not stops(workspace, level, end):
                continue
            total += chance
            if chance < cut:
                continue
            likely += chance
            if crosses <= 0:
                change -= chance * workspace.best[:, level, end]
                won = begin_next(search, NEXT, level, workspace.field[level, end], end)
            else:
                add_shares(fall(search, NEXT, level, crosses), -chance, change)
                won = begin_next(search, NEXT, level - crosses, NONE, ZERO)
            if not won:
                look_ahead(search, LATER)
            add_shares(search.turns[2].out, chance, change)
    if likely > 0.0:
        turn.out[:] += change * total / likely


@njit(cache=True, nogil=True)
def add_shares(shares: Shares, times: float, out: Shares) -> None:
    """Add shares by seat from the next one to ``out``, which is by seat from the one that played."""
    for seat in range(len(shares)):
        out[next_seat(seat, len(shares))] += times * shares[seat]


@njit(cache=True, nogil=True)
def roll_out(search: Search, turns: int) -> None:
    """Evaluate the second turn by rollouts: the mean of the values after ``turns`` turns, without luck.

    Without luck, each turn adds the mean of the values after it minus the value before it.
    """
    first, turn, rows, levels = search.turns[1], search.turns[2], search.rows, look_ahead(search, NEXT)
    players, change = len(first.out), np.zeros(len(first.out))
    for _ in range(search.rollouts):
        rows[2], here, most = rows[1], first, levels
        for _ in range(1, turns):
            if play_planned_turn(search.finish, rows[2:], most, 0.0, here.workspace) >= 0:
                break
            here = turn
            store_start(rows[2], turn.workspace)
            evaluate(search.model, search.finish, turn.workspace)
            before = turn.workspace.shares.copy()
            most = look_ahead(search, LATER)
            for later in range(players):
                seat = (rows[2, TURN] + later - rows[1, TURN]) % players
                change[seat] += turn.out[later] - before[later]
    first.out[:] += change / search.rollouts


# The searcher.


@njit(cache=True, nogil=True)
def worth_after(search: Search, turns: int, cut: float, level: int, field: int, rank: int) -> float:
    """What an end of the first turn is worth to its player, by the values after some more ``turns``."""
    if not begin_next(search, OWN, level, field, rank):
        if search.rollouts:
            roll_out(search, turns)
        elif turns == 1:
            look_ahead(search, NEXT)
        else:
            look_two_ahead(search, cut)
    return float(search.turns[1].out[-1])


@njit(cache=True, nogil=True)
def plan_by_search(search: Search, turns: int, cut: float, hand: int) -> int:
    """Compute the first turn by the values after some more ``turns``; returns the number of levels.

    :param hand: as for ``find_chances``.
    """
    turn, position, own = search.turns[0], search.rows[0], own_step(search, OWN)
    levels, left, workspace = look_ahead(search, OWN), search.finish - own, turn.workspace
    best, again, shown = workspace.best[0, :levels], workspace.again[0], turn.shown
    find_chances(turn, levels, left, hand)
    free, deeper, likely, change = free_fields(position[TOWER]), np.full((levels, RANKS), -1.0), 0.0, 0.0
    for level in range(levels):
        for rank in range(RANKS):
            if shown[level, rank] < cut or best[level, rank] < again[level] - MARGIN:
                continue
            for field in range(TOP_FIELD + 1):
                if not is_free(free, field):
                    continue
                worth = end_turn(search.model, search.finish, position, own + level, field, rank, workspace)
                if worth < best[level, rank] - MARGIN:
                    continue
                worth = worth_after(search, turns, cut, level, field, rank)
                if worth > deeper[level, rank]:
                    deeper[level, rank], workspace.field[level, rank] = worth, field
            likely += shown[level, rank]
            change += shown[level, rank] * (deeper[level, rank] - best[level, rank])
    correction = change / likely if likely > 0.0 else 0.0
    for level in range(levels):
        for rank in range(RANKS):
            known = deeper[level, rank]
            best[level, rank] = known if known >= 0.0 else best[level, rank] + correction
    for crosses, rolls in ((1, ONE_CROSS), (2, TWO_CROSSES)):
        before = fall(search, OWN, ZERO, crosses)[-1]
        search.fallen[crosses - 1] = worth_after(search, turns, cut, -crosses, NONE, ZERO)
        workspace.fails[0, :levels] += rolls * (search.fallen[crosses - 1] - before)
    for level in range(levels - 1, -1, -1):
        sure = workspace.fails[0, level] + worth_of_doubles(left, level, best, again)
        again[level] = roll_again(sure, best[level])
    return levels


# Games. The searcher's share is by its seat from the one whose turn it is.


@njit(cache=True, nogil=True)
def prepare(search: Search, turns: int, cut: float, hand: int, its: int) -> int:
    """Compute the first turn as its player does, with what a fall is worth to the searcher."""
    if turns > 0 and its == 0:
        return int(plan_by_search(search, turns, cut, hand))
    for crosses in range(1, 3):
        search.fallen[crosses - 1] = fall(search, OWN, ZERO, crosses)[its - 1]
    return int(look_ahead(search, OWN))


@njit(cache=True, nogil=True)
def worth_of_roll(search: Search, levels: int, left: int, later: int, number: int, its: int) -> float:
    """What a roll from the first level is worth to the searcher."""
    move, rank, workspace = MOVES[later, number], RANK_OF_ROLL[number], search.turns[0].workspace
    if move < 0:
        return float(search.fallen[-move - 1])
    if move >= left:
        return 1.0 if its == 0 else 0.0
    level = min(move, levels - 1)
    if stops(workspace, level, rank):
        return float(workspace.best[its, level, rank])
    return float(workspace.again[its, level])


@njit(cache=True, nogil=True)
def play_turn(search: Search, turns: int, cut: float, its: int) -> tuple[int, float]:
    """Play a turn: what its last roll led to, and the searcher's luck."""
    rows, workspace, players = search.rows, search.turns[0].workspace, len(search.turns[0].out)
    luck, later, levels = 0.0, 0, prepare(search, turns, cut, NONE, its)
    while True:
        left, number = search.finish - own_step(search, OWN), np.random.randint(NUMBER_OF_ROLLS)
        luck += worth_of_roll(search, levels, left, later, number, its)
        for other in range(NUMBER_OF_ROLLS):
            luck -= worth_of_roll(search, levels, left, later, other, its) / NUMBER_OF_ROLLS
        status = roll(search.finish, rows, 0, later, number)
        if status != GOES_ON:
            return status, luck
        hand = rows[0, ROLLED]
        if MOVES[later, number] > 0:  # R10
            levels = prepare(search, turns, cut, hand, its)
        if stops(workspace, 0, hand):
            place(players, rows, 0, workspace.field[0, hand], None)
            return status, luck
        later = 1


@njit(cache=True, nogil=True)
def play_game(search: Search, turns: int, cut: float, searcher: int) -> tuple[float, float, int]:
    """One game among masters: whether the searcher wins, the luck that it had, and its number of turns.

    :param turns: how many turns it searches beyond its own; 0 for a master.
    """
    rows, players, total, played = search.rows, len(search.turns[0].out), 0.0, 0
    set_up(rows, 0)
    while not start_turn(search.finish, players, rows, 0):
        its = (searcher - rows[0, TURN]) % players
        status, luck = play_turn(search, turns, cut, its)
        total += luck
        played += its == 0
        if status == WON:
            break
        pass_turn(players, rows, 0)
    return 1.0 if rows[0, TURN] == searcher else 0.0, total, played


@njit(cache=True, nogil=True)
def play_games(search: Search, turns: int, cut: float, seed: int, results: NDArray[np.float64]) -> None:
    """Fill ``results`` as ``measure`` has them. The searcher's seat moves on by one each game."""
    np.random.seed(seed)
    for game in range(len(results)):
        won, luck, played = play_game(search, turns, cut, game % len(search.turns[0].out))
        results[game, 0], results[game, 1], results[game, 2] = won, won - luck, played


def measure(
    game: Rapido, turns: int, games: int, seed: int, cut: float = CUT, rollouts: int = 0
) -> NDArray[np.float64]:
    """[game, 0 to 2]: whether the searcher won among masters, the same without its luck, its turns."""
    results = np.zeros((games, 3))
    play_games(search(game, rollouts), turns, cut, seed, results)
    return results
