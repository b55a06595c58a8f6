"""The contract of a store, on SQLite and PostgreSQL: ordered, atomic, durable, and usable after faults."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import traceback
from pathlib import Path

import psycopg
import pytest

from databases import PASSWORD, Postgres
from escadaria.store import Conflict, Store, StoredEvent, StoreUnavailable, database, open_store
from escadaria.store.sql import SqlStore
from serving import PATIENCE, eventually
from store.conftest import Opener, event, locked, open_matches, versions, writing

pytestmark = pytest.mark.anyio


def counted_commits(store: SqlStore) -> list[int]:
    """A list that grows by the number of events with each commit."""
    commits: list[int] = []
    store.meters.committed = lambda events, seconds: commits.append(events)
    return commits


# --- appending and reading --------------------------------------------------------------------------------


async def test_events_come_back_as_they_were_and_in_order(store: SqlStore) -> None:
    text = "ação 🎲 \u2028 ' \" \\ \\u0000 %s %(x)s :x ? {} \x01\n"
    stored = [
        event(1, "r1", '{"a": 1}', '{"secret": 1}'),
        StoredEvent(2, 1e-9, text, text, text),
        event(3, "", "", ""),
    ]
    await store.append("m", stored[:1])
    await store.append("m", stored[1:])
    assert await store.events("m") == stored
    assert await store.events("m", after=1) == stored[1:]
    assert await store.events("m", after=3) == []


async def test_unknown_matches_have_no_events(store: SqlStore) -> None:
    await store.append("m", [event(1)])
    for match, after in [("other", 0), ("a\0b", 0), ("\ud800", 0), ("m", 10**30)]:
        assert await store.events(match, after) == []
    await store.archive("a\0b")


async def test_what_can_never_be_stored_is_a_value_error(store: SqlStore) -> None:
    for events in (
        [],
        [event(0)],
        [event(1), event(3)],
        [event(1), event(1)],
        [event(1, body="\0")],
        [event(1, hidden="\ud800")],
        [StoredEvent(1, float("nan"), "", "")],
    ):
        with pytest.raises(ValueError, match=r"."):
            await store.append("m", events)
    assert await open_matches(store) == []


async def test_versions_are_stored_once_and_without_gaps(store: SqlStore) -> None:
    await store.append("m", [event(1, "first"), event(2)])
    for version in (1, 2, 4, 7):
        with pytest.raises(Conflict):
            await store.append("m", [event(version), event(version + 1)])
        with pytest.raises(Conflict):
            await store.append("unknown", [event(version + 1)])
    assert [(e.version, e.request) for e in await store.events("m")] == [(1, "first"), (2, "")]
    assert await open_matches(store) == ["m"]


async def test_open_matches_are_those_not_archived_the_longest_idle_first(store: SqlStore) -> None:
    for match in ("b", "c", "a", "d"):
        await store.append(match, [event(1)])
    await store.append("b", [event(2), event(3)])
    await store.append("d", [event(2)])
    await store.append("a", [event(2), event(3), event(4)])
    assert await open_matches(store) == ["c", "d", "b", "a"]
    await store.archive("d")
    await asyncio.gather(store.archive("d"), store.archive("c"), store.archive("unknown"))
    assert await open_matches(store) == ["b", "a"]
    assert versions(await store.events("d")) == [1, 2]


# --- many at once -----------------------------------------------------------------------------------------


async def test_only_the_conflicting_appends_of_a_batch_are_refused(store: SqlStore) -> None:
    await store.append("b", [event(1), event(2)])
    await store.append("old", [event(1)])
    jobs = {
        "a1": store.append("a", [event(1), event(2)]),
        "b2 again": store.append("b", [event(2), event(3)]),
        "b3": store.append("b", [event(3, "b3")]),
        "b3 later": store.append("b", [event(3, "b3 later"), event(4)]),
        "c7": store.append("c", [event(7)]),
        "d1": store.append("d", [event(1)]),
        "archive": store.archive("old"),
    }
    commits = counted_commits(store)
    answers = await asyncio.gather(*jobs.values(), return_exceptions=True)
    assert len(commits) == 1
    refused = [name for name, answer in zip(jobs, answers, strict=True) if isinstance(answer, Conflict)]
    assert refused == ["b2 again", "b3 later", "c7"]
    assert [answer for answer in answers if not isinstance(answer, Conflict)] == [None] * 4
    assert versions(await store.events("a")) == [1, 2]
    assert [e.request for e in await store.events("b")] == ["", "", "b3"]
    assert sorted(await open_matches(store)) == ["a", "b", "d"]


async def test_of_two_stores_that_race_exactly_one_wins_each_version(opened: Opener, url: str) -> None:
    stores = [await opened(url), await opened(url)]
    await stores[0].append("m", [event(1)])
    await stores[0].append("n", [event(1)])
    won: list[tuple[str, int, str]] = []
    lost = 0

    async def race(store: Store, match: str, name: str) -> None:
        nonlocal lost
        version = 2  # which all want at first
        while version <= 16:
            try:
                await store.append(match, [event(version, name)])
                won.append((match, version, name))
            except Conflict:
                lost += 1
            version = len(await store.events(match)) + 1

    await asyncio.gather(
        *(
            race(store, match, f"{n} {k}")
            for n, store in enumerate(stores)
            for match in "mn"
            for k in range(2)
        )
    )
    stored = [(match, e.version, e.request) for match in "mn" for e in await stores[0].events(match, after=1)]
    assert sorted(won) == stored
    assert len(won) == 30 and lost >= 6


async def test_the_number_of_appends_in_a_commit_is_limited(opened: Opener, url: str) -> None:
    store = await opened(url, most=3)
    commits = counted_commits(store)
    await asyncio.gather(*(store.append(f"m{n}", [event(1)]) for n in range(10)))
    assert len(commits) >= 4
    assert len(await open_matches(store)) == 10


async def test_a_cancelled_append_does_not_affect_others(store: SqlStore) -> None:
    for ticks in range(8):  # cancelled before the writer sees it, while it writes, after
        tasks = [asyncio.create_task(store.append(f"{ticks} {n}", [event(1)])) for n in range(6)]
        for _ in range(ticks):
            await asyncio.sleep(0)  # a tick
        for task in tasks[::2]:
            task.cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert answers[1::2] == [None] * 3
        for n in (1, 3, 5):
            assert versions(await store.events(f"{ticks} {n}")) == [1]


async def test_cancelled_reads_do_not_affect_others(store: SqlStore) -> None:
    await store.append("m", [event(1)])
    for ticks in range(8):
        tasks = [asyncio.create_task(store.events("m")) for _ in range(6)]
        await asyncio.sleep(0.001 * ticks)  # at different moments
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert versions(await tasks[1]) == [1]


async def test_close_finishes_pending_calls_and_refuses_new_ones(opened: Opener, url: str) -> None:
    store = await opened(url, most=2)
    tasks = [asyncio.create_task(store.append(f"m{n}", [event(1)])) for n in range(9)]
    await asyncio.sleep(0)  # they are called
    await store.close()
    await asyncio.gather(*tasks)
    for refused in (store.append("late", [event(1)]), store.archive("m1"), store.events("m1"), store.ping()):
        with pytest.raises(StoreUnavailable, match="closed"):
            await refused
    await store.close()
    assert len(await open_matches(await opened(url))) == 9


# --- faults -----------------------------------------------------------------------------------------------

VICTIMS = """
import asyncio, os, sys
import psycopg
from escadaria.store import StoredEvent, sql

