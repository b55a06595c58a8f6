"""The table server."""

from __future__ import annotations

import dataclasses
import inspect
import webbrowser
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, get_type_hints

import typer

from escadaria.cli.common import report_errors
from escadaria.settings import Settings


def _with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for every setting of the server."""
    types = get_type_hints(Settings)
    parameters = [
        inspect.Parameter(
            setting.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=setting.default,
            annotation=Annotated[
                types[setting.name],
                typer.Option(
                    f"--{setting.name.replace('_', '-')}",
                    envvar=[f"ESCADARIA_{setting.name.upper()}", *setting.metadata["also"]],
                    help=setting.metadata["help"],
                ),
            ],
        )
        for setting in dataclasses.fields(Settings)
    ]
    opened = inspect.Parameter(
        "open_browser",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[bool, typer.Option("--open", help="Open the game in the browser.")],
    )
    command.__signature__ = inspect.Signature([opened, *parameters])  # type: ignore[attr-defined]
    return command


@_with_settings
def serve(open_browser: bool = False, **given: Any) -> None:
    """Run the table server until it is stopped.

    Every option can also be set by an environment variable: --port is ESCADARIA_PORT.
    """

    def ready(url: str) -> None:
        typer.echo(f"Escadaria is at {url} (stop it with Ctrl-C)")
        if open_browser:
            webbrowser.open(url)

    settings = Settings(**given)
    with report_errors(None):
        from escadaria.server import run  # the extra `server`; importing it takes a second

        if not settings.database:
            settings = dataclasses.replace(settings, database=run.default_database())
        if open_browser and not run.is_free(settings.host, settings.port):
            settings = dataclasses.replace(settings, port=0)  # any free port, since the browser opens the URL
        if settings.database.startswith("postgres"):
            import_module("psycopg")  # report a missing extra before the server starts
        if settings.redis:
            import_module("redis")
        run.serve(settings, ready)
