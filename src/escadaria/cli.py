"""The ``escadaria`` command.

Results go to stdout, progress and errors to stderr. The exit code is 0 for success, 1 if the answer is no
(dice that are not fair, a record that is damaged or cannot be resumed), 2 for wrong usage, and 128 plus the
signal's number if it was stopped (130 after Ctrl-C).
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
from escadaria.arena.league import league, read_bot, results_folder
from escadaria.arena.simulation import FEW
from escadaria.arena.simulation import simulate as run_simulation
from escadaria.arena.workers import MissingExtra, kernel
from escadaria.bots import BOTS
from escadaria.catalogue import GAMES, kit_of
from escadaria.coach import evaluators
from escadaria.coach.analysis import analyse as run_analysis
from escadaria.game import AnyGame, GameError
from escadaria.i18n import LANGUAGES
from escadaria.record import BadRecord, open_record
from escadaria.record import verify as verify_record
from escadaria.refusals import Refused
from escadaria.server.settings import Settings
from escadaria.solutions import check_solvable, path_of
from escadaria.strategy import advice as find_advice
from escadaria.table import Table
from escadaria.terminal import saves, seating
from escadaria.terminal.analysis import (
    analysis_progress,
    draw_analysis,
    hint_data,
    show_analysis,
    show_hint,
)
from escadaria.terminal.analysis_page import page
from escadaria.terminal.arena import league_progress, show_league
from escadaria.terminal.play import PAUSE, Quit, TerminalMatch
from escadaria.terminal.plot import check_plot, draw_league
from escadaria.terminal.replay import Replay
from escadaria.terminal.results import (
    show_results,
    show_solution,
    show_verdict,
    simulation_progress,
    solution_data,
    solve_progress,
)
from escadaria.terminal.screen import Screen
from escadaria.terminal.strategy import show_advice

KNOWN = " or ".join(GAMES)

SCHEMA = 1
"""The version of the --json output. It is incremented when a field is removed or changes its meaning."""

app = typer.Typer(
    help="Rapido and Chain, two dice races: play, replay, analyse and serve them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

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
Rollouts = Annotated[
    int, typer.Option(metavar="N", min=0, help="Evaluate each position by N games of simple bots instead.")
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
    """Options before the command."""


@app.command()
def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}; with --resume a record.")] = "",
    seat: Annotated[
        list[str],
        typer.Option(
            metavar="NAME", help=f"A person; or bot:KIND, or NAME=bot:KIND ({', '.join(BOTS)}). Repeatable."
        ),
    ] = [],  # noqa: B006 - Typer copies it
    players: Annotated[int | None, typer.Option(help="Number of players; bots fill the free seats.")] = None,
    option: Options = [],  # noqa: B006
    lang: Language = None,
    seed: Annotated[
        int | None, typer.Option(help="Seeded dice, the same each time. Default: fair dice.")
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to save the match.")] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Resume the newest unfinished match, or the given record."),
    ] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Bots play without a pause.")] = False,
) -> None:
    """Play a game with any mix of bots and people at this keyboard.

    Every move is saved immediately: stop with Ctrl-C at any time, and continue with --resume. At any prompt
    type ? for the rules of the current phase, or help for the other commands.
    """
    with report_errors(lang) as screen, signals_as_interrupt():
        if resume:
            table, saved = resumed_match(Path(game) if game else None)
        else:
            table, saved = new_match(screen, game, seat, players, option, seed, record)
        session = TerminalMatch(table, saved, screen, 0 if fast else PAUSE)
        try:
            session.run()
        except (Quit, EOFError):
            session.pause_match()
        except KeyboardInterrupt:
            session.pause_match()
            raise


def new_match(
    screen: Screen,
    game: str,
    seats: list[str],
    players: int | None,
    options: list[str],
    seed: int | None,
    record: Path | None,
) -> tuple[Table, saves.SavedMatch]:
    """Start a new match; on a terminal, ask for missing values."""
    interactive = sys.stdin.isatty()
    name = game or (seating.ask_game(screen) if interactive else next(iter(GAMES)))
    seating.make_game(name, options, players, len(seats))  # report errors before asking more
    given = [seating.read_seat(text) for text in seats]
    if interactive and not given and players is None:
        given = seating.ask_seats(screen, name)
    rules = seating.make_game(name, options, players, len(given))
    all_seats = seating.fill(rules, given)
    saved = saves.begin(record or saves.new_path(name), all_seats, seed)
    return Table(rules, all_seats, saved.dice), saved


def resumed_match(path: Path | None) -> tuple[Table, saves.SavedMatch]:
    """Resume the match at ``path``, or the newest unfinished one."""
    record, saved = saves.resume(path or saves.newest_unfinished(saves.records_folder()))
    return Table.resumed(record, saved.dice), saved


@app.command()
def replay(
    file: File,
    everything: Annotated[
        bool, typer.Option("--all", help="Print the whole match instead of stepping through it.")
    ] = False,
    ply: Annotated[int | None, typer.Option(help="Show only the position after this ply.")] = None,
    lang: Language = None,
) -> None:
    """Replay a match, step by step or all of it."""
    with report_errors(lang) as screen:
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
        Path | None, typer.Option(metavar="FILE", help="Write the analysis as a self-contained page.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Plot the win probabilities, for example to out.svg.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    lang: Language = None,
) -> None:
    """Analyse a match: the value of each decision, mistakes and luck.

    It uses the exact solution if `escadaria solve` has computed it, else the values that ship with the game.
    """
    with report_errors(lang) as screen:
        record = open_record(file)
        if plot:
            check_plot(plot)
        with analysis_progress(screen) as progress:
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
    position: Annotated[str, typer.Argument(metavar="POSITION", help="The text of the position.")],
    option: Options = [],  # noqa: B006
    players: Annotated[
        int | None, typer.Option(help="Number of players, the same as --option players=3.")
    ] = None,
    rollouts: Rollouts = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The results as JSON.")] = False,
    lang: Language = None,
) -> None:
    """Evaluate the legal actions of a position.

    It prints the win probability of the seat to act after each. Example: escadaria hint rapido
    "turn=0 phase=decide value=62 steps=3,5 tower=4:1:51"
    """
    with report_errors(lang) as screen:
        rules, state = seating.read_position(game, option, players, position)
        evaluator = evaluators.find(rules, rollouts)
        if as_json:
            echo_json(hint_data(rules, state, evaluator))
        else:
            show_hint(rules, state, evaluator, screen)


@app.command()
def strategy(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}.")],
    players: Annotated[int, typer.Option(help="Number of players.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="The results as JSON.")] = False,
    lang: Language = None,
) -> None:
    """Show heuristics and charts of when to stop.

    The heuristics were found by search and measured against the best known play.
    """
    with report_errors(lang) as screen:
        found = find_advice(game, players)
        if as_json:
            echo_json(found.data())
        else:
            show_advice(game, found, screen)


@app.command()
def simulate(
    game: OneGame,
    bot: Annotated[
        list[str], typer.Option(help="A bot for each seat; a single one plays all seats. Repeatable.")
    ] = ["simple"],  # noqa: B006
    players: Annotated[int | None, typer.Option(help="Number of players. Default: one per bot.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 1000,
    seed: Seed = 1,
    option: Options = [],  # noqa: B006
    workers: Workers = None,
    scheduler: Scheduler = "",
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Simulate many games of bots and count the wins.

    The bots rotate by one seat from game to game, so that none profits from its seat. Intervals are 95 %
    Wilson score intervals. The dice come from a fast generator that is not used for real matches. The same
    seed gives the same results with any number of workers.
    """
    with report_errors(lang) as screen:
        rules = seating.make_game(game, option, players, len(bot))
        lineup = [read_bot(one) for one in bot]
        note_missing_compiler(rules, screen)
        if games > FEW and kernel(rules, lineup) is not None:
            run_simulation(rules, lineup, FEW + 1, seed, workers=1)  # loads the kernel, which is not timed
        start = time.perf_counter()
        with simulation_progress(games, screen) as progress:
            results = run_simulation(
                rules, lineup, games, seed, workers=workers, scheduler=scheduler, progress=progress
            )
        if as_json:
            echo_json(results.data())
        else:
            show_results(results, time.perf_counter() - start, screen)


