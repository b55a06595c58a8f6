"""Heuristics are measured correctly: turns are worth what solutions say, rules decide as they do readably."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import count, islice

import numpy as np
import pytest

from compute.kernels import GAME, tiny_evaluator, tiny_solution, words
from escadaria import bots
from escadaria.games.chain import heuristics as chain
from escadaria.games.chain.compiled import turns as chain_turns
from escadaria.games.chain.links import (
    FACES,
)
from escadaria.games.chain.positions import (
    Phase,
    State,
)
from escadaria.games.chain.rules import (
    Chain,
    Keep,
    Lengthen,
    Move,
    Roll,
)
from research import chain_heuristics as by_chain
from research.heuristic_search import Family, adopted, search, stages, tuned
from strategies import play_random

# The search.


def toy() -> tuple[Family, tuple[int, ...]]:
    """Three rules: one that must be there, one that helps, one that does harm."""
    places = {"first": (0,), "helps": (1, 2), "harms": (3,)}
    choices = {0: range(20), 1: range(3), 2: range(3), 3: range(1, 3)}
    return Family(places, (0, 0, 0, 0), {}, choices), (13, 2, 1, 0)


def distance(numbers: np.ndarray) -> float:
    return float(np.abs(numbers - np.array(toy()[1])).sum())


def test_a_search_finds_the_rules_that_help_and_their_numbers() -> None:
    family, wanted = toy()
    reported = list[str]()
    rules, names = search(family, distance, distance, 5, 0.5, lambda name, *_: reported.append(name))
    assert rules.tolist() == list(wanted) and names == ["first", "helps"] == reported
    found = stages(family, names, rules, distance, lambda *_: None)
    assert [(stage.rule, stage.loss) for stage in found] == [("first", 3), ("helps", 0)]


def test_rules_that_win_games_are_adopted_the_most_useful_first() -> None:
    places = {"first": (0,), "harms": (1,), "helps": (2,), "helps_more": (3,)}
    family, reported = Family(places, (0, 0, 0, 0), {}, {}), list[str]()

    def wins(numbers: np.ndarray) -> float:
        return float(numbers @ [0.1, -0.05, 0.1, 0.2])

    rules, found = adopted(
        family, list(places), np.ones(4, np.int64), wins, 0.25, lambda name, *_: reported.append(name)
    )
    assert rules.tolist() == [1, 0, 1, 1] and reported == ["no harms", "helps_more", "helps"]
    assert [stage.rule for stage in found] == ["first", "helps_more", "helps"]
    assert [stage.loss for stage in found] == pytest.approx([0.15, -0.05, -0.15])


def test_tuning_changes_only_the_rules_that_are_followed() -> None:
    family, _ = toy()
    assert tuned(family, ["first"], np.array([12, 0, 0, 2]), distance)[1].tolist() == [13, 0, 0, 2]


# Chain.


@cache
def tiny_tables() -> by_chain.GameTables:
    return by_chain.game_tables(GAME, tiny_evaluator())


def chain_states(game: Chain, phase: Phase, number: int) -> Iterator[State]:
    """Of random games."""
    met = (state for seed in count() for _, state in play_random(game, seed) if state.phase is phase)
    return islice(met, 0, 3 * number, 3)


def noted(
    tables: by_chain.GameTables, game: Chain, state: State, work: by_chain.RuleWorkspace
) -> by_chain.Turns:
    """A turn as the lab sees it."""
    turns = by_chain.empty_turns(1)
    by_chain.record_turn(tables, state.turn, *words(game, state), turns, 0, work.workspace)
    return turns


def test_a_turn_of_chain_played_best_is_worth_what_the_solution_says() -> None:
    solution, tables, work = tiny_solution(), tiny_tables(), by_chain.new_rule_workspace(2)
    for state in chain_states(GAME, Phase.KEEP, 20):
        turns = noted(tables, GAME, state, work)
        assert turns.best[0] == pytest.approx(solution.value(state), abs=1e-6)
        for rules in (by_chain.GUESS, *by_chain.BOTS.values()):
            assert by_chain.outlook(tables, np.array(rules), turns, 0, work) < turns.best[0] + 1e-9


def test_rules_of_chain_decide_the_same_compiled() -> None:
    check_decisions(Chain(4))


def tables_of(game: Chain) -> tuple[by_chain.GameTables, by_chain.RuleWorkspace]:
    evaluator = chain_turns.load_evaluator(game, exact=False)
    return by_chain.game_tables(game, evaluator), by_chain.new_rule_workspace(game.players)


def check_decisions(game: Chain) -> None:
    tables, work = tables_of(game)
    rng, family, longer = random.Random(1), by_chain.family(), set[bool]()
    for state in [*chain_states(game, Phase.KEEP, 15), *chain_states(game, Phase.DECIDE, 60)]:
        numbers = list(by_chain.GUESS)
        for place, choices in family.choices.items():
            numbers[place] = rng.choice([chain.NOTHING[place], numbers[place], *choices])
        kept = by_chain.decide(np.array(numbers), noted(tables, game, state, work), 0, work)
        action = chain.decide(numbers, game, state)
        if state.phase is Phase.KEEP:
            assert action == Keep(kept)
            continue
        links = len(state.chain.numbers)
        goes_on = _fits(game, state) >= work.needed[links]
        longer.add(goes_on)
        space = state.free_discs(state.turn)[work.disc[links]]
        assert action == Move(space) or (goes_on and isinstance(action, Lengthen))
        assert isinstance(action, Lengthen) == goes_on
    assert longer == {True, False}


def _fits(game: Chain, state: State) -> int:
    """How many dice of six can be added, in the better direction."""
    return max(
        (
            sum(game.apply(game.apply(state, way), die).turn == state.turn for die in map(Roll, FACES))
            for way in game.legal_actions(state)
            if isinstance(way, Lengthen)
        ),
        default=0,
    )


def test_a_turn_by_rules_ends_as_the_readable_game_says() -> None:
    """Over all dice, by the engine (C9-C14)."""
    game, numbers = Chain(3), list(chain.NOTHING)
    numbers[chain.BASE], numbers[chain.SLOPE] = 3, 2  # no more than five links
    tables, work = tables_of(game)
    ends = dict[tuple[bool, int], float]()

    def play(state: State, chance: float) -> None:
        if state.turn == 1:  # the turn is over
            end = state.discs != start.discs, state.hands[0]
            ends[end] = ends.get(end, 0) + chance
        elif outcomes := game.chance_outcomes(state):
            for die, often in outcomes:
                play(game.apply(state, die), chance * float(often))
        else:
            play(game.apply(state, chain.decide(numbers, game, state)), chance)

    start = game.initial_state()
    play(start, 1.0)
    by_chain.outlook(tables, np.array(numbers), noted(tables, game, start, work), 0, work)
    found = {(True, links): chance for links, chance in enumerate(work.paths.stops) if chance > 0}
    found |= {(False, left): chance for left, chance in enumerate(work.paths.fails) if chance > 0}
    assert found == pytest.approx(ends)


@pytest.mark.parametrize("name", by_chain.BOTS)
def test_bots_follow_the_rules_that_stand_for_them(name: str) -> None:
    game = Chain(4)
    bot, numbers = bots.load(name, game, random.Random(1)), by_chain.BOTS[name]
    states = [*chain_states(game, Phase.DECIDE, 60), *chain_states(game, Phase.KEEP, 10)]
    assert [chain.decide(numbers, game, state) for state in states] == [bot(game, state) for state in states]
