"""Several server processes on one socket, and if wanted each on one of its own too.

The supervisor binds the sockets, starts the servers and restarts those that die. After SIGHUP it replaces
them one by one: a new server is ready before the old one is stopped, which disconnects its clients over one
second. Servers are started as new interpreters, so they run the code that is installed at that time.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait

from escadaria.server import logs
from escadaria.server.run import Server, address_of_socket, run_server
from escadaria.settings import Settings

log = logging.getLogger(__name__)

START_SECONDS = 120.0
"""How long a server may take to start."""

RESTART_SECONDS = 1.0
"""The pause before a server that has died is replaced, if it died soon after its start."""

_spawn = multiprocessing.get_context("spawn")


class ServerProcess:
    """One server process."""

    def __init__(self, settings: Settings, listeners: list[socket.socket]) -> None:
        self.started = time.monotonic()
        self.ready = False
        self._link, theirs = _spawn.Pipe()
        self.process = _spawn.Process(target=_serve, args=(settings, listeners, theirs), daemon=False)
        self.process.start()
        theirs.close()

    def wait_until_ready(self, seconds: float) -> bool:
        """Wait until it accepts connections, and return whether it does."""
        with contextlib.suppress(EOFError, ConnectionError):
            if self._link.poll(seconds):
                self.ready = self._link.recv() == "ready"
        return self.ready

    def stop(self, seconds: float) -> None:
        """Let it close its connections, and kill it if it takes too long."""
        self.process.terminate()
        self.process.join(seconds)
        if self.process.is_alive():
            log.warning("a server was killed", extra={"pid": self.process.pid})
            self.process.kill()
            self.process.join()

    def close(self) -> None:
        self._link.close()


class Supervisor:
    """Runs the servers until a signal."""

    def __init__(self, settings: Settings, ready: Callable[[str], None]) -> None:
        self._settings = settings
        self._ready = ready
        self._servers: list[ServerProcess] = []
        self._listeners: list[list[socket.socket]] = []  # the sockets of each server
        self._signals: list[int] = []
        self._stop_seconds = settings.shutdown_seconds + 5

    def run(self) -> int:
        """Run until SIGTERM or SIGINT; return the exit code."""
        logs.set_up_logs(self._settings)
        with contextlib.ExitStack() as stack:
            listener = stack.enter_context(_listening(self._settings.host, self._settings.port))
            self._listeners = [[listener] for _ in range(self._settings.workers)]
            if self._settings.worker_port:
                for number, listeners in enumerate(self._listeners):
                    port = self._settings.worker_port + number
                    listeners.append(stack.enter_context(_listening("127.0.0.1", port)))
            signalled = stack.enter_context(self._catch_signals())
            self._servers = [ServerProcess(self._settings, listeners) for listeners in self._listeners]
            try:
                if not all(server.wait_until_ready(START_SECONDS) for server in self._servers):
                    return 3  # the server has logged why
                self._ready(address_of_socket(listener))
                while not self._stopping:
                    wait([signalled, *(server.process.sentinel for server in self._servers)])
                    with contextlib.suppress(BlockingIOError):
                        os.read(signalled, 4096)
                    self._replace_dead()
                    if signal.SIGHUP in self._signals:
                        self._signals.remove(signal.SIGHUP)
                        self._replace_all()
                return 0
            finally:
                self._stop_all()

    @property
    def _stopping(self) -> bool:
        return signal.SIGTERM in self._signals or signal.SIGINT in self._signals

    def _replace_dead(self) -> None:
        for index, server in enumerate(self._servers):
            if server.process.is_alive() or self._stopping:
                continue
            code = server.process.exitcode
            log.error("a server has died", extra={"pid": server.process.pid, "code": code})
            if time.monotonic() - server.started < 10 * RESTART_SECONDS:
                time.sleep(RESTART_SECONDS)
            server.close()
            self._servers[index] = ServerProcess(self._settings, self._listeners[index])

    def _replace_all(self) -> None:
        """Replace the servers one by one. If a new one does not start, the old ones go on."""
        log.info("the servers are replaced", extra={"servers": len(self._servers)})
        for index, old in enumerate(self._servers):
            new = ServerProcess(self._settings, self._listeners[index])
            if self._stopping or not new.wait_until_ready(START_SECONDS):
                log.error("a server does not start, the others go on")
                new.stop(self._stop_seconds)
                new.close()
                return
            self._servers[index] = new
            old.stop(self._stop_seconds)
            old.close()

    def _stop_all(self) -> None:
        for server in self._servers:
            server.process.terminate()
        until = time.monotonic() + self._stop_seconds
        for server in self._servers:
            server.stop(max(0.1, until - time.monotonic()))
            server.close()

    @contextlib.contextmanager
    def _catch_signals(self) -> Iterator[int]:
        """Note signals, and make a file descriptor readable when there is one."""
        readable, writable = os.pipe()
        os.set_blocking(readable, False)
        os.set_blocking(writable, False)
        handled = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        before = {number: signal.signal(number, self._on_signal) for number in handled}
        wakeup = signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
        try:
            yield readable
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(readable)
            os.close(writable)

    def _on_signal(self, number: int, _: object) -> None:
        self._signals.append(number)


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that servers accept connections from."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.set_inheritable(True)
        yield listener


def _serve(settings: Settings, listeners: list[socket.socket], link: Connection) -> None:
    """The main function of a server."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # of a terminal: the supervisor decides

    def watch_supervisor(server: Server) -> None:
        with contextlib.suppress(EOFError, OSError):
            link.recv()  # returns when the supervisor has died
        server.should_exit = True

    def started(server: Server) -> None:
        link.send("ready")
        threading.Thread(target=watch_supervisor, args=(server,), daemon=True).start()

    run_server(settings, started, listeners)
