"""Two workers on one database: limits, seals and recovery codes hold for both together."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from bus.conftest import Workers
from databases import Postgres
from escadaria.client import open_match
from escadaria.refusals import Refused
from escadaria.store import StoreUnavailable
from raw import duel, raw
from serving import PATIENCE, eventually

pytestmark = pytest.mark.anyio

ADDRESS = "203.0.113.7"


@pytest.fixture
def options(postgres: Postgres) -> dict[str, Any]:
    limits = {"hints_per_second": 0.01, "hints_burst": 60, "tables_per_address": 3}
    return {"database": postgres.empty(), **limits}


async def test_what_an_address_spends_at_one_worker_is_missing_at_the_other(workers: Workers) -> None:
    one, two = workers.one, workers.two
    one.hub.limits.take(ADDRESS, "hints", 40)
    two.hub.limits.take(ADDRESS, "hints", 15)
    for server in (one, two, one):
        await server.hub.save_limits()
    for server in (one, two):
        with pytest.raises(Refused, match="too many hints"):
            server.hub.limits.take(ADDRESS, "hints", 7)
    two.hub.limits.take(ADDRESS, "hints", 4)
    assert one.hub.limits.allows("198.51.100.1", "hints", 60), "another address"


async def test_without_the_store_each_worker_has_its_own_limits_and_nothing_is_forgotten(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = workers.one, workers.two

    async def fail(*_: Any) -> Any:
        raise StoreUnavailable("a test")

    change = one.hub.store.change
    monkeypatch.setattr(one.hub.store, "change", fail)
    one.hub.limits.take(ADDRESS, "hints", 50)
    with pytest.raises(StoreUnavailable):
        await one.hub.save_limits()
    assert not one.hub.limits.allows(ADDRESS, "hints", 20)
    assert two.hub.limits.allows(ADDRESS, "hints", 5)
    monkeypatch.setattr(one.hub.store, "change", change)
    for server in (one, two):
        await server.hub.save_limits()
    assert not two.hub.limits.allows(ADDRESS, "hints", 20)


async def test_tables_of_an_address_are_counted_at_all_workers(workers: Workers) -> None:
    one, two = workers.one, workers.two
    await eventually(lambda: two.hub.leases.others and one.hub.leases.others, "they know each other")
    for _ in range(2):
        await open_match(one.url, "rapido")
    await one.hub.save_limits()
    await open_match(two.url, "rapido")
    with pytest.raises(Refused, match="too_many"):
        await open_match(two.url, "rapido")
    for name, room in list(one.hub.rooms.items()):
        one.hub._remove(name, room)
    await one.hub.save_limits()
    await open_match(two.url, "rapido")


async def test_a_seal_of_one_worker_is_used_once_at_any(workers: Workers) -> None:
    one, two = workers.one, workers.two
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as http:
        sealed = (await http.post(f"{one.url}/api/seals")).json()
        body = {"game": "rapido", "options": {"players": 2}, "match": sealed["match"]}
        answers = [await http.post(f"{server.url}/api/matches", json=body) for server in (two, one)]
        assert [answer.status_code for answer in answers] == [201, 400]
        assert answers[1].json()["code"] == "not_sealed"


async def test_a_used_recovery_code_is_void_at_all_workers(workers: Workers) -> None:
    one, two = workers.one, workers.two
    match, token = await duel(one.url)
    name = match["match"]
    async with raw(one.url, name, token=token) as old:
        code = (await old.ask("recover"))["code"]
        async with raw(two.url, name, recover=code) as new:
            fresh = (await new.expect("welcome"))["token"]
        assert (await old.expect("bye"))["code"] == "moved"
    async with raw(two.url, name, recover=code) as repeated:  # its answer may have been lost
        assert (await repeated.expect("welcome"))["token"] == fresh
    async with raw(one.url, name, token=fresh) as device:
        assert (await device.expect("welcome"))["role"] == "player"
        await eventually(lambda: one.hub.rooms[name].jobs.idle, "the code is deleted")
        for server in (one, two):
            async with raw(server.url, name, recover=code) as thief:
                assert (await thief.expect("refused"))["code"] == "forbidden"
