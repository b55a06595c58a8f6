"""The log formats: one line per record, whatever a client put into it."""

from __future__ import annotations

import json
import logging

from escadaria.server.logs import JsonLines, TextLines


def record(message: str, **fields: object) -> logging.LogRecord:
    return logging.makeLogRecord(
        {"name": "escadaria.server", "levelname": "INFO", "msg": message, "created": 0.0, **fields}
    )


def test_a_text_line_has_the_time_the_level_the_message_and_the_fields() -> None:
    line = TextLines().format(record("started", port=8000, database="sqlite"))
    assert line == "1970-01-01T00:00:00Z info    started port=8000 database=sqlite"


def test_a_field_with_a_line_break_stays_on_its_line() -> None:
    line = TextLines().format(record("a request failed", path="/x\n1970-01-01T00:00:00Z info    started"))
    assert "\n" not in line and r'path="/x\n1970' in line


def test_a_json_line_is_one_object_with_the_fields() -> None:
    line = JsonLines().format(record("started", port=8000, path="/x\ny"))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "1970-01-01T00:00:00Z",
        "level": "info",
        "logger": "escadaria.server",
        "what": "started",
        "port": 8000,
        "path": "/x\ny",
    }


def test_a_traceback_is_in_both_formats() -> None:
    try:
        raise ValueError("broken")
    except ValueError as error:
        failed = record("failed", exc_info=(ValueError, error, error.__traceback__))
    assert "ValueError: broken" in TextLines().format(failed)
    assert "ValueError: broken" in json.loads(JsonLines().format(failed))["error"]
