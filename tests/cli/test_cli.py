"""The command line: games are played, interrupted, resumed, replayed, simulated and verified."""

from __future__ import annotations

import json
import os
import random
import re
import select
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from typer.testing import CliRunner, Result

from escadaria import i18n, load
from escadaria.bots import load as load_bot
from escadaria.cli import app
from escadaria.dice import SystemDice
from escadaria.folders import replacing
from escadaria.games.rapido.rules import Rapido
from escadaria.play import Play
from escadaria.record import COLOURS, Record, Seat, colour_seats, open_record, read
from escadaria.terminal import saves
from escadaria.terminal.choices import Choice, Odds, key_of, matching, offers
from escadaria.terminal.pictures import Scene, draw
from escadaria.terminal.replay import turn_facts
from escadaria.terminal.screen import Screen
from escadaria.terminal.seating import read_seat
from escadaria.terminal.terminal_match import COMMANDS, TerminalMatch
from rules.cases import position, words_of
from serving import PATIENCE, wait_until
from strategies import Walk, walks
from tables import rows

QUICK = {
    "rapido": "play rapido --option finish=8 --players 3",
    "chain": "play chain --option 'board=18 4>8 9>3 12>14' --players 2",
}
"""A short game of each: one person, the others bots."""

every_game = pytest.mark.parametrize("game", QUICK)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate home folder for every test, in English, 80 columns wide."""
    for variable in ("LANGUAGE", "LC_MESSAGES", "NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    for variable in ("HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words: str, typed: str = "", code: int = 0) -> Result:
    """Run a command, which must end with this exit code."""
    result = CliRunner().invoke(
        app, shlex.split(words), input=typed, prog_name="escadaria", catch_exceptions=False
    )
    assert result.exit_code == code, result.output
    return result


def one_line(text: str) -> str:
    """Without the breaks of lines that are too long."""
    return " ".join(text.split())


def drive(monkeypatch: pytest.MonkeyPatch, pick: Callable[[Play], str]) -> list[str]:
    """Answer every prompt with the result of ``pick`` for the table; the list collects all answers."""
    tables: list[Play] = []
    answers: list[str] = []
    make = TerminalMatch.__init__

    def remember(self: TerminalMatch, table: Play, *args: Any) -> None:
        tables.append(table)
        make(self, table, *args)

    def answer(self: Screen, prompt: str) -> str:
        answers.append(pick(tables[-1]))
        return answers[-1]

    monkeypatch.setattr(TerminalMatch, "__init__", remember)
    monkeypatch.setattr(Screen, "ask", answer)
    return answers


def like_a_bot(table: Play) -> str:
    """Enter to roll; else the key of the simple bot's action."""
    if table.awaits_roll:
        return ""
    wanted = str(load_bot("simple", table.game)(table.game, table.state))
    return next(choice.key for choice in offers(table, i18n.load("en")) if choice.text == wanted)


def lines(answers: list[str]) -> str:
    return "".join(f"{answer}\n" for answer in answers)


@cache
def script(game: str) -> tuple[list[str], str]:
    """What a person types in a whole short game with seed 5, and its record."""
    with pytest.MonkeyPatch.context() as patch:
        answers = drive(patch, like_a_bot)
        run(f"{QUICK[game]} --seed 5 --record script.txt")
    return answers, Path("script.txt").read_text("utf-8")


# Playing.


@every_game
def test_a_whole_game_is_typed_in_quit_and_resumed_and_is_the_same_game(game: str) -> None:
    answers, text = script(game)
    words, shown, half = f"{QUICK[game]} --seed 5 --record game.txt", "", len(answers) // 2
    for some in ([], answers[:1], answers[1:half]):
        shown += run(words, typed=lines(some) + "quit\n").stdout
        assert shown.endswith("escadaria play --resume game.txt\n")
        assert "result: unfinished" in Path("game.txt").read_text("utf-8")
        words = "play --resume game.txt"
    result = run(words, typed=lines(answers[half:]))
    assert Path("game.txt").read_text("utf-8") == text
    assert re.search(r"★ (.* wins|You win)! ", result.stdout)
    assert "escadaria verify game.txt" in result.stdout
    assert not result.stderr
    previews = {
        "rapido": ["Roll again — safe: 69%", "throws out Bento (", "Place on field 5"],
        "chain": ["Keep 2 dice — safe: 100%", "Move a disc from the start — to ", "covers Bento", "To link:"],
    }
    assert [words for words in previews[game] if words not in shown + result.stdout] == []


