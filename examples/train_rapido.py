"""Train an agent for Rapido with the PettingZoo environment until it beats the bot ``simple``.

    python examples/train_rapido.py --players 3 --matches 4000 --check 2000

The agent learns a table of averages: the steps climbed until its next turn after placing a certain value on
a certain field, and after rolling again with certain fields free. A pair that it throws out counts as the
steps that its owner will not climb, divided by the number of opponents. It plays the action with the best
average, and in training sometimes a random one. This is Monte Carlo control with turns as episodes.

With three or more players a single pair scores. With two players both pairs are needed (R18), which an agent
that only looks one turn ahead cannot learn.
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
"""The probability of a random action in training."""

SLOWEST = 0.005
"""The minimum weight of a new turn in an average, so that old turns lose influence."""


class Learner:
    """Plays by its table of averages, and updates it."""

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
        """The actions of this turn: key, step before it, and bonus for pairs thrown out."""

    def act(self, seen: Any, legal: Any, exploration: float = 0.0) -> int:
        """The number of the chosen action: 0 is rolling again, 1 + field is placing there."""
        worth = {
            action: self.averages[self.key(seen, legal, action)] + self.bonus(seen, action)
            for action in np.flatnonzero(legal).tolist()
        }
        action = max(worth, key=lambda action: worth[action])
        if self.rng.random() < exploration:
            action = self.rng.choice(list(worth))
            self.turn.clear()  # the result of a random action says nothing about the actions before it
        self.turn.append((self.key(seen, legal, action), self.step(seen), self.bonus(seen, action)))
        return int(action)

    def learn(self, seen: Any) -> None:
        """Update the averages of the last turn's actions, at the next turn or at the end of the match."""
        later = 0.0
        for key, step, bonus in reversed(self.turn):
            self.counts[key] += 1
            weight = max(1 / (self.counts[key] + 1), SLOWEST)
            self.averages[key] += weight * (self.step(seen) - step + later - self.averages[key])
            later += bonus
        self.turn.clear()

    def step(self, seen: Any) -> float:
        """The step of its piece."""
        return float(seen[self.parts["steps"]][0] * self.finish)

    def key(self, seen: Any, legal: Any, action: int) -> Hashable:
        return ("again", legal.tobytes()) if action == 0 else (action, float(seen[self.parts["value"]][0]))

    def bonus(self, seen: Any, action: int) -> float:
        """The sum of the fields of pairs that the action throws out (R14), divided by the opponents."""
        if action == 0:
            return 0.0
        values, value = seen[self.parts["values"]], seen[self.parts["value"]][0]
        owners = seen[self.parts["owners"]].reshape(len(values), -1)
        above = range(action, len(values) + 1)  # place 3 is action 4: fields 4 and 5 are above it
        thrown_out = [f for f in above if owners[f - 1].any() and values[f - 1] <= value]
        return sum(thrown_out) / float(self.others)


def play(env: Any, learner: Learner, seat: int, seed: int, exploration: float) -> bool:
    """Play one match of the learner in this seat against ``simple``; return whether the learner won."""
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
    """Train in ``matches`` matches; return the share won of ``check`` further matches."""
    env = pettingzoo.env("rapido", players=players, finish=finish)
    learner = Learner(env, random.Random(seed))
    wins = 0
    for number in range(1, matches + 1):
        wins += play(env, learner, number % players, seed=seed + number, exploration=EXPLORATION)
        if number % 500 == 0:
            print(f"{number} matches, of the last 500 won {wins / 500:.0%}", flush=True)
            wins = 0
    first = seed + matches + 1  # new dice
    wins = sum(play(env, learner, n % players, seed=first + n, exploration=0.0) for n in range(check))
    return Share("learner", 1, wins, check)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train an agent for Rapido against the bot simple.")
    parser.add_argument("--players", type=int, default=3, help="3 to 6")
    parser.add_argument("--finish", type=int, default=20)
    parser.add_argument("--matches", type=int, default=4000, help="matches to train in")
    parser.add_argument(
        "--check", type=int, default=2000, help="matches to play afterwards, without exploration"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.players < 3:
        raise BadOptions("with two players a single pair does not score, which this agent cannot learn (R18)")
    result = train(options.players, options.finish, options.matches, options.check, options.seed)
    low, high = result.interval
    print(f"won {result.share:.1%} of {result.games} matches against simple ({low:.1%} to {high:.1%})")
    print(f"equal players would win {1 / options.players:.1%}")


if __name__ == "__main__":
    main()
