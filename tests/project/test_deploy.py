"""The files in deploy/, tested with real proxies and a real server; every name in them exists."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import shutil
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer
import yaml  # type: ignore[import-untyped]

import databases
from escadaria.cli import app
from escadaria.server import metrics
from escadaria.settings import Settings
from programs import program
from raw import socket_to
from serving import PATIENCE, Server, free_port, running, wait_until

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.iterdir() if path.is_file())
NAME = "play.example.org"  # the public name in these files
NO_SETTINGS = {"COMMIT", "NAME", "UPSTREAM"}  # of the build, and of the compose file


LIMITS: dict[str, Any] = {"requests_per_second": 0.001, "requests_burst": 40}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that trusts the proxies of this machine."""
    folder = tmp_path_factory.mktemp("named")
    with running(Server(folder, proxies="127.0.0.1", hosts=NAME, **LIMITS)) as server:
        yield server


@pytest.fixture(scope="module")
def unnamed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that trusts no proxy."""
    with running(Server(tmp_path_factory.mktemp("unnamed"), **LIMITS)) as server:
        yield server


# Proxies.


class Nginx(databases.Nginx):
    """nginx with TLS and a new certificate."""

    def __init__(self, folder: Path, ports: Sequence[int]) -> None:
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        words = f"req -x509 -newkey rsa:2048 -subj /CN={NAME} -days 2 -nodes -keyout {key} -out {certificate}"
        made = ["openssl", *words.split()]
        subprocess.run(made, check=True, capture_output=True)
        super().__init__(folder, ports, tls=(certificate, key))


class Caddy(databases.Program):
    """Caddy with deploy/Caddyfile, without HTTPS."""

    ends_by = signal.SIGTERM

    def __init__(self, folder: Path, ports: Sequence[int]) -> None:
        super().__init__(folder)
        self.program = shutil.which("caddy") or pytest.skip("there is no caddy here")
        self.url = f"http://127.0.0.1:{self.port}"
        site = (DEPLOY / "Caddyfile").read_text()
        site = databases.edited(
            site,
            {
                "{$ESCADARIA_NAME:localhost}": f"http://:{self.port}",
                "{$ESCADARIA_UPSTREAM:127.0.0.1:8000}": " ".join(f"127.0.0.1:{port}" for port in ports),
            },
        )
        (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}}\n{site}")

    def spawn(self) -> subprocess.Popen[bytes]:
        home = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(self.folder))
        file = self.folder / "Caddyfile"
        return self.run(self.program, "run", "--adapter", "caddyfile", "--config", file, **home)


class Haproxy(databases.Program):
    """HAProxy with deploy/haproxy.cfg, without HTTPS."""

    ends_by = signal.SIGTERM

    def __init__(self, folder: Path, ports: Sequence[int]) -> None:
        super().__init__(folder)
        self.url = f"http://127.0.0.1:{self.port}"
        text = (DEPLOY / "haproxy.cfg").read_text()
        bind = "bind :443 ssl crt /etc/haproxy/play.example.org.pem alpn http/1.1"
        changes = {
            bind: f"bind 127.0.0.1:{self.port}",
            "maxconn 20000": "maxconn 1000",
        } | {f"127.0.0.1:800{number}\n": f"127.0.0.1:{port}\n" for number, port in enumerate(ports)}
        (folder / "haproxy.cfg").write_text(databases.edited(text, changes))

    def spawn(self) -> subprocess.Popen[bytes]:
        return self.run(program("haproxy"), "-f", self.folder / "haproxy.cfg")


AnyProxy = Nginx | Caddy | Haproxy


@contextlib.contextmanager
def proxied(kind: type[AnyProxy], folder: Path, *ports: int) -> Iterator[AnyProxy]:
    """A proxy in front of servers."""
    proxy = kind(folder, ports)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()


def browser(url: str, address: str = "127.0.0.1") -> httpx.Client:
    """A client at another address of this machine."""
    transport = httpx.HTTPTransport(local_address=address, verify=False)
    return httpx.Client(base_url=url, transport=transport, timeout=PATIENCE)


kinds = pytest.mark.parametrize("kind", [Nginx, Caddy])


@kinds
async def test_a_match_is_played_through_the_proxy(
    named: Server, kind: type[AnyProxy], tmp_path: Path
) -> None:
    with proxied(kind, tmp_path, named.port) as proxy, browser(proxy.url) as http:
        page = http.get("/")
        assert page.status_code == 200 and "<!doctype html>" in page.text
        assert page.headers["x-content-type-options"] == "nosniff"
        assert "max-age" in page.headers["strict-transport-security"]
        assert http.get("/readyz").text == "ok"
        assert http.get("/metrics").status_code == 404, "metrics are not public"
        assert http.get("/api/games", headers={"Host": NAME}).status_code == 200
        assert http.get("/api/games", headers={"Host": "other.example.org"}).status_code == 421
        people = [{"name": "Ana"}, {"name": "Rui"}]
        wish = {"game": "rapido", "options": {"players": 2}, "people": people, "start": True}
        opened = http.post("/api/matches", json=wish).json()
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        secure = {"ssl": trusting} if proxy.url.startswith("https") else {}
        async with socket_to(proxy.url, opened["match"], origin=proxy.url, **secure) as wire:
            await wire.send({"type": "hello", "token": opened["token"]})
            snapshot = await wire.expect("snapshot")
            assert (await wire.ask("act", version=snapshot["version"], action="roll"))["type"] == "accepted"
            assert (await wire.expect("event"))["version"] == snapshot["version"] + 1


@kinds
@pytest.mark.parametrize("server", ["named", "unnamed"])
def test_limits_count_the_clients_of_a_trusted_proxy_and_an_untrusted_one_itself(
    server: str, kind: type[AnyProxy], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    behind: Server = request.getfixturevalue(server)
    addresses: Iterator[str] = request.getfixturevalue("addresses")
    with (
        proxied(kind, tmp_path, behind.port) as proxy,
        browser(proxy.url, next(addresses)) as first,
        browser(proxy.url, next(addresses)) as second,
    ):
        accepted = exhaust(first)
        answer = second.get("/api/games")
        if server == "unnamed":
            assert answer.status_code == 429
        else:
            assert accepted == LIMITS["requests_burst"]
            assert answer.status_code == 200, "another client has its own budget"
            forged = first.get("/api/games", headers={"X-Forwarded-For": "198.51.100.7"})
            assert forged.status_code == 429, "a client cannot choose its address"


def test_only_a_trusted_proxy_can_set_the_client_address(named: Server, addresses: Iterator[str]) -> None:
    with browser(named.url, next(addresses)) as stranger:
        for number in range(2 * int(LIMITS["requests_burst"])):
            answer = stranger.get("/api/games", headers={"X-Forwarded-For": f"198.51.100.{number}"})
    assert answer.status_code == 429


@pytest.fixture(scope="module")
def addresses() -> Iterator[str]:
    """Addresses of this machine that no other test uses."""
    return (f"127.0.0.{number}" for number in range(2, 250))


def exhaust(http: httpx.Client) -> int:
    """Send requests until one is refused, and return the number of accepted ones."""
    for count in range(100):
        answer = http.get("/api/games")
        if answer.status_code == 429:
            return count
    pytest.fail("there is no limit")


# Several workers.


class Echo(BaseHTTPRequestHandler):
    """A server that answers with its own port."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        _, port = self.request.getsockname()
        self.wfile.write(str(port).encode())

    def log_message(self, *_: object) -> None:
        """Not logged."""


