"""Several workers on one PostgreSQL: what the second one costs, and what Redis saves.

    python3 run.py bench scale
    python3 run.py bench scale --tables 100 --seconds 5 --workers 1 2 4 --idle 2000 --json

Real server processes, PostgreSQL and Redis (installed if missing, as for the tests) are driven over the
loopback interface. The two players of each table are at different workers: every move is stored by one of
them and broadcast by both. First every table moves as soon as both players have received the last move
(full), then once per second (paced). At last one worker and two workers play in turns of a second: on a
machine that does other work too, only that comparison can be repeated.

``moves/CPU s`` divides by the CPU time of all workers with their threads; that of PostgreSQL and of Redis per
move stands beside it. Latency is from sending a move until the other player receives it, at the other worker.
``--idle`` measures the memory of connections that only stay.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(1, str(Path(__file__).parents[1] / "tests"))

from bench.server import cpu_seconds, machine, make_room, memory, percentiles
from bench.shared.traffic import (
    NO_LIMITS,
    PATIENCE,
    PEER,
    BoardgameIo,
    Client,
    Escadaria,
    Load,
    Table,
    fetch_peer,
)
from databases import Postgres, Redis

WARM_UP = 1.0

REPEAT_SECONDS = 3.0
"""When a move at boardgame.io's servers that was not answered is repeated."""


@dataclass(frozen=True)
class Row:
    """One measurement."""

    bus: str
    workers: int
    tables: int
    traffic: str
    moves_per_second: float
    moves_per_cpu_second: float
    """Of the workers alone."""
    postgres_us: float
    redis_us: float
    p50_ms: float
    p99_ms: float
    load: float
    """The CPU usage of this program."""

    def __str__(self) -> str:
        return (
            f"{self.bus:12}{self.workers:8}{self.tables:8} {self.traffic:7}{self.moves_per_second:9,.0f}"
            f"{self.moves_per_cpu_second:12,.0f}{self.postgres_us:11.0f}{self.redis_us:10.0f}"
            f"{self.p50_ms:8.1f}{self.p99_ms:8.1f}{self.load:6.0%}"
        )


HEADER = (
    f"{'bus':12}{'workers':>8}{'tables':>8} {'traffic':7}{'moves/s':>9}{'moves/CPU s':>12}"
    f"{'PostgreSQL':>11}{'Redis us':>10}{'p50 ms':>8}{'p99 ms':>8}{'load':>6}"
)


class Spread(Load):
    """Tables whose players are at different workers."""

    def __init__(self, urls: Sequence[str]) -> None:
        super().__init__(urls[0])
        self._ports = [int(url.rpartition(":")[2]) for url in urls]
        self._numbers: dict[int, int] = {}

    def connect(self, table: Table) -> None:
        number = self._numbers.setdefault(id(table), len(self._numbers))
        for client in table.clients:
            client.close()
            self._connect(client, self._ports[(number + client.seat) % len(self._ports)])

    def _connect(self, client: Client, port: int) -> None:
        descriptor = client.connect(self.host, port, self.path(client))
        self._by_number[descriptor] = client
        self._poll.register(descriptor, 1)  # EPOLLIN


class SpreadTables(Spread, Escadaria):
    """At our workers."""


