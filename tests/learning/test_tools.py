"""The tools that measure search and best responses."""

from __future__ import annotations

import json
import sys

import pytest

from tools import best_response, search


def test_what_a_best_response_gains_is_told(
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
