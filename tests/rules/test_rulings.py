"""docs/rulings.md is the authority on the rules: every ruling has a test named after it."""

from __future__ import annotations

import re
from pathlib import Path

from escadaria import GAMES
from escadaria.teaching.rulebook import rules_view
from rules.cases import blocks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rulings.md").read_text("utf-8")
SOURCES = dict(re.findall(r"^\| ([RC]\d+) \| ([a-z, ]+) \| \S", PAGE, re.M))
RULINGS = list(SOURCES)


def python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_the_page_has_all_rulings_in_order() -> None:
    assert [f"R{n}" for n in range(1, 20)] + [f"C{n}" for n in range(1, 19)] == RULINGS


def test_the_page_has_the_origin_of_each_ruling() -> None:
    rulings = [ruling for game in GAMES for ruling in rules_view(game).rulings]
    origins = {ruling.ruling: ", ".join(ruling.origins) for ruling in rulings}
    assert origins == SOURCES


def test_each_ruling_has_a_test_and_each_test_a_ruling() -> None:
    """A function, or a block of cases with at least one line."""
    functions = "\n".join(path.read_text("utf-8") for path in python_files("tests"))
    named = set(re.findall(r"^ *def test_([rc]\d+)_", functions, re.M))
    named |= {heading.partition("_")[0] for game in GAMES for heading, *_ in blocks(game)}
    assert {name.upper() for name in named if re.fullmatch(r"[rc]\d+", name)} == set(RULINGS)


def test_what_code_and_pages_cite_exists() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    for path in [*python_files("src", "tools", "examples"), *pages]:
        cited = set(re.findall(r"(?<![\w#./-])([RC](?:[1-9]|1\d|2\d))(?![\w.%-])", path.read_text("utf-8")))
        assert cited <= set(RULINGS), path


def test_code_cites_every_ruling() -> None:
    text = "\n".join(path.read_text("utf-8") for path in python_files("src"))
    assert [ruling for ruling in RULINGS if not re.search(rf"\b{ruling}\b", text)] == []
