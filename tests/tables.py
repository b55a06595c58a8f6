"""Tables of cases as text: one line a case, with ``|`` between its columns."""

from __future__ import annotations

from pathlib import Path


def rows(file: Path) -> list[list[str]]:
    """The columns of each line; blank lines and those that begin with ``#`` are left out."""
    lines = file.read_text("utf-8").splitlines()
    return [line.strip().split(" | ") for line in lines if line.strip() and not line.startswith("#")]
