"""A server process to attack, and raw connections to it."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from serving import PATIENCE, Server, running

SERVER = "127.0.0.1"
ATTACKER = "127.0.0.66"

_clients: list[socket.socket] = []


class Victim(Server):
    """A server process, and raw requests to it."""

    def connect(self, source: str = ATTACKER) -> socket.socket:
        """A connection from an address of the loopback."""
        client = socket.create_connection((SERVER, self.port), PATIENCE, source_address=(source, 0))
        _clients.append(client)
        return client

    def ask(self, request: bytes, source: str = ATTACKER) -> bytes:
        """Send raw bytes, and return everything until the server closes the connection."""
        with contextlib.closing(self.connect(source)) as client:
            with contextlib.suppress(ConnectionError):  # it may be refused before all is sent
                client.sendall(request)
            return until_closed(client)

    def get(self, path: str, *headers: str, source: str = ATTACKER, host: str = "localhost") -> Answer:
        """Send a GET request and return the response."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Connection: close", *headers, "", ""]
        return Answer.parse(self.ask("\r\n".join(lines).encode(), source))

    def post(self, path: str, body: bytes, source: str = ATTACKER) -> Answer:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return Answer.parse(self.ask(head.encode() + body, source))

    def open_match(self, source: str = ATTACKER) -> dict[str, Any]:
        """A started match of two people on one device."""
        request = {
            "game": "rapido", "options": {"players": 2}, "people": [{"name": "Ana"}, {"name": "Rui"}],
            "start": True, "settings": {"pace": 0},
        }  # fmt: skip
        answer = self.post("/api/matches", json.dumps(request).encode(), source)
        assert answer.status == 201, answer
        match: dict[str, Any] = json.loads(answer.body)
        return match

    def table(self, match: dict[str, Any], source: str = ATTACKER) -> WebSocket:
        """A WebSocket that has sent ``hello`` and read the snapshot."""
        table = WebSocket(self.connect(source), match["match"])
        table.send(json.dumps({"type": "hello", "token": match["token"]}).encode())
        table.read_until(b'"snapshot"')
        return table


@dataclass
class Answer:
    """An HTTP response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @staticmethod
    def parse(raw: bytes) -> Answer:
        head, _, body = raw.partition(b"\r\n\r\n")
        if not head:
            return Answer(0, {}, b"")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        return Answer(int(first.split()[1]), {name.lower(): value.strip() for name, _, value in pairs}, body)

    @property
    def code(self) -> str:
        return str(json.loads(self.body)["code"])


class WebSocket:
    """A WebSocket without a library, so that it can misbehave."""

    def __init__(
        self, client: socket.socket, match: str, host: str = "localhost", header: str = "X-Nothing: 1"
    ) -> None:
        self.client = client
        self.buffer = b""
        client.sendall(
            f"GET /api/matches/{match}/socket HTTP/1.1\r\nHost: {host}\r\n{header}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.head = self.read_until(b"\r\n\r\n")

    def send(self, payload: bytes, kind: int = 0x81) -> None:
        """Send a frame: ``kind`` is its first byte."""
        self.client.sendall(frame(payload, kind))

    def ping(self) -> None:
        """Send the command ``ping`` and wait for its answer."""
        self.send(b'{"type":"ping","id":"p","version":0}')
        self.read_until(b'"accepted"')

    def read_until(self, text: bytes) -> bytes:
        """Read up to the packet that contains this text."""
        found = self.buffer
        while text not in found:
            data = self.client.recv(65536)
            assert data, f"closed after {found[-300:]!r}"
            found += data
        self.buffer = b""
        return found

    def close(self) -> None:
        self.client.close()


def frame(payload: bytes, kind: int = 0x81) -> bytes:
    """A masked frame; the mask is all zeros, which changes nothing."""
    size = len(payload)
    head = bytes((kind, 0x80 | size)) if size < 126 else bytes((kind, 0xFE, size >> 8, size & 0xFF))
    return head + b"\0\0\0\0" + payload


def until_closed(client: socket.socket) -> bytes:
    """Everything that the server sends until it closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while data := client.recv(65536):
            found += data
    return found


def push(client: socket.socket, data: bytes, most: int) -> int:
    """Send the same data repeatedly without reading, until the server closes; return the bytes sent."""
    sent = 0
    client.settimeout(1)  # then the server no longer reads
    with contextlib.suppress(OSError):
        while sent < most:
            client.sendall(data)
            sent += len(data)
    client.settimeout(PATIENCE)
    return sent


@contextlib.contextmanager
def attacked(folder: Path, **options: Any) -> Iterator[Victim]:
    """A server for one test, with its usual limits. It must not log errors."""
    with running(Victim(folder, limits={}, **options)) as victim:
        yield victim


@pytest.fixture(autouse=True)
def hang_up() -> Iterator[None]:
    """Close all connections after a test."""
    yield
    while _clients:
        _clients.pop().close()


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    """The server that most tests share: what one address may do adds up."""
    counted = ("requests", "connections", "tables", "work", "writes", "bytes")
    generous = {f"{kind}_{what}": 10**9 for kind in counted for what in ("per_second", "burst")}
    generous |= {"tables_per_address": 10**6, "head_seconds": 60}
    with attacked(tmp_path_factory.mktemp("victim"), **generous) as victim:
        yield victim
