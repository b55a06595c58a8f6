"""Solving on a Dask cluster of two workers: the same solution as on one machine, proven as well."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from distributed import get_worker
from typer.testing import CliRunner

from compute.clusters import local_cluster
from escadaria.cli import app
from escadaria.games.rapido.compiled import columns
from escadaria.games.rapido.compiled.solver import NEAREST, Solver
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rules import Rapido
from escadaria.games.rapido.solution import ONE, RapidoSolution
from escadaria.solutions import Solution, open_solution
from serving import PATIENCE

update_column = columns.update_column
where: set[int] = set()
"""The threads in which columns were updated."""


def noted_update(*args: object) -> np.ndarray:
    where.add(threading.get_ident())
    return update_column(*args)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def two_workers() -> Iterator[str]:
    with local_cluster(workers=2) as address:
        yield address


@pytest.fixture(autouse=True)
def short_races(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Races that the command does not solve otherwise, in an empty cache."""
    monkeypatch.setattr(Rapido, "OPTIONS", tuple(replace(one, low=1) for one in Rapido.OPTIONS))
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))


def test_a_column_needs_only_what_a_worker_gets() -> None:
    check_column(3, 2)


def check_column(finish: int, other: int) -> None:
    values = np.random.default_rng(finish).integers(ONE, size=(finish, finish, TOWERS), dtype=np.uint32)
    solver = Solver(finish, threads=1)
    expected, worth = np.empty((finish, TOWERS), np.uint32), solver.worth[0]
    solver.start_at_the_top(worth)
    for own in reversed(range(finish)):
        solver.update(solver.items, values, (own, other), worth, expected[own], NEAREST, hand_on=True)
    assert np.array_equal(update_column(finish, other, columns.read_by(values, other), NEAREST), expected)


def test_two_workers_prove_what_one_machine_proves(two_workers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "update_column", noted_update)
    where.clear()
    words = ["solve", "rapido", "--finish", "1", "--threads", "1", "--scheduler", two_workers]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 0, run.output
    assert where and threading.get_ident() not in where
    check_solution(open_solution(Rapido(players=2, finish=1)))


def check_solution(solution: Solution) -> None:
    assert isinstance(solution, RapidoSolution) and 0 < solution.bounds.gap < 1e-8
    alone, bounds = Solver(solution.game.finish, threads=1).solve({})
    apart = np.abs(solution.values.astype(np.int64) - alone.astype(np.int64))
    assert apart.max() / ONE <= (solution.bounds.gap + bounds.gap) / 2
    assert max(solution.bounds.low, bounds.low) <= min(solution.bounds.high, bounds.high)


def test_a_lost_worker_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "update_column", leave)
    with local_cluster(workers=1) as address:
        refused = CliRunner().invoke(app, ["solve", "rapido", "--finish", "1", "--scheduler", address])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"the cluster of {address} has lost workers" in refused.stderr.replace("\n", "")


def leave(*args: object) -> None:
    """A task during which its worker closes; it does not end before."""
    worker, closed = get_worker(), threading.Event()

    async def close() -> None:
        await worker.close(executor_wait=False)
        closed.set()

    worker.loop.add_callback(close)
    closed.wait(PATIENCE)


def test_chain_is_solved_on_one_machine_only(two_workers: str) -> None:
    refused = CliRunner().invoke(app, ["solve", "chain", "--scheduler", two_workers])
    assert (refused.exit_code, refused.stdout) == (2, "")
    said = " ".join(refused.stderr.split())
    assert "solving chain does not divide among machines; solve it without a scheduler" in said
