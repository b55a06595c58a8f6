"""What the solution of two-player Rapido shows: the figures and plots of docs/solution.md.

    python3 run.py tool findings [--finish 20] [--samples 20000] [--seed 1]

It needs the solution (`python3 run.py solve rapido --players 2 --finish 20`); plots go to docs/images/.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from rich.progress import track

from escadaria.game import TERMINAL
from escadaria.games.rapido.rules import ROLLS, VALUES, Again, Pair, Phase, Place, Rapido, State
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.solutions import open_solution

IMAGES = Path(__file__).parents[1] / "docs" / "images"
COLOURS = ("#d8cfc0", "#5b6b73", "#1f5fa8", "#2f8f6b", "#e0a526", "#d5572f", "#a12a4c")
"""Rolling again, then fields 0 to 5."""


def main() -> None:
    parser = argparse.ArgumentParser(description="What the solution of two-player Rapido shows.")
    parser.add_argument("--finish", type=int, default=20)
    parser.add_argument("--samples", type=int, default=20_000, help="positions of best play to look at")
    parser.add_argument("--seed", type=int, default=1)
    wish = parser.parse_args()
    solution = open_solution(Rapido(2, wish.finish))
    assert isinstance(solution, RapidoSolution)
    bounds = solution.bounds
    print(f"start: between {bounds.low:.10f} and {bounds.high:.10f}; largest gap {bounds.gap:.2e}")
    advantage(solution)
    met = list(turns_of_best_play(solution, wish.samples, random.Random(wish.seed)))
    surprises(solution, met)
    charts(solution)


def advantage(solution: RapidoSolution) -> None:
    """What the first move is worth while both stand on the same step and the tower is empty."""
    print("to move, level, empty tower:")
    for step in range(0, solution.game.finish, 2):
        value = solution.value(State(0, Phase.FIRST_ROLL, 0, (step, step), ()))
        print(f"  both on {step:2}: {100 * value:.3f} %")


def turns_of_best_play(solution: RapidoSolution, count: int, rng: random.Random) -> Iterator[State]:
    """Starts of turns as they are met when both play best; shows how long games are."""
    game, turns, plies, games, rolls = solution.game, 0, 0, 0, 0
    while turns < count:
        state = game.initial_state()
        games += 1
        while game.current_player(state) != TERMINAL:
            plies += 1
            if state.phase is Phase.DECIDE:
                values = solution.action_values(state)
                state = game.apply(state, max(values, key=values.__getitem__))
                continue
            if state.phase is Phase.FIRST_ROLL:
                turns += 1
                yield state
            rolls += 1
            state = game.apply(state, rng.choice(ROLLS))
    print(f"best play: {games} games, {turns / games:.1f} turns and {rolls / games:.1f} rolls each")


def surprises(solution: RapidoSolution, met: list[State]) -> None:
    """Where a lower roll is better, and where a higher one is rolled again though a lower one is placed."""
    lower, holes, worst = 0, 0, (0.0, "")
    for start in track(met, "looking for surprises"):
        fields, (stops, *_), again = solution.plan(start)
        worths = np.maximum(stops.max(axis=0), again)
        actions = [
            Place(fields[int(column.argmax())]) if column.max() > again else Again() for column in stops.T
        ]
        drops = np.maximum.accumulate(worths) - worths
        lower += bool(drops.max() > 1e-7)
        places = [isinstance(action, Place) for action in actions]
        holes += any(not later for later in places[places.index(True) :]) if True in places else False
        if drops.max() > worst[0]:
            low, high = int(np.argmax(worths[: int(drops.argmax()) + 1])), int(drops.argmax())
            text = f"{start}: {VALUES[low]} ({actions[low]}) beats {VALUES[high]} ({actions[high]})"
            worst = float(drops.max()), text
    print(
        f"of {len(met)} turns of best play, a lower roll is better in {lower}, stopping has a hole in {holes}"
    )
    print(f"largest: {100 * worst[0]:.4f} points at {worst[1]}")


def charts(solution: RapidoSolution) -> None:
    """The best decision for each step and value, in four situations."""
    finish = solution.game.finish
    cases = {
        "tower empty": (),
        "own pair on 5 (76)": (Pair(5, 0, 76),),
        "other's pair on 5 (63)": (Pair(5, 1, 63),),
        "other's pairs on 4 (61) and 5 (73)": (Pair(4, 1, 61), Pair(5, 1, 73)),
    }
    mpl.rcParams["svg.hashsalt"] = "escadaria"  # the same plot gives the same file
    figure, axes = plt.subplots(2, 2, figsize=(13, 8.5), layout="constrained", sharex=True, sharey=True)
    for axis, (title, tower) in zip(axes.flat, cases.items(), strict=True):
        chart = np.array(
            [
                [_choice(solution, State(0, Phase.DECIDE, value, (step, step), tower)) for value in VALUES]
                for step in range(finish)
            ]
        )
        axis.imshow(chart, cmap=ListedColormap(COLOURS), vmin=0, vmax=6, origin="lower", aspect="auto")
        for (step, rank), choice in np.ndenumerate(chart):
            mark = "·" if choice == 0 else str(choice - 1)
            colour = "#222" if choice in (0, 4) else "white"
            axis.text(rank, step, mark, ha="center", va="center", fontsize=7, color=colour)
        axis.set_title(title)
        axis.set_xticks(range(len(VALUES)), [str(value) for value in VALUES], fontsize=7)
        axis.set_yticks(range(0, finish, 2))
    figure.supxlabel("value rolled")
    figure.supylabel("step of both pieces")
    figure.suptitle("Best play: · roll again, or the field to place on")
    IMAGES.mkdir(parents=True, exist_ok=True)
    figure.savefig(IMAGES / "rapido-best-play.svg", metadata={"Date": None})
    print(f"wrote {IMAGES / 'rapido-best-play.svg'}")


def _choice(solution: RapidoSolution, state: State) -> int:
    values = solution.action_values(state)
    best = max(values, key=values.__getitem__)
    return 0 if isinstance(best, Again) else 1 + best.field if isinstance(best, Place) else 0


if __name__ == "__main__":
    main()
