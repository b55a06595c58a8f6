"""Chain for two players, solved: against the readable engine, and against turns computed naively."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest

from compute.kernels import GAME, TINY, check_bots, solved, tiny_solution
from escadaria import solutions
from escadaria.compute import solve
from escadaria.compute.work import Progress
from escadaria.games.chain.boards import BOARDS, Board
from escadaria.games.chain.compiled.solver import GAP, Solver, moves, turns
from escadaria.games.chain.compiled.sweeps import LANES, compute_kept, new_workspace
from escadaria.games.chain.links import Links
from escadaria.games.chain.positions import (
    Phase,
    State,
)
from escadaria.games.chain.rules import (
    Action,
    Chain,
    Keep,
    Move,
)
from escadaria.games.chain.solution import DICE, ChainSolution, arrangements
from escadaria.games.chain.turn import Turn
from escadaria.solutions import find
from strategies import play_random

# Positions and moves.


def test_every_arrangement_has_its_own_number() -> None:
    """By counting all ways to put discs down and to stack them (C4, C7, C17)."""
    lying = arrangements(TINY)
    numbers = [lying.number(state, 0) for state in all_arrangements(TINY)]
    assert sorted(numbers) == list(range(lying.count))


def all_arrangements(board: Board) -> Iterator[State]:
    starts = dict(board.arrows)
    places = [space for space in range(board.length + 1) if space not in starts]
    for mine, yours in product(combinations_with_replacement(places, 2), repeat=2):
        shared = [
            (place, sorted({*permutations([0] * mine.count(place) + [1] * yours.count(place))}))
            for place in sorted({*mine, *yours} - {0, board.length})
        ]
        for orders in product(*(orders for _, orders in shared)):
            piles = tuple((place, order) for (place, _), order in zip(shared, orders, strict=True))
            yield State(0, Phase.KEEP, (2, 2), 12, (mine, yours), piles)


def test_every_move_is_the_engine_s() -> None:
    """Stopping with every disc and length, and failing (C7, C12, C14-C17)."""
    board = BOARDS["short"]
    game, lying, table = Chain(2, board), arrangements(board), moves(board)
    for state in random.Random(1).sample(list(all_arrangements(board)), 300):
        number = lying.number(state, 0)
        free = state.free_discs(0)
        for disc, space in enumerate(state.discs[0]):
            if space == state.discs[0][disc - 1] and (table.stopped[number, disc] < 0).all():
                continue  # of two own discs in a stack the upper one counts
            assert (table.stopped[number, disc, 0] >= 0) == (space in free)
            for links in range(1, DICE) if space in free else ():
                after = game.apply(decide(state, links), Move(space))
                assert table.stopped[number, disc, links - 1] == lying.number(after, 1)
        assert table.failed[number] == lying.number(state, 1)


def decide(state: State, links: int) -> State:
    chain = Links((1,) * links, 1)
    return State(0, Phase.DECIDE, (links, 1), DICE - links - 1, state.discs, state.piles, chain)


# Turns.


@pytest.mark.parametrize("other", [10, 15])
def test_a_turn_is_worth_what_all_its_nodes_come_to(other: int) -> None:
    """Every node of turns with up to six dice, with ends of any worth (C8-C14)."""
    rng = np.random.default_rng(other)
    stop, fail = rng.random(DICE), rng.random(DICE // 2)
    most = DICE - other
    turn, naive = Turn(stop, fail, most), naive_turn(stop, fail)
    for hand in range(1, min(most, 4) + 1):
        state = State(0, Phase.KEEP, (hand, other), most - hand, ((0, 4), (0, 0)), ((4, (0,)),))
        for action in GAME.legal_actions(state):
            assert isinstance(action, Keep)
            assert turn.kept(action.dice) == pytest.approx(naive(GAME.apply(state, action)), abs=1e-13)


def naive_turn(stop: np.ndarray, fail: np.ndarray) -> Callable[[State], float]:
    """What a node is worth to seat 0, by looking at all that may follow."""

    @cache
    def worth(state: State) -> float:
        if state.turn != 0:
            moved = state.discs[0] != (0, 4)
            return float((stop if moved else fail)[state.hands[0]])
        if state.phase is Phase.DECIDE and not GAME._lengthenings(state):
            return float(stop[state.hands[0]])
        follow = [worth(GAME.apply(state, action)) for action in GAME.legal_actions(state)]
        if follow:
            return max(follow)
        return sum(float(p) * worth(GAME.apply(state, die)) for die, p in GAME.chance_outcomes(state))

    return worth


def test_merged_chains_lose_nothing() -> None:
    """The compiled pass, where chains of the same future are one, against all chains one by one."""
    rng = np.random.default_rng(7)
    for most in range(1, DICE):
        workspace = new_workspace()
        workspace.stop[:], workspace.fail[:] = (
            rng.random(workspace.stop.shape),
            rng.random(workspace.fail.shape),
        )
        compute_kept(most, turns(), workspace)
        for lane in (0, LANES - 1):
            turn = Turn(workspace.stop[:, lane], workspace.fail[:, lane], most)
            kept = [turn.kept(dice) for dice in range(1, most + 1)]
            best = np.maximum.accumulate(kept)  # any number may be discarded (C8)
            assert workspace.kept[1 : most + 1, lane] == pytest.approx(best, abs=1e-13)


# The solution.


def test_the_bounds_meet_and_cannot_be_raised() -> None:
    """Each entry is what the entries after it allow, or less: nothing is promised that is not there."""
    solver = solved()
    assert (1 - solver.mover - solver.waiter).max() <= GAP
    assert (solver.mover + solver.waiter).max() <= 1
    again = Solver(TINY)
    again.mover[:], again.waiter[:] = solver.mover, solver.waiter
    again.sweep()
    assert again.updates == len(again.order)
    assert (again.mover >= solver.mover).all() and (again.waiter >= solver.waiter).all()
    assert np.abs(again.mover - solver.mover).max() < GAP


def test_the_kernel_s_master_plays_by_the_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solutions, "find", lambda game: tiny_solution())
    check_bots(GAME, ["master", "expert"], games=4)


def test_interrupted_work_goes_on() -> None:
    calls: list[tuple[float, dict[str, np.ndarray]]] = []

    def stop_early(phase: str, gap: float, arrays: dict[str, np.ndarray]) -> None:
        calls.append((gap, {name: array.copy() for name, array in arrays.items()}))
        if len(calls) == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Solver(TINY).solve({}, stop_early)
    gaps = [gap for gap, _ in calls]
    assert gaps == sorted(gaps, reverse=True)
    second = Solver(TINY)
    assert second.solve(calls[-1][1], gap=1e-6) <= 1e-6
    assert second.updates < solved().updates / 2
    assert np.abs(second.mover - solved().mover).max() <= 1e-6


def test_values_follow_from_each_other_at_every_node() -> None:
    """With all dice that come up in play: at a decision the best action's, at chance the mean."""
    solution, seen = tiny_solution(), set[Phase]()
    for _, state in play_random(GAME, 5):
        value, values = solution.value(state), solution.action_values(state)
        seen.add(state.phase)
        assert tuple(values) == GAME.legal_actions(state)
        if values:
            assert value == max(values.values())
        for action, worth in values.items():
            assert worth == pytest.approx(after(solution, state, action), abs=GAP)
        if outcomes := GAME.chance_outcomes(state):
            mean = sum(float(chance) * after(solution, state, die) for die, chance in outcomes)
            assert value == pytest.approx(mean, abs=GAP)
    assert seen == set(Phase)


