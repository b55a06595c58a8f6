"""The ``escadaria`` command.

Results go to stdout, progress and errors to stderr. The exit code is 0 for success, 1 if the answer is no
(dice that are not fair, a record that is damaged or cannot be resumed), 2 for wrong usage, and 128 plus the
signal's number if it was stopped (130 after Ctrl-C).
"""

from __future__ import annotations

from typing import Annotated

import typer

import escadaria
from escadaria.cli import admin, coach, lab, matches, serve

app = typer.Typer(
    help="Rapido and Chain, two dice races: play, replay, analyse and serve them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command that the arguments name."""
    app(prog_name="escadaria")


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"escadaria {escadaria.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Options before the command."""


for command in (
    matches.play,
    matches.replay,
    coach.analyse,
    coach.hint,
    coach.strategy,
    matches.print_,
    lab.simulate,
    lab.solve,
    lab.arena,
    lab.benchmark,
    matches.verify,
    serve.serve,
):
    app.command(command.__name__.rstrip("_"))(command)
app.add_typer(admin.app, name="admin")
