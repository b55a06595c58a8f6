"""Records: they round-trip, and errors in damaged ones name line, reason and ruling."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from itertools import count, islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import escadaria
from escadaria.dice import BadDice, FairDice, SeededDice, commitment
from escadaria.game import CHANCE, AnyGame, GameError, Outcome, play_out
from escadaria.games.rapido.facts import Placed, Rolled
from escadaria.games.rapido.rules import Place, Rapido, Roll
from escadaria.record import (
    COLOURS,
    RESIGNED,
    BadRecord,
    Proof,
    Record,
    Remark,
    Seat,
    Verdict,
    colour_seats,
    open_record,
    read,
    verify,
    write,
)
from strategies import Walk, rollable, walks
from tables import rows

HERE = Path(__file__).parents[1]
GOLDEN = {path.name: path for path in sorted((HERE / "records").glob("*.txt"))}
POSITIONS: dict[str, str] = json.loads((HERE / "records" / "positions.json").read_text("utf-8"))

NASTY = (
    "Ana: 26, place 3", "Ana (seat 1)", "(seat 2) ", "Bento, bot simple, red", "person", "* resigns",
    "end of 3 plies", "1. Ana: ", "bot simple, -", ", person, red", "ÅÄÖ ñ ß Ω", "بشرى",
    "עדי (seat 1) resigns", "千代", "🦊 🦊", "e\u0301", "result: unfinished", "“x”", "\\n",
    "%s{0}", "-", "x" * 40,
)  # fmt: skip

TEXT = """\
Escadaria record 1
game: rapido
rules: 1
players: 3
finish: 20
seat 1: Ana, person, red
seat 2: Bento, bot simple, blue
seat 3: Clara, person, green
date: 2026-11-15
dice: scripted
result: unfinished

