"""Deadlines, snapshots, values that expire, the key and the counters of a store."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from escadaria.store import Conflict, Fenced, StoredEvent, Survey, sql
from escadaria.store.sql import SqlStore
from store.conftest import Opener, event, open_matches, versions, writing

pytestmark = pytest.mark.anyio


async def add_empty_match(store: SqlStore, match: str, created: float) -> None:
    """Insert a match without events, which ``append`` never does."""
    await store.append("warm", [event(1)])
    await store.archive("warm")
    writing(store).run("INSERT INTO match (id, created, archived) VALUES (?, ?, FALSE)", (match, created))


# --- deadlines --------------------------------------------------------------------------------------------


async def test_due_matches_come_earliest_first_and_only_while_open(store: SqlStore) -> None:
    await store.append("later", [event(1)], due=300.0)
    await store.append("soon", [event(1)])
    await store.append("soon", [event(2)], due=100.0)
    await store.append("never", [event(1)])
    await store.append("gone", [event(1)], due=50.0)
    await store.archive("gone")
    assert await store.due_matches(1000, 10) == ["soon", "later"]
    assert await store.due_matches(100, 10) == ["soon"]
    assert await store.due_matches(99.9, 10) == []
    assert await store.due_matches(1000, 1) == ["soon"]
    await store.append("soon", [event(3)])  # due=None leaves the deadline unchanged
    assert await store.due_matches(100, 10) == ["soon"]
    await store.set_due({"soon": None, "never": 200.0, "later": 150.0, "unknown": 1.0, "a\0b": 1.0})
    assert await store.due_matches(1000, 10) == ["later", "never"]


async def test_a_deadline_is_not_stored_without_its_events(store: SqlStore) -> None:
    await store.append("m", [event(1), event(2)])
    with pytest.raises(Conflict):
        await store.append("m", [event(2)], due=1.0)
    assert await store.due_matches(1000, 10) == []
    with pytest.raises(ValueError, match=r"."):
        await store.append("m", [event(3)], due=float("nan"))
    with pytest.raises(ValueError, match=r"."):
        await store.set_due({"m": float("inf")})


async def test_abandoned_matches_are_the_open_ones_without_a_late_event(store: SqlStore) -> None:
    def at(version: int, time: float) -> StoredEvent:
        return StoredEvent(version, time, "", "{}")

    await store.append("old", [at(1, 10.0), at(2, 20.0)])
    await store.append("older", [at(1, 5.0)])
    await store.append("alive", [at(1, 1.0), at(2, 500.0)])
    await store.append("new", [at(1, 400.0)])
    await store.append("archived", [at(1, 1.0)])
    await store.archive("archived")
    await add_empty_match(store, "empty", 2.0)
    assert await store.abandoned(100, 10) == ["empty", "older", "old"]
    assert await store.abandoned(100, 2) == ["empty", "older"]
    assert await store.abandoned(20, 10) == ["empty", "older"]


async def test_a_match_without_events_breaks_nothing(store: SqlStore) -> None:
    await add_empty_match(store, "empty", 2.0)
    assert await store.events("empty") == []
    assert await store.snapshot("empty") is None
    assert await open_matches(store) == ["empty"]
    await store.set_due({"empty": 1.0})
    assert await store.due_matches(5, 5) == ["empty"]
    with pytest.raises(Conflict):
        await store.append("empty", [event(1)])
    await store.ping()
    await store.archive("empty")
    assert await store.abandoned(1e9, 10) == []


async def test_these_queries_use_an_index(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await opened(str(path))
    with sqlite3.connect(path) as connection:
        for statement, parameters, index in (
            (sql._DUE, (1.0, 10), "match_due"),
            (sql._ABANDONED, (1.0, 1.0, 10), "match_created"),
            (sql._PURGE, (1.0, 10), "item_expires"),
        ):
            plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            steps = [row[3] for row in plan]
            assert any(index in step for step in steps), steps
            assert not any("SCAN" in step or "TEMP B-TREE" in step for step in steps), steps


# --- reading in slices ------------------------------------------------------------------------------------


async def test_events_can_be_read_in_slices(store: SqlStore) -> None:
    await store.append("m", [event(version) for version in range(1, 8)])
    assert versions(await store.events("m", 0, 3)) == [1, 2, 3]
    assert versions(await store.events("m", 3, 3)) == [4, 5, 6]
    assert versions(await store.events("m", 6, 3)) == [7]
    assert await store.events("m", 7, 3) == []
    assert await store.events("m", 0, 0) == []


async def test_an_older_snapshot_never_replaces_a_newer_one(store: SqlStore) -> None:
    await store.save_snapshot("m", 6, "of nothing")
    assert await store.snapshot("m") is None
    await store.append("m", [event(1)])
    await store.save_snapshot("m", 5, '{"ação": 1}')
    await store.save_snapshot("m", 4, "old")
    assert await store.snapshot("m") == (5, '{"ação": 1}')
    await asyncio.gather(*(store.save_snapshot("m", version, f"v{version}") for version in (8, 6, 9, 7)))
    assert await store.snapshot("m") == (9, "v9")
    assert await store.snapshot("other") is None
    assert await store.snapshot("\0") is None
    with pytest.raises(ValueError, match="NUL"):
        await store.save_snapshot("m", 10, "\0")


# --- values that expire -----------------------------------------------------------------------------------


async def test_values_are_kept_until_they_expire(store: SqlStore) -> None:
    await store.put("code", "k", "ação", 100)
    await store.put("seal", "k", "other", 200)
    assert await store.get("code", "k", 99) == "ação"
    assert await store.get("code", "k", 100) is None
    assert await store.get("seal", "k", 100) == "other"
    await store.put("code", "k", "again", 300)
    await store.put_many("code", {"a": "1", "b": "2"}, 250)
    assert await store.values("code", 99) == {"k": "again", "a": "1", "b": "2"}
    assert await store.values("code", 250) == {"k": "again"}
    assert await store.values("none", 0) == await store.values("\0", 0) == {}
    assert await store.get("code", "\0", 0) is None
    assert await store.take("code", "\0", 0) is None
    for bad in (
        store.put("k", "\0", "", 1),
        store.put("k", "a", "\ud800", 1),
        store.put("k", "a", "", 1e999),
    ):
        with pytest.raises(ValueError, match=r"."):
            await bad


async def test_of_several_callers_exactly_one_takes_a_value(opened: Opener, url: str) -> None:
    stores = [await opened(url), await opened(url)]
    for n in range(10):
        await stores[0].put("code", f"k{n}", f"v{n}", 100)
        takers = [store.take("code", f"k{n}", 50) for store in stores for _ in range(4)]
        answers = await asyncio.gather(*takers)
        assert sorted(answers, key=str) == [None] * 7 + [f"v{n}"]
        assert await stores[1].get("code", f"k{n}", 50) is None
    await stores[0].put("code", "late", "v", 100)
    assert await stores[1].take("code", "late", 100) is None


async def test_a_purge_deletes_expired_values_in_batches(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "PURGE_BATCH", 10)
    await store.put_many("a", {str(n): "x" for n in range(35)}, 100)
    await store.put_many("b", {str(n): "x" for n in range(5)}, 200)
    commits = store.meters.commits
    assert await store.purge(150) == 35
    assert store.meters.commits - commits == 4
    assert await store.values("a", 0) == {}
    assert len(await store.values("b", 0)) == 5
    assert await store.purge(150) == 0


async def test_another_database_has_another_key(opened: Opener, tmp_path: Path) -> None:
    assert (await opened(str(tmp_path / "a.db"))).key != (await opened(str(tmp_path / "b.db"))).key


# --- meters -----------------------------------------------------------------------------------------------


async def test_the_store_counts_what_it_does(store: SqlStore) -> None:
    counted: list[int] = []
    store.meters.committed = lambda events, seconds: counted.append(events)
    await asyncio.gather(*(store.append(f"m{n}", [event(1), event(2)]) for n in range(5)))
    with pytest.raises(Conflict):
        await store.append("m0", [event(1)])
    meters = store.meters
    assert (meters.commits, meters.appends, meters.events) == (2, 5, 10)
    assert (meters.conflicts, meters.errors) == (1, 0)
    assert meters.seconds > 0 and counted == [10, 0]
    assert store.waiting == 0


async def test_versions_of_many_matches_are_read_together(store: SqlStore) -> None:
    matches = [f"m{number}" for number in range(450)]
    appends = (
        store.append(match, [event(version) for version in range(1, 2 + len(match) % 3)]) for match in matches
    )
    await asyncio.gather(*appends)
    found = await store.survey([*matches, "unknown", "a\0b"], 0)
    assert found == {match: Survey(1 + len(match) % 3) for match in matches}
    assert await store.survey([], 0) == {}


# --- servers ----------------------------------------------------------------------------------------------


async def test_a_lease_belongs_to_one_living_server(store: SqlStore) -> None:
    await store.append("m", [event(1)])
    assert not (await store.heartbeat("a", 100, 104)).known
    assert (await store.heartbeat("a", 101, 105)).known
    assert (await store.heartbeat("b", 101, 105)).living == {"a", "b"}
    assert await store.take_lease("m", ("a", 1), 102)
    assert not await store.take_lease("m", ("b", 1), 102)
    assert (await store.survey(["m"], 102))["m"].holder == "a"
    await store.append("m", [event(2)], lease=("a", 1))
    assert await store.take_lease("m", ("a", 2), 102), "its own server may take it again"
    with pytest.raises(Fenced):
        await store.append("m", [event(3)], lease=("a", 1))
    await store.heartbeat("b", 104, 108)
    assert await store.take_lease("m", ("b", 2), 105), "the holder has expired"
    with pytest.raises(Fenced):
        await store.append("m", [event(3)], lease=("a", 2))
    await store.release_leases("a", ["m"])
    assert (await store.survey(["m"], 106))["m"].holder == "b"
    await store.release_leases("b", ["m", "another"])
    assert (await store.survey(["m"], 106))["m"].holder == ""
    assert versions(await store.events("m")) == [1, 2]


async def test_an_append_without_its_lease_does_not_fail_the_others_of_its_commit(store: SqlStore) -> None:
    await store.heartbeat("a", 100, 104)
    for match in ("m", "n", "o"):
        await store.append(match, [event(1)])
        await store.take_lease(match, ("a", 1), 100)
    results = await asyncio.gather(
        store.append("m", [event(2)], lease=("a", 1)),
        store.append("n", [event(2)], lease=("a", 9)),
        store.append("o", [event(2)]),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [type(None), Fenced, type(None)]
    assert [len(await store.events(match)) for match in ("m", "n", "o")] == [2, 1, 2]


async def test_presence_counts_while_its_server_lives(store: SqlStore) -> None:
    await store.append("m", [event(1)])
    await store.heartbeat("a", 100, 104)
    await store.heartbeat("b", 100, 200)
    await store.set_presence("a", {"m": "[0]", "n": "[1]"})
    await store.set_presence("b", {"m": "[]"})
    assert (await store.survey(["m"], 101))["m"].members == {"a": "[0]", "b": "[]"}
    assert (await store.survey(["m"], 104))["m"].members == {"b": "[]"}
    await store.set_presence("b", {"m": ""})
    assert (await store.survey(["m"], 101))["m"].members == {"a": "[0]"}
    await store.set_presence("a", {})


async def test_what_a_dead_server_held_is_due_once(store: SqlStore) -> None:
    await store.heartbeat("a", 100, 104)
    await store.heartbeat("b", 100, 200)
    for match, due in (("clock", 500.0), ("free", 500.0), ("plain", None), ("other", 500.0)):
        await store.append(match, [event(1)], due=due)
        if match != "other":
            await store.take_lease(match, ("a", 1), 100)
    await store.release_leases("a", ["free"])
    await store.set_presence("a", {"clock": "[0]"})
    await store.bury("a", 103)
    assert (await store.survey(["clock"], 103))["clock"].holder == "a", "it lives"
    assert (await store.heartbeat("b", 110, 200)).expired == {"a": 104}
    await store.bury("a", 110)
    assert not (await store.heartbeat("b", 110, 200)).expired
    assert await store.due_matches(110, 10) == ["clock"]
    claims = [await store.claim_due("clock", server, 111, 171) for server in ("b", "c")]
    assert claims == [True, False] and await store.due_matches(111, 10) == []
    assert await store.survey(["clock"], 103) == {"clock": Survey(1)}


async def test_a_due_match_that_a_living_server_holds_is_not_claimed(store: SqlStore) -> None:
    await store.heartbeat("a", 100, 104)
    await store.append("m", [event(1)], due=50.0)
    await store.take_lease("m", ("a", 1), 100)
    assert not await store.claim_due("m", "b", 101, 160)
    assert await store.claim_due("m", "a", 101, 102), "its own"
    assert await store.claim_due("m", "b", 105, 160), "the holder has expired"


# --- values that are changed together ---------------------------------------------------------------------


async def test_values_are_changed_without_losing_the_changes_of_others(opened: Opener, url: str) -> None:
    one, two = await opened(url), await opened(url)
    await asyncio.gather(
        *(
            store.change("n", ["a", "b"], lambda key, value: str(int(value or 0) + 1), 1e10)
            for store in (one, two)
            for _ in range(20)
        )
    )
    assert await one.values("n", 0) == {"a": "40", "b": "40"}
    assert await one.change("n", ["a", "c"], lambda key, value: key + value, 1e10) == {"a": "a40", "c": "c"}
    assert await one.change("n", [], lambda key, value: "", 1e10) == {}
