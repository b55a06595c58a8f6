"""The notebooks that are not run by day, with small budgets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adapters.test_examples import EXAMPLES, kinds_of_outputs
from compute.kernels import GAME, TINY
from tools import notebooks

SMALL: dict[str, dict[str, Any]] = {
    "exact_and_mcts": {  # a race that is solved in a second
        "GAME": "chain",
        "OPTIONS": {"board": str(TINY)},
        "POSITION": str(GAME.initial_state()),
        "SIMULATIONS": (2,),
        "POSITIONS": 2,
        "MATCHES": 1,
    },
    "ppo_gymnasium": {"ENVS": 4, "STEPS": 16, "UPDATES": 2, "MATCHES": 2},
}


@pytest.mark.parametrize("name", SMALL)
def test_a_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))
    stored = {"AGENT": str(tmp_path / "agent.npz")} if name == "ppo_gymnasium" else {}
    book = notebooks.run(name, **SMALL[name], **stored)
    assert all(Path(path).exists() for path in stored.values())
    assert "image/svg+xml" in kinds_of_outputs(book) or name == "ppo_gymnasium"


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == {"self_play", *SMALL}
