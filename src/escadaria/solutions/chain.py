"""Chain for two players: every turn start has a number, and a turn is worked out from those that may follow.

A table holds for each turn start what the seat that waits is sure to win. Everything else follows from it
here, with NumPy: a turn is a walk through chains of dice that knows the board only by what stopping with
so many links and failing with so many dice are worth.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from itertools import combinations, combinations_with_replacement
from math import comb, factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from escadaria.boards import BOARDS, Board
from escadaria.chain import (
    ALIKE,
    FACES,
    Action,
    Chain,
    Heading,
    Keep,
    Lengthen,
    Link,
    Links,
    Move,
    Phase,
    State,
)
from escadaria.game import replaced
from escadaria.solutions.solution import Bounds

DICE = 16  # two players' dice (C2)
MOST = DICE - 1
"""The most dice that one seat can have: the other keeps its coloured die (C8)."""

Values = npt.NDArray[np.float64]


class Arrangements:
    """Numbers how the four discs can lie, as the seat to move sees it (C4, C7, C17).

    First by its own two discs, then by the other's, then by the order of the stacks that both are part of.
    """

    def __init__(self, board: Board) -> None:
        starts = {start for start, _ in board.arrows}
        self.board = board
        self.places = [space for space in range(board.length + 1) if space not in starts]  # C16
        self.pairs = list(combinations_with_replacement(self.places, 2))
        self._pair: dict[tuple[int, ...], int] = {pair: number for number, pair in enumerate(self.pairs)}

    @cached_property
    def first(self) -> npt.NDArray[np.int64]:
        """The number of the first arrangement with these own discs (row) and those of the other (column)."""
        lying = np.array([[pair.count(place) for place in self.places[1:-1]] for pair in self.pairs])
        orders = np.ones((len(self.pairs), len(self.pairs)), np.int64)
        ways = np.array([[comb(own + other, own) for other in range(3)] for own in range(3)])
        for place in range(lying.shape[1]):
            orders *= ways[lying[:, None, place], lying[None, :, place]]
        return np.concatenate(([0], np.cumsum(orders)[:-1])).reshape(orders.shape)

    @cached_property
    def count(self) -> int:
        return int(self.first[-1, -1]) + 1  # all four discs at the centre: one way to lie

    def number(self, state: State, seat: int) -> int:
        """The arrangement's number, as ``seat`` sees it."""
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
    """The number of a pair of hands; all those with the same hand to move follow each other."""
    return int(HAND_ROWS[mover]) + other - 1


# A turn. Numbers of a chain are counted by one number in base 4, the ones lowest; a chain's end is its last
# number (from 0) and its heading.

OPEN, UP, DOWN = range(3)
_HEADINGS = {Heading.OPEN: OPEN, Heading.UP: UP, Heading.DOWN: DOWN}
_ONE_MORE = [(ALIKE + 1) ** face for face in range(len(FACES))]
_TIMES = np.arange((ALIKE + 1) ** len(FACES))[:, None] // _ONE_MORE % (ALIKE + 1)
"""[numbers, face]: how often the face is among the numbers."""
_BY_LENGTH = [np.flatnonzero(_TIMES.sum(axis=1) == links) for links in range(DICE)]
_FACTORIAL = np.array([factorial(number) for number in range(DICE)], float)


def _straight_on(heading: int, face: int) -> int:
    return OPEN if face in (0, len(FACES) - 1) else heading  # the direction may change at a 1 or 6 (C11)


