"""The files in deploy/, tested with real proxies and a real server; every name in them exists."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer
import yaml  # type: ignore[import-untyped]

from escadaria.cli import app
from escadaria.server import metrics
from escadaria.server.settings import Settings
from serving import PATIENCE, Server, free_port, running
from wire import socket_to

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


@dataclass
class Proxy:
    """A proxy for a server, configured by the file in deploy/."""

    url: str
    process: subprocess.Popen[bytes]

    def client(self, address: str = "127.0.0.1") -> httpx.Client:
        """A client at another address of this machine."""
        return browser(self.url, address)


def browser(url: str, address: str = "127.0.0.1", **headers: str) -> httpx.Client:
    transport = httpx.HTTPTransport(local_address=address, verify=False)
    return httpx.Client(base_url=url, transport=transport, headers=headers, timeout=PATIENCE)


@pytest.fixture(params=["nginx", "caddy"])
def behind(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[Server], Proxy]]:
    """Start a proxy for a server, and stop it after the test."""
    command = nginx if request.param == "nginx" else caddy
    with contextlib.ExitStack() as stack:

        def start(server: Server) -> Proxy:
            words, url = command(tmp_path, server.url.rpartition(":")[2])
            log = stack.enter_context((tmp_path / f"{request.param}.log").open("wb"))
            home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
            process = subprocess.Popen(words, stdout=log, stderr=log, env=os.environ | home)
            stack.callback(stop, process)
            until = time.monotonic() + PATIENCE
            with browser(url) as http:
                while True:
                    try:
                        http.get("/healthz")
                        return Proxy(url, process)
                    except httpx.TransportError:
                        said = Path(log.name).read_text()
                        assert process.poll() is None and time.monotonic() < until, said
                        time.sleep(0.05)

        yield start


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()


def nginx(folder: Path, port: str) -> tuple[list[str], str]:
    """nginx with deploy/nginx.conf, on free ports and with a new certificate."""
    tls = free_port()
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subject = ["-subj", "/CN=play.example.org", "-days", "2", "-nodes"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", *subject]
    made += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    command = configured_nginx(
        folder,
        {
            "server 127.0.0.1:8000;": f"server 127.0.0.1:{port};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{tls} ssl http2;",
            "/etc/letsencrypt/live/play.example.org/fullchain.pem": str(certificate),
            "/etc/letsencrypt/live/play.example.org/privkey.pem": str(key),
        },
    )
    return command, f"https://127.0.0.1:{tls}"


def configured_nginx(folder: Path, changes: dict[str, str]) -> list[str]:
    """The command that starts nginx with deploy/nginx.conf on loopback, with changes."""
    site = (DEPLOY / "nginx.conf").read_text()
    loopback = {
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen [::]:80;": "",
        "listen [::]:443 ssl http2;": "",
    }
    for there, here in (changes | loopback).items():
        assert site.count(there) == 1, there
        site = site.replace(there, here)
    (folder / "site.conf").write_text(site)
    folders = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{name}_temp_path {folder / name}; " for name in folders)
    user = "user root; " if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user}pid {folder / 'nginx.pid'}; daemon off; worker_processes 1; error_log stderr; "
        f"events {{}} http {{ access_log off; {temporary} include {folder / 'site.conf'}; }}"
    )
    return [installed("nginx", "nginx-light"), "-e", "stderr", "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: str) -> tuple[list[str], str]:
    """Caddy with deploy/Caddyfile, without HTTPS."""
    program = shutil.which("caddy") or pytest.skip("there is no caddy here")
    own = free_port()
    site = (DEPLOY / "Caddyfile").read_text()
    for name, value in (("NAME:localhost", f"http://:{own}"), ("UPSTREAM:127.0.0.1:8000", port)):
        assert site.count(f"{{$ESCADARIA_{name}}}") == 1, name
        site = site.replace(f"{{$ESCADARIA_{name}}}", value if "//" in value else f"127.0.0.1:{value}")
    (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}}\n{site}")
    words = [program, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    return words, f"http://127.0.0.1:{own}"


def installed(program: str, package: str) -> str:
    """A program of Debian; as root, installed if missing."""
    if not shutil.which(program) and os.geteuid() == 0 and shutil.which("apt-get"):
        install = f"apt-get -qq update && apt-get -qq install -y --no-install-recommends {package}"
        subprocess.run(
            install, shell=True, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, check=False
        )
    return shutil.which(program) or pytest.fail(f"please install {program} (apt-get install {package})")


async def test_a_match_is_played_through_the_proxy(named: Server, behind: Callable[[Server], Proxy]) -> None:
    proxy = behind(named)
    with proxy.client() as http:
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


def test_limits_count_clients_behind_a_trusted_proxy(
    named: Server, behind: Callable[[Server], Proxy], addresses: Iterator[str]
) -> None:
    proxy = behind(named)
    with proxy.client(next(addresses)) as first, proxy.client(next(addresses)) as second:
        assert exhaust(first) == LIMITS["requests_burst"]
        assert second.get("/api/games").status_code == 200, "another client has its own budget"
        forged = {"X-Forwarded-For": "198.51.100.7"}
        assert first.get("/api/games", headers=forged).status_code == 429, (
            "a client cannot choose its address"
        )


def test_limits_count_an_untrusted_proxy_itself(
    unnamed: Server, behind: Callable[[Server], Proxy], addresses: Iterator[str]
) -> None:
    proxy = behind(unnamed)
    with proxy.client(next(addresses)) as first, proxy.client(next(addresses)) as second:
        exhaust(first)
        assert second.get("/api/games").status_code == 429


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


def haproxy(folder: Path, ports: list[int]) -> tuple[list[str], str]:
    """HAProxy with deploy/haproxy.cfg, without HTTPS."""
    own = free_port()
    text = (DEPLOY / "haproxy.cfg").read_text()
    bind = "bind :443 ssl crt /etc/haproxy/play.example.org.pem alpn http/1.1"
    assert text.count(bind) == 1
    text = text.replace(bind, f"bind 127.0.0.1:{own}").replace("maxconn 20000", "maxconn 1000")
    for old, new in zip((8000, 8001, 8002), ports, strict=True):
        assert text.count(f"127.0.0.1:{old}\n") == 1
        text = text.replace(f"127.0.0.1:{old}\n", f"127.0.0.1:{new}\n")
    (folder / "haproxy.cfg").write_text(text)
    return [installed("haproxy", "haproxy"), "-f", str(folder / "haproxy.cfg")], f"http://127.0.0.1:{own}"


def several(program: str, folder: Path, ports: list[int]) -> tuple[list[str], str]:
    """The proxy with three workers."""
    if program == "haproxy":
        return haproxy(folder, ports)
    words, url = (nginx if program == "nginx" else caddy)(folder, str(ports[0]))
    file = folder / ("site.conf" if program == "nginx" else "Caddyfile")
    form = "server 127.0.0.1:{};" if program == "nginx" else "127.0.0.1:{}"
    site, lines = file.read_text(), [form.format(port) for port in ports]
    assert site.count(lines[0]) == 1
    file.write_text(site.replace(lines[0], " ".join(lines)))
    return words, url


@pytest.mark.parametrize("program", ["nginx", "haproxy", "caddy"])
def test_the_clients_of_a_match_land_at_one_of_several_workers(program: str, tmp_path: Path) -> None:
    workers = {server.socket.getsockname()[1]: server for server in (echo_server() for _ in range(3))}
    gone = 0
    words, url = several(program, tmp_path, list(workers))
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, env=os.environ | home)
    try:
        with browser(url) as http:

            def worker_of(match: int) -> int:
                answer = http.get(f"/api/matches/match-{match}/socket")
                assert answer.status_code == 200, answer.text
                return int(answer.text)

            until = time.monotonic() + PATIENCE
            while time.monotonic() < until:
                with contextlib.suppress(httpx.TransportError, AssertionError):
                    worker_of(0)
                    break
                time.sleep(0.05)
            first = {match: worker_of(match) for match in range(60)}
            assert set(first.values()) == set(workers), "they are spread"
            assert first == {match: worker_of(match) for match in range(60)}, "each stays where it is"
            if program != "caddy":  # which hashes the whole path
                assert all(http.get(f"/t/match-{m}").text == str(first[m]) for m in range(60))
            gone = first[0]
            workers[gone].shutdown()
            workers[gone].server_close()
            time.sleep(0.1)
            after = {match: worker_of(match) for match in range(60)}
            assert gone not in after.values()
            if program != "caddy":  # it notices a loss only after a failure
                assert all(after[m] == first[m] for m in range(60) if first[m] != gone), "the others stay"
    finally:
        stop(process)
        for port, server in workers.items():
            if port != gone:
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
    program = shutil.which("systemd-analyze") or pytest.skip("there is no systemd-analyze here")
    unit = (DEPLOY / "escadaria.service").read_text()
    assert unit.count("ExecStart=/opt/escadaria/bin/escadaria ") == 1
    own = str(Path(sys.executable).parent / "escadaria")
    copy = tmp_path / "escadaria.service"
    copy.write_text(unit.replace("/opt/escadaria/bin/escadaria ", f"{own} "))
    verified = subprocess.run([program, "verify", str(copy)], capture_output=True, text=True)
    assert (verified.returncode, verified.stderr) == (0, "")
    words = [program, "security", "--offline=yes", "--threshold=20", str(copy)]
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
    program = shutil.which("promtool") or pytest.skip("there is no promtool here")
    checked = subprocess.run(
        [program, "check", "config", "prometheus.yml"], cwd=DEPLOY, capture_output=True, text=True
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
