"""The ``escadaria`` command, from ``play`` and ``replay`` to ``serve`` and ``admin``.

Results go to stdout, progress and refusals to stderr. It ends with 0 when all is done, with 1 when
the answer is no (dice that are not fair, a record that is damaged or cannot go on), with 2 when it
was called wrongly, and with 128 and the signal's number when it was stopped (130 after Ctrl-C).
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
import signal
import sys
import threading
import time
import warnings
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn, get_type_hints

import typer

import escadaria
from escadaria.arena.league import league, results_folder
from escadaria.arena.simulation import simulate as run_simulation
from escadaria.arena.workers import MissingExtra
from escadaria.bots import BOTS
from escadaria.catalogue import GAMES
from escadaria.coach import evaluators
from escadaria.coach.analysis import analyse as run_analysis
from escadaria.game import GameError
from escadaria.i18n import LANGUAGES
from escadaria.record import BadRecord, open_record
from escadaria.record import verify as verify_record
from escadaria.refusals import Refused
from escadaria.server.settings import Settings
from escadaria.solutions import path_of
from escadaria.strategy import advice as find_advice
from escadaria.table import Table
from escadaria.terminal import saves, seating
from escadaria.terminal.analysis import (
    draw_analysis,
    hint_data,
    show_analysis,
    show_hint,
    watched_analysis,
)
from escadaria.terminal.analysis_page import page
from escadaria.terminal.arena import show_league, watched_league
from escadaria.terminal.play import PAUSE, Quit, Session
from escadaria.terminal.plot import check_plot, draw_league
from escadaria.terminal.replay import Replay
from escadaria.terminal.results import (
    show_results,
    show_solution,
    show_verdict,
    solution_data,
    solving,
    watched,
)
from escadaria.terminal.screen import Screen
from escadaria.terminal.strategy import show_advice

KNOWN = " or ".join(GAMES)

SCHEMA = 1
"""Of what --json prints. It rises when a field is taken away or means something else."""

app = typer.Typer(
    help="Rapido and Chain, two dice races: play them, look at them again, serve tables.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Language = Annotated[
    str | None,
    typer.Option("--lang", metavar="|".join(LANGUAGES), help="The language; else that of the system."),
]
Options = Annotated[
    list[str],
    typer.Option(
        "--option", metavar="NAME=VALUE", help="An option of the game, as in finish=10. Repeatable."
    ),
]
OneGame = Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Workers = Annotated[int | None, typer.Option(min=1, help="How many play at once; else all cores.")]
Scheduler = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Play on the Dask cluster with this scheduler.")
]
AsJson = Annotated[bool, typer.Option("--json", help="The results as JSON.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A record.")]
Rollouts = Annotated[
    int, typer.Option(metavar="N", min=0, help="Let simple bots play N games from each position instead.")
]


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
    """What stands before the command."""


@app.command()
def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}; with --resume a record.")] = "",
    seat: Annotated[
        list[str],
        typer.Option(
            metavar="NAME", help=f"A person; or bot:KIND, or NAME=bot:KIND ({', '.join(BOTS)}). Repeatable."
        ),
    ] = [],  # noqa: B006 - Typer copies it
    players: Annotated[int | None, typer.Option(help="How many play; bots take the seats left over.")] = None,
    option: Options = [],  # noqa: B006
    lang: Language = None,
    seed: Annotated[
        int | None, typer.Option(help="Dice that fall the same each time; else fair ones.")
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to keep the match.")] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the newest unfinished match, or with the record given."),
    ] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Bots play without a pause.")] = False,
) -> None:
    """Play a game, any mix of people at this keyboard and bots.

    Everything is kept at once: stop with Ctrl-C when you like, and go on with --resume. At any question
    type ? for the rules of the moment, or help for the other commands.
    """
    with refusals(lang) as screen, stopped_gently():
        if resume:
            table, saved = resumed(Path(game) if game else None)
        else:
            table, saved = begun(screen, game, seat, players, option, seed, record)
        session = Session(table, saved, screen, 0 if fast else PAUSE)
        try:
            session.run()
        except (Quit, EOFError):
            session.pause_match()
        except KeyboardInterrupt:
            session.pause_match()
            raise


def begun(
    screen: Screen,
    game: str,
    seats: list[str],
    players: int | None,
    options: list[str],
    seed: int | None,
    record: Path | None,
) -> tuple[Table, saves.SavedMatch]:
    """Begin a new match; ask for missing values on a terminal."""
    there = sys.stdin.isatty()
    name = game or (seating.ask_game(screen) if there else next(iter(GAMES)))
    seating.make_game(name, options, players, len(seats))  # refuse before asking on
    sitting = [seating.read_seat(text) for text in seats]
    if there and not sitting and players is None:
        sitting = seating.ask_seats(screen, name)
    rules = seating.make_game(name, options, players, len(sitting))
    everybody = seating.fill(rules, sitting)
    saved = saves.begin(record or saves.new_path(name), everybody, seed)
    return Table(rules, everybody, saved.dice), saved


def resumed(path: Path | None) -> tuple[Table, saves.SavedMatch]:
    """A match that goes on."""
    record, saved = saves.resume(path or saves.newest_unfinished(saves.records_folder()))
    return Table.resumed(record, saved.dice), saved


@app.command()
def replay(
    file: File,
    everything: Annotated[
        bool, typer.Option("--all", help="Tell the whole match instead of stepping.")
    ] = False,
    ply: Annotated[int | None, typer.Option(help="Show only the position after so many plies.")] = None,
    lang: Language = None,
) -> None:
    """Look at a match again, step by step or all of it."""
    with refusals(lang) as screen:
        shown = Replay(open_record(file), screen)
        if ply is not None:
            shown.show(ply)
        elif everything or not (sys.stdin.isatty() and screen.out.is_terminal):
            shown.show_all()
        else:
            shown.step_through()


@app.command()
def analyse(
    file: File,
    rollouts: Rollouts = 0,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page that needs nothing else.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the win probabilities, as in out.svg.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    lang: Language = None,
) -> None:
    """Tell what each decision of a match was worth, and who was lucky.

    By the exact solution if `escadaria solve` has made one, else by values that ship with the game.
    """
    with refusals(lang) as screen:
        record = open_record(file)
        if plot:
            check_plot(plot)
        with watched_analysis(screen) as progress:
            analysis = run_analysis(record, rollouts=rollouts, progress=progress)
        if html:
            html.write_text(page(analysis, screen.texts), "utf-8")
        if plot:
            draw_analysis(analysis, plot, screen.texts)
        if as_json:
            echo_json(analysis.data())
        elif not (html or plot):
            show_analysis(analysis, screen)


@app.command()
def hint(
    game: OneGame,
    position: Annotated[str, typer.Argument(metavar="POSITION", help="Its text, in one line.")],
    option: Options = [],  # noqa: B006
    players: Annotated[int | None, typer.Option(help="How many play, as --option players=3.")] = None,
    rollouts: Rollouts = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
    lang: Language = None,
) -> None:
    """Tell how often the seat to act wins after each of its choices.

    A position reads as in: escadaria hint rapido
    "turn=0 phase=decide value=62 steps=3,5 tower=4:1:51"
    """
    with refusals(lang) as screen:
        rules, state = seating.read_position(game, option, players, position)
        evaluator = evaluators.find(rules, rollouts)
        if as_json:
            echo_json(hint_data(rules, state, evaluator))
        else:
            show_hint(rules, state, evaluator, screen)


@app.command()
def strategy(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}.")],
    players: Annotated[int, typer.Option(help="How many play.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
    lang: Language = None,
) -> None:
    """Tell how to play a game well: rules of thumb, what they are worth, and when to stop.

    The rules were found by search, and measured against the best play there is.
    """
    with refusals(lang) as screen:
        found = find_advice(game, players)
        if as_json:
            echo_json(found.data())
        else:
            show_advice(game, found, screen)


@app.command()
def simulate(
    game: OneGame,
    bot: Annotated[
        list[str], typer.Option(help="A bot for each seat; a single one takes all. Repeatable.")
    ] = ["simple"],  # noqa: B006
    players: Annotated[int | None, typer.Option(help="How many play; else one for each bot.")] = None,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1000,
    seed: Seed = 1,
    option: Options = [],  # noqa: B006
    workers: Workers = None,
    scheduler: Scheduler = "",
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Let bots play many games, and count.

    The bots move on by one seat from game to game, so that none profits from where it sits. Intervals
    are Wilson's for 95 %. The dice are quick ones and not for real matches. The same seed gives the same
    results on any number of workers.
    """
    with refusals(lang) as screen:
        rules = seating.make_game(game, option, players, len(bot))
        note_missing_compiler(screen)
        start = time.perf_counter()
        with watched(games, screen) as progress:
            results = run_simulation(
                rules, bot, games, seed, workers=workers, scheduler=scheduler, progress=progress
            )
        if as_json:
            echo_json(results.data())
        else:
            show_results(results, time.perf_counter() - start, screen)