@app.command()
def solve(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}, for two players.")],
    players: Annotated[int, typer.Option(help="Only games of two players can be solved.")] = 2,
    finish: Annotated[
        int | None, typer.Option(help="Rapido: the finish, the same as --option finish=20.")
    ] = None,
    board: Annotated[str, typer.Option(help="Chain: the board, the same as --option board=default.")] = "",
    option: Options = [],  # noqa: B006
    threads: Annotated[int | None, typer.Option(help="Number of threads. Default: one per core.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Solve again even if a solution exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The results as JSON.")] = False,
    lang: Language = None,
) -> None:
    """Solve a two-player game exactly.

    It computes the value of every position with best play on both sides, with proven bounds. The solution is
    stored in the user's cache folder, or in ESCADARIA_CACHE; bots and the coach use it from then on. An
    interrupted run continues from its last checkpoint.
    """
    named = {"finish": finish, "board": board or None}
    given = [*option, *(f"{name}={value}" for name, value in named.items() if value is not None)]
    with report_errors(lang) as screen, signals_as_interrupt():
        rules = seating.make_game(game, given, players, players)
        check_solvable(rules)
        from escadaria.compute.solve import solve as compute  # importing Numba takes a second

        with solve_progress(screen) as progress:
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
            help="A bot, or package.module:function for your own. Repeatable. Default: all bots.",
        ),
    ] = list(BOTS),  # noqa: B006
    players: Annotated[int | None, typer.Option(help="Number of players. Default: two.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Minimum number of games.")] = 1000,
    seed: Seed = 1,
    option: Options = [],  # noqa: B006
    workers: Workers = None,
    scheduler: Scheduler = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue this league where it was stopped.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option(help="Where to store results while they are computed.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Plot the results, for example to out.svg.")
    ] = None,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Play a league of bots and rate them.

    Every bot meets every other equally often and has every seat equally often. Ratings are Elo points
    relative to the mean of the bots (400 points are odds of ten to one between two), with 95 % intervals.
    Your own bot is a function of game and position. Stop with Ctrl-C at any time and continue with
    --resume, or with more --games: the results are the same as without the interruption.
    """
    with report_errors(lang) as screen, signals_as_interrupt():
        rules = seating.make_game(game, option, players, 2)
        if plot:
            check_plot(plot)
        note_missing_compiler(rules, screen)
        with league_progress(screen) as progress:
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
    """Verify that the dice of a match were fair.

    Every roll is derived again. The exit code is 0 for yes and 1 for no. The answer is also no for a damaged
    record, for dice without a commitment, and for an unfinished match, whose secret is not revealed yet.
    """
    with report_errors(lang) as screen:
        record = open_record(file)
        verdict = verify_record(record)
        show_verdict(record, verdict, screen)
        if not verdict.fair:
            raise typer.Exit(1)


def serve(open_browser: bool = False, **given: Any) -> None:
    """Run the table server until it is stopped.

    Every option can also be set by an environment variable: --port is ESCADARIA_PORT.
    """
    from escadaria.server import run  # importing it takes a second

    def ready(url: str) -> None:
        typer.echo(f"Escadaria is at {url} (stop it with Ctrl-C)")
        if open_browser:
            webbrowser.open(url)

    settings = Settings(**given)
    if not settings.database:
        settings = dataclasses.replace(settings, database=run.default_database())
    if open_browser and not run.is_free(settings.host, settings.port):
        settings = dataclasses.replace(settings, port=0)  # any free port, since the browser opens the URL
    with report_errors(None):
        if settings.database.startswith("postgres"):
            import_module("psycopg")  # report a missing extra before the server starts
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


# Maintenance of a server's database.

admin_app = typer.Typer(help="Maintain the database of a server.", no_args_is_help=True)
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
    """Back up the whole database to a new file; servers may keep running.

    The file contains the secrets of all seats and dice. It can be restored into SQLite and PostgreSQL.
    """
    with admin_session(database) as (admin, session, screen), report_progress(screen, "rows") as progress:
        rows = admin.backup(session, file, progress)
        show_facts(f"{file}: {rows['match']} matches, {rows['event']} events", {"rows": rows}, as_json)


@admin_app.command("restore")
def admin_restore(file: BackupFile, database: Database = "", as_json: AsJson = False) -> None:
    """Fill an empty database from a backup, all or nothing."""
    with (
        admin_session(database, create=True) as (admin, session, screen),
        report_progress(screen, "bytes") as progress,
    ):
        rows = admin.restore(session, file, progress)
        show_facts(f"restored {rows['match']} matches, {rows['event']} events", {"rows": rows}, as_json)


@admin_app.command("export")
def admin_export(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of the match, as in its link.")] = "",
    folder: Annotated[
        Path | None, typer.Option("--all", metavar="FOLDER", help="Export all finished matches to a folder.")
    ] = None,
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Write the record of a finished match to stdout, or the records of all to a folder."""
    require_one(match, folder, "a match, or --all FOLDER")
    with admin_session(database) as (admin, session, screen), report_progress(screen, "matches") as progress:
        if folder is None:
            text = admin.export(session, match)
            show_facts(text.rstrip("\n"), {"match": match, "record": text}, as_json)
            return
        written, damaged = admin.export_all(session, folder, progress)
        show_facts(f"{folder}: {written} records", {"records": written, "damaged": damaged}, as_json)
        report_damage(damaged, screen)


