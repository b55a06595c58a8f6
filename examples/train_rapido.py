"""An agent learns Rapido from PettingZoo's environment, and beats the bot ``simple``.

    python examples/train_rapido.py --players 3 --matches 4000 --check 2000

The agent keeps a table of averages: how many steps it climbed until its next turn after placing a certain
value on a certain field, and after rolling again while certain fields were free. A pair that it throws out
counts as well: as the steps that its owner will not climb, shared among the others. It takes the choice with
the best average, and now and then, while it learns, any other. That is Monte Carlo control, with turns as
episodes.

With three players or more a pair scores by itself; with two it takes both pairs (R18), which this is too
short-sighted for.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Hashable
from itertools import accumulate
from typing import Any

import numpy as np

from escadaria import bots
from escadaria.adapters import observation, pettingzoo
from escadaria.arena.simulation import Share
from escadaria.game import BadOptions

EXPLORATION = 0.1
"""How often it tries something else while it learns."""

SLOWEST = 0.005
"""The least weight of a new turn in an average: as it plays better, old turns say less and less."""


class Learner:
    """Plays by its table, and writes it."""

    def __init__(self, env: Any, rng: random.Random) -> None:
        sizes = observation.sizes(env.unwrapped.game)
        ends = list(accumulate(sizes.values()))
        self.parts = {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}
        self.finish = env.unwrapped.game.options["finish"]
        self.others = env.unwrapped.game.players - 1
        self.rng = rng
        self.averages: defaultdict[Hashable, float] = defaultdict(float)
        self.counts: defaultdict[Hashable, int] = defaultdict(int)
        self.turn: list[tuple[Hashable, float, float]] = []
        """This turn's choices: what they were, from which step, and what they threw out."""

    def act(self, seen: Any, legal: Any, exploration: float = 0.0) -> int:
        """The action's number: 0 is to roll again, 1 + field to place there."""
        worth = {
            action: self.averages[self.key(seen, legal, action)] + self.bonus(seen, action)
            for action in np.flatnonzero(legal).tolist()
        }
        action = max(worth, key=lambda action: worth[action])
        if self.rng.random() < exploration:
            action = self.rng.choice(list(worth))
            self.turn.clear()  # what comes of a exploration says nothing of the choices before it
        self.turn.append((self.key(seen, legal, action), self.step(seen), self.bonus(seen, action)))
        return int(action)

    def learn(self, seen: Any) -> None:
        """The next turn has come, or the match is over: write down what the last turn's choices brought."""
        later = 0.0
        for key, step, bonus in reversed(self.turn):
            self.counts[key] += 1
            weight = max(1 / (self.counts[key] + 1), SLOWEST)
            self.averages[key] += weight * (self.step(seen) - step + later - self.averages[key])
            later += bonus
        self.turn.clear()

    def step(self, seen: Any) -> float:
        """Where its piece stands."""
        return float(seen[self.parts["steps"]][0] * self.finish)

    def key(self, seen: Any, legal: Any, action: int) -> Hashable:
        return ("again", legal.tobytes()) if action == 0 else (action, float(seen[self.parts["value"]][0]))

    def bonus(self, seen: Any, action: int) -> float:
        """The fields of the pairs that the action throws out (R14), shared among the others."""
        if action == 0:
            return 0.0
        values, value = seen[self.parts["values"]], seen[self.parts["value"]][0]
        owners = seen[self.parts["owners"]].reshape(len(values), -1)
        above = range(action, len(values) + 1)  # place 3 is action 4: fields 4 and 5 are above it
        thrown_out = [f for f in above if owners[f - 1].any() and values[f - 1] <= value]
        return sum(thrown_out) / float(self.others)


def play(env: Any, learner: Learner, seat: int, seed: int, exploration: float) -> bool:
    """One match with the learner on this seat and ``simple`` on the others: whether the learner won."""
    game, me = env.unwrapped.game, env.possible_agents[seat]
    simple = bots.load("simple", game)
    learner.turn.clear()
    others_played, won = False, False
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, reward, terminated, _, info = env.last()
        if agent == me and (terminated or others_played):
            if exploration:
                learner.learn(seen)
            learner.turn.clear()
        if terminated:
            won |= agent == me and reward > 0
            env.step(None)
        elif agent == me:
            env.step(learner.act(seen, info["action_mask"], exploration))
        else:
            env.step(game.actions.index(simple(game, env.unwrapped.position)))
        others_played = agent != me
    return won


def train(players: int, finish: int, matches: int, check: int, seed: int = 0) -> Share:
    """Learn from so many matches, then play as many as are to be checked, and tell how many were won."""
    env = pettingzoo.env("rapido", players=players, finish=finish)
    learner = Learner(env, random.Random(seed))
    wins = 0
    for number in range(1, matches + 1):
        wins += play(env, learner, number % players, seed=seed + number, exploration=EXPLORATION)
        if number % 500 == 0:
            print(f"{number} matches, of the last 500 won {wins / 500:.0%}", flush=True)
            wins = 0
    first = seed + matches + 1  # dice it has not seen
    wins = sum(play(env, learner, n % players, seed=first + n, exploration=0.0) for n in range(check))
    return Share("learner", 1, wins, check)


def main() -> None:
    parser = argparse.ArgumentParser(description="An agent learns Rapido, and beats the bot simple.")
    parser.add_argument("--players", type=int, default=3, help="3 to 6")
    parser.add_argument("--finish", type=int, default=20)
    parser.add_argument("--matches", type=int, default=4000, help="how many to learn from")
    parser.add_argument(
        "--check", type=int, default=2000, help="how many to play afterwards, without exploration"
    )
    parser.add_argument("--seed", type=int, default=0)
    wish = parser.parse_args()
    if wish.players < 3:
        raise BadOptions("with two players a pair alone does not score, which this agent cannot learn (R18)")
    result = train(wish.players, wish.finish, wish.matches, wish.check, wish.seed)
    low, high = result.interval
    print(f"won {result.share:.1%} of {result.games} matches against simple ({low:.1%} to {high:.1%})")
    print(f"equal players would win {1 / wish.players:.1%}")


if __name__ == "__main__":
    main()
