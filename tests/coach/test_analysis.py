"""Analysis of matches: computed by hand, by identities for any evaluator, and with a solved race."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from escadaria import load
from escadaria.cli import app
from escadaria.coach.analysis import (
    MOST_FALLS,
    SIZES,
    Analysis,
    Decision,
    Player,
    TooManyFalls,
    analyse,
    explanation,
    falls,
    reason,
)
from escadaria.coach.evaluators import (
    MOST_GAP,
    VALUES,
    Evaluator,
    RolloutEvaluator,
    Source,
    ValueEvaluator,
    exact,
    find,
)  # fmt: skip
from escadaria.evaluator_network import load as load_network
from escadaria.folders import check_writable
from escadaria.game import CHANCE, AnyGame, GameError, play_out
from escadaria.games.chain import explanations as of_chain
from escadaria.games.chain import rules as chain
from escadaria.games.rapido import explanations as of_rapido
from escadaria.games.rapido import rules as rapido
from escadaria.games.rapido.rules import Again, Place, Rapido, Roll
from escadaria.games.rapido.solution import RapidoSolution
from escadaria.games.rapido.values import RapidoValues
from escadaria.i18n import LANGUAGES
from escadaria.i18n import load as load_texts
from escadaria.record import Record, Remark, Seat, open_record
from escadaria.reports.analysis_report import great_rolls, hint_data, signed
from escadaria.reports.page import page
from escadaria.solutions import Bounds
from short import ShortRapido

RECORDS = Path(__file__).parents[1] / "records"
ANA, BENTO, CLARA = Seat("Ana"), Seat("Bento"), Seat("Clara")
TWO = Rapido(players=2)


class Values:
    """Consistent with best play by them; before rolls as given for the mover, or arbitrary but fixed."""

    def __init__(self, game: AnyGame, known: Mapping[str, float] | None = None) -> None:
        self.game, self.known = game, known

    def seats(self, state: Any) -> tuple[float, ...]:
        if legal := self.game.legal_actions(state):
            after = [self.game.apply(state, action) for action in legal]
            return max(map(self.seats, after), key=lambda shares: shares[state.turn])
        if outcome := self.game.outcome(state):
            return tuple(float(seat == outcome.winner) for seat in range(self.game.players))
        if self.known is not None:
            share = self.known[str(state)]
            return (1 - share, share) if state.turn else (share, 1 - share)
        dice = random.Random(str(state))
        weights = [dice.random() for _ in range(self.game.players)]
        return tuple(weight / sum(weights) for weight in weights)

    def value(self, state: Any) -> float:
        return self.seats(state)[int(state.turn)]

    def action_values(self, state: Any) -> dict[Any, float]:
        legal = self.game.legal_actions(state)
        return {action: self.seats(self.game.apply(state, action))[state.turn] for action in legal}


def hashed(game: AnyGame, known: Mapping[str, float] | None = None) -> ValueEvaluator:
    return ValueEvaluator(game, Values(game, known), Source(VALUES))


@cache
def analysed(name: str) -> Analysis:
    record = open_record(RECORDS / f"{name}.txt")
    return analyse(record, hashed(record.game))


def figures(player: Player) -> tuple[float, ...]:
    """The parts that explain the result of a seat, and the result."""
    return player.start, player.skill, player.luck, player.given, player.resigned, player.result


def check_sums(analysis: Analysis) -> None:
    for player in analysis.players:
        *parts, result = figures(player)
        assert sum(parts) == pytest.approx(result, abs=1e-9)
        assert player.skill == pytest.approx(-player.lost, abs=1e-9)
        assert player.adjusted == pytest.approx(result - player.luck)
        assert player.accuracy is None or 0 <= player.accuracy <= 1
    assert sum(analysis.result) == pytest.approx(1)


def played(game: AnyGame, seed: int, decide: Callable[[Any], Any] | None = None) -> Record:
    """A match with random dice, and with random decisions unless a function makes them."""
    rng = random.Random(seed)

    def at_random(state: Any) -> Any:
        return rng.choice(game.legal_actions(state))

    def roll(state: Any) -> Any:
        return rng.choice(game.chance_outcomes(state))[0]

    plies = [action for action, _ in play_out(game, game.initial_state(), decide or at_random, roll)]
    return Record(game, (ANA, BENTO, CLARA)[: game.players], tuple(plies))


# By hand.


def last_chance(steps: str, *plies: str) -> Record:
    """Bento's two pairs are worth 4 steps when his turn starts; Ana's 62 can throw his 51 out from below."""
    start = TWO.parse_state(f"turn=0 phase=decide value=62 steps={steps} tower=0:1,4:1:51")
    return Record(TWO, (ANA, BENTO), tuple(map(TWO.parse, plies)), start=start)


def by_hand(record: Record) -> Analysis:
    """Ana wins 60 % with Bento thrown out, 30 % if she rolls again, and 10 % otherwise."""
    state = record.positions[0]
    known = defaultdict(lambda: 0.9, {str(TWO.apply(state, Place(field))): 0.4 for field in range(4)})
    known[str(TWO.apply(state, Again()))] = 0.3
    return analyse(record, hashed(TWO, known))


@pytest.mark.parametrize("given", ["game.txt", Path("game.txt"), None], ids=repr)
def test_only_records_are_analysed(given: Any) -> None:
    with pytest.raises(GameError, match="takes a record, as escadaria.record.open_record gives, not"):
        analyse(given)


def test_a_decision_by_hand() -> None:
    (decision,) = by_hand(last_chance("18,10", "place 5")).decisions
    order = ["place 0", "place 1", "place 2", "place 3", "again", "place 5"]
    assert [str(option.action) for option in decision.options] == order
    shares = [decision.share(option) for option in decision.options]
    assert shares == pytest.approx([0.6, 0.6, 0.6, 0.6, 0.3, 0.1])
    assert (decision.lost, decision.at_stake) == pytest.approx((0.5, 0.5))
    assert decision.size == "blunder"


def test_the_figures_of_a_match_by_hand() -> None:
    """Ana rolls again, which costs 30 %, and fails, which leaves her 10 % of 30 %."""
    ana, bento = by_hand(last_chance("18,10", "again", "X1")).players
    assert figures(ana) == pytest.approx((0.6, -0.3, -0.2, 0, 0, 0.1))
    assert figures(bento) == pytest.approx((0.4, 0, 0.2, 0.3, 0, 0.9))
    assert ana.accuracy == pytest.approx(0.4)
    assert ana.adjusted == pytest.approx(0.3)
    assert bento.accuracy is None, "there was no decision"
    assert ana.mistakes == {"inaccuracy": 0, "mistake": 0, "blunder": 1}


def test_one_step_from_the_finish_a_double_wins_and_luck_is_what_was_missing() -> None:
    start = TWO.parse_state("turn=0 phase=first value=0 steps=19,0 tower=-")
    record = Record(TWO, (ANA, BENTO), (Roll(1, 1),), start=start)
    analysis = analyse(record, hashed(TWO, {str(start): 0.75}))
    assert [roll.luck for roll in analysis.rolls] == [(0.25, -0.25)]
    assert analysis.players[0].adjusted == pytest.approx(0.75)


@pytest.mark.parametrize(
    "lost, size", [(0.019, ""), (0.021, "inaccuracy"), (0.051, "mistake"), (0.101, "blunder")]
)
def test_mistakes_have_sizes(lost: float, size: str) -> None:
    record = last_chance("18,10", "again")
    state = record.positions[0]
    known = defaultdict(lambda: 0.5, {str(TWO.apply(state, Again())): 0.5 - lost})
    (decision,) = analyse(record, hashed(TWO, known)).decisions
    assert decision.size == size
    assert list(SIZES) == ["inaccuracy", "mistake", "blunder"]


def test_resigning_gives_up_what_was_left() -> None:
    record = last_chance("18,10", "place 2")
    resigned = Record(TWO, record.seats, record.plies, (Remark(1, 0, "resign"),), start=record.start)
    ana, bento = by_hand(resigned).players
    assert (ana.resigned, ana.result) == pytest.approx((-0.6, 0))
    assert (bento.resigned, bento.result) == pytest.approx((0.6, 1))


# For every evaluator.


@pytest.mark.parametrize("name", sorted(path.stem for path in RECORDS.glob("*.txt")))
def test_luck_and_skill_explain_the_result_and_forced_decisions_count_nothing(name: str) -> None:
    analysis = analysed(name)
    check_sums(analysis)
    record, game, positions = analysis.record, analysis.record.game, analysis.record.positions
    assert len(analysis.curve) == len(positions)
    before = list(enumerate(positions[:-1], 1))
    assert [roll.ply for roll in analysis.rolls] == [
        ply for ply, state in before if game.current_player(state) == CHANCE
    ]
    for roll in analysis.rolls:
        assert sum(roll.luck) == pytest.approx(0, abs=1e-12)
        assert str(record.plies[roll.ply - 1]) == roll.dice
    choices = [ply for ply, state in before if len(game.legal_actions(state)) > 1]
    assert [decision.ply for decision in analysis.decisions] == choices
    for decision in analysis.decisions:
        legal = game.legal_actions(positions[decision.ply - 1])
        assert {option.action for option in decision.options} == set(legal)
        assert decision.played.action == record.plies[decision.ply - 1]
        assert decision.lost >= 0


def test_best_play_has_full_accuracy() -> None:
    game = load("rapido", players=3)
    values = Values(game)

    def best(state: Any) -> Any:
        return max(found := values.action_values(state), key=found.__getitem__)

    analysis = analyse(played(game, 5, best), hashed(game))
    assert analysis.mistakes == ()
    assert {player.accuracy for player in analysis.players} == {1.0}


def test_progress_is_reported() -> None:
    calls: list[tuple[int, int]] = []
    analyse(last_chance("18,10", "again", "X1"), hashed(TWO), progress=lambda *step: calls.append(step))
    assert calls == [(0, 2), (1, 2), (2, 2)]


# Rollouts.


def test_rollouts_have_standard_errors_and_are_the_same_each_time() -> None:
    record = last_chance("18,15", "place 2")
    first, second = (analyse(record, rollouts=16) for _ in range(2))
    assert first.data() == second.data()
    assert first.data()["source"] == {"kind": "rollouts", "games": 16, "bot": "simple"}
    options = {str(option.action): option for option in first.decisions[0].options}
    assert 0 < options["place 2"].error < 0.2
    for player in first.players:
        *parts, result = figures(player)
        assert sum(parts) == pytest.approx(result)


def test_rollouts_of_finished_games_have_no_error() -> None:
    """Ana places on 5 and Bento's score wins immediately (R15), without dice."""
    record = last_chance("18,18", "place 5")
    evaluator = RolloutEvaluator(TWO, 4)
    assert evaluator.shares(record.positions[-1]) == (0, 1)
    assert evaluator.error(record.positions[-1]) == (0, 0)


