"""Heuristics of Rapido; those of both games on a cluster, over many games, and their charts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from compute.clusters import local_cluster
from compute.kernels import GAME, positions, row_of
from compute.test_rapido_values import exact as exact
from escadaria.arena.batches import dask_client
from escadaria.games.chain import heuristics as chain
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido import heuristics as rapido
from escadaria.games.rapido.compiled.turns import model, new_workspace, plan
from escadaria.games.rapido.rules import VALUES, Again, Phase, Place, Rapido, State
from learning.test_heuristic_search import check_decisions, distance, tiny_tables, toy
from research import chain_heuristics as by_chain
from research import rapido_heuristics as by_rapido
from research.heuristic_search import adopted, search
from research.rapido_training import expected


def test_a_cluster_of_two_workers_finds_the_same_rules() -> None:
    pytest.importorskip("distributed")
    (family, _), quiet = toy(), lambda *_: None
    here = search(family, distance, distance, 5, 0.5, quiet)
    asked = list[int]()
    with local_cluster(workers=2) as address, dask_client(address) as client:

        def run(task: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
            futures = client.map(task, [*items], pure=False)
            asked.append(len(futures))
            found: list[Any] = client.gather(futures)
            return found

        there = search(family, distance, distance, 5, 0.5, quiet, run)
        wins = adopted(family, ["first", "helps", "harms"], there[0], distance, 1.0, quiet, run)
    assert asked[:3] == [1, 2, 1], "all rules that are left are tried together"
    assert there[0].tolist() == here[0].tolist() and there[1] == here[1]
    again = adopted(family, ["first", "helps", "harms"], there[0], distance, 1.0, quiet)
    assert wins[0].tolist() == again[0].tolist() and wins[1] == again[1]


def turns(game: Rapido, number: int) -> Iterator[tuple[State, by_rapido.Turns]]:
    """Starts of turns, as arrays."""
    for state in positions(game, Phase.FIRST_ROLL, number):
        met = by_rapido.empty_turns(game.players, 1, game.finish)
        met.positions[0] = row_of(state)
        yield state, met


@pytest.mark.parametrize("players", [2, 4])
def test_rules_decide_the_same_compiled(players: int) -> None:
    game, rng, family = Rapido(players), random.Random(players), by_rapido.family(players)
    for state, met in turns(game, 12):
        numbers = list(rapido.NOTHING)
        for places in family.places.values():
            for place in places:
                numbers[place] = rng.choice([numbers[place], *family.choices[place]])
        chosen = np.zeros((1, len(VALUES)), np.int64)
        rows = by_rapido.by_step(np.array(numbers))
        by_rapido.follow(rows, game.finish, met.positions[0], chosen)
        for rank, value in enumerate(VALUES):
            asked = State(state.turn, Phase.DECIDE, value, state.steps, state.tower)
            field = int(chosen[0, rank])
            assert rapido.decide(numbers, game, asked) == (Again() if field < 0 else Place(field))


def test_a_turn_played_best_is_worth_what_it_is_worth(exact: np.ndarray) -> None:
    game, known, workspace = Rapido(2, 5), model(None, exact), new_workspace(2, 5)
    chosen, again = np.zeros((5, len(VALUES)), np.int64), np.zeros(5)
    for _, met in turns(game, 8):
        by_rapido.compute_ends(known, game.finish, met, 0, workspace)
        own = by_rapido.own_step(met.positions[0])
        best = by_rapido.choose_best(game.finish, own, chosen, met.worth[0], met.fails[0], again)
        levels = plan(known, game.finish, met.positions[0], own, False, workspace)
        shares = np.zeros(2)
        expected(levels, game.finish - own, workspace, shares)
        assert best == pytest.approx(shares[0], abs=1e-6)
        met.best[0] = best
        rules = by_rapido.by_step(by_rapido.guess(2), game.finish)
        assert by_rapido.given_away(rules, game.finish, met, np.array([0])) > -1e-9


def test_a_band_of_a_chart_loses_less_than_the_rules_it_starts_from() -> None:
    """On a step where only field 3 is any good: the other steps keep their values."""
    rules = by_rapido.guess(3)
    rows, met = by_rapido.by_step(rules), by_rapido.empty_turns(3, 4, 1)
    met.positions[:], met.worth[:] = row_of(State(0, Phase.FIRST_ROLL, 0, (7, 7, 7), ())), 0.0
    met.worth[:, :, 3] = np.arange(len(VALUES)) / len(VALUES)
    met.fails[:] = 11 * 0.2
    which, places = np.arange(4), list(rapido.RULE_INDICES["fields"])
    before = by_rapido.given_away(rows, 20, met, which)
    by_rapido._tune_band(rows, slice(5, 9), places, met, which)
    assert by_rapido.given_away(rows, 20, met, which) < before - 0.01
    assert (rows[:5] == rules).all() and (rows[9:] == rules).all()


def test_what_rules_of_chain_give_away_is_what_they_do_not_win() -> None:
    """By exact values nothing is lost but by decisions; each starts in half of the games."""
    tables, games = tiny_tables(), 400
    for rules in (by_chain.GUESS, by_chain.BOTS["simple"]):
        measured = by_chain.measure(tables, np.array(rules), games, 1)
        assert measured.loss > 0.02
        assert measured.wins == pytest.approx(0.5 - measured.loss, abs=4 * 0.5 / games**0.5)


def test_whoever_plays_best_wins_half_and_meets_turns() -> None:
    tables, games = tiny_tables(), 400
    nothing, full = np.array(chain.NOTHING), by_chain.empty_turns(1)
    played, won, _ = by_chain.play_by_rules(
        tables, nothing, True, games, full, np.zeros(games), by_chain.new_rule_workspace(2)
    )
    assert played == games
    assert won / games == pytest.approx(0.5, abs=4 * 0.5 / games**0.5)
    met, each = by_chain.gather(tables, None, 200, 1)
    assert each > 2 and 0 <= met.best.min() < met.best.max() <= 1


def test_the_chart_of_chain_lengthens_short_chains_and_stops_long_ones() -> None:
    cells, right = by_chain.chart(tiny_tables(), 60, 1)
    assert len(cells) == by_chain.LINKS and all(len(row) == by_chain.FITS for row in cells)
    assert {cell for row in cells for cell in row} <= {0, 1, None}
    assert 0.5 < right <= 1


@pytest.mark.parametrize("game", [GAME, Chain(6, "short")], ids=str)
def test_rules_of_chain_decide_the_same_on_other_boards(game: Chain) -> None:
    check_decisions(game)
