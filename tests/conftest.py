"""Shared fixtures, and the distribution of tests to workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

BROWSER = "tests/browser/"


class OneBrowser(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Distributes tests by file, because the tests of a file share fixtures.

    All browser tests go to one worker: one Chromium is enough.
    """

    def _split_scope(self, nodeid: str) -> str:
        return BROWSER if nodeid.startswith(BROWSER) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)  # the mutation check runs pytest without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneBrowser:
    return OneBrowser(config, log)


@pytest.fixture
def no_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests must not depend on the user's cache folder."""
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))