@admin_app.command("delete")
def admin_delete(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The id of the match, as in its link.")] = "",
    name: Annotated[str, typer.Option(help="Replace this person's name in all matches instead.")] = "",
    database: Database = "",
    as_json: AsJson = False,
) -> None:
    """Delete a match, or a person's name from all matches, permanently.

    The database files are rewritten, so that no deleted data is left in them; servers wait meanwhile.
    """
    require_one(match, name, "a match, or --name NAME")
    with admin_session(database) as (admin, session, screen), report_progress(screen, "matches") as progress:
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
    """Replay every match in the database, and report the damaged ones."""
    with admin_session(database) as (admin, session, screen), report_progress(screen, "matches") as progress:
        found = admin.check(session, progress)
        show_facts(
            f"{found.matches} matches ({found.finished} finished), {found.events} events,"
            f" {found.rolls} rolls verified: {len(found.damaged)} damaged",
            dataclasses.asdict(found),
            as_json,
        )
        report_damage(found.damaged, screen)


@contextmanager
def admin_session(url: str, *, create: bool = False) -> Iterator[tuple[Any, Any, Screen]]:
    """The module ``admin``, a connection to the database, and the screen."""
    from escadaria import admin  # imported here: the server's messages load slowly
    from escadaria.server import run

    with report_errors(None) as screen:
        url = url or run.default_database()
        try:
            if url.startswith("postgres"):
                import_module("psycopg")
            with admin.maintenance_session(url, create=create) as session:
                yield admin, session, screen
        except admin.AdminError as error:
            screen.error_line(str(error))
            raise typer.Exit(1) from None
        except ValueError as error:  # an invalid URL
            screen.error_line(str(error))
            raise typer.Exit(2) from None


