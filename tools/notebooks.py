"""Run the notebooks in ``examples/`` and store their outputs in them.

python3 run.py tool notebooks
python3 run.py tool notebooks self_play
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"


def main() -> int:
    known = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))
    parser = argparse.ArgumentParser(description="Run the notebooks and store their outputs.")
    parser.add_argument("names", nargs="*", choices=known, default=known)
    for name in parser.parse_args().names:
        print(name, file=sys.stderr, flush=True)
        book = run(name)
        for cell in book.cells:
            cell.metadata.pop("execution", None)  # times
        nbformat.write(book, EXAMPLES / f"{name}.ipynb")  # type: ignore[no-untyped-call]
    return 0


def read(name: str) -> Any:
    """The notebook as it is stored."""
    return nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]


def run(name: str, **parameters: Any) -> Any:
    """The notebook with its outputs. Parameters replace those of its cell with the tag ``parameters``."""
    book = read(name)
    for cell in book.cells:
        if "parameters" in cell.metadata.get("tags", ()) and parameters:
            missing = [key for key in parameters if not re.search(rf"\b{key}\b.* = ", cell.source)]
            assert not missing, f"{name} has no {', '.join(missing)}"
            cell.source = "\n".join(f"{key} = {value!r}" for key, value in parameters.items())
    where = {"metadata": {"path": str(EXAMPLES)}}  # so that it imports the files beside it
    NotebookClient(book, timeout=3600, kernel_name="python3", resources=where).execute()
    return book


if __name__ == "__main__":
    sys.exit(main())
