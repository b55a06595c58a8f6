"""Simulations, leagues and solving: commands with compiled code."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from escadaria.arena.batches import MissingExtra, check_workers, kernel
from escadaria.arena.benchmark import GAMES
from escadaria.arena.benchmark import benchmark as run_benchmark
from escadaria.arena.league import league, results_folder
from escadaria.arena.simulation import simulate as run_simulation
from escadaria.bots import BOTS
from escadaria.catalogue import kit_of
from escadaria.cli.common import (
    KNOWN,
    AsJson,
    Language,
    OneGame,
    Options,
    Scheduler,
    Seed,
    Workers,
    echo_json,
    report_errors,
    signals_as_interrupt,
)
from escadaria.game import AnyGame
from escadaria.reports.lab_report import (
    show_benchmark,
    show_league,
    show_results,
    show_solution,
    solution_data,
    title,
)
from escadaria.reports.plots import check_plot, draw_league
from escadaria.solutions import check_solvable, path_of
from escadaria.terminal import seating
from escadaria.terminal.progress import show_progress
from escadaria.terminal.screen import Screen, command


def simulate(
    game: OneGame,
    bot: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="A bot for each seat, or package.module:function for your own; a single one plays all "
            "seats. Repeatable.",
        ),
    ] = ["simple"],
    players: Annotated[int | None, typer.Option(help="Number of players. Default: one per bot.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 1000,
    seed: Seed = 1,
    option: Options = [],
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
        check_workers(workers, scheduler)
        note_missing_compiler(rules, screen)
        playing, preparing = screen.texts("simulate.progress"), screen.texts("lab.preparing")
        start, compiled = 0.0, not scheduler and kernel(rules, bot, games) is not None
        with show_progress(screen, preparing if compiled else playing) as report:

            def progress(done: int) -> None:
                nonlocal start
                report(done, games, playing)
                start = start or time.perf_counter()  # after the kernel and the texts are loaded

            results = run_simulation(
                rules, bot, games, seed, workers=workers, scheduler=scheduler, progress=progress
            )
            seconds = time.perf_counter() - start
        if as_json:
            echo_json(results.data())
        else:
            show_results(results, seconds, screen)


def solve(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}, for two players.")],
    players: Annotated[
        int | None, typer.Option(help="Default: two. Only games of two players can be solved.")
    ] = None,
    finish: Annotated[
        int | None, typer.Option(help="Rapido: the finish, the same as --option finish=20.")
    ] = None,
    board: Annotated[str, typer.Option(help="Chain: the board, the same as --option board=default.")] = "",
    option: Options = [],
    threads: Annotated[
        int | None, typer.Option(min=1, help="Number of threads. Default: one per core.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Solve again even if a solution exists.")] = False,
    as_json: AsJson = False,
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
        rules = seating.make_game(game, given, players, 2)
        check_solvable(rules)
        from escadaria.compute.solve import solve as compute  # importing Numba takes a second

        with show_progress(screen, screen.texts("lab.preparing")) as report:

            def progress(step: Any) -> None:
                done = screen.texts(f"solve.{step.phase}", sweep=step.sweep, residual=f"{step.residual:.1e}")
                left = screen.texts("solve.left", minutes=max(1, round(step.seconds_left / 60)))
                report(text=f"{done}, {left}")

            solution = compute(rules, threads=threads, progress=progress, again=again)
        if as_json:
            echo_json(solution_data(solution, path_of(rules)))
        else:
            show_solution(solution, path_of(rules), screen)


def arena(
    game: OneGame,
    bot: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="A bot, or package.module:function for your own. Repeatable. "
            "Default: those that every game has.",
        ),
    ] = list(BOTS),
    players: Annotated[int | None, typer.Option(help="Number of players. Default: two.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Minimum number of games.")] = 1000,
    seed: Seed = 1,
    option: Options = [],
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
        check_workers(workers, scheduler)
        if plot:
            check_plot(plot)
        note_missing_compiler(rules, screen)
        compiled = any(kernel(rules, [one], games) for one in bot)
        first = screen.texts("lab.preparing" if compiled else "simulate.progress")
        with league_progress(screen, first) as progress:
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
            if plot:
                screen.say("lab.written", path=plot)


def benchmark(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A bot's name, or package.module:function for your own.")
    ],
    game: Annotated[
        list[str], typer.Option(metavar="GAME", help=f"{KNOWN}. Repeatable. Default: both.")
    ] = [],
    players: Annotated[list[int], typer.Option(help="Number of players. Repeatable. Default: 2 to 6.")] = [],
    games: Annotated[
        int,
        typer.Option(min=1, help="Games for each number of players. With fewer it is no official entry."),
    ] = GAMES,
    workers: Workers = None,
    scheduler: Scheduler = "",
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Measure a bot by a fixed protocol, to compare it with others (docs/leaderboard.md).

    It plays with fixed seeds against a fixed pool of bots, with every seat equally often. Results are its
    share of wins and its rating (simple has 1000) for each number of players, what it gives away compared
    with the exact solution, how far copies of it can be exploited, and the CPU time of a decision.
    """
    with report_errors(lang) as screen, signals_as_interrupt():
        check_workers(workers, scheduler)
        with show_progress(screen, screen.texts("lab.preparing")) as report:

            def progress(rules: AnyGame, done: int, total: int) -> None:
                playing = title(rules, screen.texts) if total else screen.texts("benchmark.solving")
                report(done, total, playing)

            result = run_benchmark(
                bot, game, players, number=games, workers=workers, scheduler=scheduler, progress=progress
            )
        if as_json:
            echo_json(result.data())
        else:
            show_benchmark(result, screen)


@contextmanager
def league_progress(screen: Screen, first: str) -> Iterator[Callable[[int, int], None]]:
    """The progress of a league, with ``first`` until games are played. After Ctrl-C, prints how to resume."""
    text, state = screen.texts("simulate.progress"), (0, 0)

    def update(done: int, games: int) -> None:
        nonlocal state
        report(done, games, text if state[1] and done > state[0] else first)
        state = done, games

    try:
        with show_progress(screen, first) as report:
            yield update
    except KeyboardInterrupt:
        if state[1]:
            again = command(*(word for word in sys.argv[1:] if word != "--resume"), "--resume")
            kept, wanted = map(screen.texts.number, state)
            screen.error_line(screen.texts("arena.stopped", done=kept, games=wanted, command=again))
        raise


def note_missing_compiler(game: AnyGame, screen: Screen) -> None:
    """Warn in one line that simulation is slow without Numba."""
    if kit_of(game).compiled is not None and find_spec("numba") is None:
        screen.show_error(MissingExtra("without numba games are played slowly: install escadaria[lab]"))
        warnings.filterwarnings("ignore", message=".*escadaria\\[lab\\]")  # the same as a Python warning
