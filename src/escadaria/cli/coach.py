"""Analyses, hints and heuristics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from escadaria.cli.common import KNOWN, AsJson, File, Language, OneGame, Options, echo_json, report_errors
from escadaria.coach import evaluators
from escadaria.coach.analysis import analyse as run_analysis
from escadaria.folders import check_writable
from escadaria.record import open_record
from escadaria.reports.analysis_report import hint_data, show_analysis, show_hint
from escadaria.reports.page import page
from escadaria.reports.plots import check_plot, draw_analysis
from escadaria.reports.strategy_report import show_advice
from escadaria.strategy import advice as find_advice
from escadaria.terminal import seating
from escadaria.terminal.progress import show_progress

Rollouts = Annotated[
    int, typer.Option(metavar="N", min=0, help="Evaluate each position by N games of simple bots instead.")
]


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

    It uses the exact solution if `escadaria solve` has computed it, else the shipped values.
    """
    with report_errors(lang) as screen:
        if plot:
            check_plot(plot)
        if html:
            check_writable(html)
        record = open_record(file)
        with show_progress(screen, screen.texts("coach.progress")) as progress:
            analysis = run_analysis(record, rollouts=rollouts, progress=progress)
        if html:
            html.write_text(page(analysis, screen.texts), "utf-8")
        if plot:
            draw_analysis(analysis, plot, screen.texts)
        if as_json:
            echo_json(analysis.data())
        elif html or plot:
            for path in filter(None, (html, plot)):
                screen.say("lab.written", path=path)
        else:
            show_analysis(analysis, screen)


def hint(
    game: OneGame,
    position: Annotated[str, typer.Argument(metavar="POSITION", help="The text of the position.")],
    option: Options = [],
    players: Annotated[
        int | None, typer.Option(help="Number of players, the same as --option players=3.")
    ] = None,
    rollouts: Rollouts = 0,
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Evaluate the legal actions of a position.

    It prints the win probability of the seat to act after each. Examples: escadaria hint rapido
    "turn=0 phase=decide value=62 steps=3,5 tower=4:1:51", escadaria hint chain
    "turn=0 phase=keep hands=2,2 pool=12 discs=0+0,0+0 stacks=- chain=-/0/open loose=-"
    """
    with report_errors(lang) as screen:
        rules, state = seating.read_position(game, option, players, position)
        evaluator = evaluators.find(rules, rollouts)
        if as_json:
            echo_json(hint_data(state, evaluator))
        else:
            show_hint(rules, state, evaluator, screen)


def strategy(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{KNOWN}.")],
    players: Annotated[int, typer.Option(help="Number of players.")] = 2,
    as_json: AsJson = False,
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
