"""The ``--json`` output agrees with docs/reference/json.md: schema, seats from 0, fields."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from escadaria.cli import app
from escadaria.cli.common import SCHEMA, json_text
from escadaria.games.rapido.rules import Rapido
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.reports.lab_report import solution_data
from escadaria.solutions import Bounds

ROOT = Path(__file__).parents[2]
RECORD = str(ROOT / "tests" / "records" / "rapido-3.txt")
PAGE = (ROOT / "docs" / "reference" / "json.md").read_text("utf-8")
POSITION = "turn=1 phase=decide value=62 steps=3,5 tower=4:0:51"


def printed(*words: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    assert next(iter(data)) == "schema" and data["schema"] == SCHEMA == 1
    return data


def described(command: str) -> tuple[set[str], str]:
    """The fields of a command's object on the page, and its whole section."""
    section = re.search(rf"^## `{command}`\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert section
    rows = re.findall(r"^\| (`[^|]*) \|", section[1], re.M)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}, section[1]


def names_in(value: Any) -> set[str]:
    """The names of all nested fields, except those of options and arguments."""
    if isinstance(value, dict):
        inner = [names_in(part) for name, part in value.items() if name not in ("args", "least")]
        return set(value).union(*inner)
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()


def check(command: str, data: dict[str, Any]) -> None:
    fields, section = described(command)
    assert set(data) - {"schema"} == fields
    parts = {
        name: value for name, value in data.items() if not (name == "options" and isinstance(value, dict))
    }
    missing = [name for name in names_in(parts) - {"schema"} if f"`{name}`" not in section]
    assert [name for name in missing if f"`{name}`" not in described("analyse")[1]] == []


@pytest.mark.usefixtures("no_solution")
@pytest.mark.parametrize(
    "words, parts",
    [
        ("simulate rapido --players 3 --games 20", ["by_seat"]),
        ("arena rapido --players 3 --bot simple --bot random --games 12 --folder .", ["seats"]),
        ("benchmark simple --game rapido --players 3 --games 5 --workers 1", []),
        (f"analyse {RECORD}", ["players", "rolls", "decisions"]),
        (f"hint rapido '{POSITION}' --players 2", []),
        ("strategy rapido", []),
    ],
)
def test_fields_are_those_of_the_page_and_seats_count_from_0(
    words: str, parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("escadaria.arena.benchmark.BOTS", ("random", "simple", "regular"))  # the fast ones
    monkeypatch.chdir(tmp_path)
    command, *more = shlex.split(words)
    data = printed(command, *more)
    check(command, data)
    for part in parts:
        assert {entry["seat"] for entry in data[part]} == {0, 1, 2}
    assert data.get("turn", 1) == 1, "of the hint's position"


def test_a_solution_has_the_fields_of_the_page() -> None:
    solution = RapidoSolution(Rapido(2, 5), np.zeros((5, 5, 1), np.uint32), Bounds(0.5, 0.6, 0.1))
    check("solve", json.loads(json_text(solution_data(solution, Path("x.solution")))))