class SpreadPeer(Spread, BoardgameIo):
    """At boardgame.io's servers.

    They broadcast a move before they store it. A move that follows at once at the other server finds the old
    state there, and is dropped without an answer. So moves are repeated.
    """

    def __init__(self, urls: Sequence[str]) -> None:
        super().__init__(urls)
        self._repeated = 0.0

    def _turn(self, wait: float) -> None:
        super()._turn(wait)
        now = time.perf_counter()
        if now - self._repeated > REPEAT_SECONDS:
            self._repeated = now
            for table in self.tables:
                if table.mover is not None and now - table.sent > REPEAT_SECONDS:
                    table.mover.send(table.request)
                    self.refused += 1


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Measure several workers on one PostgreSQL.")
    parser.add_argument("--tables", type=int, default=200, help="number of tables (200)")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2], help="numbers of workers (1 2)")
    parser.add_argument("--seconds", type=float, default=5, help="duration of each measurement (5)")
    parser.add_argument("--turns", type=int, default=10, help="turns of each side of the comparison (10)")
    parser.add_argument("--skip-peer", action="store_true", help="compare without boardgame.io")
    parser.add_argument("--idle", type=int, default=0, help="idle connections to measure (0)")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    if options.turns and not options.skip_peer:
        fetch_peer()
    make_room()
    if not options.json:
        print(HEADER, flush=True)
    rows: list[Row] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="escadaria-bench-")))
        folder.chmod(0o755)
        postgres = Postgres(_folder(folder, "postgres"))
        stack.callback(postgres.stop)
        redis = Redis(_folder(folder, "redis"))
        stack.callback(redis.stop)
        for workers in options.workers:
            for bus in ("PostgreSQL", "Redis"):
                for row in measure(bus, workers, options.tables, options.seconds, postgres, redis):
                    rows.append(row)
                    if not options.json:
                        print(row, flush=True)
        sides = []
        if options.turns:
            sides = compare(options.tables, options.turns, postgres, redis, peer=not options.skip_peer)
        if sides and not options.json:
            print("\n" + comparison(sides), flush=True)
        idle = measure_idle(options.idle, postgres) if options.idle else None
    if options.json:
        shares = {side.name: side.share_of(sides[0]) for side in sides}
        found = {"machine": machine(), "rows": list(map(asdict, rows)), "shares": shares, "idle_kib": idle}
        print(json.dumps(found, indent=2))
    elif idle is not None:
        print(f"\n{options.idle:,} idle connections: {idle:.1f} KiB each")


def measure(
    bus: str, workers: int, tables: int, seconds: float, postgres: Postgres, redis: Redis
) -> Iterator[Row]:
    """Start the workers, open the tables, and measure both kinds of traffic."""
    with served(postgres.empty(), redis.url if bus == "Redis" else "", workers) as (processes, urls):
        load = SpreadTables(urls)
        try:
            load.open_tables(tables, time.perf_counter() + 120)
            load.begin()
            for traffic, period in (("full", 0.0), ("paced", 1.0)):
                load.pace(period)
                load.run(WARM_UP)
                load.waits.clear()
                own, start = time.process_time(), time.perf_counter()
                before_cpu = spent_cpu(processes, postgres, redis)
                load.run(seconds)
                after_cpu = spent_cpu(processes, postgres, redis)
                spent = [now - then for now, then in zip(after_cpu, before_cpu, strict=True)]
                took, moves = time.perf_counter() - start, len(load.waits)
                p50, p99 = percentiles(load.waits)
                rate = moves / spent[0] if spent[0] else 0.0
                yield Row(
                    bus,
                    workers,
                    tables,
                    traffic,
                    moves_per_second=moves / took,
                    moves_per_cpu_second=rate,
                    postgres_us=spent[1] * 1e6 / max(1, moves),
                    redis_us=spent[2] * 1e6 / max(1, moves),
                    p50_ms=p50 * 1000,
                    p99_ms=p99 * 1000,
                    load=(time.process_time() - own) / took,
                )
        finally:
            load.close()


# The comparison.


@dataclass
class Side:
    """Workers with their own database, and what was measured of them."""

    name: str
    processes: list[int]
    load: Load
    turns: list[tuple[int, float]] = field(default_factory=list)
    """The moves of each turn, and the CPU time of all workers."""

    def play(self, seconds: float) -> None:
        """Play for a turn, up to the last answer."""
        cpu = sum(map(cpu_seconds, self.processes))
        self.load.waits.clear()
        self.load.begin()
        self.load.run(seconds)
        self.load.pause(time.perf_counter() + PATIENCE)
        self.turns.append((len(self.load.waits), sum(map(cpu_seconds, self.processes)) - cpu))

    @property
    def rate(self) -> float:
        """Moves per CPU second."""
        return sum(moves for moves, _ in self.turns) / sum(cpu for _, cpu in self.turns)

    def share_of(self, other: Side) -> float:
        return self.rate / other.rate


def compare(tables: int, turns: int, postgres: Postgres, redis: Redis, *, peer: bool) -> list[Side]:
    """Let one worker and two workers play in turns of a second, so that all get the same machine.

    boardgame.io does the same, with bgio-postgres and its Redis pub-sub.
    """
    with ExitStack() as stack:
        sides: list[Side] = []
        for name, workers, count in (
            ("one worker", 1, tables),
            ("two, as many tables", 2, tables),
            ("two, as many tables each", 2, 2 * tables),
            ("boardgame.io, one", 1, tables),
            ("boardgame.io, two", 2, tables),
        ):
            is_peer = name.startswith("boardgame.io")
            if is_peer and not peer:
                continue
            database = new_database(postgres, f"side{len(sides)}")
            command = peer_command(database, redis.url) if is_peer else our_command(database, redis.url)
            processes, urls = stack.enter_context(started(command, workers))
            load = SpreadPeer(urls) if is_peer else SpreadTables(urls)
            stack.callback(load.close)
            load.open_tables(count, time.perf_counter() + 120)
            sides.append(Side(name, processes, load))
            answer_pings(sides)
        for side in sides:
            answer_pings(sides)
            side.play(WARM_UP)
            side.turns.clear()
        for _ in range(turns):
            for side in sides:
                answer_pings(sides)
                side.play(1.0)
        return sides


