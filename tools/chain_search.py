"""How much search gains for a master of Chain: one searcher among masters, see docs/solution.md.

    python3 run.py tool chain_search --players 3 --turns 1 --games 900
    python3 run.py tool chain_search --turns 2 --games 3000            # all numbers of players

The share of wins without luck estimates the same as the share of wins, with a narrower interval.
"""

from __future__ import annotations

import argparse
from time import process_time

from escadaria.games.chain.rules import Chain
from research import chain_search


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure a searcher among masters of Chain.")
    parser.add_argument("--players", type=int, nargs="+", default=list(range(2, 7)))
    parser.add_argument("--board", default="default")
    parser.add_argument("--turns", type=int, choices=(1, 2), default=1, help="turns beyond the own one")
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("players  games  fair share  won %          without luck %  gain           CPU ms a game")
    for players in options.players:
        game = Chain(players, options.board)
        chain_search.measure(game, options.turns, 1, options.seed)  # compile
        began = process_time()
        results = 100 * chain_search.measure(game, options.turns, options.games, options.seed)
        cpu = 1000 * (process_time() - began) / options.games
        (won, better), (wide, narrow) = results.mean(axis=0), 1.96 * results.std(axis=0) / options.games**0.5
        fair = 100 / players
        print(
            f"{players:7}  {options.games:5}  {fair:10.2f}  {won:5.2f} ± {wide:5.2f}  "
            f"{better:6.2f} ± {narrow:5.2f}  {better - fair:+5.2f} ± {narrow:5.2f}  {cpu:13.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
