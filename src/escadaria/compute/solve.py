"""``escadaria.solve``: compute a solution once, keep it, and go on where it was interrupted."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil

from escadaria.compute.work import Listener, Work
from escadaria.game import AnyGame
from escadaria.solutions import BadSolution, CannotSolve, Solution, check_solvable, open_solution, path_of


def solve(
    game: AnyGame,
    *,
    threads: int | None = None,
    progress: Listener = lambda step: None,
    again: bool = False,
) -> Solution:
    """The exact solution of a game for two, from the cache folder or computed now.

    :param threads: the number of threads on this machine; None is one for each core.
    :param again: compute it even if there is one.
    :raises CannotSolve: if this game has no solver, or memory or disk do not suffice.
    """
    part = check_solvable(game)
    if not again:
        try:
            return open_solution(game)
        except (FileNotFoundError, BadSolution):
            pass  # computed below
    solver = part()
    memory, disk = solver.needs(game)
    require(memory, disk, where=path_of(game))
    work = Work(game, progress, solver.seconds_left)
    solver.solve(game, work, threads or os.cpu_count() or 1)
    return open_solution(game)


def require(memory: int, disk: int, where: Path) -> None:
    """:raises CannotSolve: with figures, if less is free."""
    where.parent.mkdir(parents=True, exist_ok=True)
    found = {
        "memory": (memory, psutil.virtual_memory().available),
        f"disk at {where.parent}": (disk, shutil.disk_usage(where.parent).free),
    }
    for name, (needed, free) in found.items():
        if needed > free:
            raise CannotSolve(f"this needs {needed / 1e9:.1f} GB of {name}, {free / 1e9:.1f} GB are free")
