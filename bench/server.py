"""How many moves can the table server take, and how soon do they reach the other player?

    PYTHONPATH=src python bench/server.py
    PYTHONPATH=src python bench/server.py --tables 100 --seconds 10 --skip-peer --json

A real server process is driven over the loopback: two people at each table, each with a connection of
their own, play Rapido by choosing at random from what the server says is legal; a match that is over is
followed by a rematch. First every table moves as soon as both have heard of the last move, then it makes
one move a second. Every move is on disk (fsync, SQLite beside this file) before anybody hears of it.

The same traffic goes to boardgame.io's server with a dice game as simple (``boardgameio/``; npm fetches
it, Node runs it), in memory and with its FlatFile storage, which waits for no disk. There a move is told
and nothing else; here its sender is answered as well.

CPU seconds are the server's, threads and child processes included: trust moves per CPU second where other
programs share the machine. ``load`` is how busy this program itself was: near 100 % it, and not the
server, set the pace. Latency is from sending a request to reading the event on the other player's
connection. Memory is what the connections and their tables added, per connection.

With ``py-spy`` on the path, it says where our time goes. That takes samples of the running server, with
the rights to do so (root, or a ptrace scope of 0).
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import platform
import random
import re
import resource
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import msgspec

HERE = Path(__file__).parent
PEER = HERE / "boardgameio"
TABLES = (100, 500, 1000)
WARM_UP = 1.0  # seconds before each measurement
PATIENCE = 30.0  # seconds after which a server that is not filled is given up
MOST_SECONDS = 180.0  # after which no further server is filled
AT_ONCE = 8  # tables that are being opened at a time
PROFILED = 500  # tables while the samples are taken

NO_LIMITS = {
    "frames-per-second": 1_000_000, "frames-burst": 1_000_000, "requests-per-second": 1_000_000,
    "requests-burst": 1_000_000, "tables-per-address": 1_000_000, "log-level": "warning",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One measurement."""

    server: str
    tables: int
    traffic: str
    """``full``, or ``paced`` with one move a second at each table."""
    moves_per_second: float
    moves_per_cpu_second: float
    cpu_us_per_move: float
    p50_ms: float
    p99_ms: float
    kib_per_connection: float
    load: float
    """The share of a processor that this program took itself."""
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
    parser.add_argument("--tables", type=int, nargs="+", default=TABLES, help="how many (100 500 1000)")
    parser.add_argument("--seconds", type=float, default=4, help="how long each measurement lasts (4)")
    parser.add_argument("--skip-peer", action="store_true", help="measure only ours")
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
    """Start a server, fill it, and measure both kinds of traffic.

    :raises TimeoutError: if it is not filled by the time to give up, or much later than it should be.
    """
    with served(side) as (process, load):
        load.open_tables(1, give_up)  # so that what is imported late is not counted as a connection's
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
    """The 50th and the 99th."""
    if len(waits) < 2:
        return 0.0, 0.0
    all_of_them = statistics.quantiles(waits, n=100)
    return all_of_them[49], all_of_them[98]


# Where the time goes.

PARTS = {
    "rules": r"escadaria/(game|rapido|table|record|dice|server/match)\.py",
    "encoding": r"escadaria/server/messages\.py",
    "store": r"escadaria/store/|sqlalchemy/|aiosqlite/|sqlite3/",
    "metrics": r"prometheus_client/",
    "room": r"escadaria/server/(?!run)",
    "socket": r"uvicorn/protocols/|websockets/|litestar/",
}
"""Whose a sample is: that of the innermost function in one of these files. The rest is the event loop's."""


