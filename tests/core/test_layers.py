"""Imports point one way: from front ends to matches to records to games, never back."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import escadaria

PACKAGE = Path(escadaria.__file__).parent

MAY_IMPORT = {
    "game": set[str](),
    "kit": {"game"},
    "games.rules": {"game", "kit"},
    "catalogue": {"game", "kit", "games.rules"},
    "dice": {"game"},
    "i18n": {"game", "catalogue"},
    "evaluator_network": set[str](),
    "folders": set[str](),
    "strategy": {"game", "catalogue", "kit"},
    "solutions": {"game", "kit", "catalogue", "folders"},
    "bots": {"game", "kit", "catalogue", "dice", "solutions"},
    "games.parts": {"game", "games.rules", "bots", "evaluator_network", "solutions", "strategy"},
    "adapters.rewards": {"game", "catalogue", "coach"},
    "compute": {"game", "adapters.rewards", "catalogue", "evaluator_network", "solutions"},
    "games.compiled": {
        "game",
        "games.rules",
        "games.parts",
        "bots",
        "compute",
        "evaluator_network",
        "solutions",
    },
    "record": {"game", "dice", "record_reader"},
    "record_reader": {"game", "catalogue", "record"},  # a part of it
    "refusals": {"game"},
    "play": {"game", "catalogue", "dice", "record", "refusals"},
    "views": {"game", "catalogue", "play"},
    "events": {"play", "refusals"},
    "wire": {"events", "game", "play", "record", "refusals", "views"},
    "bodies": {"events", "game", "views", "wire"},
    "teaching": {"game", "catalogue", "dice", "play", "record", "views"},
    "coach": {"game", "catalogue", "kit", "bots", "i18n", "record", "solutions"},
    "games.shown": {"game", "games.rules", "adapters", "coach", "teaching", "terminal"},
    "arena": {"game", "catalogue", "kit", "bots", "dice", "folders", "solutions", "compute"},
    "store": set[str](),
    "bus": {"store"},
    "settings": set[str](),
    "match": {
        "bodies",
        "events",
        "game",
        "catalogue",
        "bots",
        "dice",
        "play",
        "record",
        "refusals",
        "settings",
        "store",
        "bus",
        "views",
        "wire",
    },
    "client": {"refusals"},
}
"""The layers that a module or folder may import; one that is not listed may import everything.

``games`` has four layers: the rules, the parts that play, the compiled code, and the parts of front ends.
Only the last may import a module that is not listed: server, terminal and cli stay on top.
"""

TO_NOTEBOOKS = r"(def _repr_\w+_\(self\) -> str:\n +\"\"\".*\"\"\"\n) +from escadaria import notebook\n"
"""The one import that points up: what a notebook shows of a game, a record or results, it asks for itself."""

ON_TOP = {
    "server": {"terminal", "adapters", "cli", "client"},
    "terminal": {"server", "store", "adapters", "cli", "client", "reports"},
    "reports": {"server", "store", "adapters", "cli", "client"},
    "adapters": {"server", "store", "cli", "client", "play"},  # they draw the terminal's pictures
    "notebook": {"server", "store", "cli", "client"},
}
"""Front ends, which must not import each other; the command line imports all of them."""

PURE = ("game", "kit", "games.rules", "catalogue")
"""The layers of the rules: without random numbers, clocks, I/O or dependencies."""

RULES = {"__init__", "kit", "rules", "positions", "facts", "links", "boards"}
"""The modules of a game's folder that are its rules, and its kit."""

SHOWN = {"picture", "spiral", "drawing", "observation", "explanations"}
"""The modules of a game's folder that front ends use."""


@cache
def tree(source: str) -> ast.Module:
    return ast.parse(source)


