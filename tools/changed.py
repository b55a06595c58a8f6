"""The tests that a change can break, by what imports what: `python3 run.py test --changed` runs them.

    python3 run.py tool changed            what differs from the last commit, or the last commit itself
    python3 run.py tool changed --since main~5

A test that starts a program depends on more than it imports: before a change lands, all tests run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
WITH = {
    "web": ("tests/web", "tests/system/browser"),
    "docs": ("tests/project", "tests/core", "docs/how-to", "docs/reference"),
    "deploy": ("tests/project",),
    "README.md": ("README.md", "tests/project", "tests/rules"),
    "CONTRIBUTING.md": ("tests/project", "tests/rules"),
    "pyproject.toml": ("tests",),
    "constraints.txt": ("tests",),
}
"""By folder or file that is not Python: the tests to run."""


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--since", help="a commit; without it, what is not committed, or the last commit")
    since = parser.parse_args(words).since
    files = [*lines("git", "ls-files", "--others", "--exclude-standard")]
    files += lines("git", "diff", "--name-only", since or "HEAD")
    files = files or [*lines("git", "diff", "--name-only", "HEAD~1")]
    print("\n".join(sorted(set(tests_of(files)))))


def lines(*command: str) -> list[str]:
    return subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()


def tests_of(files: Iterable[str]) -> Iterator[str]:
    """The files and folders of tests that depend on these files."""
    known = ("analyze", "graph", "--direction", "dependents", "--detect-string-imports", "--quiet", ".")
    graph: dict[str, list[str]] = json.loads("".join(lines(sys.executable, "-m", "ruff", *known)))
    for name in {
        file for path in files for file in with_dependents(sources(PurePosixPath(path), graph), graph)
    }:
        path = PurePosixPath(name)
        if path.parts[0] in WITH and path.suffix != ".py":
            yield from WITH[path.parts[0]]
        elif path.name == "conftest.py":
            yield str(path.parent)
        elif path.name.startswith("test_") and is_by_day(path) and (ROOT / path).is_file():
            yield name


def is_by_day(path: PurePosixPath) -> bool:
    return "tests" in path.parts and "night" not in path.parts


def sources(path: PurePosixPath, graph: dict[str, list[str]]) -> list[str]:
    """The file itself if it is Python or has a folder of tests; else the modules nearest to these data."""
    if path.suffix == ".py" or path.parts[0] in WITH:
        return [str(path)]
    for folder in path.parents[:-1]:
        if found := [name for name in graph if PurePosixPath(name).parent == folder]:
            return found
    return []


def with_dependents(files: list[str], graph: dict[str, list[str]]) -> set[str]:
    found, waiting = set(files), list(files)
    while waiting:
        waiting += (new := set(graph.get(waiting.pop(), ())) - found)
        found |= new
    return found


if __name__ == "__main__":
    main()