def profile(seconds: float, give_up: float) -> dict[str, float]:
    """What each part costs of a move at full load, in microseconds; nothing without ``py-spy``.

    What the store's thread costs is known; the main thread's time is divided by samples of it.
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


# The tables and those who play there.


class Client:
    """One person's connection: a socket and a few bytes, so that this program is not what is measured."""

    __slots__ = ("_buffer", "_socket", "credentials", "mine", "open", "seat", "table", "version")

    def __init__(self, table: Table, seat: int, credentials: str) -> None:
        self.table = table
        self.seat = seat
        self.credentials = credentials
        self.mine: list[int] = []
        self.version = -1
        """The last one heard of."""
        self.open = False
        self._buffer = b""
        self._socket = socket.socket()

    def connect(self, host: str, port: int, path: str) -> int:
        """Ask for a WebSocket, and return the number of the socket."""
        self.open, self.version, self._buffer = False, -1, b""
        self._socket = socket.create_connection((host, port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._socket.setblocking(False)
        return self._socket.fileno()

    def send(self, payload: bytes, kind: int = 0x81) -> None:
        """Send a frame. It is masked, as it must be, with zeros, which change nothing."""
        size = len(payload)
        head = bytes((kind, 0x80 | size)) if size < 126 else bytes((kind, 0xFE, size >> 8, size & 0xFF))
        self._socket.sendall(head + b"\0\0\0\0" + payload)

    def read(self) -> list[bytes]:
        """The frames that have come. :raises ConnectionError: if the server has closed it."""
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:  # what came was for the connection that had this number before
            return []
        if not data:
            raise ConnectionError(f"the server closed a connection, after {self._buffer[:200]!r}")
        data = self._buffer + data
        if not self.open:
            head, end, data_after = data.partition(b"\r\n\r\n")
            if not end:
                self._buffer = data
                return []
            if not head.startswith(b"HTTP/1.1 101"):
                raise ConnectionError(head.decode())
            self.open, data = True, data_after
            return [b"", *self._frames(data)]
        return self._frames(data)

    def _frames(self, data: bytes) -> list[bytes]:
        frames, at, end = [], 0, len(data)
        while end - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4]), at + 4
            elif size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10]), at + 10
            if start + size > end:
                break
            kind, payload, at = data[at], data[start : start + size], start + size
            if kind == 0x81:
                frames.append(payload)
            elif kind == 0x89:
                self.send(payload, 0x8A)  # pong
            elif kind == 0x88:
                raise ConnectionError(f"the server closed a connection: {payload!r}")
        self._buffer = data[at:]
        return frames

    def close(self) -> None:
        self._socket.close()


@dataclass(slots=True, eq=False)
class Table:
    """Two people and the move they are at."""

    match: str
    clients: list[Client] = field(default_factory=list)
    asked: int = -1
    """The version that the last request was made for."""
    mover: Client | None = None
    """Who sent the last move,"""
    sent: float = 0.0
    """and when."""
    next: tuple[Client, bytes] | None = None
    """The next move, if both know of the last."""
    due: float = 0.0
    """When the next move should be made, in paced traffic."""
    owed: bool = True
    """Whether that time has come."""


class Load(ABC):
    """Plays at many tables of one server. What a server's frames mean is for the classes below."""

    name: ClassVar[str]

    def __init__(self, url: str) -> None:
        self.tables: list[Table] = []
        self.waits: list[float] = []
        """Of each move that reached the other player: how long it took."""
        self.refused = 0
        self.random = random.Random(1)
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port = int(port)
        self._poll = select.epoll()
        self._by_number: dict[int, Client] = {}
        self._period = 0.0
        self._begun = False
        self._agenda: deque[Table] = deque()
        self._ready = 0  # tables that know of a move to be made

    # For the classes below to say.

    @staticmethod
    @abstractmethod
    def command(folder: str) -> list[str]:
        """What starts the server; the first line it prints has its address."""

    @abstractmethod
    def seat_people(self) -> Table:
        """Open a match over HTTP; its clients are connected next."""

    @abstractmethod
    def path(self, client: Client) -> str:
        """The address of its WebSocket."""

    @abstractmethod
    def take(self, client: Client, frame: bytes) -> None:
        """React to a frame; an empty one means that the connection is open."""

    # Traffic.

    def open_tables(self, count: int, give_up: float) -> None:
        """Open so many more tables, and wait until a move can be made at each.

        :raises TimeoutError: if that takes too long.
        """
        wanted = len(self.tables) + count
        give_up = min(give_up, time.perf_counter() + PATIENCE)
        pool = ThreadPoolExecutor(AT_ONCE)
        opening = deque(pool.submit(self.seat_people) for _ in range(count))
        try:
            while self._ready < wanted:
                if opening and opening[0].done():
                    table = opening.popleft().result()
                    self.tables.append(table)
                    self.connect(table)
                self._turn(0.001)
                if time.perf_counter() > give_up:
                    raise TimeoutError(f"{self.name}: only {self._ready} of {wanted} tables in time")
        finally:
            pool.shutdown(cancel_futures=True)

    def connect(self, table: Table) -> None:
        """Connect both people, anew if they were connected to another match."""
        for client in table.clients:
            client.close()
            number = client.connect(self.host, self.port, self.path(client))
            self._by_number[number] = client
            self._poll.register(number, select.EPOLLIN)

    def begin(self) -> None:
        """Let the tables move."""
        self._begun = True
        for table in self.tables:
            self._move(table)

    def pace(self, period: float) -> None:
        """Make a move in each period at each table; with 0 as many as possible."""
        self._period = period
        start = time.perf_counter()
        for number, table in enumerate(self.tables):
            table.due = start + period * number / len(self.tables)
            table.owed = not period
            if not period and self._begun:
                self._move(table)
        self._agenda = deque(self.tables if period else ())

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Go on for so long, or until something is the case."""
        end = time.perf_counter() + seconds
        while (now := time.perf_counter()) < end and not until():
            wait = end - now
            while self._agenda and self._agenda[0].due <= now:
                table = self._agenda.popleft()
                table.owed = True
                table.due += self._period
                self._agenda.append(table)
                self._move(table)
            if self._agenda:
                wait = min(wait, self._agenda[0].due - now)
            self._turn(min(wait, 0.1))

    def _turn(self, wait: float) -> None:
        for number, _ in self._poll.poll(wait):
            client = self._by_number[number]
            for frame in client.read():
                self.take(client, frame)

    def heard(self, client: Client, version: int) -> bool:
        """Note what a client heard of; True when the other one has heard the same."""
        table = client.table
        if table.mover is not None and table.mover is not client and version > client.version:
            self.waits.append(time.perf_counter() - table.sent)
            table.mover = None
        client.version = version
        return table.clients[0].version == table.clients[1].version

    def may_move(self, client: Client, request: bytes) -> None:
        """It is this client's turn, and this is what it will ask for."""
        table = client.table
        if table.asked != client.version:
            self._ready += 1
            table.asked, table.next = client.version, (client, request)
            self._move(table)

    def _move(self, table: Table) -> None:
        if table.next is None or not table.owed or not self._begun:
            return
        table.mover, request = table.next
        table.next, table.owed = None, not self._period
        table.sent = time.perf_counter()
        table.mover.send(request)

    def close(self) -> None:
        for client in self._by_number.values():
            client.close()
        self._poll.close()

    def post(self, path: str, body: Any) -> Any:
        """The answer to an HTTP request."""
        with closing(http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)) as connection:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            text = response.read()
        if response.status >= 300:
            raise ConnectionError(f"{path}: {response.status} {text.decode()}")
        return json.loads(text)


