"""The soak benchmark detects lost and duplicate moves; at night it plays on a real server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bench.soak import Soak, longest
from escadaria.store import StoredEvent, open_store


@pytest.mark.parametrize(
    "stored, problems",
    [
        ({2: "again", 3: "place 3"}, {}),
        ({2: "again"}, {"lost moves": 1}),
        ({2: "again", 3: "place 4"}, {"lost moves": 1, "stored moves that nobody made": 1}),
        ({2: "again", 3: "place 3", 4: "place 3"}, {"stored moves that nobody made": 1}),
    ],
)
def test_what_is_stored_is_compared_with_what_was_accepted(
    tmp_path: Path, stored: dict[int, str], problems: dict[str, int]
) -> None:
    database = str(tmp_path / "matches.sqlite3")
    bodies = [{"kind": "created"}, *({"kind": "acted", "action": action} for action in stored.values())]

    async def store_and_check() -> None:
        store = await open_store(database)
        events = [StoredEvent(n, 0.0, "", json.dumps(body)) for n, body in enumerate(bodies, 1)]
        await store.append("m", events)
        await store.close()
        await soak.check(database)

    soak = Soak("http://127.0.0.1:1")
    soak.sent = {("m", 1): "again", ("m", 2): "place 3"}
    soak.accepted = {("m", 1): 2, ("m", 2): 3}
    asyncio.run(store_and_check())
    soak.close()
    assert soak.problems == problems


def test_a_move_without_an_answer_is_lost(tmp_path: Path) -> None:
    soak = Soak("http://127.0.0.1:1")
    soak.sent = {("m", 1): "again"}
    asyncio.run(soak.check(str(tmp_path / "matches.sqlite3")))
    soak.close()
    assert soak.problems == {"moves without an answer": 1}


def test_the_longest_lag_is_the_bound_of_the_highest_bucket_that_grew() -> None:
    name = 'escadaria_loop_lag_seconds_bucket{le="%s"}'
    before = {name % "0.001": 5.0, name % "0.5": 6.0, name % "1.0": 6.0, name % "+Inf": 6.0}
    after = {name % "0.001": 8.0, name % "0.5": 10.0, name % "1.0": 10.0, name % "+Inf": 10.0}
    assert longest(before, after) == 0.5
    assert longest(before, before | {name % "+Inf": 7.0}) == 1.0
