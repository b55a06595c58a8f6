"""Repeat tests, and report those that do not always pass.

    python3 run.py tool flaky --runs 20 tests/system/faults
    python3 run.py tool flaky --runs 5 --load 8 tests       beside eight processes that only compute

The exit code is 1 if a test failed in any run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--load", type=int, default=0, help="the number of busy processes beside the tests")
    parser.add_argument("tests", nargs="+", help="files and folders; other options go to pytest")
    chosen, options = parser.parse_known_args(words)
    failed: Counter[str] = Counter()
    with busy(chosen.load):
        for run in range(1, chosen.runs + 1):
            start = time.monotonic()
            command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", *options, *chosen.tests]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            names = re.findall(r"^(?:FAILED|ERROR):? (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
            if done.returncode and not names:
                names = [f"pytest itself: exit code {done.returncode}"]
            failed.update(names)
            load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
            last = done.stdout.strip().rpartition("\n")[2]
            print(f"run {run}: {time.monotonic() - start:.0f} s, load {load:.1f}: {last}", flush=True)
            if names:
                print(done.stdout, flush=True)
    for name, count in failed.most_common():
        print(f"failed in {count} of {chosen.runs} runs: {name}")
    print(f"{chosen.runs} runs, {len(failed)} tests failed at least once")
    return 1 if failed else 0


@contextlib.contextmanager
def busy(number: int) -> Iterator[None]:
    """Processes that only compute."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


if __name__ == "__main__":
    sys.exit(main())
