"""The arena: balanced schedules, correct ratings, and results that do not depend on interruptions."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from arena.test_simulation import last
from escadaria import BadOptions
from escadaria.arena.league import ENGINE_BATCH, League, league
from escadaria.arena.rating import POINTS, fit
from escadaria.arena.schedule import Schedule
from escadaria.arena.simulation import simulate
from escadaria.arena.tallies import BadLeague
from escadaria.bots import BadBot, UnknownBot
from escadaria.bots import load as load_bot
from escadaria.cli import app
from escadaria.game import AnyGame
from escadaria.games.rapido.rules import Rapido
from escadaria.i18n import LANGUAGES
from escadaria.i18n import load as load_texts
from escadaria.reports import plots
from escadaria.reports.plots import COLOURS, draw_league

RAPIDO = Rapido(2, 5)


def few(games: int = 40, **options: Any) -> League:
    return league(RAPIDO, ["simple", "random", last], games, 3, workers=1, **options)


# The schedule.


def seatings(schedule: Schedule, goal: list[int]) -> Iterator[tuple[int, ...]]:
    """The bots by seat in each game."""
    for line_up, games in enumerate(goal):
        bots = schedule.line_up(line_up)
        for number in range(games):
            yield tuple(bots[(seat - number) % len(bots)] for seat in range(len(bots)))


@pytest.mark.parametrize("games", [1, 500])
@pytest.mark.parametrize("bots", range(2, 8))
@pytest.mark.parametrize("players", range(2, 7))
def test_every_bot_meets_every_other_and_has_every_seat_equally_often(
    players: int, bots: int, games: int
) -> None:
    schedule = Schedule(bots, players)
    goal = schedule.goal(games)
    assert games <= sum(goal) < games + len(schedule.choices) * players
    seats, meetings = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for seated in seatings(schedule, goal):
        assert len(set(seated)) == min(players, bots)
        seats.update((bot, seat) for seat, bot in enumerate(seated))
        meetings.update((a, b) for a in seated for b in seated if a != b)
    assert len(seats) == bots * players and len(set(seats.values())) == 1
    assert len(meetings) == bots * (bots - 1) and len(set(meetings.values())) == 1


@pytest.mark.parametrize("players", range(3, 7))
def test_all_orders_around_the_table_are_played_equally_often(players: int) -> None:
    schedule = Schedule(players, players)
    goal = schedule.goal(players * len(schedule.orders))
    behind = Counter(
        (seated[i - 1], bot) for seated in seatings(schedule, goal) for i, bot in enumerate(seated)
    )
    assert len(behind) == players * (players - 1) and len(set(behind.values())) == 1
    once = Counter(seatings(schedule, goal))
    assert set(once.values()) == {1} and len(once) == sum(goal)


# Ratings.


def test_the_fit_recovers_the_true_ratings() -> None:
    strength, seat = np.array([150, 40, 0, -190]) / POINTS, np.array([30, 0, -30]) / POINTS
    schedule, rng = Schedule(4, 3), np.random.default_rng(5)
    seated = np.array(list(seatings(schedule, schedule.goal(1))))
    power = np.exp(strength[seated] + seat)
    wins = np.array([rng.multinomial(4000, chance / chance.sum()) for chance in power])
    found = fit(seated, wins, 4)
    for points, errors, true in (
        (found.bots, found.bot_errors, strength),
        (found.seats, found.seat_errors, seat),
    ):
        assert (errors < 6).all()
        assert (np.abs(points - POINTS * (true - true.mean())) < 3 * errors).all()
        assert points.sum() == pytest.approx(0)


def test_intervals_contain_the_true_rating_in_95_of_100_cases() -> None:
    rng, held = np.random.default_rng(1), 0
    for _ in range(400):
        wins = rng.binomial(100, 0.64, 2)  # 50 points above the mean of two
        found = fit(
            np.array([[0, 1], [1, 0]]), np.array([[wins[0], 100 - wins[0]], [100 - wins[1], wins[1]]]), 2
        )
        held += abs(found.bots[0] - POINTS * np.log(0.64 / 0.36) / 2) < 1.96 * found.bot_errors[0]
    assert 365 <= held <= 394, "three standard deviations around 380"


def test_ratings_of_two_bots() -> None:
    """Ten to one are 400 points; who wins all games has a finite rating with a wide interval."""
    seated = np.array([[0, 1], [1, 0]])
    found = fit(seated, np.array([[1000, 100], [100, 1000]]), 2)
    assert found.bots[0] - found.bots[1] == pytest.approx(400, abs=1)
    found = fit(seated, np.array([[20, 0], [0, 20]]), 2)
    assert 200 < found.bots[0] < 1000
    assert found.bot_errors[0] > 100


# Results.


def test_the_games_are_those_of_simulate() -> None:
    """The games of line-up 0 are numbered from 0, so they have the same dice."""
    ours, theirs = league(RAPIDO, ["simple", "random"], 60, 4), simulate(RAPIDO, ["simple", "random"], 60, 4)
    assert {s.share.name: s.share.wins for s in ours.by_bot} == {s.name: s.wins for s in theirs.by_bot}
    assert [s.share.wins for s in ours.by_seat] == [s.wins for s in theirs.by_seat]
    assert ours.length.mean == theirs.turns.mean()
    assert ours.against("simple", "random").share == theirs.by_bot[0].share


def test_kernels_and_the_python_engine_give_the_same_league() -> None:
    def simple(game: AnyGame, state: Any) -> Any:
        return load_bot("simple", game)(game, state)

    game = Rapido(3, 8)
    compiled = league(game, ["simple", "random"], 120, 9)
    readable = league(game, [simple, "random"], 120, 9, workers=1)
    assert compiled.data() == readable.data()


def test_the_stronger_bot_is_rated_higher_and_the_numbers_agree() -> None:
    played = few(240)
    data = json.loads(json.dumps(played.data()))
    assert data["bots"][0]["bot"] == "simple"
    assert sum(bot["wins"] for bot in data["bots"]) == sum(s["wins"] for s in data["seats"]) == data["games"]
    assert sum(bot["games"] for bot in data["bots"]) == 2 * data["games"]
    assert sum(played.lengths.values()) == data["games"]
    assert sum(pair["wins"] for pair in data["head_to_head"]) == data["games"], "two at a table"
    for entry in data["bots"] + data["seats"]:
        assert entry["low"] <= entry["share"] <= entry["high"]
        assert entry["rating_low"] < entry["rating"] < entry["rating_high"]


# Interrupted.


class Stop(Exception):
    """Stands for Ctrl-C at a chosen moment."""


@pytest.mark.parametrize("after", [1, 3])
def test_an_interrupted_league_has_the_same_results(tmp_path: Path, after: int) -> None:
    calls: list[int] = []

    def stop(done: int, games: int) -> None:
        calls.append(done)
        if len(calls) > after:
            raise Stop

    with pytest.raises(Stop):
        few(100, folder=tmp_path, progress=stop)
    kept, calls = calls[-1], []
    resumed = few(100, folder=tmp_path, resume=True, progress=lambda done, games: calls.append(done))
    assert calls[0] == kept == after * ENGINE_BATCH
    assert resumed.data() == few(100).data()


def test_stored_results_are_reused_for_more_and_for_fewer_games(tmp_path: Path) -> None:
    def first(games: int, resume: bool = True) -> int:
        """How many games were stored before."""
        starts: list[int] = []
        played = few(games, folder=tmp_path, resume=resume, progress=lambda done, _: starts.append(done))
        assert played.data() == few(games).data()
        return starts[0]

    assert (first(60), first(150)) == (0, 60)
    first(24)
    assert first(60, resume=False) == 0
    for seed in (3, 4):
        league(RAPIDO, ["simple", "random"], 10, seed, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 3, "one file for each league"


def test_a_truncated_line_is_played_again(tmp_path: Path) -> None:
    few(100, folder=tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 3):
        file.write_bytes(whole[:length])
        assert few(100, folder=tmp_path, resume=True).data() == few(100).data()
        assert len(file.read_bytes().splitlines()) == len(whole.splitlines())


@pytest.mark.parametrize("line, said", [(1, "line 1 belongs to another league"), (2, "line 2 is damaged")])
def test_a_damaged_file_is_reported(tmp_path: Path, line: int, said: str) -> None:
    few(folder=tmp_path)
    (file,) = tmp_path.iterdir()
    lines = file.read_text().splitlines()
    lines[line - 1] = re.sub(r"\d+", "7", lines[line - 1])
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(BadLeague, match=said):
        few(folder=tmp_path, resume=True)


# Users' bots.

MINE = """
def first(game, state):
    return game.legal_actions(state)[0]

