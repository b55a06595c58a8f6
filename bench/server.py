"""The throughput and the latency of the table server.

    python3 run.py bench server
    python3 run.py bench server --tables 100 --seconds 10 --skip-peer --json

A real server process is driven over the loopback interface. Two players at each table, each with their own
connection, play Rapido with random legal actions; a finished match is followed by a rematch. First every
table moves as soon as both players have received the last move (full), then once per second (paced). Every
move is on disk (fsync, SQLite beside this file) before it is broadcast.

The same traffic goes to boardgame.io's server with a similarly simple dice game (``boardgameio/``; npm
fetches it, Node runs it), in memory and with its FlatFile storage, which does not wait for the disk. There
a move is only broadcast; our server also answers the sender.

CPU seconds are those of the server with its threads and child processes: compare moves per CPU second if
other programs share the machine. ``load`` is the CPU usage of this program: near 100 % it is the bottleneck,
not the server. Latency is from sending a request to reading the event on the other player's connection.
Memory is the increase per connection, including its table.

If ``py-spy`` is on the path, the CPU time is broken down by part. This samples the running server, which
needs root or a ptrace scope of 0.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.shared.traffic import PATIENCE, BoardgameIo, BoardgameIoFiles, Escadaria, Load, fetch_peer

HERE = Path(__file__).parent
TABLES = (100, 500, 1000)
WARM_UP = 1.0  # seconds before each measurement
MOST_SECONDS = 180.0  # after which no further tables are opened
PROFILED = 500  # tables while profiling


@dataclass(frozen=True)
class Row:
    """One measurement."""

    server: str
    tables: int
    traffic: str
    """``full``, or ``paced`` with one move per second at each table."""
    moves_per_second: float
    moves_per_cpu_second: float
    cpu_us_per_move: float
    p50_ms: float
    p99_ms: float
    kib_per_connection: float
    load: float
    """The CPU usage of this program."""
    refused: int

    def __str__(self) -> str:
        return (
            f"{self.server:24}{self.tables:7} {self.traffic:8}{self.moves_per_second:9,.0f}"
            f"{self.moves_per_cpu_second:12,.0f}{self.cpu_us_per_move:8.0f}{self.p50_ms:8.1f}{self.p99_ms:8.1f}"
            f"{self.kib_per_connection:9.1f}{self.load:6.0%}{self.refused:8}"
        )


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Measure the table server beside boardgame.io's.")
    parser.add_argument(
        "--tables", type=int, nargs="+", default=TABLES, help="numbers of tables (100 500 1000)"
    )
    parser.add_argument("--seconds", type=float, default=4, help="duration of each measurement (4)")
    parser.add_argument("--skip-peer", action="store_true", help="measure only our server")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    if min(options.tables) < 1 or options.seconds <= 0:
        parser.error("--tables must be 1 or more, --seconds more than 0")
    sides: list[type[Load]] = [Escadaria]
    if not options.skip_peer:
        fetch_peer()
        sides += [BoardgameIo, BoardgameIoFiles]
    make_room()
    if not options.json:
        print(HEADER, flush=True)
    rows = []
    give_up = time.perf_counter() + MOST_SECONDS
    for tables, side in itertools.product(options.tables, sides):
        try:
            for row in measure(side, tables, options.seconds, give_up):
                rows.append(row)
                if not options.json:
                    print(row, flush=True)
        except TimeoutError as error:
            print(error, file=sys.stderr)
    parts = profile(options.seconds, give_up)
    if options.json:
        print(json.dumps({"machine": machine(), "rows": list(map(asdict, rows)), "parts": parts}, indent=2))
    else:
        print_parts(parts)


def measure(side: type[Load], tables: int, seconds: float, give_up: float) -> Iterator[Row]:
    """Start a server, open the tables, and measure both kinds of traffic.

    :raises TimeoutError: if the tables are not open in time.
    """
    with served(side) as (process, load):
        load.open_tables(1, give_up)  # so that late imports are not counted as memory of connections
        before = memory(process.pid)
        load.open_tables(tables - 1, give_up)
        each = (memory(process.pid) - before) / 1024 / max(1, 2 * (tables - 1))
        load.begin()
        for traffic, period in (("full", 0.0), ("paced", 1.0)):
            load.pace(period)
            load.run(WARM_UP)
            load.waits.clear()
            refused, own, start = load.refused, time.process_time(), time.perf_counter()
            cpu = cpu_seconds(process.pid)
            load.run(seconds)
            cpu = cpu_seconds(process.pid) - cpu
            took = time.perf_counter() - start
            p50, p99 = percentiles(load.waits)
            yield Row(
                side.name,
                tables,
                traffic,
                moves_per_second=len(load.waits) / took,
                moves_per_cpu_second=len(load.waits) / cpu if cpu else 0.0,
                cpu_us_per_move=cpu * 1e6 / len(load.waits) if load.waits else 0.0,
                p50_ms=p50 * 1000,
                p99_ms=p99 * 1000,
                kib_per_connection=each,
                load=(time.process_time() - own) / took,
                refused=load.refused - refused,
            )


def percentiles(waits: list[float]) -> tuple[float, float]:
    """The 50th and the 99th percentile."""
    if len(waits) < 2:
        return 0.0, 0.0
    all_of_them = statistics.quantiles(waits, n=100)
    return all_of_them[49], all_of_them[98]


# Profiling.

PARTS = {
    "rules": r"escadaria/(game|games/.*|play|record|dice|match/match)\.py",
    "encoding": r"escadaria/wire\.py",
    "store": r"escadaria/store/|psycopg|sqlite3/",
    "metrics": r"prometheus_client/",
    "socket": r"uvicorn/protocols/|websockets/|litestar/|escadaria/server/edge/(protocol|socket)\.py",
    "room": r"escadaria/server/(?!run)",
}
"""The part of a sample is that of its innermost function in one of these files, else the event loop."""


def profile(seconds: float, give_up: float) -> dict[str, float]:
    """The CPU time per move of each part at full load, in microseconds; empty without ``py-spy``.

    The time of the store's threads is measured; that of the main thread is divided by samples.
    """
    sampler = shutil.which("py-spy")
    if sampler is None:
        return {}
    with served(Escadaria) as (process, load), tempfile.NamedTemporaryFile() as samples:
        load.open_tables(PROFILED, give_up + PATIENCE)
        load.begin()
        load.run(WARM_UP)
        load.waits.clear()
        all_before, main_before = cpu_seconds(process.pid), main_thread_seconds(process.pid)
        load.run(seconds)
        main = (main_thread_seconds(process.pid) - main_before) * 1e6 / len(load.waits)
        others = (cpu_seconds(process.pid) - all_before) * 1e6 / len(load.waits) - main
        command = [sampler, "record", "--pid", str(process.pid), "--duration", str(max(1, round(seconds)))]
        command += ["--rate", "200", "--gil", "--threads", "--full-filenames"]
        command += ["--format", "raw", "--output", samples.name]
        sampling = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            load.run(seconds + 10, until=lambda: sampling.poll() is not None)
        finally:
            sampling.kill()
            sampling.wait()
        shares = shares_of(Path(samples.name).read_text())
    costs = {part: share * main for part, share in shares.items()}
    costs["store"] = costs.get("store", 0.0) + others
    return dict(sorted(costs.items(), key=lambda cost: -cost[1]))


def shares_of(samples: str) -> dict[str, float]:
    """The shares of the main thread's time, from lines of ``outermost;…;innermost COUNT``."""
    counts: Counter[str] = Counter()
    for line in samples.splitlines():
        stack, _, count = line.rpartition(" ")
        if "MainThread" in stack:
            counts[part_of(stack.split(";"))] += int(count)
    return {part: count / counts.total() for part, count in counts.items()}


