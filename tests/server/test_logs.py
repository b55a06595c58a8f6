"""The log formats: one line per record, whatever a client put into it."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from escadaria.server.logs import JsonLines, TextLines, database_name, set_up_logs
from escadaria.settings import Settings
from serving import Server, running


def record(message: str, **fields: object) -> logging.LogRecord:
    return logging.makeLogRecord(
        {"name": "escadaria.server", "levelname": "INFO", "msg": message, "created": 0.0, **fields}
    )


def test_a_text_line_has_the_time_the_level_the_message_and_the_fields_and_is_one_line() -> None:
    line = TextLines().format(record("started", port=8000, database="sqlite"))
    assert line == "1970-01-01T00:00:00Z info    started port=8000 database=sqlite"
    line = TextLines().format(record("a request failed", path="/x\n1970-01-01T00:00:00Z info    started"))
    assert "\n" not in line and r'path="/x\n1970' in line
    line = TextLines().format(record("cancellation failed:\n\tIs the server running?"))
    assert line == "1970-01-01T00:00:00Z info    cancellation failed: Is the server running?"


def test_a_lost_database_is_logged_by_the_store_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """psycopg also warns, for example that it could not cancel a query of the lost connection."""
    for name in ("psycopg", "psycopg.pool", "litestar"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.NOTSET)
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    set_up_logs(Settings(database=str(tmp_path / "matches.sqlite3")))
    logging.getLogger("psycopg").warning("query cancellation failed")
    logging.getLogger("psycopg").error("broken")
    logging.getLogger("litestar").warning("careful")
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(maxsplit=2)[2] for line in lines] == ["broken", "careful"]


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


def test_a_database_is_named_without_its_password() -> None:
    names = {
        "/var/lib/matches.sqlite3": "sqlite /var/lib/matches.sqlite3",
        "sqlite:////var/lib/matches.sqlite3": "sqlite /var/lib/matches.sqlite3",
        "postgresql://ana:secret@db.example.org:5433/games": "postgresql db.example.org:5433/games",
        "postgresql://ana:se%40cret@/games?host=/run&password=secret": "postgresql local/games",
        "postgresql://ana:secret@host:port/games": "postgresql ?",
    }
    assert {url: database_name(url) for url in names} == names


def test_a_server_logs_its_start_and_shutdown(tmp_path: Path) -> None:
    with running(Server(tmp_path)) as server:
        pass
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    by_message = {line["what"]: line for line in lines}
    order = ["the tables were migrated", "started", "shutting down", "stopped"]
    assert [line["what"] for line in lines] == order and lines[0]["before"] == "none"
    started = by_message["started"]
    assert started["address"] == server.url and started["database"] == f"sqlite {server.database}"
    assert started["version"] and started["commit"] and started["connections"] == Settings().connections
    assert by_message["shutting down"]["why"] == "SIGTERM"
    assert by_message["stopped"]["seconds"] >= 0
