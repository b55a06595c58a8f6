"""The ``--json`` output agrees with docs/reference/json.md: schema, seats from 0, fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from escadaria.cli import app
from escadaria.cli.common import SCHEMA, json_text
from escadaria.games.rapido.rules import Rapido
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.solutions import Bounds
from escadaria.terminal.results import solution_data

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


def seats_in(entries: list[dict[str, Any]]) -> list[int]:
    return [entry["seat"] for entry in entries]


SEATS: dict[str, Callable[[dict[str, Any]], object]] = {
    "simulate": lambda data: seats_in(data["by_seat"]) == [0, 1, 2],
    "arena": lambda data: seats_in(data["seats"]) == [0, 1, 2],
    "analyse": lambda data: (
        seats_in(data["players"]) == [0, 1, 2]
        and {*seats_in(data["rolls"])} == {0, 1, 2} >= {*seats_in(data["decisions"])}
        and (data["rolls"][0]["seat"], data["rolls"][0]["ply"], data["rolls"][0]["turn"]) == (0, 1, 1)
    ),
    "hint": lambda data: data["turn"] == 1,
}
"""What shows that seats count from 0, by command."""


@pytest.mark.usefixtures("no_solution")
@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "rapido", "--players", "3", "--games", "20"],
        ["arena", "rapido", "--players", "3", "--bot", "simple", "--bot", "random", "--games", "12"],
        ["benchmark", "simple", "--game", "rapido", "--players", "3", "--games", "5", "--workers", "1"],
        ["analyse", RECORD],
        ["hint", "rapido", POSITION, "--players", "2"],
        ["strategy", "rapido"],
    ],
    ids=lambda words: words[0],
)
def test_fields_are_those_of_the_page_and_seats_count_from_0(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("escadaria.arena.benchmark.BOTS", ("random", "simple", "regular"))  # the fast ones
    folder = ["--folder", str(tmp_path)] if words[0] == "arena" else []
    data = printed(*words, *folder)
    check(words[0], data)
    assert SEATS.get(words[0], bool)(data)


def test_a_solution_has_the_fields_of_the_page() -> None:
    solution = RapidoSolution(Rapido(2, 5), np.zeros((5, 5, 1), np.uint32), Bounds(0.5, 0.6, 0.1))
    check("solve", json.loads(json_text(solution_data(solution, Path("x.solution")))))
