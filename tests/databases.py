"""PostgreSQL, Redis and nginx, started and stopped by tests."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import psycopg
import pytest

from programs import program
from serving import free_port, wait_until

DEPLOY = Path(__file__).parents[1] / "deploy"
PASSWORD = "correct-horse"


class Program:
    """A program that listens on a port of the loopback interface, with its files in a folder."""

    ends_by: signal.Signals = signal.SIGKILL

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()

    def spawn(self) -> subprocess.Popen[bytes]:
        raise NotImplementedError

    def answers(self) -> bool:
        """Whether it serves its clients."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.process = self.spawn()
        wait_until(lambda: self.answers() or self.process.poll() is not None, "the program answers")
        assert self.process.poll() is None, self.log()

    def stop(self) -> None:
        self.process.send_signal(self.ends_by)
        self.process.wait()

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Suspend it with its child processes: connections stay open, and nothing is answered."""
        pids = [self.process.pid]
        os.kill(pids[0], signal.SIGSTOP)  # first, so that it starts no more children
        children = Path(f"/proc/{pids[0]}/task/{pids[0]}/children").read_text().split()
        pids += map(int, children)
        try:
            for pid in pids[1:]:
                _send(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in pids:
                _send(pid, signal.SIGCONT)

    def run(self, *command: object, user: str | None = None, **environment: str) -> subprocess.Popen[bytes]:
        """Start a command that writes to the log."""
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                list(map(str, command)),
                stdout=log,
                stderr=log,
                cwd=self.folder,
                user=user,
                group=user,
                extra_groups=[] if user else None,
                env=os.environ | environment,
            )


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has ended
        os.kill(pid, number)


class Postgres(Program):
    """PostgreSQL."""

    ends_by = signal.SIGQUIT  # at once and without a checkpoint, as in a crash

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.programs = Path(program("initdb")).resolve().parent
        self.url = f"postgresql://escadaria:{PASSWORD}@127.0.0.1:{self.port}/postgres"
        # It refuses to run as root; Debian's package brings a user for it.
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(folder, self.user, self.user)
        password = folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        options = ["--username=escadaria", f"--pwfile={password}", "--auth=scram-sha-256", "--encoding=UTF8"]
        made = self._run("initdb", "--no-sync", "--locale=C", "-D", folder / "data", *options)
        assert made.wait() == 0, self.log()
        self.start()

    def _run(self, program: str, *options: object) -> subprocess.Popen[bytes]:
        return self.run(self.programs / program, *options, user=self.user, LC_ALL="C")

    def spawn(self) -> subprocess.Popen[bytes]:
        # Without fsync: what the process has written survives its crash, if not the machine's.
        options = ["-p", self.port, "-k", self.folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
        return self._run("postgres", "-D", self.folder / "data", *options)

    def answers(self) -> bool:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(self.url).close()
            return True
        return False

    def empty(self) -> str:
        """Empty the database and return its URL."""
        with psycopg.connect(self.url) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url


class Redis(Program):
    """A Redis that stores nothing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.url = f"redis://127.0.0.1:{self.port}"
        self.start()

    def spawn(self) -> subprocess.Popen[bytes]:
        options = ["--port", self.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        return self.run(program("redis-server"), *options)

    def answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)) as there:
            there.sendall(b"PING\r\n")
            return there.recv(5) == b"+PONG"
        return False


class Nginx(Program):
    """nginx with deploy/nginx.conf, in front of servers of this machine.

    :param changes: what else is replaced in that file.
    :param tls: its certificate and key; without them it speaks plain HTTP.
    """

    ends_by = signal.SIGTERM

    def __init__(
        self,
        folder: Path,
        ports: Iterable[int],
        changes: dict[str, str] | None = None,
        tls: Sequence[Path] = (),
    ) -> None:
        super().__init__(folder)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        site = (DEPLOY / "nginx.conf").read_text()
        names = [f"/etc/letsencrypt/live/play.example.org/{name}.pem" for name in ("fullchain", "privkey")]
        replaced = {
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen [::]:80;": "",
            "listen [::]:443 ssl http2;": "",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port}{' ssl http2' if tls else ''};",
            "server 127.0.0.1:8000;": " ".join(f"server 127.0.0.1:{port};" for port in ports),
        }
        if tls:
            replaced |= dict(zip(names, map(str, tls), strict=True))
        else:
            words = ("ssl_certificate", "ssl_certificate_key", "ssl_protocols")
            replaced |= {line: "" for line in site.splitlines() if line.strip().startswith(words)}
        (folder / "site.conf").write_text(edited(site, replaced | (changes or {})))
        folders = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{name}_temp_path {folder / name}; " for name in folders)
        user = "user root; " if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"{user}pid {folder / 'nginx.pid'}; daemon off; worker_processes 1; error_log stderr; "
            f"events {{}} http {{ access_log off; {temporary} include {folder / 'site.conf'}; }}"
        )

    def spawn(self) -> subprocess.Popen[bytes]:
        return self.run(program("nginx"), "-e", "stderr", "-c", self.folder / "nginx.conf")


def edited(text: str, changes: dict[str, str]) -> str:
    """A configuration with these parts replaced, each of which is there once."""
    for there, here in changes.items():
        assert text.count(there) == 1, there
        text = text.replace(there, here)
    return text


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests of a process; each test empties it first."""
    with _folder() as folder:
        server = Postgres(folder)
        yield server
        server.stop()


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    """One server for all tests of a process."""
    with _folder() as folder:
        server = Redis(folder)
        yield server
        server.stop()


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A new folder that another user can enter, unlike pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="escadaria-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
