"""A soak test of the table server: latency, memory and durability over a long run.

    python3 run.py bench soak
    python3 run.py bench soak --tables 200 --minutes 30 --output soak

A real server process on the loopback interface is driven as in ``bench server``: two players at each table,
each with their own connection, make one move per second, and a finished match is followed by a rematch.
Every few seconds it prints memory and CPU of the server with its child processes, the latency of broadcasts,
the lag of the event loop, the open files and the errors. At the end it writes ``soak.json`` and ``soak.svg``
into the folder ``--output``.

Then the server is stopped and each stored match is read: every accepted move must be stored exactly once, at
the version it was accepted with, and there must be no other moves. The exit code is 1 if a move was lost or
stored twice, or if the server refused a move or closed a connection.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import msgspec

from bench.server import cpu_seconds, machine, make_room, memory, percentiles, served
from bench.shared.traffic import PATIENCE, Client, Escadaria, Table
from escadaria.store import open_store

PERIOD = 1.0  # seconds between two moves at a table
AT_A_TIME = 100  # tables opened per batch
LAG = "escadaria_loop_lag_seconds_bucket"


@dataclass(frozen=True)
class Sample:
    """The measurements of one interval."""

    minutes: float
    """Since the start of play."""
    moves_per_second: float
    p50_ms: float
    p99_ms: float
    lag_ms: float
    """The longest lag of the event loop: the upper bound of its bucket."""
    cpu: float
    """CPU usage, including child processes."""
    rss_mb: float
    files: int
    tables_in_memory: int
    errors: int
    """Since the start."""

    def __str__(self) -> str:
        return (
            f"{self.minutes:8.2f}{self.moves_per_second:9.0f}{self.p50_ms:8.1f}{self.p99_ms:8.1f}"
            f"{self.lag_ms:8.0f}{self.cpu:7.0%}{self.rss_mb:9.1f}{self.files:7}"
            f"{self.tables_in_memory:8}{self.errors:8}"
        )


HEADER = (
    f"{'minutes':>8}{'moves/s':>9}{'p50 ms':>8}{'p99 ms':>8}{'lag ms':>8}{'CPU':>7}{'RSS MB':>9}"
    f"{'files':>7}{'tables':>8}{'errors':>8}"
)


def main() -> int:
    """Play, print a line for each interval, and check the stored moves."""
    parser = argparse.ArgumentParser(
        description="Play paced tables for a long time; check every stored move."
    )
    parser.add_argument("--tables", type=int, default=200, help="number of tables (200)")
    parser.add_argument("--minutes", type=float, default=30, help="duration (30)")
    parser.add_argument("--every", type=float, default=5, help="seconds between two samples (5)")
    parser.add_argument("--output", type=Path, default=Path("soak"), help="a folder for plot and JSON (soak)")
    options = parser.parse_args()
    if options.tables < 1 or options.minutes <= 0 or options.every <= 0:
        parser.error("--tables must be 1 or more, --minutes and --every more than 0")
    make_room()
    samples: list[Sample] = []
    with served(Soak) as (process, load):
        assert isinstance(load, Soak)
        for already in range(0, options.tables, AT_A_TIME):
            load.open_tables(min(AT_A_TIME, options.tables - already), time.perf_counter() + PATIENCE)
        print(HEADER, flush=True)
        try:
            for sample in play(load, process.pid, 60 * options.minutes, options.every):
                samples.append(sample)
                print(sample, flush=True)
            load.finish_moves()
        except ConnectionError as error:
            load.problems["connection"] += 1
            print(error, file=sys.stderr)
        stopped = time.perf_counter()
        process.terminate()
        code = process.wait(60)
        print(f"\nthe server stopped in {time.perf_counter() - stopped:.1f} s with {code}")
        asyncio.run(load.check(database_of(process)))
    report = {
        "machine": machine(),
        "tables": options.tables,
        "moves": len(load.accepted),
        "matches": len(load.matches),
        "refused": load.refused,
        "problems": dict(load.problems),
        "samples": [asdict(sample) for sample in samples],
    }
    write(options.output, report, samples)
    print(f"{len(load.accepted):,} moves in {len(load.matches):,} matches; {load.refused} refused")
    print("problems: " + (", ".join(f"{n} {what}" for what, n in load.problems.items()) or "none"))
    return 1 if load.problems or load.refused else 0


class Soak(Escadaria):
    """Traffic for our server that records every move."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url
        self.matches: set[str] = set()
        self.sent: dict[tuple[str, int], str] = {}
        """The action sent for a version of a match."""
        self.accepted: dict[tuple[str, int], int] = {}
        """The version of the stored event."""
        self.problems: Counter[str] = Counter()

    def take(self, client: Client, frame: bytes) -> None:
        if frame:
            self._note(client, _seen.decode(frame))
        super().take(client, frame)

    def _note(self, client: Client, seen: _Seen) -> None:
        match = client.table.match
        self.matches.add(match)
        if seen.type == "event" and client.version > 0 and seen.version != client.version + 1:
            # The next match begins with a snapshot, which may be at any version.
            self.problems["lost events" if seen.version > client.version else "doubled events"] += 1
        if seen.type == "accepted" and seen.id.isdecimal():
            move = match, int(seen.id)
            if move in self.accepted:
                self.problems["doubled answers"] += 1
            self.accepted[move] = seen.version

    def _move(self, table: Table) -> None:
        wanted = table.next
        super()._move(table)
        if wanted is not None and table.next is None:
            request = json.loads(wanted[1])
            self.sent[table.match, request["version"]] = request["action"]

    def finish_moves(self) -> None:
        """Make no more moves, and wait for the answers to those that were sent."""
        self._begun = False
        self.run(PATIENCE, until=lambda: len(self.accepted) + self.refused >= len(self.sent))

    async def check(self, database: str) -> None:
        """Compare accepted moves with stored ones."""
        self.problems["moves without an answer"] += len(self.sent.keys() - self.accepted.keys())
        moves: dict[str, dict[int, str]] = defaultdict(dict)
        for (match, asked), version in self.accepted.items():
            self.problems["two moves at one version"] += version in moves[match]
            moves[match][version] = self.sent[match, asked]
        store = await open_store(database)
        try:
            for match, expected in moves.items():
                stored = {event.version: json.loads(event.body) for event in await store.events(match)}
                self.problems["gaps in stored versions"] += sorted(stored) != list(range(1, len(stored) + 1))
                kept = {v for v, action in expected.items() if action in stored.get(v, {}).values()}
                self.problems["lost moves"] += len(expected) - len(kept)
                kinds = {stored[version]["kind"] for version in kept}
                alike = sum(body["kind"] in kinds for body in stored.values())
                self.problems["stored moves that nobody made"] += alike - len(kept)
        finally:
            await store.close()
        self.problems += Counter()  # removes zeros