class Turn:
    """What every stage of one turn is worth, given what its ends are worth."""

    def __init__(self, stop: Values, fail: Values, most: int) -> None:
        """``stop`` goes by the chain's links, up to ``most``; ``fail`` by the dice that are left (C14)."""
        self.fail, self.most = fail, most
        self.standing = np.zeros((len(_TIMES), len(FACES), 3))
        """[numbers, last, heading]: of a chain, when the player decides (C12)."""
        self.lengthened = np.zeros((len(_TIMES), len(FACES), 3))
        """[numbers, last, heading]: when the direction is named (C13)."""
        for links in range(most, 0, -1):
            self.standing[_BY_LENGTH[links]] = stop[links]
            if links < most:  # C13: there are dice in the pool
                self._lengthen(_BY_LENGTH[links], fail[(links + 1) // 2])

    def _lengthen(self, numbers: npt.NDArray[np.int64], fail: float) -> None:
        added = np.empty((3, len(numbers), len(FACES)))
        for face, more in enumerate(_ONE_MORE):
            fits = _TIMES[numbers, face] < ALIKE
            for heading in (UP, DOWN):
                after = self.standing[np.where(fits, numbers + more, 0), face, _straight_on(heading, face)]
                added[heading, :, face] = np.where(fits, after, fail)
        below = np.arange(len(FACES)) * fail  # what does not fit because it leads back
        up = (np.cumsum(added[UP, :, ::-1], axis=1)[:, ::-1] + below) / len(FACES)
        down = (np.cumsum(added[DOWN], axis=1) + below[::-1]) / len(FACES)
        self.lengthened[numbers, :, UP], self.lengthened[numbers, :, DOWN] = up, down
        for heading, best in ((OPEN, np.maximum(up, down)), (UP, up), (DOWN, down)):
            at = numbers, slice(None), heading
            self.standing[at] = np.maximum(self.standing[at], best)

    def rolled(self, dice: int, first: int, known: int) -> float:
        """When some of the dice show, the coloured one ``first``, all of them ``known``."""
        numbers = _BY_LENGTH[dice]
        falls = _TIMES[numbers] - _TIMES[known]
        possible = (falls >= 0).all(axis=1)
        numbers, falls = numbers[possible], falls[possible]
        rest = dice - int(_TIMES[known].sum())
        chances = _FACTORIAL[rest] / _FACTORIAL[falls].prod(axis=1) / len(FACES) ** rest
        built = _built_from_one()[first, numbers]
        linked = built.any(axis=(1, 2))  # C10
        best = np.where(built, self.standing[numbers], -1.0).max(axis=(1, 2))[linked]
        missing = 1.0 - chances[linked].sum()
        return float(chances[linked] @ best + missing * self.fail[dice // 2])

    def kept(self, dice: int) -> float:
        """When so many dice are to be rolled."""
        return sum(self.rolled(dice, face, more) for face, more in enumerate(_ONE_MORE)) / len(FACES)

    def built(self, chain: Links, loose: tuple[int, ...]) -> float:
        """When the loose dice are still to be linked."""
        numbers = _count(chain.numbers + loose)
        ends = _buildable(slot(chain), len(chain.numbers), len(chain.numbers) + len(loose))[numbers]
        return float(self.standing[numbers][ends].max())


def _buildable(start: tuple[int, int, int], links: int, most: int) -> npt.NDArray[np.bool_]:
    """[numbers, last, heading]: which chains can be built from the one with so many links (C11)."""
    can = np.zeros((len(_TIMES), len(FACES), 3), bool)
    can[start] = True
    for length in range(links, most):
        numbers = _BY_LENGTH[length]
        numbers = numbers[can[numbers].any(axis=(1, 2))]
        for face, more in enumerate(_ONE_MORE):
            fits = numbers[_TIMES[numbers, face] < ALIKE]
            before, after = can[fits], fits + more
            can[after, face] |= before[:, face]
            can[after, face, _straight_on(UP, face)] |= before[:, :face, (OPEN, UP)].any(axis=(1, 2))
            can[after, face, _straight_on(DOWN, face)] |= before[:, face + 1 :, (OPEN, DOWN)].any(axis=(1, 2))
    return can


@cache
def _built_from_one() -> npt.NDArray[np.bool_]:
    """The same, by the coloured die."""
    return np.array([_buildable((more, face, OPEN), 1, MOST) for face, more in enumerate(_ONE_MORE)])


def _count(numbers: tuple[int, ...]) -> int:
    return sum(_ONE_MORE[number - 1] for number in numbers)


def slot(chain: Links) -> tuple[int, int, int]:
    return _count(chain.numbers), chain.last - 1, _HEADINGS[chain.heading]


def file_name(game: Chain) -> str:
    """The same for a balanced game, which only starts elsewhere (C18)."""
    board = str(game.board)
    name = board if board in BOARDS else hashlib.sha256(board.encode()).hexdigest()[:16]
    return f"chain-2-{name}.solution"


class ChainSolution:
    """``waiter[arrangement, hands]`` is what the seat that waits at a turn start is sure to win."""

    def __init__(self, game: Chain, waiter: Values, gap: float) -> None:
        self.game, self.waiter = game, waiter
        self._gap = gap
        self._last: tuple[object, Turn] | None = None
        self._arrangements = arrangements(game.track)

    @classmethod
    def opened(cls, game: Chain, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> ChainSolution:
        return cls(game, arrays["waiter"], about["bounds"][2])

    @property
    def bounds(self) -> Bounds:
        start = self.game.initial_state()
        return Bounds(self.value(start), 1.0 - self._waiting(start, 1), self._gap)

    def value(self, state: State) -> float:
        """The probability that the seat whose turn it is wins, at any node."""
        if state.phase is Phase.OVER:
            return 1.0
        if self.game.legal_actions(state):
            return max(self.action_values(state).values())
        turn, chain = self._turn(state), state.chain
        if state.phase is Phase.LENGTHEN:
            return float(turn.lengthened[slot(chain)])
        hand = state.hands[state.turn]
        if not chain.numbers:
            return turn.kept(hand)
        return turn.rolled(hand, chain.last - 1, _count(chain.numbers + state.loose))

    def action_values(self, state: State) -> dict[Action, float]:
        """The same after each legal action; of equal ones the quicker is a shade better."""
        actions = self.game.legal_actions(state)
        turn = self._turn(state) if actions else None
        return {action: self._worth(turn, state, action) for action in actions if turn}

    def _worth(self, turn: Turn, state: State, action: Action) -> float:
        if isinstance(action, Keep):
            return turn.kept(action.dice)
        if isinstance(action, Link):
            after = self.game.apply(state, action)
            return turn.built(after.chain, after.loose)
        if isinstance(action, Lengthen):
            return float(turn.lengthened[(*slot(state.chain)[:2], _HEADINGS[action.heading])])
        return self._waiting(self.game.apply(state, action), state.turn)

    def _turn(self, state: State) -> Turn:
        """The turn of a position; one that is played through is worked out once."""
        turn = state.turn, state.hands[1 - state.turn], state.discs, state.piles
        if self._last is None or self._last[0] != turn:
            self._last = turn, self._work_out(state)
        return self._last[1]

    def _work_out(self, state: State) -> Turn:
        most = DICE - state.hands[1 - state.turn]
        stop, fail = np.zeros(DICE), np.zeros(DICE // 2)
        spaces = self.game.free_discs(state, state.turn)
        for links in range(1, most + 1):
            stop[links] = max(
                self._waiting(self._stopped(state, links, space), state.turn) for space in spaces
            )
        for left in range(1, most // 2 + 1):
            fail[left] = self._waiting(self._failed(state, left), state.turn)
        return Turn(stop, fail, most)

    def _stopped(self, state: State, links: int, space: int) -> State:
        """After a turn that ended with a chain of so many links."""
        hands = replaced(state.hands, state.turn, links)
        chain = Links((1,) * links, 1)  # its length is all that matters
        decide = State(state.turn, Phase.DECIDE, hands, DICE - sum(hands), state.discs, state.piles, chain)
        return self.game.apply(decide, Move(space))

    def _failed(self, state: State, left: int) -> State:
        """After a turn that failed and left so many dice."""
        hands = replaced(state.hands, state.turn, left)
        return State(1 - state.turn, Phase.KEEP, hands, DICE - sum(hands), state.discs, state.piles)

    def _waiting(self, state: State, seat: int) -> float:
        """What ``seat`` is sure to win when the other's turn starts."""
        if not self.game.free_discs(state, 1 - seat):
            return 0.0  # C6
        number = self._arrangements.number(state, 1 - seat)
        return float(self.waiter[number, hands_number(state.hands[1 - seat], state.hands[seat])])


@lru_cache(maxsize=8)
def arrangements(board: Board) -> Arrangements:
    return Arrangements(board)