def test_rollouts_ignore_losses_that_are_not_significant() -> None:
    record = last_chance("18,10", "again")
    (decision,) = by_hand(record).decisions
    options = tuple(
        type(option)(option.action, option.shares, error=0.2) for option in decision.options
    )  # 0.3 lost, and 0.28 is the error of the difference
    played = next(option for option in options if option.action == Again())
    unsure = Decision(decision.ply, decision.turn, decision.seat, played, options)
    assert (decision.size, unsure.lost, unsure.size) == ("blunder", 0, "")


# A race that is solved.


@pytest.fixture(scope="module")
def solution() -> RapidoSolution:
    from escadaria.games.rapido.compiled.solver import Solver

    values, bounds = Solver(2, threads=2).solve({})
    return RapidoSolution(ShortRapido(), values, bounds)


def test_exact_luck_is_fair(solution: RapidoSolution) -> None:
    """Before every roll, luck is 0 on average over the rolls that may come."""
    evaluator, game = exact(solution), solution.game
    rolls = [
        state
        for seed in range(5)
        for state in played(game, seed).positions
        if game.current_player(state) == CHANCE
    ]
    assert len(rolls) > 10
    for state in rolls:
        assert mean(game, evaluator, state, 0) == pytest.approx(evaluator.shares(state)[0], abs=1e-6)


