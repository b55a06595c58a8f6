"""How many durable appends a store makes in a second, and what one costs in processor time.

    python bench/store.py [URL] [--seconds 3]

Without a URL: SQLite, in a folder made for it beside this file (a disk, not memory). As many tasks as
the first column says append one event after the other, each to its own match. Processor time is this
process's, drivers and threads included; for PostgreSQL the server's own is not in it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import statistics
import tempfile
import time
from pathlib import Path

from escadaria.store import Store, StoredEvent, open_store

BODY = json.dumps({"type": "played", "seat": 1, "action": "place 3", "state": "x" * 180})


async def appender(store: Store, until: float, waits: list[float]) -> None:
    match = secrets.token_urlsafe(12)
    version = 0
    while (start := time.perf_counter()) < until:
        version += 1
        await store.append(match, [StoredEvent(version, time.time(), secrets.token_hex(6), BODY)])
        waits.append(time.perf_counter() - start)


async def measure(url: str, seconds: float) -> None:
    store = await open_store(url)
    print(f"{'appenders':>9} {'appends/s':>10} {'CPU us each':>12} {'p50 ms':>8} {'p99 ms':>8}")
    for count in (1, 10, 100, 1000):
        waits: list[float] = []
        cpu, start = time.process_time(), time.perf_counter()
        await asyncio.gather(*(appender(store, start + seconds, waits) for _ in range(count)))
        cpu, took = time.process_time() - cpu, time.perf_counter() - start
        centiles = statistics.quantiles(waits, n=100)
        print(
            f"{count:9} {len(waits) / took:10,.0f} {cpu / len(waits) * 1e6:12.1f}"
            f" {centiles[49] * 1e3:8.1f} {centiles[98] * 1e3:8.1f}"
        )
    await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url", nargs="?", help="where to append; it stays there")
    parser.add_argument("--seconds", type=float, default=3, help="for each row")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path(__file__).parent) as folder:
        asyncio.run(measure(options.url or f"{folder}/store.db", options.seconds))


if __name__ == "__main__":
    main()
