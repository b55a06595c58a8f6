"""Durable appends per second of a store, and their CPU time.

    python bench/store.py [URL] [--seconds 3]

Without a URL it uses SQLite in a temporary folder beside this file (a disk, not memory). The first column
is the number of concurrent tasks; each appends events to its own match, one after the other, with a mean
pause given by the second column. In the last rows the event loop is busy with other work half of the time,
as in a server. CPU time is that of this process, drivers and threads included, without the other work and
without the PostgreSQL server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import secrets
import statistics
import tempfile
import time
from pathlib import Path

import uvloop

from escadaria.store import Store, StoredEvent, open_store

BODY = json.dumps({"type": "played", "seat": 1, "action": "place 3", "state": "x" * 180})

ROWS = (
    (1, 0.0, False),
    (10, 0.0, False),
    (100, 0.0, False),
    (1000, 0.0, False),
    (1, 0.01, False),
    (100, 1.0, False),
    (500, 1.0, False),
    (2000, 1.0, False),
    (500, 1.0, True),
    (100, 0.0, True),
)
"""Appenders, seconds between the appends of each, whether the event loop is busy."""


async def appender(store: Store, pause: float, until: float, waits: list[float]) -> None:
    match = secrets.token_urlsafe(12)
    version = 0
    await asyncio.sleep(random.uniform(0, pause))
    while (start := time.perf_counter()) < until:
        version += 1
        await store.append(match, [StoredEvent(version, time.time(), secrets.token_hex(6), BODY)])
        waits.append(time.perf_counter() - start)
        if pause:
            wait = random.uniform(0, 2 * pause)
            await asyncio.sleep(min(wait, until - time.perf_counter()))


async def other_work(until: float) -> float:
    """Keep the event loop busy half of the time; return the CPU time used."""
    spent = 0.0
    while (start := time.perf_counter()) < until:
        cpu = time.thread_time()
        while time.perf_counter() < start + 0.0005:
            pass
        spent += time.thread_time() - cpu
        await asyncio.sleep(0.0005)
    return spent


async def measure(url: str, seconds: float) -> None:
    store = await open_store(url)
    print("appenders  pause s  busy  appends/s  CPU us each  p50 ms  p99 ms")
    for count, pause, busy in ROWS:
        waits: list[float] = []
        cpu, start = time.process_time(), time.perf_counter()
        until = start + seconds
        work = asyncio.create_task(other_work(until if busy else start))
        await asyncio.gather(*(appender(store, pause, until, waits) for _ in range(count)))
        cpu, took = time.process_time() - cpu - await work, time.perf_counter() - start
        centiles = statistics.quantiles(waits, n=100)
        print(
            f"{count:9} {pause:8} {'yes' if busy else 'no':>5} {len(waits) / took:10,.0f}"
            f" {cpu / len(waits) * 1e6:12.1f} {centiles[49] * 1e3:7.1f} {centiles[98] * 1e3:7.1f}"
        )
    await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url", nargs="?", help="the database; the events stay in it")
    parser.add_argument("--seconds", type=float, default=3, help="for each row")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path(__file__).parent) as folder:
        uvloop.run(measure(options.url or f"{folder}/store.db", options.seconds))


if __name__ == "__main__":
    main()
