"""Training of networks for any game: the training step, the replay memory and the shipped file.

The code of networks is in three modules, by what each needs. ``escadaria.evaluator_network`` has the shipped
model and its forward pass for many positions, by NumPy alone, since players need no Numba.
``escadaria.compute.forward`` has the same forward pass compiled, for one position at a time inside compiled
games. Training is here, outside the wheel. None of them knows a game: a position is the row numbers of its
features.

The training step is Adam, which moves only those rows of the table that occur in the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.compute.forward import Weights, forward, weights
from escadaria.evaluator_network import Network

ROUNDS = 4
"""The number of rounds of self-play that a cluster plays at a time, whatever the number of its workers."""
SECOND_WIDTH = 32
"""The width of the second layer. The first one may be wider: see the tool ``train``."""


@njit(cache=True, nogil=True)
def set_seed(seed: int) -> None:
    np.random.seed(seed)


class Adam(NamedTuple):
    """A model's gradient, and the running means of it and of its square; each has the shape of a model."""

    gradient: Weights
    mean: Weights
    square: Weights
    touched: NDArray[np.bool_]


def _zeros(like: Weights) -> Weights:
    zeros = {name: np.zeros_like(getattr(like, name)) for name in Network.__slots__}
    return like._replace(**zeros)


def adam(like: Weights) -> Adam:
    return Adam(_zeros(like), _zeros(like), _zeros(like), np.zeros(len(like.table), np.bool_))


