"""The agent of `ppo_gymnasium.ipynb` as a bot, for `arena`, `simulate` and `benchmark`:

    escadaria benchmark examples.ppo_bot:ppo --game rapido --players 2 --games 100

It has learned Rapido for two. The notebook stores it in `ppo_rapido.npz`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from escadaria.adapters import observation
from examples.policy import Policy

_policy = Policy.load(Path(__file__).with_name("ppo_rapido.npz"))


def ppo(game: Any, state: Any) -> Any:
    """The most probable action."""
    seen = observation.observe(game, state, game.current_player(state))
    return game.actions[_policy.best(seen, observation.mask(game, state))]