@contextmanager
def report_progress(screen: Screen, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Print the progress to stderr every two seconds."""
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


# Output and exit codes.


def json_text(data: Mapping[str, Any]) -> str:
    """The --json output of a command: see docs/reference/json.md."""
    return json.dumps({"schema": SCHEMA, **data}, indent=2)


def echo_json(data: Mapping[str, Any]) -> None:
    typer.echo(json_text(data))


@contextmanager
def report_errors(language: str | None) -> Iterator[Screen]:
    """The screen; errors are printed on it in one line and become exit codes."""
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
        screen.show_error(error)
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
    """The extra of this package that installs a module, or an empty string."""
    for requirement in requires("escadaria") or ():
        found = re.match(r"([\w-]+).*extra == ['\"](\w+)['\"]", requirement)
        if found and found[1].lower() == module.partition(".")[0]:
            return found[2]
    return ""


def note_missing_compiler(game: AnyGame, screen: Screen) -> None:
    """Warn in one line that simulation is slow without Numba."""
    if kit_of(game).compiled is not None and find_spec("numba") is None:
        screen.show_error(MissingExtra("without numba games are played slowly: install escadaria[lab]"))
        warnings.filterwarnings("ignore", message=".*escadaria\\[lab\\]")  # the same as a Python warning


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
