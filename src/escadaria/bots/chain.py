"""Chain's levels, from the tourist to the master.

``tourist`` follows rules of thumb when no whim takes it. ``regular`` follows them always, loves to lie on
other people's discs, and hands nobody the win. ``expert`` works its turn out to the end by what positions
look worth, and misjudges a little. ``master`` plays by the exact solution if the cache folder has it, else
it works its turn out and never misjudges.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from escadaria.bots import simple
from escadaria.chain import (
    Action,
    Arrived,
    Chain,
    Covered,
    Keep,
    Lengthen,
    Link,
    Links,
    Move,
    Phase,
    State,
)
from escadaria.game import replaced
from escadaria.solutions.chain import Turn, slot

LOTS = 1 << 20
"""Chance is drawn in so many equal parts."""

# The tourist and the regular.

WHIM = 2 * LOTS // 5
"""How often a tourist does anything that is allowed."""


class Tourist:
    """A player by rules of thumb who often forgets them."""

    source = "rules of thumb"

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, game: Chain, state: State) -> Action:
        if self.rng.choice(range(LOTS)) < WHIM:
            return self.rng.choice(game.legal_actions(state))
        return simple.chain(game, state)


LOVE = 2
"""Regular: how many spaces it is worth to lie on somebody."""


def regular(game: Chain, state: State) -> Action:
    """Play by rules of thumb, but move where it covers somebody; hand nobody the win."""
    action = simple.chain(game, state)
    if not isinstance(action, Move):
        return action
    moves = [move for move in game.legal_actions(state) if isinstance(move, Move)]
    return max(moves, key=lambda move: _charm(game, state, move))


def _charm(game: Chain, state: State, move: Move) -> tuple[bool, bool, int]:
    """It hands nobody the win, brings a disc home, gets far or on top of somebody."""
    seat, after = state.turn, game.apply(state, move)
    facts = game.facts(state, move)
    covers = any(isinstance(fact, Covered) and fact.victim != seat for fact in facts)
    return (
        all(game.free_discs(after, other) for other in range(game.players) if other != seat),
        any(isinstance(fact, Arrived) for fact in facts),
        sum(after.discs[seat]) + LOVE * covers,
    )


# The planner: what a turn can come to is worked out, what comes after it is guessed.

BENDS = (2, 4, 7, 11, 16, 24)
"""Distances to the centre up to which each space may count differently."""
MOST_DICE = 9
"""More dice in a hand count as these."""
LONGEST_PLAN = 10
"""Nobody plans for more links than these."""

HOME, COVERED, COVERED_FAR, COVERED_BY_OWN, DISTANCE = range(5)
FEATURES = DISTANCE + 1 + len(BENDS) + MOST_DICE


def features(game: Chain, state: State, seat: int) -> list[float]:
    """What a seat's prospects go by: its discs and its hand."""
    seen = [0.0] * FEATURES
    centre = game.track.length
    for space in state.discs[seat]:
        seen[HOME] += space == centre
        away = centre - space
        seen[DISTANCE] += away
        for number, bend in enumerate(BENDS, DISTANCE + 1):
            seen[number] += min(away, bend)
    for space, seats in state.piles:
        for height, owner in enumerate(seats[:-1]):
            if owner != seat:
                continue
            if any(above != seat for above in seats[height + 1 :]):
                seen[COVERED] += 1
                seen[COVERED_FAR] += centre - space
            else:
                seen[COVERED_BY_OWN] += 1
    seen[-min(state.hands[seat], MOST_DICE)] = 1.0
    return seen


WEIGHTS: tuple[float, ...] = (
    1.327, -0.187, 0.002, 0.014,
    -0.074, 0.418, 0.039, -0.219, 0.077, -0.043, -0.025,
    0.575, 0.554, 0.138, 0.277, 0.018, -0.092, -0.386, -0.528, -0.556,
)  # fmt: skip
"""Fitted to the exact solution for two players by ``tools/fit_chain.py``, see ``docs/training/chain.md``."""
TEMPO = 0.346
"""What half a round sooner is worth."""
RELEASE = 0.8
"""How likely a player takes a disc off a seat that would win under it: a guess, since players differ."""


