"""Servers for tests: each in a process of its own, or in the event loop of the test."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import inspect
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import parent
from escadaria.match.clock import Clock
from escadaria.server.edge.limits import KINDS
from escadaria.server.matches.hub import Hub
from escadaria.server.run import make_server
from escadaria.settings import Settings

PATIENCE = 120.0
"""The timeout of everything that should happen, in seconds; the machine may be busy."""

UNLIMITED: dict[str, Any] = {
    **{f"{kind}_per_second": 1e9 for kind in ("frames", "address_frames", *KINDS)},
    **{f"{kind}_burst": 10**9 for kind in ("frames", "address_frames", *KINDS)},
    "tables_per_address": 10**6,
}
"""Rate limits that do not apply: most tests have one address."""


class Server:
    """A server process on the loopback, with its matches in an SQLite file or where its settings say.

    It keeps its port when it restarts. Its methods wait: in an event loop call them by ``asyncio.to_thread``.

    :param limits: the rate limits.
    :param files: the limit of open files; 0 for that of the test process.
    :param patches: constants of modules that have another value in it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        limits: dict[str, Any] = UNLIMITED,
        files: int = 0,
        patches: dict[str, float] | None = None,
        **settings: Any,
    ) -> None:
        self.settings = limits | settings
        self.files = files
        self.patches = patches or {}
        self.folder = folder
        self.port: int = settings.get("port") or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database: Path | str = settings.get("database", self.folder / "matches.sqlite3")
        """A file, or the URL of PostgreSQL."""
        self.log = self.folder / f"server-{self.port}.log"
        self.cache = self.folder / "cache"
        """Where it looks for solutions."""
        self.pids: list[int] = []
        """Of all its processes, the latest last."""
        self._printed = self.folder

    @property
    def pid(self) -> int:
        return self.pids[-1]

    def start(self) -> None:
        """Start it and wait until it is ready."""
        self.spawn()
        self.ready()

    def spawn(self) -> None:
        """Start it without waiting until it is ready."""
        settings = {"log_format": "json"} | self.settings
        self._printed = self.folder / f"server-{self.port}-{len(self.pids)}.printed"
        job = {
            "settings": settings | {"port": self.port, "database": str(self.database)},
            "environment": {**os.environ, "ESCADARIA_CACHE": str(self.cache)},
            "printed": str(self._printed),
            "log": str(self.log),
            "files": self.files,
            "patches": self.patches,
        }
        pipe = _parent().stdin
        assert pipe is not None
        pipe.write(json.dumps(job).encode() + b"\n")
        pipe.flush()
        self.pids.append(int(self._wait_for("pid")))

    def ready(self) -> None:
        """Wait until it prints its address."""
        self._wait_for("url")

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Send it a signal and return its exit code."""
        os.kill(self.pid, how)
        return int(self._wait_for("code"))

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def runs(self) -> bool:
        return bool(self.pids) and not self._read("code")

    def clean_up(self) -> None:
        """Kill all remaining processes."""
        for pid in [pid for session in self.pids for pid in processes_of(session)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def ends(self) -> None:
        """Wait until none of its processes is left: helper processes of Python end a moment later."""
        wait_until(lambda: not processes_of(self.pid), "all its processes end")

    def memory(self) -> int:
        """The resident memory of the process in megabytes."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1024

    def open_files(self) -> int:
        return len([*Path(f"/proc/{self.pid}/fd").iterdir()])

    def errors(self) -> list[str]:
        """The errors in its log."""
        return [line for line in self.log.read_text(errors="replace").splitlines() if _is_error(line)]

    def _wait_for(self, key: str) -> str:
        """What the server or its parent process prints after this key."""
        wait_until(lambda: self._read(key) or self._read("code"), f"the server prints its {key}")
        code = self._read("code")
        assert self._read(key), f"the server ended with {code}:\n{self.log.read_text()[-4000:]}"
        return self._read(key)

    def _read(self, key: str) -> str:
        text = self._printed.read_text() if self._printed.is_file() else ""
        lines = [line for line in text.splitlines(keepends=True) if line.startswith(f"{key} ")]
        return lines[0].split()[1] if lines and lines[0].endswith("\n") else ""


