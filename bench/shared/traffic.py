"""Traffic of many tables for a server: ours and boardgame.io's."""

from __future__ import annotations

import http.client
import itertools
import json
import random
import select
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from escadaria.server.edge.limits import KINDS

PEER = Path(__file__).parents[1] / "boardgameio"
PATIENCE = 30.0  # seconds to wait for tables or answers
AT_ONCE = 8  # tables opened concurrently

COUNTED = ("frames", "address-frames", *KINDS)
NO_LIMITS = {
    **{f"{kind}-per-second": 1_000_000_000 for kind in COUNTED},
    **{f"{kind}-burst": 1_000_000_000 for kind in COUNTED},
    "tables-per-address": 1_000_000,
    "connections-per-address": 1_000_000,
    "log-level": "warning",
}


class Client:
    """One player's connection: a raw socket, so that this program is not the bottleneck."""

    __slots__ = ("_buffer", "_socket", "credentials", "mine", "next", "open", "seat", "table", "version")

    def __init__(self, table: Table, seat: int, credentials: str) -> None:
        self.table = table
        self.seat = seat
        self.credentials = credentials
        self.next = ""
        """The credentials for the next match."""
        self.mine: list[int] = []
        self.version = -1
        """The last version received."""
        self.open = False
        self._buffer = b""
        self._socket = socket.socket()

    def connect(self, host: str, port: int, path: str) -> int:
        """Request a WebSocket, and return the file descriptor of the socket."""
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
        """Send a frame. Clients must mask frames; a mask of zeros leaves the payload unchanged."""
        size = len(payload)
        head = bytes((kind, 0x80 | size)) if size < 126 else bytes((kind, 0xFE, size >> 8, size & 0xFF))
        self._socket.sendall(head + b"\0\0\0\0" + payload)

    def read(self) -> list[bytes]:
        """The received frames. :raises ConnectionError: if the server has closed the connection."""
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:  # the event was for an earlier socket with the same descriptor
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
    """Two players and their current move."""

    match: str
    clients: list[Client] = field(default_factory=list)
    following: str = ""
    """The id of the next match."""
    asked: int = -1
    """The version of the last request."""
    mover: Client | None = None
    """The client that sent the last move."""
    sent: float = 0.0
    """When it was sent."""
    request: bytes = b""
    """What was sent."""
    next: tuple[Client, bytes] | None = None
    """The next move, if both clients have received the last one."""
    due: float = 0.0
    """When to make the next move, in paced traffic."""
    owed: bool = True
    """Whether the next move is due."""