@pytest.mark.parametrize("game, language", [*product(["rapido"], i18n.LANGUAGES), ("chain", "de")])
def test_a_whole_game_can_be_played_in_every_language(game: str, language: str) -> None:
    check_language(game, language)


def check_language(game: str, language: str) -> None:
    """A game with every command in it, its replay and its verification have texts that fit the screen."""
    commands = iter(("?", "help", "hint", "look", "save", "undo", "nonsense", *COMMANDS[:2]))
    with pytest.MonkeyPatch.context() as patch:
        drive(patch, lambda table: next(commands, None) or like_a_bot(table))
        result = run(f"{QUICK[game]} --seed 9 --lang {language} --record game.txt")
    assert not re.search(r"\b(play|replay|error|rapido|chain)\.\w+", result.output)
    assert max(map(cell_len, result.stdout.splitlines())) <= 80
    for words in ("replay game.txt", "replay game.txt --ply 4", "verify game.txt"):
        output = run(f"{words} --lang {language}").output
        assert "nonsense" not in output
        assert not re.search(r"\b(play|replay|verify)\.\w+", output)


def test_commands_answer_and_change_nothing() -> None:
    typed = "?\nhelp\nhint\nlook\nsave\nnonsense\n7\nundo\n\n\n9 9\nplace 3\n"
    result = run("play rapido --seed 3 --record game.txt", typed=typed)
    answers = ("you must roll once", "take back the last decision", "A bot would choose: Roll the dice")
    assert [words for words in answers if words not in one_line(result.stdout)] == []
    assert "nonsense is not one of the choices: Enter." in result.stderr
    assert "Nothing can be taken back here" in result.stderr
    assert "Saved in game.txt" in result.stdout
    assert "1. Ana: X2, place 3" in Path("game.txt").read_text("utf-8")


def test_help_mentions_the_two_player_rules_only_to_two_players() -> None:
    for players in (2, 3):
        result = run(f"play rapido --players {players}", typed="?\n")
        assert ("You never throw out your own pair" in one_line(result.stdout)) == (players == 2)


def test_people_at_one_keyboard_may_undo_until_the_next_roll() -> None:
    words = "play rapido --seat Ana --seat Bia --seed 3 --record game.txt"
    result = run(words, typed="\n3\nundo\n5\n\n1\n")
    assert "Taken back." in result.stdout
    text = Path("game.txt").read_text("utf-8")
    assert "1. Ana: X2, place 5\n2. Bia: 4X, place 1\n" in text


def test_undo_takes_forced_links_back_with_the_last_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    choices: list[int] = []

    def pick(table: Play) -> str:
        if answers and answers[-1] == "undo":
            choices.append(len(table.choices()))
            return "quit"
        linked = table.plies and str(table.plies[-1]).startswith("link")
        return "undo" if linked else like_a_bot(table)

    answers = drive(monkeypatch, pick)
    run("play chain --players 2 --option balanced=yes --seed 2 --seat bot --seat Bia --record game.txt")
    assert choices[0] > 1, "undo returns to a decision"


def test_links_may_be_typed_ahead() -> None:
    game, text = position("chain", words_of("phase=build hands=4,2 chain=2/2/open loose=346"))
    seats = colour_seats(game, [Seat("Ana"), Seat("Bia")])
    table = Play(game, seats, SystemDice(), start=game.parse_state(text))
    choices = offers(table, i18n.load("en"))
    saved = saves.MatchFile(Path("x.txt"), "", table.dice)
    session = TerminalMatch(table, saved, Screen.open("en"), 0)
    assert session.words("3, 4 6", choices) == ["3", "4", "6"]
    session.typed.extend(["3", "4", "6"])
    while session.typed:
        session.ask(0)
    assert list(map(str, table.plies)) == ["link 3", "link 4", "link 6"]
    assert table.state.phase.value == "decide"


