"""Kernels and workers: whatever plays, the same seed gives the same games."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from compute.clusters import local_cluster
from compute.kernels import same_games
from escadaria import BadOptions
from escadaria.arena import batches as lab
from escadaria.arena import simulation
from escadaria.arena.simulation import Results, simulate
from escadaria.cli import app
from escadaria.game import AnyGame
from escadaria.games.rapido.rules import Rapido

GAME = Rapido(3, 8)
MIXED = ["simple", "simple", "random"]


where: set[int] = set()
"""The threads that ``cautious`` was asked in."""


def cautious(game: AnyGame, state: Any) -> Any:
    """A bot that no kernel knows."""
    where.add(threading.get_ident())
    return game.legal_actions(state)[-1]


@pytest.fixture(scope="module")
def by_engine() -> Results:
    """300 games, 20 at a time, by the readable engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulation, "kernel", lambda game, bots, games: None)
        return simulate(GAME, MIXED, 300, seed=5, workers=1)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "CHUNK", 70)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers_plays_the_engine_s_games(workers: int, by_engine: Results) -> None:
    done: list[int] = []
    results = simulate(GAME, MIXED, 300, seed=5, workers=workers, progress=done.append)
    same_games(results.counts, by_engine.counts)
    assert done == [0, 70, 140, 210, 280, 300]
    assert results.by_bot == by_engine.by_bot


def test_the_kernel_is_loaded_before_the_first_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, done, calls = lab.kernel(GAME, MIXED, 101), list[int](), list[tuple[int, ...]]()
    assert compiled

    def noted(game: AnyGame, bots: Any, first: int, games: int, seed: int, exact: bool) -> lab.Counts:
        calls.append((len(done), first, games))
        return compiled(game, bots, first, games, seed, exact)

    monkeypatch.setattr(simulation, "kernel", lambda game, bots, games: noted)
    assert simulate(GAME, MIXED, 101, progress=done.append).games == 101
    assert done == [0, 101]
    assert calls == [(0, 0, 1), (1, 0, 101)]


def test_bots_without_a_policy_are_played_by_processes() -> None:
    def bold(game: AnyGame, state: Any) -> Any:  # local, or each process would import this whole module
        return game.legal_actions(state)[-1]

    one, two = (simulate(GAME, ["simple", bold], 45, seed=1, workers=number) for number in (1, 2))
    same_games(one.counts, two.counts)
    assert one.bots == ("simple", "bold", "simple")


def test_a_game_with_rules_of_its_own_is_not_the_kernel_s() -> None:
    class House(Rapido):
        """Who knows what it does."""

    assert lab.kernel(Rapido(), ["simple"], 101) is not None
    assert lab.kernel(House(), ["simple"], 101) is None
    assert lab.kernel(Rapido(), ["simple", cautious], 101) is None
    assert lab.kernel(Rapido(), ["simple"], lab.FEW) is None, "done before it is loaded"


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with local_cluster(workers=2) as address:
        yield address


@pytest.mark.usefixtures("small_chunks")
def test_a_cluster_plays_the_same_games(cluster: str, by_engine: Results) -> None:
    same_games(simulate(GAME, MIXED, 300, seed=5, scheduler=cluster).counts, by_engine.counts)
    where.clear()
    results = simulate(GAME, cautious, 40, seed=5, scheduler=cluster)
    assert threading.get_ident() not in where
    same_games(results.counts, simulate(GAME, cautious, 40, seed=5).counts)
    assert threading.get_ident() in where


@pytest.mark.parametrize(
    "address, why", [("nowhere", "missing port"), ("foo://x:1", "unknown address scheme")]
)
def test_an_address_of_no_scheduler_is_refused(address: str, why: str) -> None:
    with pytest.raises(BadOptions, match=f"no scheduler can be at {address!r}: {why}"):
        simulate(GAME, MIXED, 1, scheduler=address)


def test_a_cluster_without_workers_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with local_cluster(workers=0) as address:
        monkeypatch.setattr(lab, "WORKER_SECONDS", 0.1)  # none comes
        with pytest.raises(lab.NoCluster, match=f"the cluster of {address} has no workers"):
            simulate(GAME, MIXED, 1, scheduler=address)


@pytest.mark.parametrize("command", ["simulate", "arena"])
def test_an_unreachable_scheduler_is_named(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lab, "SCHEDULER_SECONDS", 0.1)  # none comes
    with socket.socket() as closed:  # bound, but not listening
        closed.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{closed.getsockname()[1]}"
        more = ["--bot", "simple", "--bot", "random"]
        more += ["--folder", str(tmp_path)] if command == "arena" else []
        refused = CliRunner().invoke(app, [command, "rapido", "--scheduler", address, *more])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"there is no scheduler at {address}" in refused.stderr.replace("\n", "")


def test_the_command_takes_workers_or_a_scheduler(cluster: str) -> None:
    words = ["simulate", "rapido", "--games", "150", "--json"]
    ways: list[list[str]] = [[], ["--workers", "2"], ["--scheduler", cluster]]
    runs = [CliRunner().invoke(app, [*words, *way]) for way in ways]
    assert [run.exit_code for run in runs] == [0, 0, 0]
    assert runs[0].stdout == runs[1].stdout == runs[2].stdout


# Without the extra.


def test_without_numba_it_takes_longer_and_says_so(
    monkeypatch: pytest.MonkeyPatch, by_engine: Results
) -> None:
    compiled = ("escadaria.compute.", "escadaria.games.rapido.compiled.", "escadaria.games.chain.compiled.")
    for module in [name for name in sys.modules if name.startswith(compiled)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert lab.kernel(GAME, MIXED, 300) is None
    same_games(simulate(GAME, MIXED, 300, seed=5, workers=1).counts, by_engine.counts)
    monkeypatch.setattr(simulation, "CHUNK", 200)
    with pytest.warns(UserWarning, match=r"much sooner with escadaria\[lab\]"):
        simulate(GAME, MIXED, 200, workers=1)


@pytest.mark.usefixtures("small_chunks")
def test_without_joblib_one_worker_plays(monkeypatch: pytest.MonkeyPatch, by_engine: Results) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    same_games(simulate(GAME, MIXED, 300, seed=5).counts, by_engine.counts)
    with pytest.raises(lab.MissingExtra, match=r"install escadaria\[lab\]"):
        simulate(GAME, MIXED, 300, workers=2)