class _Seen(msgspec.Struct):
    """The fields of a frame that are needed here."""

    type: str
    version: int = 0
    id: str = ""


_seen = msgspec.json.Decoder(_Seen)


def play(load: Soak, pid: int, seconds: float, every: float) -> Iterator[Sample]:
    """Run all tables, and measure each interval."""
    load.begin()
    load.pace(PERIOD)
    start = last = time.perf_counter()
    cpu, moves = cpu_seconds(pid), len(load.accepted)
    with ThreadPoolExecutor(1) as pool:
        before = scrape(load.url)
        while start + seconds - last > every / 2 or last == start:
            load.waits.clear()
            load.run(min(every, start + seconds - last))
            scraping = pool.submit(scrape, load.url)
            load.run(PATIENCE, until=scraping.done)
            now, used, made, page = (
                time.perf_counter(),
                cpu_seconds(pid),
                len(load.accepted),
                scraping.result(),
            )
            p50, p99 = percentiles(load.waits)
            yield Sample(
                minutes=(now - start) / 60,
                moves_per_second=(made - moves) / (now - last),
                p50_ms=p50 * 1000,
                p99_ms=p99 * 1000,
                lag_ms=1000 * longest(before, page),
                cpu=(used - cpu) / (now - last),
                rss_mb=memory(pid) / 1e6,
                files=int(page.get("process_open_fds", 0)),
                tables_in_memory=int(page.get("escadaria_tables", 0)),
                errors=load.refused + load.problems.total(),
            )
            last, cpu, moves, before = now, used, made, page


def scrape(url: str) -> dict[str, float]:
    """The samples at ``/metrics``, by name and labels."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=PATIENCE) as page:
        lines = page.read().decode().splitlines()
    samples = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


def longest(before: dict[str, float], after: dict[str, float]) -> float:
    """The upper bound of the highest bucket of the lag that grew; infinity is shown as the last bound."""
    buckets = {
        name.split('"')[1]: value - before.get(name, 0)
        for name, value in after.items()
        if name.startswith(LAG)
    }
    bounds = sorted((float(bound), count) for bound, count in buckets.items())
    grown = [bound for (low, fewer), (bound, more) in pairwise(bounds) if more > fewer]
    finite = [bound for bound, _ in bounds if bound != float("inf")]
    return min(max(grown, default=bounds[0][0]), finite[-1]) if bounds else 0.0


def database_of(process: subprocess.Popen[str]) -> str:
    words: Any = process.args
    return str(words[words.index("--database") + 1])


def write(folder: Path, report: dict[str, Any], samples: list[Sample]) -> None:
    """Write the figures as JSON and as a plot."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "soak.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    minutes = [sample.minutes for sample in samples]
    panels = (
        ("latency, ms", {"p50": [s.p50_ms for s in samples], "p99": [s.p99_ms for s in samples]}),
        ("event-loop lag, ms", {"longest": [s.lag_ms for s in samples]}),
        ("memory, MB", {"server and workers": [s.rss_mb for s in samples]}),
        ("CPU, share of one", {"server and workers": [s.cpu for s in samples]}),
        ("moves per second", {"accepted": [s.moves_per_second for s in samples]}),
    )
    figure, axes = plt.subplots(len(panels), sharex=True, figsize=(9, 11), layout="constrained")
    for axis, (title, lines) in zip(axes, panels, strict=True):
        for label, values in lines.items():
            axis.plot(minutes, values, label=label)
        axis.set_ylabel(title)
        axis.set_ylim(0, 1.1 * max(map(max, lines.values())) or 1)
        axis.grid(alpha=0.3)
        axis.legend(loc="upper left")
    axes[-1].set_xlabel("minutes")
    axes[0].set_title(f"{report['tables']} tables, one move a second each")
    figure.savefig(folder / "soak.svg")
    plt.close(figure)
    print(f"wrote {folder / 'soak.json'} and {folder / 'soak.svg'}")


if __name__ == "__main__":
    sys.exit(main())
