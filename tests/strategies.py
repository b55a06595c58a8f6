"""Hypothesis strategies: games with any options, and reachable positions."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any, NamedTuple

from hypothesis import strategies as st

from escadaria.game import CHANCE, TERMINAL, AnyGame, play_out
from escadaria.games.chain.boards import BOARDS, LONGEST_TRACK, SHORTEST_TRACK, Board
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.rules import Rapido

SEATS = range(2, 7)


class Step(NamedTuple):
    """One action of a played game."""

    before: Any
    action: Any
    after: Any


class Walk(NamedTuple):
    """A game, and the actions played in it from the initial position."""

    game: AnyGame
    steps: list[Step]

    @property
    def state(self) -> Any:
        """The last position."""
        return self.steps[-1].after if self.steps else self.game.initial_state()


def rapidos() -> st.SearchStrategy[AnyGame]:
    """Rapido with any options."""
    return st.builds(Rapido, players=st.sampled_from(SEATS), finish=st.integers(5, 50))


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Any board that C3 allows (with ten arrows at most)."""
    length = draw(st.integers(SHORTEST_TRACK, LONGEST_TRACK))
    starts = draw(st.lists(st.integers(1, length - 1), unique=True, max_size=10))
    ends = st.sampled_from([space for space in range(1, length) if space not in starts])
    return Board(length, tuple((start, draw(ends)) for start in starts))


def chains() -> st.SearchStrategy[AnyGame]:
    """Chain with any options: shipped boards and others."""
    board = st.sampled_from(list(BOARDS)) | boards()
    return st.builds(Chain, players=st.sampled_from(SEATS), board=board, balanced=st.booleans())


def games() -> st.SearchStrategy[AnyGame]:
    """Either game with any options."""
    return rapidos() | chains()


@st.composite
def walks(draw: st.DrawFn, kinds: st.SearchStrategy[AnyGame] | None = None, max_length: int = 250) -> Walk:
    """A random part of a game. One byte is drawn for each action, so a failure shrinks to a short walk."""
    game = draw(games() if kinds is None else kinds)
    length = draw(st.integers(0, max_length))
    state = game.initial_state()
    steps: list[Step] = []
    for byte in draw(st.binary(min_size=length, max_size=length)):
        actions = possible(game, state)
        if not actions:
            break
        after = game.apply(state, action := actions[byte % len(actions)])
        steps.append(Step(state, action, after))
        state = after
    return Walk(game, steps)


def possible(game: AnyGame, state: Any) -> tuple[Any, ...]:
    """Everything that may come next: the decisions, or the outcomes of the dice, or nothing."""
    seat = game.current_player(state)
    if seat == TERMINAL:
        return ()
    return rollable(game, state) if seat == CHANCE else game.legal_actions(state)


def rollable(game: AnyGame, state: Any) -> tuple[Any, ...]:
    """The outcomes of the dice without their probabilities."""
    return tuple(outcome for outcome, _ in game.chance_outcomes(state))


def play_random(game: AnyGame, seed: int, limit: int = 100_000) -> list[tuple[Any, Any]]:
    """A game of random decisions and dice, to its end: each action and the position after it.

    It stops after ``limit`` actions, so that a game that never ends fails a test and does not hang it.
    """
    rng = random.Random(seed)

    def pick(state: Any) -> Any:
        return rng.choice(possible(game, state))

    return list(islice(play_out(game, game.initial_state(), decide=pick, roll=pick), limit))
