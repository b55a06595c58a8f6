"""Find the shipped heuristics of a game, make its charts, and measure both.

    python3 run.py tool find_rules rapido --players 2 --turns 3000 --games 4000 --seed 1
    python3 run.py tool find_rules chain --players 2
    python3 run.py tool find_rules rapido --players 2 --measure      # measures the shipped rules again
    python3 run.py tool find_rules chain --players 4 --scheduler tcp://127.0.0.1:8786

Rules are searched on turns of games that follow a first guess, then tuned on turns of games that follow them.
Chain for three and more players takes those rules for two that win games there. Figures come from games with
other dice. The results are written to ``src/escadaria/games/GAME/data/heuristics.json``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from escadaria import strategy
from escadaria.arena.batches import dask_client
from escadaria.game import GameError
from escadaria.games.chain import heuristics as chain_rules
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido import heuristics as rapido_rules
from escadaria.games.rapido.rules import TOP_FIELD, VALUES
from research import chain_heuristics as chain
from research import heuristic_search as search
from research import rapido_heuristics as rapido

GAMES = Path(strategy.__file__).parent / "games"
MOST, GAIN = 7, 0.006
"""The most rules, so that a person can remember them, and the least gain of a rule, of a fair share."""
FRESH = 1_000_003
"""The offset from the seed of the search to the seed of the games that measure."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Find heuristics, and measure them.")
    parser.add_argument("game", choices=strategy.games())
    parser.add_argument("--players", type=int, choices=range(2, 7), default=2)
    parser.add_argument("--turns", type=int, default=3000, help="how many to search on")
    parser.add_argument("--chart", type=int, default=10_000, help="how many turns to make charts of")
    parser.add_argument("--games", type=int, default=4000, help="how many to measure by")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", action="store_true", help="keep the shipped rules")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="try the rules of a round on a Dask cluster")
    wish = parser.parse_args()
    find = for_rapido if wish.game == "rapido" else for_chain
    try:
        if wish.scheduler:
            with dask_client(wish.scheduler) as client:
                entry = find(wish, lambda task, items: client.gather(client.map(task, [*items], pure=False)))
        else:
            entry = find(wish, map)
    except search.NotSolved as error:
        parser.exit(1, f"{error}\n")
    except GameError as error:
        parser.exit(2, f"{error}\n")
    keep(wish.game, {"players": wish.players, **entry, "commands": commands(wish)})
    print(json.dumps(entry, indent=1))
    return 0


def say(name: str, lost: float, rules: search.Numbers) -> None:
    print(f"{name:>10}  {100 * lost:6.2f} points  {rules.tolist()}", file=sys.stderr, flush=True)


def commands(wish: argparse.Namespace) -> list[str]:
    """What found the rules, and what measured them."""
    now = f"python3 run.py tool find_rules {' '.join(sys.argv[1:])}"
    before = {found["players"]: found["commands"] for found in entries(wish.game)}
    adopts = wish.game == "chain" and wish.players > 2
    if wish.measure:
        return [*before[wish.players][: 1 + adopts], now]
    return [before[2][0], now] if adopts else [now]


def for_rapido(wish: argparse.Namespace, run: search.Map) -> dict[str, Any]:
    players, fresh = wish.players, wish.seed + FRESH
    if wish.measure:
        numbers, stages = shipped(wish, players, rapido_rules.numbers_of)
    else:
        gain = GAIN / players
        numbers, stages = rapido.find(players, wish.turns, wish.seed, MOST, gain, say, run)
    rows = rapido.by_step(numbers)
    charted, charts = rapido.charts(players, numbers, wish.chart, wish.seed + 2)
    test, _ = rapido.gather(players, rapido.BEST, rows, wish.chart, wish.seed + 3)
    right = rapido.share_right(charted, len(charted), test)
    players_by = {
        "rules": (rapido.BY_RULES, rows), "chart": (rapido.BY_RULES, charted),
        "regular": (rapido.AS_REGULAR, rows), "simple": (rapido.AS_SIMPLE, rows),
    }  # fmt: skip
    qualities = []
    for who, (kind, followed) in players_by.items():
        qualities.append(quality(who, rapido.measure(players, kind, followed, wish.games, fresh)))
        print(qualities[-1], file=sys.stderr, flush=True)
    return {
        "source": "exact" if players == 2 else "values",
        "rivals": "master",
        "rules": rapido_rules.rules_of(
            numbers.tolist(), *names_and_losses(stages, rapido_rules.RULE_INDICES)
        ),
        "qualities": qualities,
        "charts": [least_values(name, chart, right) for name, chart in charts.items()],
    }


