"""The tools that train the shipped networks, and that measure search and best responses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from escadaria import BadOptions, evaluator_network
from escadaria.evaluator_network import Network
from tools import best_response, search, train


@pytest.mark.parametrize("game", train.BUDGETS)
def test_one_command_makes_a_network_from_nothing(game: str, tmp_path: Path) -> None:
    check_network(game, 3, tmp_path)


def check_network(game: str, players: int, tmp_path: Path) -> None:
    train.main([game, str(players), "--positions", "300", "--out", str(tmp_path)])
    made, shipped = loaded(tmp_path, players), evaluator_network.load(f"escadaria.games.{game}", players)
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
    made, shipped = loaded(tmp_path, 3), evaluator_network.load("escadaria.games.rapido", 3)
    assert shipped is not None and (made.table == shipped.table).mean() > 0.9
    about = json.loads((tmp_path / "values-3.json").read_text("utf-8"))
    assert about["commands"][:-1] == evaluator_network.provenance("escadaria.games.rapido", 3)["commands"]


def test_an_address_of_no_scheduler_is_refused_before_training(tmp_path: Path) -> None:
    with pytest.raises(BadOptions, match="no scheduler can be at 'nowhere'"):
        train.main(["rapido", "3", "--scheduler", "nowhere", "--out", str(tmp_path)])
    assert not list(tmp_path.iterdir())


def test_every_shipped_network_has_a_budget() -> None:
    assert all(set(budgets) == set(range(2, 7)) for budgets in train.BUDGETS.values())


def loaded(folder: Path, players: int) -> Network:
    with np.load(folder / f"values-{players}.npz") as arrays:
        return Network(**arrays)


# What is measured.


def test_the_gain_of_a_best_response_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["", "--finish", "1", "--others", "regular", "--json"])
    best_response.main()
    shares = json.loads(capsys.readouterr().out)["shares"]
    assert list(shares) == ["regular", "master", "best response"]
    for seat in range(3):
        assert max(shares["regular"][seat][0], shares["master"][seat][0]) <= shares["best response"][seat][1]


def test_what_search_gains_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_search("chain", monkeypatch, capsys)


def check_search(game: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["", game, "--players", "2", "3", "--games", "4"])
    search.main()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[:3] for row in rows] == [["2", "4", "50.00"], ["3", "4", "33.33"]]