def mean(game: AnyGame, evaluator: Evaluator, state: Any, seat: int) -> float:
    """A seat's share over all rolls."""
    outcomes = game.chance_outcomes(state)
    return sum(float(chance) * evaluator.shares(game.apply(state, roll))[seat] for roll, chance in outcomes)


def test_an_exact_analysis_says_so_and_adds_up(solution: RapidoSolution) -> None:
    analysis = analyse(played(solution.game, 1), exact(solution))
    assert analysis.source.kind == "exact"
    assert 0 < analysis.source.gap < 1e-6
    check_sums(analysis)


def test_a_solution_that_proves_nothing_is_not_called_exact(
    solution: RapidoSolution, monkeypatch: pytest.MonkeyPatch
) -> None:
    loose = RapidoSolution(TWO, solution.values, Bounds(0.0, 1.0, 2 * MOST_GAP))
    monkeypatch.setattr("escadaria.solutions.find", lambda game: loose)
    assert find(TWO).source.kind == "values"
    tight = RapidoSolution(TWO, solution.values, Bounds(0.5, 0.5, MOST_GAP))
    monkeypatch.setattr("escadaria.solutions.find", lambda game: tight)
    assert find(TWO).source.kind == "exact"


def test_exact_and_shipped_values_agree(solution: RapidoSolution) -> None:
    """Nearly: they were trained on longer races, where a failed roll costs more than at the start square."""
    game, network = solution.game, load_network("escadaria.games.rapido", 2)
    assert network is not None
    evaluator = exact(solution)
    shipped = ValueEvaluator(game, RapidoValues(ShortRapido(), network), Source(VALUES))
    states = [state for seed in range(10) for state in played(game, seed).positions]
    off = [abs(evaluator.shares(state)[0] - shipped.shares(state)[0]) for state in states]
    assert sum(off) / len(off) < 0.03


