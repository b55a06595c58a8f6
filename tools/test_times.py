"""Write the table of test times in CONTRIBUTING.md, from pytest's report of the last full run.

    python3 run.py test && python3 run.py tool test_times

The table is also the budget: a full run fails if a folder takes over twice its share of CPU time.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
REPORT = ROOT / ".pytest_cache" / "full.xml"
PAGE = ROOT / "CONTRIBUTING.md"
HEAD = "| Folder | Tests | Seconds | CPU seconds | Share |\n| --- | ---: | ---: | ---: | ---: |\n"


def main() -> int:
    if not REPORT.is_file():
        print("there is no report yet: `python3 run.py test` writes it", file=sys.stderr)
        return 1
    tests: Counter[str] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    cpu: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(REPORT).iter("testcase"):
        folder = folder_of(case.get("classname", ""))
        tests[folder] += 1
        seconds[folder] += float(case.get("time", 0))
        cpu[folder] += sum(float(found.get("value", 0)) for found in case.iter("property"))
    total = sum(cpu.values())
    rows = ""
    for name in sorted(tests, key=cpu.__getitem__, reverse=True):
        share = f"{100 * cpu[name] / total:.1f} %"
        rows += f"| `{name}` | {tests[name]} | {seconds[name]:.0f} | {cpu[name]:.0f} | {share} |\n"
    rows += f"| all | {tests.total()} | {sum(seconds.values()):.0f} | {total:.0f} | |\n"
    page = PAGE.read_text("utf-8")
    written = re.sub(re.escape(HEAD) + r"(\|.*\n)*", lambda _: HEAD + rows, page)
    assert HEAD in written, "CONTRIBUTING.md has the head of the table"
    PAGE.write_text(written, "utf-8")
    print(rows, end="")
    return 0


def folder_of(place: str) -> str:
    """The folder of a file or class of tests, which pytest reports with dots."""
    parts = Path(*place.split("."))
    return next(path.as_posix() for path in (parts, *parts.parents) if (ROOT / path).is_dir())


if __name__ == "__main__":
    sys.exit(main())