def test_resigning_asks_first_and_hands_over_to_a_bot() -> None:
    words = "play rapido --players 3 --seed 1 --record game.txt"
    result = run(words, typed="resign\nn\nresign\ny\n")
    assert "You resign." in result.stdout
    assert "A bot plays on for you." in result.stdout
    assert "Ana rolls" not in result.stdout, "who plays alone against bots is addressed"
    record = open_record(Path("game.txt"))
    assert record.outcome is not None
    assert [remark.action for remark in record.remarks] == ["resign"]


def test_the_last_of_two_wins_when_the_other_resigns() -> None:
    result = run("play chain --seat Ana --seat Bia --record game.txt", typed="resign\nyes\n")
    assert "Ana resigns." in result.stdout, "two people at one keyboard have names"
    assert "Bia wins: everyone else has resigned." in result.stdout
    run("verify game.txt")


def test_bots_alone_play_to_the_end() -> None:
    assert "■B Zed" in run("play rapido --seat bot --seat Zed=bot:random --seed 1").stdout
    assert next(saves.records_folder().iterdir()).name.endswith("-rapido.txt")


# Interrupting and resuming.


def test_resume_takes_the_newest_unfinished_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["escadaria"])
    folder = saves.records_folder()
    for number, game in enumerate(("chain", "rapido")):
        run(f"play {game} --seed {number}", typed="quit\n")
        (path,) = folder.glob(f"*-{game}.txt")
        os.utime(path, (1000 + number, 1000 + number))
    (folder / "damaged.txt").write_text("nonsense")
    result = run("play --resume", typed="quit\n")
    assert "Rapido" in result.stdout
    assert "Continue with: escadaria play --resume\n" in result.stdout


def test_a_noisy_bot_decides_the_same_after_a_resume() -> None:
    words = "play rapido --seat Ana --seat bot:random --seed 4 --option finish=9"
    with pytest.MonkeyPatch.context() as patch:
        answers = drive(patch, like_a_bot)
        run(f"{words} --record whole.txt")
    run(f"{words} --record parts.txt", typed=lines(answers[:4]))
    run("play --resume parts.txt", typed=lines(answers[4:]))
    assert Path("parts.txt").read_bytes() == Path("whole.txt").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
