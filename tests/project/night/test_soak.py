"""The soak benchmark plays on a real server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_a_short_soak_keeps_every_move(tmp_path: Path) -> None:
    command = [sys.executable, "bench/soak.py", "--tables", "3", "--minutes", "0.3", "--every", "2"]
    done = subprocess.run([*command, "--output", str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "soak.json").read_text())
    assert report["moves"] > 3 and report["problems"] == {} and len(report["samples"]) >= 2
    assert (tmp_path / "soak.svg").stat().st_size > 1000
