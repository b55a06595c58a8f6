"""The exact values of all positions within a turn of Chain, given the values of turn starts (C8-C14).

The values depend on the board only through the value of stopping with each number of links and the value of
failing with each number of dice. In tables, the faces of a chain are one number in base 4 whose digits count
each face, the ones lowest. The end of a chain is its last face (from 0) and its heading. Faces and end
together are the slot of the chain, its index in tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import product
from math import factorial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from escadaria.games.chain.links import ALIKE, FACES, LONGEST, Heading, Links, add_link
from escadaria.games.chain.positions import with_chain
from escadaria.games.chain.rules import Action, Chain, Keep, Lengthen, Link, Move, Phase, State, dice_left

Values = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

OPEN, UP, DOWN = range(3)
HEADINGS = (Heading.OPEN, Heading.UP, Heading.DOWN)
"""The heading of each code."""
_CODES = {heading: code for code, heading in enumerate(HEADINGS)}
ONE_MORE = [(ALIKE + 1) ** face for face in range(len(FACES))]
TIMES = np.arange((ALIKE + 1) ** len(FACES))[:, None] // ONE_MORE % (ALIKE + 1)
"""[numbers, face]: the count of the face."""
BY_LENGTH = [np.flatnonzero(TIMES.sum(axis=1) == links) for links in range(LONGEST + 1)]
ENDS = len(FACES) * 3
"""The number of ends: a last face and a heading."""
_FACTORIAL = np.array([factorial(number) for number in range(LONGEST + 1)], float)


def _count(numbers: tuple[int, ...]) -> int:
    return sum(ONE_MORE[number - 1] for number in numbers)


def slot(chain: Links) -> tuple[int, int, int]:
    """The indices of a chain in tables: numbers, last face, heading."""
    return _count(chain.numbers), chain.last - 1, _CODES[chain.heading]


def _flat(slot: tuple[int, int, int]) -> int:
    return slot[0] * ENDS + 3 * slot[1] + slot[2]


def _next_ends() -> Ints:
    """[end, face]: the end of a chain after the face is linked, or -1 if the direction forbids it (C11)."""
    found = np.full((ENDS, len(FACES)), -1)
    for end, face in product(range(ENDS), FACES):
        last = end // 3 + 1
        longer = add_link(Links((last,), last, HEADINGS[end % 3]), face)
        if longer:
            found[end, face - 1] = _flat((0, *slot(longer)[1:]))
    return found


NEXT_END = _next_ends()


def longer(at: Ints, way: Ints | int) -> Ints:
    """[index, face]: the slots after the face is linked in this direction; -1 if it does not fit (C11)."""
    numbers, end = at // ENDS, NEXT_END[at % ENDS // 3 * 3 + way]
    fits = (TIMES[numbers] < ALIKE) & (end >= 0)
    return np.where(fits, (numbers[:, None] + ONE_MORE) * ENDS + end, -1)


@cache
def reach() -> npt.NDArray[np.uint32]:
    """[loose numbers, end]: a bit for each end that the chain can have once all loose dice are linked (C10).

    The caller checks that no face occurs too often (C11).
    """
    bits = np.zeros((len(TIMES), ENDS), np.uint32)
    bits[0] = 1 << np.arange(ENDS)
    for numbers in BY_LENGTH[1:]:
        for face, more in enumerate(ONE_MORE):
            having = numbers[TIMES[numbers, face] > 0]
            before = np.flatnonzero(NEXT_END[:, face] >= 0)
            bits[having[:, None], before] |= bits[(having - more)[:, None], NEXT_END[before, face]]
    return bits


@cache
def fitting() -> npt.NDArray[np.int8]:
    """[numbers, end]: how many of the six faces fit; an open chain takes its better direction (C13)."""
    fits: npt.NDArray[np.int8] = ((TIMES < ALIKE) @ (NEXT_END >= 0).T.astype(np.int8)).astype(np.int8)
    fits[:, OPEN::3] = np.maximum(fits[:, UP::3], fits[:, DOWN::3])
    return fits


class Rolls(NamedTuple):
    """The outcomes of a roll of several dice that can all be linked (C10)."""

    slots: Ints
    """The chains that can be built from each roll, one roll after the other."""
    starts: Ints
    """By roll: the index of its first slot."""
    chances: Values
    """By roll: its probability."""
    missing: float
    """The probability that the dice cannot all be linked."""


HOPELESS = Rolls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), 1.0)
"""The rolls when the dice that have fallen cannot be linked."""


@lru_cache(maxsize=64)
def rolls(dice: int, first: int | None = None, known: int = 0) -> Rolls:
    """The rolls of this number of dice.

    :param first: the face of the coloured die (from 0), if it has fallen.
    :param known: the numbers of all dice that have fallen.
    """
    slots, starts, chances, end = [], [], [], 0
    for face, more in enumerate(ONE_MORE):
        if first not in (None, face):
            continue
        shown = more if first is None else known
        numbers = BY_LENGTH[dice]
        falls = TIMES[numbers] - TIMES[shown]
        ends = reach()[numbers - more, 3 * face + OPEN] * (falls >= 0).all(axis=1)
        numbers, falls, ends = numbers[ends > 0], falls[ends > 0], ends[ends > 0]
        rest = dice - int(TIMES[shown].sum())
        chance = _FACTORIAL[rest] / _FACTORIAL[falls].prod(axis=1) / len(FACES) ** rest
        chances.append(chance / (len(FACES) if first is None else 1))
        roll, way = np.nonzero(ends[:, None] >> np.arange(ENDS, dtype=np.uint32) & 1)
        slots.append(numbers[roll] * ENDS + way)
        starts.append(end + np.flatnonzero(np.diff(roll, prepend=-1)))
        end += len(roll)
    chance = np.concatenate(chances)
    return Rolls(np.concatenate(slots), np.concatenate(starts), chance, 1.0 - float(chance.sum()))


class Turn:
    """The values of all positions of one turn, given the values of its ends."""

    def __init__(self, stop: Values, fail: Values, most: int) -> None:
        """``stop`` is indexed by the chain's links, up to ``most``; ``fail`` by the dice left (C14)."""
        self.stop, self.fail, self.most = stop, fail, most
        self.standing = np.zeros((len(TIMES), len(FACES), 3))
        """[numbers, last, heading]: the value of a chain when the player decides (C12)."""
        self.lengthened = np.zeros((len(TIMES), len(FACES), 3))
        """[numbers, last, heading]: the value after the direction is named, before the die falls (C13)."""
        for links in range(most, 0, -1):
            self.standing[BY_LENGTH[links]] = stop[links]
            if links < most:  # C13: there are dice in the pool
                self._lengthen(BY_LENGTH[links], fail[dice_left(links + 1)])

    def _lengthen(self, numbers: Ints, fail: float) -> None:
        added = np.empty((3, len(numbers), len(FACES)))
        for face, more in enumerate(ONE_MORE):
            fits = TIMES[numbers, face] < ALIKE
            for heading in (UP, DOWN):
                end = face, NEXT_END[3 * face + heading, face] % 3
                after = self.standing[(np.where(fits, numbers + more, 0), *end)]
                added[heading, :, face] = np.where(fits, after, fail)
        below = np.arange(len(FACES)) * fail  # faces in the other direction do not fit
        up = (np.cumsum(added[UP, :, ::-1], axis=1)[:, ::-1] + below) / len(FACES)
        down = (np.cumsum(added[DOWN], axis=1) + below[::-1]) / len(FACES)
        self.lengthened[numbers, :, UP], self.lengthened[numbers, :, DOWN] = up, down
        for heading, best in ((OPEN, np.maximum(up, down)), (UP, up), (DOWN, down)):
            at = numbers, slice(None), heading
            self.standing[at] = np.maximum(self.standing[at], best)

    def kept(self, dice: int) -> float:
        """The value of keeping this number of dice."""
        return self.rolled(dice, rolls(dice))

    def rolled(self, dice: int, rolls: Rolls) -> float:
        """The value before this number of dice is rolled, with these possible rolls."""
        if not len(rolls.slots):
            return float(self.fail[dice_left(dice)])
        best = np.maximum.reduceat(self.standing.ravel()[rolls.slots], rolls.starts)
        return float(rolls.chances @ best + rolls.missing * self.fail[dice_left(dice)])

    def built(self, chain: Links, loose: tuple[int, ...]) -> float:
        """The value of a chain while these loose dice are not linked yet."""
        return float(self.standing.ravel()[_ends_of(chain, loose)].max())

    # The ends of a turn.

    def ends_after(self, state: State) -> tuple[Values, Values]:
        """The probability of each end of the turn, with best play from this position.

        :return: by the links of the chain when it stops, and by the dice left when it fails.
        """
        mass, fails = np.zeros(self.standing.size), np.zeros(len(self.fail))
        chain, hand = state.chain, state.hands[state.turn]
        if state.phase is Phase.ROLL:
            some = rolls_of(state)
            best = self._best_slots(some)
            np.add.at(mass, best, some.chances)
            fails[dice_left(hand)] = some.missing
        elif state.phase is Phase.BUILD:
            ends = _ends_of(chain, state.loose)
            mass[ends[self.standing.ravel()[ends].argmax()]] = 1.0
        elif state.phase is Phase.DECIDE:
            mass[_flat(slot(chain))] = 1.0
        else:
            at = np.array([_flat(slot(chain))])
            self._roll_on(hand - 1, at, at % 3, np.ones(1), mass, fails)
        return self._ends_from(mass, fails)

    def _best_slots(self, rolls: Rolls) -> Ints:
        """By roll: the slot of the best chain that can be built, the first of equal ones."""
        if not len(rolls.slots):
            return rolls.slots
        found = self.standing.ravel()[rolls.slots]
        roll = np.repeat(np.arange(len(rolls.starts)), np.diff([*rolls.starts, len(found)]))
        best = np.flatnonzero(found == np.maximum.reduceat(found, rolls.starts)[roll])
        return rolls.slots[best[np.unique(roll[best], return_index=True)[1]]]

    def _ends_from(self, mass: Values, fails: Values) -> tuple[Values, Values]:
        """The ends of the turn, from the probability of each slot; see ``ends_after``."""
        stops = np.zeros(self.most + 1)
        by_number, named = mass.reshape(len(TIMES), ENDS), self.lengthened.reshape(-1, 3)
        for links in range(1, self.most + 1):
            number, end = np.nonzero(by_number[BY_LENGTH[links]])
            at = BY_LENGTH[links][number] * ENDS + end
            up, down = named[at // 3, UP], named[at // 3, DOWN]
            way = np.where(at % 3 == OPEN, np.where(up >= down, UP, DOWN), at % 3)
            goes_on = np.where(way == UP, up, down) > self.stop[links]
            goes_on &= links < self.most
            stops[links] = mass[at[~goes_on]].sum()
            if goes_on.any():
                self._roll_on(links, at[goes_on], way[goes_on], mass[at[goes_on]], mass, fails)
        return stops, fails

    def _roll_on(self, links: int, at: Ints, way: Ints, chance: Values, mass: Values, fails: Values) -> None:
        """Add the outcomes of lengthening these slots, each with its probability (C13)."""
        for after in longer(at, way).T:
            fits = after >= 0
            np.add.at(mass, after[fits], chance[fits] / len(FACES))
            fails[dice_left(links + 1)] += chance[~fits].sum() / len(FACES)


def _ends_of(chain: Links, loose: tuple[int, ...]) -> Ints:
    """The slots that a chain can have once all loose dice are linked (C10)."""
    numbers, last, heading = slot(chain)
    ends = reach()[_count(loose), 3 * last + heading]
    return (numbers + _count(loose)) * ENDS + np.flatnonzero(ends >> np.arange(ENDS, dtype=np.uint32) & 1)


def rolls_of(state: State) -> Rolls:
    """The rolls that are still possible while the hand is rolled."""
    chain, hand = state.chain, state.hands[state.turn]
    if not chain.numbers:
        return rolls(hand)
    shown = chain.numbers + state.loose
    if max(map(shown.count, shown)) > ALIKE:  # C11
        return HOPELESS
    return rolls(hand, chain.last - 1, _count(shown))


def worth(game: Chain, turn: Turn, state: State, action: Action) -> float:
    """The value of a decision that does not end the turn."""
    if isinstance(action, Keep):
        return turn.kept(action.dice)
    if isinstance(action, Link):
        after = game.apply(state, action)
        return turn.built(after.chain, after.loose)
    assert isinstance(action, Lengthen)
    return float(turn.lengthened[(*slot(state.chain)[:2], _CODES[action.heading])])


class Plan(NamedTuple):
    """A turn and the values of its ends: for the seat to move and, if known, for the others."""

    turn: Turn
    stopped: Values
    """[links, column]: after the best move."""
    failed: Values
    """[dice left, column]"""


class ByTurns(ABC):
    """An evaluator that computes the values within a turn from those of the turn starts after it."""

    def __init__(self, game: Chain) -> None:
        self.game = game
        rolls(2)  # fills the tables, so that the first decision is not slow
        self._last: tuple[object, Plan] | None = None

    @abstractmethod
    def outlooks(self, starts: Sequence[State], seat: int) -> Values:
        """[position, column]: the values of turn starts, first for ``seat``, which has just played."""

    def action_values(self, state: State) -> dict[Action, float]:
        """By legal action: the probability that the seat to act wins."""
        actions = self.game.legal_actions(state)
        plan = self.plan(state) if actions else None
        return {action: self._worth(plan.turn, state, action) for action in actions if plan}

    def value(self, state: State) -> float:
        """The probability that the seat whose turn it is wins, at any node."""
        if state.phase is Phase.OVER:
            return 1.0
        if self.game.legal_actions(state):
            return max(self.action_values(state).values())
        turn = self.plan(state).turn
        if state.phase is Phase.LENGTHEN:
            return float(turn.lengthened[slot(state.chain)])
        return turn.rolled(state.hands[state.turn], rolls_of(state))

    def _worth(self, turn: Turn, state: State, action: Action) -> float:
        if isinstance(action, Move):
            return float(self.outlooks([self.game.apply(state, action)], state.turn)[0, 0])
        return worth(self.game, turn, state, action)

    def plan(self, state: State) -> Plan:
        """The plan of a position's turn. The last one is cached, since a turn has many positions."""
        seat = state.turn
        turn = seat, state.hands[:seat], state.hands[seat + 1 :], state.discs, state.piles
        if self._last is None or self._last[0] != turn:
            self._last = turn, self._compute_plan(state)
        return self._last[1]

    def _compute_plan(self, state: State) -> Plan:
        seat = state.turn
        most = min(LONGEST, state.hands[seat] + state.pool)
        spaces = state.free_discs(seat)
        ends = [self._stopped(state, links, space) for links in range(1, most + 1) for space in spaces]
        ends += [self._failed(state, left) for left in range(1, dice_left(most) + 1)]
        found = self.outlooks(ends, seat)
        moves = found[: most * len(spaces)].reshape(most, len(spaces), -1)
        best = moves[:, :, 0].argmax(axis=1)
        nothing = np.zeros((1, found.shape[1]))
        stopped = np.concatenate((nothing, moves[np.arange(most), best]))
        failed = np.concatenate((nothing, found[most * len(spaces) :]))
        return Plan(Turn(stopped[:, 0], failed[:, 0], most), stopped, failed)

    def _stopped(self, state: State, links: int, space: int) -> State:
        """The position after a turn that ended with a chain of this length."""
        return self.game.apply(with_chain(state, links), Move(space))

    def _failed(self, state: State, left: int) -> State:
        """The position after a turn that failed and left this number of dice."""
        after = with_chain(state, left)
        return self.game.start_turn(state.turn, after.hands, after.pool, state.discs, state.piles)
