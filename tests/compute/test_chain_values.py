"""Chain's values compiled are those in NumPy: what is seen, what turns are worth and where they lead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compute.test_chain_solver import GAME
from escadaria.arena.benchmark import regret
from escadaria.bots.evaluating import Master
from escadaria.games.chain import values as features
from escadaria.games.chain.compiled import play as chain_kernel
from escadaria.games.chain.compiled import values as compiled
from escadaria.games.chain.compiled.solver import GAP, layout
from escadaria.games.chain.rules import Chain, Keep, Phase, State
from escadaria.games.chain.solution import HAND_PAIRS, ChainSolution, arrangements, hands_number
from escadaria.games.chain.turn import Turn
from escadaria.games.chain.values import ChainValues
from research import chain_training
from research.learning import Progress, ReplayMemory, rounded

GAMES = [Chain(2), Chain(2, "short"), Chain(2, "26 5>9"), Chain(3), Chain(4, "18"), Chain(6, "long")]
LINEUP = ["random", "regular"] * 3
CLOSE = 1e-5
"""Networks are summed in another order, in numbers of 32 bits."""


@pytest.fixture(autouse=True)
def no_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the user's cache folder must make no difference here."""
    monkeypatch.setenv("ESCADARIA_CACHE", str(tmp_path))


def starts(game: Chain, games: int = 2) -> Iterator[State]:
    """Turn starts of careless play, where discs lie on each other."""
    for number in range(games):
        for _, state in chain_kernel.watch(game, LINEUP[: game.players], number, seed=4):
            if state.phase is Phase.KEEP:
                yield state


