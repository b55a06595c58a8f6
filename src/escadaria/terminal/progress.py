"""Progress on stderr: a bar on a terminal, elsewhere a plain line now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from escadaria.terminal.screen import Screen

FIRST, NEXT = 5.0, 20.0
"""The seconds before the first plain line and between two."""


class Report(Protocol):
    """Reports how much is done, and what is being done now if that has changed."""

    def __call__(self, done: int = 0, total: int = 0, text: str = "") -> None: ...


@contextmanager
def show_progress(screen: Screen, text: str) -> Iterator[Report]:
    """Show the newest report until the work is done; ``text`` is what it starts with."""
    with (_bar if screen.err.is_terminal else _lines)(screen, text) as report:
        yield report


@contextmanager
def _bar(screen: Screen, text: str) -> Iterator[Report]:
    counted = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=screen.err, transient=True) as progress:
        task = progress.add_task(text, total=None)

        def report(done: int = 0, total: int = 0, text: str = "") -> None:
            if total:
                progress.columns = (*columns[:2], *counted)
            progress.update(task, description=text or None, completed=done, total=total or None)

        yield report


@contextmanager
def _lines(screen: Screen, text: str) -> Iterator[Report]:
    start, ended, name, newest = time.monotonic(), threading.Event(), text, text

    def report(done: int = 0, total: int = 0, text: str = "") -> None:
        nonlocal name, newest
        name, number = text or name, screen.texts.number
        newest = f"{name}: {number(done)} / {number(total)}" if total else name

    def repeat() -> None:
        wait = FIRST
        while not ended.wait(wait):
            screen.err.print(f"{newest} ({time.monotonic() - start:.0f} s)", soft_wrap=True)
            wait = NEXT

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield report
    finally:
        ended.set()
        thread.join()
