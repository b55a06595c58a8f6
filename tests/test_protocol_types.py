"""The protocol types of the web client are generated from the server."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_types_of_the_web_client_are_up_to_date() -> None:
    script = ROOT / "tools" / "protocol_types.py"
    if not script.is_file():
        pytest.skip("not in a checkout")
    spec = importlib.util.spec_from_file_location("protocol_types", script)
    assert spec and spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    fresh = tool.generate()
    assert fresh == (ROOT / "web/src/protocol.ts").read_text("utf-8"), (
        "python3 run.py tool protocol_types > web/src/protocol.ts"
    )
