"""Without an extra, every command names it in one line; `run.py` installs it automatically."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
RECORD = str(ROOT / "tests" / "records" / "rapido-3.txt")
MISSING = ("distributed", "joblib", "matplotlib", "numba", "psutil", "psycopg")


def escadaria(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in an environment without extras."""
    script = f"import sys; sys.modules.update(dict.fromkeys({MISSING}));"
    script += "from escadaria.cli import main; main()"
    return subprocess.run([sys.executable, "-c", script, *words], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    "words, extra",
    [
        (["solve", "rapido", "--finish", "5"], "lab"),
        (["solve", "chain", "--board", "short"], "lab"),
        (["simulate", "rapido", "--games", "300", "--workers", "2"], "lab"),
        (["simulate", "rapido", "--scheduler", "tcp://127.0.0.1:1"], "lab"),
        (["arena", "rapido", "--bot", "simple", "--bot", "random", "--plot", "out.svg"], "lab"),
        (["analyse", RECORD, "--plot", "out.svg"], "lab"),
        (["serve", "--port", "0", "--database", "postgresql://nobody@127.0.0.1:1/nothing"], "postgres"),
    ],
)
def test_a_missing_extra_is_named_in_one_line(words: list[str], extra: str, tmp_path: Path) -> None:
    result = escadaria(*words, folder=tmp_path)
    last = result.stderr.strip().splitlines()[-1]
    assert (result.returncode, result.stdout) == (2, "")
    assert last.endswith(f"install escadaria[{extra}])")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", [["simulate"], ["arena", "--bot", "random", "--folder", "."]])
def test_a_command_that_is_slow_without_the_extra_warns(command: list[str], tmp_path: Path) -> None:
    name, *words = command
    result = escadaria(name, "rapido", *words, "--bot", "simple", "--games", "20", "--json", folder=tmp_path)
    assert result.returncode == 0 and result.stdout.startswith("{")
    assert result.stderr.strip().endswith("games are played slowly: install escadaria[lab])")
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.fixture(scope="module")
def run() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run", ROOT / "run.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))  # run.py imports hatch_build from beside it
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "words, need",
    [
        ("solve rapido --finish 8", "lab"),
        ("simulate chain", "lab"),
        ("arena rapido", "lab"),
        ("analyse game.txt --plot out.svg", "lab"),
        ("analyse game.txt --plot=out.svg", "lab"),
        ("analyse game.txt --json", "play"),
        ("play rapido", "play"),
        ("serve --open", "play"),
    ],
)
def test_run_installs_the_dependencies_of_the_command(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, words: str, need: str
) -> None:
    prepared: list[str] = []
    monkeypatch.setattr(run, "prepare", prepared.append)
    monkeypatch.setattr(run, "become", lambda command: 0)
    assert run.main(words.split()) == 0
    assert prepared == [need]


def test_each_level_of_run_includes_the_one_before(run: ModuleType) -> None:
    def extras(words: list[str]) -> set[str]:
        return {extra for word in words for extra in word.removeprefix(".").strip("[]").split(",")} - {""}

    held = [extras(words) for words in run.NEEDS.values()]
    assert all(less < more for less, more in pairwise(held))


@pytest.mark.parametrize("words", ["import escadaria.compute.batch", "import escadaria; escadaria.solve"])
def test_the_library_names_the_extra_too(words: str) -> None:
    script = f"import sys; sys.modules.update(dict.fromkeys({MISSING})); {words}"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    last = result.stderr.strip().splitlines()[-1]
    assert last == "ModuleNotFoundError: compiled games need numba: install escadaria[lab]"
