"""The speed of the solvers of two-player Rapido and Chain, beside an update that is not compiled.

    python3 run.py bench solve [--finish 5] [--board short] [--threads 2] [--whole]

An update computes the value of one position from all positions that can follow in a turn. Times are CPU
times, so that other programs matter little. Chain's solver uses one thread, and skips positions that cannot
have changed since their last update. ``--whole`` solves both games from scratch.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

from escadaria.game import AnyGame
from escadaria.games.chain.boards import BOARDS
from escadaria.games.chain.compiled import solver as chain_solver
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.solution import HAND_PAIRS, ChainSolution
from escadaria.games.rapido.compiled import solver as rapido_solver
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rules import Rapido
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.solutions import Bounds, Solution

SWEEPS = 3
UNPROVEN = Bounds(0, 1, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the solvers of two-player games.")
    parser.add_argument("--finish", type=int, default=5, help="of Rapido")
    parser.add_argument("--board", choices=BOARDS, default="short", help="of Chain")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--whole", action="store_true", help="solve both games from scratch")
    options = parser.parse_args()
    rapido(Rapido(2, options.finish), options.threads)
    if options.whole:
        whole_rapido(options.finish, options.threads)
    chain(Chain(2, options.board))
    if options.whole:
        whole_chain(Chain(2, options.board))


def rapido(race: Rapido, threads: int) -> None:
    solver = rapido_solver.Solver(race.finish, 1)
    values = solver.guess()
    solver.sweep(values, solver.items)  # compiles
    updates = len(list(solver.updates())) * TOWERS
    say_size(race, race.finish**2 * TOWERS, values)
    one, wall = timed(lambda: [solver.sweep(values, solver.items) for _ in range(SWEEPS)])
    many = rapido_solver.Solver(race.finish, threads)
    _, wall_many = timed(lambda: [many.sweep(values, many.items) for _ in range(SWEEPS)])
    say_speed(one / SWEEPS / updates, RapidoSolution(race, values, UNPROVEN))
    print(f"{threads} threads: {wall / wall_many:.2f} times as fast in wall time")


def chain(race: Chain) -> None:
    solver = chain_solver.Solver(race.track)
    solver.sweep()  # compiles
    before = solver.updates
    say_size(race, solver.waiter.size, solver.waiter)
    one, _ = timed(lambda: [solver.sweep() for _ in range(SWEEPS)])
    updates = 2 * (solver.updates - before) * HAND_PAIRS  # of the mover's and of the other's bound
    say_speed(one / updates, ChainSolution(race, solver.waiter, 1.0))


def say_size(race: AnyGame, positions: int, values: np.ndarray) -> None:
    print(f"{race}: {positions:,} positions, {values.nbytes / 1e9:.2f} GB for one array of them")


def say_speed(update: float, solution: Solution) -> None:
    print(f"one thread: {update * 1e9:.1f} ns of CPU time per update")
    python, _ = timed(lambda: update_start(solution))
    print(f"not compiled: {python * 1e3:.1f} ms per update, {python / update:,.0f} times as long")


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """The CPU time and the wall time of some work, in seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def update_start(solution: Solution) -> float:
    """One update of the start by the Python engine, with NumPy for the rest of the turn."""
    race = solution.game
    start = race.initial_state()
    if race.legal_actions(start):
        return max(solution.action_values(start).values())
    return sum(
        float(chance) * solution.value(race.apply(start, roll))
        for roll, chance in race.chance_outcomes(start)
    )


def whole_rapido(finish: int, threads: int) -> None:
    phases: list[str] = []

    def done(phase: str, residual: float, arrays: object) -> None:
        phases.append(phase)
        print(f"  {phase} {len(phases)}: {residual:.2e}", flush=True)

    found = []
    seconds = timed(lambda: found.append(rapido_solver.Solver(finish, threads).solve({}, done)))
    ((_, bounds),) = found
    print(f"{phases.count('approach') + 1} rounds to approach, {phases.count('prove')} to prove")
    say_whole(seconds, bounds)


def whole_chain(race: Chain) -> None:
    sweeps: list[float] = []
    solver, found = chain_solver.Solver(race.track), list[float]()
    seconds = timed(lambda: found.append(solver.solve({}, lambda phase, gap, arrays: sweeps.append(gap))))
    print(f"{len(sweeps)} sweeps, {solver.updates / len(solver.order):.1f} updates of each arrangement")
    say_whole(seconds, ChainSolution(race, solver.waiter, found[0]).bounds)


def say_whole(seconds: tuple[float, float], bounds: Bounds) -> None:
    cpu, wall = seconds
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{cpu:.0f} s of CPU time, {wall:.0f} s of wall time, at most {memory:.2f} GB")
    print(f"start between {bounds.low:.10f} and {bounds.high:.10f}, gaps up to {bounds.gap:.1e}")


if __name__ == "__main__":
    main()
