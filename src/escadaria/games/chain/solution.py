"""The exact solution of Chain for two players: a table with an entry for every turn start.

An entry is a lower bound of the probability that the seat that waits wins. The values of all positions within
a turn follow from the table, see ``turn.py``. A quicker win is worth slightly more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from escadaria.games.chain.boards import BOARDS, Board
from escadaria.games.chain.rules import Chain, State
from escadaria.games.chain.turn import ByTurns, Values
from escadaria.solutions import Bounds

DICE = 16  # two players' dice (C2)
MOST = DICE - 1
"""The most dice that one seat can have: the other keeps its coloured die (C8)."""


class Arrangements:
    """Maps each arrangement of the four discs to an index, from the view of the seat to move (C4, C7, C17).

    Ordered by its own two discs, then by the other's, then by the order of discs in shared stacks.
    """

    def __init__(self, board: Board) -> None:
        starts = {start for start, _ in board.arrows}
        self.board = board
        self.spaces = [space for space in range(board.length + 1) if space not in starts]  # C16
        self.pairs = list(combinations_with_replacement(self.spaces, 2))
        self._pair: dict[tuple[int, ...], int] = {pair: number for number, pair in enumerate(self.pairs)}

    @cached_property
    def first(self) -> npt.NDArray[np.int64]:
        """The number of the first arrangement with these own discs (row) and those of the other (column)."""
        lying = np.array([[pair.count(space) for space in self.spaces[1:-1]] for pair in self.pairs])
        orders = np.ones((len(self.pairs), len(self.pairs)), np.int64)
        ways = np.array([[comb(own + other, own) for other in range(3)] for own in range(3)])
        for space in range(lying.shape[1]):
            orders *= ways[lying[:, None, space], lying[None, :, space]]
        return np.concatenate(([0], np.cumsum(orders)[:-1])).reshape(orders.shape)

    @cached_property
    def count(self) -> int:
        return int(self.first[-1, -1]) + 1  # all four discs at the centre: one way to lie

    def number(self, state: State, seat: int) -> int:
        """The index of a position's arrangement, from the view of ``seat``."""
        order = 0
        for _, seats in state.piles:
            own = tuple(height for height, owner in enumerate(seats) if owner == seat)
            if 0 < len(own) < len(seats):
                ranks = list(combinations(range(len(seats)), len(own)))
                order = order * len(ranks) + ranks.index(own)
        own_pair, other_pair = (self._pair[state.discs[owner]] for owner in (seat, 1 - seat))
        return int(self.first[own_pair, other_pair]) + order


HAND_ROWS = np.array([0] + [sum(DICE - hand for hand in range(1, mover)) for mover in range(1, DICE)])
HAND_PAIRS = MOST * DICE // 2


def hands_number(mover: int, other: int) -> int:
    """The index of a pair of hands, ordered by the mover's hand."""
    return int(HAND_ROWS[mover]) + other - 1


def file_name(game: Chain) -> str:
    """The file name of a game's solution. A balanced game has the same: only its start differs (C18)."""
    board = str(game.board)
    name = board if board in BOARDS else hashlib.sha256(board.encode()).hexdigest()[:16]
    return f"chain-2-{name}.solution"


class ChainSolution(ByTurns):
    """``waiter[arrangement, hands]``: a lower bound of the waiting seat's win probability at a turn start."""

    def __init__(self, game: Chain, waiter: Values, gap: float) -> None:
        super().__init__(game)
        self.waiter, self._gap = waiter, gap
        self._arrangements = arrangements(game.track)

    @property
    def bounds(self) -> Bounds:
        start = self.game.initial_state()
        return Bounds(self.value(start), 1.0 - self._waiting(start, 1), self._gap)

    def outlooks(self, starts: Sequence[State], seat: int) -> Values:
        return np.array([[self._waiting(start, seat)] for start in starts])

    def _waiting(self, state: State, seat: int) -> float:
        """A lower bound of the win probability of ``seat`` when the other's turn starts."""
        if not state.free_discs(1 - seat):
            return 0.0  # C6
        number = self._arrangements.number(state, 1 - seat)
        return float(self.waiter[number, hands_number(state.hands[1 - seat], state.hands[seat])])


@lru_cache(maxsize=8)
def arrangements(board: Board) -> Arrangements:
    return Arrangements(board)


def opened(game: Chain, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> ChainSolution:
    """The solution from the metadata and arrays of its file."""
    return ChainSolution(game, arrays["waiter"], about["bounds"][2])
