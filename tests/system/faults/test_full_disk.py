"""A full disk: commands are refused, no event is sent, and play continues when there is space."""

from __future__ import annotations

import asyncio
import random
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from serving import Server, eventually, started
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, load, playing, seeded
from wire import get

Switch = Callable[[bool], None]


def by_quota(server: Server, pages: Path) -> Switch:
    """The system refuses writes beyond the current end of the write-ahead log."""

    def switch(full: bool) -> None:
        size = Path(f"{server.database}-wal").stat().st_size
        _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size if full else hard, hard))

    return switch


def by_pages(server: Server, pages: Path) -> Switch:
    """SQLite reports a full disk: the database may not grow by a page."""
    return lambda full: replace_number(pages, 1 if full else 2**32 - 2)


def replace_number(file: Path, number: int) -> None:
    """Replace the file atomically."""
    new = file.with_suffix(".new")
    new.write_text(str(number))
    new.rename(file)


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
@pytest.mark.parametrize("filling", [by_quota, by_pages])
def test_no_event_is_sent_that_a_full_disk_did_not_store(
    tmp_path: Path, filling: Callable[[Server, Path], Switch]
) -> None:
    asyncio.run(fill(tmp_path, filling, seeded()))


async def fill(folder: Path, filling: Callable[[Server, Path], Switch], rng: random.Random) -> None:
    witness = Witness()
    pages = folder / "pages"
    replace_number(pages, 2**32 - 2)
    async with started(Server(folder, pages=pages)) as server:
        switch = filling(server, pages)
        pid = server.pid
        async with playing(witness, [server.url], rng) as parties:
            for _ in range(2):
                await load(parties, rng)
                witness.refusals.clear()
                switch(True)
                await eventually(lambda: witness.refusals["store_unavailable"] > 20, "they are refused")
                assert (await opening(server)).json()["code"] == "store_unavailable"
                await asyncio.sleep(0.5)  # rows that fit into existing pages may still be stored
                findings = check(server.database, witness)
                assert not findings.wrong, "\n".join(findings.wrong[:20])
                switch(False)
                await every_party_progresses(parties)
        assert server.pid == pid and (await get(server, "/readyz")).text == "ok"
        findings = check(server.database, witness)
        print(f"full twice: {findings}")
        assert not findings.wrong, "\n".join(findings.wrong[:20])
        assert "the store does not answer" in server.log.read_text()
        assert not server.errors(), server.log.read_text()[-8000:]


async def opening(server: Server) -> httpx.Response:
    """The answer to opening a match that does not fit; one whose rows fit into existing pages is stored."""
    async with httpx.AsyncClient(timeout=30, trust_env=False, verify=False) as http:
        for _ in range(10):
            answer = await http.post(f"{server.url}/api/matches", json={"game": "chain"})
            if answer.status_code != 201:
                break
    assert answer.status_code == 503
    return answer
