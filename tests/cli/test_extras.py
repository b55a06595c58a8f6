"""Without an extra, every command names it in one line; `run.py` installs it automatically."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RECORD = str(ROOT / "tests" / "records" / "rapido-3.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SERVER = (
    "alembic", "httptools", "httpx", "litestar", "prometheus_client",
    "sqlalchemy", "uvicorn", "uvloop", "websockets",
)  # fmt: skip
LAB = ("distributed", "joblib", "matplotlib", "numba", "psutil")
MISSING = (*SERVER, *LAB, "psycopg", "redis")


COMMANDS = """
import json, sys
sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))
from typer.testing import CliRunner
from escadaria.cli import app
for words in json.loads(sys.argv[2]):
    done = CliRunner().invoke(app, words)
    print(json.dumps([done.exit_code, done.stdout, done.stderr]))
"""


def run_without(missing: Iterable[str], commands: Iterable[str], folder: Path) -> Iterator[list[Any]]:
    """The exit codes and outputs of commands, one after the other in a process without some modules."""
    given = [json.dumps([*missing]), json.dumps([*map(shlex.split, commands)])]
    command = [sys.executable, "-c", COMMANDS, *given]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return map(json.loads, done.stdout.splitlines())


def python(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in an environment without extras."""
    script = f"import sys; sys.modules.update(dict.fromkeys({MISSING})); {script}"
    return subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True)


WITHOUT_EXTRAS = {
    "solve rapido --finish 5": "lab",
    "solve chain --board short": "lab",
    "simulate rapido --games 300 --workers 2": "lab",
    "simulate rapido --scheduler tcp://127.0.0.1:1": "lab",
    "arena rapido --bot simple --bot random --plot out.svg": "lab",
    f"analyse {RECORD} --plot out.svg": "lab",
    "serve --port 0": "server",
    "print rapido --out rapido.pdf": "server",
    "admin check --database x.sqlite3": "server",
}
WITHOUT_DATABASES = {
    "serve --port 0 --database postgresql://nobody@127.0.0.1:1/nothing": "postgres",
    "serve --port 0 --database x.sqlite3 --redis redis://127.0.0.1:1": "redis",
}


@pytest.mark.parametrize(
    "commands, missing",
    [(WITHOUT_EXTRAS, MISSING), (WITHOUT_DATABASES, ("psycopg", "redis"))],
    ids=["none", "server"],
)
def test_a_missing_extra_is_named_in_one_line(
    commands: dict[str, str], missing: tuple[str, ...], tmp_path: Path
) -> None:
    found = run_without(missing, commands, tmp_path)
    for (words, extra), (code, stdout, stderr) in zip(commands.items(), found, strict=True):
        assert (code, stdout) == (2, ""), words
        assert stderr.strip().splitlines()[-1].endswith(f"install escadaria[{extra}])"), words
        assert "Traceback" not in stderr


def test_the_core_plays_analyses_and_simulates_without_extras(tmp_path: Path) -> None:
    commands = [
        "play rapido --seat bot:simple --seat bot:regular --fast --record match.txt",
        "replay match.txt --all",
        "verify match.txt",
        "analyse match.txt --html match.html",
        "hint rapido 'turn=0 phase=decide value=62 steps=3,5 tower=4:1:51'",
        "strategy chain",
        "simulate chain --games 4",
        "serve --help",
    ]
    for words, (code, _, stderr) in zip(commands, run_without(MISSING, commands, tmp_path), strict=True):
        assert code == 0, (words, stderr)


def test_the_core_has_few_dependencies() -> None:
    """A new dependency of the core is a decision: most people use the library without a server."""
    names = {re.split(r"\W", requirement, maxsplit=1)[0] for requirement in PROJECT["dependencies"]}
    assert names == {"babel", "msgspec", "numpy", "rich", "typer"}


