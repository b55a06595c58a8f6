"""One computation of a solution: what it reports, and its copy on disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import astuple, dataclass

import numpy as np

from escadaria.game import AnyGame
from escadaria.solutions import BadSolution, Bounds, files, path_of

COPY_EVERY = 120.0
"""Seconds between two copies of unfinished work on disk."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a computation."""

    phase: str
    """``approach`` the values, or ``prove`` their bounds."""
    sweep: int
    """Over all positions, from 1."""
    residual: float
    """The largest change of a value in that sweep; of bounds, the largest gap."""
    seconds_left: float
    """A rough estimate."""


Listener = Callable[[Progress], None]


class Work:
    """One computation: its progress, and its copy on disk."""

    def __init__(self, game: AnyGame, progress: Listener, left: Callable[[str, float, float], float]) -> None:
        self.game, self.progress, self._left = game, progress, left
        self.copy = path_of(game).with_suffix(".unfinished")
        self.sweeps, self.seconds = 0, 0.0
        self._sweep_began = self._copied = time.monotonic()

    def resume(self) -> dict[str, np.ndarray]:
        """The arrays of an interrupted run; none if there is no sound copy."""
        try:
            about, arrays = files.read(self.copy)
        except (OSError, BadSolution):
            return {}
        self.sweeps, self.seconds = about["sweeps"], about["seconds"]
        return {name: np.array(array) for name, array in arrays.items()}

    def done(self, phase: str, residual: float, arrays: dict[str, np.ndarray]) -> None:
        """A sweep is over."""
        now = time.monotonic()
        took, self._sweep_began = now - self._sweep_began, now
        self.sweeps += 1
        self.seconds += took
        if now - self._copied > COPY_EVERY:
            files.write(self.copy, self._about(), arrays)
            self._copied = self._sweep_began = time.monotonic()
        self.progress(Progress(phase, self.sweeps, residual, self._left(phase, residual, took)))

    def finish(self, bounds: Bounds, arrays: dict[str, np.ndarray]) -> None:
        files.write(path_of(self.game), {**self._about(), "bounds": astuple(bounds)}, arrays)
        for leftover in (self.copy, self.copy.with_name(self.copy.name + ".whole")):
            leftover.unlink(missing_ok=True)

    def _about(self) -> dict[str, object]:
        return {
            "game": self.game.name,
            "options": self.game.options,
            "rules_version": self.game.rules_version,
            "sweeps": self.sweeps,
            "seconds": round(self.seconds, 1),
        }