def echo_server() -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", free_port()), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.mark.parametrize("kind", [Nginx, Haproxy, Caddy])
def test_the_clients_of_a_match_land_at_one_of_several_workers(kind: type[AnyProxy], tmp_path: Path) -> None:
    workers = {server.server_port: server for server in (echo_server() for _ in range(3))}
    with proxied(kind, tmp_path, *workers) as proxy, browser(proxy.url) as http:

        def worker_of(match: int) -> int:
            answer = http.get(f"/api/matches/match-{match}/socket")
            return int(answer.text) if answer.status_code == 200 else 0

        wait_until(lambda: worker_of(0), "the workers are known")
        first = {match: worker_of(match) for match in range(60)}
        assert set(first.values()) == set(workers), "they are spread"
        assert first == {match: worker_of(match) for match in range(60)}, "each stays where it is"
        if kind is not Caddy:  # which hashes the whole path
            assert all(http.get(f"/t/match-{m}").text == str(first[m]) for m in range(60))
        gone = workers.pop(first[0])
        gone.shutdown()
        gone.server_close()
        after = {match: worker_of(match) for match in range(60)}
        assert set(after.values()) == set(workers)
        if kind is not Caddy:  # it notices a loss only after a failure
            assert all(after[m] == first[m] for m in range(60) if first[m] in workers), "the others stay"
    for server in workers.values():
        server.shutdown()
        server.server_close()


