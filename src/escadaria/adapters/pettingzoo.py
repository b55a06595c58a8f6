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
reward is 1, and the other agents share -1 equally; before the end all rewards are 0. ``reward`` chooses other
kinds. ``env.reset(options={"state": …})`` starts from a position, given as itself or as text.

``info["illegal"]`` of an agent says why its last action was not legal; after a legal one it is absent.

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
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
    from pettingzoo.utils.env_logger import EnvLogger
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{missing.name} is not installed: escadaria.adapters.pettingzoo needs escadaria[pettingzoo]",
        name=missing.name,
    ) from missing

from escadaria.adapters import observation
from escadaria.adapters.environment import Environment, observation_space
from escadaria.adapters.rewards import END, RAISE, RANDOM, check
from escadaria.catalogue import DEFAULT
from escadaria.game import IllegalAction, refusal

if TYPE_CHECKING:
    import numpy.typing as npt

MASKS = ("info", "observation")
"""Where the action mask is returned."""


def env(game: str = DEFAULT, *, illegal: str = END, **options: Any) -> AECEnv:
    """A game as an AEC environment that checks actions and the order of calls, as PettingZoo's games do.

    :param options: those of ``raw_env``.
    :raises BadOptions: if there is no such game or option.
    """
    return OrderedEnv(raw_env(game, illegal=illegal, **options))


def parallel_env(game: str = DEFAULT, *, illegal: str = RANDOM, **options: Any) -> ParallelEnv:
    """A game as a parallel environment: a cycle is one decision, and all but one agent wait.

    The last action, number ``len(game.actions)``, is the no-op. It is the only legal one for agents who wait,
    and not legal for the agent to move, so no mask is all 0. The actions of agents who wait are ignored.

    :param options: see ``env``.
    """
    return turn_based_aec_to_parallel(OrderedEnv(WaitingEnv(game, illegal=illegal, **options)))


class raw_env(Environment, AECEnv):
    """A game without PettingZoo's wrappers; by default an illegal action raises IllegalAction."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        **Environment.metadata,
        "name": "escadaria",
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str = DEFAULT,
        *,
        masks: str = "info",
        max_cycles: int | None = None,
        illegal: str = RAISE,
        **options: Any,
    ) -> None:
        """All other options are those of ``Environment``.

        :param masks: where to return the action mask, one of ``MASKS``.
        :param max_cycles: the number of decisions of all agents after which the match is truncated.
        :raises BadOptions: if there is no such game, option or mode.
        """
        super().__init__(game, illegal=illegal, **options)
        check(masks=(masks, MASKS))
        self.metadata = {**type(self).metadata, "name": f"escadaria_{game}_v{self.game.rules_version}"}
        self.masks, self.max_cycles = masks, max_cycles
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.players)]
        self.np_random, _ = seeding.np_random()

    # Spaces and observations.

    @cached_property
    def state_space(self) -> spaces.Space[Any]:
        return observation_space(self.game)

    @cached_property
    def _spaces(self) -> dict[str, tuple[spaces.Space[Any], spaces.Discrete]]:
        """By agent: of observations, and of actions."""
        found: dict[str, tuple[spaces.Space[Any], spaces.Discrete]] = {}
        for agent in self.possible_agents:
            seen: spaces.Space[Any] = observation_space(self.game)
            if self.masks == "observation":
                legal = spaces.Box(0, 1, (self.choices,), np.int8)
                seen = spaces.Dict({"observation": seen, "action_mask": legal})
            found[agent] = seen, spaces.Discrete(self.choices)
        return found

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._spaces[agent][1]

    def observe(self, agent: str) -> Any:
        seen = observation.vector(self.game, self.position, self.possible_agents.index(agent))
        return seen if self.masks == "info" else {"observation": seen, "action_mask": self.mask(agent)}

    def state(self) -> npt.NDArray[np.float32]:
        """The position from the view of the seat whose turn it is; ``position`` is the game's own object."""
        return observation.vector(self.game, self.position, self.position.turn)

    @property
    def choices(self) -> int:
        """The number of an agent's actions."""
        return len(self.game.actions)

    def mask(self, agent: str) -> npt.NDArray[np.int8]:
        """For each action 1 if it is legal for the agent now, else 0."""
        return self.legal.copy() if agent == self.agent_selection else np.zeros(len(self.legal), np.int8)

    # Playing.

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a match. Without a seed the generator is not reset.

        :param options: ``state`` is a position to start from, as itself or as text.
        :raises InvalidText: if that is not a position of this game.
        :raises BadOptions: if there is another option.
        """
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        given = {name: value for name, value in (options or {}).items() if name != "options"}
        self.start(given)  # PettingZoo's tests pass an option of that name
        self.agent_selection = self.agents[self.position.turn]
        self._inform()

    def prepare(self) -> None:
        self.agents = self.possible_agents[:]
        self._decisions = 0
        self._refusals: dict[str, str] = {}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, then roll the dice until the next decision.

        :raises IllegalAction: if it is not legal, and illegal actions raise; or not an action's number.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        rewards = self.play(action)
        self._decisions += 1
        lost = bool(self.refused) and self.illegal == END
        stopped = self.max_cycles is not None and self._decisions >= self.max_cycles
        if self.over or stopped:
            self.terminations = dict.fromkeys(self.agents, self.over)
            self.truncations = dict.fromkeys(self.agents, lost or not self.over)
            self.legal[:] = 0
        self.agent_selection = self.agents[self.position.turn]
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        if any(rewards):
            self._accumulate_rewards()
        self._refusals.pop(agent, None)
        if self.refused:
            self._refusals[agent] = self.refused
        self._inform()
        if lost:
            EnvLogger.warn_on_illegal_move()
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def roll(self, sides: int) -> int:
        return int(self.np_random.random() * sides)  # faster than ``integers``

    def draw(self, sides: int) -> int:
        return int(self.np_random.integers(sides))

    def _inform(self) -> None:
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if self.masks == "info":
            for agent, info in self.infos.items():
                info["action_mask"] = self.mask(agent)
        for agent, message in self._refusals.items():
            self.infos[agent]["illegal"] = message


class WaitingEnv(raw_env):
    """A game in which agents who wait have a legal action too, the last: the no-op."""

    metadata = {**raw_env.metadata, "is_parallelizable": True}  # noqa: RUF012 - as there

    @property
    def no_op(self) -> int:
        return len(self.game.actions)

    @property
    def choices(self) -> int:
        return self.no_op + 1

    def mask(self, agent: str) -> npt.NDArray[np.int8]:
        legal = super().mask(agent)
        return np.append(legal, np.int8(not legal.any()))

    def refusal(self, action: Any) -> IllegalAction | None:
        if self.action_space(self.agent_selection).contains(action) and action == self.no_op:
            return refusal(self.game, self.position, self.no_op)
        return super().refusal(action)


class OrderedEnv(wrappers.OrderEnforcingWrapper):
    """Checks the order of calls.

    What each step needs is read directly: PettingZoo's wrapper looks up each attribute with
    ``__getattr__``, which takes longer than the game.
    """

    @property
    def agents(self) -> Any:
        return self.env.agents

    @property
    def agent_selection(self) -> Any:
        return self.env.agent_selection

    def last(self, observe: bool = True) -> Any:
        return self.env.last(observe)

    def step(self, action: int | None) -> None:
        if self._has_reset and self.env.agents:
            self._has_updated = True
            self.env.step(action)
        else:
            super().step(action)  # an error or a warning

    def __str__(self) -> str:
        return str(self.env)
