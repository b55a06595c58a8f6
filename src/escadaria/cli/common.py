"""What the commands share: options, output and exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import requires
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer

from escadaria.arena.batches import MissingExtra
from escadaria.catalogue import GAMES
from escadaria.game import GameError
from escadaria.i18n import LANGUAGES
from escadaria.record import BadRecord
from escadaria.refusals import Refused
from escadaria.terminal import saves
from escadaria.terminal.screen import Screen

KNOWN = " or ".join(GAMES)

SCHEMA = 1
"""The version of the --json output. It is incremented when a field is removed or changes its meaning."""


Language = Annotated[
    str | None,
    typer.Option("--lang", metavar="|".join(LANGUAGES), help="The language. Default: the system's."),
]
Options = Annotated[
    list[str],
    typer.Option(
        "--option", metavar="NAME=VALUE", help="An option of the game, such as finish=10. Repeatable."
    ),
]
OneGame = Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: one per core.")]
Scheduler = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Play on the Dask cluster with this scheduler.")
]
AsJson = Annotated[bool, typer.Option("--json", help="The results as JSON.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A record.")]


def json_text(data: Mapping[str, Any]) -> str:
    """The --json output of a command: see docs/reference/json.md."""
    return json.dumps({"schema": SCHEMA, **data}, indent=2)


def echo_json(data: Mapping[str, Any]) -> None:
    typer.echo(json_text(data))


@contextmanager
def report_errors(language: str | None, *, setting_up: bool = False) -> Iterator[Screen]:
    """The screen; errors are printed on it in one line and become exit codes.

    :param setting_up: whether the command sets up a match.
    """
    screen = Screen.open()
    try:
        screen = Screen.open(language)
        yield screen
    except (BadRecord, Refused, saves.NothingToResume, saves.SecretMissing) as error:
        screen.show_error(error)
        raise typer.Exit(1) from None
    except BrokenPipeError:  # as in `replay FILE | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except (GameError, OSError) as error:
        screen.show_error(error, setting_up=setting_up)
        raise typer.Exit(2) from None
    except ModuleNotFoundError as error:
        extra = extra_with(error.name or "")
        if not extra:
            raise
        screen.show_error(MissingExtra(f"this needs {error.name}: install escadaria[{extra}]"))
        raise typer.Exit(2) from None
    except KeyboardInterrupt as stop:
        raise typer.Exit(128 + (stop.args[0] if stop.args else signal.SIGINT)) from None
    except EOFError:  # end of input
        raise typer.Exit(2) from None


def extra_with(module: str) -> str:
    """The smallest extra of this package that installs a module, or an empty string."""
    extras: dict[str, set[str]] = {}
    for requirement in requires("escadaria") or ():
        found = re.match(r"([\w-]+).*extra == ['\"](\w+)['\"]", requirement)
        if found:
            extras.setdefault(found[2], set()).add(found[1].lower().replace("-", "_"))
    fitting = [extra for extra, modules in extras.items() if module.partition(".")[0] in modules]
    return min(fitting, key=lambda extra: len(extras[extra]), default="")


@contextmanager
def signals_as_interrupt() -> Iterator[None]:
    """Handle SIGTERM and SIGHUP like Ctrl-C."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
