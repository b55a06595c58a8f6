"""Strategy advice: the rules decide as described, all of them have texts, and the terminal shows them."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from escadaria import i18n, load, strategy
from escadaria.cli import app
from escadaria.game import play_out
from escadaria.games.chain import heuristics as chain
from escadaria.games.chain.rules import DOWN, Chain, Lengthen, Link, Move
from escadaria.games.rapido import heuristics as rapido
from escadaria.games.rapido.rules import VALUES, Again, Pair, Phase, Place, Rapido, State
from escadaria.reports.strategy_report import rule_text

TWO, THREE = Rapido(2), Rapido(3)
MODULES: dict[str, Any] = {"rapido": rapido, "chain": chain}
SHIPPED = [(game, players) for game in strategy.games() for players in strategy.players(game)]

everything = pytest.mark.parametrize("game, players", SHIPPED)


def following(module: Any, numbers: dict[str, int]) -> list[int]:
    """The parameters of a game's rules, with these set."""
    followed = list(module.NOTHING)
    for name, number in numbers.items():
        followed[getattr(module, name)] = number
    return followed


def rules(**numbers: int) -> list[int]:
    """Field 5 from 72 up, field 2 from 60 up; and the given changes."""
    followed = following(rapido, numbers)
    followed[rapido.FIELDS + 4], followed[rapido.FIELDS + 1] = rank(72), rank(60)
    return followed


def rank(value: int) -> int:
    return VALUES.index(value)


def position(value: int, *tower: Pair, steps: tuple[int, ...] = (5, 5, 5)) -> State:
    return State(0, Phase.DECIDE, value, steps, tower)


# Rapido's rules.


@pytest.mark.parametrize("value, action", [(76, Place(5)), (72, Place(5)), (71, Place(2)), (54, Again())])
def test_fields_take_the_highest_field_that_the_value_suffices_for(value: int, action: Any) -> None:
    assert rapido.decide(rules(), THREE, position(value)) == action


def test_taken_fields_are_skipped_and_without_a_good_field_it_rolls_again() -> None:
    assert rapido.decide(rules(), THREE, position(72, Pair(5, 1, 76))) == Place(2)
    assert rapido.decide(rules(), THREE, position(72, Pair(2, 1, 76), Pair(5, 2, 76))) == Again()


def test_throw_out_adds_what_a_field_throws_out() -> None:
    tower = Pair(3, 1, 61)
    assert rapido.decide(rules(), THREE, position(72, tower)) == Place(5)
    greedy = rules(STOLEN=4, THROWN=8)
    assert rapido.decide(greedy, THREE, position(72, tower)) == Place(2)  # 2 + 3 + 2 are more than 5
    assert rapido.decide(greedy, THREE, position(60, tower)) == Place(2)
    assert rapido.decide(rules(STOLEN=4, THROWN=8, VICTIM=4), THREE, position(72, tower)) == Place(5)


def test_block_stops_only_with_a_value_that_throws_the_leader_out() -> None:
    tower, steps = Pair(5, 1, 61), (5, 15, 5)
    assert rapido.decide(rules(), THREE, position(60, tower, steps=steps)) == Place(2)
    assert rapido.decide(rules(BLOCK=1), THREE, position(60, tower, steps=steps)) == Again()
    assert rapido.decide(rules(BLOCK=1), THREE, position(61, tower, steps=steps)) == Place(2)
    low = position(54, Pair(5, 1, 54), steps=steps)  # good for no field, so the highest below it
    assert rapido.decide(rules(BLOCK=1), THREE, low) == Place(4)
    one_pair_is_no_danger = position(60, tower, steps=(5, 15))
    assert rapido.decide(rules(BLOCK=1), TWO, one_pair_is_no_danger) == Place(2)  # R18


def test_chase_stops_only_with_a_value_that_throws_a_pair_out() -> None:
    hunter = rules(CHASED=4, BEATABLE=rank(70))
    assert rapido.decide(hunter, THREE, position(63, Pair(4, 1, 70))) == Again()
    assert rapido.decide(hunter, THREE, position(70, Pair(4, 1, 70))) == Place(2)
    assert rapido.decide(hunter, THREE, position(63, Pair(4, 1, 71))) == Place(2)
    assert rapido.decide(hunter, THREE, position(63, Pair(3, 1, 62))) == Place(2)


def test_finish_takes_the_lowest_field_that_is_enough() -> None:
    homing = rules(FINISH=rank(30))
    assert rapido.decide(homing, THREE, position(76, steps=(17, 5, 5))) == Place(3)
    assert rapido.decide(homing, THREE, position(30, steps=(17, 5, 5))) == Place(3)
    assert rapido.decide(homing, THREE, position(22, steps=(17, 5, 5))) == Again()
    both = position(30, Pair(2, 0, 61), steps=(17, 5))
    assert rapido.decide(homing, TWO, both) == Place(1)  # R18: 2 lie already
    assert rapido.decide(homing, TWO, position(30, steps=(17, 5))) == Again()  # one pair scores nothing