def test_the_list_of_the_server_s_packages_is_complete() -> None:
    def names(extra: str) -> set[str]:
        requirements = PROJECT["optional-dependencies"][extra]
        return {re.split(r"[^\w-]", one, maxsplit=1)[0].replace("-", "_") for one in requirements}

    assert names("server") == set(SERVER)
    assert names("lab") == set(LAB)


def test_a_command_that_is_slow_without_the_extra_warns(tmp_path: Path) -> None:
    bots = "--bot simple --bot random --games 20 --json"
    commands = [f"simulate rapido {bots}", f"arena rapido {bots} --folder ."]
    for code, stdout, stderr in run_without(MISSING, commands, tmp_path):
        assert code == 0 and stdout.startswith("{")
        assert stderr.strip().endswith("games are played slowly: install escadaria[lab])")
        assert len(stderr.strip().splitlines()) == 1


def test_the_program_itself_ends_with_the_line(tmp_path: Path) -> None:
    script = "sys.argv[1:] = ['solve', 'rapido', '--finish', '5']; from escadaria.cli import main; main()"
    result = python(script, tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.endswith("install escadaria[lab])\n") and result.stderr.count("\n") == 1


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
        ("analyse game.txt --json", ""),
        ("play rapido", ""),
        ("serve --open", "lab server"),
        ("", "lab server"),
        ("print rapido --out out.pdf", "server"),
        ("admin check", "server"),
    ],
)
def test_run_installs_the_dependencies_of_the_command(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, words: str, need: str
) -> None:
    prepared: list[set[str]] = []
    monkeypatch.setattr(run, "prepare", prepared.append)
    monkeypatch.setattr(run, "become", lambda command: 0)
    assert run.main(words.split()) == 0
    assert prepared == [set(need.split())]


def test_run_adds_to_the_environment_what_it_lacks(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is installed twice, nothing is removed, and only a server builds the web client."""
    called: list[tuple[str, ...]] = []
    venv = tmp_path / "venv"

    def run_uv(uv: str, *words: str) -> None:
        called.append(words)
        if words[0] == "venv":
            venv.mkdir()
            (venv / "python").touch()

    monkeypatch.delenv("ESCADARIA_SKIP_WEB", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(run, "VENV", venv)
    monkeypatch.setattr(run, "PYTHON", venv / "python")
    monkeypatch.setattr(run, "STAMP", venv / "ready")
    monkeypatch.setattr(run, "find_uv", lambda: "uv")
    monkeypatch.setattr(run, "run_uv", run_uv)
    monkeypatch.setattr(run.hatch_build, "is_fresh", lambda root: False)

    def installed(needs: set[str]) -> list[tuple[str, ...]]:
        called.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("ESCADARIA_SKIP_WEB", raising=False)
            run.prepare(needs)
        return [words[words.index("-e") + 1 :] for words in called if "-e" in words]

    assert installed(set()) == [(".",)]
    assert installed(set()) == []
    assert installed({"lab"}) == [(".[lab]",)]
    assert installed({"server"}) == [(".[lab,server]", "--reinstall-package", "escadaria")]
    monkeypatch.setattr(run.hatch_build, "is_fresh", lambda root: True)
    assert installed({"lab"}) == installed({"server"}) == []
    everything = f".[{','.join(sorted(PROJECT['optional-dependencies']))}]"
    assert installed(run.DEV | {"bench"}) == [(everything, "--group", "bench", "--group", "dev")]


@pytest.mark.parametrize(
    "words, said",
    [
        ("import escadaria.compute.batch", "compiled games need numba: install escadaria[lab]"),
        ("import escadaria; escadaria.solve", "compiled games need numba: install escadaria[lab]"),
        ("import escadaria.client", "the client needs httpx: install escadaria[server]"),
    ],
)
def test_the_library_names_the_extra_too(words: str, said: str, tmp_path: Path) -> None:
    last = python(words, tmp_path).stderr.strip().splitlines()[-1]
    assert last == f"ModuleNotFoundError: {said}"


def test_the_command_line_loads_no_package_of_an_extra() -> None:
    script = f"import sys, escadaria.cli; print(*{set(MISSING)} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
