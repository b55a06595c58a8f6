"""Two-player Rapido, solved: against the readable engine and against methods of others."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import escadaria
from compute.kernels import positions
from escadaria import bots
from escadaria.cli import app
from escadaria.coach import evaluators
from escadaria.compute import solve, work
from escadaria.compute.work import Progress, Work
from escadaria.game import CHANCE, TERMINAL
from escadaria.games.rapido.compiled import solver as rapido_solver
from escadaria.games.rapido.compiled.solver import Solver
from escadaria.games.rapido.compiled.sweeps import dice
from escadaria.games.rapido.index import TOWERS
from escadaria.games.rapido.rolls import FIRST_ROLLS, LATER_ROLLS
from escadaria.games.rapido.rules import ROLLS, Pair, Phase, Place, Rapido, State
from escadaria.games.rapido.solution import ONE, RapidoSolution, tower_of
from escadaria.solutions import BadSolution, Bounds, CannotSolve, files, find, open_solution, path_of
from examples.openspiel_value_iteration import LoadedRapido
from examples.openspiel_value_iteration import solve as value_iteration
from short import ShortRapido

GAME = ShortRapido()


@pytest.fixture(scope="module")
def shortest() -> tuple[np.ndarray, Bounds]:
    return Solver(1, threads=1).solve({})


@pytest.fixture(scope="module")
def solution() -> RapidoSolution:
    values, bounds = Solver(GAME.finish, threads=2).solve({})
    return RapidoSolution(GAME, values, bounds)


def expected(solution: RapidoSolution, state: State) -> float:
    """What a chance node is worth by the engine: the mean over the dice."""
    game = solution.game
    worth = 0.0
    for roll, chance in game.chance_outcomes(state):
        after = game.apply(state, roll)
        value = solution.value(after)
        worth += float(chance) * (value if after.turn == state.turn else 1 - value)
    return worth


def test_each_tower_has_its_own_number() -> None:
    met = list(positions(GAME, Phase.FIRST_ROLL, 2000))
    numbers, towers = {tower_of(state) for state in met}, {(state.turn, state.tower) for state in met}
    mirrored = {
        tuple(Pair(pair.field, pair.seat ^ turn, pair.value) for pair in tower) for turn, tower in towers
    }
    assert len(numbers) == len({tuple(sorted(map(str, tower))) for tower in mirrored})
    assert max(numbers) < TOWERS == 865_056


def test_r9_r10_r12_chances_are_those_of_36_rolls() -> None:
    assert sum(FIRST_ROLLS) == 33 and sum(LATER_ROLLS) == 22
    real = dice()
    certain = real.later.sum() + real.doubles.sum() + real.one_cross + real.two_crosses
    assert certain == pytest.approx(1) and real.first.sum() + real.doubles.sum() == pytest.approx(1)
    assert len(ROLLS) == 36


def test_the_engine_s_expectation_over_a_turn_is_the_value(solution: RapidoSolution) -> None:
    """Bellman's equation at every kind of node, by the rules as they are written (R7-R18)."""
    gap, start = solution.bounds.gap, solution.value(solution.game.initial_state())
    assert 0 < gap < 5e-9
    assert solution.bounds.low <= start <= solution.bounds.high
    for state in positions(GAME, Phase.FIRST_ROLL, 60):
        assert expected(solution, state) == pytest.approx(solution.value(state), abs=gap)
        rolling = State(state.turn, Phase.LATER_ROLL, 0, state.steps, state.tower)
        assert expected(solution, rolling) == pytest.approx(solution.value(rolling), abs=gap)


def test_action_values_are_the_values_of_what_follows(solution: RapidoSolution) -> None:
    for state in positions(GAME, Phase.DECIDE, 100):
        values = solution.action_values(state)
        assert tuple(values) == GAME.legal_actions(state)
        assert solution.value(state) == max(values.values())
        for action, worth in values.items():
            after = GAME.apply(state, action)
            value = solution.value(after)
            assert worth == pytest.approx(value if after.turn == state.turn else 1 - value, abs=1e-12)


def test_openspiel_s_value_iteration_finds_the_same() -> None:
    """On a tiny race with loaded dice, to nine digits, and in every position it can reach.

    By hand the first seat wins 10 of 13.
    """
    race = LoadedRapido(finish=1, rolls=("26", "7X"))
    rolls = [roll for roll in ROLLS if str(roll) in race.rolls]
    values, bounds = Solver(1, threads=2, rolls=rolls).solve({})
    first, wins = value_iteration(race, exactness=1e-11)
    assert values[0, 0, 0] / ONE == pytest.approx(first, abs=1e-9) == 10 / 13
    assert bounds.low - 1e-9 <= first <= bounds.high + 1e-9
    checked = 0
    for text in wins:
        state = race.parse_state(text)
        if state.phase is not Phase.DECIDE:
            continue
        for field in state.free_fields():
            after = race.apply(state, Place(field))
            if race.current_player(after) == CHANCE:
                known = [race.apply(after, roll) for roll, _ in race.chance_outcomes(after)]
                mean = sum(
                    float(p) * (wins[str(nxt)] if race.current_player(nxt) != TERMINAL else nxt.turn == 0)
                    for nxt, (_, p) in zip(known, race.chance_outcomes(after), strict=True)
                )
                mover = float(values[0, 0, tower_of(after)] / ONE)
                assert (mover if after.turn == 0 else 1 - mover) == pytest.approx(mean, abs=bounds.gap)
                checked += 1
    assert checked > 100