def test_the_compose_file_of_several_workers_extends_the_first() -> None:
    scale = yaml.safe_load((DEPLOY / "compose.scale.yaml").read_text())["services"]
    upstream = {
        name.partition(":")[0] for name in scale["caddy"]["environment"]["ESCADARIA_UPSTREAM"].split()
    }
    assert upstream == set(scale["caddy"]["depends_on"]) == {"escadaria", "escadaria2", "escadaria3"}
    assert all(scale[name]["environment"]["REDIS_URL"].startswith("redis://redis") for name in upstream)


# The image.


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with what follows them."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in lines]


def test_the_image_has_two_stages_and_runs_without_root() -> None:
    found = instructions()
    stages = [number for number, (word, _) in enumerate(found) if word == "FROM"]
    assert len(stages) == 2 and found[stages[0]][1].endswith(" AS build")
    last = dict(found[stages[1] :])
    assert "--from=build" in last["COPY"]
    assert int(last["USER"]) > 0, "a numeric user, so that Kubernetes can check that it is not root"
    assert json.loads(last["ENTRYPOINT"]) == ["escadaria"] and json.loads(last["CMD"]) == ["serve"]


def test_what_the_build_needs_is_sent_to_it() -> None:
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    sent = {line.removeprefix("!") for line in allowed if line.startswith("!")}
    assert all((ROOT / name).exists() for name in sent)
    assert sent >= {
        "src",
        "web",
        "pyproject.toml",
        "hatch_build.py",
        "constraints.txt",
        "README.md",
        "LICENSE",
    }


def test_the_health_check_detects_a_missing_server(named: Server) -> None:
    check = dict(instructions())["HEALTHCHECK"].partition("CMD ")[2]

    def checked(port: str) -> int:
        words = json.loads(check.replace(":8000/", f":{port}/"))
        return subprocess.run([sys.executable, *words[1:]], capture_output=True).returncode

    assert json.loads(check)[0] == "python"
    assert checked(named.url.rpartition(":")[2]) == 0
    assert checked(str(free_port())) != 0


def test_the_compose_file_trusts_the_proxy_that_it_starts() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    proxy = services["caddy"]["networks"]["escadaria"]["ipv4_address"]
    server = services["escadaria"]
    assert server["environment"]["ESCADARIA_PROXIES"] == proxy
    assert "ports" not in server, "all requests come through the proxy"
    grace = int(server["stop_grace_period"].removesuffix("s"))
    assert grace > Settings().shutdown_seconds
    assert (DEPLOY / server["build"]["context"] / server["build"]["dockerfile"]).is_file()
    named = {volume.partition(":")[0] for s in services.values() for volume in s["volumes"]}
    assert named - {"./Caddyfile"} == set(compose["volumes"])


# The service.


