"""A database that hangs, or whose file is missing: every call is answered, and no data is lost."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from databases import Postgres
from escadaria.store import Conflict, StoreUnavailable, database, sql
from escadaria.store.sql import SqlStore
from serving import PATIENCE, eventually
from store.conftest import Opener, event, locked, open_matches, versions, writing

pytestmark = pytest.mark.anyio


async def refused(call: Awaitable[object]) -> StoreUnavailable:
    """The error of a call that is refused."""
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StoreUnavailable) as caught:
            await call
    return caught.value


@contextmanager
def impatience() -> Iterator[None]:
    """Refuse calls that wait for long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "ANSWER_SECONDS", 0.5)
        patch.setattr(sql, "PING_SECONDS", 0.2)
        yield


# --- PostgreSQL stopped -----------------------------------------------------------------------------------


async def test_a_frozen_postgresql_is_a_refusal(opened: Opener, postgres: Postgres) -> None:
    url = postgres.empty()
    store = await opened(url)
    await store.append("m", [event(1)])
    await store.events("m")
    with postgres.frozen(), impatience():
        await refused(store.ping())
        calls = (
            store.append("m", [event(2)]),
            store.append("new", [event(1)], due=1.0),
            store.events("m"),
            store.archive("m"),
            store.put("k", "a", "b", 1),
            store.take("k", "a", 0),
            store.due_matches(1, 1),
            store.purge(1),
        )
        await asyncio.gather(*(refused(call) for call in calls))
        await refused(store.ping())
        again = (store.append("m", [event(2)]), store.events("m"), SqlStore.open(url))
        await asyncio.gather(*(refused(call) for call in again))
        assert store.waiting == 0
    await works_again(store)
    # A refused append may have been stored, but only once.
    stored = versions(await store.events("m"))
    assert stored in ([1], [1, 2])
    if stored == [1, 2]:
        with pytest.raises(Conflict):
            await store.append("m", [event(2)])
    await store.append("m", [event(len(stored) + 1)])


async def works_again(store: SqlStore) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await store.ping()
            except StoreUnavailable:
                await asyncio.sleep(0.05)  # polls


CLOSES = """
import asyncio, sys
from escadaria.store import StoredEvent, StoreUnavailable, open_store
async def main():
    store = await open_store(sys.argv[1])
    await store.append("m", [StoredEvent(1, 0.0, "", "{}")])
    await store.events("m")
    print("open", flush=True)
    sys.stdin.readline()
    second = [StoredEvent(2, 0.0, "", "{}")]
    calls = store.append("m", second), store.append("m", second), store.events("m"), store.ping()
    tasks = [asyncio.create_task(call) for call in calls]
    await asyncio.sleep(0)  # they are called
    await store.close(0.2)
    print(await asyncio.gather(*tasks, return_exceptions=True), flush=True)
asyncio.run(main())
"""