def _is_error(line: str) -> bool:
    try:
        entry = json.loads(line)
    except ValueError:  # printed by Python itself
        return "Traceback" in line or "Error" in line
    return entry["level"] in ("error", "critical") or "error" in entry or " failed" in entry["what"]


@functools.cache
def _parent() -> subprocess.Popen[bytes]:
    """The parent process of all servers."""
    process = subprocess.Popen([sys.executable, parent.__file__], stdin=subprocess.PIPE)
    atexit.register(process.communicate)  # closes the pipe, which ends the process
    return process


AnyServer = TypeVar("AnyServer", bound=Server)


@contextlib.contextmanager
def running(server: AnyServer, errors: Sequence[str] = ()) -> Iterator[AnyServer]:
    """Start a server for a test, and stop it. It must log no errors but those with one of these texts."""
    try:
        server.start()
        yield server
        if server.runs():
            assert server.stop() in (0, -signal.SIGTERM)
    finally:
        server.clean_up()
    unexpected = [line for line in server.errors() if not any(text in line for text in errors)]
    assert not unexpected, server.log.read_text()[-8000:]


@contextlib.asynccontextmanager
async def started(server: AnyServer, errors: Sequence[str] = ()) -> AsyncIterator[AnyServer]:
    """The same without stopping the event loop."""
    with contextlib.ExitStack() as stack:
        yield await asyncio.to_thread(stack.enter_context, running(server, errors))
        await asyncio.to_thread(stack.close)


class Inside:
    """A server in the event loop of the test."""

    def __init__(self, server: Any, url: str) -> None:
        self.server = server
        self.url = url
        self.hub: Hub = server.app.state.hub


@contextlib.asynccontextmanager
async def serving(folder: Path, clock: Clock | None = None, **settings: Any) -> AsyncIterator[Inside]:
    """A server on a free port of the loopback, with its matches in the folder."""
    chosen = Settings(**{"port": 0, "database": str(folder / "matches.sqlite3"), **UNLIMITED, **settings})
    urls: list[str] = []
    server = make_server(chosen, urls.append, clock)
    task = asyncio.create_task(server.serve())
    try:
        await eventually(lambda: urls or task.done(), "it starts")
        assert urls, "the server did not start"
        yield Inside(server, urls[0])
    finally:
        server.should_exit = True
        await task


def processes_of(session: int) -> list[int]:
    """The processes of a session, from /proc; none where that is missing."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            state, _, _, its_session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(entry.name))
    return found


def free_port(number: int = 1) -> int:
    """A free port, or the first of several in a row.

    They are below the ephemeral range, so that no client gets them, and reserved while this process lives:
    each is bound here, where no other process can bind it but one that shares addresses, as servers do.
    """
    while True:
        first = random.SystemRandom().randrange(15_000, 30_000)
        with contextlib.ExitStack() as stack:
            for port in range(first, first + number):
                reserved = stack.enter_context(socket.socket())
                try:
                    reserved.bind(("127.0.0.1", port))
                except OSError:
                    break
                reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            else:
                _reserved.append(stack.pop_all())
                return first


_reserved: list[contextlib.ExitStack] = []


def wait_until(condition: Callable[[], Any], what: object) -> None:
    """Wait for a condition. ``str(what)`` describes it if it does not come true."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"not in {PATIENCE} s: {what}"
        time.sleep(0.01)  # polls


async def eventually(condition: Callable[[], Any], what: object) -> None:
    """Wait for a condition, which may be awaitable, while other tasks run."""
    until = time.monotonic() + PATIENCE
    while not (await found if inspect.isawaitable(found := condition()) else found):
        assert time.monotonic() < until, f"not in {PATIENCE} s: {what}"
        await asyncio.sleep(0.005)  # polls
