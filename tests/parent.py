"""The parent process of the servers of one test process.

It imports what a server needs, which takes seconds, and then forks a server for each line that it reads.
When its input ends it kills those that are left.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import select
import signal
import sys
from pathlib import Path
from typing import Any

POLL_SECONDS = 0.01


def main() -> None:
    """Fork servers until the standard input ends."""
    import uvloop  # noqa: F401 - all of these are imported here once

    from escadaria.server.http.app import create_app
    from escadaria.settings import Settings

    create_app(Settings())
    running: dict[int, Path] = {}
    """What is printed by a server, by its process id."""
    while True:
        if select.select([0], [], [], POLL_SECONDS if running else None)[0]:
            lines = os.read(0, 2**20).splitlines()
            if not lines:
                break
            for line in lines:
                job = json.loads(line)
                pid = os.fork()
                if not pid:
                    return launch(job)
                running[pid] = Path(job["printed"])
        for pid in [*running]:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                with running.pop(pid).open("a") as printed:
                    printed.write(f"code {os.waitstatus_to_exitcode(status)}\n")
    for pid in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def launch(job: dict[str, Any]) -> None:
    """Run a server in this process and in a session of its own; print its process id and its address."""
    os.setsid()
    for descriptor, path in ((0, os.devnull), (1, job["printed"]), (2, job["log"])):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
    print("pid", os.getpid(), flush=True)
    if job["files"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (job["files"], job["files"]))
    for place, value in job["patches"].items():
        module, _, name = place.rpartition(".")
        setattr(importlib.import_module(module), name, value)
    environment = job["environment"]
    if environment.get("PYTHONPATH") != os.environ.get("PYTHONPATH"):  # other games may be installed there
        os.execve(sys.executable, [sys.executable, __file__, json.dumps(job["settings"])], environment)
    os.environ.clear()
    os.environ.update(environment)
    run(job["settings"])


def run(settings: dict[str, Any]) -> None:
    from escadaria.server.run import serve
    from escadaria.settings import Settings

    serve(Settings(**settings), ready=lambda url: print("url", url, flush=True))


if __name__ == "__main__":
    run(json.loads(sys.argv[1])) if sys.argv[1:] else main()