class TestTerminal:
    """The real program in a real terminal."""

    def test_ctrl_c_loses_nothing(self) -> None:
        answers, words = script("chain")[0][:9], f"{QUICK['chain']} --seed 5 --record"
        run(f"{words} quit.txt", typed=lines(answers) + "quit\n")
        with Terminal(f"{words} game.txt --fast") as person:
            for number, typed in enumerate([*(f"{answer}\n" for answer in answers), "\x03"], 1):
                person.answer("Ana › ", typed, times=number)
            assert person.end() == 130
            assert "Continue with:" in person.seen
            assert "Traceback" not in person.seen
        assert Path("game.txt").read_bytes() == Path("quit.txt").read_bytes()

    def test_ctrl_c_works_when_the_tests_run_in_the_background(self) -> None:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with Terminal("play") as person:
                person.answer("[1] › ", "\x03")
                assert person.end() == 130
                assert "Traceback" not in person.seen, "there is nothing to continue with yet"
        finally:
            signal.signal(signal.SIGINT, before)

    def test_two_enters_start_a_game_and_sigterm_saves_it_like_ctrl_c(self) -> None:
        with Terminal("play") as person:
            person.answer("[1] › ", "\n")
            person.answer("[Ana, bot, bot] › ", "\n")
            person.wait_for("Ana › ")
            assert "Fair dice, sealed before the first roll" in person.seen
            person.process.send_signal(signal.SIGTERM)
            assert person.end() == 128 + signal.SIGTERM
            assert "Continue with:" in person.seen
        run("play --resume", typed="quit\n")

    def test_questions_are_asked_again_until_understood(self) -> None:
        with Terminal("play") as person:
            person.answer("[1] › ", "9\n")
            person.answer("[1] › ", "chain\n", times=2)
            person.answer("[Ana, bot, bot] › ", "a,b,c,d,e,f,g\n")
            person.answer("[Ana, bot, bot] › ", "Rui, Lia, bot:random\n", times=2)
            person.answer("Rui › ", "\x04")
            assert person.end() == 0
        record = open_record(next(saves.records_folder().glob("*.txt")))
        seats = [(seat.name, seat.bot) for seat in record.seats]
        assert seats == [("Rui", ""), ("Lia", ""), ("Ana", "random")]

    def test_replay_steps_with_keys(self) -> None:
        pages = [("\n", 1), ("\x1b[C", 2), ("b", 1), ("\x1b[D", 0), ("x12\n", 12), ("999\n", 51)]
        with Terminal(f"replay {FAIR}") as person:
            person.wait_for("q quits")
            for typed, page in pages:
                person.seen = ""
                person.type(typed)
                person.wait_for("q quits")
                assert f"Position {page} of 51" in person.seen
            person.type("q")
            assert person.end() == 0


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, words: str) -> None:
        import pty

        self.screen, inside = pty.openpty()
        command = [sys.executable, "-m", "escadaria", *shlex.split(words)]
        source = str(Path(saves.__file__).parents[2])
        paths = os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"PYTHONPATH": paths, "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
        self.process = subprocess.Popen(
            command, stdin=inside, stdout=inside, stderr=inside, env=environment, start_new_session=True,
            preexec_fn=lambda: control(inside),
        )  # fmt: skip
        os.close(inside)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def answer(self, prompt: str, text: str, times: int = 1) -> None:
        self.wait_for(prompt, times)
        self.type(text)

    def wait_for(self, text: str, times: int = 1) -> None:
        """Wait until this is shown, and until the program waits for a key.

        Python does not see a signal that comes between its prompt and its call to read a line.
        """
        while self.seen.count(text) < times:
            assert self.look(), f"{text!r} was not shown {times} times:\n{self.seen}"
        reader = psutil.Process(self.process.pid)
        wait_until(lambda: reader.status() == psutil.STATUS_SLEEPING, "the program waits for a key")

    def look(self) -> bool:
        """Wait for something new on the screen; false if the program has closed its end."""
        assert select.select([self.screen], [], [], PATIENCE)[0], f"nothing more is shown:\n{self.seen}"
        try:
            found = os.read(self.screen, 65536)
        except OSError:  # as Linux says it
            found = b""
        self.seen += found.decode("utf-8", "replace")
        return bool(found)

    def end(self) -> int:
        while self.look():
            pass
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.screen)


def control(inside: int) -> None:
    """Make this the terminal that sends Ctrl-C, to a program that takes it even if these tests do not.

    What runs in the background (``nohup … &``) ignores SIGINT and SIGHUP, and so would its children.
    """
    import fcntl
    import termios

    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    fcntl.ioctl(inside, termios.TIOCSCTTY, 0)


# Fair dice.

FAIR = Path(__file__).parents[1] / "records" / "rapido-2-fair.txt"
"""A finished match with fair dice, between Ana and a bot."""


def test_the_secret_is_in_a_separate_file_until_the_end() -> None:
    path = Path("game.txt")
    run("play rapido --seat Ana --seat bot --record game.txt", typed="\n5\nquit\n")
    beside = saves.secret_path(path)
    secret = beside.read_text("ascii").strip()
    if sys.platform != "win32":
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert secret not in path.read_text("utf-8")
    assert "the secret is not in the record" in run("verify game.txt", code=1).output
    run("play --resume game.txt", typed="resign\ny\n")
    assert f"secret: {secret}\n" in path.read_text("utf-8")
    assert not beside.exists()
    run("verify game.txt")
    assert list(path.parent.glob(".*.new")) == []


def test_people_add_entropy_and_bots_do_not() -> None:
    run("play chain --seat bot --seat Ana --record game.txt", typed="quit\n")
    text = Path("game.txt").read_text("utf-8")
    assert re.search(r"^entropy 2: [0-9a-f]{16}$", text, re.M)
    assert "entropy 1:" not in text


