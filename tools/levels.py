"""Compare the levels of a game's bots: the shares of games won, as tables for docs/training.

    python3 run.py tool levels rapido --games 2000 [--players 3 4] [--seed 2026] [--solution]

One seat of each level plays among seats of the level below, a master among careless bots, and all levels
together. Without ``--solution`` the master plays by the shipped values.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from itertools import pairwise

from rich.progress import track

import escadaria
from escadaria.arena.simulation import Share

LEVELS = ("tourist", "regular", "expert", "master")
CARELESS = ("random", "simple", "tourist")
MIXED: dict[int, list[tuple[str, ...]]] = {
    3: [LEVELS[:3], LEVELS[1:]],
    4: [LEVELS],
    5: [(*LEVELS, "simple")],
    6: [(*LEVELS, "simple", "random")],
}
"""Line-ups of different bots, by number of players."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the levels of a game's bots.")
    parser.add_argument("game", choices=("rapido", "chain"))
    parser.add_argument("--players", type=int, nargs="*", default=range(2, 7), help="only with these numbers")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--solution", action="store_true", help="let the master use the cache folder's")
    wish = parser.parse_args()
    if not wish.solution:
        os.environ["ESCADARIA_CACHE"] = tempfile.mkdtemp()
    print("| Players | Fair share | One | Among | Wins |\n|---|---|---|---|---|")
    for players in wish.players:
        game = escadaria.load(wish.game, players=players)
        for one, other in track(list(pairings()), f"{players} players", transient=True):
            bots = [one] + [other] * (players - 1)
            wins = share_text(escadaria.simulate(game, bots, wish.games, wish.seed).by_bot[0])
            print(f"| {players} | {1 / players:.1%} | {one} | {other} | {wins} |", flush=True)
    print("\n| Players | Bots, with the share of games won |\n|---|---|")
    for players, companies in MIXED.items():
        if players not in wish.players:
            continue
        game = escadaria.load(wish.game, players=players)
        for company in companies:
            shares = escadaria.simulate(game, company[::-1], wish.games, wish.seed).by_bot
            print(
                f"| {players} | {', '.join(f'{share.name} {share_text(share)}' for share in shares)} |",
                flush=True,
            )


def pairings() -> Iterator[tuple[str, str]]:
    """Pairs of bots: one of the first plays among copies of the second."""
    for lower, level in pairwise(LEVELS):
        yield level, lower
    for careless in CARELESS:
        yield "master", careless


def share_text(share: Share) -> str:
    low, high = share.interval
    return f"{share.share:.1%} ({100 * low:.1f}–{100 * high:.1f})"


if __name__ == "__main__":
    main()
