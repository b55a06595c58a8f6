"""The taps that a match of Chain for two takes on a phone, by the kind of decision.

    python3 run.py bench taps --matches 200 --bot regular

Bots play both seats, and the taps of the first one are counted as the dock asks for them: one to confirm,
one more for each choice that was not proposed (``playing.py`` in ``tests/system/browser``; ``test_taps.py``
there plays whole matches with just these taps). The baseline is a tap for each decision of the rules.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import Counter
from pathlib import Path

import escadaria
from escadaria.bots import load
from escadaria.games.chain.facts import Covered
from escadaria.games.chain.rules import Chain, Keep, Move

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from system.browser.playing import ChainDock, decisions

KINDS = {"keep": "keep", "link": "build", "up": "lengthen", "down": "lengthen", "move": "move"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--bot", default="regular")
    parser.add_argument("--board", default="default")
    wanted = parser.parse_args()
    game = escadaria.load("chain", players=2, board=wanted.board)
    counts = [count(game, wanted.bot, random.Random(seed)) for seed in range(wanted.matches)]
    names = ("keep", "build", "lengthen", "move")
    print(f"{wanted.bot}, {wanted.matches} matches, means of one seat")
    for name in ("decisions", *names):
        print(f"  {name:<10}{statistics.mean(taps[name] for taps in counts):>7.1f}")
    totals = [sum(taps[name] for name in names) for taps in counts]
    rolled = [total - taps["rolled before"] for total, taps in zip(totals, counts, strict=True)]
    base = [taps["decisions"] for taps in counts]
    for label, found in (("taps", totals), ('taps with "Always roll"', rolled)):
        half = f"{statistics.median(found)} (mean {statistics.mean(found):.1f})"
        print(f"{label}: {half}, ratio {sum(found) / sum(base):.2f} to the decisions")


def count(game: Chain, name: str, rng: random.Random) -> Counter[str]:
    """The taps of the first seat in one match."""
    bot = load(name, game, rng)
    dock = ChainDock(game)
    state = game.initial_state()
    taps: Counter[str] = Counter()
    largest = 0  # the largest hand that was rolled whole
    while (player := game.current_player(state)) != escadaria.TERMINAL:
        if player == escadaria.CHANCE:
            outcomes, chances = zip(*game.chance_outcomes(state), strict=True)
            state = game.apply(state, rng.choices(outcomes, chances)[0])
            continue
        actions = decisions(game, bot, state)
        if player == 0:
            taps["decisions"] += len(actions)
            found = dock.taps(state, actions)
            last = KINDS[str(actions[-1]).split()[0]]
            for tap in found[:-1]:
                taps[KINDS.get(tap.split()[0], "build")] += 1
            taps[last] += len(found[-1:])
            if isinstance(keep := actions[0], Keep):
                hand = state.hands[0]
                taps["rolled before"] += len(found) if keep.dice == hand <= largest else 0
                largest = max(largest, keep.dice) if keep.dice == hand else keep.dice
        for action in actions:
            if player and isinstance(action, Move):
                facts = game.facts(state, action)
                dock.harmed |= any(isinstance(fact, Covered) and fact.victim == 0 for fact in facts)
            state = game.apply(state, action)
    return taps


if __name__ == "__main__":
    main()