# Shipped values for three and more.


def test_shares_of_all_seats_agree_with_those_of_the_mover(no_solution: None) -> None:
    game = load("rapido", players=3)
    evaluator = find(game)
    assert isinstance(evaluator, ValueEvaluator)
    for text in (
        "turn=1 phase=first value=0 steps=12,15,9 tower=3:0:62,5:2:41",
        "turn=1 phase=later value=0 steps=12,15,9 tower=3:0:62,5:2:41",
        "turn=2 phase=decide value=31 steps=12,15,9 tower=3:0:62,5:1:41",
        "turn=0 phase=later value=0 steps=19,19,19 tower=-",
    ):
        state = game.parse_state(text)
        shares = evaluator.shares(state)
        assert sum(shares) == pytest.approx(1)
        assert shares[state.turn] == pytest.approx(evaluator.values.value(state), abs=1e-5)
        values = evaluator.values.action_values(state)
        for option in evaluator.options(state):
            assert option.shares[state.turn] == pytest.approx(values[option.action], abs=1e-5)


def test_a_later_roll_has_no_luck_on_average(no_solution: None) -> None:
    """The other seats' shares are the mean over the rolls too, except for the search limit of two doubles."""
    game = load("rapido", players=3)
    evaluator = find(game)
    state = game.parse_state("turn=1 phase=later value=0 steps=12,15,9 tower=3:0:62,5:2:41")
    shares = [mean(game, evaluator, state, seat) for seat in range(3)]
    assert shares == pytest.approx(evaluator.shares(state), abs=2e-3)


# In words.

