"""Shared fixtures, and the distribution of tests to workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

BROWSER = "tests/browser/"
FIRST = (
    BROWSER,  # all on one worker
    "tests/compute/", "tests/learning/", "tests/adapters/",  # compile kernels, which others find in the cache
    "tests/faults/", "tests/worlds/", "tests/attacks/", "tests/bus/", "tests/store/", "tests/server/",
    "tests/test_deploy.py", "tests/test_package.py", "tests/test_soak.py", "tests/test_web.py", "docs/",
)  # fmt: skip
"""What runs first, so that no worker begins a long file when the others are done."""


class OneBrowser(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Distributes tests by file, because the tests of a file share fixtures.

    All browser tests go to one worker: one Chromium is enough. Meanwhile the others compile the kernels.
    """

    def _split_scope(self, nodeid: str) -> str:
        return BROWSER if nodeid.startswith(BROWSER) else nodeid.partition("::")[0]

    def _assign_work_unit(self, node: Any) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=rank), last=False)
        super()._assign_work_unit(node)


def rank(file: str) -> int:
    """Which files run first; of equal ones xdist takes that with the most tests."""
    return next((place for place, folder in enumerate(FIRST) if file.startswith(folder)), len(FIRST))


@pytest.hookimpl(optionalhook=True)  # the mutation check runs pytest without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneBrowser:
    return OneBrowser(config, log)


@pytest.fixture
def no_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests must not depend on the user's cache folder."""
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))