class _Now(msgspec.Struct):
    status: str
    to_act: int | None = None
    legal: list[str] = []
    next: str | None = None


class _Frame(msgspec.Struct):
    """Of our server's frames, what is needed here."""

    type: str
    version: int = 0
    now: _Now | None = None
    mine: list[int] | None = None
    role: str = ""
    token: str | None = None
    match: str | None = None
    code: str | None = None
    message: str = ""


_frame = msgspec.json.Decoder(_Frame)


class Escadaria(Load):
    """Our server."""

    name = "escadaria, durable"

    @staticmethod
    def command(folder: str) -> list[str]:
        options = itertools.chain(*((f"--{name}", str(value)) for name, value in NO_LIMITS.items()))
        database = f"{folder}/matches.sqlite3"
        return [sys.executable, "-m", "escadaria", "serve", "--port", "0", "--database", database, *options]

    def seat_people(self) -> Table:
        wish = {"game": "rapido", "options": {"players": 2, "finish": 50}, "people": [{"name": "Ana"}]}
        opened = self.post("/api/matches", wish)
        table = Table(opened["match"])
        table.clients = [Client(table, 0, opened["token"]), Client(table, 1, "")]
        return table

    def path(self, client: Client) -> str:
        return f"/api/matches/{client.table.match}/socket"

    def take(self, client: Client, frame: bytes) -> None:
        if not frame:
            token = f',"token":"{client.credentials}"' if client.credentials else ""
            client.send(f'{{"type":"hello"{token}}}'.encode())
            return
        message = _frame.decode(frame)
        if message.type == "event" or message.type == "snapshot":
            assert message.now is not None, "an event or a snapshot"
            if self.heard(client, message.version):
                self._go_on(client, message.now)
        elif message.mine is not None:  # welcome, you
            client.mine = message.mine
            if message.role == "guest":
                client.send(b'{"type":"sit","id":"sit","version":1,"name":"Rui"}')
        elif message.type == "accepted":
            if message.token is not None:
                client.credentials = message.token
                self._start(client.table)
            if message.match is not None:
                client.table.match, client.table.asked = message.match, -1
                self.connect(client.table)
        elif message.type == "refused":
            self.refused += 1
            print(f"refused: {message.code}, {message.message}", file=sys.stderr)

    def _go_on(self, client: Client, now: _Now) -> None:
        table = client.table
        host, guest = table.clients
        if now.status == "playing":
            mover = host if now.to_act in host.mine else guest
            action = self.random.choice(now.legal).encode()
            version = client.version
            request = b'{"type":"act","id":"%d","version":%d,"action":"%b"}' % (version, version, action)
            self.may_move(mover, request)
        elif now.status == "over":
            if now.next is None:
                self._ask(host, b"rematch")
        else:
            self._start(table)

    def _start(self, table: Table) -> None:
        host, guest = table.clients
        if guest.credentials and guest.version == host.version:
            self._ask(host, b"start")

    def _ask(self, client: Client, what: bytes) -> None:
        if client.table.asked != client.version:
            client.table.asked = client.version
            client.send(b'{"type":"%b","id":"%b","version":%d}' % (what, what, client.version))


class _Context(msgspec.Struct, rename="camel"):
    current_player: str


