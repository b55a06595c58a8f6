"""Small neural networks, one per game and number of players, that estimate each seat's win probability.

The first layer sums rows of a table, one for each feature of a position. Two more layers follow. Seats are
counted from the one to move. Evaluation needs only NumPy. A JSON file beside each network documents its
training: the command, its seed and the figures reached.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 256
"""The number of positions in one batch. It fits a processor's cache, and is too small for NumPy to start
threads, which would wait for each other on a busy machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The table's rows are whole numbers of eight bits; their units are part of ``mix``."""

    table: NDArray[np.int8]
    """[row, first layer]"""
    mix: NDArray[np.float32]
    """[first layer, second layer]"""
    mix_bias: NDArray[np.float32]
    out: NDArray[np.float32]
    """[seat, second layer]"""
    out_bias: NDArray[np.float32]

    def __call__(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        """The win probabilities, from the seat to move on: [position, seat] from [feature, position]."""
        parts = [self._part(rows[:, at : at + BLOCK]) for at in range(0, rows.shape[1], BLOCK)]
        return np.concatenate(parts)

    def _part(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        first = np.zeros((rows.shape[1], self.table.shape[1]), np.int16)
        for feature in rows:
            first += self.table[feature]
        second = np.maximum(first, 0).astype(np.float32) @ self.mix + self.mix_bias
        odds = np.maximum(second, 0) @ self.out.T + self.out_bias
        shares = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def save(self, path: Path) -> None:
        arrays = {name: getattr(self, name) for name in self.__slots__}
        np.savez_compressed(path, allow_pickle=False, **arrays)


@cache
def load(package: str, players: int) -> Network | None:
    """The shipped network of a game's package for a number of players, or None."""
    file = files(package) / "data" / f"values-{players}.npz"
    if not file.is_file():
        return None
    with file.open("rb") as opened, np.load(opened) as arrays:
        return Network(**arrays)


def provenance(package: str, players: int) -> dict[str, Any]:
    """How the network was trained, and the figures it reached."""
    file = files(package) / "data" / f"values-{players}.json"
    made: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return made
