"""The games for OpenSpiel (the extra ``openspiel``): importing this registers them.

::

    import pyspiel
    import escadaria.adapters.openspiel

    game = pyspiel.load_game("escadaria_rapido(players=2,finish=10)")
    game = pyspiel.load_game("escadaria_chain", {"players": 4, "board": "short", "balanced": True})

Chance is explicit: outcome number ``i`` is the game's ``i``-th, action number ``i`` is ``actions[i]``.
Parameters are the game's options, and ``horizon``: the length of a match is unlimited, but OpenSpiel needs
a limit, so after ``horizon`` decisions a match ends without a winner. The winner's return is 1, and the
other seats share -1 equally.

``game.new_initial_state(text)`` starts from any position.

``str(state)`` is the position's text. The games have perfect information, so an observation is the whole
position, as text or as the numbers that ``escadaria.adapters.observation.fields`` describes. An information
state is the history as text; it has no tensor, because a history can have any length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

try:
    import pyspiel
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"{missing.name} is not installed: escadaria.adapters.openspiel needs escadaria[openspiel]",
        name=missing.name,
    ) from missing

from escadaria.adapters import observation
from escadaria.adapters.rewards import zero_sum
from escadaria.catalogue import GAMES, kit_of, load
from escadaria.game import CHANCE, TERMINAL, AnyGame, IllegalAction, read_position, refusal

PREFIX = "escadaria_"
"""The prefix of the games' names in OpenSpiel."""

HORIZON = 10_000
"""The default; matches of random players are many times shorter."""


def wrap(rules: AnyGame, horizon: int = HORIZON) -> Game:
    """An OpenSpiel game with these rules. States of a variant that is not registered cannot be pickled."""
    return Game({"horizon": horizon, **rules.options}, rules)


class Game(pyspiel.Game):
    """An OpenSpiel game; ``rules`` is Escadaria's game."""

    def __init__(self, params: Mapping[str, Any], rules: AnyGame) -> None:
        self.rules = rules
        self.horizon: int = params["horizon"]
        start = rules.initial_state()
        outcomes = rules.chance_outcomes(start) or rules.chance_outcomes(
            rules.apply(start, rules.legal_actions(start)[0])
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=len(rules.actions),
            max_chance_outcomes=len(outcomes),
            num_players=rules.players,
            min_utility=-1 / (rules.players - 1),
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.horizon,
        )
        super().__init__(_TYPES[rules.name], info, dict(params))

    def __reduce__(self) -> tuple[Any, ...]:
        return wrap, (self.rules, self.horizon)

    def new_initial_state(self, position: Any = None) -> State:
        """The start of a match, or of the rest of a match from this position, given as itself or as text.

        :raises InvalidText: if it is not a position of this game.
        :raises BadOptions: if the match is over in it.
        """
        return State(self, position)

    def max_chance_nodes_in_history(self) -> int:
        return (self.horizon + 1) * kit_of(self.rules).most_rolls

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        return Observer(self.rules, recall=iig_obs_type is not None and iig_obs_type.perfect_recall)


class State(pyspiel.State):
    """A position, and the number of decisions left until the horizon."""

    def __init__(self, game: Game, position: Any = None) -> None:
        super().__init__(game)
        start = game.rules.initial_state() if position is None else read_position(game.rules, position)
        self._node = Node(game.rules, start, game.horizon)
        self._start = "" if position is None else f"{start} "  # of information states

    @property
    def position(self) -> Any:
        """The game's own position."""
        return self._node.position

    def current_player(self) -> int:
        held = self._node
        return pyspiel.PlayerId.TERMINAL if held.over else held.rules.current_player(held.position)

    def is_terminal(self) -> bool:
        return self._node.over

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(observation.mask(self._node.rules, self._node.position)).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        outcomes = self._node.rules.chance_outcomes(self._node.position)
        return [(number, float(chance)) for number, (_, chance) in enumerate(outcomes)]

    def _apply_action(self, action: int) -> None:
        self._node = self._node.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self._node.action(action, player == pyspiel.PlayerId.CHANCE))

    def returns(self) -> list[float]:
        held = self._node
        return zero_sum(held.rules.outcome(held.position), held.rules.players)

    def __str__(self) -> str:
        return str(self._node)


