"""The games as Gymnasium environments (the extra ``gymnasium``): one seat plays against bots.

::

    import gymnasium
    import escadaria.adapters.gymnasium

    env = gymnasium.make("escadaria/Rapido-v1", opponents=["regular"], players=3)
    seen, info = env.reset(seed=7)
    seen, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

Importing this module registers all games of the catalogue; the version is that of the rules. Gymnasium 1.0
removed the entry points of plug-ins, but it imports a module that the id names:
``gymnasium.make("escadaria.adapters.gymnasium:escadaria/Chain-v1")``.

``gymnasium.make_vec(id, num_envs=1024, ...)`` steps many games together, by compiled code with the extra
``lab``. Environment ``i`` plays the games that a single environment plays with the seed ``seed + i``.

*Observations* are the position from the view of the seat, as numbers from 0 to 1;
``escadaria.adapters.observation.fields`` describes them. An action is a number: ``i`` is
``env.unwrapped.game.actions[i]``. A step carries out the action, the dice after it, and the opponents' turns
until the seat decides again. A match whose opponents win before the first decision is not counted: the next
one begins.

*Masks*: ``info["action_mask"]`` has 1 for every legal action, and ``action_masks()`` is the same as bools, as
MaskablePPO of sb3-contrib expects it. When a match is over, all actions count as legal.

*Illegal actions*: ``info["illegal"]`` says why the action of this step was not legal; after a legal one it is
absent. The match ends by it, or a random legal action is played instead.

*Rewards*: 1 for a win and -1 / (players - 1) for a loss at the end; other kinds: ``rewards.REWARDS``.

*Options of reset*: ``options={"state": …}`` starts from a position, given as itself or as text. If it is an
opponent's turn there, the opponents play first. A vector environment also takes ``reset_mask``, and a
compiled one a position for each environment.

*Seeds*: the same seed gives the same matches. A further ``reset`` without a seed goes on to the next match.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.error import ResetNeeded
    from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
    from gymnasium.vector.utils import batch_space
    from gymnasium.wrappers import TimeLimit
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{missing.name} is not installed: escadaria.adapters.gymnasium needs escadaria[gymnasium]",
        name=missing.name,
    ) from missing

from escadaria.adapters import observation, rendering
from escadaria.adapters.environment import Environment, check_options, observation_space
from escadaria.adapters.rewards import END, RANDOM, check
from escadaria.arena.simulation import DICE, NOISE, Stream
from escadaria.bots import AnyBot, make
from escadaria.catalogue import DEFAULT, GAMES, load
from escadaria.game import AnyGame, BadOptions

NAMESPACE = "escadaria"

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Observations = observation.Vector
"""One, or a row for each environment."""


class SeatEnv(Environment, gymnasium.Env[Observations, np.int64]):
    """One seat of a match against bots."""

    def __init__(
        self,
        game: str = DEFAULT,
        *,
        opponents: str | Sequence[str | AnyBot] = ("regular",),
        seat: int | str = 0,
        **options: Any,
    ) -> None:
        """All other options are those of ``Environment``.

        :param opponents: names or import paths of bots, or functions that decide, clockwise from the seat;
            they repeat if there are fewer than other seats.
        :param seat: a number from 0, or ``random``.
        :raises BadOptions: if there is no such game or option.
        :raises UnknownBot: if there is no such bot.
        """
        super().__init__(game, **options)
        check(seat=(seat, (*range(self.game.players), RANDOM)))
        self.seat = 0 if seat == RANDOM else int(seat)
        """The seat that decides."""
        self._drawn = seat == RANDOM
        self._dice, self._noise = Stream(), Stream()
        self._opponents = [make(bot, self.game, self._noise) for bot in _others(self.game, opponents)]
        self.observation_space = observation_space(self.game)
        self.action_space = spaces.Discrete(len(self.game.actions))
        self._seed: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or self._seed is None:
            self._seed, self._number = self.np_random_seed, -1
        self.start(options)
        return self._seen()

    def step(self, action: SupportsInt) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Play an action, then the dice and the opponents until the next decision.

        :raises IllegalAction: if it is not legal, and illegal actions raise; or not an action's number.
        """
        if self.over:
            raise ResetNeeded("the match is over: call reset")
        reward = self.play(action)[self.seat]
        seen, info = self._seen()
        if self.refused:
            info["illegal"] = self.refused
        return seen, reward, self.over, False, info

    def action_masks(self) -> Bools:
        """For each action whether it is legal now; when the match is over, all are."""
        return np.ones(len(self.legal), np.bool_) if self.over else self.legal.astype(np.bool_)

    def roll(self, sides: int) -> int:
        return self._dice.below(sides)

    def draw(self, sides: int) -> int:
        return self._noise.below(sides)

    def prepare(self) -> None:
        """Go on to the next match of the seed."""
        assert self._seed is not None
        self._number += 1
        self._dice.start(self._seed, self._number, DICE)
        self._noise.start(self._seed, self._number, NOISE)
        if self._drawn:
            self.seat = self._noise.below(self.game.players)
        after = range(self.seat + 1, self.seat + self.game.players)
        self.bots = {seat % self.game.players: bot for seat, bot in zip(after, self._opponents, strict=True)}

    def _seen(self) -> tuple[Observations, dict[str, Any]]:
        if self.render_mode == "human":
            self.render()
        seen = observation.vector(self.game, self.position, self.seat)
        return seen, {"action_mask": self.action_masks().astype(np.int8)}


