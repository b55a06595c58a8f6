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
    from pettingzoo.utils.conversions import parallel_to_aec
    from pettingzoo.utils.env_logger import EnvLogger
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{missing.name} is not installed: escadaria.adapters.pettingzoo needs escadaria[pettingzoo]",
        name=missing.name,
    ) from missing

from escadaria.adapters import observation, rendering
from escadaria.adapters.rewards import ILLEGAL, ILLEGAL_REWARD, ZERO_SUM, Potential, Rewards, check
from escadaria.catalogue import DEFAULT, load
from escadaria.dice import equal_shares
from escadaria.game import CHANCE, TERMINAL, BadOptions, IllegalAction, read_position, refusal

if TYPE_CHECKING:
    import numpy.typing as npt

MASKS = ("info", "observation")
"""Where the action mask is returned."""


def env(game: str = DEFAULT, *, illegal: str = "end", **options: Any) -> AECEnv:
    """A game as an AEC environment that checks actions and the order of calls, as PettingZoo's games do.

    :param game: its name in ``escadaria.GAMES``.
    :param illegal: how illegal actions are handled, one of ``ILLEGAL``.
    :param options: those of ``raw_env``.
    :raises BadOptions: if there is no such game or option.
    """
    check(illegal=(illegal, ILLEGAL))
    return CheckedEnv(raw_env(game, **options), illegal)


def cycling_env(game: str = DEFAULT, **options: Any) -> AECEnv:
    """``parallel_env`` as an AEC environment, in which every agent acts once per cycle."""
    return parallel_to_aec(parallel_env(game, **options))


