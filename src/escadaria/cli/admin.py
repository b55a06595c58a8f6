"""Maintenance of a server's database."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from escadaria.cli.common import AsJson, json_text, report_errors
from escadaria.terminal.progress import show_progress
from escadaria.terminal.screen import Screen

if TYPE_CHECKING:
    from escadaria.store.database import Session

app = typer.Typer(help="Maintain the database of a server.", no_args_is_help=True)

Database = Annotated[
    str,
    typer.Option(
        envvar=["ESCADARIA_DATABASE", "DATABASE_URL"],
        help="A file for SQLite, or a postgresql:// URL. Default: in your data folder.",
    ),
]
BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")]


@app.command()
def backup(file: BackupFile, database: Database = "", as_json: AsJson = False) -> None:
    """Back up the whole database to a new file; servers may keep running.

    The file contains the secrets of all seats and dice. It can be restored into SQLite and PostgreSQL.
    """
    from escadaria.store import maintenance  # not needed by other commands

    with opened(database) as (session, screen), show_progress(screen, "rows") as progress:
        rows = maintenance.backup(session, file, progress)
        show_facts(f"{file}: {rows['match']} matches, {rows['event']} events", {"rows": rows}, as_json)


@app.command()
def restore(file: BackupFile, database: Database = "", as_json: AsJson = False) -> None:
    """Fill an empty database from a backup, all or nothing."""
    from escadaria.store import maintenance  # not needed by other commands

    with (
        opened(database, create=True) as (session, screen),
        show_progress(screen, "bytes") as progress,
    ):
        rows = maintenance.restore(session, file, progress)
        show_facts(f"restored {rows['match']} matches, {rows['event']} events", {"rows": rows}, as_json)


@app.command()
def export(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of the match, as in its link.")] = "",
    folder: Annotated[
        Path | None, typer.Option("--all", metavar="FOLDER", help="Export all finished matches to a folder.")
    ] = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Write the record of a finished match to stdout, or the records of all to a folder."""
    require_one(match, folder, "a match, or --all FOLDER")
    with opened(database) as (session, screen), show_progress(screen, "matches") as progress:
        from escadaria.server.matches import stored  # the extra `server`, whose messages load slowly

        if folder is None:
            text = stored.export(session, match)
            show_facts(text.rstrip("\n"), {"match": match, "record": text}, as_json)
            return
        written, damaged = stored.export_all(session, folder, progress)
        show_facts(f"{folder}: {written} records", {"records": written, "damaged": damaged}, as_json)
        report_damage(damaged, screen)


@app.command()
def delete(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of the match, as in its link.")] = "",
    name: Annotated[str, typer.Option(help="Replace this person's name in all matches instead.")] = "",
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Delete a match, or a person's name from all matches, permanently.

    The database files are rewritten, so that no deleted data is left in them; servers wait meanwhile.
    """
    require_one(match, name, "a match, or --name NAME")
    with opened(database) as (session, screen), show_progress(screen, "matches") as progress:
        from escadaria.server.matches import stored  # the extra `server`, whose messages load slowly

        if match:
            events = stored.delete_match(session, match)
            show_facts(f"deleted {match}: {events} events", {"match": match, "events": events}, as_json)
            return
        matches = stored.delete_name(session, name, progress)
        show_facts(f"replaced {name!r} in {len(matches)} matches", {"matches": matches}, as_json)
        if not matches:
            raise typer.Exit(1)


@app.command()
def check(database: Database = "", as_json: AsJson = False) -> None:
    """Replay every match in the database, and report the damaged ones."""
    with opened(database) as (session, screen), show_progress(screen, "matches") as progress:
        from escadaria.server.matches import stored  # the extra `server`, whose messages load slowly

        found = stored.check(session, progress)
        show_facts(
            f"{found.matches} matches ({found.finished} finished), {found.events} events,"
            f" {found.rolls} rolls verified: {len(found.damaged)} damaged",
            dataclasses.asdict(found),
            as_json,
        )
        report_damage(found.damaged, screen)


@contextmanager
def opened(url: str, *, create: bool = False) -> Iterator[tuple[Session, Screen]]:
    """A connection to the database, and the screen."""
    with report_errors(None) as screen:
        from escadaria.server import run  # the extra `server`
        from escadaria.store import maintenance

        url = url or run.default_database()
        try:
            if url.startswith("postgres"):
                import_module("psycopg")
            with maintenance.maintenance_session(url, create=create) as session:
                yield session, screen
        except maintenance.AdminError as error:
            screen.error_line(str(error))
            raise typer.Exit(1) from None
        except ValueError as error:  # an invalid URL
            screen.error_line(str(error))
            raise typer.Exit(2) from None


def require_one(first: object, second: object, what: str) -> None:
    if bool(first) == bool(second):
        raise typer.BadParameter(f"name {what}")


def show_facts(sentence: str, facts: dict[str, Any], as_json: bool) -> None:
    typer.echo(json_text(facts) if as_json else sentence)


def report_damage(damaged: dict[str, str], screen: Screen) -> None:
    for match, reason in damaged.items():
        screen.error_line(f"{match}: {reason}")
    if damaged:
        raise typer.Exit(1)