class _State(msgspec.Struct):
    ctx: _Context
    version: int = msgspec.field(name="_stateID")


class _Sync(msgspec.Struct):
    state: _State


_synced = msgspec.json.Decoder(tuple[str, str, _Sync])
_updated = msgspec.json.Decoder(tuple[str, str, _State, msgspec.Raw])


class BoardgameIo(Load):
    """boardgame.io's server, spoken to as socket.io's client does over a WebSocket."""

    name = "boardgame.io, memory"

    @staticmethod
    def command(folder: str) -> list[str]:
        return ["node", str(PEER / "server.js")]

    def seat_people(self) -> Table:
        table = Table(self.post("/games/dice/create", {"numPlayers": 2})["matchID"])
        for seat, name in enumerate(("Ana", "Rui")):
            wish = {"playerID": str(seat), "playerName": name}
            joined = self.post(f"/games/dice/{table.match}/join", wish)
            table.clients.append(Client(table, seat, joined["playerCredentials"]))
        return table

    def path(self, client: Client) -> str:
        return "/socket.io/?EIO=4&transport=websocket"

    def take(self, client: Client, frame: bytes) -> None:
        if frame.startswith(b'42/dice,["update"'):
            _, _, state, _ = _updated.decode(frame[8:])
            self._know(client, state)
        elif frame.startswith(b'42/dice,["sync"'):
            _, _, sync = _synced.decode(frame[8:])
            self._know(client, sync.state)
        elif frame == b"2":  # ping
            client.send(b"3")
        elif frame.startswith(b"0"):  # the connection is open
            client.send(b"40/dice,")
        elif frame.startswith(b"40/dice"):  # and its name space
            arguments = ["sync", client.table.match, str(client.seat), client.credentials, 2]
            client.send(b"42/dice," + msgspec.json.encode(arguments))

    def _know(self, client: Client, state: _State) -> None:
        if self.heard(client, state.version):
            mover = client.table.clients[int(state.ctx.current_player)]
            move = {"type": self.random.choice(("roll", "hold")), "playerID": str(mover.seat)}
            payload = {**move, "args": (), "credentials": mover.credentials}
            action = {"type": "MAKE_MOVE", "payload": payload}
            request = ["update", action, state.version, client.table.match, str(mover.seat)]
            self.may_move(mover, b"42/dice," + msgspec.json.encode(request))


class BoardgameIoFiles(BoardgameIo):
    """The same with its matches in files."""

    name = "boardgame.io, FlatFile"

    @staticmethod
    def command(folder: str) -> list[str]:
        return [*BoardgameIo.command(folder), folder]


# Processes.


def fetch_peer() -> None:
    """Let npm fetch boardgame.io, unless it is there."""
    if not (PEER / "node_modules" / "boardgame.io").exists():
        print("npm fetches boardgame.io …", file=sys.stderr)
        command = ["npm", "ci", "--prefer-offline", "--no-fund", "--no-audit"]
        subprocess.run(command, cwd=PEER, check=True, stdout=subprocess.DEVNULL)


def make_room() -> None:
    """Allow as many connections as the system does, and keep the last processor for this program."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if len(processors := sorted(os.sched_getaffinity(0))) > 1:
        os.sched_setaffinity(0, processors[-1:])


@contextmanager
def served(side: type[Load]) -> Iterator[tuple[subprocess.Popen[str], Load]]:
    """A server process on other processors than ours, with its data beside this file; it is stopped."""
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
    """A process and those that it started."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from family(int(child))


def cpu_seconds(pid: int) -> float:
    """The processor time of a process, its threads and its children."""
    ticks = 0
    for member in family(pid):
        fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))  # its own and that of children that have ended
    return ticks / os.sysconf("SC_CLK_TCK")


def main_thread_seconds(pid: int) -> float:
    """The processor time of a process's main thread."""
    fields = Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """The bytes in memory of a process and its children."""
    pages = sum(int(Path(f"/proc/{member}/statm").read_text().split()[1]) for member in family(pid))
    return pages * os.sysconf("SC_PAGE_SIZE")


# Telling.

HEADER = (
    f"{'server':24}{'tables':>7} {'traffic':8}{'moves/s':>9}{'moves/CPU s':>12}{'CPU us':>8}"
    f"{'p50 ms':>8}{'p99 ms':>8}{'KiB each':>9}{'load':>6}{'refused':>8}"
)


def print_parts(parts: dict[str, float]) -> None:
    if not parts:
        print("\nWith py-spy on the path you would see where the time goes.")
        return
    total = sum(parts.values())
    print(f"\nWhere our {total:.0f} us of CPU for a move go, at {PROFILED} tables with full traffic:")
    for part, cost in parts.items():
        print(f"  {part:10}{cost:6.0f} us{cost / total:7.1%}")


def machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
