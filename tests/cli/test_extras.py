"""Without an extra, every command names it in one line; `run.py` installs it automatically."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

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


def escadaria(
    *words: str, folder: Path, missing: Iterable[str] = MISSING
) -> subprocess.CompletedProcess[str]:
    """Run the command in an environment without extras, or without some modules."""
    script = f"import sys; sys.modules.update(dict.fromkeys({tuple(missing)}));"
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
        (["serve", "--port", "0"], "server"),
        (["print", "rapido", "--out", "rapido.pdf"], "server"),
        (["admin", "check", "--database", "x.sqlite3"], "server"),
    ],
)
def test_a_missing_extra_is_named_in_one_line(words: list[str], extra: str, tmp_path: Path) -> None:
    check_refusal(escadaria(*words, folder=tmp_path), extra)


@pytest.mark.parametrize(
    "words, extra",
    [
        (["--database", "postgresql://nobody@127.0.0.1:1/nothing"], "postgres"),
        (["--database", "x.sqlite3", "--redis", "redis://127.0.0.1:1"], "redis"),
    ],
)
def test_a_server_without_the_extra_of_its_database_or_bus_names_it(
    words: list[str], extra: str, tmp_path: Path
) -> None:
    missing = ("psycopg", "redis")
    check_refusal(escadaria("serve", "--port", "0", *words, folder=tmp_path, missing=missing), extra)


def check_refusal(result: subprocess.CompletedProcess[str], extra: str) -> None:
    last = result.stderr.strip().splitlines()[-1]
    assert (result.returncode, result.stdout) == (2, "")
    assert last.endswith(f"install escadaria[{extra}])")
    assert "Traceback" not in result.stderr


def test_the_core_plays_analyses_and_simulates_without_extras(tmp_path: Path) -> None:
    bots = ["--seat", "bot:simple", "--seat", "bot:regular", "--fast"]
    commands = [
        ["play", "rapido", *bots, "--record", "match.txt"],
        ["replay", "match.txt", "--all"],
        ["verify", "match.txt"],
        ["analyse", "match.txt", "--html", "match.html"],
        ["hint", "rapido", "turn=0 phase=decide value=62 steps=3,5 tower=4:1:51"],
        ["strategy", "chain"],
        ["simulate", "chain", "--games", "4"],
        ["serve", "--help"],
    ]
    script = f"import sys; sys.modules.update(dict.fromkeys({MISSING}))\n"
    script += "from typer.testing import CliRunner; from escadaria.cli import app\n"
    script += (
        f"print(*[CliRunner().invoke(app, words, catch_exceptions=False).exit_code for words in {commands}])"
    )
    result = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert result.stdout.split() == ["0"] * len(commands), result.stderr


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
def test_the_library_names_the_extra_too(words: str, said: str) -> None:
    script = f"import sys; sys.modules.update(dict.fromkeys({MISSING})); {words}"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    last = result.stderr.strip().splitlines()[-1]
    assert last == f"ModuleNotFoundError: {said}"


def test_the_command_line_loads_no_package_of_an_extra() -> None:
    script = f"import sys, escadaria.cli; print(*{set(MISSING)} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