def imports(source: str, package: str = "escadaria") -> Iterator[str]:
    """The full names that a module imports, also inside functions; ``package`` is its package."""
    for node in ast.walk(tree(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "import_module":
            yield from (str(arg.value) for arg in node.args if isinstance(arg, ast.Constant))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
            name = ".".join(filter(None, (base, node.module)))
            # "from escadaria import game" names a module, "from escadaria import load" the package.
            yield from (f"{name}.{alias.name}" if name == "escadaria" else name for alias in node.names)


def layer(module: str) -> str:
    """The layer of a module of the package, which is named without the package's own name."""
    top, *rest = module.split(".")
    if module in MAY_IMPORT:
        return module
    if top == "games":
        if "compiled" in rest:
            return "games.compiled"
        if len(rest) < 2 or rest[1] in RULES:
            return "games.rules"
        return "games.shown" if rest[1] in SHOWN else "games.parts"
    is_module = (PACKAGE / top).is_dir() or (PACKAGE / f"{top}.py").exists()
    return top if top and is_module else "catalogue"  # what the package itself offers


def siblings(path: Path) -> set[str]:
    """Which layers of the package a file imports."""
    package = ".".join(("escadaria", *path.parent.relative_to(PACKAGE).parts))
    found = set()
    source = re.sub(TO_NOTEBOOKS, r"\1", path.read_text("utf-8"))
    if module_of(path) == "kit":  # its protocols name types of all layers
        source = re.sub(r"^if TYPE_CHECKING:.*\n(    .*\n)+", "", source, flags=re.M)
    for name in imports(source, package):
        top, _, rest = name.partition(".")
        if top == "escadaria":
            found.add(layer(rest))
    return found


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def files(name: str) -> list[Path]:
    """The files of a layer; none if it is not written yet."""
    top = name.partition(".")[0]
    found = [path for path in (PACKAGE / f"{top}.py", *(PACKAGE / top).rglob("*.py")) if path.exists()]
    return [path for path in found if layer(module_of(path)) == name]


@pytest.mark.parametrize("name", MAY_IMPORT)
def test_imports_follow_the_arrows(name: str) -> None:
    assert files(name), "a renamed module would be skipped"
    for path in files(name):
        assert siblings(path) <= MAY_IMPORT[name] | {name}, path


@pytest.mark.parametrize("name", ON_TOP)
def test_front_ends_do_not_import_each_other(name: str) -> None:
    for path in files(name):
        assert not siblings(path) & ON_TOP[name], path


GAME_NAMES = {"rapido", "chain", "Rapido", "Chain"}


def named_games(source: str) -> Iterator[str]:
    """Where a source names a game in a string, an import or a name; docstrings are ignored."""
    for node in ast.walk(tree(source)):
        if isinstance(node, ast.Constant) and node.value in GAME_NAMES:
            yield f"line {node.lineno}: {node.value!r}"
        elif isinstance(node, ast.alias) and node.name in GAME_NAMES:
            yield f"line {node.lineno}: imports {node.name}"
        elif isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in GAME_NAMES:
                yield f"line {node.lineno}: {name}"
    for name in imports(source):
        if re.match(r"escadaria\.games\.\w+\.|escadaria\.games\.(rapido|chain)$", name):
            yield f"imports {name}"


def test_outside_its_folder_no_module_names_a_game() -> None:
    """A third game works like the first two; only texts, documentation and tests name games.

    The package itself names them to type ``load``.
    """
    for path in PACKAGE.rglob("*.py"):
        if path != PACKAGE / "__init__.py" and path.relative_to(PACKAGE).parts[0] != "games":
            assert not list(named_games(path.read_text("utf-8"))), path


NAMING = """\
x = {'rapido': 1}
if game.name == 'chain': pass
isinstance(game, Rapido)
isinstance(game, rules.Chain)
from escadaria.games.rapido import rules
from escadaria.games.chain.rules import State
from escadaria.games import chain
import escadaria.games.rapido.rules
"""


@pytest.mark.parametrize("source", NAMING.splitlines())
def test_every_way_of_naming_a_game_is_seen_but_in_docstrings(source: str) -> None:
    assert list(named_games(source))
    assert not list(named_games(f'"""As in {source}."""'))


def test_no_game_imports_another() -> None:
    folders = [path for path in (PACKAGE / "games").iterdir() if (path / "rules.py").exists()]
    assert len(folders) >= 2
    assert siblings(PACKAGE / "games" / "chain" / "rules.py") == {"game", "games.rules"}
    for folder in folders:
        for path in folder.rglob("*.py"):
            for name in imports(path.read_text("utf-8")):
                if name.startswith("escadaria.games."):
                    assert name.split(".")[2] == folder.name, path


BESIDE_PARTS = {
    "kit": "a kit lists what its game has, by the class and the protocols of kit.py",
    "observation": "adapters/observation.py makes arrays of the part, or of the position if there is none",
    "benchmark": "arena/benchmark.py measures bots by the part",
}
"""Modules with the file name of a part of the games, and the reason."""


def test_no_two_modules_share_a_file_name() -> None:
    """But the same part of two games, and a part and its compiled twin."""
    places: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        if path.name != "__init__.py":
            folder = path.parent.relative_to(PACKAGE).as_posix()
            places.setdefault(path.stem, set()).add(re.sub(r"^games/\w+(/compiled)?$", "games/*", folder))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert shared.keys() == BESIDE_PARTS.keys()
    assert all(len(found) == 2 and "games/*" in found for found in shared.values()), shared


def test_numba_is_imported_only_where_code_is_compiled() -> None:
    users = {
        layer(module_of(path))
        for path in PACKAGE.rglob("*.py")
        if any(name.partition(".")[0] in ("numba", "llvmlite") for name in imports(path.read_text("utf-8")))
    }
    assert users == {"compute", "games.compiled"}


@pytest.mark.parametrize(
    "source, names",
    [
        ("import escadaria.play", ["escadaria.play"]),
        ("from escadaria.bots.simple import x, y", ["escadaria.bots.simple"] * 2),
        ("from escadaria import load, play", ["escadaria.load", "escadaria.play"]),
        ("from .search import x", ["escadaria.bots.search"]),
        ("from ..play import x", ["escadaria.play"]),
        ("def f():\n    import escadaria.server", ["escadaria.server"]),
        ("import_module('escadaria.server')", ["escadaria.server"]),
    ],
)
def test_every_form_of_import_is_seen(source: str, names: list[str]) -> None:
    assert list(imports(source, "escadaria.bots")) == names


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
    assert {
        layer(name.removeprefix("escadaria.")) for name in loaded if name.startswith("escadaria.")
    } == set(PURE)
