"""Attacks on connections: heads, bodies, silence, control frames, and hosts."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import itertools
import json
import random
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from escadaria.server.edge.access import is_known_host
from serving import PATIENCE, wait_until
from system.attacks.conftest import (
    Answer,
    Victim,
    WebSocket,
    attacked,
    frame,
    push,
    until_closed,
)

FRIEND = "127.0.0.3"
"""The address of a well-behaved client."""

MEGABYTE = 2**20

# Heads and bodies.

ENDLESS = {
    "headers": (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X-Padding: " + b"x" * 1000 + b"\r\n"),
    "small headers": (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"a:\r\n" * 100),
    "a header's value": (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x" * 1000),
    "a header's name": (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"x" * 1000),
    "a path": (b"GET /", b"x" * 1000),
    "a method": (b"", b"X" * 1000),
    "empty lines": (b"", b"\r\n" * 1000),
}


@pytest.mark.parametrize("start, more", ENDLESS.values(), ids=ENDLESS)
def test_an_endless_head_is_refused(victim: Victim, start: bytes, more: bytes) -> None:
    before = victim.memory()
    clients = [victim.connect() for _ in range(3)]
    for client in clients:
        client.sendall(start)
        assert push(client, more, 20 * MEGABYTE) < 10 * MEGABYTE, "what its socket and ours have room for"
    assert victim.memory() < before + 10
    for client in clients:
        answer = until_closed(client)
        assert not answer or Answer.parse(answer).status in (400, 431)
        client.close()


def test_a_long_head_in_one_packet_is_refused(victim: Victim) -> None:
    assert victim.get("/api/games", f"X-Padding: {'x' * 15_000}").status == 200
    for headers in ([f"X-Padding: {'x' * 16_400}"], [f"X-{number}: x" * 9 for number in range(150)]):
        answer = victim.get("/api/games", *headers)
        assert (answer.status, answer.code) == (431, "too_large")


def test_a_head_in_small_packets_is_accepted(victim: Victim) -> None:
    with contextlib.closing(victim.connect()) as client:
        for byte in b"GET /api/games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n":
            client.sendall(bytes([byte]))
        assert Answer.parse(until_closed(client)).status == 200


def test_a_long_body_does_not_count_as_head(victim: Victim) -> None:
    body = json.dumps({"record": "x" * 50_000}).encode()
    head = b"POST /api/replays HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    head %= len(body)
    for parts in ((head, body[:99], body[99:]), (head, body), (head + body,)):
        with contextlib.closing(victim.connect()) as client:
            for part in parts:
                client.sendall(part)
                time.sleep(0.05)  # so that each part is a packet
            answer = Answer.parse(until_closed(client))
            assert (answer.status, answer.code) == (400, "bad_record")


# Deadlines.

POST = b"POST /api/matches HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
FIRST = b"GET /robots.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"
SLOW = {
    "silent": (b"", b"", 0),
    "a head": (b"GET / HTTP/1.1\r\nHost: ", b"x", 0),
    "empty lines": (b"\r\n", b"\r\n", 0),
    "silent after a request": (FIRST, b"", 200),
    "empty lines after a request": (FIRST + b"\r", b"\n", 200),
    "a second head": (FIRST + b"G", b"", 200),
    "a body": (POST + b"Content-Length: 9000\r\n\r\n", b" ", 408),
    "a chunked body": (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 408),
    "an unread body": (POST.replace(b"matches", b"nothing") + b"Content-Length: 9000\r\n\r\n", b" ", 404),
}
"""How a request begins, what follows little by little, and how it is answered, if at all."""


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    """A server with short deadlines."""
    seconds = {"head_seconds": 2, "body_seconds": 2, "send_seconds": 2, "keep_alive_seconds": 1}
    with attacked(tmp_path_factory.mktemp("hasty"), **seconds) as victim:
        yield victim


def test_slow_requests_have_a_deadline(hasty: Victim) -> None:
    clients = {what: hasty.connect() for what in SLOW}
    answers = dict.fromkeys(SLOW, b"")
    for what, client in clients.items():
        client.sendall(SLOW[what][0])
        client.settimeout(0.02)

    def all_closed() -> bool:
        for what, client in [*clients.items()]:
            with contextlib.suppress(OSError):
                client.sendall(SLOW[what][1])
            with contextlib.suppress(TimeoutError):
                data = received(client)
                if not data:
                    del clients[what]
                answers[what] += data
        return not clients

    wait_until(all_closed, "the server closes all connections")
    for what, (_, _, status) in SLOW.items():
        if status:
            assert Answer.parse(answers[what]).status == status, what


def received(client: socket.socket) -> bytes:
    """What has arrived, also if the connection has been reset since; nothing at its end."""
    try:
        return client.recv(65536)
    except ConnectionError:
        return b""


def test_reading_a_response_has_a_deadline(hasty: Victim) -> None:
    request = b"GET /api/frames.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(PATIENCE)
    with contextlib.closing(client):
        client.connect(("127.0.0.1", hasty.port))

        def closed() -> bool:
            with contextlib.suppress(BlockingIOError):
                try:
                    client.send(request, socket.MSG_DONTWAIT)
                except ConnectionError:
                    return True
            return False

        wait_until(closed, "the server closes the connection")


def test_pipelined_requests_are_limited(victim: Victim) -> None:
    request = b"GET /api/games HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with contextlib.closing(victim.connect()) as client:
        client.sendall(request * 3)
        answers = b""
        while answers.count(b"HTTP/1.1 200") < 3:
            answers += client.recv(65536)
    before = victim.memory()
    for _ in range(20):
        with contextlib.closing(victim.connect()) as client, contextlib.suppress(OSError):
            client.sendall(request * 5000)
            assert until_closed(client).count(b"HTTP/1.1 200") < 50
    assert victim.memory() < before + 20


# How many.


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    """A server with strict rate limits. They are per address, so each test uses its own address."""
    settings: dict[str, Any] = {
        "connections_per_address": 20, "connections_per_second": 0.001, "connections_burst": 60,
        "bytes_per_second": 10, "bytes_burst": 50_000,
        "address_frames_per_second": 0.001, "address_frames_burst": 50,
        "head_seconds": 2, "hosts": "play.example, *.friends.example",
    }  # fmt: skip
    with attacked(tmp_path_factory.mktemp("strict"), **settings) as victim:
        yield victim


def test_silent_connections_of_one_address_do_not_block_others(strict: Victim) -> None:
    address = "127.0.2.1"
    silent = [strict.connect(address) for _ in range(40)]
    assert strict.get("/api/games", source=FRIEND).status == 200
    answers = [Answer.parse(until_closed(client)) for client in silent]  # all are closed eventually
    refused = [answer for answer in answers if answer.status == 429]
    assert {answer.code for answer in refused} == {"too_many"}
    assert int(refused[0].headers["retry-after"]) >= 1
    wait_until(lambda: strict.get("/api/games", source=address).status == 200, "it is let in again")


def test_new_connections_are_rate_limited(strict: Victim) -> None:
    answers = [strict.get("/nothing", source="127.0.2.2") for _ in range(65)]
    assert [answer.status == 429 for answer in answers] == [False] * 60 + [True] * 5
    assert answers[-1].code == "too_fast"
    assert strict.get("/api/games", source=FRIEND).status == 200


def test_more_silent_sockets_than_files(tmp_path: Path) -> None:
    with attacked(tmp_path, files=300) as victim:
        assert "open files" in victim.log.read_text(), "it says that its settings do not fit"
        match = victim.open_match(FRIEND)
        table = victim.table(match, FRIEND)
        silent = []
        for number in range(400):
            with contextlib.suppress(OSError):
                silent.append(victim.connect(f"127.0.1.{number // 50 + 1}"))
            if number % 40 == 0:
                table.ping()
        assert victim.open_files() < 300
        for _ in range(20):
            assert victim.get("/api/games", source=FRIEND).status == 200
            table.ping()
        assert victim.open_match(FRIEND)
        for client in silent:
            client.close()
        table.close()


# WebSockets.


COUNTED = {
    "empty pings": (b"", frame(b"", 0x89)),
    "pings": (b"", frame(b"x" * 125, 0x89)),
    "pongs": (b"", frame(b"x", 0x8A)),
    "empty fragments": (frame(b"", 0x01), frame(b"", 0x00)),
    "fragments": (frame(b"x", 0x02), frame(b"x", 0x00)),
}


@pytest.mark.parametrize("start, more", COUNTED.values(), ids=COUNTED)
def test_frames_without_a_command_count(victim: Victim, start: bytes, more: bytes) -> None:
    """The server closes a connection that sends them and reads nothing, and others are not affected."""
    friend = victim.table(victim.open_match(FRIEND), FRIEND)
    attacked = victim.table(victim.open_match())
    before = victim.memory()
    attacked.client.sendall(start)
    assert push(attacked.client, more * 100, 30 * MEGABYTE) < 10 * MEGABYTE
    friend.ping()
    assert victim.memory() < before + 10
    attacked.close()
    friend.close()


def test_a_few_pings_and_fragments_are_accepted(victim: Victim) -> None:
    table = victim.table(victim.open_match())
    table.send(b"hello", 0x89)
    assert b"hello" in table.read_until(b"hello")
    text = b'{"type":"ping","id":"p","version":0}'
    table.client.sendall(frame(text[:9], 0x01) + frame(b"", 0x89) + frame(text[9:], 0x80))
    table.read_until(b'"accepted"')
    table.close()


def test_frames_are_read_only_as_fast_as_they_are_answered(victim: Victim) -> None:
    """Many small frames in one packet are not parsed all at once."""
    before = victim.memory()
    tables = [victim.table(victim.open_match()) for _ in range(2)]
    for table in tables:
        assert push(table.client, frame(b"") * 10_000, 30 * MEGABYTE) < 10 * MEGABYTE
    assert victim.memory() < before + 20


def test_bytes_of_an_address_count(strict: Victim) -> None:
    address = "127.0.2.3"
    table = strict.table(strict.open_match(address), address)
    push(table.client, frame(b"x" * 5000), 200_000)
    assert b"too_fast" in until_closed(table.client)
    answer = strict.post("/api/matches", b"x" * 50_000, address)
    assert (answer.status, answer.code) == (429, "too_fast")
    assert int(answer.headers["retry-after"]) >= 1
    assert strict.get("/api/games", source=FRIEND).status == 200


def test_frames_of_an_address_count_over_all_its_connections(strict: Victim) -> None:
    address = "127.0.2.4"
    match = strict.open_match(address)
    tables = [strict.table(match, address) for _ in range(3)]
    answers = []
    for table, number in itertools.product(tables, range(20)):
        table.send(json.dumps({"type": "ping", "id": f"p{number}", "version": 0}).encode())
        answers.append(table.read_until(f'"p{number}"'.encode()))
    assert sum(b'"accepted"' in answer for answer in answers) <= 50
    assert b'"too_fast"' in answers[-1]
    strict.table(strict.open_match(FRIEND), FRIEND).ping()


# Behind a proxy, which has one address.

PROXY = "127.0.0.1"


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    """A server behind a proxy; each test uses its own addresses."""
    settings = {"connections_per_address": 5, "bytes_burst": 3000, "bytes_per_second": 0.001}
    with attacked(tmp_path_factory.mktemp("proxied"), proxies=PROXY, **settings) as victim:
        yield victim


def test_a_client_behind_a_proxy_has_only_so_many_connections(proxied: Victim) -> None:
    match = proxied.open_match(PROXY)
    hello = json.dumps({"type": "hello", "token": match["token"]}).encode()

    def enter(client: str) -> bytes:
        table = WebSocket(proxied.connect(PROXY), match["match"], header=f"X-Forwarded-For: {client}")
        table.send(hello)
        return table.head if b'"bye"' in table.head else table.read_until(b'"type":')

    assert [b'"welcome"' in enter("198.51.100.1") for _ in range(7)] == [True] * 5 + [False] * 2
    assert b'"welcome"' in enter("198.51.100.2")


def test_a_client_behind_a_proxy_pays_for_its_own_bytes_alone(proxied: Victim) -> None:
    client = proxied.connect(PROXY)  # kept open by the proxy for one request after the other

    def ask(address: str, body: bytes) -> bytes:
        client.sendall(
            f"POST /api/positions HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {address}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{{".encode()
        )
        time.sleep(0.1)  # so that the rest comes when the head has been read
        client.sendall(body[1:])
        head, _, rest = client.recv(65536).partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split()[0])
        while len(rest) < length:
            rest += client.recv(65536)
        return head.split()[1]

    body = b'{"game": "rapido"}'
    assert ask("198.51.100.7", body.ljust(2990)) == b"200"
    assert ask("198.51.100.8", body) == b"200", "the other one has spent nothing"
    assert ask("198.51.100.7", body) == b"429"


# Hosts.

OURS = [
    "localhost", "localhost:8000", "LocalHost", "127.0.0.1:80", "[::1]:8000", "escadaria.localhost",
    "10.1.2.3", "192.168.0.7:8000", "172.16.0.1", "169.254.1.1", "[fe80::1]", "100.64.0.9",
    socket.gethostname(),
    f"{socket.gethostname().partition('.')[0]}.local", "localhost.", "play.example", "a.b.friends.example",
]  # fmt: skip
FOREIGN = [
    "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "8.8.8.8", "[2606:4700::1]", "", "x",
    "evil.example:8000", "evilfriends.example", "localhost@evil.example", "localhost:8000:1", "[::1", "a b",
    "friends.example", "sub.play.example",
]  # fmt: skip


def test_only_known_hosts_are_accepted(strict: Victim) -> None:
    for number, host in enumerate(OURS, 1):
        source = f"127.0.3.{number}"
        assert strict.get("/api/games", host=host, source=source).status == 200, host
        assert handshake(strict, host, source) == "101", host
    for number, host in enumerate(FOREIGN, 1):
        source = f"127.0.4.{number}"
        for path in ("/api/games", "/", "/healthz"):
            answer = strict.get(path, host=host, source=source)
            assert (answer.status, answer.code) == (421, "unknown_host"), host
        assert handshake(strict, host, source) == "421", host


def test_a_request_needs_exactly_one_host(victim: Victim) -> None:
    for hosts in ((), ("localhost", "localhost"), ("localhost", "evil.example")):
        lines = "".join(f"Host: {host}\r\n" for host in hosts)
        answer = Answer.parse(victim.ask(f"GET /api/games HTTP/1.1\r\n{lines}\r\n".encode()))
        assert (answer.status, answer.code) == (400, "malformed")


def test_any_host_can_be_allowed() -> None:
    assert is_known_host(b"any.example", "*", "127.0.0.1")
    assert not is_known_host(b"any.example", "", "127.0.0.1")
    assert is_known_host(b"8.8.8.8", "", "8.8.8.8"), "the address that it listens on"


def handshake(victim: Victim, host: str, source: str) -> str:
    """The status of the answer."""
    return WebSocket(victim.connect(source), "any", host).head.decode().split()[1]


# Budgets.


def test_rate_limits_survive_a_restart(tmp_path: Path) -> None:
    settings = {"requests_per_second": 0.001, "requests_burst": 20}
    settings |= {"probes_per_second": 0.001, "probes_burst": 20}
    with attacked(tmp_path, **settings) as victim:
        statuses = [victim.get("/api/games").status for _ in range(22)]
        assert statuses == [200] * 20 + [429] * 2
        victim.stop()
        victim.start()
        refused = victim.get("/api/games")
        assert (refused.status, refused.code) == (429, "too_fast")
        assert int(refused.headers["retry-after"]) >= 1
        assert victim.get("/api/games", source=FRIEND).status == 200
        assert b"127.0.0.66" not in (tmp_path / "matches.sqlite3").read_bytes()
        # Pages and files count as requests. Probes have a separate limit.
        assert victim.get("/").status == victim.get("/robots.txt").status == 429
        probes = [victim.get(path).status for path in ("/healthz", "/readyz", "/metrics")]
        probes += [victim.get("/healthz").status for _ in range(22)]
        assert probes == [200] * 20 + [429] * 5
        assert victim.get("/healthz", source=FRIEND).status == 200


# Bodies.

ROUTES: dict[str, dict[str, Any]] = {
    "/api/seals": {},
    "/api/matches": {
        "game": "rapido", "options": {"players": 2, "finish": 9},
        "settings": {"pace": 0, "stand_in": "simple"},
        "people": [{"name": "Ana", "seat": 0, "colours": ["red"]}], "bots": ["simple"], "start": False,
    },
    "/api/replays": {"record": "escadaria 1\ngame: rapido\n"},
    "/api/analyses": {"record": "escadaria 1\ngame: rapido\n"},
    "/api/positions": {"game": "chain", "options": {"players": 2, "board": "18"}, "position": "turn=0"},
    "/api/rolls": {"game": "rapido", "options": {"players": 2}, "position": "turn=0"},
}  # fmt: skip
DAMAGE = [
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"\\ud800", b"\\u0000", b"[" * 3000, b'{"a":' * 2000,
    b"9" * 4000, b"1e999", b"-0.0", b"NaN", b"null", b'"', b"{", b"}", b"[]", b"\xef\xbb\xbf", b",", b"true",
]  # fmt: skip


def damaged(body: bytes, chooser: random.Random) -> bytes:
    """The body with one to three places changed."""
    for _ in range(chooser.randint(1, 3)):
        at = chooser.randrange(len(body) + 1)
        body = body[:at] + chooser.choice(DAMAGE) + body[at + chooser.choice((0, 0, 1, 3)) :]
    return body


@pytest.mark.parametrize("path", ROUTES)
def test_no_body_causes_an_internal_error(victim: Victim, path: str) -> None:
    chooser = random.Random(path)
    client = http.client.HTTPConnection("127.0.0.1", victim.port, timeout=PATIENCE)
    valid = json.dumps(ROUTES[path]).encode()
    bodies = [*DAMAGE, *(damaged(valid, chooser) for _ in range(80))]
    with contextlib.closing(client):
        for body in bodies:
            client.request("POST", path, body, {"Content-Type": "application/json"})
            response = client.getresponse()
            answer = response.read()
            assert response.status < 500, (body, answer)
            if response.status >= 400:
                assert json.loads(answer)["code"] not in ("internal", "http"), (body, answer)
    assert not victim.errors()


# Files.


def test_files_are_sent_as_compressed_by_the_build(victim: Victim) -> None:
    page = victim.get("/")
    assert (page.status, page.headers["cache-control"]) == (200, "no-cache")
    script = re.findall(rb'src="(/assets/[^"]+[.]js)"', page.body)[0].decode()
    plain, small = victim.get(script), victim.get(script, "Accept-Encoding: br;q=1, gzip;q=0.5")
    assert "content-encoding" not in plain.headers and small.headers["content-encoding"] == "gzip"
    assert gzip.decompress(small.body) == plain.body and len(small.body) < len(plain.body)
    for answer in (plain, small):
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["content-type"].startswith("text/javascript")
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert int(answer.headers["content-length"]) == len(answer.body)
    assert plain.headers["etag"] != small.headers["etag"]
    known = victim.get(script, f"If-None-Match: {small.headers['etag']}", "Accept-Encoding: gzip")
    assert (known.status, known.body) == (304, b"")
    assert victim.get(script, f"If-None-Match: {small.headers['etag']}").status == 200
    for refusing in ("gzip;q=0", "identity", "gzip; q=0.0"):
        assert "content-encoding" not in victim.get(script, f"Accept-Encoding: {refusing}").headers
    assert victim.get("/.stamp").body == victim.get("/nothing").body, "a mark of the build is not served"
