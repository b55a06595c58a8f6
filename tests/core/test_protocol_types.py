"""What the web client generates from the server: the types of the protocol, and the text keys."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "tool, target, command",
    [
        ("protocol_types", "protocol.ts", "python3 run.py tool protocol_types > web/src/protocol.ts"),
        ("text_keys", "texts/keys.ts", "python3 run.py tool text_keys"),
    ],
)
def test_generated_files_are_up_to_date(tool: str, target: str, command: str) -> None:
    script = ROOT / "tools" / f"{tool}.py"
    if not script.is_file():
        pytest.skip("not in a checkout")
    spec = importlib.util.spec_from_file_location(tool, script)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.generate() == (ROOT / "web/src" / target).read_text("utf-8"), command
