"""What tests of compiled code share: positions as arrays, and comparisons with the readable engine."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from escadaria.arena import simulation
from escadaria.catalogue import kit_of
from escadaria.game import AnyGame, play_out
from escadaria.games.chain.boards import Board
from escadaria.games.chain.compiled import rules as chain_rules
from escadaria.games.chain.compiled.solver import GAP, Solver, layout
from escadaria.games.chain.compiled.turns import (
    Evaluator,
    load_evaluator,
)
from escadaria.games.chain.positions import (
    State as ChainState,
)
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.solution import ChainSolution
from escadaria.games.rapido.compiled import rules as rapido_rules
from escadaria.games.rapido.rules import Phase, Rapido, State

Words = NDArray[np.int64]

NARROW = Board(18, tuple((space, 17) for space in range(1, 14)))
"""Everybody meets on a few spaces, so that stacks grow high and moves walk back (C15, C17)."""

TINY = Board.parse("18 1>4 2>4 3>4 5>9 6>9 7>9 8>9 10>13 11>13 12>9 14>13 15>16")
"""Only 4, 9, 13, 16 and 17 can be stood on, so that all positions are solved in seconds."""

GAME = Chain(2, TINY)

RAPIDOS = [Rapido(2, 20), Rapido(3, 5), Rapido(4, 9), Rapido(5, 50), Rapido(6, 20)]
CHAINS = [Chain(2, "short"), Chain(3), Chain(4, NARROW), Chain(5, "long", balanced=True), Chain(6)]
EVERY = [*RAPIDOS, *CHAINS]
"""Each game and number of players."""


@cache
def solved() -> Solver:
    """The solver of the tiny board, with its work done."""
    solver = Solver(TINY)
    assert solver.solve({}) <= GAP
    solver.waiter.flags.writeable = False
    return solver


def tiny_solution() -> ChainSolution:
    return ChainSolution(GAME, solved().waiter, GAP)


def tiny_evaluator() -> Evaluator:
    """What turns are worth by this solution."""
    return load_evaluator(GAME, exact=False)._replace(waiter=solved().waiter, layout=layout(TINY))


# Positions.


def row_of(state: State) -> Words:
    """A position of Rapido as a row."""
    return np.array(rapido_rules.row_of(state))


def words(game: Chain, state: ChainState) -> tuple[Words, Words, Words]:
    """Hands, discs and stacks of a position of Chain as the kernel has them."""
    row = np.array(chain_rules.row_of(game.track.length, state)[chain_rules.SEATS :])
    hands, discs, stacks = np.split(row, [game.players, 3 * game.players])
    return hands, discs.reshape(-1, 2), stacks


def wild_positions(game: Rapido, rng: random.Random, games: int, every: int = 5) -> Iterator[State]:
    """Positions of random games. Values are drawn from few, so that ties are frequent (R14)."""
    for _ in range(games):
        played = play_out(
            game,
            game.initial_state(),
            lambda state: rng.choice(game.legal_actions(state)),
            lambda state: rng.choice(game.chance_outcomes(state)[::every])[0],
        )
        yield from (state for _, state in played)


def positions(game: Rapido, phase: Phase, count: int) -> Iterator[State]:
    """Positions of random games in this phase, with any values."""
    met = wild_positions(game, random.Random(count), count, every=1)
    return islice((state for state in met if state.phase is phase), 0, 2 * count, 2)


# Comparisons.


def same_games(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """All that is counted is the same."""
    assert ours.keys() == theirs.keys()
    for name, column in theirs.items():
        assert np.array_equal(ours[name], column), name


def lineups(players: int) -> list[list[str]]:
    return [["simple"] * players, ["random"] * players, [("simple", "random")[n % 2] for n in range(players)]]


def check_bots(game: AnyGame, lineup: Sequence[str], games: int) -> None:
    """Kernel and engine play the same games: dice and noise are those of the game's streams."""
    kernel: Any = kit_of(game).compiled
    arguments = game, lineup, 5, games, 2**64 - 2
    same_games(kernel().play_batch(*arguments), simulation.play_batch(*arguments))
