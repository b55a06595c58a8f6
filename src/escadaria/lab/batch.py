"""Thousands of games stepped together, for agents that learn: NumPy arrays in, NumPy arrays out.

::

    import numpy as np
    from escadaria import load
    from escadaria.lab.batch import Batch

    batch = Batch(load("rapido", players=3), games=4096, seed=7)
    rng, won = np.random.default_rng(7), np.zeros(3)
    for _ in range(1000):
        scores = rng.random(batch.mask.shape) * batch.mask       # a network's, with illegal actions at 0
        step = batch.step(scores.argmax(axis=1))
        won += (step.reward > 0).sum(axis=0)                     # by seat

In every game somebody is to decide, whenever one looks. A step takes one decision in each game, lets the
dice fall until the next one, and begins a game anew that has ended; ``reward`` and ``done`` tell of the
game that ended, everything else of the one that goes on. Observations are those of
``escadaria.adapters.observation`` as the seat to decide sees them, and action ``i`` is
``game.actions[i]``.

Place ``i`` of so many games plays the numbers ``i``, ``i + games``, ``i + 2 * games``, … of the seed, with
the dice that ``escadaria.simulate`` has for them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from escadaria.game import AnyGame, BadOptions, IllegalAction
from escadaria.lab.rapido_kernel import (
    DECIDE,
    EMPTY,
    NO_PAIRS,
    PHASE,
    SEATS,
    SPARE,
    TOWER,
    TURN,
    VALUE,
    Tables,
    Words,
    choose,
    free_fields,
    number_of_pairs,
    position_of,
    put,
    sum_of_fields,
    tables,
    thrown_out,
    without,
)
from escadaria.lab.streams import DICE, WHIMS, below, start
from escadaria.rapido import ROLLS, TOP_FIELD, VALUES, Rapido, State

_PHASES = 4
_FALLS = len(ROLLS)
"""In how many ways two dice may fall (R9)."""
_BEST = VALUES[-1]

Bytes = NDArray[np.int8]
Floats = NDArray[np.float32]
Streams = NDArray[np.uint64]


class Step(NamedTuple):
    """Arrays with a row for each game. The next step fills the same ones: copy what you keep."""

    observation: Floats
    """By game: what the seat to decide sees."""
    mask: Bytes
    """By game and action: 1 if it is legal."""
    seat: NDArray[np.int64]
    """By game: the seat to decide."""
    reward: Floats
    """By game and seat: 1 to the winner, which the others pay in equal parts; 0 unless the game ended."""
    done: NDArray[np.bool_]
    """By game: whether the last decision ended it, and a new one has begun."""


class Batch:
    """Many games of one kind, each waiting for a decision."""

    def __init__(self, game: AnyGame, games: int, seed: int = 0) -> None:
        """Begin so many games. :raises BadOptions: if there are none, or no kernel plays this game."""
        if type(game) is not Rapido:
            raise BadOptions(f"batches are of rapido, not yet of {game.name}")
        if games < 1:
            raise BadOptions(f"a batch has at least one game, not {games}")
        self.game, self.games = game, games
        size = 9 * game.players + _PHASES + 1 + TOP_FIELD
        self._rows = np.zeros((games, SEATS + 2 * game.players), np.int64)
        self._streams = np.zeros((games, 2), np.uint64)
        self._scales = _scales(game.finish)
        self._legal = np.array([_mask(free, len(game.actions)) for free in range(1 << TOP_FIELD)])
        self.numbers = np.zeros(games, np.int64)
        """By game: its number, as ``simulate`` counts."""
        self._step = Step(
            np.zeros((games, size), np.float32),
            np.zeros((games, len(game.actions)), np.int8),
            np.zeros(games, np.int64),
            np.zeros((games, game.players), np.float32),
            np.zeros(games, np.bool_),
        )
        self.reset(seed)

    @property
    def observation(self) -> Floats:
        return self._step.observation

    @property
    def mask(self) -> Bytes:
        return self._step.mask

    @property
    def seat(self) -> NDArray[np.int64]:
        return self._step.seat

    def reset(self, seed: int) -> Step:
        """Begin all games anew, with the dice of this seed."""
        self._seed = np.uint64(seed % 2**64)
        self.numbers[:] = np.arange(self.games) - self.games
        self._advance(None)
        self._step.done[:] = False
        return self._step

    def step(self, actions: ArrayLike) -> Step:
        """Carry out one decision in each game.

        :param actions: by game, its number among ``game.actions``.
        :raises IllegalAction: naming the first game whose action is not legal; nothing is carried out then.
        """
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.games,):
            raise BadOptions(f"{self.games} games take as many actions, not {chosen.shape}")
        wrong = first_illegal(chosen, self.mask)
        if wrong >= 0:
            raise IllegalAction(
                f"action {chosen[wrong]} is not legal in game {wrong}: {self.position(wrong)}"
            )
        self._advance(chosen)
        return self._step

    def sample(self) -> NDArray[np.int64]:
        """A legal action for each game, all equally likely: what the bot ``random`` does."""
        actions = np.empty(self.games, np.int64)
        draw(self._rows, self._streams, actions)
        return actions

    def position(self, game: int) -> State:
        """The position in one of the games."""
        return position_of(self._rows[game].tolist(), self.game.players)

    def _advance(self, actions: NDArray[np.int64] | None) -> None:
        advance(
            self.game.pairs, self.game.finish, actions, tables(), self._scales, self._legal, self._seed,
            self._rows, self._streams, self.numbers, self._step,
        )  # fmt: skip


def _scales(finish: int) -> Floats:
    """Values and steps as observations show them, divided as the readable engine's are."""
    scales = np.zeros((2, max(_BEST, finish) + 1), np.float32)
    scales[0, : _BEST + 1] = np.arange(_BEST + 1) / _BEST
    scales[1, : finish + 1] = np.arange(finish + 1) / finish
    return scales


