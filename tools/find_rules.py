"""Find the rules of thumb that ship for a game, make its charts, and measure both.

    python3 run.py tool find_rules rapido --players 2 --turns 3000 --games 4000 --seed 1
    python3 run.py tool find_rules chain --players 2
    python3 run.py tool find_rules rapido --players 2 --measure      # only measures what ships anew

Rules are searched on turns met by who follows a first guess, then tuned on turns met by who follows them.
Figures come from games with fresh dice. All of it is written to ``src/escadaria/strategy/GAME.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from escadaria import strategy
from escadaria.lab import rules_of_thumb as search
from escadaria.lab import rules_of_thumb_rapido as rapido
from escadaria.strategy import rapido as rapido_rules

FOLDER = Path(strategy.__file__).parent
MOST, GAIN = 7, 0.003
"""How many rules a person can remember, and what one must save: a third of a point."""
FRESH = 1_000_003
"""Added to the seed of the search, the seed of the games that measure."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Find rules of thumb, and measure them.")
    parser.add_argument("game", choices=strategy.GAMES)
    parser.add_argument("--players", type=int, choices=range(2, 7), default=2)
    parser.add_argument("--turns", type=int, default=3000, help="how many to search on")
    parser.add_argument("--games", type=int, default=4000, help="how many to measure by")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", action="store_true", help="do not search")
    wish = parser.parse_args()
    entry = for_rapido(wish)
    entry["command"] = f"python3 run.py tool find_rules {' '.join(sys.argv[1:])}"
    keep(wish.game, entry)
    print(json.dumps(entry, indent=1))
    return 0


def say(name: str, lost: float, rules: search.Numbers) -> None:
    print(f"{name:>10}  {100 * lost:6.2f} points  {rules.tolist()}", file=sys.stderr, flush=True)


def for_rapido(wish: argparse.Namespace) -> dict[str, Any]:
    players, family = wish.players, rapido.family(wish.players)
    numbers, stages = shipped(wish) if wish.measure else rapido.find(
        players, wish.turns, wish.seed, MOST, GAIN / players * 2, say
    )  # fmt: skip
    measured = {
        "rules": rapido.measure(
            players, rapido.BY_RULES, rapido.by_step(numbers), wish.games, wish.seed + FRESH
        )
    }
    for who, kind in (("regular", rapido.AS_REGULAR), ("simple", rapido.AS_SIMPLE)):
        measured[who] = rapido.measure(players, kind, rapido.by_step(numbers), wish.games, wish.seed + FRESH)
    names = [stage.rule for stage in stages]
    return {
        "players": players,
        "source": "exact" if players == 2 else "values",
        "rivals": "master",
        "rules": rapido_rules.told(numbers.tolist(), names, [round(stage.loss, 5) for stage in stages]),
        "qualities": [quality(who, figures) for who, figures in measured.items()],
        "charts": [],
    }


def quality(who: str, figures: search.Measured) -> dict[str, Any]:
    error = np.sqrt(figures.wins * (1 - figures.wins) / figures.games)
    return {
        "who": who, "loss": round(figures.loss, 5), "error": round(figures.error, 5),
        "wins": round(figures.wins, 4), "wins_error": round(float(error), 4), "games": figures.games,
    }  # fmt: skip


def shipped(wish: argparse.Namespace) -> Any:
    advice = strategy.advice(wish.game, wish.players)
    numbers = np.array(rapido_rules.numbers_of(advice.rules))
    return numbers, [search.Stage(rule.name, rule.loss) for rule in advice.rules]


def keep(game: str, entry: dict[str, Any]) -> None:
    path = FOLDER / f"{game}.json"
    entries = json.loads(path.read_text("utf-8")) if path.exists() else []
    others = [other for other in entries if other["players"] != entry["players"]]
    entries = sorted([*others, entry], key=lambda one: one["players"])
    path.write_text(json.dumps(entries, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
