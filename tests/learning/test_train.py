"""The tool that trains what ships: from nothing, or further, into a folder of choice."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compute.test_simulate import local_cluster
from escadaria import cluster
from escadaria import network as values
from escadaria.network import Network
from research import chain_training, rapido_training
from tools import train


@pytest.mark.parametrize("players", range(3, 7))
@pytest.mark.parametrize("game", train.BUDGETS)
def test_one_command_makes_a_network_from_nothing(game: str, players: int, tmp_path: Path) -> None:
    train.main([game, str(players), "--positions", "300", "--out", str(tmp_path)])
    made, shipped = loaded(tmp_path, players), values.load(f"escadaria.games.{game}", players)
    assert shipped is not None
    for name in Network.__slots__:
        assert getattr(made, name).shape == getattr(shipped, name).shape
    about = json.loads((tmp_path / f"values-{players}.json").read_text("utf-8"))
    command = f"python3 run.py tool train {game} {players} --positions 300"  # the folder does not matter
    assert about["commands"] == [command] and about["positions"] >= 300
    log = (tmp_path / f"{game}-{players}.log").read_text("utf-8").splitlines()
    assert log[0] == f"# {command}" and log[-1].startswith("100.0%")


def test_training_goes_on_from_what_ships(tmp_path: Path) -> None:
    train.main(["rapido", "3", "--go-on", "--positions", "300", "--rate", "1e-9", "--out", str(tmp_path)])
    made, shipped = loaded(tmp_path, 3), values.load("escadaria.games.rapido", 3)
    assert shipped is not None and (made.table == shipped.table).mean() > 0.9
    about = json.loads((tmp_path / "values-3.json").read_text("utf-8"))
    assert about["commands"][:-1] == values.provenance("escadaria.games.rapido", 3)["commands"]


def test_a_cluster_measures_the_same_if_its_workers_have_the_network() -> None:
    shipped = values.load("escadaria.games.rapido", 3)
    with local_cluster(workers=2) as address:
        on_cluster = train.among("rapido", 3, 60, ("simple",), address)
        with pytest.raises(cluster.NoCluster, match="has another network: copy values-4.npz of rapido to it"):
            train.check_workers_have(shipped, "rapido", 4, address)
    assert on_cluster == train.among("rapido", 3, 60, ("simple",), "")


@pytest.mark.parametrize("game", train.BUDGETS)
def test_a_cluster_plays_the_games_of_training(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The network does not depend on the number of workers, and no game is played here."""
    made, where = {}, set[int]()
    module: Any = {"rapido": rapido_training, "chain": chain_training}[game]
    played = module.self_play

    def self_play(*arguments: Any) -> Any:
        where.add(threading.get_ident())
        return played(*arguments)

    monkeypatch.setattr(module, "self_play", self_play)
    for workers in (1, 2):
        folder, words = tmp_path / str(workers), [game, "3", "--positions", "20000"]
        with local_cluster(workers) as address:
            train.main([*words, "--scheduler", address, "--out", str(folder)])
        made[workers] = loaded(folder, 3)
        about = json.loads((folder / "values-3.json").read_text("utf-8"))
        assert about["positions"] >= 20000
    assert all(np.array_equal(*(getattr(net, name) for net in made.values())) for name in Network.__slots__)
    assert len(where) >= 3 and threading.get_ident() not in where, "one worker, then two"


def test_a_cluster_that_cannot_be_reached_is_reported_before_training(tmp_path: Path) -> None:
    words = ["rapido", "3", "--scheduler", "nowhere", "--out", str(tmp_path)]
    tool = subprocess.run([sys.executable, train.__file__, *words], capture_output=True, text=True)
    assert (tool.returncode, tool.stdout) == (2, "")
    assert "no scheduler can be at 'nowhere'" in tool.stderr and len(tool.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_every_shipped_network_has_a_budget() -> None:
    assert all(set(budgets) == set(range(2, 7)) for budgets in train.BUDGETS.values())


def loaded(folder: Path, players: int) -> Network:
    with np.load(folder / f"values-{players}.npz") as arrays:
        return Network(**arrays)