def test_second_applies_only_to_the_second_pair() -> None:
    bold = rules()
    bold[rapido.SECOND : rapido.SECOND + 5] = [rapido.NEVER] * 4 + [rank(40)]
    assert rapido.decide(bold, TWO, position(40, steps=(5, 5))) == Again()
    assert rapido.decide(bold, TWO, position(40, Pair(1, 0, 61), steps=(5, 5))) == Place(5)


def test_ahead_safe_start_and_free() -> None:
    lowest = position(32, Pair(1, 1, 76), steps=(9, 5, 5))
    assert rapido.decide(rules(AHEAD=4, LOW=rank(32)), THREE, lowest) == Place(2)
    assert rapido.decide(rules(AHEAD=5), THREE, lowest) == Again()
    full = [Pair(1, 1, 76), Pair(2, 2, 76)]
    assert rapido.decide(rules(SAFE=3), THREE, position(0, *full)) == Place(3)
    assert rapido.decide(rules(SAFE=3), THREE, position(0, full[0])) == Again()
    assert rapido.decide(rules(START=rank(70)), THREE, position(60, steps=(0, 5, 5))) == Again()
    assert rapido.decide(rules(START=rank(70)), THREE, position(60)) == Place(2)
    assert rapido.decide(rules(FREE=1), THREE, position(60, full[0])) == Place(3)  # the second free one


# Chain's rules.


def chain_rules(**numbers: int) -> list[int]:
    """Lengthen while twice the numbers that fit are 3 and one for each link."""
    return following(chain, {"BASE": 3, "SLOPE": 1} | numbers)


def lengthens(
    followed: list[int], links: int, fits: int, *, home: bool = False, gift: bool = False, extra: int = 1,
    close: int = chain.UNREACHABLE,
) -> bool:  # fmt: skip
    return chain.lengthens(followed, links, fits, home, gift, extra, close)


def test_odds_ask_for_more_the_longer_the_chain_is() -> None:
    followed = chain_rules()
    wanted = [min(fits for fits in range(7) if lengthens(followed, links, fits)) for links in range(1, 9)]
    assert wanted == [2, 3, 3, 4, 4, 5, 5, 6]
    assert not lengthens(list(chain.NOTHING), 1, 6)


def test_the_effect_of_a_move_changes_the_odds() -> None:
    assert not lengthens(chain_rules(HOME=9), 1, 6, home=True)
    assert lengthens(chain_rules(), 1, 6, home=True)
    assert lengthens(chain_rules(GIFT=1), 9, 1, gift=True) and not lengthens(chain_rules(), 9, 1, gift=True)
    assert not lengthens(chain_rules(GIFT=1), 9, 0, gift=True)  # nothing fits
    assert not lengthens(chain_rules(WORSE=2), 5, 4, extra=0)
    assert lengthens(chain_rules(WORSE=2), 5, 5, extra=0)
    assert lengthens(chain_rules(BETTER=4, MORE=2), 5, 3, extra=4)
    assert not lengthens(chain_rules(BETTER=4, MORE=2), 5, 3, extra=3)
    assert lengthens(chain_rules(CLOSE=6, DARE=2), 5, 3, close=6)
    assert not lengthens(chain_rules(CLOSE=6, DARE=2), 5, 3, close=7)


def test_dice_are_discarded_only_for_a_much_better_move() -> None:
    looks = [0, 1, 9, 3, 4]  # two dice lead along an arrow
    assert chain.keeps(chain_rules(), 4, looks) == 4
    assert chain.keeps(chain_rules(DICE=2), 4, looks) == 2
    assert chain.keeps(chain_rules(DICE=3), 4, looks) == 4
    assert chain.keeps(chain_rules(MOST=3), 4, looks) == 3


def test_a_move_counts_its_spaces_the_centre_and_who_is_covered() -> None:
    assert chain.appeal(chain_rules(), 20, 1, True, True) == 20
    assert chain.appeal(chain_rules(HOME=9, COVER=-2), 20, 1, False, True) == 27
    assert chain.appeal(chain_rules(GIFT=1), 20, 0, True, False) < 0


def test_a_chain_is_built_with_an_open_end_and_lengthened_where_more_fits() -> None:
    game, followed = Chain(4), chain_rules()
    position = "turn=0 phase={} hands=3,2,2,2 pool=23 discs=0+0,0+0,0+0,0+0 stacks=- chain={} loose={}"
    state = game.parse_state(position.format("build", "3/3/open", "45"))
    assert chain.decide(followed, game, state) == Link(4)
    state = game.parse_state(position.format("build", "4/4/open", "66"))
    assert chain.decide(followed, game, game.apply(state, Link(6))) == Link(6)
    state = game.parse_state(position.format("decide", "466/6/open", "-"))
    assert chain.decide(followed, game, state) == DOWN
    assert chain.decide(chain_rules(SLOPE=4), game, state) == Move(0)


