"""Without an extra, every command names it in one line; `run.py` installs it automatically."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest

from tables import rows

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def packages(*extras: str) -> set[str]:
    """The packages that these extras install, as they are imported."""
    requirements = [one for extra in extras for one in PROJECT["optional-dependencies"][extra]]
    names = {re.split(r"[^\w-]", one, maxsplit=1)[0].replace("-", "_") for one in requirements}
    return names - {"escadaria"}


MISSING = {
    "every": packages("server", "lab", "postgres", "redis"),
    "databases": packages("postgres", "redis"),
}


COMMANDS = """
import json, sys
from typer.testing import CliRunner
from escadaria.cli import app
for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, words)
    print(json.dumps([done.exit_code, done.stdout, done.stderr]))
"""


def python(missing: Iterable[str], script: str, *given: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process without some modules."""
    script = f"import sys; sys.modules.update(dict.fromkeys({[*missing]}))\n{script}"
    return subprocess.run([sys.executable, "-c", script, *given], capture_output=True, text=True)


@pytest.mark.parametrize("missing", MISSING)
def test_the_core_works_without_extras_and_a_missing_one_is_named_in_one_line(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = rows(Path(__file__).with_name("extras.cases"))
    cases = [case for which, *case in table if which == missing]
    done = python(MISSING[missing], COMMANDS, json.dumps([shlex.split(words) for words, _, _ in cases]))
    assert done.returncode == 0, done.stderr
    for (words, code, said), printed in zip(cases, done.stdout.splitlines(), strict=True):
        found, stdout, stderr = json.loads(printed)
        assert (found, bool(stdout)) == (int(code), code == "0"), (words, stderr)
        lines = stderr.strip().splitlines() or ["nothing"]
        assert lines[-1].endswith(said) and "Traceback" not in stderr, words
        assert len(lines) == 1 or code == "2", words
        assert "--json" not in words or stdout.startswith("{")


def test_the_core_has_few_dependencies() -> None:
    """A new dependency of the core is a decision: most people use the library without a server."""
    names = {re.split(r"\W", requirement, maxsplit=1)[0] for requirement in PROJECT["dependencies"]}
    assert names == {"babel", "msgspec", "numpy", "rich", "typer"}


def test_the_library_and_the_program_itself_name_the_extra_too() -> None:
    """A program ends with this line."""
    imports = {
        "import escadaria.compute.batch": "compiled games need numba: install escadaria[lab]",
        "import escadaria; escadaria.solve": "compiled games need numba: install escadaria[lab]",
        "import escadaria.client": "the client needs httpx: install escadaria[server]",
    }
    tries = [f"try: {words}\nexcept ModuleNotFoundError as error: print(error)\n" for words in imports]
    program = "sys.argv[1:] = ['solve', 'rapido', '--finish', '5']\nfrom escadaria.cli import main; main()"
    done = python(MISSING["every"], "".join(tries) + program)
    assert (done.returncode, done.stdout.splitlines()) == (2, [*imports.values()])
    assert done.stderr.endswith("install escadaria[lab])\n") and done.stderr.count("\n") == 1


def test_the_command_line_loads_no_package_of_an_extra() -> None:
    done = python((), f"import escadaria.cli; print(*{MISSING['every']} & set(sys.modules))")
    assert (done.returncode, done.stdout.split()) == (0, [])


# run.py

NEEDS = {
    "": ["analyse game.txt --json", "play rapido"],
    "lab": [
        *("solve rapido --finish 8", "simulate chain", "arena rapido"),
        *("analyse game.txt --plot out.svg", "analyse game.txt --plot=out.svg"),
    ],
    "server": ["print rapido --out out.pdf", "admin check"],
    "lab server": ["serve --open", ""],
}


@pytest.fixture(scope="module")
def run() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run", ROOT / "run.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))  # run.py imports hatch_build from beside it
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("need, words", [(need, words) for need, some in NEEDS.items() for words in some])
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
