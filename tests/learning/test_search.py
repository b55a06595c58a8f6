"""The tool that measures search."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "search.py"


def test_the_tool_prints_the_gain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_tool("chain", monkeypatch, capsys)


def check_tool(game: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [TOOL.name, game, "--players", "2", "3", "--games", "4"])
    runpy.run_path(str(TOOL), run_name="__main__")
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[:3] for row in rows] == [["2", "4", "50.00"], ["3", "4", "33.33"]]
