"""The distribution of tests to workers, the times of each folder, and shared fixtures."""

from __future__ import annotations

import contextlib
import os
import re
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's threads wait for each other on busy cores

settings.register_profile(
    "fixed", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fixed")  # the same examples each time, on machines of any speed

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"

FIRST = (
    "tests/system/browser/", "tests/system/", "tests/learning/", "tests/compute/", "tests/adapters/",
    "tests/bus/", "tests/store/", "tests/server/", "tests/project/", "tests/web/", "docs/",
)  # fmt: skip
"""What runs first, so that no worker begins a long file when the others are done."""


class LongFilesFirst(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Distributes tests by file, because the tests of a file share fixtures."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0]

    def _assign_work_unit(self, node: Any) -> None:
        self.workqueue.move_to_end(min(self.workqueue, key=rank), last=False)
        super()._assign_work_unit(node)


def rank(file: str) -> int:
    """Which files run first; of equal ones xdist takes that with the most tests."""
    return next((place for place, folder in enumerate(FIRST) if file.startswith(folder)), len(FIRST))


@pytest.hookimpl(optionalhook=True)  # the mutation check runs pytest without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LongFilesFirst:
    return LongFilesFirst(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shares", action="store_true", help="fail if a folder passes twice its share of CPU time"
    )


class CpuTime:
    """In each worker: the CPU time of each file, with all the processes that its tests started."""

    def __init__(self) -> None:
        self.spent = cpu_seconds()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
        try:
            return (yield)
        finally:
            if nextitem is None or nextitem.path != item.path:
                before, self.spent = self.spent, cpu_seconds()
                item.user_properties.append(("cpu", max(0.0, self.spent - before)))


def cpu_seconds() -> float:
    """The CPU time of this process and of all that it has started."""
    own, found = psutil.Process(), 0.0
    for process in [own, *own.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):  # it has ended
            found += sum(process.cpu_times()[:4])
    return found


class Folders:
    """In the main process: prints the time of each folder, and compares it with its share."""

    def __init__(self, compares: bool) -> None:
        self.compares = compares
        self.wall: defaultdict[str, float] = defaultdict(float)
        self.cpu: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = report.nodeid.partition("::")[0].rpartition("/")[0]
        self.wall[folder] += report.duration
        if report.when == "teardown":
            self.cpu[folder] += sum(
                float(str(value)) for name, value in report.user_properties if name == "cpu"
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        yield
        if self.compares and self.too_much() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section("time by folder: seconds, and seconds of CPU time", "=")
        for folder in sorted(self.wall, key=self.cpu.__getitem__, reverse=True):
            terminalreporter.write_line(f"{self.wall[folder]:8.1f} {self.cpu[folder]:8.1f}  {folder or '.'}")
        for line in self.too_much() if self.compares else ():
            terminalreporter.write_line(f"FAILED: {line}", red=True)

    def too_much(self) -> list[str]:
        """The folders that take over twice as long beside the others as in CONTRIBUTING.md."""
        total, shares = sum(self.cpu.values()), dict(shares_of(CONTRIBUTING.read_text("utf-8")))
        found = []
        for folder, cpu in self.cpu.items():
            share = shares.get(folder, 0.0)
            least = max(share, 0.05)  # a small folder may grow
            if cpu * (1 - least) > 2 * least * (total - cpu):
                found.append(f"{folder} took {cpu / total:.0%} of the CPU time instead of {share:.0%}")
        return found


def shares_of(page: str) -> Iterator[tuple[str, float]]:
    """The shares in the table that ``tools/test_times.py`` writes."""
    for folder, percent in re.findall(r"^\| `([\w/]+)` .*\| +([\d.]+) % \|$", page, re.MULTILINE):
        yield folder, float(percent) / 100


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        config.pluginmanager.register(CpuTime())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Folders(config.getoption("--shares")))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def no_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests must not depend on the user's cache folder."""
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))
