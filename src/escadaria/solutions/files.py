"""Files of solutions and checkpoints: a header of JSON, and arrays to map into memory.

The first line is a magic number, the second the checksum of the rest. The checksum of a gigabyte takes a
second, so the size and time of a verified file are stored beside it (``.whole``), and the checksum is
computed again only if one of them differs.
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

from escadaria.folders import cache_folder, replacing
from escadaria.game import GameError

MAGIC = b"escadaria solution 1\n"
PAGE = 4096  # arrays start on whole pages
SUM = 64  # characters of a checksum


class BadSolution(GameError):
    """A file that is damaged or not a solution."""

    code = "bad_solution"


def folder() -> Path:
    """The folder of solutions: ESCADARIA_CACHE, or the user's cache folder."""
    set_by_user = os.environ.get("ESCADARIA_CACHE")
    return Path(set_by_user) if set_by_user else cache_folder() / "solutions"


def write(path: Path, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a file atomically: an old file stays until the new one is complete."""
    kinds = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(MAGIC + b"-" * SUM + b"\n")
        file.write(json.dumps({"about": dict(about), "arrays": kinds}).encode() + b"\n")
        for array in arrays.values():
            file.write(b"\0" * (-file.tell() % PAGE))
            file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        file.flush()
        checksum = _checksum(file)
        file.seek(len(MAGIC))
        file.write(checksum)
    _write_stamp(path)


def read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read the header of a file, and map its arrays into memory.

    :raises FileNotFoundError: if there is none.
    :raises BadSolution: if it is damaged or not a solution.
    """
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise BadSolution(f"{path} is not a solution of this version")
        claimed = file.read(SUM)
        if not _has_valid_stamp(path) and _checksum(file) != claimed:
            raise BadSolution(f"{path} is damaged: its checksum does not match its contents")
        file.seek(len(MAGIC) + SUM + 1)
        header = json.loads(file.readline())
        offset = file.tell()
    arrays = {}
    for name, (kind, shape) in header["arrays"].items():
        offset += -offset % PAGE
        arrays[name] = np.memmap(path, np.dtype(kind), "r", offset, tuple(shape))
        offset += arrays[name].nbytes
    _write_stamp(path)
    return header["about"], dict(arrays)


def _checksum(file: BufferedReader | BufferedRandom) -> bytes:
    """The checksum of everything after the checksum's own place."""
    file.seek(len(MAGIC) + SUM)
    return hashlib.file_digest(file, "sha256").hexdigest().encode()


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".whole")


def _stamp(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def _write_stamp(path: Path) -> None:
    with contextlib.suppress(OSError):  # in a read-only folder the checksum is computed each time
        _stamp_path(path).write_text(_stamp(path), encoding="ascii")


def _has_valid_stamp(path: Path) -> bool:
    try:
        return _stamp_path(path).read_text("ascii") == _stamp(path)
    except (OSError, ValueError):
        return False