def answer_pings(sides: list[Side]) -> None:
    """Keep the connections of the sides that wait."""
    for side in sides:
        side.load.run(0.01)


def comparison(sides: list[Side]) -> str:
    """The moves per CPU second of each side as a share of the first one's."""
    lines = ["In turns of a second, with Redis; moves per CPU second of all workers:"]
    for side in sides:
        of_turns = [
            moves / cpu * own / their
            for (moves, cpu), (their, own) in zip(side.turns, sides[0].turns, strict=True)
        ]
        spread = f"{min(of_turns):.0%} to {max(of_turns):.0%} in single turns"
        dropped = f", {side.load.refused} moves repeated" if side.load.refused else ""
        share = side.share_of(sides[0])
        lines.append(f"  {side.name:28}{side.rate:7,.0f}{share:7.0%}   {spread}{dropped}")
    return "\n".join(lines)


def new_database(postgres: Postgres, name: str) -> str:
    """The URL of a new database."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.url.rpartition("/")[0] + f"/{name}"


def measure_idle(count: int, postgres: Postgres) -> float:
    """The memory of an idle connection with half a table, in KiB."""
    with served(postgres.empty(), "", 1) as (processes, urls):
        load = SpreadTables(urls)
        try:
            load.open_tables(1, time.perf_counter() + 120)
            before = memory(processes[0])
            for _ in range(0, count // 2, 250):  # in steps, each with its own time limit
                load.open_tables(min(250, count // 2 - len(load.tables) + 1), time.perf_counter() + 120)
            return (memory(processes[0]) - before) / 1024 / (2 * (len(load.tables) - 1))
        finally:
            load.close()


@contextmanager
def served(database: str, redis: str, workers: int) -> Iterator[tuple[list[int], list[str]]]:
    """Server processes, one for each worker, with their URLs."""
    with started(our_command(database, redis), workers) as processes_and_urls:
        yield processes_and_urls


def our_command(database: str, redis: str) -> list[str]:
    """The command of a worker; without pings to the tables that wait for their turn."""
    options = [part for name, value in NO_LIMITS.items() for part in (f"--{name}", str(value))]
    options += ["--connections", "15000", "--ping-seconds", "3600", *(["--redis", redis] if redis else [])]
    return [sys.executable, "-m", "escadaria", "serve", "--port", "0", "--database", database, *options]


def peer_command(database: str, redis: str) -> list[str]:
    """The command of boardgame.io's server."""
    return ["node", str(PEER / "server.js"), "--postgres", database, "--redis", redis]


@contextmanager
def started(command: list[str], workers: int) -> Iterator[tuple[list[int], list[str]]]:
    """Processes that print their URLs."""
    others = set(range(os.cpu_count() or 1)) - os.sched_getaffinity(0)
    processes: list[subprocess.Popen[str]] = []
    urls: list[str] = []
    try:
        for _ in range(workers):  # one after the other: boardgame.io's cannot create their tables together
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "NODE_ENV": "production"},
                preexec_fn=lambda: os.sched_setaffinity(0, others or os.sched_getaffinity(0)),
            )
            processes.append(process)
            assert process.stdout is not None
            said = process.stdout.readline()
            urls += [word for word in said.split() if word.startswith("http")]
            if len(urls) < len(processes):
                raise ConnectionError(f"a server did not start: {said}")
        yield [process.pid for process in processes], urls
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def spent_cpu(processes: list[int], postgres: Postgres, redis: Redis) -> list[float]:
    """The CPU time of all workers, of PostgreSQL and of Redis."""
    servers = (postgres.process.pid, redis.process.pid)
    return [sum(map(cpu_seconds, processes)), *map(cpu_seconds, servers)]


def _folder(parent: Path, name: str) -> Path:
    """A folder that another user may use."""
    folder = parent / name
    folder.mkdir()
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    return folder


if __name__ == "__main__":
    main()
