"""Chain's values compiled are those in NumPy: what is seen, what turns are worth and where they lead."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from compute.kernels import words
from escadaria.games.chain import values as features
from escadaria.games.chain.compiled import turns as compiled
from escadaria.games.chain.compiled.policies import tables
from escadaria.games.chain.compiled.search import find_ends, paths
from escadaria.games.chain.positions import (
    Phase,
    State,
)
from escadaria.games.chain.rules import (
    Chain,
    Keep,
)
from escadaria.games.chain.turn import Turn
from strategies import play_random

GAMES = [Chain(2), Chain(2, "short"), Chain(2, "26 5>9"), Chain(3), Chain(4, "18"), Chain(6, "long")]
CLOSE = 1e-5
"""Networks are summed in another order, in numbers of 32 bits."""


pytestmark = pytest.mark.usefixtures("no_solution")


def starts(game: Chain) -> Iterator[State]:
    """Turn starts of random play, where discs lie on each other."""
    yield from (state for _, state in play_random(game, 4, 2000) if state.phase is Phase.KEEP)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_what_is_seen_and_what_a_turn_is_worth_and_leads_to(game: Chain) -> None:
    known, workspace, ways = (
        features.shipped(game),
        compiled.new_workspace(game.players),
        paths(),
    )
    evaluator, chains, arrows = (
        compiled.load_evaluator(game, exact=False),
        compiled.chain_table(),
        tables(game).arrows,
    )
    for number, state in enumerate(starts(game)):
        hands, discs, stacks = words(game, state)
        compiled.evaluate(evaluator, workspace, state.turn, hands, discs, stacks)
        if max(workspace.shares) < 1.0:  # else a seat wins for certain (C6)
            assert workspace.features.tolist() == features.features_of(game, state)
        wanted = np.roll(known.seats(state), -state.turn)
        np.testing.assert_allclose(workspace.shares, wanted, atol=CLOSE)
        if number % 5:
            continue
        most = compiled.compute_turn(
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
            find_ends(chains, workspace, most, dice, ways)
            stops, fails = turn.ends_after(game.apply(state, Keep(dice)))
            np.testing.assert_allclose(ways.stops[: most + 1], stops, atol=1e-12)
            np.testing.assert_allclose(ways.fails, fails, atol=1e-12)
            assert not ways.mass.any()