def words(game: Chain, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hands, discs and stacks as the kernel has them."""
    stacks = np.zeros(game.track.length + 1, np.int64)
    for space, seats in state.piles:
        for seat in seats:
            stacks[space] = stacks[space] << 3 | seat + 1
    return np.array(state.hands), np.array(state.discs), stacks


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_what_is_seen_and_what_it_is_worth(game: Chain) -> None:
    known, workspace = ChainValues(game, features.shipped(game)), compiled.new_workspace(game.players)
    evaluator = compiled.load_evaluator(game, exact=False)
    for state in starts(game):
        hands, discs, stacks = words(game, state)
        compiled.evaluate(evaluator, workspace, state.turn, hands, discs, stacks)
        if max(workspace.shares) < 1.0:  # else a seat wins for certain (C6)
            assert workspace.seen.tolist() == features.see(game, state)
        wanted = np.roll(known.seats(state), -state.turn)
        np.testing.assert_allclose(workspace.shares, wanted, atol=CLOSE)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_turn_is_worth_and_leads_to_the_same(game: Chain) -> None:
    known, workspace, paths = (
        ChainValues(game, features.shipped(game)),
        compiled.new_workspace(game.players),
        compiled.paths(),
    )
    evaluator, chains, arrows = (
        compiled.load_evaluator(game, exact=False),
        compiled.chain_table(),
        chain_kernel.tables(game).arrows,
    )
    for state in list(starts(game))[::5]:
        hands, discs, stacks = words(game, state)
        most = compiled.work_out(
            evaluator, chains, workspace, arrows, state.turn, state.pool, hands, discs, stacks
        )
        plan = known.plan(state)
        assert most == plan.turn.most and hands.tolist() == list(state.hands)
        np.testing.assert_allclose(workspace.stop[1 : most + 1], plan.turn.stop[1:], atol=CLOSE)
        np.testing.assert_allclose(
            np.roll(workspace.stopped[1 : most + 1], 1, axis=1), plan.stopped[1:], atol=CLOSE
        )
        # From here on with the very same ends, so that both decide alike.
        turn = Turn(workspace.stop.copy(), workspace.fail.copy(), most)
        for dice in range(1, state.hands[state.turn] + 1):
            assert compiled.kept(chains, workspace, dice) == pytest.approx(turn.kept(dice), abs=1e-12)
            compiled.find_ends(chains, workspace, most, dice, paths)
            stops, fails = turn.ends_after(game.apply(state, Keep(dice)))
            np.testing.assert_allclose(paths.stops[: most + 1], stops, atol=1e-12)
            np.testing.assert_allclose(paths.fails, fails, atol=1e-12)
            assert not paths.mass.any()


@pytest.mark.parametrize("exploration", [0.0, 1.0], ids=["planned", "by chance"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_turn_that_is_learned_is_worth_what_it_makes_of_all_chances(
    game: Chain, exploration: float
) -> None:
    """A planned turn is worth what it was before its dice fell; one by chance what it led to."""
    evaluator, chains, arrows = (
        compiled.load_evaluator(game, exact=False),
        compiled.chain_table(),
        chain_kernel.tables(game).arrows,
    )
    workspace, paths, outlook = compiled.new_workspace(game.players), compiled.paths(), np.zeros(game.players)
    for state in list(starts(game))[::5]:
        seat, table = state.turn, words(game, state)
        compiled.work_out(evaluator, chains, workspace, arrows, seat, state.pool, *table)
        best = max(compiled.kept(chains, workspace, dice) for dice in range(1, state.hands[seat] + 1))
        chain_training.play_turn(
            evaluator, chains, arrows, exploration, seat, workspace, *table, paths, outlook
        )
        if exploration:
            compiled.evaluate(evaluator, workspace, (seat + 1) % game.players, *table)
            assert outlook.tolist() == np.roll(workspace.shares, 1).tolist()
        else:
            assert outlook[0] == pytest.approx(best, abs=1e-12)
        assert outlook.sum() == pytest.approx(1.0, abs=CLOSE)


def test_what_became_of_a_turn_is_told_by_seat_from_the_one_to_move() -> None:
    """Three seats, two turns: seat 0, seat 1; then seat 2 has won."""
    expected = np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2]])
    for trust, wanted in [
        (0.0, [[0.5, 0.3, 0.2], [0.2, 0.6, 0.2]]),
        (0.5, [[0.3, 0.2, 0.5], [0.1, 0.8, 0.1]]),
        (1.0, [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]),
    ]:
        mixed = expected.copy()
        chain_training._mix_with_outcome(mixed, trust)
        np.testing.assert_allclose(mixed, wanted)


def test_from_a_solution_the_exact_worth_of_all_that_turns_may_lead_to_is_learned() -> None:
    """The table here tells the hands alone, so that they tell what was looked up."""
    game = Chain(2, "18")
    waiter = np.tile(np.arange(HAND_PAIRS) / HAND_PAIRS, (arrangements(game.track).count, 1))
    waiter.flags.writeable = False
    model = compiled.load_evaluator(game, exact=False)
    truth = model._replace(waiter=waiter, layout=layout(game.track))
    memory = ReplayMemory(features.number_of_features(2), 2, 4000)
    new = memory.grow(
        chain_training.sample_exact(
            model, truth, compiled.chain_table(), chain_kernel.tables(game).arrows, compiled.new_workspace(2),
            np.zeros(2, np.int64), np.zeros((2, 2), np.int64), compiled.paths(), *memory.next_rows(), 3000,
        )
    )  # fmt: skip
    assert memory.filled == new >= 3000 and not memory.targets[new:].any()
    of_hands = features.DISTANCES**2
    mover = (memory.rows[:new, 1] - of_hands) % features.MOST_DICE + 1
    other = (memory.rows[:new, 6] - features.OF_SEAT - of_hands) % features.MOST_DICE + 1
    known = np.maximum(mover, other) < features.MOST_DICE  # more count as these
    wanted = [hands_number(*both) / HAND_PAIRS for both in zip(mover[known], other[known], strict=True)]
    np.testing.assert_allclose(memory.targets[:new][known, 1], wanted, atol=CLOSE)
    assert len(set(wanted)) > 50


def test_training_learns_and_the_same_seed_gives_the_same_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_training, "BEFOREHAND", 20)
    errors = list[float]()

    def report(progress: Progress, net: object) -> None:
        if progress.done:
            errors.append(progress.error)

    first, again = (chain_training.train(3, 5000, 2, report) for _ in range(2))
    assert errors[1] > errors[2] and errors[: len(errors) // 2] == errors[len(errors) // 2 :]
    assert np.array_equal(rounded(first).table, rounded(again).table)
    game = Chain(3)
    known = ChainValues(game, rounded(first))
    near = "discs={},0+0 stacks={} chain=-/0/open loose=-"
    state = game.parse_state("turn=0 phase=keep hands=4,2,2 pool=16 " + near.format("33+34,0+0", "33:0"))
    assert max(known.seats(state)) == known.seats(state)[0]


def test_boards_made_by_chance_are_learned_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two players they share no rows with a board that is solved."""
    play, kinds = chain_training.self_play, list[int]()

    def watched(model: compiled.Evaluator, *rest: Any) -> int:
        kinds.append(model.track)
        return int(play(model, *rest))

    monkeypatch.setattr(chain_training, "self_play", watched)
    monkeypatch.setattr(chain_training, "OF_TWO", (0.0, 0.0, 0.0, 1.0))
    chain_training.train(2, 500, 1, lambda *news: None)
    assert set(kinds) == {features.ANY}


# What a network loses, on the board of the solver's tests, which is solved in seconds.


def test_exact_play_gives_nothing_away_and_a_network_that_knows_nothing_much() -> None:
    truth, arrows = chain_training.exact_evaluator(GAME), chain_kernel.tables(GAME).arrows
    workspace, exact = compiled.new_workspace(2), compiled.new_workspace(2)
    lost, _, won = chain_training.lose(
        truth, truth, compiled.chain_table(), arrows, 200, 1, workspace, exact, compiled.paths()
    )
    assert lost == pytest.approx(0, abs=1e-9)
    assert 60 < won < 140
    nothing = rounded(chain_training.fresh(2, 64, np.random.default_rng(1)))
    loss = chain_training.loss(nothing, GAME, 200, seed=1)
    assert loss.regret > 0.1 and loss.wins < won


def test_what_a_turn_gives_away_is_what_its_decisions_do() -> None:
    """Played in the readable engine, decision by decision, it comes to the same on average."""
    network = features.shipped(GAME)
    truth = chain_training.exact_evaluator(GAME)
    solution = ChainSolution(GAME, truth.waiter, GAP)
    by_decision = regret(Master(ChainValues(GAME, network), ""), solution, 40)
    by_turn = chain_training.loss(network, GAME, 4000, seed=1)
    assert by_decision.low - 2 * by_turn.error < by_turn.regret < by_decision.high + 2 * by_turn.error