def test_rules_consider_all_opponents() -> None:
    """Seat 2 has one disc at the centre; whoever lands on its other one hands it the win (C6)."""
    game = Chain(3, "18")
    state = game.parse_state(
        "turn=0 phase=decide hands=2,2,2 pool=18 discs=1+5,2+4,3+18 stacks=1:0,2:1,3:2,4:1,5:0 "
        "chain=11/1/open loose=-"
    )
    assert chain.decide(chain_rules(BASE=chain.UNREACHABLE, COVER=9), game, state) == Move(1)
    assert chain.decide(chain_rules(BASE=chain.UNREACHABLE, COVER=9, GIFT=1), game, state) == Move(5)
    assert not isinstance(chain.decide(chain_rules(BASE=chain.UNREACHABLE), game, state), Lengthen)
    daring = chain_rules(BASE=12, CLOSE=15, DARE=9)
    assert isinstance(chain.decide(daring, game, state), Lengthen)
    daring[chain.CLOSE] = 14
    assert chain.decide(daring, game, state) == Move(1)


# The shipped rules.


@everything
def test_the_bot_plays_whole_games_by_the_rules_that_ship(game: str, players: int) -> None:
    rules, rng = load(game, players=players), random.Random(players)

    def decide(state: Any) -> Any:
        action = MODULES[game].bot(rules, state)
        assert action in rules.legal_actions(state)
        return action

    def roll(state: Any) -> Any:
        return rng.choice(rules.chance_outcomes(state))[0]

    *_, (_, end) = play_out(rules, rules.initial_state(), decide, roll)
    assert rules.outcome(end) is not None


@everything
def test_figures_are_consistent(game: str, players: int) -> None:
    advice = strategy.advice(game, players)
    losses = [rule.loss for rule in advice.rules]
    figures = {quality.who: quality for quality in advice.qualities}
    assert losses == sorted(losses, reverse=True), "each rule helps"
    assert {"rules", "simple", "regular"} <= set(figures)
    assert figures["rules"].loss < min(figures["simple"].loss, figures["regular"].loss)
    for quality in advice.qualities:
        if advice.source == "exact":  # what is given away is what is not won
            assert quality.wins == pytest.approx(0.5 - quality.loss, abs=4 * quality.wins_error)
        if advice.source == "games":
            assert quality.wins == pytest.approx(advice.fair - quality.loss, abs=1e-4)
    assert all(command.startswith(f"python3 run.py tool find_rules {game}") for command in advice.commands)


@everything
def test_rules_round_trip_through_their_parameters(game: str, players: int) -> None:
    module = MODULES[game]
    shipped = strategy.advice(game, players).rules
    numbers = module.numbers_of(shipped)
    names = [next(name for name in module.RULE_INDICES if rule.name.startswith(name)) for rule in shipped]
    again = module.rules_of(numbers, names, [rule.loss for rule in shipped])
    assert tuple(strategy.Rule(**rule) for rule in again) == shipped
    unsaid = [place for name in {*module.RULE_INDICES} - {*names} for place in module.RULE_INDICES[name]]
    assert [numbers[place] for place in unsaid] == [module.NOTHING[place] for place in unsaid]


@everything
def test_charts_have_a_cell_for_each_row_and_column(game: str, players: int) -> None:
    charts = strategy.advice(game, players).charts
    assert charts
    for chart in charts:
        assert [len(row) for row in chart.cells] == [len(chart.columns)] * len(chart.rows)
        cells = {cell for row in chart.cells for cell in row} - {None}
        assert cells <= ({*VALUES} if chart.kind == "value" else {0, 1})
        assert 0.5 < chart.right < 1


@pytest.mark.parametrize("game", MODULES)
def test_every_rule_that_a_search_may_find_has_a_text(game: str) -> None:
    assert all(f"strategy.{game}.{name}" in i18n.load("en") for name in MODULES[game].RULE_INDICES)


# The terminal.


@pytest.mark.parametrize("language", i18n.LANGUAGES)
@everything
def test_the_terminal_shows_all_advice_in_80_columns(
    game: str, players: int, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run = CliRunner().invoke(app, ["strategy", game, "--players", str(players), "--lang", language])
    assert run.exit_code == 0
    assert max(cell_len(line) for line in run.stdout.splitlines()) <= 80
    advice, texts = strategy.advice(game, players), i18n.load(language)
    for rule in advice.rules:
        sentence = rule_text(game, rule, texts)
        assert all(str(number) in sentence for number in [*rule.args.values(), *rule.least.values()])
    quality = next(quality for quality in advice.qualities if quality.who == "rules")
    flat = " ".join(run.stdout.split())
    counted = advice.source == "games"
    shown = [quality.wins, *(advice.fair - rule.loss if counted else rule.loss for rule in advice.rules)]
    assert all(" ".join(texts.percent(share, 1).split()) in flat for share in shown)
    assert (texts("strategy.loss") in flat) is not counted
    for chart in advice.charts:
        assert " ".join(texts(f"strategy.{game}.chart.{chart.name}").split()) in flat


def test_the_json_output_is_the_data() -> None:
    run = CliRunner().invoke(app, ["strategy", "rapido", "--json"])
    data = strategy.advice("rapido", 2).data()
    assert json.loads(run.stdout) == json.loads(json.dumps({"schema": 1, **data}))
