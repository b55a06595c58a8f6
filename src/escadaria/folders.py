"""The user's folders for data and caches, where each system keeps them; and files that they name."""

from __future__ import annotations

import os
import sys
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


def _folder(variable: str, linux: str, mac: str, windows: str) -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(base, "escadaria", windows)
    set_by_user = os.environ.get(variable, "").strip()
    if Path(set_by_user).is_absolute():  # others are invalid
        return Path(set_by_user, "escadaria")
    return Path(mac if sys.platform == "darwin" else linux, "escadaria").expanduser()
