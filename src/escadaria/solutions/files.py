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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from escadaria.game import GameError

MAGIC = b"escadaria solution 1\n"
PAGE = 4096  # arrays start on whole pages
CHUNK = 2**24


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
    head = json.dumps({"about": dict(about), "arrays": kinds}).encode() + b"\n"
    checksum = hashlib.sha256(head)
    for array in arrays.values():
        for chunk in _chunks(array):
            checksum.update(chunk)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            file.write(MAGIC + checksum.hexdigest().encode() + b"\n" + head)
            for array in arrays.values():
                file.write(b"\0" * (-file.tell() % PAGE))
                for chunk in _chunks(array):
                    file.write(chunk)
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
        if file.readline(len(MAGIC)) != MAGIC:
            raise BadSolution(f"{path} is no solution of this version")
        claimed, head = file.readline(100).strip().decode("ascii", "replace"), file.readline(2**20)
        end = file.tell()
    try:
        said = json.loads(head)
        arrays: dict[str, np.ndarray] = {}
        offset = end
        for name, (kind, shape) in said["arrays"].items():
            offset += -offset % PAGE
            arrays[name] = np.memmap(path, np.dtype(kind), "r", offset, tuple(shape))
            offset += arrays[name].nbytes
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise BadSolution(f"{path} is damaged: {error}") from None
    if not _is_remembered(path):
        checksum = hashlib.sha256(head)
        for array in arrays.values():
            for chunk in _chunks(array):
                checksum.update(chunk)
        if checksum.hexdigest() != claimed:
            raise BadSolution(f"{path} is damaged: its checksum is not that of its contents")
        _remember(path)
    return said["about"], arrays


def _chunks(array: np.ndarray) -> Iterator[memoryview]:
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
    for start in range(0, len(flat), CHUNK):
        yield flat[start : start + CHUNK]


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".whole")


def _looks(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def _remember(path: Path) -> None:
    with contextlib.suppress(OSError):  # in somebody else's folder the file is looked through each time
        _note(path).write_text(_looks(path), encoding="ascii")


def _is_remembered(path: Path) -> bool:
    try:
        return _note(path).read_text("ascii") == _looks(path)
    except (OSError, ValueError):
        return False