@app.command()
def solve(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}, for two players.")],
    players: Annotated[int, typer.Option(help="Only races of two can be solved.")] = 2,
    finish: Annotated[int | None, typer.Option(help="Rapido: the finish, as --option finish=20.")] = None,
    board: Annotated[str, typer.Option(help="Chain: the board, as --option board=default.")] = "",
    option: Options = [],  # noqa: B006
    threads: Annotated[int | None, typer.Option(help="How many to use; else one for each core.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Compute it anew even if it is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Data instead of sentences.")] = False,
    lang: Language = None,
) -> None:
    """Compute what every position is worth with best play on both sides, and prove it.

    The solution is kept in the user's cache folder, or where ESCADARIA_CACHE says; bots and the coach use
    it from then on. Stopped work goes on from its last copy when it is started again.
    """
    named = {"finish": finish or "", "board": board}
    given = [*option, *(f"{name}={value}" for name, value in named.items() if value)]
    with refusals(lang) as screen, stopped_gently():
        from escadaria.compute.solve import solve as compute  # Numba's imports take a second

        rules = seating.make_game(game, given, players, players)
        with solving(screen) as progress:
            solution = compute(rules, threads=threads, progress=progress, again=again)
        if as_json:
            echo_json(solution_data(solution, path_of(rules)))
        else:
            show_solution(solution, path_of(rules), screen)


