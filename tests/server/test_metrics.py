"""Metrics, scraped from a real server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from escadaria.server import metrics
from raw import QUICK, opened, raw, socket_to
from server.clients import client
from serving import PATIENCE, Inside, Server, eventually, running, serving, wait_until

pytestmark = pytest.mark.anyio

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server process whose counters no other test changes."""
    with running(Server(tmp_path_factory.mktemp("metrics"))) as server:
        yield server


def scrape(url: str) -> Samples:
    page = httpx.get(f"{url}/metrics", trust_env=False, timeout=PATIENCE)
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/plain; version=")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page.text)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((name, frozenset(labels.items())), 0.0)


def grown(before: Samples, after: Samples, name: str, **labels: str) -> float:
    return value(after, name, **labels) - value(before, name, **labels)


def test_requests_are_counted_and_timed_by_route_template(own: Server) -> None:
    before = scrape(own.url)
    with httpx.Client(base_url=own.url, trust_env=False, timeout=PATIENCE) as http:
        for number in range(3):
            http.get(f"/api/matches/none-{number}")
        http.get("/api/games")
        http.post("/api/seals-and-more")
        http.request("INVENTED", "/api/games")
        assert http.get("/api/games", headers={"Host": "other.example.org"}).status_code == 421
    more = partial(grown, before, scrape(own.url))
    assert more("escadaria_http_requests_total", route="/api/matches/{match}", status="404") == 3
    assert more("escadaria_http_requests_total", route="/api/games", status="200") == 1
    assert more("escadaria_http_requests_total", route="none", status="421") == 1
    assert more("escadaria_http_seconds_count", route="/api/matches/{match}") == 3


def test_no_label_comes_from_a_client(own: Server) -> None:
    with httpx.Client(base_url=own.url, trust_env=False, timeout=PATIENCE) as http:
        for text in ("zebra-1", "zebra-2"):
            http.get(f"/{text}", headers={"Host": text})
            http.post(f"/{text}")
            http.request(text.upper(), f"/api/{text}")
            http.post("/api/matches", json={"game": text})
    assert not [labels for _, labels in scrape(own.url) if "zebra" in str(labels).lower()]


def test_the_process_and_its_build_are_described(own: Server) -> None:
    wait_until(lambda: value(scrape(own.url), "escadaria_loop_lag_seconds_count"), "its lag is sampled")
    samples = scrape(own.url)
    assert value(samples, "process_resident_memory_bytes") > 10e6
    assert 0 < value(samples, "process_open_fds") < value(samples, "process_max_fds")
    assert value(samples, "escadaria_uptime_seconds") > 0
    assert {"escadaria_connections", "escadaria_bots_waiting"} <= {name for name, _ in samples}
    builds = [dict(labels) for name, labels in samples if name == "escadaria_build_info"]
    assert len(builds) == 1 and set(builds[0]) == {"version", "commit", "python", "worker"}


async def test_a_blocked_event_loop_is_measured() -> None:
    def total() -> float:
        (lag,) = metrics.LOOP_LAG.collect()
        return {sample.name: sample.value for sample in lag.samples}["escadaria_loop_lag_seconds_sum"]

    before, measuring = total(), asyncio.create_task(metrics.measure_lag(0.001))
    await asyncio.sleep(0)  # it has begun
    time.sleep(0.1)
    await eventually(lambda: total() - before >= 0.09, "the lag is measured")
    measuring.cancel()


async def test_commits_are_measured(server: Inside) -> None:
    before = await asyncio.to_thread(scrape, server.url)
    await opened(server.url)
    after = await asyncio.to_thread(scrape, server.url)
    for name in ("escadaria_commit_seconds_count", "escadaria_commit_events_count"):
        assert grown(before, after, name) > 0
    assert value(after, "escadaria_store_up") == 1


async def test_a_lost_store_is_shown_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def lines(message: str) -> int:
        return sum(record.getMessage() == message for record in caplog.records)

    async def answers_again() -> int:
        await http.get("/readyz")
        return lines("the store answers again")

    async with serving(tmp_path) as server, client(server.url) as http:
        assert (await http.get("/healthz")).text == (await http.get("/readyz")).text == "ok"
        file = tmp_path / "matches.sqlite3"
        file.rename(tmp_path / "away")
        for _ in range(5):
            answer = await http.get("/readyz")
            assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
        assert (await http.get("/healthz")).status_code == 200
        lost = await asyncio.to_thread(scrape, server.url)
        assert value(lost, "escadaria_store_up") == 0
        assert value(lost, "escadaria_store_errors_total", reason="unavailable") >= 5
        assert lines("the store does not answer") == 1
        (tmp_path / "away").rename(file)
        await eventually(answers_again, "the store answers again")
        assert value(await asyncio.to_thread(scrape, server.url), "escadaria_store_up") == 1
    assert lines("the store does not answer") == lines("the store answers again") == 1


async def test_moves_and_the_work_of_bots_are_timed(own: Server) -> None:
    before = await asyncio.to_thread(scrape, own.url)
    match = await opened(own.url, people=[{"name": "Ana"}], bots=["regular"], start=True, settings=QUICK)
    async with raw(own.url, match["match"], token=match["token"]) as ana:
        snapshot = await ana.expect("snapshot")
        version, now, acted = snapshot["version"], snapshot["now"], 0
        while not acted or now["to_act"] == 0:  # until the bot has its turn
            refused = await ana.ask("act", version=version - 1, action="roll")
            assert refused["type"] == "refused", "a refused move is not timed"
            await ana.ask("act", version=version, action=now["legal"][-1])
            event = await ana.expect("event")
            version, now, acted = event["version"], event["now"], acted + 1
        while now["to_act"] == 1 and now["status"] == "playing":
            now = (await ana.expect("event"))["now"]
    after = await asyncio.to_thread(scrape, own.url)
    more = partial(grown, before, after)
    assert more("escadaria_move_seconds_count") == acted
    assert more("escadaria_queue_wait_seconds_count", queue="bots") > 0
    assert more("escadaria_work_seconds_count", queue="bots") > 0
    assert value(after, "escadaria_queue_length", queue="bots") == 0
    assert more("escadaria_refusals_total", code="stale_version") == acted
    assert value(after, "escadaria_tables") >= 1


async def test_requests_of_an_address_are_limited_and_hits_counted_by_kind(tmp_path: Path) -> None:
    async with serving(tmp_path, requests_per_second=0.001, requests_burst=3) as server:
        before = await asyncio.to_thread(scrape, server.url)
        async with client(server.url) as http:
            codes = [(await http.get("/api/games")).status_code for _ in range(8)]
            assert codes == [200] * 3 + [429] * 5
            assert (await http.get("/api/games")).json()["code"] == "too_fast"
            assert (await http.get("/healthz")).status_code == 200
        async with socket_to(server.url, "any") as socket:
            assert await socket.read() == {"type": "bye", "code": "too_fast"}
        after = await asyncio.to_thread(scrape, server.url)
    assert grown(before, after, "escadaria_limit_hits_total", limit="requests") == 7


async def test_a_sweep_is_counted_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "escadaria")
    async with serving(tmp_path, idle_seconds=0) as server:
        await opened(server.url)
        before = await asyncio.to_thread(scrape, server.url)
        await server.hub.sweep()
        after = await asyncio.to_thread(scrape, server.url)
    assert grown(before, after, "escadaria_swept_total", what="asleep") == 1
    last, start = "escadaria_last_sweep_timestamp_seconds", "process_start_time_seconds"
    assert value(after, last) >= value(after, start)
    assert [vars(record)["asleep"] for record in caplog.records if record.getMessage() == "swept"][-1] == 1