def after(solution: ChainSolution, state: State, action: Action) -> float:
    """What the position after it is worth to the seat whose turn it was."""
    follows = GAME.apply(state, action)
    value = solution.value(follows)
    return value if follows.turn == state.turn else 1.0 - value


def test_who_would_hand_out_the_win_is_glad_to_fail() -> None:
    """No order of ends is taken for granted: say every stop covers the other's last free disc (C6, C17)."""
    glad = np.zeros(DICE), np.ones(DICE // 2)
    down_from_one = 1, 0, 2
    assert Turn(*glad, most=2).lengthened[down_from_one] == 5 / 6  # all but another 1 fail
    assert Turn(*glad, most=4).lengthened[down_from_one] == 1  # a fourth 1 cannot be added (C11)


@pytest.mark.usefixtures("no_solution")
def test_a_solution_is_kept_and_found_again() -> None:
    assert find(GAME) is None
    steps: list[Progress] = []
    solution = solve.solve(GAME, progress=steps.append)
    assert steps[-1].residual > GAP >= solution.bounds.gap
    assert solution.bounds.low <= solution.bounds.high <= solution.bounds.low + GAP
    assert np.array_equal(solution.waiter, solved().waiter)  # type: ignore[attr-defined]
    balanced = Chain(2, TINY, balanced=True)
    found = find(balanced)
    assert found is not None and found.game == balanced
    assert found.bounds.high < solution.bounds.low  # C18
