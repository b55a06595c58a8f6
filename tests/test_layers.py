"""Imports point one way: from front ends to tables to records to games, never back."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import escadaria

PACKAGE = Path(escadaria.__file__).parent

MAY_IMPORT = {
    "game": set[str](),
    "boards": {"game"},
    "rapido": {"game"},
    "links": {"game"},
    "chain": {"game", "boards", "links"},
    "catalogue": {"game", "rapido", "chain"},
    "dice": {"game"},
    "i18n": {"game"},
    "bots": {"game", "rapido", "chain", "boards", "solutions", "values"},
    "record": {"game", "catalogue", "dice"},
    "table": {"game", "catalogue", "dice", "record"},
    "views": {"game", "table"},
    "teaching": {"game", "catalogue", "dice", "record", "table", "views"},
    "solutions": {"game", "boards", "rapido", "chain"},
    "values": {"game", "rapido", "chain", "boards", "solutions"},
    "strategy": {"game", "rapido", "chain"},
    "lab": {"game", "rapido", "chain", "boards", "bots", "solutions", "strategy", "values"},
    "judging": {"game", "bots", "dice", "solutions", "values"},
    "analysis": {"game", "i18n", "judging", "record"},
    "simulation": {"game", "bots", "dice", "lab"},
    "arena": {"game", "bots", "lab", "simulation"},
    "store": set[str](),
    "client": set[str](),
}
"""What a module or folder may know of the others; one that is not listed may know everything.

Nothing that is listed can come to know a module that is not: server, terminal and cli stay on top.
"""

ON_TOP = {
    "server": {"terminal", "adapters", "cli", "client"},
    "terminal": {"server", "store", "adapters", "cli", "client"},
    "adapters": {"server", "store", "cli", "client", "table"},  # they draw the terminal's pictures
}
"""What front ends must not know of each other; the command line starts them all."""

PURE = ("game", "boards", "links", "rapido", "chain", "catalogue")
"""The rules: no chance, clock or I/O of their own, and nothing to install."""


def imports(source: str, package: str = "escadaria") -> Iterator[str]:
    """The full names that a module imports, wherever in it; ``package`` is where it lies."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
            name = ".".join(filter(None, (base, node.module)))
            # "from escadaria import game" names a module, "from escadaria import load" the package.
            yield from (f"{name}.{alias.name}" if name == "escadaria" else name for alias in node.names)


def siblings(path: Path) -> set[str]:
    """Which modules and folders of the package a file imports; the package itself is its catalogue."""
    package = ".".join(("escadaria", *path.parent.relative_to(PACKAGE).parts))
    found = set()
    for name in imports(path.read_text("utf-8"), package):
        top, _, rest = name.partition(".")
        if top == "escadaria":
            module = rest.partition(".")[0]
            is_module = (PACKAGE / module).is_dir() or (PACKAGE / f"{module}.py").exists()
            found.add(module if module and is_module else "catalogue")
    return found


def files(name: str) -> list[Path]:
    """The files of a module or folder of the package; none if it is not written yet."""
    return [path for path in (PACKAGE / f"{name}.py", *(PACKAGE / name).rglob("*.py")) if path.exists()]


@pytest.mark.parametrize("name", MAY_IMPORT)
def test_imports_follow_the_arrows(name: str) -> None:
    for path in files(name):
        assert siblings(path) <= MAY_IMPORT[name] | {name}, path


@pytest.mark.parametrize("name", ON_TOP)
def test_front_ends_do_not_import_each_other(name: str) -> None:
    for path in files(name):
        assert not siblings(path) & ON_TOP[name], path


def test_the_modules_that_must_be_there_are_read() -> None:
    """A renamed module would slip through the tests above."""
    assert all(files(name) for name in PURE)
    assert siblings(PACKAGE / "chain.py") == {"game", "boards", "links"}


@pytest.mark.parametrize(
    "source, names",
    [
        ("import escadaria.table", ["escadaria.table"]),
        ("from escadaria.bots.simple import x, y", ["escadaria.bots.simple"] * 2),
        ("from escadaria import load, table", ["escadaria.load", "escadaria.table"]),
        ("from . import table", ["escadaria.table"]),
        ("from .table import x", ["escadaria.table"]),
        ("def f():\n    import escadaria.server", ["escadaria.server"]),
    ],
)
def test_every_form_of_import_is_seen(source: str, names: list[str]) -> None:
    assert list(imports(source)) == names


def test_relative_imports_are_seen_from_folders_too() -> None:
    assert list(imports("from ..table import x", "escadaria.bots")) == ["escadaria.table"]
    assert list(imports("from .search import x", "escadaria.bots")) == ["escadaria.bots.search"]


@pytest.mark.parametrize("name", PURE)
def test_the_rules_know_only_the_standard_library_and_no_chance_or_clock(name: str) -> None:
    for path in files(name):
        tops = {imported.partition(".")[0] for imported in imports(path.read_text("utf-8"))}
        assert tops <= sys.stdlib_module_names | {"escadaria"}, path
        assert not tops & {"random", "secrets", "time", "datetime", "os", "asyncio", "socket"}, path


def test_importing_the_package_loads_nothing_but_the_rules() -> None:
    """No NumPy, Babel, Rich or Typer, whatever is installed; and no module above the catalogue."""
    script = "import sys; old = set(sys.modules); import escadaria; print(*set(sys.modules) - old, sep='\\n')"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert {name.partition(".")[0] for name in loaded} <= sys.stdlib_module_names | {"escadaria"}
    assert {name for name in loaded if name.startswith("escadaria.")} == {
        f"escadaria.{name}" for name in PURE
    }
