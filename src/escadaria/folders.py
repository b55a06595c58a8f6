"""The user's folders for data and caches, where each system keeps them; and files that they name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path


def data_folder() -> Path:
    """The folder for saved matches and databases; XDG_DATA_HOME moves it."""
    return _folder("XDG_DATA_HOME", "~/.local/share", "~/Library/Application Support", "")


def cache_folder() -> Path:
    """The folder for what can be computed again; XDG_CACHE_HOME moves it."""
    return _folder("XDG_CACHE_HOME", "~/.cache", "~/Library/Caches", "Cache")


def check_writable(path: Path) -> None:
    """Check that a file can be written, before the work for it starts. :raises OSError: if it cannot."""
    is_new = not path.exists()
    path.open("ab").close()
    if is_new:
        path.unlink()


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[BufferedRandom]:
    """A file that replaces another one atomically: at any moment either the old or the new one is on disk."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    if hasattr(os, "O_DIRECTORY"):  # the new name must be on disk too; Windows does this itself
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _folder(variable: str, linux: str, mac: str, windows: str) -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(base, "escadaria", windows)
    set_by_user = os.environ.get(variable, "").strip()
    if Path(set_by_user).is_absolute():  # others are invalid
        return Path(set_by_user, "escadaria")
    return Path(mac if sys.platform == "darwin" else linux, "escadaria").expanduser()