@pytest.mark.parametrize(
    "there, here, said",
    [
        ("", "", "Yes: all 28 rolls match the sealed secret."),
        ("1. Ana: 35,", "1. Ana: 45,", "(turn 1, Ana, ply 1)"),
        (r"secret: .*", "secret: " + "00" * 32, "No: the secret is not the one that was sealed "),
        (r"dice: fair\n(.*\n){4}", "dice: system\n", "were not sealed"),
    ],
)
def test_verify_says_yes_or_no_and_where(there: str, here: str, said: str) -> None:
    Path("game.txt").write_text(re.sub(there, here, FAIR.read_text("utf-8"), count=1), "utf-8")
    assert said in run("verify game.txt", code=int(not said.startswith("Yes"))).output


def test_seeded_dice_can_be_verified_as_well() -> None:
    run("play chain --players 2 --seed 6 --record game.txt", typed="1\nquit\n")
    assert run("verify game.txt").stdout == "Yes: 1 roll, and it matches seed 6.\n"


@pytest.mark.parametrize("command", ["verify", "replay"])
@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"Escadaria record 1\ngame: ludo\n\n", b"x" * 2000])
def test_damaged_records_are_refused_in_one_line(command: str, damage: bytes) -> None:
    Path("damaged.txt").write_bytes(damage)
    said = one_line(run(f"{command} damaged.txt", code=1).stderr)
    assert said.startswith("This record is damaged.") and "(line " in said


# Replay.


def test_replay_prints_the_whole_match_or_one_position() -> None:
    whole = run(f"replay {FAIR} --all").stdout
    assert "\n 20. " in whole and re.search(r"wins! \(R15\)\n$", whole)
    assert run(f"replay {FAIR}").stdout == whole, "there is no terminal for keys"
    shown = run(f"replay {FAIR} --ply 3").stdout
    assert "Position 3 of 51" in shown
    assert str(open_record(FAIR).position(3)) in one_line(shown)
    assert "not 100000" in run(f"replay {FAIR} --ply 100000", code=2).stderr


def test_replay_prints_remarks() -> None:
    shown = run(f"replay {FAIR.with_name('rapido-4-resigned.txt')}").stdout
    for remark in ("Eva resigns.", "A bot plays for Duarte: Simple.", "Duarte plays again."):
        assert remark in shown


def test_the_chain_is_shown_in_the_order_it_was_built() -> None:
    record = read(script("chain")[1])
    for ply in range(len(record.plies)):
        state, facts = record.position(ply), turn_facts(record, ply)
        if state.phase.value in ("build", "decide", "lengthen"):
            scene = Scene(record.game, state, record.seats, facts, i18n.load("en"))
            shown = re.findall(r" (\d) ", re.split("[↗↘↕]", draw(scene).turn[0].plain)[0])
            assert sorted(map(int, shown)) == list(state.chain.numbers)
            assert int(shown[-1]) == state.chain.last


# Simulating.


def test_simulate_plays_a_users_bot_and_prints_the_same_json_for_the_same_seed() -> None:
    Path("mine.py").write_text("def last(game, state):\n    return game.legal_actions(state)[-1]\n")
    twice = "--option finish=6 --option 'finish = 6' --option players=2 --players 2"
    words = f"simulate rapido --bot mine:last --bot random --games 20 --seed 4 --json {twice}"
    printed = run(words).stdout
    assert run(words).stdout == printed
    data = json.loads(printed)
    assert (data["bots"], data["games"]) == (["mine:last", "random"], 20)
    assert data["options"] == {"players": 2, "finish": 6}


def test_simulate_shows_tables() -> None:
    result = run("simulate rapido --bot simple --bot random --games 20 --players 4 --option finish=5")
    assert re.search(r"simple +\d+ +\d", result.stdout)
    assert len(re.findall(r"^ +[1-4] ", result.stdout, re.M)) == 4
    assert "20 matches" in result.stdout
    assert "Bot" not in run("simulate rapido --games 3").stdout, "a single bot wins all games"


# Wrong use.