@app.command()
def arena(
    game: OneGame,
    bot: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="A bot, or package.module:function for one of your own. Repeatable; else all there are.",
        ),
    ] = list(BOTS),  # noqa: B006
    players: Annotated[int | None, typer.Option(help="How many sit at a table; else two.")] = None,
    games: Annotated[int, typer.Option(min=1, help="How many games at least.")] = 1000,
    seed: Seed = 1,
    option: Options = [],  # noqa: B006
    workers: Workers = None,
    scheduler: Scheduler = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with this league where it was stopped.")
    ] = False,
    folder: Annotated[Path | None, typer.Option(help="Where to keep results while they are made.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the results, as in out.svg.")
    ] = None,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Let bots play a league, and tell how strong each is.

    Every bot meets every other equally often and has every seat equally often. Ratings are Elo's points
    (400 more are odds of ten to one for two), counted from the mean of the bots, with intervals for 95 %.
    A bot of your own is a function of game and position. Stop with Ctrl-C when you like, and go on with
    --resume, or with more --games: the results are the same as without a stop.
    """
    with refusals(lang) as screen, stopped_gently():
        rules = seating.make_game(game, option, players, 2)
        if plot:
            check_plot(plot)
        note_missing_compiler(screen)
        with watched_league(screen) as progress:
            results = league(
                rules,
                bot,
                games,
                seed,
                folder=folder or results_folder(),
                resume=resume,
                workers=workers,
                scheduler=scheduler,
                progress=progress,
            )
        if plot:
            draw_league(results, plot, screen.texts)
        if as_json:
            echo_json(results.data())
        else:
            show_league(results, screen)


@app.command()
def verify(file: File, lang: Language = None) -> None:
    """Derive every roll of a match again, and say whether the dice fell as they had to.

    Ends with 0 for yes and 1 for no. No is also said of a record that is damaged, of one whose dice were
    never sealed, and of one that is not finished, since its secret is not known yet.
    """
    with refusals(lang) as screen:
        record = open_record(file)
        verdict = verify_record(record)
        show_verdict(record, verdict, screen)
        if not verdict.fair:
            raise typer.Exit(1)


def serve(open_browser: bool = False, **given: Any) -> None:
    """Serve tables for people and bots to play at, until stopped.

    Everything can also be set by an environment variable: --port is ESCADARIA_PORT.
    """
    from escadaria.server import run  # a second's worth of imports

    def ready(url: str) -> None:
        typer.echo(f"Escadaria is at {url} (stop it with Ctrl-C)")
        if open_browser:
            webbrowser.open(url)

    settings = Settings(**given)
    if not settings.database:
        settings = dataclasses.replace(settings, database=run.default_database())
    if open_browser and not run.is_free(settings.host, settings.port):
        settings = dataclasses.replace(settings, port=0)  # for one's own use any port will do
    with refusals(None):
        if settings.database.startswith("postgres"):
            import_module("psycopg")  # before the server starts
        run.serve(settings, ready)


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


app.command()(_with_settings(serve))


# Looking after the database of a server.

admin_app = typer.Typer(help="Look after the database of a server.", no_args_is_help=True)
app.add_typer(admin_app, name="admin")

Database = Annotated[
    str,
    typer.Option(
        envvar=["ESCADARIA_DATABASE", "DATABASE_URL"],
        help="A file for SQLite, or a postgresql:// URL. Default: in your data folder.",
    ),
]
BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")]


@admin_app.command("backup")
def admin_backup(file: BackupFile, database: Database = "", as_json: AsJson = False) -> None:
    """Write all that is in the database to a new file; servers may go on meanwhile.

    The file holds the secrets of all seats and dice. It can be restored into SQLite and PostgreSQL.
    """
    with administered(database) as (admin, session, screen), reported(screen, "rows") as progress:
        rows = admin.backup(session, file, progress)
        show_facts(f"{file}: {rows['match']} matches, {rows['event']} events", {"rows": rows}, as_json)


@admin_app.command("restore")
def admin_restore(file: BackupFile, database: Database = "", as_json: AsJson = False) -> None:
    """Fill an empty database from a backup, all or nothing."""
    with (
        administered(database, create=True) as (admin, session, screen),
        reported(screen, "bytes") as progress,
    ):
        rows = admin.restore(session, file, progress)
        show_facts(f"restored {rows['match']} matches, {rows['event']} events", {"rows": rows}, as_json)


@admin_app.command("export")
def admin_export(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match, as in its link.")] = "",
    folder: Annotated[
        Path | None, typer.Option("--all", metavar="FOLDER", help="Write all finished matches there.")
    ] = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Write the record of a finished match to stdout, or those of all to a folder."""
    one_of(match, folder, "a match, or --all FOLDER")
    with administered(database) as (admin, session, screen), reported(screen, "matches") as progress:
        if folder is None:
            text = admin.export(session, match)
            show_facts(text.rstrip("\n"), {"match": match, "record": text}, as_json)
            return
        written, damaged = admin.export_all(session, folder, progress)
        show_facts(f"{folder}: {written} records", {"records": written, "damaged": damaged}, as_json)
        complain_about(damaged, screen)