async def test_a_store_is_closed_and_its_process_ends_while_postgresql_is_frozen(postgres: Postgres) -> None:
    """Its calls are refused, and no thread keeps the process alive."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", CLOSES, postgres.empty()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with postgres.frozen():
            output, _ = await asyncio.to_thread(process.communicate, "close\n", PATIENCE)
            assert output.count("StoreUnavailable") == 4
            assert process.returncode == 0


# --- ping -------------------------------------------------------------------------------------------------


async def test_a_ping_fails_while_somebody_else_holds_the_lock(store: SqlStore, url: str) -> None:
    await store.ping()
    before = store.meters.commits
    await asyncio.gather(*(store.ping() for _ in range(5)))
    assert store.meters.commits == before + 1  # concurrent pings share one commit
    with locked(url), impatience():
        await refused(store.ping())
        await refused(store.ping())
    await works_again(store)
    assert await open_matches(store) == []


async def test_a_cancelled_ping_disturbs_no_other(store: SqlStore) -> None:
    pings = [asyncio.create_task(store.ping()) for _ in range(3)]
    await asyncio.sleep(0)  # they are called
    pings[0].cancel()
    answers = await asyncio.gather(*pings, return_exceptions=True)
    assert [type(answer) for answer in answers] == [asyncio.CancelledError, type(None), type(None)]


# --- a lock held for long ---------------------------------------------------------------------------------


async def test_calls_behind_a_long_lock_are_answered_too(store: SqlStore, url: str) -> None:
    """The second append waits for the first and then for the lock."""
    await store.append("m", [event(1)])
    with locked(url), impatience():
        first = asyncio.create_task(refused(store.append("m", [event(2)])))
        await eventually(lambda: store._threads.writer._started, "the first is being stored")
        second = asyncio.create_task(refused(store.append("m", [event(2)])))
        await asyncio.gather(first, second)
    await works_again(store)
    stored = versions(await store.events("m"))
    assert stored in ([1], [1, 2])


# --- the file of SQLite -----------------------------------------------------------------------------------

FILES = ["", "-wal", "-shm"]


@contextmanager
def moved(path: Path, suffixes: list[str], replaced: bool) -> Iterator[None]:
    """Move the files away for a while; with ``replaced``, put copies in their place."""
    aside = path.parent / "aside"
    aside.mkdir()
    for suffix in suffixes:
        file = Path(str(path) + suffix)
        file.rename(aside / file.name)
        if replaced:
            shutil.copy(aside / file.name, file)
    yield
    for suffix in suffixes:
        (aside / (path.name + suffix)).replace(str(path) + suffix)


@pytest.mark.parametrize("replaced", [False, True], ids=["deleted", "replaced"])
@pytest.mark.parametrize("suffixes", [FILES, FILES[:1], FILES[1:2]], ids=["all", "database", "log"])
async def test_a_missing_or_replaced_file_is_noticed_before_any_answer(
    opened: Opener, tmp_path: Path, suffixes: list[str], replaced: bool
) -> None:
    path = tmp_path / "store.db"
    store = await opened(str(path))
    await store.append("m", [event(1)])
    with moved(path, suffixes, replaced):
        for call in (
            store.append("m", [event(2)]),
            store.append("new", [event(1)]),
            store.put("k", "a", "b", 1),
            store.archive("m"),
            store.events("m"),
            store.ping(),
        ):
            assert "file" in str(await refused(call))
    await store.ping()
    await store.append("m", [event(len(await store.events("m")) + 1)])


async def test_no_append_is_acknowledged_after_the_file_was_deleted(opened: Opener, tmp_path: Path) -> None:
    """The moved files contain every append that was acknowledged."""
    path, copy = tmp_path / "store.db", tmp_path / "copy"
    store = await opened(str(path))
    accepted = 0

    async def play() -> None:
        nonlocal accepted
        while True:
            try:
                await store.append("m", [event(accepted + 1)])
            except StoreUnavailable:
                return
            accepted += 1

    player = asyncio.create_task(play())
    await eventually(lambda: accepted > 5, "it plays")
    copy.mkdir()
    for suffix in FILES:
        Path(str(path) + suffix).rename(copy / ("store.db" + suffix))
    async with asyncio.timeout(PATIENCE):
        await player
    await store.close()
    again = await opened(str(copy / "store.db"))
    assert len(await again.events("m")) in (accepted, accepted + 1)
    assert accepted


@pytest.mark.parametrize("size", [0, 8192])
async def test_a_truncated_file_is_noticed(opened: Opener, tmp_path: Path, size: int) -> None:
    path = tmp_path / "store.db"
    store = await opened(str(path))
    await store.append("m", [event(1, body="x" * 50_000)])
    writing(store).run("PRAGMA wal_checkpoint(TRUNCATE)")  # empties the write-ahead log
    await store.append("m", [event(2)])
    copy = tmp_path / "copy"  # by another process: closing the file in this one would drop SQLite's locks
    subprocess.run(["cp", path, copy], check=True)
    os.truncate(path, size)
    for _ in range(2):
        assert "truncated" in str(await refused(store.append("m", [event(3)])))
        assert "truncated" in str(await refused(store.ping()))
    subprocess.run(["cp", copy, path], check=True)  # into the same file
    await works_again(store)


async def test_a_file_that_vacuum_made_smaller_is_accepted(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store, other = await opened(str(path)), await opened(str(path))
    await store.put_many("k", {str(n): "x" * 1000 for n in range(1000)}, 1)
    await store.purge(2)
    session = other._threads.database.connect()
    for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
        size = path.stat().st_size
        session.run(statement)
    session.close()
    assert path.stat().st_size < size
    await store.append("m", [event(1)])
    await store.ping()
    assert versions(await store.events("m")) == [1]
