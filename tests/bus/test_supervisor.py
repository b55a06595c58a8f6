"""Several server processes on one socket: they start, die, are replaced and stop."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from escadaria.server.run import is_free
from serving import PATIENCE, Server, free_port, running, wait_until
from store.conftest import Postgres
from system.faults.people import open_match
from wire import wire

pytestmark = pytest.mark.anyio


class Supervised(Server):
    """A supervisor and its server processes."""

    def workers(self) -> set[int]:
        """The server processes: children of the supervisor that have the server's threads."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        found = set()
        for pid in children:
            with suppress(OSError):  # it has ended meanwhile
                if "multiprocessing.spawn" in Path(f"/proc/{pid}/cmdline").read_text():
                    found.add(int(pid))
        return found


@contextmanager
def supervised(
    folder: Path, postgres: Postgres, errors: bool = False, **settings: Any
) -> Iterator[Supervised]:
    with running(Supervised(folder, database=postgres.empty(), workers=2, **settings), errors) as server:
        yield server


def test_several_workers_on_sqlite_are_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "escadaria", "serve", "--workers", "2", "--database", "x.sqlite3"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and "DATABASE_URL" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "x.sqlite3").exists()


def test_a_worker_that_dies_is_replaced_and_a_signal_stops_all(tmp_path: Path, postgres: Postgres) -> None:
    with supervised(tmp_path, postgres, errors=True) as server:
        before = server.workers()
        assert len(before) == 2
        victim = before.pop()
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: len(server.workers() - {victim}) == 2, "it is replaced")
        assert before < server.workers(), "the other one goes on"
        assert httpx.get(f"{server.url}/healthz", trust_env=False, timeout=PATIENCE).status_code == 200
        assert server.stop() == 0
        server.ends()


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
        server.kill()
        server.ends()


def test_a_supervisor_whose_workers_cannot_start_ends_with_an_error(tmp_path: Path) -> None:
    server = Supervised(tmp_path, database="postgresql://nobody@127.0.0.1:1/nothing", workers=2)
    with pytest.raises(AssertionError, match="the server ended with 3"):
        server.start()
    server.ends()


async def test_people_play_on_while_workers_are_replaced(tmp_path: Path, postgres: Postgres) -> None:
    """All are sent away once, and nothing is lost or doubled."""
    with supervised(tmp_path, postgres) as server:
        before = server.workers()
        async with asyncio.TaskGroup() as group:
            played = [Played() for _ in range(8)]
            tables = [group.create_task(play_alone(server.url, table)) for table in played]
            await moves_are_answered(played)
            os.kill(server.pid, signal.SIGHUP)
            async with asyncio.timeout(PATIENCE):
                while server.workers() & before or len(server.workers()) != 2:
                    await asyncio.sleep(0.05)
            await moves_are_answered(played)
            for task in tables:
                task.cancel()
        away = sum(table.away for table in played)
        waits = sorted(wait for table in played for wait in table.waits)
        print(f"{len(waits)} moves, {away} times sent away, the longest wait was {waits[-1]:.2f} s")
        assert away >= 8 and len(waits) > 50, "all were sent away, and played"
        for table in played:
            assert not table.wrong, table.wrong


async def moves_are_answered(played: list[Played]) -> None:
    """Wait until everybody has got answers to some more moves."""
    wanted = [len(table.waits) + 10 for table in played]
    async with asyncio.timeout(PATIENCE):
        while any(len(table.waits) < moves for table, moves in zip(played, wanted, strict=True)):
            await asyncio.sleep(0.02)


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