def part_of(frames: list[str]) -> str:
    for frame in reversed(frames):
        for part, pattern in PARTS.items():
            if re.search(pattern, frame):
                return part
    return "loop"


# Processes.


def make_room() -> None:
    """Raise the limit of open files, and reserve the last CPU for this program."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if len(processors := sorted(os.sched_getaffinity(0))) > 1:
        os.sched_setaffinity(0, processors[-1:])


@contextmanager
def served(side: type[Load]) -> Iterator[tuple[subprocess.Popen[str], Load]]:
    """A server process on the other CPUs, with its data beside this file; it is stopped at the end."""
    others = set(range(os.cpu_count() or 1)) - os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=HERE) as folder:
        process = subprocess.Popen(
            side.command(folder),
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NODE_ENV": "production"},
            preexec_fn=lambda: os.sched_setaffinity(0, others or os.sched_getaffinity(0)),
        )
        try:
            assert process.stdout is not None
            found = re.search(r"http://[\d.]+:\d+", process.stdout.readline())
            if found is None:
                raise ConnectionError(f"{side.name} did not start")
            load = side(found[0])
            try:
                yield process, load
            finally:
                load.close()
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def family(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from family(int(child))


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process, its threads and its children."""
    ticks = 0
    for member in family(pid):
        fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))  # its own, and that of finished children
    return ticks / os.sysconf("SC_CLK_TCK")


def main_thread_seconds(pid: int) -> float:
    """The CPU time of a process's main thread."""
    fields = Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """The resident memory of a process and its children, in bytes."""
    pages = sum(int(Path(f"/proc/{member}/statm").read_text().split()[1]) for member in family(pid))
    return pages * os.sysconf("SC_PAGE_SIZE")


# Output.

HEADER = (
    f"{'server':24}{'tables':>7} {'traffic':8}{'moves/s':>9}{'moves/CPU s':>12}{'CPU us':>8}"
    f"{'p50 ms':>8}{'p99 ms':>8}{'KiB each':>9}{'load':>6}{'refused':>8}"
)


def print_parts(parts: dict[str, float]) -> None:
    if not parts:
        print("\nInstall py-spy to see the CPU time by part.")
        return
    total = sum(parts.values())
    print(f"\nThe {total:.0f} us of CPU time per move by part, at {PROFILED} tables with full traffic:")
    for part, cost in parts.items():
        print(f"  {part:10}{cost:6.0f} us{cost / total:7.1%}")


def machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
