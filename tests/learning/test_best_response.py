"""The best response to bots of Rapido finds nothing against the exact solution; its tool runs."""

from __future__ import annotations

import json
import runpy
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from escadaria.games.rapido.compiled.solver import Solver
from escadaria.games.rapido.solution import ONE
from research import best_response, best_response_of_two
from research.best_response import Decisions

TOOL = Path(__file__).parents[2] / "tools" / "best_response.py"


def solved(finish: int) -> tuple[NDArray[np.float64], Decisions]:
    """By role and position how often the hero wins with the exact solution, and its decisions."""
    exact, _ = Solver(finish, threads=1).solve({})
    values = np.stack([exact / ONE, 1.0 - exact / ONE])
    return values, best_response_of_two.decisions_by(values[1], finish)


def test_r12_r18_nobody_gains_by_one_turn_against_the_exact_solution() -> None:
    """The solution's values do not change, in no position: they are the only ones of the best response."""
    values, decisions = solved(finish=1)
    after = values.copy()
    with ThreadPoolExecutor(1) as pool:
        best_response.sweep(after, decisions, None, pool)
    np.testing.assert_allclose(after, values, rtol=0, atol=1e-8)


def test_the_tool_tells_what_is_gained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [TOOL.name, "--finish", "1", "--others", "regular", "--json"])
    runpy.run_path(str(TOOL), run_name="__main__")
    shares = json.loads(capsys.readouterr().out)["shares"]
    assert list(shares) == ["regular", "master", "best response"]
    for seat in range(3):
        assert max(shares["regular"][seat][0], shares["master"][seat][0]) <= shares["best response"][seat][1]
