"""Several server processes on one socket: they start, die, are replaced and stop."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from escadaria.server.run import is_free
from server.wire import PATIENCE, settings_json, wire
from store.conftest import Postgres
from system.faults.people import open_match
from system.faults.serving import free_port, processes_of

pytestmark = pytest.mark.anyio

PROGRAM = """
import json, sys
from escadaria.server.run import serve
from escadaria.server.settings import Settings
if __name__ == "__main__":
    serve(Settings(**json.loads(sys.argv[1])), ready=lambda url: print(url, flush=True))
"""


class Supervised:
    """A supervisor in a session of its own."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.log = folder / "log"
        program = folder / "program.py"  # new interpreters import it again
        program.write_text(PROGRAM)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(program), settings_json(**settings)],
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().decode().strip()
        if not self.url:
            self.end()

    def workers(self) -> set[int]:
        """The server processes: children of the supervisor that have the server's threads."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        found = set()
        for pid in children:
            with suppress(OSError):  # it has ended meanwhile
                if "multiprocessing.spawn" in Path(f"/proc/{pid}/cmdline").read_text():
                    found.add(int(pid))
        return found

    def end(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(0.1 if self.url else PATIENCE)
        for pid in processes_of(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def supervised(folder: Path, postgres: Postgres, **settings: Any) -> Iterator[Supervised]:
    database = postgres.empty()
    running = Supervised(
        folder, database=database, workers=2, port=free_port(), log_format="json", **settings
    )
    try:
        yield running
    finally:
        running.end()


def wait_for(condition: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def test_several_workers_on_sqlite_are_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "escadaria", "serve", "--workers", "2", "--database", "x.sqlite3"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and "DATABASE_URL" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "x.sqlite3").exists()


def test_a_worker_that_dies_is_replaced_and_a_signal_stops_all(tmp_path: Path, postgres: Postgres) -> None:
    with supervised(tmp_path, postgres) as server:
        before = server.workers()
        assert len(before) == 2
        victim = before.pop()
        os.kill(victim, signal.SIGKILL)
        wait_for(lambda: len(server.workers() - {victim}) == 2, "it is replaced")
        assert before < server.workers(), "the other one goes on"
        assert httpx.get(f"{server.url}/healthz", trust_env=False, timeout=PATIENCE).status_code == 200
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0
        wait_for(lambda: not processes_of(server.process.pid), "Python's own helper processes end too")


def test_each_worker_can_have_a_port_of_its_own(tmp_path: Path, postgres: Postgres) -> None:
    port = 0
    while not (port and is_free("127.0.0.1", port + 1)):
        port = free_port()
    with supervised(tmp_path, postgres, worker_port=port):
        names = []
        for own in (port, port + 1):
            for _ in range(3):
                page = httpx.get(f"http://127.0.0.1:{own}/metrics", trust_env=False, timeout=PATIENCE).text
                names += re.findall(r'escadaria_build_info{.*worker="(\w+)"} 1.0', page)
        assert len(names) == 6 and len(set(names[:3])) == len(set(names[3:])) == 1 and names[0] != names[5]


def test_workers_end_with_their_supervisor(tmp_path: Path, postgres: Postgres) -> None:
    with supervised(tmp_path, postgres) as server:
        server.process.kill()
        server.process.wait()
        wait_for(lambda: not processes_of(server.process.pid), "they end")


def test_a_supervisor_whose_workers_cannot_start_ends_with_an_error(tmp_path: Path) -> None:
    server = Supervised(tmp_path, database="postgresql://nobody@127.0.0.1:1/nothing", workers=2)
    assert not server.url and server.process.returncode == 3
    wait_for(lambda: not processes_of(server.process.pid), "Python's own helper processes end too")


async def test_people_play_on_while_workers_are_replaced(tmp_path: Path, postgres: Postgres) -> None:
    """Nobody waits longer than two seconds, and nothing is lost or doubled."""
    with supervised(tmp_path, postgres) as server:
        before = server.workers()
        async with asyncio.TaskGroup() as group:
            lag = group.create_task(measure_lag())
            played = [Played() for _ in range(8)]
            tables = [group.create_task(play_alone(server.url, table)) for table in played]
            await moves_are_answered(played)
            server.process.send_signal(signal.SIGHUP)
            async with asyncio.timeout(PATIENCE):
                while server.workers() & before or len(server.workers()) != 2:
                    await asyncio.sleep(0.05)
            await moves_are_answered(played)
            for task in (*tables, lag):
                task.cancel()
        away = sum(table.away for table in played)
        waits = sorted(wait for table in played for wait in table.waits)
        print(f"{len(waits)} moves, {away} times sent away, the longest wait was {waits[-1]:.2f} s")
        assert away >= 8 and len(waits) > 50, "all were sent away, and played"
        assert waits[-1] < 2 + 2 * lag.result(), "the machine may be busy: its own delays do not count"
        for table in played:
            assert not table.wrong, table.wrong
        text = server.log.read_text()
        assert '"level": "error"' not in text and '"level":"error"' not in text, text


async def moves_are_answered(played: list[Played]) -> None:
    """Wait until everybody has got answers to some more moves."""
    wanted = [len(table.waits) + 10 for table in played]
    async with asyncio.timeout(PATIENCE):
        while any(len(table.waits) < moves for table, moves in zip(played, wanted, strict=True)):
            await asyncio.sleep(0.02)


async def measure_lag() -> float:
    """How late this program itself was at most."""
    worst = 0.0
    with suppress(asyncio.CancelledError):
        while True:
            start = time.monotonic()
            await asyncio.sleep(0.01)
            worst = max(worst, time.monotonic() - start - 0.01)
    return worst


@dataclass
class Played:
    """One person at a table with nobody else, who plays both seats."""

    waits: list[float] = field(default_factory=list)
    """How long each move took until its answer, with all reconnecting."""
    away: int = 0
    wrong: list[str] = field(default_factory=list)


async def play_alone(url: str, played: Played) -> None:
    """Play both seats, match after match, until cancelled."""
    with suppress(asyncio.CancelledError):
        while True:
            wish = {"game": "rapido", "options": {"players": 2}, "start": True}
            match = await open_match(url, wish | {"people": [{"name": "Ana"}, {"name": "Rui"}]})
            await _play(url, match, played)


async def _play(url: str, match: dict[str, Any], played: Played) -> None:
    """Play a match to its end. A move that was not answered is repeated after reconnecting."""
    version, asked, now = 0, 0.0, dict[str, Any]()
    command: dict[str, Any] | None = None
    while True:
        # A worker that stops may have accepted the connection before, and sends it away at once.
        with suppress(ConnectionClosed, InvalidHandshake, OSError):
            async with wire(url, match["match"], token=match["token"], since=version or None) as me:
                if command is not None:
                    await me.send(command)
                while True:
                    frame = await me.read()
                    if frame["type"] == "bye":
                        break
                    if frame["type"] in ("snapshot", "event"):
                        if frame["type"] == "event" and frame["version"] != version + 1:
                            played.wrong.append(f"{frame['version']} after {version}")
                        version, now = frame["version"], frame["now"]
                    elif frame["type"] == "refused" and frame["code"] not in ("restart", "closing"):
                        played.wrong.append(str(frame))
                    elif frame["type"] == "accepted":
                        if frame["version"] != version or command is None:
                            played.wrong.append(f"{frame} at {version}")
                        played.waits.append(time.monotonic() - asked)
                        command = None
                    if now.get("status") == "over":
                        return
                    if command is None and now.get("status") == "playing":
                        await asyncio.sleep(0.05)
                        id, action = f"at-{version}", now["legal"][0]
                        command = {"type": "act", "id": id, "version": version, "action": action}
                        asked = time.monotonic()
                        await me.send(command)
        played.away += 1
        await asyncio.sleep(0.05)