@admin_app.command("delete")
def admin_delete(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match, as in its link.")] = "",
    name: Annotated[str, typer.Option(help="Somebody's name: replace it in all matches instead.")] = "",
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Delete a match, or a person's name from all matches, for good.

    The database is written anew, so that nothing is left in its files; servers have to wait meanwhile.
    """
    one_of(match, name, "a match, or --name NAME")
    with administered(database) as (admin, session, screen), reported(screen, "matches") as progress:
        if match:
            events = admin.delete_match(session, match)
            show_facts(f"deleted {match}: {events} events", {"match": match, "events": events}, as_json)
            return
        matches = admin.delete_name(session, name, progress)
        show_facts(f"replaced {name!r} in {len(matches)} matches", {"matches": matches}, as_json)
        if not matches:
            raise typer.Exit(1)


@admin_app.command("check")
def admin_check(database: Database = "", as_json: AsJson = False) -> None:
    """Replay every match in the database, and tell which are damaged."""
    with administered(database) as (admin, session, screen), reported(screen, "matches") as progress:
        found = admin.check(session, progress)
        show_facts(
            f"{found.matches} matches ({found.finished} finished), {found.events} events,"
            f" {found.rolls} rolls derived again: {len(found.damaged)} damaged",
            dataclasses.asdict(found),
            as_json,
        )
        complain_about(found.damaged, screen)


@contextmanager
def administered(url: str, *, create: bool = False) -> Iterator[tuple[Any, Any, Screen]]:
    """The functions of ``admin``, a connection to the database, and the screen."""
    from escadaria import admin  # it needs the server's messages, which take a while
    from escadaria.server import run

    with refusals(None) as screen:
        url = url or run.default_database()
        try:
            if url.startswith("postgres"):
                import_module("psycopg")
            with admin.maintained(url, create=create) as session:
                yield admin, session, screen
        except admin.AdminError as error:
            screen.complain(str(error))
            raise typer.Exit(1) from None
        except ValueError as error:  # the URL
            screen.complain(str(error))
            raise typer.Exit(2) from None


@contextmanager
def reported(screen: Screen, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Report the progress on stderr every two seconds."""
    start = time.monotonic()
    state = [0, 0]
    ended = threading.Event()

    def report() -> None:
        while not ended.wait(2):
            done, total = state
            far = f"{done:,} of {total:,} {unit}, " if total else ""
            screen.err.print(f"{far}{time.monotonic() - start:.0f} s", soft_wrap=True)

    def progress(done: int, total: int) -> None:
        state[:] = done, total

    threading.Thread(target=report, daemon=True).start()
    try:
        yield progress
    finally:
        ended.set()


def one_of(first: object, second: object, what: str) -> None:
    if bool(first) == bool(second):
        raise typer.BadParameter(f"name {what}")


def show_facts(sentence: str, facts: dict[str, Any], as_json: bool) -> None:
    typer.echo(json_text(facts) if as_json else sentence)


def complain_about(damaged: dict[str, str], screen: Screen) -> None:
    for match, reason in damaged.items():
        screen.complain(f"{match}: {reason}")
    if damaged:
        raise typer.Exit(1)


# How a command ends.


def json_text(data: Mapping[str, Any]) -> str:
    """What a command prints with --json: docs/reference/json.md describes it."""
    return json.dumps({"schema": SCHEMA, **data}, indent=2)


def echo_json(data: Mapping[str, Any]) -> None:
    typer.echo(json_text(data))


@contextmanager
def refusals(language: str | None) -> Iterator[Screen]:
    """The screen to work on; what goes wrong is said on it in one line."""
    screen = Screen.open()
    try:
        screen = Screen.open(language)
        yield screen
    except (BadRecord, Refused, saves.NothingToResume, saves.SecretMissing) as error:
        screen.refuse(error)
        raise typer.Exit(1) from None
    except BrokenPipeError:  # the reader has seen enough, as in `replay FILE | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except (GameError, OSError) as error:
        screen.refuse(error)
        raise typer.Exit(2) from None
    except ModuleNotFoundError as error:
        extra = extra_with(error.name or "")
        if not extra:
            raise
        screen.refuse(MissingExtra(f"this needs {error.name}: install escadaria[{extra}]"))
        raise typer.Exit(2) from None
    except KeyboardInterrupt as stop:
        raise typer.Exit(128 + (stop.args[0] if stop.args else signal.SIGINT)) from None
    except EOFError:  # the input has ended
        raise typer.Exit(2) from None


def extra_with(module: str) -> str:
    """The extra of this package that installs a module; empty if none does."""
    for requirement in requires("escadaria") or ():
        found = re.match(r"([\w-]+).*extra == ['\"](\w+)['\"]", requirement)
        if found and found[1].lower() == module.partition(".")[0]:
            return found[2]
    return ""


def note_missing_compiler(screen: Screen) -> None:
    """Say in one line that games are played slowly, and what would help."""
    if find_spec("numba") is None:
        screen.refuse(MissingExtra("without numba games are played slowly: install escadaria[lab]"))
        warnings.filterwarnings("ignore", message=".*escadaria\\[lab\\]")  # it says the same


@contextmanager
def stopped_gently() -> Iterator[None]:
    """Take SIGTERM and a closed terminal as Ctrl-C is taken."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
