"""The documentation builds without a warning, and the commands and addresses that it names exist."""

from __future__ import annotations

import dataclasses
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.core
import typer.main

from escadaria.cli import app
from escadaria.server.http.app import create_app
from escadaria.settings import Settings

ROOT = Path(__file__).parents[2]


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    built = build_site(tmp_path)
    assert built.returncode == 0 and "No issues found" in built.stderr, built.stderr
    reference = (tmp_path / "site" / "reference" / "rapido" / "index.html").read_text("utf-8")
    assert "escadaria.games.rapido.rules.Rapido" in reference and "R14" in reference


@pytest.mark.parametrize(
    "text", ["[a page](nowhere.md)\n\n[an anchor](index.md#nothing)", "::: escadaria.nowhere"]
)
def test_wrong_links_and_names_fail_the_build(text: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Title\n\n{text}\n", "utf-8")
    built = build_site(tmp_path, nav='nav = ["index.md"]')
    shown = re.sub(r"\x1b\[[\d;]*m", "", built.stdout + built.stderr)
    assert built.returncode != 0 and "nowhere" in shown
    assert "nothing" in shown or "nothing" not in text


def build_site(folder: Path, nav: str = "") -> subprocess.CompletedProcess[str]:
    """Build the pages in ``folder/docs``, by default ours, into ``folder/site``."""
    config = (ROOT / "zensical.toml").read_text("utf-8")
    config = re.sub(r"^nav = \[\n.*?^\]", nav, config, flags=re.M | re.S) if nav else config
    (folder / "zensical.toml").write_text(config, "utf-8")
    if not (folder / "docs").exists():
        shutil.copytree(ROOT / "docs", folder / "docs")  # a link would lead out of the project
    if not (folder / "src").exists():
        (folder / "src").symlink_to(ROOT / "src")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r'= "([\w/-]+\.md)"', (ROOT / "zensical.toml").read_text("utf-8")))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert listed == pages


PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("deploy/**/*.md"),
    *ROOT.glob("examples/**/*.md"),
]
MENTIONS = [path for path in PAGES if "rules" not in path.relative_to(ROOT).parts]
PLACEHOLDER = re.compile(r"[A-Z]+$")
SCRIPTS = {"bench": "bench", "tool": "tools"}
GROUP = typer.main.get_command(app)
assert isinstance(GROUP, typer.core.TyperGroup)
COMMANDS = GROUP.commands


