"""A server process that tests start, kill and stop."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from escadaria.server.limits import KINDS

PATIENCE = 120.0
"""The timeout of everything that should happen, in seconds; the machine may be busy."""

_PARENT = """
import json, os, signal, sys, threading
import alembic.command, uvicorn.protocols.websockets.websockets_sansio_impl, uvloop
import escadaria.store.schema, escadaria.store.sql, escadaria.store.sqlite
from escadaria.server.app import create_app
from escadaria.server.run import serve
from escadaria.server.settings import Settings
create_app(Settings())
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the launchers are not waited for
watched, held = os.pipe()
while line := sys.stdin.readline():
    if os.fork() == 0:
        break
else:
    sys.exit()
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
job = json.loads(line)
for descriptor, path in ((0, os.devnull), (1, job["said"]), (2, job["log"])):
    os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
os.close(held)  # now only the parent process holds it: when it ends, for any reason, the server is killed
pid = os.fork()
def end_with_parent():
    os.read(watched, 1)
    os.kill(pid, signal.SIGKILL)
if pid:
    threading.Thread(target=end_with_parent, daemon=True).start()
    print("pid", pid, flush=True)
    print("code", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    os._exit(0)
os.setsid()
if job["pages"]:  # a file that says how many pages the database may have
    from escadaria.store.sqlite import SqliteSession
    begin = SqliteSession.begin
    def limited(session):
        with open(job["pages"]) as file:
            session.connection.execute(f"PRAGMA max_page_count = {int(file.read())}")
        begin(session)
    SqliteSession.begin = limited
serve(Settings(**job["settings"]), ready=lambda url: print("url", url, flush=True))
"""
"""The parent process: imports what a server needs, which takes seconds, and forks a server for each job."""

_LIMITS = {
    **{f"{kind}_per_second": 1e9 for kind in ("frames", "address_frames", *KINDS)},
    **{f"{kind}_burst": 10**9 for kind in ("frames", "address_frames", *KINDS)},
    "tables_per_address": 10**6,
}
"""Rate limits that do not apply: all people share one address."""


@dataclass
class Server:
    """A server on the loopback with its matches in an SQLite file, or where its settings say.

    It keeps its port when it restarts.
    """

    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)
    port: int = 0

    def __post_init__(self) -> None:
        self.port = self.port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database: Path | str = self.settings.get("database", self.folder / "matches.sqlite3")
        """A file, or the URL of PostgreSQL."""
        self.log = self.folder / f"server-{self.port}.log"
        self.pages: Path | None = None
        """A file with the number of pages that the database may have; for a disk that is full."""
        self._pids: list[int] = []
        self._said = self.folder

    async def start(self) -> None:
        """Start it and wait until it is ready."""
        await self.spawn()
        await self.ready()

    async def spawn(self) -> None:
        """Start it without waiting until it is ready."""
        settings = {"port": self.port, "database": str(self.database), **_LIMITS, **self.settings}
        self._said = self.folder / f"server-{self.port}-{len(self._pids)}.said"
        job = {
            "settings": settings,
            "said": str(self._said),
            "log": str(self.log),
            "pages": str(self.pages or ""),
        }
        parent = _parent()
        assert parent.stdin is not None, "a pipe"
        parent.stdin.write(json.dumps(job).encode() + b"\n")
        parent.stdin.flush()
        self._pids.append(int(await self._read_message("pid")))

    async def ready(self) -> None:
        """Wait until it prints its address."""
        await self._read_message("url")

    @property
    def pid(self) -> int:
        """The process id of the latest server."""
        return self._pids[-1]

    async def kill(self) -> None:
        """Kill it."""
        os.kill(self.pid, signal.SIGKILL)
        await self._read_message("code")

    async def stop(self) -> int:
        """Terminate it and return the exit code."""
        os.kill(self.pid, signal.SIGTERM)
        return int(await self._read_message("code"))

    def left_behind(self) -> list[int]:
        """The processes of the latest server that are still alive."""
        return processes_of(self.pid)

    async def get(self, path: str) -> httpx.Response:
        """Send a GET request."""
        async with httpx.AsyncClient(timeout=30, trust_env=False, verify=False) as http:
            return await http.get(self.url + path)

    def clean_up(self) -> None:
        """Kill all remaining processes."""
        for pid in [pid for session in self._pids for pid in processes_of(session)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def complaints(self) -> list[str]:
        """The errors in its log."""
        text = self.log.read_text(errors="replace")
        return [line for line in text.splitlines() if "Traceback" in line or " failed" in line]

    async def _read_message(self, key: str) -> str:
        """The latest message of the server or its launcher with this key."""

        def said(key: str) -> str:
            text = self._said.read_text() if self._said.exists() else ""
            lines = [line for line in text.splitlines(keepends=True) if line.startswith(f"{key} ")]
            return lines[0].split()[1] if lines and lines[0].endswith("\n") else ""

        await eventually(lambda: said(key) or said("code"), f"the server says its {key}")
        assert said(key), f"the server ended with {said('code')}:\n{self.log.read_text()[-4000:]}"
        return said(key)


@functools.cache
def _parent() -> subprocess.Popen[bytes]:
    """The parent process of all servers."""
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], stdin=subprocess.PIPE)
    atexit.register(parent.communicate)  # closes the pipe, which ends the process
    return parent


@contextlib.asynccontextmanager
async def running(folder: Path, pages: Path | None = None, **settings: Any) -> AsyncIterator[Server]:
    """A server for one test."""
    server = Server(folder, settings)
    server.pages = pages
    try:
        await server.start()
        yield server
    finally:
        server.clean_up()


def processes_of(session: int) -> list[int]:
    """The processes of a session, from /proc; none where that is missing."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            state, _, _, its_session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(entry.name))
    return found


def free_port() -> int:
    """A free port below the ephemeral range, so that no client takes it."""
    chooser = random.SystemRandom()
    while True:
        port = chooser.randrange(15_000, 30_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


async def eventually(condition: Any, what: object) -> None:
    """Wait for a condition, with frequent checks. ``str(what)`` describes it if it does not come true."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"not in {PATIENCE} s: {what}"
        await asyncio.sleep(0.01)