def lost(game, state):
    return {}["way"]

def cheat(game, state):
    return "fly"

class Kinds:
    def middle(game, state):
        legal = game.legal_actions(state)
        return legal[len(legal) // 2]

number = 7
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module in the working directory with a unique name."""
    name = f"mine_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MINE)
    (tmp_path / f"{name}_broken.py").write_text("def (")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield name
    for module in [module for module in sys.modules if module.startswith(name)]:
        del sys.modules[module]


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["arena", *words], env={"COLUMNS": "120"})


def test_own_bots_by_import_path_play_in_this_process_and_in_others(mine: str) -> None:
    bots = ["simple", f"{mine}:Kinds.middle"]
    one, two = (league(RAPIDO, bots, 40, workers=workers) for workers in (1, 2))
    assert one.data() == two.data()
    assert {standing.share.name for standing in one.by_bot} == set(bots)


def test_a_bot_that_cannot_play_is_named_with_the_position_and_what_it_did(mine: str) -> None:
    position = r"turn=\d phase=decide value=\d+ steps=\d,\d tower="
    with pytest.raises(BadBot, match=rf":lost failed with KeyError\('way'\) at {position}"):
        league(RAPIDO, ["simple", f"{mine}:lost"], 40, workers=2)
    with pytest.raises(BadBot, match=rf":cheat played fly at {position}.*, where it may play again, place 0"):
        league(RAPIDO, ["simple", f"{mine}:cheat"], 40, workers=1)


@pytest.mark.parametrize(
    "path, kind, said",
    [
        ("nowhere:bot", UnknownBot, "no bot 'nowhere:bot': No module named 'nowhere'"),
        ("MINE:nobody", UnknownBot, "has no attribute 'nobody'"),
        ("MINE:number", UnknownBot, "must be a function of game and position"),
        (":first", UnknownBot, "Empty module name"),
        ("MINE_broken:first", BadBot, "cannot be imported: SyntaxError"),
        ("genius", UnknownBot, "there is no bot 'genius' for rapido, there are random"),
    ],
)
def test_a_bot_that_does_not_exist_is_refused(mine: str, path: str, kind: type[Exception], said: str) -> None:
    path = path.replace("MINE", mine)
    with pytest.raises(kind, match=said):
        league(RAPIDO, ["simple", path], 10)
    refused = run("rapido", "--bot", "simple", "--bot", path, "--folder", "kept")
    assert refused.exit_code == 2
    assert re.search(said, refused.stderr)
    assert not Path("kept").exists()


def test_invalid_leagues_are_refused() -> None:
    with pytest.raises(BadOptions, match="different names, not simple, simple"):
        league(RAPIDO, ["simple", "simple"], 10)
    with pytest.raises(BadOptions, match="at least one game"):
        league(RAPIDO, ["simple", "random"], 0)


# The command.


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_shows_tables(tmp_path: Path, language: str) -> None:
    words = ["--bot", "simple", "--bot", "random", "--players", "3", "--games", "24", "--option", "finish=5"]
    shown = run("rapido", *words, "--folder", str(tmp_path), "--lang", language)
    assert shown.exit_code == 0
    assert re.search(r"1 +simple +\+\d+ ", shown.stdout)
    assert len(re.findall(r"^ +[123] +[+-]?\d+ ", shown.stdout, re.M)) == 3, "seats"
    assert load_texts(language)("arena.games", games="24") in shown.stdout


def test_the_command_resumes_and_gives_the_same_json(tmp_path: Path, mine: str) -> None:
    words = ["rapido", "--games", "30", "--seed", "4", "--folder", str(tmp_path / "kept"), "--json"]
    bots = ["--bot", "simple", "--bot", "random", "--bot", f"{mine}:first"]
    runs = [run(*words, *bots), run(*words, *bots, "--resume"), run(*words, *bots, "--workers", "1")]
    assert [one.exit_code for one in runs] == [0, 0, 0]
    assert runs[0].stdout == runs[1].stdout == runs[2].stdout
    assert json.loads(runs[0].stdout)["games"] == 30


def test_the_command_draws_a_plot_and_refuses_one_before_playing(tmp_path: Path) -> None:
    picture = tmp_path / "out.svg"
    words = ["chain", "--bot", "simple", "--bot", "random", "--games", "4", "--folder", str(tmp_path)]
    drawn = run(*words, "--plot", str(picture))
    assert drawn.exit_code == 0 and str(picture) in drawn.stdout.replace("\n", "")
    assert "<svg" in picture.read_text()
    refused = run(*words[:-1], str(tmp_path / "other"), "--plot", "out.doc")
    assert refused.exit_code == 2 and "not with '.doc'" in refused.stderr
    refused = run(*words[:-1], str(tmp_path / "other"), "--plot", str(tmp_path / "no" / "out.svg"))
    assert refused.exit_code == 2 and "No such file" in refused.stderr.replace("\n", " ")
    assert not (tmp_path / "other").exists()


# The picture.


def test_the_same_league_gives_the_same_plot(tmp_path: Path) -> None:
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    for path in (one, two):
        draw_league(few(), path, load_texts("de"))
    assert one.read_bytes() == two.read_bytes()


def test_colours_are_those_of_the_web_client() -> None:
    sheet = (Path(__file__).parents[2] / "web" / "src" / "app.css").read_text("utf-8")
    tokens = re.findall(r"--([\w-]+): light-dark\((#\w+),", sheet)
    assert {name: colour.upper() for name, colour in tokens}.items() >= COLOURS.items()
    style = Path(plots.__file__).with_name("plots.mplstyle").read_text("utf-8")
    assert {f"#{colour}" for colour in re.findall(r"([0-9A-F]{6})$", style, re.M)} <= set(COLOURS.values())
