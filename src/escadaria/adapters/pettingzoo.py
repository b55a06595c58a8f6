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
``env.unwrapped.game.actions[i]``. The numbers of an observation are described by
``escadaria.adapters.observation.fields``; it is the whole position from the view of that agent, because
the games are open. The dice come from the environment's own generator, right before a decision: no agent sees
them earlier, and the same seed gives the same dice. The winner is rewarded with 1, which the others pay in
equal parts; before the end there is no reward.

The mask of legal actions is in ``info["action_mask"]``, or with ``masks="observation"`` beside the
observation: ``{"observation": …, "action_mask": …}``. PettingZoo knows both ways. Its ``api_test`` warns of
every observation that is not a bare array, save in a list of its own environments; so that is the default.
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
"""Where the mask of legal actions may be found."""

ILLEGAL = ("end", "random", "raise")
"""What may become of an illegal action: the match ends and the agent has lost it, as PettingZoo's games do; a
random legal one is taken instead; or IllegalAction is raised."""

ILLEGAL_REWARD = -1.0
"""What an agent gets that ends the match by an illegal action: as much as the loser of two."""


def env(game: str = DEFAULT, *, illegal: str = "end", **options: Any) -> AECEnv:
    """A game as PettingZoo's agents play it, one at a time.

    :param game: its name, as ``escadaria.GAMES`` has it.
    :param illegal: what becomes of an illegal action, one of ``ILLEGAL``.
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
    """The same for algorithms that ask every agent in every cycle: only the word of the one to decide counts.

    Its mask is the only one that is not all 0. Options are those of ``env``.
    """
    return turn_based_aec_to_parallel(env(game, illegal=illegal, **options))


def cycling_env(game: str = DEFAULT, **options: Any) -> AECEnv:
    """``parallel_env``, where in each cycle every agent says its word in turn."""
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
        """Options not named here are the game's.

        :param render_mode: ``human`` prints the position, ``ansi`` returns a text, ``rgb_array`` pixels.
        :param masks: where to find the mask of legal actions, one of ``MASKS``.
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

    # What agents see and may do.

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
        """The position as the seat sees it whose turn it is; ``position`` is the game's own."""
        return observation.observe(self.game, self.position, self.position.turn)

    def mask(self, agent: str) -> npt.NDArray[np.int8]:
        """For each action 1 if the agent may do it now, else 0."""
        to_decide = self.game.current_player(self.position)
        if to_decide == TERMINAL or self.possible_agents[to_decide] != agent or self._stopped:
            return np.zeros(len(self.game.actions), np.int8)
        return observation.mask(self.game, self.position)

    # Playing.

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a match; without a seed the dice go on where the last match left them.

        :raises BadOptions: if an option is given: there are none.
        """
        if unknown := set(options or ()) - {"options"}:  # which PettingZoo's own test of environments gives
            raise BadOptions(f"reset has no options, not {', '.join(sorted(map(str, unknown)))}")
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        self.position = self.game.initial_state()
        self._decisions = 0
        self._turn: list[tuple[Any, Any]] = []  # positions of the turn, with what was done there
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._roll()
        self.agent_selection = self.agents[self.position.turn]
        self._inform()

    def step(self, action: int | None) -> None:
        """Let the selected agent do this, and the dice fall until the next one is to decide.

        :raises IllegalAction: if the number is none of an action, or the action is not legal.
        """
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        decision = observation.action_of(self.game, action)
        self._apply(decision)  # refused before anything has changed
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

    # Looking.

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The position as the mode wants it; nothing without one."""
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
        """There is nothing to close."""


class CheckedActions(wrappers.BaseWrapper):
    """Refuses what is not the number of an action, before another wrapper uses it as an index."""

    def step(self, action: int | None) -> None:
        if action is not None:
            observation.action_of(self.unwrapped.game, action)
        super().step(action)


class RandomIfIllegal(wrappers.BaseWrapper):
    """Takes a random legal action where an illegal one is given; the generator is the environment's."""

    def step(self, action: int | None) -> None:
        legal = self.unwrapped.mask(self.agent_selection)
        if action is not None and legal.any() and not legal[action]:
            action = int(self.unwrapped.np_random.choice(np.flatnonzero(legal)))
        super().step(action)
