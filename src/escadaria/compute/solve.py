"""``escadaria.solve``: compute a solution once, keep it, and go on where it was interrupted."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from math import log
from pathlib import Path

import numpy as np
import psutil

from escadaria.game import AnyGame, GameError
from escadaria.games.chain.compiled import solver as chain_solver
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.solution import HAND_PAIRS, ChainSolution, arrangements
from escadaria.games.rapido.compiled import solver as rapido_solver
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rules import Rapido
from escadaria.solutions import BadSolution, Bounds, Solution, files, open_solution, path_of

COPY_EVERY = 120.0
"""Seconds between two copies of unfinished work on disk."""


class CannotSolve(GameError):
    """A game without a solver, or more than this machine can hold."""

    code = "cannot_solve"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work has come."""

    phase: str
    """``approach`` the values, or ``prove`` their bounds."""
    sweep: int
    """Over all positions, from 1."""
    residual: float
    """The largest change of a value in that sweep; of bounds, the largest gap."""
    seconds_left: float
    """Roughly."""


Listener = Callable[[Progress], None]


def solve(
    game: AnyGame, *, threads: int | None = None, progress: Listener = lambda step: None, again: bool = False
) -> Solution:
    """The exact solution of a game for two, from the cache folder or computed now.

    :param again: compute it even if there is one.
    :raises CannotSolve: if this game has no solver, or memory or disk do not suffice.
    """
    if game.players != 2 or not isinstance(game, Rapido | Chain):
        raise CannotSolve(f"{game.name} for {game.players} players has no solver: only races of two have")
    if not again:
        try:
            return open_solution(game)
        except (FileNotFoundError, BadSolution):
            pass  # computed below
    if isinstance(game, Rapido):
        solve_rapido(game, threads or os.cpu_count() or 1, progress)
    else:
        solve_chain(game, progress)
    return open_solution(game)


def solve_rapido(game: Rapido, threads: int, progress: Listener) -> None:
    """Approach the values, then prove bounds; what is kept lies in the middle of them."""
    size = 4 * game.finish**2 * TOWERS
    require(memory=2 * size + 2**28, disk=3 * size, where=path_of(game))
    work, solver = Work(game, progress), rapido_solver.Solver(game.finish, threads)
    values, bounds = solver.solve(work.resume(), work.done)
    work.finish(bounds, {"values": values})


def solve_chain(game: Chain, progress: Listener) -> None:
    """Raise what each seat is sure to win, until both together leave nothing open. It takes one thread."""
    size = 8 * HAND_PAIRS * arrangements(game.track).count
    require(memory=3 * size + 2**28, disk=4 * size, where=path_of(game))
    work, solver = Work(game, progress), chain_solver.Solver(game.track)
    gap = solver.solve(work.resume(), work.done)
    work.finish(ChainSolution(game, solver.waiter, gap).bounds, {"waiter": solver.waiter})


def require(memory: int, disk: int, where: Path) -> None:
    """:raises CannotSolve: with figures, if there is not so much free."""
    where.parent.mkdir(parents=True, exist_ok=True)
    found = {
        "memory": (memory, psutil.virtual_memory().available),
        f"disk at {where.parent}": (disk, shutil.disk_usage(where.parent).free),
    }
    for name, (needed, free) in found.items():
        if needed > free:
            raise CannotSolve(f"this needs {needed / 1e9:.1f} GB of {name}, {free / 1e9:.1f} GB are free")


class Work:
    """One computation: what it tells of itself, and its copy on disk."""

    def __init__(self, game: AnyGame, progress: Listener) -> None:
        self.game, self.progress = game, progress
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

    def _left(self, phase: str, residual: float, took: float) -> float:
        if isinstance(self.game, Chain):
            return took * max(1.0, log(residual / chain_solver.GAP) / -log(chain_solver.SHRINKS))
        fewer = -log(rapido_solver.SHRINKS)
        if phase == "prove":
            return took * max(1.0, log(residual / rapido_solver.NARROW) / fewer + 2)
        return took * (log(residual / rapido_solver.CLOSE) / fewer + 2 * 9)

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
