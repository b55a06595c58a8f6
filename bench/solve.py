"""How fast two-player Rapido is solved, beside one update by the readable engine.

    python3 run.py bench solve [--finish 5] [--threads 2] [--whole]

An update is one position's value worked out anew from all that can follow in a turn. Times are of the
processor, so that what else the machine does counts little. ``--whole`` solves the race from nothing.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

from escadaria.lab.rapido_solver import Solver
from escadaria.rapido import Phase, Rapido, State
from escadaria.solutions.rapido import ONE, RapidoSolution
from escadaria.solutions.rapido_index import TOWERS
from escadaria.solutions.solution import Bounds

SWEEPS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast two-player Rapido is solved.")
    parser.add_argument("--finish", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--whole", action="store_true", help="solve it from nothing")
    wish = parser.parse_args()
    race = Rapido(2, wish.finish)
    solver = Solver(wish.finish, 1)
    values = solver.guess()
    solver.sweep(values)  # compiles
    updates = len(list(solver.updates())) * TOWERS
    print(f"{race.finish**2 * TOWERS:,} positions, {values.nbytes / 1e9:.2f} GB for one array of them")
    one, wall = timed(lambda: [solver.sweep(values) for _ in range(SWEEPS)])
    print(f"one thread: {one / SWEEPS / updates * 1e9:.1f} ns of processor time per update")
    many = Solver(wish.finish, wish.threads)
    _, wall_many = timed(lambda: [many.sweep(values) for _ in range(SWEEPS)])
    print(f"{wish.threads} threads: {wall / wall_many:.2f} times as fast by the clock")
    engine, _ = timed(lambda: by_engine(race, values))
    times = engine / (one / SWEEPS / updates)
    print(f"readable engine: {engine * 1e3:.1f} ms per update, {times:,.0f} times as long")
    if wish.whole:
        whole(wish.finish, wish.threads)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the processor, and by the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - processor, time.perf_counter() - clock


def by_engine(race: Rapido, values: np.ndarray) -> float:
    """One update by the rules as they are written."""
    solution = RapidoSolution(race, values, Bounds(0, 1, 1))
    start = State(0, Phase.FIRST_ROLL, 0, (0, 0), ())
    return sum(
        float(chance) * solution.value(race.apply(start, roll))
        for roll, chance in race.chance_outcomes(start)
    )


def whole(finish: int, threads: int) -> None:
    phases: list[str] = []

    def done(phase: str, residual: float, arrays: object) -> None:
        phases.append(phase)
        print(f"  {phase} {len(phases)}: {residual:.2e}", flush=True)

    found = []
    processor, clock = timed(lambda: found.append(Solver(finish, threads).solve({}, done)))
    (_, bounds), memory = found[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{phases.count('approach') + 1} sweeps to approach, {phases.count('prove')} to prove")
    print(f"{processor:.0f} s of processor time, {clock:.0f} s by the clock, at most {memory:.2f} GB")
    print(f"start between {bounds.low:.10f} and {bounds.high:.10f}, gaps up to {bounds.gap * ONE:.0f} / 2^32")


if __name__ == "__main__":
    main()