def vector_env(
    num_envs: int = 1,
    game: str = DEFAULT,
    *,
    opponents: str | Sequence[str | AnyBot] = ("regular",),
    **options: Any,
) -> SeatVectorEnv | SeatSyncVectorEnv:
    """Many environments, which step together; ``gymnasium.make_vec`` calls this.

    Compiled code plays if the extra ``lab`` is installed and all opponents are compiled; else every
    environment is a ``SeatEnv``, with the same matches for the same seeds.

    :param options: those of ``SeatVectorEnv``.
    """
    kind = SeatVectorEnv if _are_compiled(load(game), opponents) else SeatSyncVectorEnv
    return kind(num_envs, game, opponents=opponents, **options)


class SeatVectorEnv(VectorEnv[Observations, Any, npt.NDArray[Any]]):
    """Many matches of one seat against compiled bots."""

    def __init__(
        self,
        num_envs: int,
        game: str = DEFAULT,
        *,
        opponents: str | Sequence[str | AnyBot] = ("regular",),
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        copy: bool = True,
        **options: Any,
    ) -> None:
        """The other options are those of ``SeatEnv``.

        :param opponents: names of compiled bots.
        :param autoreset_mode: when an environment whose match is over begins the next one.
        :param max_episode_steps: the number of steps after which a match is truncated.
        :param copy: whether each step returns fresh arrays, or the same ones, which cannot be written to.
        """
        from escadaria.compute.batch import Batch

        playing = {name: options.pop(name) for name in _OF_BATCHES if name in options}
        self.game, self.num_envs, self.render_mode = load(game, **options), num_envs, render_mode
        modes, mode = [mode for mode in rendering.MODES if mode != "human"], AutoresetMode(autoreset_mode)
        check(render_mode=(render_mode, (None, *modes)))
        self.metadata = {"autoreset_mode": mode, "render_modes": modes, "render_fps": 2}
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = spaces.Discrete(len(self.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        base, self._begun = self.np_random_seed or 0, False
        self.batch = Batch(
            self.game,
            num_envs,
            [base + place for place in range(num_envs)],
            bots=[str(bot) for bot in _others(self.game, opponents)],
            autoreset=mode.value,
            max_steps=max_episode_steps,
            copy=copy,
            **{"illegal": END, **playing},
        )

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin new matches; ``options["reset_mask"]`` says where, by default everywhere.

        :param seed: environment ``i`` gets ``seed + i``, or its own of a list. Without one it goes on to the
            next match of its seed.
        """
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seed = [int(seed) + place for place in range(self.num_envs)]
        given = check_options(options, ("state", "reset_mask"))
        mask = given.get("reset_mask")
        if mask is not None and (getattr(mask, "dtype", None) != np.bool_ or not mask.any()):
            raise BadOptions(f"reset_mask must be an array of bools, one of them True, not {mask!r}")
        step = self.batch.reset(None if seed is None else list(seed), mask=mask, state=given.get("state"))
        self._begun = True
        return step.observation, self._info(step.mask)

    def step(self, actions: Any) -> tuple[Observations, Floats, Bools, Bools, dict[str, Any]]:
        """Play an action in each environment. :raises IllegalAction: as ``SeatEnv.step`` does."""
        if not self._begun:
            raise ResetNeeded("call reset before the first step")
        seats = self.batch.seat.copy()
        step = self.batch.step(actions)
        reward = step.reward[np.arange(self.num_envs), seats].astype(np.float64)
        info = self._info(step.mask)
        illegal = {
            place: {"illegal": message.removeprefix(f"game {place}, ")}  # as a single environment says it
            for place, message in self.batch.refusals.items()
        }
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP:
            ended = np.flatnonzero(step.done | step.truncated).tolist()
            for place, seen, mask in zip(ended, step.final_observation, step.final_mask, strict=True):
                final = {"action_mask": mask, **illegal.pop(place, {})}
                info = self._add_info(info, {"final_obs": seen, "final_info": final}, place)
        for place, message in illegal.items():
            info = self._add_info(info, message, place)
        return step.observation, reward, step.done, step.truncated, info

    def action_masks(self) -> Bools:
        """By environment and action: whether it is legal now."""
        return self.batch.mask.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """The picture of each environment in the render mode; None without one."""
        if self.render_mode is None:
            return None
        positions = map(self.batch.position, range(self.num_envs))
        return tuple(rendering.render(self.render_mode, self.game, position) for position in positions)

    def _info(self, mask: npt.NDArray[np.int8]) -> dict[str, Any]:
        return {"action_mask": mask, "_action_mask": np.ones(self.num_envs, np.bool_)}


class SeatSyncVectorEnv(SyncVectorEnv):
    """Many environments, one after the other: for opponents or games that are not compiled."""

    def __init__(
        self,
        num_envs: int,
        game: str = DEFAULT,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        copy: bool = True,
        **options: Any,
    ) -> None:
        """The other options are those of ``SeatEnv``."""

        def single() -> gymnasium.Env[Any, Any]:
            env = SeatEnv(game, **options)
            return env if max_episode_steps is None else TimeLimit(env, max_episode_steps)

        super().__init__([single] * num_envs, copy=copy, autoreset_mode=autoreset_mode)

    def action_masks(self) -> Bools:
        """By environment and action: whether it is legal now."""
        return np.stack(self.call("action_masks"))


_OF_BATCHES = ("seat", "reward", "discount", "illegal")
"""The options of ``SeatEnv`` that a batch takes too."""


def _others(game: AnyGame, opponents: str | Sequence[str | AnyBot]) -> list[str | AnyBot]:
    """A bot for each other seat, clockwise."""
    given = [opponents] if isinstance(opponents, str) else list(opponents)
    if not 1 <= len(given) < game.players:
        raise BadOptions(f"{game.players} players take 1 to {game.players - 1} opponents, not {len(given)}")
    return [given[after % len(given)] for after in range(game.players - 1)]


def _are_compiled(game: AnyGame, opponents: str | Sequence[str | AnyBot]) -> bool:
    if find_spec("numba") is None:
        return False
    from escadaria.compute.batch import compiled_bots

    known = compiled_bots(game)
    given = [opponents] if isinstance(opponents, str) else opponents
    return all(isinstance(bot, str) and bot in known for bot in given)


def _register() -> None:
    for name, game in GAMES.items():
        gymnasium.register(
            f"{NAMESPACE}/{name.capitalize()}-v{game.rules_version}",
            entry_point=f"{__name__}:SeatEnv",
            vector_entry_point=f"{__name__}:vector_env",
            kwargs={"game": name},
        )


_register()
