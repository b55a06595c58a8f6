"""Bots: they play legally, use only the position, and the levels are ordered by strength."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import escadaria
from escadaria import bots, solutions
from escadaria.arena.simulation import simulate
from escadaria.bots import BOTS, AnyBot, UnknownBot
from escadaria.bots.evaluating import Master
from escadaria.catalogue import KITS
from escadaria.game import AnyGame, GameError, play_out
from escadaria.games.chain.rules import Chain, Keep
from escadaria.games.rapido.rules import Again, Place, Rapido
from escadaria.kit import Kit
from strategies import Walk, walks

RULES = [
    *(Rapido(players, finish) for players, finish in ((2, 14), (3, 11), (4, 8), (5, 6), (6, 5))),
    *(Chain(2, "short"), Chain(3), Chain(4, "18"), Chain(5, "long", balanced=True), Chain(6)),
]

EVERY = [(name, bot) for name, kit in KITS.items() for bot in bots.names(kit)]
"""Every bot, with each game that it plays."""

pytestmark = pytest.mark.usefixtures("no_solution")

MOST_PLIES = 20_000
"""Far more than any game takes, to detect a bot that never ends a game."""


def play(game: AnyGame, players: list[AnyBot], seed: int) -> int:
    """The winner of one game between these, by seat; every decision must be legal."""
    dice = random.Random(seed)

    def roll(state: Any) -> Any:
        return dice.choice(game.chance_outcomes(state))[0]

    def decide(state: Any) -> Any:
        action = players[game.current_player(state)](game, state)
        assert action in game.legal_actions(state)
        return action

    plies = list(islice(play_out(game, game.initial_state(), decide, roll), MOST_PLIES))
    outcome = game.outcome(plies[-1][1])
    assert outcome is not None
    return outcome.winner


@pytest.mark.parametrize("game", RULES, ids=str)
@pytest.mark.parametrize("bot", BOTS)
def test_every_bot_plays_every_game_to_the_end(bot: str, game: AnyGame) -> None:
    sitting = [bots.load(bot, game, random.Random(seat)) for seat in range(game.players)]
    assert play(game, sitting, seed=5) in range(game.players)


@pytest.mark.parametrize("lineup", [["simple", "random"], ["master", "tourist", "tourist"]], ids=str)
@pytest.mark.parametrize("game", escadaria.GAMES)
def test_a_stronger_bot_wins_more_than_its_share(game: str, lineup: list[str]) -> None:
    results = simulate(escadaria.load(game, players=len(lineup)), lineup, 300, seed=1, workers=1)
    assert results.by_bot[0].interval[0] > 1 / len(lineup)


@pytest.mark.parametrize("game, bot", EVERY)
def test_a_bot_decides_from_the_position_alone(game: str, bot: str) -> None:
    """A bot that has played before decides like a new one that reads the position's text."""
    rules = escadaria.load(game, players=3)
    state, dice, noise = rules.initial_state(), random.Random(1), random.Random()
    known = bots.load(bot, rules, noise)
    for asked in range(10):
        while outcomes := rules.chance_outcomes(state):
            state = rules.apply(state, dice.choice(outcomes)[0])
        text = str(state)
        noise.seed(asked)
        action = known(rules, state)
        stranger = bots.load(bot, rules, random.Random(asked))
        assert stranger(rules, rules.parse_state(text)) == action
        assert str(state) == text
        state = rules.apply(state, action)


