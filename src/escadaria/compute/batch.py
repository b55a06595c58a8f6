"""Thousands of games stepped together, for agents that learn: NumPy arrays in, NumPy arrays out.

::

    import numpy as np
    from escadaria import load
    from escadaria.compute.batch import Batch

    batch = Batch(load("rapido", players=3), games=4096, seed=7)
    rng, won = np.random.default_rng(7), np.zeros(3)
    for _ in range(1000):
        scores = rng.random(batch.mask.shape) * batch.mask       # a network's, with illegal actions at 0
        step = batch.step(scores.argmax(axis=1))
        won += (step.reward > 0).sum(axis=0)                     # by seat

Between two steps a seat is to decide in every game. A step takes one decision in each game, lets the dice
fall until the next one, and replaces a game that has ended by a new one; ``reward`` and ``done`` describe the
game that ended, everything else the one that goes on. Observations are those of
``escadaria.adapters.observation`` for the seat to decide, and action ``i`` is ``game.actions[i]``.

Place ``i`` of a batch plays the game numbers ``i``, ``i + games``, ``i + 2 * games``, … of the seed, with the
dice that ``escadaria.simulate`` has for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from escadaria.catalogue import kit_of
from escadaria.compute.steps import Bytes, Floats, Games, Places, Step, Streams
from escadaria.compute.streams import NOISE, below
from escadaria.compute.traces import unsigned
from escadaria.game import AnyGame, BadOptions, IllegalAction


def _games(game: AnyGame, number: int) -> Games:
    kit = kit_of(game)
    if kit.batch is None:
        raise BadOptions(f"no compiled code plays {game.name}")
    made: Games = kit.batch().games(game, number)
    return made


class Batch:
    """Many games of one kind, each waiting for a decision."""

    def __init__(self, game: AnyGame, games: int, seed: int = 0) -> None:
        """Begin a number of games. :raises BadOptions: if it is 0, or no compiled code plays this game."""
        if games < 1:
            raise BadOptions(f"a batch has at least one game, not {games}")
        self.game, self.games = game, games
        self._games = _games(game, games)
        self._places = Places(
            np.uint64(0),
            np.zeros(games, np.int64),
            np.zeros((games, 2), np.uint64),
            np.zeros(games, np.int64),
        )
        self._step = Step(
            np.zeros((games, self._games.size), np.float32),
            np.zeros((games, len(game.actions)), np.int8),
            np.zeros(games, np.int64),
            np.zeros((games, game.players), np.float32),
            np.zeros(games, np.bool_),
        )
        self._shown = Step(*(_read_only(array) for array in self._step))
        self._numbers = _read_only(self._places.numbers)
        self.reset(seed)

    @property
    def observation(self) -> Floats:
        """By game: what the seat to decide sees. Like all arrays of a batch it cannot be written to."""
        return self._shown.observation

    @property
    def mask(self) -> Bytes:
        """By game and action: 1 if it is legal."""
        return self._shown.mask

    @property
    def seat(self) -> NDArray[np.int64]:
        """By game: the seat to decide."""
        return self._shown.seat

    @property
    def numbers(self) -> NDArray[np.int64]:
        """By game: its number, as ``simulate`` counts."""
        return self._numbers

    def reset(self, seed: int) -> Step:
        """Begin all games anew, with the dice of this seed."""
        self._places = self._places._replace(seed=unsigned(seed))
        self._places.numbers[:] = np.arange(self.games) - self.games
        self._places.winners[:] = -1
        return self._advance(None)

    def step(self, actions: ArrayLike) -> Step:
        """Carry out one decision in each game.

        :param actions: by game, its number among ``game.actions``.
        :raises IllegalAction: naming the first game whose action is not legal; nothing is carried out then.
        :raises BadOptions: if they are not whole numbers, or not one for each game.
        """
        given = np.asarray(actions)
        if given.dtype.kind not in "iu":
            raise BadOptions(f"actions are whole numbers, not {given.dtype}")
        chosen = np.ascontiguousarray(given, np.int64)
        if chosen.shape != (self.games,):
            raise BadOptions(f"{self.games} games take as many actions, not {chosen.shape}")
        wrong = first_illegal(chosen, self._step.mask)
        if wrong >= 0:
            raise IllegalAction(
                f"action {chosen[wrong]} is not legal in game {wrong}: {self.position(wrong)}"
            )
        return self._advance(chosen)

    def sample(self) -> NDArray[np.int64]:
        """A legal action for each game, all equally likely: what the bot ``random`` does."""
        actions = np.empty(self.games, np.int64)
        draw(self._step.mask, self._places.streams, actions)
        return actions

    def position(self, game: int) -> Any:
        """The position in one of the games."""
        return self._games.position(self._games.rows[game].tolist(), self.game.players)

    def _advance(self, actions: NDArray[np.int64] | None) -> Step:
        self._games.advance(actions, self._places, self._step)
        settle(self._places.winners, self._step.reward, self._step.done)
        return self._shown


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, which only the batch can change."""
    view = array.view()
    view.flags.writeable = False
    return view


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
def draw(mask: Bytes, streams: Streams, actions: NDArray[np.int64]) -> None:
    """Fill in a legal action for each game."""
    for game in range(len(mask)):
        options = 0
        for action in range(mask.shape[1]):
            options += mask[game, action]
        streams[game, NOISE], choice = below(streams[game, NOISE], options)
        for action in range(mask.shape[1]):
            choice -= mask[game, action]
            if choice < 0:
                actions[game] = action
                break


@njit(cache=True, nogil=True)
def settle(winners: NDArray[np.int64], reward: Floats, done: NDArray[np.bool_]) -> None:
    """Pay those whose games ended, and nobody else."""
    players = reward.shape[1]
    for game in range(len(winners)):
        winner, paid = winners[game], done[game]
        done[game] = winner >= 0
        if done[game] or paid:
            for seat in range(players):
                reward[game, seat] = 0 if winner < 0 else 1 if seat == winner else -1 / (players - 1)
