"""How much search gains for a master: one searcher among masters, see docs/solution.md.

    python3 run.py tool search rapido --players 3 --games 2000
    python3 run.py tool search chain --games 1200                      # all numbers of players
    python3 run.py tool search chain --turns 6 --rollouts 8            # the grandmaster

The share of wins without luck estimates the same as the share of wins, with a narrower interval. The CPU time
is what search adds to a turn of the searcher, for all decisions of the turn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido
from research import chain_search, rapido_search

Measure: TypeAlias = Callable[[int, int, int], NDArray[np.float64]]
"""From the turns that the searcher looks beyond its own, the games and a seed, as ``measure`` of a game."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure a searcher among masters.")
    parser.add_argument("game", choices=("rapido", "chain"))
    parser.add_argument("--players", type=int, nargs="+", default=list(range(2, 7)))
    parser.add_argument("--board", default="default", help="of Chain")
    parser.add_argument(
        "--turns", type=int, default=1, help="turns beyond the own one; without rollouts 1, of Rapido also 2"
    )
    parser.add_argument("--rollouts", type=int, default=0, help="of each end of the own turn")
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    most = 2 if options.game == "rapido" else 1
    if options.turns < 1 or (options.turns > most and not options.rollouts):
        parser.error(f"--turns must be 1 to {most} without --rollouts")
    if options.rollouts and options.game == "rapido" and 2 in options.players:
        parser.error("rollouts of Rapido need --players 3 or more; for two the game is solved")
    print("players  games  fair share  won %          without luck %  gain           CPU ms a turn")
    for players in options.players:
        if options.game == "rapido":
            measure: Measure = partial(rapido_search.measure, Rapido(players), rollouts=options.rollouts)
        else:
            measure = partial(chain_search.measure, Chain(players, options.board), rollouts=options.rollouts)
        print(row(measure, players, options.turns, options.games, options.seed), flush=True)


def row(measure: Measure, players: int, turns: int, games: int, seed: int) -> str:
    """A line of the table, with 95 % intervals."""
    measure(turns, 1, seed)  # compile
    masters = max(games // 10, 1)
    idle = timed(measure, 0, masters, seed)[1] / masters
    results, seconds = timed(measure, turns, games, seed)
    won, better = 100 * results[:, :2].mean(axis=0)
    wide, narrow = 196 * results[:, :2].std(axis=0) / games**0.5
    fair, cpu = 100 / players, 1000 * (seconds - games * idle) / results[:, 2].sum()
    return (
        f"{players:7}  {games:5}  {fair:10.2f}  {won:5.2f} ± {wide:5.2f}  "
        f"{better:6.2f} ± {narrow:5.2f}  {better - fair:+5.2f} ± {narrow:5.2f}  {cpu:13.1f}"
    )


def timed(measure: Measure, turns: int, games: int, seed: int) -> tuple[NDArray[np.float64], float]:
    """The results, and the seconds of CPU time."""
    began = process_time()
    return measure(turns, games, seed), process_time() - began


if __name__ == "__main__":
    main()
