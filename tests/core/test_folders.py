"""The user's folders, where each system keeps them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from escadaria.folders import cache_folder, data_folder

XDG = {"XDG_DATA_HOME": "/moved/data", "XDG_CACHE_HOME": "/moved/cache"}


@pytest.mark.parametrize(
    "platform, variables, data, cache",
    [
        ("linux", {}, ".local/share/escadaria", ".cache/escadaria"),
        ("darwin", {}, "Library/Application Support/escadaria", "Library/Caches/escadaria"),
        ("win32", {}, "AppData/Local/escadaria", "AppData/Local/escadaria/Cache"),
        ("linux", XDG, "/moved/data/escadaria", "/moved/cache/escadaria"),
        ("darwin", XDG, "/moved/data/escadaria", "/moved/cache/escadaria"),
        # A relative path in a variable is ignored.
        ("linux", {"XDG_DATA_HOME": "here"}, ".local/share/escadaria", ".cache/escadaria"),
        ("win32", {"LOCALAPPDATA": "/moved"}, "/moved/escadaria", "/moved/escadaria/Cache"),
    ],
)
def test_each_system_has_its_folders_and_variables_move_them(
    platform: str,
    variables: dict[str, str],
    data: str,
    cache: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"HOME": str(tmp_path)} | variables).items():
        monkeypatch.setenv(name, value)
    assert (data_folder(), cache_folder()) == (tmp_path / data, tmp_path / cache)
