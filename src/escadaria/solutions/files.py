"""Solutions and checkpoints on disk: a line of JSON that says what they are, and arrays to map.

A file names itself in its first line and carries the checksum of all that follows in its second.
Summing up a gigabyte takes a second, so a file that was found whole is remembered by its size and
time of change, and looked through again only when one of them differs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from io import BufferedRandom, BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from escadaria.game import GameError

MAGIC = b"escadaria solution 1\n"
PAGE = 4096  # arrays start on whole pages
SUM = 64  # characters of a checksum


class BadSolution(GameError):
    """A file that is damaged, or no solution at all."""

    code = "bad_solution"


def folder() -> Path:
    """Where solutions are kept: ESCADARIA_CACHE, or the user's folder for such files."""
    set_by_user = os.environ.get("ESCADARIA_CACHE")
    return Path(set_by_user) if set_by_user else user_cache_path("escadaria", appauthor=False) / "solutions"


def write(path: Path, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write all of it or nothing: whatever was there stays until the new file is whole."""
    kinds = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w+b") as file:
            file.write(MAGIC + b"-" * SUM + b"\n")
            file.write(json.dumps({"about": dict(about), "arrays": kinds}).encode() + b"\n")
            for array in arrays.values():
                file.write(b"\0" * (-file.tell() % PAGE))
                file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            file.flush()
            checksum = _checksum(file)
            file.seek(len(MAGIC))
            file.write(checksum)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    _remember(path)


def read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a file says of itself, and its arrays, mapped into memory.

    :raises FileNotFoundError: if there is none.
    :raises BadSolution: if a single bit of it is not as it was written.
    """
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise BadSolution(f"{path} is no solution of this version")
        claimed = file.read(SUM)
        if not _is_remembered(path) and _checksum(file) != claimed:
            raise BadSolution(f"{path} is damaged: its checksum is not that of its contents")
        file.seek(len(MAGIC) + SUM + 1)
        said = json.loads(file.readline())
        offset = file.tell()
    arrays = {}
    for name, (kind, shape) in said["arrays"].items():
        offset += -offset % PAGE
        arrays[name] = np.memmap(path, np.dtype(kind), "r", offset, tuple(shape))
        offset += arrays[name].nbytes
    _remember(path)
    return said["about"], dict(arrays)


def _checksum(file: BufferedReader | BufferedRandom) -> bytes:
    """Of all that stands behind the place for it."""
    file.seek(len(MAGIC) + SUM)
    return hashlib.file_digest(file, "sha256").hexdigest().encode()


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".whole")


def _looks(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def _remember(path: Path) -> None:
    with contextlib.suppress(OSError):  # in a read-only folder the file is checked each time
        _note(path).write_text(_looks(path), encoding="ascii")


def _is_remembered(path: Path) -> bool:
    try:
        return _note(path).read_text("ascii") == _looks(path)
    except (OSError, ValueError):
        return False
