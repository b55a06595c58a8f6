"""The games as PettingZoo environments (the extra ``pettingzoo``).

::

    from escadaria.adapters import pettingzoo

    env = pettingzoo.env("rapido", players=3, render_mode="ansi")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        action = None
        if not (terminated or truncated):
            action = env.action_space(agent).sample(info["action_mask"])
        env.step(action)

Agents are ``player_0``, ``player_1`` …, in the order of the seats. Action number ``i`` is
``env.unwrapped.game.actions[i]``. An observation is the whole position from the view of its agent;
``escadaria.adapters.observation.fields`` describes its numbers. The environment's generator rolls the dice
right before a decision: no agent sees them earlier, and the same seed gives the same dice. The winner's
reward is 1, and the other agents share -1 equally; before the end all rewards are 0.

The action mask is in ``info["action_mask"]``, or with ``masks="observation"`` beside the observation:
``{"observation": …, "action_mask": …}``. PettingZoo supports both. Its ``api_test`` warns about every
observation that is not a plain array, except for a list of its own environments; so ``info`` is the default.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import parallel_to_aec, turn_based_aec_to_parallel
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{missing.name} is not installed: escadaria.adapters.pettingzoo needs escadaria[pettingzoo]",
        name=missing.name,
    ) from missing

from escadaria.adapters import drawing, observation
from escadaria.catalogue import DEFAULT, load
from escadaria.dice import equal_shares
from escadaria.game import CHANCE, TERMINAL, BadOptions

if TYPE_CHECKING:
    import numpy.typing as npt

MASKS = ("info", "observation")
"""Where the action mask is returned."""

ILLEGAL = ("end", "random", "raise")
"""How an illegal action is handled: the match ends and the agent loses, as in PettingZoo's games; a random
legal action is played instead; or IllegalAction is raised."""

ILLEGAL_REWARD = -1.0
"""The reward of an agent that ends the match by an illegal action."""


def env(game: str = DEFAULT, *, illegal: str = "end", **options: Any) -> AECEnv:
    """A game as an AEC environment, with PettingZoo's wrappers.

    :param game: its name in ``escadaria.GAMES``.
    :param illegal: how illegal actions are handled, one of ``ILLEGAL``.
    :param options: those of ``raw_env``.
    :raises BadOptions: if there is no such game or option.
    """
    if illegal not in ILLEGAL:
        raise BadOptions(f"illegal must be one of {', '.join(ILLEGAL)}, not {illegal!r}")
    wrapped = raw_env(game, **options)
    if illegal == "end":
        wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=ILLEGAL_REWARD)
    elif illegal == "random":
        wrapped = RandomIfIllegal(wrapped)
    return wrappers.OrderEnforcingWrapper(CheckedActions(wrapped))


def parallel_env(game: str = DEFAULT, *, illegal: str = "random", **options: Any) -> ParallelEnv:
    """A game as a parallel environment: all agents act in every cycle, but only the agent to move counts.

    Only its mask is not all 0. Options are those of ``env``.
    """
    return turn_based_aec_to_parallel(env(game, illegal=illegal, **options))


def cycling_env(game: str = DEFAULT, **options: Any) -> AECEnv:
    """``parallel_env`` as an AEC environment, in which every agent acts once per cycle."""
    return parallel_to_aec(parallel_env(game, **options))


class raw_env(AECEnv):
    """A game without PettingZoo's wrappers: an illegal action raises IllegalAction."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo has it on the class and on the instance
        "name": "escadaria",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str = DEFAULT,
        *,
        render_mode: str | None = None,
        masks: str = "info",
        max_cycles: int | None = None,
        **options: Any,
    ) -> None:
        """All other options are the game's.

        :param render_mode: ``human`` prints the position, ``ansi`` returns a text, ``rgb_array`` pixels.
        :param masks: where to return the action mask, one of ``MASKS``.
        :param max_cycles: the number of decisions of all agents after which the match is truncated.
        :raises BadOptions: if there is no such game, option or mode.
        """
        super().__init__()
        for name, given, allowed in (
            ("render_mode", render_mode, (None, *self.metadata["render_modes"])),
            ("masks", masks, MASKS),
        ):
            if given not in allowed:
                raise BadOptions(f"{name} must be one of {', '.join(map(str, allowed))}, not {given!r}")
        self.game = load(game, **options)
        self.metadata = {**raw_env.metadata, "name": f"escadaria_{game}_v{self.game.rules_version}"}
        self.render_mode = render_mode
        self.masks = masks
        self.max_cycles = max_cycles
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.players)]
        self.np_random, _ = seeding.np_random()

    # Spaces and observations.

    @cached_property
    def state_space(self) -> spaces.Box:
        return spaces.Box(0, 1, (sum(observation.sizes(self.game).values()),), np.float32)

    @cached_property
    def _spaces(self) -> dict[str, tuple[spaces.Space[Any], spaces.Discrete]]:
        number = len(self.game.actions)
        both = {}
        for agent in self.possible_agents:
            seen: spaces.Space[Any] = spaces.Box(0, 1, self.state_space.shape, np.float32)
            if self.masks == "observation":
                legal = spaces.Box(0, 1, (number,), np.int8)
                seen = spaces.Dict({"observation": seen, "action_mask": legal})
            both[agent] = seen, spaces.Discrete(number)
        return both

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._spaces[agent][1]

    def observe(self, agent: str) -> Any:
        seen = observation.observe(self.game, self.position, self.possible_agents.index(agent))
        return seen if self.masks == "info" else {"observation": seen, "action_mask": self.mask(agent)}

    def state(self) -> npt.NDArray[np.float32]:
        """The position from the view of the seat whose turn it is; ``position`` is the game's own object."""
        return observation.observe(self.game, self.position, self.position.turn)

    def mask(self, agent: str) -> npt.NDArray[np.int8]:
        """For each action 1 if it is legal for the agent now, else 0."""
        to_decide = self.game.current_player(self.position)
        if to_decide == TERMINAL or self.possible_agents[to_decide] != agent or self._stopped:
            return np.zeros(len(self.game.actions), np.int8)
        return observation.mask(self.game, self.position)

    # Playing.

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a match. Without a seed the generator is not reset.

        :raises BadOptions: if ``options`` is not empty.
        """
        if unknown := set(options or ()) - {"options"}:  # PettingZoo's api_test passes that one
            raise BadOptions(f"reset takes no options, not {', '.join(sorted(map(str, unknown)))}")
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        self.position = self.game.initial_state()
        self._decisions = 0
        self._turn: list[tuple[Any, Any]] = []  # positions and actions of the current turn
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._roll()
        self.agent_selection = self.agents[self.position.turn]
        self._inform()

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, then roll the dice until the next decision.

        :raises IllegalAction: if the number is not that of an action, or the action is not legal.
        """
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        decision = observation.action_of(self.game, action)
        self._apply(decision)  # raises before anything has changed
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._decisions += 1
        self._roll()
        outcome = self.game.outcome(self.position)
        self.rewards = dict(zip(self.agents, observation.rewards(outcome, self.game.players), strict=True))
        self.terminations = dict.fromkeys(self.agents, outcome is not None)
        self.truncations = dict.fromkeys(self.agents, outcome is None and self._stopped)
        self.agent_selection = self.agents[self.position.turn]
        self._accumulate_rewards()
        self._inform()
        if self.render_mode == "human":
            self.render()

    @property
    def _stopped(self) -> bool:
        return self.max_cycles is not None and self._decisions >= self.max_cycles

    def _roll(self) -> None:
        while self.game.current_player(self.position) == CHANCE:
            shares = equal_shares(self.game.chance_outcomes(self.position))
            self._apply(shares[int(self.np_random.integers(len(shares)))][0])

    def _apply(self, action: Any) -> None:
        after = self.game.apply(self.position, action)
        self._turn = [*self._turn, (self.position, action)] if after.turn == self.position.turn else []
        self.position = after

    def _inform(self) -> None:
        self.infos = {
            agent: {"action_mask": self.mask(agent)} if self.masks == "info" else {} for agent in self.agents
        }

    # Rendering.

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Render the position in the render mode; None without one."""
        if self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            return drawing.pixels(self.game, self.position)
        facts = [fact for state, action in self._turn for fact in self.game.facts(state, action)]
        text = drawing.text(self.game, self.position, facts)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing to close."""


class CheckedActions(wrappers.BaseWrapper):
    """Checks action numbers before another wrapper uses them as an index."""

    def step(self, action: int | None) -> None:
        if action is not None:
            observation.action_of(self.unwrapped.game, action)
        super().step(action)


class RandomIfIllegal(wrappers.BaseWrapper):
    """Replaces an illegal action by a random legal one, with the environment's generator."""

    def step(self, action: int | None) -> None:
        legal = self.unwrapped.mask(self.agent_selection)
        if action is not None and legal.any() and not legal[action]:
            action = int(self.unwrapped.np_random.choice(np.flatnonzero(legal)))
        super().step(action)