class Planner:
    """Works out the turn to its end, and takes the prospects there for all seats."""

    def __init__(self, game: Chain, weights: Sequence[float] = WEIGHTS) -> None:
        self.game, self.weights = game, np.array(weights)
        Turn(np.zeros(2), np.zeros(1), 1).kept(1)  # so that no decision has to wait for its tables
        self._last: tuple[object, Turn] | None = None

    def action_values(self, state: State) -> dict[Action, float]:
        """How likely the seat to act seems to win after each legal action."""
        actions = self.game.legal_actions(state)
        turn = self._turn(state) if actions else None
        return {action: self._worth(turn, state, action) for action in actions if turn}

    def _worth(self, turn: Turn, state: State, action: Action) -> float:
        if isinstance(action, Keep):
            return turn.kept(action.dice) if action.dice <= turn.most else 0.0
        after = self.game.apply(state, action)
        if isinstance(action, Move):
            return self.prospect(after, state.turn)
        if state.hands[state.turn] > turn.most - isinstance(action, Lengthen):
            return 0.0  # beyond any plan
        if isinstance(action, Link):
            return turn.built(after.chain, after.loose)
        return float(turn.lengthened[slot(after.chain)])

    def _turn(self, state: State) -> Turn:
        """The turn of a position; one that is played through is worked out once."""
        seat = state.turn
        turn = seat, state.hands[:seat], state.hands[seat + 1 :], state.discs, state.piles
        if self._last is None or self._last[0] != turn:
            self._last = turn, self._work_out(state)
        return self._last[1]

    def _work_out(self, state: State) -> Turn:
        seat, game = state.turn, self.game
        most = min(LONGEST_PLAN, state.hands[seat] + state.pool)
        stop, fail = np.zeros(most + 1), np.zeros(most // 2 + 1)
        for links in range(1, most + 1):
            chain = Links((1,) * links, 1)  # its length is all that matters
            hands = replaced(state.hands, seat, links)
            decide = State(seat, Phase.DECIDE, hands, game.dice - sum(hands), state.discs, state.piles, chain)
            stop[links] = max(
                self.prospect(game.apply(decide, Move(space)), seat) for space in game.free_discs(state, seat)
            )
        for left in range(1, most // 2 + 1):
            hands = replaced(state.hands, seat, left)
            following = (seat + 1) % game.players
            failed = State(following, Phase.KEEP, hands, game.dice - sum(hands), state.discs, state.piles)
            fail[left] = self.prospect(failed, seat)
        return Turn(stop, fail, most)

    def prospect(self, state: State, seat: int) -> float:
        """How likely ``seat`` seems to win when the turn after its own starts.

        Whoever would win by the discs as they lie wins, in the order of turns, unless a cover is taken off
        before (C6, C7); the rest is shared by what the seats' prospects are worth.
        """
        players = self.game.players
        order = [(seat + later) % players for later in range(1, players + 1)]
        rest, won = 1.0, 0.0
        for place, other in enumerate(order):
            ready = rest * self._stays_immobile(state, other, order[:place])
            rest -= ready
            won += ready if other == seat else 0.0
        return won + rest * self._share(state, order) if rest > 0.0 else won

    def _stays_immobile(self, state: State, seat: int, before: Sequence[int]) -> float:
        """How likely a seat's turn starts with all its discs immobilized, as they are now."""
        if self.game.free_discs(state, seat):
            return 0.0
        tops = {seats[-1] for _, seats in state.piles if seat in seats}
        return float((1.0 - RELEASE) ** len(tops.intersection(before)))

    def _share(self, state: State, order: Sequence[int]) -> float:
        """The last one's part of all."""
        worths = [
            np.dot(self.weights, features(self.game, state, other)) - TEMPO * 2 * place / len(order)
            for place, other in enumerate(order)
        ]
        parts = np.exp(np.array(worths) - worths[-1])
        return float(1.0 / parts.sum())


# Those who plan.

MISJUDGES = {2: 0.13, 3: 0.2, 4: 0.25, 5: 0.25, 6: 0.25}
"""By what part of its worth an expert can be wrong about a decision, by players: a gift it always sees."""


class Values(Protocol):
    """A solution, or a planner."""

    def action_values(self, state: State, /) -> Mapping[Action, float]: ...


class Expert:
    """Takes the best decision as it sees it, a little wrong."""

    source = "planning its turn"

    def __init__(self, values: Values, width: float, rng: random.Random) -> None:
        self.values, self.width, self.rng = values, width, rng

    def __call__(self, game: Chain, state: State) -> Action:
        seen = {
            action: worth * (1.0 + self.width * (2 * self.rng.choice(range(LOTS)) / LOTS - 1))
            for action, worth in self.values.action_values(state).items()
        }
        return _best(seen)


class Master:
    """Takes the best decision."""

    def __init__(self, values: Values, source: str) -> None:
        self.values, self.source = values, source

    def __call__(self, game: Chain, state: State) -> Action:
        return _best(self.values.action_values(state))


def _best(worths: Mapping[Action, float]) -> Action:
    return max(worths, key=worths.__getitem__)


def _master(game: Chain, rng: random.Random) -> Master:
    from escadaria import solutions

    solution = solutions.find(game)
    return Master(solution, "exact solution") if solution else Master(Planner(game), "planning its turn")


MAKERS: Mapping[str, Callable[[Any, random.Random], Callable[[Any, Any], Action]]] = {
    "tourist": lambda game, rng: Tourist(rng),
    "regular": lambda game, rng: regular,
    "expert": lambda game, rng: Expert(Planner(game), MISJUDGES[game.players], rng),
    "master": _master,
}