class raw_env(AECEnv):
    """A game without PettingZoo's wrappers: an illegal action raises IllegalAction."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo has it on the class and on the instance
        "name": "escadaria",
        "render_modes": list(rendering.MODES),
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
        reward: str | Potential = ZERO_SUM,
        discount: float = 1.0,
        **options: Any,
    ) -> None:
        """All other options are the game's.

        :param render_mode: ``human`` prints the position, ``ansi`` returns a text, ``rgb_array`` pixels.
        :param masks: where to return the action mask, one of ``MASKS``.
        :param max_cycles: the number of decisions of all agents after which the match is truncated.
        :param reward: one of ``rewards.REWARDS``, or a function from a position to a value for each seat that
            shapes zero-sum rewards.
        :param discount: the learner's for one decision, for rewards by a potential.
        :raises BadOptions: if there is no such game, option or mode.
        """
        super().__init__()
        check(render_mode=(render_mode, (None, *rendering.MODES)), masks=(masks, MASKS))
        self.game = load(game, **options)
        self._rewards = Rewards(self.game, reward, discount)
        self.metadata = {**raw_env.metadata, "name": f"escadaria_{game}_v{self.game.rules_version}"}
        self.render_mode = render_mode
        self.masks = masks
        self.max_cycles = max_cycles
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.players)]
        self.np_random, _ = seeding.np_random()
        self.refusals: dict[str, str] = {}
        """Why the last action of an agent was not legal, by agent: filled in by ``env``."""
        self._outcomes: Any = None
        self._shares: Any = None

    # Spaces and observations.

    @cached_property
    def state_space(self) -> spaces.Box:
        return spaces.Box(0, 1, (sum(observation.sizes(self.game).values()),), np.float32)

    @cached_property
    def _spaces(self) -> dict[str, tuple[spaces.Space[Any], spaces.Discrete]]:
        return {agent: _spaces(self, len(self.game.actions)) for agent in self.possible_agents}

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
        if unknown := set(options or ()) - {"state", "options"}:  # PettingZoo's api_test passes that one
            raise BadOptions(f"reset has the option state, not {', '.join(sorted(map(str, unknown)))}")
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        given = (options or {}).get("state")
        start = self.game.initial_state() if given is None else read_position(self.game, given)
        self._decisions = 0
        self.refusals = {}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        while True:  # until the dice do not end the match before the first decision
            self.position = start
            self._turn: list[tuple[Any, Any]] = []  # positions and actions of the current turn
            self._roll()
            if self.game.current_player(self.position) != TERMINAL:
                break
        self._rewards.begin(self.position)
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
        try:
            self._apply(decision)
        except IllegalAction as error:
            raise refusal(self.game, self.position, self.game.actions.index(decision)) from error
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._decisions += 1
        self._roll()
        outcome = self.game.outcome(self.position)
        rewards = self._rewards.after(self.position, outcome)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if outcome is not None or self._stopped:
            self.terminations = dict.fromkeys(self.agents, outcome is not None)
            self.truncations = dict.fromkeys(self.agents, outcome is None)
        self.agent_selection = self.agents[self.position.turn]
        if any(rewards):
            self.rewards.update(zip(self.agents, rewards, strict=True))
            self._accumulate_rewards()
        self._inform()
        if self.render_mode == "human":
            self.render()

    def end(self, reward: float) -> None:
        """End the match by an illegal action of the selected agent, who gets this reward."""
        EnvLogger.warn_on_illegal_move()
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = {**dict.fromkeys(self.agents, 0.0), self.agent_selection: reward}
        self._accumulate_rewards()
        self._inform()
        self.legal[:] = 0
        self._deads_step_first()

    @property
    def _stopped(self) -> bool:
        return self.max_cycles is not None and self._decisions >= self.max_cycles

    def _roll(self) -> None:
        game = self.game
        while game.current_player(self.position) == CHANCE:
            outcomes = game.chance_outcomes(self.position)
            if outcomes is not self._outcomes:
                self._outcomes, self._shares = outcomes, equal_shares(outcomes)
            number = int(self.np_random.random() * len(self._shares))  # faster than ``integers``
            self._apply(self._shares[number][0])

    def _apply(self, action: Any) -> None:
        after = self.game.apply(self.position, action)
        if after.turn == self.position.turn:
            self._turn.append((self.position, action))
        else:
            self._turn = []
        self.position = after

    def _inform(self) -> None:
        self.legal = observation.mask(self.game, self.position)  # all 0 when the match is over
        if self._stopped:
            self.legal[:] = 0
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if self.masks == "info":
            for agent, info in infos.items():
                info["action_mask"] = self.mask(agent)
        for agent, message in self.refusals.items():
            infos[agent]["illegal"] = message
        self.infos = infos

    # Rendering.

    def render(self) -> Any:
        """Render the position in the render mode; None without one."""
        return rendering.render(self.render_mode, self.game, self.position, self._turn)

    def close(self) -> None:
        """Nothing to close."""


class parallel_env(ParallelEnv):
    """A game as a parallel environment: all agents act in every cycle, and those who wait do nothing.

    The last action, number ``len(game.actions)``, is the no-op. It is the only legal one for agents who wait,
    and not legal for the agent to move, so no mask is all 0.
    """

    def __init__(self, game: str = DEFAULT, *, illegal: str = "random", **options: Any) -> None:
        """Options are those of ``env``; a cycle is one decision."""
        check(illegal=(illegal, ILLEGAL))
        self.illegal = illegal
        self.turns = raw_env(game, **options)
        """The same match turn by turn."""
        self.game, self.metadata = self.turns.game, {**self.turns.metadata, "is_parallelizable": True}
        self.render_mode, self.possible_agents = self.turns.render_mode, self.turns.possible_agents
        self.state_space = self.turns.state_space
        self.no_op = len(self.game.actions)

    @cached_property
    def _spaces(self) -> dict[str, tuple[spaces.Space[Any], spaces.Discrete]]:
        number = self.no_op + 1
        return {agent: _spaces(self.turns, number) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._spaces[agent][1]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a match; see ``raw_env.reset``."""
        self.turns.reset(seed, options)
        self.agents = self.possible_agents[:]
        return self._seen()

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent to move, then roll the dice until the next decision.

        :raises IllegalAction: if an action is not legal, and such actions raise; or not an action's number;
            or its agent does not play.
        """
        for agent in actions:
            if agent not in self.agents:
                playing = f"agents are {', '.join(self.agents)}" if self.agents else "the match is over"
                raise IllegalAction(f"there is no agent {agent!r}: {playing}")
        if not self.agents:
            return {}, {}, {}, {}, {}  # as PettingZoo's own environments do
        legal = {agent: self.mask(agent) for agent in self.agents}
        chosen = dict(actions)
        for agent in self.agents:
            if not self.action_space(agent).contains(chosen.get(agent)):
                raise IllegalAction(f"actions of {agent} are 0 to {self.no_op}, not {chosen.get(agent)!r}")
        wrong = {
            agent: self._refusal(agent, chosen[agent])
            for agent in self.agents
            if not legal[agent][chosen[agent]]
        }
        if wrong and self.illegal == "raise":
            raise next(iter(wrong.values()))
        if wrong and self.illegal == "end":
            rewards = {agent: ILLEGAL_REWARD if agent in wrong else 0.0 for agent in self.agents}
            ended, never = dict.fromkeys(self.agents, True), dict.fromkeys(self.agents, False)
            return self._result(rewards, ended, never, wrong)
        acting = self.turns.agent_selection
        if acting in wrong:
            chosen[acting] = int(self.turns.np_random.choice(np.flatnonzero(legal[acting])))
        self.turns.step(chosen[acting])
        return self._result(self.turns.rewards, self.turns.terminations, self.turns.truncations, wrong)

    def mask(self, agent: str) -> npt.NDArray[np.int8]:
        """For each action and the no-op 1 if it is legal for the agent now, else 0."""
        legal = self.turns.mask(agent)
        return np.append(legal, np.int8(not legal.any()))

    def state(self) -> npt.NDArray[np.float32]:
        """See ``raw_env.state``."""
        return self.turns.state()

    def render(self) -> Any:
        return self.turns.render()

    def close(self) -> None:
        """Nothing to close."""

    def _refusal(self, agent: str, action: int) -> IllegalAction:
        position = self.turns.position
        if agent == self.turns.agent_selection and action != self.no_op:
            return refusal(self.game, position, action)
        what = "is to move, the no-op" if action == self.no_op else f"waits, action {action}"
        return IllegalAction(f"{agent} {what} is not legal: {position}")

    def _result(
        self,
        rewards: dict[str, float],
        terminated: dict[str, bool],
        truncated: dict[str, bool],
        wrong: dict[str, IllegalAction],
    ) -> tuple[dict[str, Any], ...]:
        seen, infos = self._seen()
        for agent, error in wrong.items():
            infos[agent]["illegal"] = str(error)
        if any(terminated.values()) or any(truncated.values()):
            self.agents = []
        return seen, dict(rewards), dict(terminated), dict(truncated), infos

    def _seen(self) -> tuple[dict[str, Any], dict[str, Any]]:
        masks = {agent: self.mask(agent) for agent in self.agents}
        views = {
            agent: observation.vector(self.game, self.turns.position, seat)
            for seat, agent in enumerate(self.agents)
        }
        if self.turns.masks == "info":
            return views, {agent: {"action_mask": mask} for agent, mask in masks.items()}
        both = {agent: {"observation": views[agent], "action_mask": masks[agent]} for agent in self.agents}
        return both, {agent: {} for agent in self.agents}


def _spaces(env: raw_env, actions: int) -> tuple[spaces.Space[Any], spaces.Discrete]:
    """The spaces of one agent: of observations, and of this number of actions."""
    seen: spaces.Space[Any] = spaces.Box(0, 1, env.state_space.shape, np.float32)
    if env.masks == "observation":
        legal = spaces.Box(0, 1, (actions,), np.int8)
        seen = spaces.Dict({"observation": seen, "action_mask": legal})
    return seen, spaces.Discrete(actions)


class CheckedEnv(wrappers.OrderEnforcingWrapper):
    """Checks the order of calls, and handles illegal actions.

    One wrapper, and what each step needs is read directly: PettingZoo's wrappers look up each attribute
    through all wrappers, which takes longer than the game.
    """

    def __init__(self, env: raw_env, illegal: str) -> None:
        super().__init__(env)
        self.illegal = illegal

    @property
    def agents(self) -> Any:
        return self.env.agents

    @property
    def agent_selection(self) -> Any:
        return self.env.agent_selection

    def last(self, observe: bool = True) -> Any:
        return self.env.last(observe)

    def step(self, action: int | None) -> None:
        if action is not None and self._has_reset:
            observation.action_of(self.env.game, action)
            legal, agent = self.env.legal, self.env.agent_selection
            self.env.refusals.pop(agent, None)
            if not legal[action] and legal.any() and self.illegal != "raise":
                self.env.refusals[agent] = str(refusal(self.env.game, self.env.position, int(action)))
                if self.illegal == "end":
                    self._has_updated = True
                    self.env.end(ILLEGAL_REWARD)
                    return
                action = int(self.env.np_random.choice(np.flatnonzero(legal)))
        if self._has_reset and self.env.agents:
            self._has_updated = True
            self.env.step(action)
        else:
            super().step(action)  # an error or a warning

    def __str__(self) -> str:
        return str(self.env)