@pytest.mark.parametrize("words, said", rows(Path(__file__).with_name("wrong_use.cases")))
def test_wrong_usage_is_refused_with_a_reason(words: str, said: str) -> None:
    Path("taken.txt").write_text("my novel")
    result = run(words.replace("\\t", "\t"), typed="quit\n", code=2)
    assert said in one_line(result.stderr)
    assert not result.stdout
    assert Path("taken.txt").read_text() == "my novel"
    assert not list(Path().glob("*.secret"))


def test_matches_that_cannot_be_resumed_are_refused() -> None:
    assert run("play --resume", code=1).stderr.startswith("There is no unfinished match.")
    assert run(f"play --resume {FAIR}", code=1).stderr.startswith("The match is over.")
    run("play rapido --record game.txt", typed="quit\n")
    Path("game.txt.secret").write_text("00" * 32)
    assert run("play --resume game.txt", code=1).stderr.startswith("The secret of the fair")


def test_help_and_version() -> None:
    assert run("--version").stdout.startswith("escadaria")
    for words in ("", "play", "replay", "simulate", "verify"):
        assert "Usage: escadaria" in run(f"{words} --help").stdout


# The parts.


@pytest.mark.parametrize(
    "typed, text",
    [
        ("a", "again"), ("again", "again"), ("AGAIN", "again"), ("ag", "again"), ("3", "place 3"),
        ("p3", "place 3"), ("place 3", "place 3"), (" Place  3 ", "place 3"), ("pl 0", "place 0"),
        ("p", None), ("place", None), ("2", None), ("", None), ("a3", None), ("3 3", None), ("?", None),
    ],
)  # fmt: skip
def test_choices_are_found_by_key_text_or_short_form(typed: str, text: str | None) -> None:
    texts = ["again", "place 0", "place 3", "place 5"]
    found = matching(typed, [Choice(key_of(text, texts), text, "") for text in texts])
    assert (found.text if found else None) == text


@given(walks())
@settings(max_examples=60)
def test_keys_of_decisions_are_unique(walk: Walk) -> None:
    texts = [str(action) for action in walk.game.legal_actions(walk.state)]
    keys = [key_of(text, texts) for text in texts]
    assert len(set(keys)) == len(texts)
    assert all(key.isdigit() or key.isalpha() for key in keys)


@pytest.mark.parametrize(
    "name, words, action, chance",
    [
        ("rapido", "phase=decide value=62", "again", "25/36"),
        ("chain", "hands=1,2,2", "keep 1", "1"),
        ("chain", "hands=2,2,2", "keep 2", "1"),
        ("chain", "hands=3,2,2", "keep 3", "208/216"),
        ("chain", "hands=4,2,2", "keep 4", "1230/1296"),
    ],
)
def test_odds_are_exact(name: str, words: str, action: str, chance: str) -> None:
    game, text = position(name, words_of(words))
    after = game.apply(game.parse_state(text), game.parse(action))
    assert Odds(game).turn_continues(after, 0) == Fraction(chance)
    if name == "chain":
        assert Odds(game, most=0).turn_continues(after, 0) is None


@given(walks(), st.integers(40, 130), st.booleans(), st.sampled_from(i18n.LANGUAGES))
@settings(max_examples=150)
def test_every_position_has_a_picture_that_fits(walk: Walk, width: int, fancy: bool, language: str) -> None:
    names = ["Ana", "Maximiliane-Friederike", "李小龍", "[red]", "é" * 40, "F"][: walk.game.players]
    seats = colour_seats(walk.game, [Seat(name) for name in names])
    facts = turn_facts(Record(walk.game, seats, tuple(step.action for step in walk.steps)), len(walk.steps))
    picture = draw(Scene(walk.game, walk.state, seats, facts, i18n.load(language), width, fancy))
    for line in (*picture.board, *picture.turn):
        assert line.cell_len <= width
        if not fancy:
            signs = [sign for sign in line.plain if not (sign.isalnum() or sign == "\u202f")]
            assert "".join(signs).isascii(), line.plain