def test_systemd_accepts_the_service(tmp_path: Path) -> None:
    analyse = shutil.which("systemd-analyze") or pytest.skip("there is no systemd-analyze here")
    unit = (DEPLOY / "escadaria.service").read_text()
    assert unit.count("ExecStart=/opt/escadaria/bin/escadaria ") == 1
    own = str(Path(sys.executable).parent / "escadaria")
    copy = tmp_path / "escadaria.service"
    copy.write_text(unit.replace("/opt/escadaria/bin/escadaria ", f"{own} "))
    verified = subprocess.run([analyse, "verify", str(copy)], capture_output=True, text=True)
    assert (verified.returncode, verified.stderr) == (0, "")
    words = [analyse, "security", "--offline=yes", "--threshold=20", str(copy)]
    exposed = subprocess.run(words, capture_output=True, text=True)  # 20 of 100; most services have 90
    assert exposed.returncode == 0, exposed.stdout[-2000:]


def test_the_service_allows_more_files_than_connections() -> None:
    limit = re.search(r"^LimitNOFILE=(\d+)$", (DEPLOY / "escadaria.service").read_text(), re.M)
    assert limit is not None and int(limit[1]) > 2 * Settings().connections


# Metrics.


def known_metrics() -> dict[str, set[str]]:
    """All samples that the server can have, with their labels."""
    known: dict[str, set[str]] = {"up": {"job", "instance"}}
    for family in metrics.REGISTRY.collect():
        suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}.get(
            family.type, ("",)
        )
        for suffix in suffixes:
            known[family.name + suffix] = {"job", "instance"}.union(*(s.labels for s in family.samples))
    for collector in vars(metrics).values():
        if names := getattr(collector, "_labelnames", ()):
            for name in known:
                if name.startswith(collector._name):
                    known[name] |= set(names)
    return known


def expressions() -> list[str]:
    """The PromQL of the dashboard and of the alerts."""
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    alerts = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked = [entry["query"] for entry in dashboard["templating"]["list"] if entry["type"] == "query"]
    return shown + asked + [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]


def test_every_metric_of_dashboard_and_alerts_exists() -> None:
    known = known_metrics()
    assert len(expressions()) > 30
    for expression in expressions():
        names = set(re.findall(r"\b(?:escadaria|process)_\w+|\bup\b", expression))
        assert names and names <= known.keys(), expression
        labels = {"le"}.union(*(known[name] for name in names))
        used = re.findall(r"(\w+)=~?\"", expression) + [
            label for group in re.findall(r"(?:by|on|group_left) \(([^)]*)\)", expression)
            for label in group.replace(" ", "").split(",")
        ]  # fmt: skip
        assert set(used) <= labels, expression


def test_most_metrics_are_on_the_dashboard() -> None:
    shown = " ".join(expressions())
    own = {
        name
        for name in known_metrics()
        if name.startswith("escadaria_") and not name.endswith(("_sum", "_count"))
    }
    assert {name for name in own if name not in shown} <= {
        "escadaria_bots_waiting",
        "escadaria_store_seconds_bucket",
    }


def test_prometheus_accepts_its_files() -> None:
    promtool = shutil.which("promtool") or pytest.skip("there is no promtool here")
    checked = subprocess.run(
        [promtool, "check", "config", "prometheus.yml"], cwd=DEPLOY, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "alerts.yml" in checked.stdout


def test_no_two_panels_of_the_dashboard_overlap() -> None:
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len(places) == len({panel["id"] for panel in panels})


# Names of settings.

FOREIGN = {
    "--build", "--build-arg", "--detach", "--from", "--init", "--interval", "--no-cache-dir",
    "--no-create-home", "--no-deps", "--now", "--python", "--retries", "--shell", "--short", "--start-period",
    "--system", "--timeout", "--uid", "--username", "--wheel-dir", "--without-pip",
}  # fmt: skip
"""Options of other programs."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_settings_named_in_deploy_exist(path: Path) -> None:
    text = path.read_text()
    settings = {field.name.upper() for field in dataclasses.fields(Settings)}
    assert set(re.findall(r"ESCADARIA_([A-Z_]+)", text)) <= settings | NO_SETTINGS
    serve = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    options = {name for parameter in serve.params for name in parameter.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= options | FOREIGN
