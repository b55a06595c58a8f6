"""Several server processes on one socket: they start, die, are replaced and stop."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from databases import Postgres
from escadaria.cli import app
from serving import PATIENCE, Server, eventually, free_port, running, started
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, playing

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


def test_several_workers_on_sqlite_are_refused(tmp_path: Path) -> None:
    words = ["serve", "--workers", "2", "--database", str(tmp_path / "x.sqlite3")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2 and "DATABASE_URL" in done.stderr
    assert not [*tmp_path.iterdir()]


async def test_workers_that_die_or_are_old_are_replaced_while_people_play(
    tmp_path: Path, postgres: Postgres
) -> None:
    """After SIGHUP all people are sent away once. Nothing is lost or doubled, and a signal stops all."""
    witness = Witness()
    server = Supervised(tmp_path, database=postgres.empty(), workers=2)
    async with started(server, ["a server has died"]):
        async with playing(witness, [server.url], random.Random(8), tables=3) as parties:
            await every_party_progresses(parties)
            victim, other = server.workers()
            os.kill(victim, signal.SIGKILL)
            await eventually(lambda: len(server.workers() - {victim}) == 2, "it is replaced")
            assert other in server.workers(), "the other one goes on"
            await every_party_progresses(parties)
            before = server.workers()
            os.kill(server.pid, signal.SIGHUP)
            await eventually(lambda: len(server.workers() - before) == 2, "there are new ones")
            await eventually(lambda: not server.workers() & before, "the old ones have ended")
            await every_party_progresses(parties)
        assert await asyncio.to_thread(server.stop) == 0
        await asyncio.to_thread(server.ends)
        findings = check(server.database, witness)
    assert not findings.wrong, "\n".join(findings.wrong[:20])
    assert witness.returns and "restart" in witness.byes


def test_each_worker_can_have_a_port_of_its_own_and_all_end_with_their_supervisor(
    tmp_path: Path, postgres: Postgres
) -> None:
    port = free_port(2)
    with running(Supervised(tmp_path, database=postgres.empty(), workers=2, worker_port=port)) as server:
        names = []
        for own in (port, port + 1):
            for _ in range(3):
                page = httpx.get(f"http://127.0.0.1:{own}/metrics", trust_env=False, timeout=PATIENCE).text
                names += re.findall(r'escadaria_build_info{.*worker="(\w+)"} 1.0', page)
        assert len(names) == 6 and len(set(names[:3])) == len(set(names[3:])) == 1 and names[0] != names[5]
        server.kill()
        server.ends()


def test_a_supervisor_whose_workers_cannot_start_ends_with_an_error(tmp_path: Path) -> None:
    server = Supervised(tmp_path, database="postgresql://nobody@127.0.0.1:1/nothing", workers=2)
    with pytest.raises(AssertionError, match="the server ended with 3"):
        server.start()
    server.ends()