@pytest.mark.parametrize("page", MENTIONS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_page_names_exists(page: Path) -> None:
    """Commands with their options, single options, addresses, and variables of the environment."""
    for words in calls(page):
        assert unknown_in(words) == "", words
    for code in code_of(page):
        option = re.match(r"--[a-z][a-z-]*", code)
        assert not option or option[0] in options() or f'"{option[0]}"' in python("bench", "tools"), code
        for path in addresses(code):
            assert is_served(path), f"{path} in {code!r}"
    settings = {f"ESCADARIA_{field.name.upper()}" for field in dataclasses.fields(Settings)}
    for name in set(re.findall(r"\bESCADARIA_[A-Z_]+[A-Z]\b", page.read_text("utf-8"))) - settings:
        sources = python("src", "tests", "bench", "tools", "run.py", "hatch_build.py")
        assert re.search(rf"[\"']{name}[\"']", sources), name


@cache
def options() -> set[str]:
    """The options of all our commands."""
    groups = [found for found in COMMANDS.values() if isinstance(found, typer.core.TyperGroup)]
    commands = [*COMMANDS.values(), *(command for group in groups for command in group.commands.values())]
    return {option for command in commands for parameter in command.params for option in parameter.opts}


@cache
def python(*places: str) -> str:
    """The Python in files and folders of the project."""
    files = [path for place in places for path in [ROOT / place, *(ROOT / place).rglob("*.py")]]
    return "".join(path.read_text("utf-8") for path in files if path.is_file())


def code_of(page: Path) -> Iterator[str]:
    """Code on a page: spans between backticks, and the lines of blocks."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    blocks = r"^```.*?^```|^(?: {4}|\t)[^\n]*$"
    for block in re.findall(blocks, text, re.M | re.S):
        yield from (line.strip() for line in block.splitlines())
    yield from (
        " ".join(span.split())
        for span in re.findall(r"`([^`]+)`", re.sub(blocks, "", text, flags=re.M | re.S))
    )


def calls(page: Path) -> Iterator[list[str]]:
    """The words after ``python3 run.py`` or ``escadaria`` in each command that a page names."""
    for code in code_of(page):
        found = re.match(
            r"(?:[A-Z_]+=\S+ +|nohup +|\$ +)*(?:python3 run\.py|escadaria)(?: +([^#&|]*)|$)", code
        )
        if found and not re.match(r"[=.]", found[1] or ""):
            yield shlex.split(found[1] or "")


def unknown_in(words: list[str]) -> str:
    """The parts of a command that do not exist; empty if all exist."""
    if not words or words[0] == "COMMAND" or words[0] in ("--help", "--version"):
        return ""
    command, *rest = words
    options = {word.partition("=")[0] for word in rest if re.match("--?[a-z]", word)}
    if command in ("test", "lock", "screenshots", "docs"):  # the rest goes to pytest, a tool or zensical
        return ""
    if command in SCRIPTS:
        if not rest or PLACEHOLDER.match(rest[0]):
            return ""
        script = ROOT / SCRIPTS[command] / f"{rest[0]}.py"
        if not script.is_file():
            return f"{command} {rest[0]}"
        text = script.read_text("utf-8") + "".join(
            helper.read_text("utf-8") for helper in (script.parent / "shared").glob("*.py")
        )
        return " ".join(sorted(option for option in options if f'"{option}"' not in text))
    if command not in COMMANDS:
        return command
    found = COMMANDS[command]
    if isinstance(found, typer.core.TyperGroup):  # as admin is
        if not rest:
            return ""
        if rest[0] not in found.commands:
            return " ".join(words[:2])
        found = found.commands[rest[0]]
    known = {option for parameter in found.params for option in parameter.opts}
    return " ".join(sorted(options - known - {"--help", "-h"}))


def addresses(code: str) -> list[str]:
    """The paths of our server in a piece of code, with their parameters."""
    alone = re.match(r"(?:(?:GET|POST|PUT|DELETE) )?(/[a-z][\w./{}$:-]*)", code)
    inside = re.findall(r"/api/[\w./{}$-]*[\w}]", code)
    return [path.rstrip("/.") for path in [*([alone[1]] if alone else []), *inside]]


@cache
def routes() -> list[str]:
    return [route.path for route in create_app(Settings(database="unused")).routes]


@cache
def client_source() -> str:
    files = [path for end in ("ts", "svelte") for path in (ROOT / "web" / "src").rglob(f"*.{end}")]
    return "".join(path.read_text("utf-8") for path in files if ".test." not in path.name)


def is_served(path: str) -> bool:
    """Whether a route of the server, or a page of the client, has this path."""
    for template in routes():
        if "{path:path}" not in template and re.fullmatch(re.sub(r"\{\w+:str\}", "[^/]+", template), path):
            return True
    first = "/".join(path.split("/")[:2])
    return first != "/api" and re.search(rf"['\"`]{first}[/'\"`]", client_source()) is not None


def test_missing_commands_and_addresses_are_detected() -> None:
    assert not is_served("/ws")
    assert not is_served("/openapi.json")
    assert not is_served("/api/nothing")
    assert is_served("/api/matches/MATCH/socket")
    assert is_served("/healthz")
    assert addresses("GET /ws?x=1") == ["/ws"]
    assert unknown_in(["solve", "rapido", "--quickly"]) == "--quickly"
    assert unknown_in(["shuffle"]) == "shuffle"
    assert unknown_in(["bench", "nothing"]) == "bench nothing"
    assert unknown_in(["tool", "findings", "--never"]) == "--never"
    assert unknown_in(["serve", "--port", "8000"]) == ""