def for_chain(wish: argparse.Namespace, run: search.Map) -> dict[str, Any]:
    players, fresh = wish.players, wish.seed + FRESH
    tables = chain.game_tables(Chain(players))
    if wish.measure:
        numbers, stages = shipped(wish, players, chain_rules.numbers_of)
        if players > 2:
            names, _ = names_and_losses(stages, chain_rules.RULE_INDICES)
            stages = chain.counted(tables, numbers, names, wish.games, wish.seed)
    elif players == 2:
        numbers, stages = chain.find(tables, wish.turns, wish.seed, MOST, GAIN / players, say, run)
    else:
        numbers, stages = shipped(wish, 2, chain_rules.numbers_of)
        names, _ = names_and_losses(stages, chain_rules.RULE_INDICES)
        numbers, stages = chain.adopt(tables, numbers, names, wish.games, wish.seed, say, run)
    players_by = {"rules": numbers, **{bot: np.array(rules) for bot, rules in chain.BOTS.items()}}
    qualities = []
    for who, followed in players_by.items():
        measured = chain.measure(tables, followed, wish.games, fresh)
        qualities.append(quality(who, measured if players == 2 else counted(measured, players)))
        print(qualities[-1], file=sys.stderr, flush=True)
    every, right = chain.chart(tables, wish.chart, wish.seed + 2)
    cells = [row for row in every if set(row) != {None}]  # the longest chains are never met
    lengthen = {
        "name": "lengthen", "kind": "lengthen", "right": round(right, 4),
        "rows": [str(links) for links in range(1, len(cells) + 1)],
        "columns": [str(fits) for fits in range(1, chain.FITS + 1)],
        "cells": cells,
    }  # fmt: skip
    return {
        "source": "exact" if players == 2 else "games",
        "rivals": "master",
        "rules": chain_rules.rules_of(numbers.tolist(), *names_and_losses(stages, chain_rules.RULE_INDICES)),
        "qualities": qualities,
        "charts": [lengthen],
    }


def names_and_losses(stages: list[search.Stage], places: Mapping[str, Any]) -> tuple[list[str], list[float]]:
    """Names and losses; the name of a shipped rule may include its wording."""
    names = [next(name for name in places if stage.rule.startswith(name)) for stage in stages]
    return names, [round(stage.loss, 5) for stage in stages]


def least_values(name: str, chart: Any, right: float) -> dict[str, Any]:
    cells = [[VALUES[rank] if rank < rapido_rules.NEVER else None for rank in row] for row in chart.tolist()]
    return {
        "name": name, "kind": "value", "right": round(right, 4),
        "rows": [str(first) if end == first + 1 else f"{first}–{end - 1}" for first, end in rapido.BANDS],
        "columns": [str(field) for field in range(1, TOP_FIELD + 1)],
        "cells": cells,
    }  # fmt: skip


def quality(who: str, figures: search.Measured) -> dict[str, Any]:
    error = (figures.wins * (1 - figures.wins) / figures.games) ** 0.5
    return {
        "who": who, "loss": round(figures.loss, 5), "error": round(figures.error, 5),
        "wins": round(figures.wins, 4), "wins_error": round(error, 4), "games": figures.games,
    }  # fmt: skip


def counted(figures: search.Measured, players: int) -> search.Measured:
    """The result by games won alone."""
    error = (figures.wins * (1 - figures.wins) / figures.games) ** 0.5
    return search.Measured(1 / players - figures.wins, error, figures.wins, figures.games)


def shipped(
    wish: argparse.Namespace, players: int, read: Callable[[Any], list[int]]
) -> tuple[Any, list[search.Stage]]:
    advice = strategy.advice(wish.game, players)
    return np.array(read(advice.rules)), [search.Stage(rule.name, rule.loss) for rule in advice.rules]


def file_of(game: str) -> Path:
    return GAMES / game / "data" / "heuristics.json"


def entries(game: str) -> list[dict[str, Any]]:
    path = file_of(game)
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.exists() else []
    return found


def keep(game: str, entry: dict[str, Any]) -> None:
    others = [other for other in entries(game) if other["players"] != entry["players"]]
    every = sorted([*others, entry], key=lambda one: int(one["players"]))
    lines = json.dumps(every, indent=1)
    lines = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda row: "[" + re.sub(r"\s+", " ", row[1]) + "]", lines)
    file_of(game).write_text(lines + "\n", "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