def test_noise_comes_from_the_given_generator() -> None:
    rules = escadaria.load("rapido", players=3)
    first, again, other = (
        [play(rules, [bots.load("random", rules, random.Random(seed))] * 3, game) for game in range(12)]
        for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("name", ["", "Simple", "none", "simple "])
def test_the_error_for_an_unknown_bot_lists_the_bots(name: str) -> None:
    with pytest.raises(UnknownBot, match=", ".join(BOTS)) as caught:
        bots.load(name, escadaria.load("rapido"))
    assert isinstance(caught.value, GameError)
    assert caught.value.code == "unknown_bot"
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize("bot", BOTS)
def test_a_game_without_bots_of_its_own_is_played_by_rollouts(
    bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "kit_of", lambda game: Kit(game=type(game)))
    rules = escadaria.load("rapido", players=2, finish=5)
    loaded = bots.load(bot, rules, random.Random(1))
    assert getattr(loaded, "source", "") == ("" if bot == "random" else "rollouts")
    assert play(rules, [loaded, bots.load("random", rules, random.Random(2))], 3) in (0, 1)


def test_rollouts_beat_random(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "kit_of", lambda game: Kit(game=type(game)))
    rules = escadaria.load("rapido", players=2, finish=5)
    sitting = [bots.load(bot, rules, random.Random(1)) for bot in ("expert", "random")]
    assert sum(play(rules, sitting, seed) == 0 for seed in range(40)) > 26


# The levels.


@given(walks(max_length=120), st.sampled_from(bots.LEVELS))
@settings(max_examples=100, deadline=None)
def test_levels_play_legal_actions_in_every_position(walk: Walk, level: str) -> None:
    game, state = walk.game, walk.state
    if game.legal_actions(state):
        bot = bots.load(level, game, random.Random(1))
        assert bot(game, state) in game.legal_actions(state)


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("name", escadaria.GAMES)
def test_an_expert_is_a_master_with_noise(name: str, players: int) -> None:
    game = escadaria.load(name, players=players)
    master, expert = (bots.load(level, game, random.Random(1)) for level in ("master", "expert"))
    state, dice = game.initial_state(), random.Random(players)
    same = asked = 0
    while asked < 30:
        if outcomes := game.chance_outcomes(state):
            state = game.apply(state, dice.choice(outcomes)[0])
        elif game.outcome(state):
            state = game.initial_state()
        else:
            action = master(game, state)
            same += action == expert(game, state)
            asked += 1
            state = game.apply(state, action)
    assert 10 <= same < 30


KEPT = "turn=0 phase=keep hands=4,3 pool=9 discs=3+20,4+15 stacks=3:0,4:1,15:1,20:0 chain=-/0/open loose=-"


@pytest.mark.parametrize(
    "game, position, worst",
    [
        (Rapido(2), "turn=0 phase=decide value=76 steps=3,4 tower=5:1:10", Again()),
        (Chain(2), KEPT, Keep(1)),
    ],
    ids=["rapido", "chain"],
)
def test_the_master_plays_by_the_exact_solution_if_there_is_one(
    game: AnyGame, position: str, worst: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The master plays the best action of the solution, here a bad one with a high value."""
    shipped = bots.load("master", game)
    assert isinstance(shipped, Master) and shipped.source == "shipped values"

    class Odd:
        def action_values(self, state: Any) -> dict[Any, float]:
            return {action: action == worst for action in game.legal_actions(state)}

    monkeypatch.setattr(solutions, "find", lambda game: Odd())
    exact = bots.load("master", game)
    assert isinstance(exact, Master) and exact.source == "exact solution"
    state = game.parse_state(position)
    assert exact(game, state) == worst != shipped(game, state)


# Rapido's levels.


def test_a_regular_throws_out_if_it_can() -> None:
    game = Rapido(3)
    state = game.parse_state("turn=0 phase=decide value=62 steps=3,4,5 tower=4:1:50,5:2:61")
    action = bots.load("regular", game)(game, state)
    assert [fact.kind for fact in game.facts(state, action)].count("threw_out") == 2


@pytest.mark.parametrize(
    "decision, field", [("62 steps=3,4,5 tower=3:2:70,4:1:50", 2), ("43 steps=3,4,5 tower=4:1:50", 5)]
)
def test_a_tourist_mostly_throws_out_and_else_places_high_values_on_high_fields(
    decision: str, field: int
) -> None:
    """Field 5 is free both times, but in the first position it throws nobody out (R14)."""
    game = Rapido(3)
    state = game.parse_state(f"turn=0 phase=decide value={decision}")
    tourist = bots.load("tourist", game, random.Random(2))
    actions = [tourist(game, state) for _ in range(200)]
    assert set(actions) == {Place(field), Again()}
    assert actions.count(Place(field)) > 150
