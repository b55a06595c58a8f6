"""Types of the public API. mypy checks this file too, and fails if a type differs.

An unnecessary `type: ignore` is an error, because `warn_unused_ignores` is part of mypy's strict mode.
"""

from __future__ import annotations

import inspect
from typing import Any, assert_type

import pytest

import escadaria
from escadaria import Game
from escadaria.arena.simulation import Results, simulate
from escadaria.bots import AnyBot, Bot
from escadaria.game import AnyGame
from escadaria.games.chain.rules import Chain
from escadaria.games.chain.rules import State as ChainState
from escadaria.games.rapido.rules import Action, Again, Place, Rapido, Roll, State


def greedy(game: Rapido, state: State) -> Again | Place:
    """A user's bot, as in docs/how-to/bot.md, with types."""
    assert_type(game.finish, int)
    if state.value < 50:
        return Again()
    return Place(max(state.free_fields()))


def cautious(game: AnyGame, state: Any) -> Any:
    """A bot for every game."""
    return game.legal_actions(state)[-1]


def of_chain(game: Chain, state: ChainState) -> Any:
    return game.legal_actions(state)[0]


def test_load_knows_the_game_by_its_name() -> None:
    rapido, chain = escadaria.load("rapido", players=2, finish=8), escadaria.load("chain", board="short")
    assert_type(rapido, Rapido)
    assert_type(chain, Chain)
    assert_type(escadaria.load("rapido".lower()), Game[Any, Any])
    state = rapido.initial_state()
    assert_type(state, State)
    assert_type(rapido.legal_actions(state), tuple[Roll | Again | Place, ...])
    assert_type(rapido.apply(state, rapido.parse("26")), State)
    with pytest.raises(AttributeError):
        chain.apply(state, Again())  # type: ignore[arg-type]
    assert (type(rapido), type(chain)) == (Rapido, Chain)


def test_bots_are_generic_in_game_and_state() -> None:
    game = Rapido(players=2, finish=5)
    typed: Bot[Rapido, State, Action] = greedy
    anyone: AnyBot = greedy
    wrong: Bot[Rapido, State, Action] = of_chain  # type: ignore[assignment]
    results = simulate(game, [typed, cautious], games=4)
    assert_type(results, Results)
    assert results.bots == ("greedy", "cautious") and anyone is typed
    assert callable(wrong)


@pytest.mark.parametrize("game", [Rapido, Chain])
def test_every_method_of_a_game_has_a_docstring(game: type[AnyGame]) -> None:
    """``help(game.apply)`` shows the contract, which is inherited from the protocol."""
    for name, member in inspect.getmembers(game):
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            assert inspect.getdoc(member), name
    made = game()
    assert "IllegalAction" in (inspect.getdoc(made.apply) or "")
    assert "order of ``actions``" in (inspect.getdoc(made.legal_actions) or "")