class Load(ABC):
    """Plays at many tables of one server. The subclasses implement the servers' protocols."""

    name: ClassVar[str]

    def __init__(self, url: str) -> None:
        self.tables: list[Table] = []
        self.waits: list[float] = []
        """The latency of each move until the other player received it."""
        self.refused = 0
        self.random = random.Random(1)
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port = int(port)
        self._poll = select.epoll()
        self._by_number: dict[int, Client] = {}
        self._period = 0.0
        self._begun = False
        self._agenda: deque[Table] = deque()
        self._ready = 0  # moves that became possible

    # Implemented by the subclasses.

    @staticmethod
    @abstractmethod
    def command(folder: str) -> list[str]:
        """The command of the server; its first line of output contains its address."""

    @abstractmethod
    def seat_people(self) -> Table:
        """Open a match over HTTP; its clients are connected later."""

    @abstractmethod
    def path(self, client: Client) -> str:
        """The path of its WebSocket."""

    @abstractmethod
    def take(self, client: Client, frame: bytes) -> None:
        """Handle a frame; an empty one means that the connection is open."""

    # Traffic.

    def open_tables(self, count: int, give_up: float) -> None:
        """Open ``count`` more tables, and wait until a move can be made at each.

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
        """Connect both clients; reconnect them if they were connected to another match."""
        for client in table.clients:
            client.close()
            number = client.connect(self.host, self.port, self.path(client))
            self._by_number[number] = client
            self._poll.register(number, select.EPOLLIN)

    def begin(self) -> None:
        """Start the moves."""
        self._begun = True
        for table in self.tables:
            self._move(table)

    def pace(self, period: float) -> None:
        """Make one move per period at each table; with 0 as many as possible."""
        self._period = period
        start = time.perf_counter()
        for number, table in enumerate(self.tables):
            table.due = start + period * number / len(self.tables)
            table.owed = not period
            if not period and self._begun:
                self._move(table)
        self._agenda = deque(self.tables if period else ())

    def pause(self, give_up: float) -> None:
        """Finish the moves that were sent, and make no more until :meth:`begin`.

        :raises TimeoutError: if they are not all received in time.
        """
        self._begun = False
        while any(table.next is None for table in self.tables):
            self._turn(0.01)
            if time.perf_counter() > give_up:
                raise TimeoutError(f"{self.name}: moves are not received in time")

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Run for ``seconds``, or until the condition holds."""
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

    def received(self, client: Client, version: int) -> bool:
        """Record the version that a client received; True if the other client has it too."""
        table = client.table
        if table.mover is not None and table.mover is not client and version > client.version:
            self.waits.append(time.perf_counter() - table.sent)
            table.mover = None
        client.version = version
        return table.clients[0].version == table.clients[1].version

    def may_move(self, client: Client, request: bytes) -> None:
        """Schedule the next move of the table: this request of this client."""
        table = client.table
        if table.asked != client.version:
            self._ready += 1
            table.asked, table.next = client.version, (client, request)
            self._move(table)

    def _move(self, table: Table) -> None:
        if table.next is None or not table.owed or not self._begun:
            return
        table.mover, table.request = table.next
        table.next, table.owed = None, not self._period
        table.sent = time.perf_counter()
        table.mover.send(table.request)

    def close(self) -> None:
        for client in self._by_number.values():
            client.close()
        self._poll.close()

    def post(self, path: str, body: Any) -> Any:
        """Send an HTTP POST request and return the answer."""
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
    """The fields of our server's frames that are needed here."""

    type: str
    version: int = 0
    now: _Now | None = None
    mine: list[int] | None = None
    role: str = ""
    token: str | None = None
    next_token: str | None = None
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
            if self.received(client, message.version):
                self._go_on(client, message.now)
        elif message.mine is not None:  # welcome, you
            client.mine = message.mine
            if message.next_token is not None:
                client.next = message.next_token
                self._follow(client.table)
            if message.role == "guest":
                client.send(b'{"type":"sit","id":"sit","version":1,"name":"Rui"}')
        elif message.type == "accepted":
            if message.match is not None:
                client.table.following = message.match
                self._follow(client.table)
            elif message.token is not None:
                client.credentials = message.token
                self._start(client.table)
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

    def _follow(self, table: Table) -> None:
        """Connect to the next match, when its id and both tokens are known."""
        if table.following and all(client.next for client in table.clients):
            table.match, table.following, table.asked = table.following, "", -1
            for client in table.clients:
                client.credentials, client.next = client.next, ""
            self.connect(table)

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
    """boardgame.io's server, with the protocol of socket.io over a WebSocket."""

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
        if self.received(client, state.version):
            mover = client.table.clients[int(state.ctx.current_player)]
            move = {"type": self.random.choice(("roll", "hold")), "playerID": str(mover.seat)}
            payload = {**move, "args": (), "credentials": mover.credentials}
            action = {"type": "MAKE_MOVE", "payload": payload}
            request = ["update", action, state.version, client.table.match, str(mover.seat)]
            self.may_move(mover, b"42/dice," + msgspec.json.encode(request))


class BoardgameIoFiles(BoardgameIo):
    """boardgame.io's server with matches in files."""

    name = "boardgame.io, FlatFile"

    @staticmethod
    def command(folder: str) -> list[str]:
        return [*BoardgameIo.command(folder), folder]


def fetch_peer() -> None:
    """Install boardgame.io with npm, if it is missing."""
    if not (PEER / "node_modules" / "bgio-postgres").exists():
        print("installing boardgame.io with npm …", file=sys.stderr)
        command = ["npm", "ci", "--prefer-offline", "--no-fund", "--no-audit"]
        subprocess.run(command, cwd=PEER, check=True, stdout=subprocess.DEVNULL)
