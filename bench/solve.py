"""How fast two-player Rapido and Chain are solved, beside one update that is not compiled.

    python3 run.py bench solve [--finish 5] [--board short] [--threads 2] [--whole]

An update is one position's value worked out anew from all that can follow in a turn. Times are of the
processor, so that what else the machine does counts little. Chain's solver takes one thread, and leaves out
whatever cannot have changed since it was worked out. ``--whole`` solves both from nothing.
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
from escadaria.solutions.solution import Bounds, Solution

SWEEPS = 3
UNPROVEN = Bounds(0, 1, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast races of two are solved.")
    parser.add_argument("--finish", type=int, default=5, help="of Rapido")
    parser.add_argument("--board", choices=BOARDS, default="short", help="of Chain")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--whole", action="store_true", help="solve them from nothing")
    wish = parser.parse_args()
    rapido(Rapido(2, wish.finish), wish.threads)
    if wish.whole:
        whole_rapido(wish.finish, wish.threads)
    chain(Chain(2, wish.board))
    if wish.whole:
        whole_chain(Chain(2, wish.board))


def rapido(race: Rapido, threads: int) -> None:
    solver = rapido_solver.Solver(race.finish, 1)
    values = solver.guess()
    solver.sweep(values)  # compiles
    updates = len(list(solver.updates())) * TOWERS
    say_size(race, race.finish**2 * TOWERS, values)
    one, wall = timed(lambda: [solver.sweep(values) for _ in range(SWEEPS)])
    many = rapido_solver.Solver(race.finish, threads)
    _, wall_many = timed(lambda: [many.sweep(values) for _ in range(SWEEPS)])
    say_speed(one / SWEEPS / updates, RapidoSolution(race, values, UNPROVEN))
    print(f"{threads} threads: {wall / wall_many:.2f} times as fast by the clock")


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
    print(f"one thread: {update * 1e9:.1f} ns of processor time per update")
    readable, _ = timed(lambda: work_out(solution))
    print(f"not compiled: {readable * 1e3:.1f} ms per update, {readable / update:,.0f} times as long")


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the processor, and by the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - processor, time.perf_counter() - clock


def work_out(solution: Solution) -> float:
    """One update of the start by the readable engine, with NumPy for what follows within the turn."""
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
    print(f"{phases.count('approach') + 1} sweeps to approach, {phases.count('prove')} to prove")
    say_whole(seconds, bounds)


def whole_chain(race: Chain) -> None:
    sweeps: list[float] = []
    solver, found = chain_solver.Solver(race.track), list[float]()
    seconds = timed(lambda: found.append(solver.solve({}, lambda phase, gap, arrays: sweeps.append(gap))))
    print(f"{len(sweeps)} sweeps, {solver.updates / len(solver.order):.1f} updates of each arrangement")
    say_whole(seconds, ChainSolution(race, solver.waiter, found[0]).bounds)


def say_whole(seconds: tuple[float, float], bounds: Bounds) -> None:
    processor, clock = seconds
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{processor:.0f} s of processor time, {clock:.0f} s by the clock, at most {memory:.2f} GB")
    print(f"start between {bounds.low:.10f} and {bounds.high:.10f}, gaps up to {bounds.gap:.1e}")


if __name__ == "__main__":
    main()