@dataclass(eq=False, slots=True)
class Node:
    """The immutable content of a state, shared between copies of the state."""

    rules: AnyGame
    position: Any
    left: int
    """The number of decisions until the horizon."""
    over: bool = field(init=False)

    def __post_init__(self) -> None:
        seat = self.rules.current_player(self.position)
        self.over = seat == TERMINAL or (self.left <= 0 and seat != CHANCE)

    def action(self, number: int, chance: bool) -> Any:
        if not chance:
            return observation.action_of(self.rules, number)
        outcomes = self.rules.chance_outcomes(self.position)
        if not 0 <= number < len(outcomes):
            raise IllegalAction(f"outcomes of the dice are 0 to {len(outcomes) - 1}, not {number}")
        return outcomes[number][0]

    def after(self, number: int) -> Node:
        chance = self.rules.current_player(self.position) == CHANCE
        action = self.action(number, chance)
        try:
            after = self.rules.apply(self.position, action)
        except IllegalAction as error:
            raise refusal(self.rules, self.position, number) from error
        return Node(self.rules, after, self.left if chance else self.left - 1)

    def __str__(self) -> str:
        broken_off = self.over and self.rules.outcome(self.position) is None
        return f"{self.position} broken off" if broken_off else str(self.position)

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self


class Observer:
    """An observer for OpenSpiel's ``PyObserver``: ``tensor``, its parts by name (``dict``), and a text."""

    def __init__(self, rules: AnyGame, *, recall: bool) -> None:
        self.recall = recall
        self.tensor: observation.Vector | None = None
        self.dict: dict[str, observation.Vector] = {}
        if not recall:
            sizes = observation.sizes(rules)
            self.tensor = np.zeros(sum(sizes.values()), np.float32)
            ends = np.cumsum(list(sizes.values()))
            self.dict = dict(zip(sizes, np.split(self.tensor, ends[:-1]), strict=True))

    def set_from(self, state: State, player: int) -> None:
        """Fill ``tensor`` and ``dict`` with the state from this player's view."""
        if self.tensor is not None:
            self.tensor[:] = observation.observe(state._node.rules, state.position, player)

    def string_from(self, state: State, player: int) -> str:
        """The position, or the history with perfect recall."""
        seen = state._start + ",".join(map(str, state.history())) if self.recall else str(state)
        return f"player={player} {seen}"


def _type(name: str) -> pyspiel.GameType:
    options = {option.name: option for option in GAMES[name].OPTIONS}
    return pyspiel.GameType(
        short_name=PREFIX + name,
        long_name=name.capitalize(),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=options["players"].low,
        max_num_players=options["players"].high,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **{option.name: option.default for option in options.values()},
            "horizon": HORIZON,
        },
    )


_TYPES = {name: _type(name) for name in GAMES}


def _load(name: str, params: Mapping[str, Any]) -> AnyGame:
    return load(name, **{key: value for key, value in params.items() if key != "horizon"})


def _registered(name: str) -> type[Game]:
    """The class to register for ``pyspiel.load_game``.

    OpenSpiel releases registered objects after the interpreter has shut down. Classes survive that,
    functions do not.
    """

    class Registered(Game):
        def __init__(self, params: Mapping[str, Any]) -> None:
            super().__init__(params, _load(name, params))

    Registered.__name__ = Registered.__qualname__ = f"{name.capitalize()}Game"
    return Registered


_REGISTERED = {name: _registered(name) for name in GAMES}
for _name, _game in _REGISTERED.items():
    pyspiel.register_game(_TYPES[_name], _game)