async def play(store, match):
    for version in range(1, 10**9, 2):
        pair = [StoredEvent(v, 0.0, str(version), match) for v in (version, version + 1)]
        await store.append(match, pair)
        print(match, version + 1, flush=True)

async def main(name):
    store = await sql.SqlStore.open(sys.argv[1])
    print(store.key.hex(), flush=True)
    await asyncio.gather(*(play(store, f"{name}.{n}") for n in range(5)))

for name in sys.argv[2:]:
    if not (pid := os.fork()):
        sys.stdout = open(name, "w")
        asyncio.run(main(name))
    print(pid, flush=True)
for name in sys.argv[2:]:
    assert os.waitstatus_to_exitcode(os.wait()[1]) == -9
"""


async def test_acknowledged_appends_survive_sigkill_and_none_is_partial(
    url: str, opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several servers open a new database at once, get one key, append, and are killed at random moments."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(1)
    names = ["a", "b", "c", "d"]
    command = [sys.executable, "-c", VICTIMS, url, *names]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as victims:
        assert victims.stdout
        pids = [int(victims.stdout.readline()) for _ in names]
        try:
            files = [*map(Path, names)]
            await eventually(lambda: all(file.exists() for file in files), "all have a key")
            await eventually(lambda: all(file.read_text().count("\n") > 1 for file in files), "all append")
        finally:
            for pid in pids:
                await asyncio.sleep(rng.uniform(0, 0.3))  # a random moment
                os.kill(pid, signal.SIGKILL)
    assert victims.returncode == 0
    store = await opened(url)
    for name in names:
        acknowledged = {f"{name}.{n}": 0 for n in range(5)}
        key, *lines = Path(name).read_text().splitlines()
        assert key == store.key.hex() and len(store.key) == 32 and key not in repr(store)
        for line in lines:
            match, last = line.split()
            acknowledged[match] = int(last)
        assert any(acknowledged.values())
        for match, version in acknowledged.items():
            stored = await store.events(match)
            assert len(stored) in (version, version + 2)  # at most one append was stored unacknowledged
            assert [(e.version, e.request, e.body) for e in stored] == [
                (v, str(v - 1 + v % 2), match) for v in range(1, len(stored) + 1)
            ]


@pytest.mark.parametrize("how", ["pages", "file size"])
async def test_the_store_recovers_from_a_full_disk(opened: Opener, tmp_path: Path, how: str) -> None:
    store = await opened(str(tmp_path / "store.db"))
    await store.append("m", [event(1)])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    big = '"' + "x" * 100_000 + '"'

    def pages(number: int) -> None:
        """Limit the database to this number of pages, or to its current size."""
        writing(store).run(f"PRAGMA max_page_count = {number}")

    if how == "pages":
        pages(8)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, limits[1]))
    try:
        for _ in range(3):
            answers = await asyncio.gather(
                store.append("m", [event(2, body=big), event(3)]),
                store.append("new", [event(1, body=big)]),
                return_exceptions=True,
            )
            assert [type(answer) for answer in answers] == [StoreUnavailable] * 2
            assert versions(await store.events("m")) == [1]
            if how == "pages":
                await store.ping()  # a row that fits into an existing page can still be stored
            else:
                with pytest.raises(StoreUnavailable):
                    await store.ping()
    finally:
        if how == "pages":
            pages(1000000)
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    await store.ping()
    await store.append("m", [event(2, body=big), event(3)])
    assert versions(await store.events("m")) == [1, 2, 3]
    assert await store.events("new") == []


async def test_the_store_recovers_from_a_lock_held_too_long(
    opened: Opener, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.2)
    store = await opened(url)
    await store.append("m", [event(1)])
    with locked(url):
        with pytest.raises(StoreUnavailable, match="lock"):
            await store.append("m", [event(2)])
        with pytest.raises(StoreUnavailable, match="lock"):
            await store.archive("m")
        assert versions(await store.events("m")) == [1]  # readers do not wait
    await store.append("m", [event(2)])


CUT_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = 'postgres' AND pid != pg_backend_pid()"
)


async def test_the_store_recovers_from_a_stopped_postgresql(opened: Opener, postgres: Postgres) -> None:
    url = postgres.empty()
    store = await opened(url)
    await store.append("m", [event(1)])
    postgres.stop()
    try:
        for attempt in (store.append("m", [event(2)]), store.archive("m"), store.events("m"), store.ping()):
            with pytest.raises(StoreUnavailable) as caught:
                await attempt
            assert PASSWORD not in "".join(traceback.format_exception(caught.value))
        with pytest.raises(StoreUnavailable):
            await opened(url)
    finally:
        postgres.start()
    await store.ping()
    await store.append("m", [event(2)])
    with psycopg.connect(url) as cutter:
        cutter.execute(CUT_OTHERS)
    await store.append("m", [event(3)])  # the store reconnects
    assert versions(await store.events("m")) == [1, 2, 3]


async def test_lost_connections_lose_and_repeat_nothing(opened: Opener, postgres: Postgres) -> None:
    """A caller that gets no answer reads the match again, as the server does."""
    url = postgres.empty()
    store = await opened(url)
    refusals, enough = 0, 5

    async def play(match: str) -> None:
        nonlocal refusals
        stored: list[StoredEvent] = []
        while len(stored) < 30 or refusals < enough:  # however quick the machine is
            try:
                await store.append(match, [event(len(stored) + 1, f"{len(stored)}")])
                stored.append(event(len(stored) + 1, f"{len(stored)}"))
            except StoreUnavailable:
                refusals += 1
                while True:
                    try:
                        again = await store.events(match)
                        break
                    except StoreUnavailable:
                        await asyncio.sleep(0.01)  # polls
                assert again[: len(stored)] == stored
                stored = again

    async def disturb() -> None:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as cutter:
            while refusals < enough:  # often enough that a second attempt fails too
                await cutter.execute(CUT_OTHERS)

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(disturb(), *(play(f"m{n}") for n in range(10)))
    for n in range(10):
        kept = [e.request for e in await store.events(f"m{n}")]
        assert kept == [str(k) for k in range(len(kept))]


async def test_errors_and_reprs_contain_nothing_private(
    opened: Opener, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.1)
    store = await opened(url)
    private = event(2, body="private-body", hidden="private-hidden")
    assert "private-hidden" not in repr(private)
    await store.append("m", [event(1)])
    with locked(url), pytest.raises(StoreUnavailable) as unavailable:
        await store.append("m", [private])
    await store.append("m", [private])
    with pytest.raises(Conflict) as conflict:
        await store.append("m", [private])
    for caught in (conflict.value, unavailable.value):
        assert caught.__cause__ is not None
        text = "".join(traceback.format_exception(caught))
        assert "private-body" not in text and "private-hidden" not in text and PASSWORD not in text
        assert "INSERT" not in str(caught)


# --- opening ----------------------------------------------------------------------------------------------


async def test_a_database_of_a_later_version_is_refused(opened: Opener, url: str) -> None:
    store = await opened(url)
    await store.append("m", [event(1)])
    writing(store).run("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreUnavailable, match="later version"):
        await opened(url)


async def test_sqlite_is_durable_and_readable_only_by_its_owner(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "100% ação.db"
    store = await opened(f"sqlite+aiosqlite:///{str(path).replace('%', '%25')}")
    await store.append("m", [event(1)])
    for pragma, value in [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)]:
        assert writing(store).run(f"PRAGMA {pragma}") == [(value,)]
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
async def test_all_url_schemes_of_postgresql_are_accepted(postgres: Postgres, scheme: str) -> None:
    store = await open_store(postgres.empty().replace("postgresql", scheme, 1))
    await store.ping()
    await store.close()


@pytest.mark.parametrize("url", ["mysql://u:s3cret@h/d", "x y://u:s3cret@h", "sqlite://", ":memory:", ""])
async def test_other_urls_are_value_errors_without_the_password(url: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        await open_store(url)
    assert "s3cret" not in str(caught.value)


async def test_a_path_in_a_missing_folder_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        await open_store(str(tmp_path / "no" / "folder" / "store.db"))
