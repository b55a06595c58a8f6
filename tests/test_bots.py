"""Bots: they play every game to the end by the rules, see nothing but the position, and stand in order."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

import escadaria
from escadaria import bots
from escadaria.bots import BOTS, Bot, UnknownBot
from escadaria.dice import SeededDice
from escadaria.game import TERMINAL, AnyGame, GameError, play_out

MOST_PLIES = 20_000
"""Far more than any game takes; a bot that goes round in circles is caught."""


def play(game: AnyGame, players: list[Bot], seed: int) -> int:
    """The winner of one game between these, by seat; every decision must be legal."""
    dice, rolls = SeededDice(seed), 0

    def roll(state: Any) -> Any:
        nonlocal rolls
        rolls += 1
        return dice.roll(game.chance_outcomes(state), rolls - 1)

    def decide(state: Any) -> Any:
        action = players[game.current_player(state)](game, state)
        assert action in game.legal_actions(state)
        return action

    state = game.initial_state()
    for plies, (_, after) in enumerate(play_out(game, state, decide, roll), 1):
        state = after
        assert plies < MOST_PLIES
    assert game.current_player(state) == TERMINAL
    outcome = game.outcome(state)
    assert outcome is not None
    return outcome.winner


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("game", escadaria.GAMES)
@pytest.mark.parametrize("bot", BOTS)
def test_every_bot_plays_every_game_to_the_end(bot: str, game: str, players: int) -> None:
    rules = escadaria.load(game, players=players)
    sitting = [bots.load(bot, rules, random.Random(seat)) for seat in range(players)]
    for seed in range(2):
        assert play(rules, sitting, seed) in range(players)


@pytest.mark.parametrize(
    "options",
    [{"finish": 5}, {"finish": 50}, {"board": "short"}, {"board": "long", "balanced": True}, {"board": "18"}],
    ids=str,
)
@pytest.mark.parametrize("bot", BOTS)
def test_every_bot_plays_with_every_option(bot: str, options: dict[str, Any]) -> None:
    rules = escadaria.load("rapido" if "finish" in options else "chain", **options)
    sitting = [bots.load(bot, rules, random.Random(seat)) for seat in range(rules.players)]
    assert play(rules, sitting, 5) in range(rules.players)


@pytest.mark.parametrize("game", escadaria.GAMES)
@pytest.mark.parametrize("weaker, stronger", [*pairwise(BOTS)])
def test_bots_stand_in_the_order_of_their_strength(weaker: str, stronger: str, game: str) -> None:
    rules = escadaria.load(game, players=2)
    games, won = 40, 0
    for seed in range(games):
        seat = seed % 2
        names = [weaker, weaker]
        names[seat] = stronger
        sitting = [bots.load(name, rules, random.Random(seed)) for name in names]
        won += play(rules, sitting, seed // 2) == seat
    assert won >= games * 0.65


@pytest.mark.parametrize("game, players", [("rapido", 4), ("rapido", 6), ("chain", 3)])
def test_the_rule_of_thumb_beats_chance_with_more_players_too(game: str, players: int) -> None:
    rules = escadaria.load(game, players=players)
    games, won = 60, 0
    for seed in range(games):
        seat = seed % players
        sitting = [bots.load("random", rules, random.Random(seed)) for _ in range(players)]
        sitting[seat] = bots.load("simple", rules)
        won += play(rules, sitting, seed) == seat
    assert won >= games * 0.42  # a third would be chance with three players


@pytest.mark.parametrize("game", escadaria.GAMES)
@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_decides_from_the_position_alone(bot: str, game: str) -> None:
    """Whatever came before and whatever dice will fall, a position's text is enough to decide by."""
    rules = escadaria.load(game, players=3)
    state, dice, asked = rules.initial_state(), random.Random(1), 0
    while rules.outcome(state) is None and asked < 60:
        if outcomes := rules.chance_outcomes(state):
            action, _ = dice.choice(outcomes)
        else:
            text = str(state)
            action = bots.load(bot, rules, random.Random(asked))(rules, state)
            stranger = bots.load(bot, rules, random.Random(asked))
            assert stranger(rules, rules.parse_state(text)) == action
            assert str(state) == text
            asked += 1
        state = rules.apply(state, action)
    assert asked > 10


def test_whims_come_from_the_generator_that_is_given() -> None:
    rules = escadaria.load("rapido", players=3)
    first, again, other = (
        [play(rules, [bots.load("random", rules, random.Random(seed))] * 3, game) for game in range(12)]
        for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("name", ["", "Simple", "none", "simple "])
def test_an_unknown_bot_is_named_with_those_there_are(name: str) -> None:
    with pytest.raises(UnknownBot, match=", ".join(BOTS)) as caught:
        bots.load(name, escadaria.load("rapido"))
    assert isinstance(caught.value, GameError)
    assert caught.value.code == "unknown_bot"
    assert repr(name) in str(caught.value)


def test_a_bot_of_ones_own_is_a_function() -> None:
    rules = escadaria.load("rapido", players=2)

    def cautious(game: AnyGame, state: Any) -> Any:
        return game.legal_actions(state)[-1]

    assert play(rules, [cautious, bots.load("simple", rules)], 3) in (0, 1)
