"""Debian's programs that tests start: PostgreSQL, Redis, proxies, a browser.

    python tests/programs.py        installs those that are missing, as root

``python3 run.py test`` does this before the tests, so that no two of them install at once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "chromium": "chromium",
    "haproxy": "haproxy",
    "initdb": "postgresql",
    "nginx": "nginx",
    "redis-server": "redis-server",
}
"""The package of each program."""


def program(name: str) -> str:
    """The path of a program.

    :raises LookupError: if it is missing.
    """
    if found := find(name):
        return found
    raise LookupError(f"there is no {name} here: install it (apt-get install {PACKAGES[name]})")


def find(name: str) -> str | None:
    if name == "chromium" and (named := os.environ.get("CHROMIUM")):
        return named
    if found := shutil.which(name):
        return found  # not resolved: Redis goes by the name that it is called by
    versions = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")  # not in the path
    return max(map(str, versions), default=None)


def main() -> int:
    missing = sorted({package for name, package in PACKAGES.items() if not find(name)})
    if not missing:
        return 0
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        print(f"install these packages, or tests will fail: {' '.join(missing)}", file=sys.stderr)
        return 1
    print(f"installing {', '.join(missing)}", file=sys.stderr)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "-y", "--no-install-recommends", *missing]):
        subprocess.run(["apt-get", "-qq", *words], env=environment, stdout=subprocess.DEVNULL, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
