"""Files that tools write from the code are up to date."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from escadaria.i18n import LANGUAGES

ROOT = Path(__file__).parents[2]


def tool(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "tools" / f"{name}.py"))


@pytest.mark.parametrize(
    "name, target, command",
    [
        ("protocol_types", "protocol.ts", "python3 run.py tool protocol_types > web/src/protocol.ts"),
        ("text_keys", "texts/keys.ts", "python3 run.py tool text_keys"),
    ],
)
def test_what_the_web_client_takes_from_the_server(name: str, target: str, command: str) -> None:
    assert tool(name)["generate"]() == (ROOT / "web/src" / target).read_text("utf-8"), command


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_pages(language: str) -> None:
    page = (ROOT / "docs" / "rules" / f"{language}.md").read_text("utf-8")
    assert tool("rules_pages")["page"](language) == page, "python3 run.py tool rules_pages"


def test_the_golden_records() -> None:
    records = ROOT / "tests" / "records"
    texts: dict[str, str] = tool("golden")["texts"]()
    assert {path.name for path in records.iterdir()} == texts.keys()
    for name, text in texts.items():
        assert (records / name).read_bytes() == text.encode(), f"python3 run.py tool golden: {name}"