# Files.

RACE = Rapido(players=2, finish=5)
ABOUT: dict[str, object] = {
    "game": RACE.name,
    "options": RACE.options,
    "rules_version": RACE.rules_version,
    "bounds": [0.25, 0.75, 0.5],
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))
    return tmp_path


def test_bounds_too_narrow_to_prove_are_widened(
    shortest: tuple[np.ndarray, Bounds], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rapido_solver, "UNITS_A_TURN", 0.2)
    values, known = shortest
    _, bounds = Solver(1, threads=2).solve({"values": values.copy()})
    assert bounds.low <= known.high and known.low <= bounds.high
    assert bounds.gap < 5e-9


def test_a_solution_is_kept_and_a_damaged_one_refused(cache: Path) -> None:
    path, values = path_of(RACE), np.arange(5 * 5 * 7, dtype=np.uint32).reshape(5, 5, 7)
    assert path.parent == cache
    files.write(path, ABOUT, {"values": values})
    opened = open_solution(RACE)
    assert isinstance(opened, RapidoSolution) and np.array_equal(opened.values, values)
    assert astuple(opened.bounds) == (0.25, 0.75, 0.5)
    whole = path.read_bytes()
    for place in (3, 30, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(BadSolution):
            open_solution(RACE)
    path.write_bytes(whole[:-5])
    with pytest.raises(BadSolution):
        open_solution(RACE)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"options": {"players": 2, "finish": 6}}, "another game"),
        ({"game": "chain", "options": {"players": 2, "board": "short"}}, "another game"),
        ({"options": None}, "another game"),
        ({"rules_version": 0}, "other rules"),
        ({}, "damaged"),
    ],
)
def test_a_bad_solution_is_reported_not_replaced_by_learned_values(
    cache: Path, change: dict[str, object], said: str
) -> None:
    assert find(RACE) is None
    assert evaluators.find(RACE).source.kind == evaluators.VALUES
    path = path_of(RACE)
    files.write(path, ABOUT | change, {"values": np.zeros((5, 5, 7), np.uint32)})
    if not change:
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    for ask in (find, evaluators.find, lambda game: bots.load("master", game)):
        for _ in range(2):  # what is remembered of the file is said again
            with pytest.raises(BadSolution, match=said):
                ask(RACE)
    position = str(RACE.apply(RACE.initial_state(), RACE.parse("26")))
    result = CliRunner().invoke(app, ["hint", "rapido", position, "--players", "2", "--option", "finish=5"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("The file of this solution is damaged")


def test_interrupted_work_goes_on(
    cache: Path, shortest: tuple[np.ndarray, Bounds], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after any round, it ends with the same values and bounds, and repeats no round."""
    monkeypatch.setattr(work, "COPY_EVERY", -1.0)
    game = ShortRapido(finish=1)

    class Stop(Exception):
        pass

    def run(rounds: int) -> list[str]:
        phases = []

        def progress(step: Progress) -> None:
            phases.append(step.phase)
            if len(phases) == rounds:
                raise Stop

        rapido_solver.solve(game, Work(game, progress, rapido_solver.seconds_left), 2)
        return phases

    whole = run(0)
    assert set(whole) == {"approach", "prove"}
    bounds = astuple(open_solution(game).bounds)
    rest = len(whole)
    for rounds in (2, 1, 1, len(whole) - 5, 1):  # the last two stop while proving
        with pytest.raises(Stop):
            run(rounds)
        rest -= rounds
    assert run(0) == whole[len(whole) - rest :]
    assert not path_of(game).with_suffix(".unfinished").exists()
    again = open_solution(game)
    assert isinstance(again, RapidoSolution) and np.array_equal(again.values, shortest[0])
    assert astuple(again.bounds) == bounds == astuple(shortest[1])


def test_what_does_not_fit_is_refused_with_figures(cache: Path) -> None:
    with pytest.raises(CannotSolve, match=r"needs 1000000\.0 GB of memory, \d+\.\d GB are free"):
        solve.require(memory=10**15, disk=0, where=cache / "x")
    with pytest.raises(CannotSolve, match="disk"):
        solve.require(memory=0, disk=10**18, where=cache / "x")
    with pytest.raises(CannotSolve, match="3 players"):
        escadaria.solve(Rapido(players=3))