def _mask(free: int, actions: int) -> Bytes:
    """Again and field 0 are always legal, the others while they are free (R13)."""
    mask = np.ones(actions, np.int8)
    mask[2:] = [free >> field & 1 for field in range(TOP_FIELD)]
    return mask


# Compiled.


@njit(cache=True, nogil=True)
def first_illegal(actions: NDArray[np.int64], mask: Bytes) -> int:
    """The first game whose action is not legal, or -1."""
    for game in range(len(actions)):
        action = actions[game]
        if action < 0 or action >= mask.shape[1] or not mask[game, action]:
            return game
    return -1


@njit(cache=True, nogil=True)
def draw(rows: Words, streams: Streams, actions: NDArray[np.int64]) -> None:
    """Fill in a legal action for each game."""
    for game in range(len(rows)):
        field, streams[game, WHIMS] = choose(free_fields(rows[game, TOWER]), streams[game, WHIMS])
        actions[game] = field + 1


@njit(cache=True, nogil=True)
def advance(
    pairs: int,
    finish: int,
    actions: NDArray[np.int64] | None,
    tables: Tables,
    scales: Floats,
    legal: Bytes,
    seed: np.uint64,
    rows: Words,
    streams: Streams,
    numbers: NDArray[np.int64],
    step: Step,
) -> None:
    """Carry out the decisions, or begin all games if there are none; go on to the next ones."""
    observation, mask, seats, reward, done = step
    players = reward.shape[1]
    for game in range(len(rows)):
        over = True
        if actions is None or done[game]:
            for seat in range(players):
                reward[game, seat] = 0
        if actions is not None:
            if actions[game] > 0:
                place(rows, game, players, actions[game] - 1)
            dice = streams[game, DICE]
            winner, dice = roll_on(pairs, finish, players, actions[game] == 0, tables, rows, game, dice)
            streams[game, DICE] = dice
            done[game] = over = winner >= 0
            if over:
                for seat in range(players):
                    reward[game, seat] = 1 if seat == winner else -1 / (players - 1)
        while over:  # a game that ends before anybody decides is nobody's: the next one begins
            numbers[game] += len(rows)
            streams[game, WHIMS] = start(seed, numbers[game], WHIMS)
            for column in range(rows.shape[1]):
                rows[game, column] = 0
            rows[game, PHASE], rows[game, TOWER] = DECIDE, NO_PAIRS
            dice = start(seed, numbers[game], DICE)
            winner, dice = roll_on(pairs, finish, players, False, tables, rows, game, dice)
            streams[game, DICE] = dice
            over = winner >= 0
        seats[game] = rows[game, TURN]
        free = free_fields(rows[game, TOWER])
        for action in range(mask.shape[1]):
            mask[game, action] = legal[free, action]
        look(pairs, players, rows, game, scales, observation)


