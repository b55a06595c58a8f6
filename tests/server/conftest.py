"""A server process for all tests of this folder."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from server.coached import with_cache
from server.wire import settings_json

PROGRAM = """
import json, sys
from escadaria.server.run import serve
from escadaria.server.settings import Settings
if __name__ == "__main__":
    serve(Settings(**json.loads(sys.argv[1])), ready=lambda url: print(url, flush=True))
"""


@dataclass
class Live:
    """A server process on a free port of the loopback."""

    folder: Path
    settings: dict[str, Any]

    def __post_init__(self) -> None:
        self.database = self.folder / "matches.sqlite3"
        self.log = self.folder / "log"
        self.cache = self.folder / "cache"
        self.start()

    def start(self) -> None:
        """Start it and wait until it is ready."""
        settings = settings_json(
            **{"database": str(self.database), "log_format": "json", "log_level": "debug", **self.settings}
        )
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, settings],
                stdout=subprocess.PIPE,
                stderr=log,
                env=with_cache(self.cache),
            )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().decode().strip()
        assert self.url, f"the server did not start:\n{self.log.read_text()}"
        self.settings["port"] = int(self.url.rpartition(":")[2])  # a restart uses the same port

    def stop(self) -> int:
        """Terminate it and return the exit code."""
        self.process.terminate()
        code = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def complaints(self) -> list[str]:
        """The errors in its log."""
        lines = map(json.loads, self.log.read_text().splitlines())
        return [str(line) for line in lines if line["level"] in ("error", "critical") or "error" in line]


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The process that most tests share. It must not log errors."""
    server = Live(tmp_path_factory.mktemp("server"), {})
    yield server
    assert server.stop() in (0, -signal.SIGTERM)
    assert not server.complaints()


@pytest.fixture(scope="session")
def url(live: Live) -> str:
    """The URL of the shared server."""
    return live.url


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
