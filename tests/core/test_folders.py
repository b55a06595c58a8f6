"""The user's folders, where each system keeps them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from escadaria.folders import cache_folder, data_folder


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "platform, data, cache",
    [
        ("linux", ".local/share/escadaria", ".cache/escadaria"),
        ("darwin", "Library/Application Support/escadaria", "Library/Caches/escadaria"),
        ("win32", "AppData/Local/escadaria", "AppData/Local/escadaria/Cache"),
    ],
)
def test_each_system_has_its_folders(
    platform: str, data: str, cache: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert (data_folder(), cache_folder()) == (home / data, home / cache)


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_variables_of_the_xdg_specification_move_them(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert (data_folder(), cache_folder()) == (tmp_path / "data/escadaria", tmp_path / "cache/escadaria")


def test_a_relative_path_in_a_variable_is_ignored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", "somewhere")
    assert data_folder() == home / ".local/share/escadaria"


def test_on_windows_a_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert data_folder() == tmp_path / "escadaria"
