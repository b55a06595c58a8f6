"""Progress on stderr: a bar on a terminal, elsewhere plain lines."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console

from escadaria.cli.lab import league_progress
from escadaria.i18n import load
from escadaria.terminal import progress
from escadaria.terminal.screen import Screen

PATIENCE = 60
"""Seconds until a test fails that waits for a line."""


class Lines(io.StringIO):
    """A file that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = threading.Condition()

    def write(self, text: str, /) -> int:
        with self.changed:
            written = super().write(text)
            self.changed.notify_all()
        return written

    def wait_for(self, text: str) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: text in self.getvalue(), PATIENCE)


def screen_on(file: io.StringIO, *, terminal: bool = False) -> Screen:
    console = Console(file=file, force_terminal=terminal, width=100, highlight=False)
    return Screen(load("en"), console, console)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST", 0.0)
    monkeypatch.setattr(progress, "NEXT", 0.01)


@pytest.mark.usefixtures("soon")
def test_off_a_terminal_the_newest_report_is_printed_in_plain_lines() -> None:
    file = Lines()
    with progress.show_progress(screen_on(file), "Compiling") as report:
        assert file.wait_for("Compiling (")
        report(1000, 250_000, "Playing")
        assert file.wait_for("Playing: 1,000 / 250,000 (")
    assert "\x1b" not in file.getvalue()


def test_short_work_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST", 600.0)
    file = Lines()
    with progress.show_progress(screen_on(file), "Compiling"):
        pass
    assert file.getvalue() == ""


def test_on_a_terminal_a_bar_is_drawn() -> None:
    file = Lines()
    with progress.show_progress(screen_on(file, terminal=True), "Compiling") as report:
        assert file.wait_for("Compiling")
        report(3, 12)
        assert file.wait_for("3/12")


@pytest.mark.usefixtures("soon")
def test_a_league_is_preparing_until_it_has_played() -> None:
    file = Lines()
    with league_progress(screen_on(file), "Compiling") as update:
        update(20, 100)  # stored by an earlier run
        assert file.wait_for("Compiling: 20 / 100 (")
        update(60, 100)
        assert file.wait_for("Playing: 60 / 100 (")
