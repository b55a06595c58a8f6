"""How the levels of a game's bots stand: who wins how often among whom, as a table for docs/training.

    python3 run.py tool levels rapido --games 2000 [--players 4] [--seed 2026] [--solution]

One seat of each level sits among seats of the level below, a master among careless ones, and a level in
mixed company. Without ``--solution`` the master plays by what ships.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from itertools import pairwise

from rich.progress import track

import escadaria
from escadaria.game import AnyGame
from escadaria.simulation import Share

LEVELS = ("tourist", "regular", "expert", "master")
CARELESS = ("random", "simple", "tourist")
MIXED = ("tourist", "regular", "simple", "random", "regular")


def main() -> None:
    parser = argparse.ArgumentParser(description="How the levels of a game's bots stand.")
    parser.add_argument("game", choices=("rapido", "chain"))
    parser.add_argument("--players", type=int, help="only with so many")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--solution", action="store_true", help="let the master use the cache folder's")
    wish = parser.parse_args()
    if not wish.solution:
        os.environ["ESCADARIA_CACHE"] = tempfile.mkdtemp()
    print("| Players | Fair share | One | Among | Wins | 95 % interval |")
    print("|---|---|---|---|---|---|")
    for players in [wish.players] if wish.players else range(2, 7):
        game = escadaria.load(wish.game, players=players)
        meetings = list(companies(players))
        for one, others in track(meetings, f"{players} players", transient=True):
            tell(game, one, others, wish.games, wish.seed)


def companies(players: int) -> Iterator[tuple[str, list[str]]]:
    """Who meets whom: one bot, and the others."""
    for lower, level in pairwise(LEVELS):
        yield level, [lower] * (players - 1)
    for careless in CARELESS:
        yield "master", [careless] * (players - 1)
    if players > 2:
        yield "master", ["expert", *MIXED[: players - 2]]
        yield "expert", list(MIXED[: players - 1])


def tell(game: AnyGame, one: str, others: list[str], games: int, seed: int) -> None:
    share: Share = escadaria.simulate(game, [one, *others], games, seed).by_bot[0]
    low, high = share.interval
    among = others[0] if len(set(others)) == 1 else ", ".join(others)
    print(
        f"| {game.players} | {1 / game.players:.1%} | {one} | {among} | {share.share:.1%} "
        f"| {low:.1%}–{high:.1%} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
