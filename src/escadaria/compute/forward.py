"""The forward pass of a network, compiled: like ``evaluator_network``, one position at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from escadaria.evaluator_network import Network

WIDEST = (256, 32)
"""The largest widths of the two layers; the first is a multiple of four."""


class Weights(NamedTuple):
    """A network's arrays, all in single precision."""

    table: NDArray[np.float32]
    mix: NDArray[np.float32]
    mix_bias: NDArray[np.float32]
    out: NDArray[np.float32]
    out_bias: NDArray[np.float32]


def weights(network: Network | None) -> Weights:
    """The weights of a network; zeros of the smallest shapes, for two seats, where there is none."""
    shapes = ((1, 4), (4, 1), (1,), (2, 1), (2,))
    zeros = [np.zeros(shape, np.float32) for shape in shapes]
    arrays = [getattr(network, name) for name in network.__slots__] if network else zeros
    return Weights(*(np.array(array, np.float32) for array in arrays))


def layers() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Space for both layers of any network."""
    return np.zeros(WIDEST[0], np.float32), np.zeros(WIDEST[1], np.float32)


@njit(cache=True, nogil=True, fastmath=True)
def forward(weights: Weights, rows: Any, first: Any, second: Any, shares: Any) -> None:
    """A network's shares of a position with these rows, and the outputs of both layers."""
    table, mix, out = weights.table, weights.mix, weights.out
    first_width, second_width = mix.shape
    for i in range(first_width):
        first[i] = table[rows[0], i]
    for k in range(1, len(rows)):
        row = rows[k]
        for i in range(first_width):
            first[i] += table[row, i]
    for i in range(first_width):
        first[i] = max(first[i], np.float32(0))
    for j in range(second_width):
        second[j] = weights.mix_bias[j]
    for i in range(0, first_width, 4):  # four at a time: the second layer is stored less often
        a, b, c, d = first[i], first[i + 1], first[i + 2], first[i + 3]
        for j in range(second_width):
            second[j] += a * mix[i, j] + b * mix[i + 1, j] + c * mix[i + 2, j] + d * mix[i + 3, j]
    for j in range(second_width):
        second[j] = max(second[j], np.float32(0))
    highest, total = -1e9, 0.0
    for seat in range(len(shares)):
        odds = weights.out_bias[seat]
        for j in range(second_width):
            odds += second[j] * out[seat, j]
        shares[seat] = odds
        highest = max(highest, odds)
    for seat in range(len(shares)):
        shares[seat] = np.exp(shares[seat] - highest)
        total += shares[seat]
    for seat in range(len(shares)):
        shares[seat] /= total
