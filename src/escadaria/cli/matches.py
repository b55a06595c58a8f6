"""Playing, replaying, verifying and printing."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

import typer

from escadaria.bots import BOTS, GRANDMASTER
from escadaria.cli.common import KNOWN, File, Language, OneGame, Options, report_errors, signals_as_interrupt
from escadaria.folders import check_writable
from escadaria.game import BadOptions
from escadaria.play import Play
from escadaria.printing import PAPERS, write_pdf
from escadaria.record import Record, Verdict, open_record
from escadaria.record import verify as verify_record
from escadaria.teaching.rulebook import rulebook
from escadaria.terminal import saves, seating
from escadaria.terminal.replay import Replay
from escadaria.terminal.screen import WRONG, Screen
from escadaria.terminal.terminal_match import PAUSE, Quit, TerminalMatch


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}; with --resume a record.")] = "",
    seat: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help=f"A person; or bot:KIND, or NAME=bot:KIND ({', '.join(BOTS)}; in some games "
            f"{GRANDMASTER}). Repeatable.",
        ),
    ] = [],
    players: Annotated[int | None, typer.Option(help="Number of players; bots fill the free seats.")] = None,
    option: Options = [],
    lang: Language = None,
    seed: Annotated[
        int | None, typer.Option(help="Seeded dice, the same each time. Default: fair dice.")
    ] = None,
    dice: Annotated[
        Literal["fair", "real"], typer.Option(help="real: roll your own dice and type what they show.")
    ] = "fair",
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
    with report_errors(lang, setting_up=True) as screen, signals_as_interrupt():
        if resume:
            path = Path(game) if game else saves.newest_unfinished(saves.records_folder())
            unfinished, saved = saves.resume(path)
            match = Play.resumed(unfinished, saved.dice)
        else:
            real = dice == "real"
            if real and seed is not None:
                raise BadOptions("real dice have no seed")
            rules, seats = seating.set_up(screen, game, seat, players, option)
            saved = saves.begin(record or saves.new_path(rules.name), seats, seed, real=real)
            match = Play(rules, seats, saved.dice)
        session = TerminalMatch(match, saved, screen, 0 if fast else PAUSE)
        try:
            session.run()
        except (Quit, EOFError):
            session.pause_match()
        except KeyboardInterrupt:
            session.pause_match()
            raise


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


def verify(file: File, lang: Language = None) -> None:
    """Verify that the dice of a match were fair.

    Every roll is derived again. The exit code is 0 for yes and 1 for no. The answer is also no for a damaged
    record, for dice without a commitment, for real ones, and for an unfinished match, whose secret is not
    revealed yet.
    """
    with report_errors(lang) as screen:
        record = open_record(file)
        verdict = verify_record(record)
        show_verdict(record, verdict, screen)
        if not verdict.fair:
            raise typer.Exit(1)


def show_verdict(record: Record, verdict: Verdict, screen: Screen) -> None:
    """Print whether the dice were fair, and if not, why."""
    seed = record.dice.removeprefix("seed ") if record.proof is None else ""
    if verdict.fair:
        key = "verify.yes.seed" if seed else "verify.yes"
        screen.say(key, "bold green", rolls=verdict.rolls, seed=seed)
        return
    found = ((turn, seat) for turn, seat, plies in record.turns() if verdict.ply in plies)
    turn, seat = next(found, (0, 0))
    args = {"roll": verdict.rolls + 1, "ply": verdict.ply, "turn": turn, "name": record.names[seat]}
    screen.say(f"verify.no.{verdict.reason}", WRONG, **args)


def print_(
    game: OneGame,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The PDF to write.")],
    paper: Annotated[str, typer.Option(metavar="|".join(PAPERS), help="The size of the paper.")] = "a4",
    option: Options = [],
    lang: Language = None,
) -> None:
    """Make a PDF to play at a real table: board, player aids, cut-outs and rules.

    It needs Chromium or Chrome. Without one, print /print/GAME from any browser.
    """
    with report_errors(lang) as screen:
        seating.make_game(game, option, None, 0)  # report wrong options
        if paper not in PAPERS:
            raise BadOptions(f"there is no paper {paper!r}, there are {' and '.join(PAPERS)}")
        if rulebook(game) is None:
            raise BadOptions(f"there are no pages of {game} to print")
        import_module("uvicorn")  # report a missing extra before the server starts
        check_writable(out)
        options = dict(one.split("=", 1) for one in option)
        write_pdf(game, out, screen.texts.language, paper, options)
        typer.echo(out)
