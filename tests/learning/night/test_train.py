"""Networks for more players, and training on a cluster."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compute.clusters import local_cluster
from escadaria import evaluator_network
from escadaria.arena.batches import NoCluster
from escadaria.evaluator_network import Network
from learning.test_tools import check_network, loaded
from research import chain_training, rapido_training
from tools import train


@pytest.mark.parametrize("players", range(4, 7))
@pytest.mark.parametrize("game", train.BUDGETS)
def test_one_command_makes_a_network_from_nothing(game: str, players: int, tmp_path: Path) -> None:
    check_network(game, players, tmp_path)


def test_a_cluster_measures_the_same_if_its_workers_have_the_network() -> None:
    shipped = evaluator_network.load("escadaria.games.rapido", 3)
    with local_cluster(workers=2) as address:
        on_cluster = train.among("rapido", 3, 60, ("simple",), address)
        with pytest.raises(NoCluster, match="has another network: copy values-4.npz of rapido to it"):
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
    assert where and threading.get_ident() not in where