# Rows are named by their array and their number: a slice of an array costs more than a step of a game.


@njit(cache=True, nogil=True)
def place(rows: Words, game: int, players: int, field: int) -> None:
    """Put the pair in hand on a field, throw out (R14) and pass the turn (R5)."""
    seat, value, tower = rows[game, TURN], rows[game, VALUE], rows[game, TOWER]
    marks = SEATS + players
    own = rows[game, marks + seat]
    out = thrown_out(tower, own, field, value)
    if out:
        tower = without(tower, out)
        for other in range(players):
            rows[game, marks + other] &= ~out
    rows[game, TOWER], rows[game, marks + seat] = put(tower, own, field, value)
    rows[game, TURN] = seat + 1 if seat + 1 < players else 0


@njit(cache=True, nogil=True)
def roll_on(
    pairs: int,
    finish: int,
    players: int,
    again: bool,
    tables: Tables,
    rows: Words,
    game: int,
    dice: np.uint64,
) -> tuple[int, np.uint64]:
    """Let the dice fall until somebody is to decide, or has won: who, else -1."""
    later = 1 if again else 0
    while True:
        seat = rows[game, TURN]
        own, step = rows[game, SEATS + players + seat], rows[game, SEATS + seat]
        if not later and number_of_pairs(own) == pairs:  # R18; with one pair each, R7
            step += sum_of_fields(own)
            rows[game, TOWER] = without(rows[game, TOWER], own)
            rows[game, SEATS + players + seat] = 0
            if step >= finish:  # R15
                return seat, dice
        dice, roll = below(dice, _FALLS)
        step = max(0, step + tables.climbs[later, roll])  # R10, R12
        if step >= finish:  # R15
            return seat, dice
        rows[game, SEATS + seat] = step
        if not later or tables.climbs[1, roll] >= tables.climbs[0, roll]:
            rows[game, VALUE] = tables.values[roll]
            return -1, dice
        later = 0  # an X ends the turn (R12)
        rows[game, TURN] = seat + 1 if seat + 1 < players else 0


@njit(cache=True, nogil=True)
def look(pairs: int, players: int, rows: Words, game: int, scales: Floats, seen: Floats) -> None:
    """Write down what the seat to decide sees, in the order of ``observation.FIELDS``."""
    for number in range(seen.shape[1]):
        seen[game, number] = 0
    seat, tower = rows[game, TURN], rows[game, TOWER]
    at = 2 * players + _PHASES
    seen[game, seat] = seen[game, players] = seen[game, 2 * players + DECIDE] = 1
    seen[game, at] = scales[0, rows[game, VALUE]]
    owners = at + 1 + players
    values = owners + TOP_FIELD * players
    ground = values + TOP_FIELD
    other = seat
    for place in range(players):
        seen[game, at + 1 + place] = scales[1, rows[game, SEATS + other]]
        own = rows[game, SEATS + players + other]
        if own:
            on_ground = (own >> 7 & 1) + (own >> 8 * SPARE + 7 & 1)
            seen[game, ground + place] = on_ground / pairs
            for field in range(1, TOP_FIELD + 1):
                if own >> 8 * field & 128:
                    seen[game, owners + (field - 1) * players + place] = 1
                    seen[game, values + field - 1] = scales[0, tower >> 8 * field & EMPTY]
        other = other + 1 if other + 1 < players else 0
