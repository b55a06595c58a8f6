"""Compute the fixed ratings of the benchmark's pool, from games among its bots, with simple at 1000.

    python3 run.py tool anchors rapido [--players 3 4] [--games 38416]

Prints the lines of ``ANCHORS`` for src/escadaria/games/GAME/benchmark.py. Other ratings need a new
``PROTOCOL``.
"""

from __future__ import annotations

import argparse

import escadaria
from escadaria.arena.benchmark import GAMES, SEED, pool
from escadaria.arena.league import league


def main() -> None:
    parser = argparse.ArgumentParser(description="The ratings of the benchmark's pool.")
    parser.add_argument("game", choices=escadaria.GAMES)
    parser.add_argument("--players", type=int, nargs="*", default=range(2, 7))
    parser.add_argument("--games", type=int, default=GAMES)
    wish = parser.parse_args()
    for players in wish.players:
        game = escadaria.load(wish.game, players=players)
        standings = league(game, pool(players), wish.games, SEED).by_bot
        points = {standing.share.name: standing.points.rating for standing in standings}
        ratings = ", ".join(f'"{bot}": {points[bot] - points["simple"] + 1000:.0f}' for bot in pool(players))
        print(f"    {players}: {{{ratings}}},", flush=True)


if __name__ == "__main__":
    main()