SAID = {
    "en": "“Place on field 2” would have thrown out Bento: 60% instead of 10%.",
    "de": "„Auf Feld 2 platzieren“ hätte Bento rausgeworfen: 60\xa0% statt 10\xa0%.",
    "fr": "«\u202fPlacer sur la case 2\u202f» aurait éjecté Bento\u202f: 60\xa0% au lieu de 10\xa0%.",
    "it": "«Posiziona sulla casella 2» avrebbe eliminato Bento: 60% invece di 10%.",
    "es": "«Posicionar en la casilla 2» habría expulsado a Bento: 60\xa0% en lugar de 10\xa0%.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mistake_is_explained_by_the_facts_of_the_best_action(language: str) -> None:
    record = last_chance("18,10", "place 5")
    (found,) = by_hand(record).decisions
    field_two = next(option for option in found.options if option.action == Place(2))
    decision = Decision(1, 1, 0, found.played, (field_two, *found.options))
    sentence = explanation(record, decision, load_texts(language))
    assert sentence == SAID[language]


def test_a_mistake_that_let_another_win_says_so() -> None:
    record = last_chance("18,18", "place 5")
    (decision,) = by_hand(record).decisions
    why = reason(TWO, record.positions[0], decision)
    assert why.key == "coach.bad.won"
    assert explanation(record, decision, load_texts("en")).startswith(
        "“Place on field 5” let Bento win at once, "
    )


@pytest.mark.parametrize(
    "discs, stacks, best, played, key",
    [
        ("33+20,0+0", "20:0,33:0", "move 33", "move 20", "coach.good.chain.arrived"),
        ("10+11,0+0", "10:0,11:0", "move 10", "move 11", "coach.good.chain.covered"),
        ("5+20,0+20", "5:0,20:1+0", "move 20", "move 5", "coach.good.chain.freed"),
        ("5+20,0+6", "5:0,6:1,20:0", "move 20", "move 5", "coach.bad.chain.covered"),
        ("5+20,0+0", "5:0,20:0", "up", "move 5", "coach.better"),
    ],
)
def test_reasons_of_chain(discs: str, stacks: str, best: str, played: str, key: str) -> None:
    game = load("chain", players=2, board="34")
    state = game.parse_state(
        f"turn=0 phase=decide hands=1,2 pool=13 discs={discs} stacks={stacks} chain=3/3/open loose=-"
    )
    found = {str(option.action): option for option in hashed(game).options(state)}
    decision = Decision(1, 1, 0, found[played], (found[best], found[played]))
    assert reason(game, state, decision).key == key


def test_every_reason_has_a_text_in_every_language() -> None:
    keys = {f"coach.good.{kind}" for game in (of_rapido, of_chain) for kind in game.GOOD}
    keys |= {f"coach.bad.{kind}" for game in (of_rapido, of_chain) for kind in game.BAD}
    for language in LANGUAGES:
        assert keys <= set(load_texts(language).messages)
    kinds = {fact.__name__ for game in (rapido.Rapido, chain.Chain) for fact in game.FACTS}
    named = {"".join(word.title() for word in key.rpartition(".")[2].split("_")) for key in keys}
    assert named <= kinds


# The commands.


def run(*words: str, columns: int = 80) -> Result:
    return CliRunner().invoke(app, list(words), env={"COLUMNS": str(columns), "LANGUAGE": "en"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_exists_in_every_language(language: str, no_solution: None) -> None:
    result = run("analyse", str(RECORDS / "rapido-2-fair.txt"), "--lang", language)
    assert result.exit_code == 0, result.output
    for key in ("coach.accuracy", "coach.luck", "coach.adjusted", "coach.values", "coach.great_rolls"):
        assert load_texts(language)(key).split()[0] in result.output
    assert "Bento" in result.output


def test_the_report_fits_a_narrow_terminal(no_solution: None) -> None:
    result = run("analyse", str(RECORDS / "rapido-3.txt"), columns=40)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 40


def test_without_an_evaluator_the_error_suggests_rollouts(
    no_solution: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("escadaria.games.chain.values.shipped", lambda game: None)
    position = "turn=0 phase=keep hands=2,2,2 pool=18 discs=0+0,0+0,0+0 stacks=- chain=-/0/open loose=-"
    result = run("hint", "chain", position)
    assert result.exit_code == 2
    assert "--rollouts" in result.output


def test_a_hint_lists_the_best_choice_first(no_solution: None) -> None:
    position = "turn=0 phase=decide value=62 steps=18,18 tower=0:1,4:1:51"
    result = run("hint", "rapido", position, "--players", "2", "--json")
    data = json.loads(result.output)
    shares = [option["share"] for option in data["options"]]
    assert shares == sorted(shares, reverse=True)
    assert data["errors"] is None, "the error of learned values is not known"
    worst = {"action": "place 5", "share": 0.0, "error": None}
    assert data["options"][-1] == worst, "Bento scores and wins immediately"
    table = run("hint", "rapido", position, "--option", "players=2").output
    assert table.index("Place on field 2") < table.index("Place on field 5")
    assert "learned values" in table


def test_a_hint_uses_the_number_of_players_of_the_position(no_solution: None) -> None:
    two = "turn=0 phase=decide value=62 steps=3,5 tower=4:1:51"
    assert run("hint", "rapido", two).output == run("hint", "rapido", two, "--players", "2").output
    assert "99" in run("hint", "rapido", two.replace("51", "99")).output
    assert "R1" in run("hint", "rapido", two, "--players", "3").output
    assert "Seat 3" in run("hint", "rapido", "turn=0 phase=first value=0 steps=0,0,0 tower=-").output
    assert run("hint", "rapido", "turn=0").exit_code == 2


def test_the_page_is_self_contained_and_escapes_names(no_solution: None, tmp_path: Path) -> None:
    record = last_chance("18,18", "place 5")
    bad = Record(TWO, (Seat("<script>"), Seat("A & B")), record.plies, start=record.start)
    html = page(analyse(bad, hashed(TWO)), load_texts("en"))
    assert [text for text in ("<script", "http:", "https:") if text in html] == []
    for text in ("&lt;script&gt;", "A &amp; B", "default-src 'none'"):
        assert text in html
    file = tmp_path / "page.html"
    result = run("analyse", str(RECORDS / "rapido-2-fair.txt"), "--html", str(file), "--lang", "it")
    assert result.exit_code == 0, result.output
    text = file.read_text("utf-8")
    assert '<html lang="it">' in text
    assert text.count("<polyline") == 4, "two seats, each with a rim"
    assert load_texts("it")("coach.accuracy") in text


def test_the_plot_is_drawn_or_refused_before_the_work(no_solution: None, tmp_path: Path) -> None:
    record, file = str(RECORDS / "rapido-2-fair.txt"), tmp_path / "curve.svg"
    drawn = run("analyse", record, "--plot", str(file))
    assert drawn.exit_code == 0 and " ".join(drawn.stdout.split()) == f"Written to {file}"
    assert "</svg>" in file.read_text("utf-8")
    assert run("analyse", record, "--plot", "curve.doc").exit_code == 2
    for option, path in (("--plot", tmp_path / "no" / "curve.svg"), ("--html", tmp_path)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("escadaria.cli.coach.run_analysis", lambda *args, **more: pytest.fail("too late"))
            refused = run("analyse", record, option, str(path))
        assert refused.exit_code == 2 and str(path) in refused.stderr.replace("\n", "")


def test_a_check_of_a_file_leaves_it_as_it_is(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("text")
    for path in (old, new):
        check_writable(path)
    assert old.read_text() == "text" and not new.exists()


def test_errors_of_exact_values_are_0_and_of_rollouts_above(solution: RapidoSolution) -> None:
    game = solution.game
    state = game.parse_state("turn=0 phase=decide value=62 steps=1,0 tower=-")
    known, counted = exact(solution), find(game, rollouts=4)
    assert hint_data(state, known)["errors"] == [0.0, 0.0]
    assert all(option["error"] == 0.0 for option in hint_data(state, known)["options"])
    assert min(hint_data(state, counted)["errors"]) > 0


def test_great_rolls_are_those_that_moved_the_curve_most() -> None:
    analysis = analysed("rapido-3")
    shown = great_rolls(analysis)
    least = min(abs(roll.luck[roll.seat]) for roll in shown)
    assert sum(abs(roll.luck[roll.seat]) > least for roll in analysis.rolls) == len(shown) - 1
    assert [roll.ply for roll in shown] == sorted(roll.ply for roll in shown)


def test_gains_and_losses_have_a_sign_and_zero_has_none() -> None:
    found = [signed(share, load_texts("en")) for share in (0.123, -0.123, 0.0, -1e-9)]
    assert found == ["+12.3%", "−12.3%", "0.0%", "0.0%"]


# All that dice can show.

FIRST = "turn=0 phase=first value=0 steps=2,1 tower=3:1:52"
ROLL = "turn=0 phase=roll hands={},2 pool={} discs=2+15,4+15 stacks=2:0,4:1,15:1+0 chain=-/0/open loose=-"
NEXT = "turn=0 phase=lengthen hands=3,2 pool=11 discs=2+9,4+15 stacks=2:0,4:1,9:0,15:1 chain=35/5/up loose=-"


def rolling(name: str, text: str) -> tuple[AnyGame, Any, ValueEvaluator]:
    game = load(name, players=2)
    return game, game.parse_state(text), hashed(game)


@pytest.mark.parametrize("name, text, count", [
    ("rapido", FIRST, 30),  # as many as there are values (R9)
    ("rapido", FIRST.replace("first", "later"), 24),  # 22 without an X, and one or two of them (R12)
    ("chain", ROLL.format(1, 13), 6),
    ("chain", ROLL.format(3, 11), 123),
    ("chain", NEXT, 3),
])  # fmt: skip
def test_chances_of_all_falls_sum_to_1_and_none_is_missed(name: str, text: str, count: int) -> None:
    game, state, evaluator = rolling(name, text)
    found = falls(game, state, evaluator)
    assert len(found) == count and sum(fall.chance for fall in found) == 1
    dice = [dice for fall in found for dice in fall.dice]
    assert len(dice) == len(set(dice))
    for fall in found:
        assert bool(fall.plan) == bool(fall.options)
        if fall.options:
            assert fall.plan[-1] == fall.options[0].action and fall.shares == fall.options[0].shares
            assert fall.shares[0] == max(option.shares[0] for option in fall.options)


def test_an_x_is_harmless_at_first_and_ends_the_turn_later() -> None:  # R11, R12
    game, first, evaluator = rolling("rapido", FIRST)
    later = game.parse_state(FIRST.replace("first", "later"))
    of_first, of_later = ({dice: fall for fall in falls(game, state, evaluator) for dice in fall.dice}
                          for state in (first, later))  # fmt: skip
    assert len(of_first) == len(of_later) == 36
    assert of_first["7X"].plan and of_first["XX"].plan
    assert not of_later["7X"].plan and not of_later["XX"].plan
    assert of_later["7X"] is of_later["X1"] is not of_later["XX"]
    assert of_first["12"] is of_first["21"] and of_first["26"].plan == of_later["26"].plan


def test_a_plan_of_chain_links_all_dice_and_then_stops_or_goes_on() -> None:  # C10, C12
    game, state, evaluator = rolling("chain", ROLL.format(3, 11))
    by_dice = {dice: fall for fall in falls(game, state, evaluator) for dice in fall.dice}
    assert len(by_dice) == 6 * 21
    plan = [str(action) for action in by_dice["345"].plan]
    assert plan[:2] == ["link 4", "link 5"] and plan[2].split()[0] in ("move", "up")
    assert by_dice["324"].plan == () and by_dice["324"] is by_dice["435"]  # no chain: the turn is over


def test_too_many_falls_are_refused() -> None:
    game, state, evaluator = rolling("chain", ROLL.format(9, 5))
    with pytest.raises(TooManyFalls, match=str(MOST_FALLS)):
        falls(game, state, evaluator)


def test_the_mean_over_all_falls_is_the_value_of_the_roll(solution: RapidoSolution) -> None:
    game = solution.game
    evaluator = exact(solution)
    for phase in ("first", "later"):
        state = game.parse_state(f"turn=1 phase={phase} value=0 steps=0,1 tower=1:0:41,4:0:52")
        shares = [fall.shares[1] * float(fall.chance) for fall in falls(game, state, evaluator)]
        assert sum(shares) == pytest.approx(evaluator.shares(state)[1], abs=solution.bounds.gap + 1e-9)