1. Ana: 26, again, 13, place 3
2. Bento: 7X, place 5
* Clara (seat 3) is played by bot simple
3. Clara: 22
end of 7 plies
"""

RECORD = Record(
    Rapido(3),
    (Seat("Ana", "", ("red",)), Seat("Bento", "simple", ("blue",)), Seat("Clara", "", ("green",))),
    tuple(Rapido().parse(text) for text in ("26", "again", "13", "place 3", "7X", "place 5", "22")),
    (Remark(6, 2, "bot simple"),),
    "2026-11-15",
    "scripted",
)

SECRET = bytes(range(32))


def seats(*names: str) -> tuple[Seat, ...]:
    return tuple(map(Seat, names))


def names() -> st.SearchStrategy[str]:
    """Valid names, including some that look like other parts of a record."""
    nasty = st.sampled_from([name.strip() for name in NASTY if name.isprintable()])
    any_name = st.text(min_size=1, max_size=40)
    return nasty | any_name.filter(lambda name: name.isprintable() and name == name.strip())


def proofs(players: int) -> st.SearchStrategy[Proof]:
    hexadecimal = st.text("0123456789abcdef", max_size=64)
    return st.builds(
        Proof,
        st.from_regex(r"\A[A-Za-z0-9_-]{1,64}\Z"),
        st.just(commitment(SECRET)),
        st.tuples(*[hexadecimal] * players),
        st.sampled_from(["", SECRET.hex()]),
    )


@st.composite
def remarks(draw: st.DrawFn, players: int, plies: int) -> tuple[Remark, ...]:
    """Remarks at any plies; while play goes on at least two seats have not resigned."""
    stay = draw(st.permutations(range(players)))[:2]
    actions = st.sampled_from(["resign", "back", "bot simple", "bot search:2.0-fast"])
    free = st.lists(
        st.builds(Remark, st.integers(0, plies), st.integers(0, players - 1), actions), max_size=6
    )
    chosen = [r for r in draw(free) if r.action != "resign" or r.seat not in stay]
    chosen.sort(key=lambda remark: remark.ply)
    if draw(st.booleans()):
        chosen.append(Remark(plies, stay[0], "resign"))
    return tuple(chosen)


@st.composite
def records(draw: st.DrawFn) -> Record:
    """A match of either game with any options, stopped anywhere, with all parts of a record."""
    walk: Walk = draw(walks(max_length=120))
    game = walk.game
    positions = [game.initial_state(), *(step.after for step in walk.steps)]
    first = draw(st.integers(0, len(walk.steps)))
    plies = tuple(step.action for step in walk.steps[first:])
    kinds = st.sampled_from(["", "simple", "random", "neural-2.1:big"])
    sitting = tuple(Seat(draw(names()), draw(kinds)) for _ in range(game.players))
    dice = draw(
        st.sampled_from(["system", "scripted", "fair"]) | st.integers(0, 2**64 - 1).map("seed {}".format)
    )
    return Record(
        game,
        colour_seats(game, sitting) if draw(st.booleans()) else sitting,
        plies,
        draw(remarks(game.players, len(plies))),
        draw(st.just("") | st.dates().map(date.isoformat)),
        dice,
        draw(proofs(game.players)) if dice == "fair" else None,
        positions[first] if first or draw(st.booleans()) else None,
    )


# Round trips.


@settings(max_examples=80)
@given(records())
def test_records_round_trip(record: Record) -> None:
    text = write(record)
    assert read(text) == record
    assert read(text.encode()) == record
    assert read(text.replace("\n", "\r\n").encode("utf-8-sig")) == record
    assert str(read(text)) == text
    lines = text.splitlines()
    assert text == "".join(f"{line}\n" for line in lines)
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines[lines.index("") :])) <= max(map(len, record.names)) + 130


@settings(max_examples=40)
@given(records())
def test_positions_facts_and_turns_are_consistent(record: Record) -> None:
    game, state = record.game, record.position(0)
    assert state == (game.initial_state() if record.start is None else record.start)
    for ply, action in enumerate(record.plies, 1):
        assert record.facts(ply) == game.facts(state, action)
        state = game.apply(state, action)
        assert record.position(ply) == state
    seen: list[int] = []
    for number, (counted, seat, plies) in enumerate(record.turns(), 1):
        assert number == counted
        assert plies
        assert {record.position(ply - 1).turn for ply in plies} == {seat}
        seen += plies
    assert seen == list(range(1, len(record.plies) + 1))
    turns = [seat for _, seat, _ in record.turns()]
    assert all(a != b for a, b in pairwise(turns))


def test_there_are_no_positions_and_facts_outside_the_record() -> None:
    for ply in (-1, 8, 10**9):
        with pytest.raises(GameError, match="plies 0 to 7"):
            RECORD.position(ply)
    for ply in (-1, 0, 8):
        with pytest.raises(GameError, match="plies 1 to 7"):
            RECORD.facts(ply)


def test_the_form_of_a_record() -> None:
    assert write(RECORD) == TEXT
    assert read(TEXT) == RECORD
    assert list(RECORD.turns()) == [(1, 0, range(1, 5)), (2, 1, range(5, 7)), (3, 2, range(7, 8))]
    assert RECORD.facts(4) == (Placed(0, 3, 31),)
    assert RECORD.facts(5) == (Rolled(1, "7X", 70),)


def test_a_remark_stands_where_it_was_made() -> None:
    made = (Remark(0, 0, "bot simple"), Remark(2, 0, "back"), Remark(2, 1, "resign"), Remark(7, 2, "bot x"))
    record = replace(RECORD, remarks=made)
    body = write(record).split("\n\n")[1].splitlines()
    assert body == [
        "* Ana (seat 1) is played by bot simple",
        "1. Ana: 26, again",
        "* Ana (seat 1) plays again",
        "* Bento (seat 2) resigns",
        "1. Ana: 13, place 3",
        "2. Bento: 7X, place 5",
        "3. Clara: 22",
        "* Clara (seat 3) is played by bot x",
        "end of 7 plies",
    ]
    assert read(write(record)) == record
    assert read(write(record)).positions == record.positions


def test_a_long_turn_is_wrapped() -> None:
    record = Record(
        Rapido(3), seats("A", "B", "C"), (Roll(1, 2), *(Rapido().parse("again"), Roll(1, 2)) * 40)
    )
    body = [line for line in write(record).splitlines() if line.startswith("1. A: ")]
    assert len(body) > 3
    assert max(map(len, body)) < 110
    assert read(write(record)) == record


@pytest.mark.parametrize("name", NASTY)
def test_a_name_that_looks_like_something_else_is_only_a_name(name: str) -> None:
    name = name.strip()
    made = tuple(
        Remark(ply, seat, action) for ply in (0, 6) for seat in range(3) for action in ("bot x", "back")
    )
    for sitting in ((name,) * 3, (name, "Ana", f"{name[:20]} (seat 1)"), ("Ana", f"{name[:30]}:", name)):
        record = replace(RECORD, seats=seats(*sitting), remarks=(*made, Remark(7, 2, "resign")))
        assert read(write(record)) == record


@pytest.mark.parametrize(
    "name",
    ["", " ", " Ana", "Ana ", "x" * 41, "a\nb", "a\r", "a\tb", "a\0", "\ufeffAna", "a\u2028b", "a\u202eb",
     "\ud800", "a\x1b[31m", "a\x85b", "\u00a0", None, 5, b"Ana"],
)  # fmt: skip
def test_a_name_that_cannot_stand_in_a_record_is_refused(name: Any) -> None:
    with pytest.raises(GameError, match="1 to 40 printable"):
        Seat(name)


def test_a_bots_name_is_one_word() -> None:
    for bot in ("two words", "a\n", "a,b", "x" * 81, "[a]", 5):
        with pytest.raises(GameError, match="one word"):
            Seat("Ana", bot)  # type: ignore[arg-type]


# Invalid records are refused when they are created.


@pytest.mark.parametrize(
    "change, why",
    [
        ({"seats": seats("Ana", "Bento")}, "3 seats, not 2"),
        ({"seats": (Seat("A", "", ("red",)), Seat("B", "", ("red",)), Seat("C"))}, "for itself"),
        ({"seats": (Seat("A", "", ("pink",)), Seat("B"), Seat("C"))}, "for itself"),
        ({"seats": (Seat("A", "", ("red", "blue")), Seat("B"), Seat("C"))}, "each seat has 1"),
        ({"plies": (Roll(2, 6), Place(5), Place(4))}, "still to fall"),
        ({"remarks": (Remark(8, 0, "back"),)}, "no remark"),
        ({"remarks": (Remark(-1, 0, "back"),)}, "no remark"),
        ({"remarks": (Remark(3, 0, "back"), Remark(2, 0, "back"))}, "no remark"),
        ({"remarks": (Remark(3, 3, "back"),)}, "no remark"),
        ({"remarks": (Remark(3, 0, "sleep"),)}, "no remark"),
        ({"remarks": (Remark(3, 0, "bot a\nb"),)}, "no remark"),
        ({"remarks": (Remark(1, 0, "resign"), Remark(3, 1, "resign"))}, "after ply 3"),
        ({"date": "15.11.2026"}, "2026-11-15"),
        ({"date": date(2026, 11, 15)}, "2026-11-15"),
        ({"dice": "loaded"}, "dice are"),
        ({"dice": "seed -1"}, "dice are"),
        ({"dice": f"seed {2**64}"}, "seed must be"),
        ({"dice": "fair"}, "proof"),
        ({"proof": Proof("m", "0" * 64, ("", "", ""))}, "proof"),
        ({"dice": "fair", "proof": Proof("m", "0" * 64, ("", ""))}, "entropy"),
    ],
)  # fmt: skip
def test_a_record_that_could_not_be_parsed_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(GameError, match=why):
        replace(RECORD, **change)


@pytest.mark.parametrize("name", escadaria.GAMES)
def test_seats_get_the_colours_that_are_free(name: str) -> None:
    for players in range(2, 7):
        game = escadaria.load(name, players=players)
        chosen = ("white", "black")[: game.colours]
        plain = (*seats(*"ABCDEF"[: players - 1]), Seat("Z", "", chosen))
        coloured = colour_seats(game, plain)
        given_out = [colour for seat in coloured for colour in seat.colours]
        assert len(set(given_out)) == len(given_out) == players * game.colours
        assert set(given_out) <= set(COLOURS) and coloured[-1].colours == chosen
        with pytest.raises(GameError, match="for itself"):
            colour_seats(game, (*plain[:-1], Seat("Z", "", ("white", "black", "red"))))


# Who won.


def test_all_but_one_resigned() -> None:
    two = replace(RECORD, remarks=(Remark(3, 0, "resign"), Remark(7, 2, "resign")))
    assert two.outcome == Outcome(1, RESIGNED)
    assert "result: Bento (seat 2) wins by resignation\n" in write(two)
    assert replace(RECORD, remarks=(Remark(3, 0, "resign"), Remark(7, 0, "resign"))).outcome is None
    assert RECORD.outcome is None


# Damaged records.


def refusal(data: bytes | str) -> BadRecord:
    with pytest.raises(BadRecord) as caught:
        read(data)
    error = caught.value
    assert str(error).startswith(f"line {error.line}: ")
    assert 1 <= error.line <= max(1, len(data.splitlines())) + 1
    assert len(str(error)) < 1000
    return error


@pytest.mark.parametrize("name", ["rapido-2-fair.txt", "chain-4-unfinished.txt"])
def test_a_record_cut_off_at_any_byte_is_refused(name: str) -> None:
    data = GOLDEN[name].read_bytes()
    assert data.endswith(b"plies\n")
    for size in range(len(data) - 1):
        refusal(data[:size])
    assert read(data[:-1]) == read(data)


def read_if_sound(text: str) -> Record | None:
    """The record, or nothing if it is refused with a line."""
    try:
        record = read(text)
    except BadRecord as error:
        assert 1 <= error.line <= text.count("\n") + 2  # noqa: PT017 - it may also be sound
        return None
    assert read(write(record)) == record
    return record


@settings(max_examples=250)
@given(st.data())
def test_a_changed_character_makes_another_record_or_is_refused(data: st.DataObject) -> None:
    golden = (GOLDEN[name].read_text("utf-8") for name in GOLDEN if "rapido" in name)
    text = data.draw(st.sampled_from([TEXT, *golden]))
    at = data.draw(st.integers(0, len(text) - 1))
    size = data.draw(st.sampled_from([0, 1, 1, 1, 2, 40]))
    put = data.draw(st.sampled_from(["", "", *"\n ,012X\0é\r", ": ", TEXT[:99]]))
    read_if_sound(text[:at] + put + text[at + size :])


@settings(max_examples=60)
@given(st.data())
def test_a_missing_duplicated_or_swapped_line_is_detected(data: st.DataObject) -> None:
    lines = TEXT.splitlines()
    first = data.draw(st.integers(0, len(lines) - 1))
    second = data.draw(st.integers(0, len(lines) - 1))
    lost = [*lines[:first], *lines[first + 1 :]]
    defaults = {"players: 3", "finish: 20"}  # options that are left out have their defaults
    optional = {"date: 2026-11-15", "* Clara (seat 3) is played by bot simple"}
    if lines[first] in defaults:
        assert read("\n".join(lost)) == RECORD
    elif lines[first] in optional:
        assert read("\n".join(lost)) != RECORD
    else:
        refusal("\n".join(lost))
    if not lines[first].startswith("* "):
        refusal("\n".join([*lines[: first + 1], *lines[first:]]))
    lines[first], lines[second] = lines[second], lines[first]
    headers = range(1, 11)
    if first != second and not (first in headers and second in headers):
        assert read_if_sound("\n".join(lines)) != RECORD  # a remark that was made elsewhere


@given(st.binary(max_size=300) | st.text(max_size=300))
@example(b"")
@example("")
@example(b"\xff\xfe\x00")
@example("\ud800")
def test_an_invalid_record_is_refused(data: bytes | str) -> None:
    assert refusal(data).line == 1 or b"\n" in (
        data if isinstance(data, bytes) else data.encode("utf-8", "replace")
    )


@given(st.lists(st.sampled_from(TEXT.splitlines()) | st.text(max_size=50), max_size=30))
def test_random_lines_never_crash(lines: list[str]) -> None:
    read_if_sound("\n".join(["Escadaria record 1", "game: rapido", "rules: 1", *lines]))


@pytest.mark.parametrize("columns", rows(Path(__file__).with_name("records.cases")), ids=" | ".join)
def test_errors_name_line_reason_and_ruling(columns: list[str]) -> None:
    old, new, line, why, ruling = ("" if text == "-" else text.replace("\\n", "\n") for text in columns)
    assert TEXT.count(old) == 1
    error = refusal(TEXT.replace(old, new))
    assert (error.line, error.ruling) == (int(line), ruling)
    assert why in str(error)
    assert f"({ruling})" in str(error) or not ruling


def test_plies_after_the_win_and_a_wrong_winner_are_refused() -> None:
    text = GOLDEN["rapido-3.txt"].read_text("utf-8")
    error = refusal(text.replace("\nend of ", ", again\nend of "))
    assert error.line == text.count("\n") - 1
    assert "over" in str(error)
    text = GOLDEN["rapido-6.txt"].read_text("utf-8")
    error = refusal(text.replace("Filipe (seat 6) wins", "Eva (seat 5) wins"))
    assert "'Filipe (seat 6) wins by R15'" in str(error)
    assert text.splitlines()[error.line - 1].startswith("result: ")


@pytest.mark.parametrize(
    "header, new, why",
    [
        ("match", "a b", "a match id must be"),
        ("match", None, "'match' is missing"),
        ("commitment", "630d", "a commitment has 64"),
        ("commitment", "G" * 64, "a commitment has 64"),
        ("commitment", None, "'commitment' is missing"),
        ("entropy 1", "XYZ", "entropy of seat 0"),
        ("entropy 1", "a" * 65, "entropy of seat 0"),
        ("secret", "0" * 62, "a secret has 64"),
        ("secret", "A" * 64, "a secret has 64"),
    ],
)
def test_damage_to_a_proof_is_named_by_its_line(header: str, new: str | None, why: str) -> None:
    lines = GOLDEN["rapido-2-fair.txt"].read_text("utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if line.startswith(f"{header}: "))
    lines[number - 1 : number] = [] if new is None else [f"{header}: {new}"]
    error = refusal("\n".join(lines))
    assert why in str(error)
    assert header != "secret" or str(new) not in str(error)
    assert error.line == (number if new else lines.index("") + 1)


def test_a_megabyte_on_one_line_is_refused_by_its_line() -> None:
    error = refusal(TEXT.replace("3. Clara: 22", "3. Clara: 22" + ", again, 22" * 100_000))
    assert error.line == 16
    assert "at most 1000" in str(error)
    assert refusal("x" * 1_000_000).line == 1
    assert refusal(b"\n" * 20 + b"x" * 1_000_000).line == 21


def test_more_than_four_megabytes_are_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "record.txt"
    path.write_text(TEXT, "utf-8")
    assert open_record(path) == RECORD
    for data in (b"x" * 4_000_001, b"\n" * 4_000_001, b"y\n" * 2_100_000, b"\xff" * 5_000_000):
        assert "at most 4000000 bytes" in str(refusal(data[:4_000_001]))
        assert refusal(data.decode("latin-1")).line == 1
        path.write_bytes(data)
        with pytest.raises(BadRecord, match="line 1: .*at most 4000000 bytes"):
            open_record(path)


def test_bytes_that_are_not_text_are_refused_by_their_line() -> None:
    data = TEXT.encode()
    at = data.index(b"place 5")
    for junk in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x80abc"):
        error = refusal(data[:at] + junk + data[at:])
        assert error.line == 14
        assert f"byte {at} " in str(error)
    for word in ("Ana", "rapido", "26", "simple\n3", "end"):
        refusal(TEXT.replace(word, f"{word[0]}\0{word[1:]}", 1).encode())
    refusal(TEXT.encode("utf-16-le"))
    refusal(bytes(5000))


# Verification of the dice.


def rolled(game: AnyGame, dice: FairDice | SeededDice, plies: int, offset: int = 0) -> tuple[Any, ...]:
    """Plies of a match with these dice; ``offset`` makes other decisions."""
    numbers = count()

    def decide(state: Any) -> Any:
        legal = game.legal_actions(state)
        return legal[(len(str(state)) + offset) % len(legal)]

    def roll(state: Any) -> Any:
        return dice.roll(game.chance_outcomes(state), next(numbers))

    played = play_out(game, game.initial_state(), decide, roll)
    return tuple(action for action, _ in islice(played, plies))


def fair_record(name: str, players: int, plies: int, offset: int = 0, secret: str = SECRET.hex()) -> Record:
    game = escadaria.load(name, players=players)
    entropy = tuple("0123456789"[:seat] for seat in range(players))
    made = rolled(game, FairDice(SECRET, "test-1", entropy), plies, offset)
    proof = Proof("test-1", commitment(SECRET), entropy, secret)
    return Record(game, seats(*"ABCDEF"[:players]), made, dice="fair", proof=proof)


def number_of_rolls(record: Record) -> int:
    return sum(record.game.current_player(record.position(ply)) == CHANCE for ply in range(len(record.plies)))


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("name", escadaria.GAMES)
def test_fair_dice_are_proven(name: str, players: int) -> None:
    record = fair_record(name, players, 60)
    assert verify(record) == verify(read(write(record))) == Verdict(True, "proven", number_of_rolls(record))
    assert verify(record).rolls > 5


def test_seeded_dice_are_proven_by_their_seed() -> None:
    made = rolled(Rapido(4), SeededDice(99), 50)
    record = Record(Rapido(4), seats(*"ABCD"), made, dice="seed 99")
    assert verify(record) == Verdict(True, "proven", number_of_rolls(record))
    assert verify(replace(record, dice="seed 98")).reason == "roll"


def test_without_a_revealed_secret_or_a_seed_nothing_is_proven() -> None:
    for dice in ("system", "scripted"):
        assert verify(replace(RECORD, dice=dice)) == Verdict(False, "no_proof")
    record = fair_record("rapido", 3, 30, secret="")
    assert verify(record) == Verdict(False, "no_secret")
    assert "secret" not in write(record)
    assert record.proof is not None
    with pytest.raises(BadDice):
        record.proof.dice()
    assert verify(fair_record("rapido", 3, 30, secret=bytes(32).hex())) == Verdict(False, "commitment")


@settings(max_examples=60)
@given(st.sampled_from(sorted(escadaria.GAMES)), st.integers(2, 6), st.integers(0, 200), st.data())
def test_a_changed_die_is_reported_with_its_ply(
    name: str, players: int, offset: int, data: st.DataObject
) -> None:
    record = fair_record(name, players, 40, offset)
    game = record.game
    chances = [n for n in range(len(record.plies)) if game.current_player(record.position(n)) == CHANCE]
    at = data.draw(st.sampled_from(chances))
    others = [roll for roll in rollable(game, record.position(at)) if roll != record.plies[at]]
    false = replace(record, plies=(*record.plies[:at], data.draw(st.sampled_from(others))))
    assert verify(false) == Verdict(False, "roll", chances.index(at), at + 1)


def test_other_entropy_or_another_match_makes_other_dice() -> None:
    record = fair_record("rapido", 3, 60)
    assert record.proof is not None and SECRET.hex() not in repr(record)
    for change in ({"match": "test-2"}, {"entropy": ("", "0", "02")}, {"entropy": ("", "", "")}):
        assert verify(replace(record, proof=replace(record.proof, **change))).reason == "roll"


# The golden records.


def test_there_are_golden_records_of_both_games_and_all_kinds() -> None:
    golden = [open_record(path) for path in GOLDEN.values()]
    assert {(record.game.name, record.game.players) for record in golden} >= {
        (name, players) for name in escadaria.GAMES for players in (2, 6)
    }
    actions = {remark.action for record in golden for remark in record.remarks}
    assert actions >= {"resign", "back", "bot simple"}
    assert {record.dice.split()[0] for record in golden} == {"fair", "seed"}
    rulings = {record.outcome.ruling for record in golden if record.outcome}
    assert rulings == {"R15", "C6", RESIGNED}
    assert any(record.outcome is None for record in golden)
    assert any(record.start is not None for record in golden)
    assert GOLDEN.keys() == POSITIONS.keys()


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_records_replay_unchanged(name: str) -> None:
    data = GOLDEN[name].read_bytes()
    record = read(data)
    assert str(record).encode() == data
    assert str(record.positions[-1]) == POSITIONS[name]
    assert record.game.parse_state(POSITIONS[name]) == record.positions[-1]
    assert verify(record) == Verdict(True, "proven", number_of_rolls(record))
