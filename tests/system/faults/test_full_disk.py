"""A full disk: commands are refused, no event is sent, and play continues when there is space."""

from __future__ import annotations

import random
import resource
import sys
from pathlib import Path

import httpx
import pytest

from serving import PATIENCE, Server, eventually, started
from system.faults.check import check
from system.faults.people import Witness, every_party_progresses, load, playing
from wire import get

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's"),
]


async def test_no_event_is_sent_that_a_full_disk_did_not_store(tmp_path: Path) -> None:
    witness, rng = Witness(), random.Random(3)
    async with started(Server(tmp_path), errors=("the store does not answer",)) as server:
        async with playing(witness, [server.url], rng, tables=3) as parties:
            await load(parties, rng)
            fill(server, True)
            await eventually(lambda: witness.refusals["store_unavailable"] > 20, "they are refused")
            assert (await get(server, "/readyz")).status_code == 503
            assert (await opening(server)).json()["code"] == "store_unavailable"
            check(server.database, witness)
            fill(server, False)
            await every_party_progresses(parties)
        assert len(server.pids) == 1 and (await get(server, "/readyz")).text == "ok"
        check(server.database, witness)
        assert server.errors(), "it is logged"


def fill(server: Server, full: bool) -> None:
    """Let the system refuse or accept writes beyond the current end of the write-ahead log."""
    size = Path(f"{server.database}-wal").stat().st_size
    _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size if full else hard, hard))


async def opening(server: Server) -> httpx.Response:
    """The answer to opening a match that does not fit; one whose rows fit into existing pages is stored."""
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as http:
        for _ in range(10):
            answer = await http.post(f"{server.url}/api/matches", json={"game": "chain"})
            if answer.status_code != 201:
                break
    assert answer.status_code == 503
    return answer
