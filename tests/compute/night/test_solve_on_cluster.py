"""Solving on a cluster of one worker and of two, interrupted in both phases."""

from __future__ import annotations

import numpy as np
import pytest

from compute.clusters import local_cluster
from compute.test_solve_on_cluster import (  # noqa: F401 - fixtures
    check_column,
    check_solution,
    short_races,
    two_workers,
)
from escadaria import cluster as clusters
from escadaria.compute import work
from escadaria.compute.work import Progress, Work
from escadaria.games.rapido.compiled import columns, solver
from escadaria.games.rapido.rules import Rapido
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.solutions import open_solution, path_of


class Stop(Exception):
    """Stands for Ctrl-C at a chosen moment."""


def solve(address: str, last: str) -> RapidoSolution:
    def progress(step: Progress) -> None:
        if step.phase == last:
            raise Stop

    game = Rapido(players=2, finish=2)
    with clusters.cluster(address) as client:
        solver.solve_on_cluster(game, Work(game, progress, solver.seconds_left), 1, client)
    solution = open_solution(game)
    assert isinstance(solution, RapidoSolution)
    return solution


def test_wherever_it_is_interrupted_the_file_is_the_same(
    two_workers: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solution = solve(two_workers, "")
    check_solution(solution)
    values, proven = solution.values.copy(), solution.bounds
    path_of(solution.game).unlink()
    monkeypatch.setattr(work, "COPY_EVERY", -1.0)
    for phase in ("approach", "prove"):
        with pytest.raises(Stop):
            solve(two_workers, phase)
    with local_cluster(workers=1) as address:
        again = solve(address, "")
    assert again.bounds == proven and np.array_equal(again.values, values)


@pytest.mark.parametrize("finish, other", [(4, 1), (columns.MOST_SCORED + 2, 0)])
def test_a_column_needs_only_what_a_worker_gets_in_a_long_race(finish: int, other: int) -> None:
    check_column(finish, other)