@every_game
def test_pictures_show_every_seat_by_letter_and_shape(game: str) -> None:
    rules = load(game, players=6)
    seats = colour_seats(rules, [Seat(name) for name in "abcdef"])
    text = "\n".join(
        line.plain for line in draw(Scene(rules, rules.initial_state(), seats, (), i18n.load("en"))).board
    )
    assert re.findall(r"[●■▲◆✱♣][RBGYKW] ", text) == ["●R ", "■B ", "▲G ", "◆Y ", "✱K ", "♣W "]
    assert len(COLOURS) == 6


def test_a_game_without_a_picture_is_shown_as_its_text() -> None:
    class Ludo(Rapido):
        name = "ludo"

    game = Ludo(players=2)
    state = game.initial_state()
    picture = draw(Scene(game, state, (Seat("Ana"), Seat("Bia")), (), i18n.load("en")))
    assert [line.plain for line in picture.board] == [str(state)]


def test_a_file_is_never_half_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "game.txt"
    path.write_text("old")

    def fail(descriptor: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="full"), replacing(path) as file:
        file.write(b"new")
    assert path.read_text() == "old"
    assert list(home.iterdir()) == [path]


def test_seats_are_read() -> None:
    seats = {
        "Ana": Seat("Ana"),
        " Ana Lia ": Seat("Ana Lia"),
        "bot": Seat("?", "simple"),
        "bot:random": Seat("?", "random"),
        "Bento=bot:random": Seat("Bento", "random"),
        "Abbott": Seat("Abbott"),
    }
    assert {text: read_seat(text) for text in seats} == seats


WORDS = "?,help,undo,hint,look,save,resign,n,y,a,u,d,é,[/],\\,link,-1,keep,place 3,keep 2,1 2 3,"


@every_game
def test_arbitrary_input_does_not_break_the_game(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    typed = [*WORDS.split(","), "0 " * 300, *map(str, range(40))]
    drive(monkeypatch, lambda table: rng.choice(typed))
    run(f"{QUICK[game]} --seed 1 --record game.txt")
    assert open_record(Path("game.txt")).outcome is not None


# Real dice.


def test_a_match_with_real_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(5)
    wrong = iter(("9", "", "4 4 4 4 4 4 4"))

    def pick(table: Play) -> str:
        if table.outcome:
            return ""  # the last entry was right
        if not (rolls := table.to_enter()):
            return like_a_bot(table)
        return next(wrong, None) or " ".join(dice.choice(faces) for faces in rolls)

    drive(monkeypatch, pick)
    words = "play chain --dice real --seat Ana --seat bot:simple --option board=18 --record game.txt"
    assert "These dice are not possible" in run(words).stderr
    assert "dice: real" in Path("game.txt").read_text("utf-8")
    said = "Nothing to verify: the players rolled real dice"
    assert said in one_line(run("verify game.txt", code=1).output)
    run("play rapido --dice real --seed 1", code=2)


REAL = "play rapido --dice real --seat Ana --seat Rui --seat Eva --record game.txt"


def test_real_dice_are_typed_in_any_order_and_taken_back() -> None:
    run(REAL, typed="6 2\nundo\nx,7\n0\n26\n5\n")
    text = Path("game.txt").read_text("utf-8")
    assert "* Ana (seat 1) takes back\n1. Ana: 7X, place 0\n2. Rui: 26, place 5" in text
    run("play --resume game.txt", typed="3 3\n")
    assert "3. Eva: 33" in Path("game.txt").read_text("utf-8")


@pytest.mark.parametrize("last, over", [("undo\n62\n5\n", False), ("\n", True)])
def test_the_real_dice_that_end_a_match_are_taken_back_or_confirmed(last: str, over: bool) -> None:
    """The match is saved as over; whoever confirms the end, or closes the input, ends it (R15)."""
    typed = "3 3\n1\n7x\n2\n7x\n3\n3 3\n"  # Ana climbs 3, then 1 and 3
    result = run(f"{REAL} --option finish=5", typed=typed + last)
    assert "type “undo” if the last entry was wrong" in one_line(result.output)
    assert (open_record(Path("game.txt")).outcome is not None) == over
    assert over or "4. Ana: 26, place 5" in Path("game.txt").read_text("utf-8")