@njit(cache=True, nogil=True, fastmath=True)
def learn(net: Weights, adam: Adam, rows: Any, targets: Any, batch: int, rate: float, beat: int) -> float:
    """Go through these positions in batches; ``beat`` batches were before. The mean squared error, before."""
    players = targets.shape[1]
    first_width, second_width = net.mix.shape
    first, back_first = np.zeros(first_width, np.float32), np.zeros(first_width, np.float32)
    second, back_second = np.zeros(second_width, np.float32), np.zeros(second_width, np.float32)
    shares = np.zeros(players)
    gradient = adam.gradient
    met = np.zeros(batch * rows.shape[1], np.int64)
    error = 0.0
    for begin in range(0, len(rows) - batch + 1, batch):
        number = 0
        for position in range(begin, begin + batch):
            forward(net, rows[position], first, second, shares)
            for j in range(second_width):
                back_second[j] = 0
            for seat in range(players):
                wrong = np.float32((shares[seat] - targets[position, seat]) / batch)
                error += (shares[seat] - targets[position, seat]) ** 2
                gradient.out_bias[seat] += wrong
                for j in range(second_width):
                    gradient.out[seat, j] += wrong * second[j]
                    back_second[j] += wrong * net.out[seat, j]
            for j in range(second_width):
                if second[j] <= 0:
                    back_second[j] = 0
                gradient.mix_bias[j] += back_second[j]
            for i in range(first_width):
                back_first[i] = 0
                if first[i] > 0:
                    total = np.float32(0)
                    for j in range(second_width):
                        gradient.mix[i, j] += first[i] * back_second[j]
                        total += net.mix[i, j] * back_second[j]
                    back_first[i] = total
            for row in rows[position]:
                if not adam.touched[row]:
                    adam.touched[row] = True
                    met[number] = row
                    number += 1
                for i in range(first_width):
                    gradient.table[row, i] += back_first[i]
        beat += 1
        step = rate * np.sqrt(1 - 0.999**beat) / (1 - 0.9**beat)
        for row in met[:number]:
            adam.touched[row] = False
            _move(net.table[row], gradient.table[row], adam.mean.table[row], adam.square.table[row], step)
        for i in range(first_width):
            _move(net.mix[i], gradient.mix[i], adam.mean.mix[i], adam.square.mix[i], step)
        for seat in range(players):
            _move(net.out[seat], gradient.out[seat], adam.mean.out[seat], adam.square.out[seat], step)
        _move(net.mix_bias, gradient.mix_bias, adam.mean.mix_bias, adam.square.mix_bias, step)
        _move(net.out_bias, gradient.out_bias, adam.mean.out_bias, adam.square.out_bias, step)
    return error / (len(rows) // batch * batch)


@njit(cache=True, nogil=True, fastmath=True)
def _move(weights: Any, gradient: Any, mean: Any, square: Any, step: float) -> None:
    slow, quick, small, far = np.float32(0.999), np.float32(0.9), np.float32(1e-8), np.float32(step)
    for i in range(len(weights)):
        mean[i] = quick * mean[i] + (np.float32(1) - quick) * gradient[i]
        square[i] = slow * square[i] + (np.float32(1) - slow) * gradient[i] * gradient[i]
        weights[i] -= far * mean[i] / (np.sqrt(square[i]) + small)
        gradient[i] = 0


Positions: TypeAlias = tuple[NDArray[np.int32], NDArray[np.float32]]
"""The row numbers of positions' features, and their targets by seat."""


class ReplayMemory:
    """The latest positions of self-play, as row numbers of their features, and their targets by seat."""

    def __init__(self, features: int, players: int, size: int) -> None:
        self.rows = np.zeros((size, features), np.int32)
        self.targets = np.zeros((size, players), np.float32)
        self.at = self.filled = 0

    def next_rows(self) -> tuple[NDArray[np.int32], NDArray[np.float32], int]:
        """Where to store more: the arrays, and the first row."""
        return self.rows, self.targets, self.at

    def grow(self, end: int) -> int:
        """The rows before ``end`` were stored; the number of new ones."""
        new = (end - self.at) % len(self.rows)
        self.at, self.filled = end, min(len(self.rows), self.filled + new)
        return new

    def add(self, rows: NDArray[np.int32], targets: NDArray[np.float32]) -> int:
        """Store positions that other processes have played; returns their number."""
        places = (self.at + np.arange(len(rows))) % len(self.rows)
        self.rows[places], self.targets[places] = rows, targets
        return self.grow((self.at + len(rows)) % len(self.rows))

    def sample(self, number: int, rng: np.random.Generator) -> Positions:
        """Any of them, each equally likely."""
        pick = rng.integers(0, self.filled, number)
        return self.rows[pick], self.targets[pick]


def play_on_cluster(
    client: Any, play: Callable[[int], Positions], rng: np.random.Generator
) -> list[Positions]:
    """Rounds of self-play, each with a seed of its own, by the workers of a Dask cluster."""
    seeds = rng.integers(1 << 32, size=ROUNDS).tolist()
    return list(client.gather(client.map(play, seeds, pure=False)))


def fresh(rows: int, features: int, players: int, width: int, rng: np.random.Generator) -> Weights:
    """An untrained network, with a number of rows in its table, of which it sums one for each feature."""

    def normal(scale: float, shape: tuple[int, int]) -> NDArray[np.float32]:
        return rng.normal(0, scale, shape).astype(np.float32)

    return Weights(
        table=normal(0.5 / np.sqrt(features), (rows, width)),
        mix=normal(np.sqrt(2 / width), (width, SECOND_WIDTH)),
        mix_bias=np.zeros(SECOND_WIDTH, np.float32),
        out=normal(0.3 * np.sqrt(1 / SECOND_WIDTH), (players, SECOND_WIDTH)),
        out_bias=np.zeros(players, np.float32),
    )


def rounded(trained: Weights) -> Network:
    """The network with a table of eight bits; rows that never occurred are 0 and cost no space."""
    unit = np.abs(trained.table).max(axis=0) / 127
    table = np.round(trained.table / unit).astype(np.int8)
    return Network(table, trained.mix * unit[:, None], trained.mix_bias, trained.out, trained.out_bias)


def unrounded(trained: Network) -> Weights:
    """A shipped network, with a table in units in which training can continue."""
    net = weights(trained)
    units = np.linalg.norm(net.mix, axis=1) / np.float32(np.sqrt(2 * net.mix.shape[1] / net.mix.shape[0]))
    return net._replace(table=net.table * units, mix=net.mix / units[:, None])


@dataclass
class Progress:
    """The result of one round."""

    done: float
    """From 0 to 1."""
    positions: int
    error: float
    """The root of the mean squared error over a position's shares, before learning from it."""


Report = Callable[[Progress, Weights], None]


@dataclass(frozen=True)
class Loss:
    """The loss of a network against exact play."""

    games: int
    regret: float
    """The mean over games of all that its decisions gave away, in games."""
    error: float
    """The standard error of that."""
    wins: int

    @classmethod
    def of(cls, games: int, lost: float, squares: float, wins: int) -> Loss:
        """From the sum over games of what was given away, and of its squares."""
        mean = lost / games
        return cls(games, mean, sqrt((squares / games - mean**2) / games), int(wins))


def schedule(done: float, rate: float) -> float:
    """The learning rate: a warm-up, then a decay."""
    return rate * min(1.0, done * 50 + 0.05) * (0.5 * (1 + cos(pi * done)) + 0.01)
