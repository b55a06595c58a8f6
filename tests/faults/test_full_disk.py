"""The disk is full: everyone is refused, nobody is told anything, and play goes on when there is space."""

from __future__ import annotations

import asyncio
import random
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from faults.check import check
from faults.people import Witness, everybody_goes_on, load, playing, seeded
from faults.serving import Server, eventually, running

Switch = Callable[[bool], None]


def by_quota(server: Server, pages: Path) -> Switch:
    """The system refuses to write beyond where the write-ahead log ends now."""

    def switch(full: bool) -> None:
        size = Path(f"{server.database}-wal").stat().st_size
        _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size if full else hard, hard))

    return switch


def by_pages(server: Server, pages: Path) -> Switch:
    """SQLite itself says that the disk is full: the database may not grow by a page."""
    return lambda full: write_anew(pages, 1 if full else 2**32 - 2)


def write_anew(file: Path, number: int) -> None:
    """So that a reader finds the old number or the new one, and nothing between."""
    new = file.with_suffix(".new")
    new.write_text(str(number))
    new.rename(file)


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
@pytest.mark.parametrize("filling", [by_quota, by_pages])
def test_when_the_disk_is_full_nobody_is_told_what_is_not_stored(
    tmp_path: Path, filling: Callable[[Server, Path], Switch]
) -> None:
    asyncio.run(fill(tmp_path, filling, seeded()))


async def fill(folder: Path, filling: Callable[[Server, Path], Switch], rng: random.Random) -> None:
    witness = Witness()
    pages = folder / "pages"
    write_anew(pages, 2**32 - 2)
    async with running(folder, pages) as server:
        switch = filling(server, pages)
        pid = server.pid
        async with playing(witness, [server.url], rng) as parties:
            for _ in range(2):
                await load(parties, rng)
                witness.refusals.clear()
                switch(True)
                await eventually(lambda: witness.refusals["store_unavailable"] > 20, "they are refused")
                assert (await opening(server)).json()["code"] == "store_unavailable"
                await asyncio.sleep(0.5)  # a row that fits into a page that is there may still be stored
                findings = check(server.database, witness)
                assert not findings.wrong, "\n".join(findings.wrong[:20])
                switch(False)
                await everybody_goes_on(parties)
        assert server.pid == pid and (await server.get("/readyz")).text == "ok"
        findings = check(server.database, witness)
        print(f"full twice: {findings}")
        assert not findings.wrong, "\n".join(findings.wrong[:20])
        assert "the store does not answer" in server.log.read_text()
        assert not server.complaints(), server.log.read_text()[-8000:]


async def opening(server: Server) -> httpx.Response:
    async with httpx.AsyncClient(timeout=30, trust_env=False, verify=False) as http:
        answer = await http.post(f"{server.url}/api/matches", json={"game": "chain"})
    assert answer.status_code == 503
    return answer
