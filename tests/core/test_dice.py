"""Dice sources: their contract, the published test vectors, and the page about fair dice."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import escadaria
from escadaria.dice import (
    BadDice,
    Dice,
    FairDice,
    ScriptedDice,
    SeededDice,
    SystemDice,
    commitment,
    equal_shares,
    first_mismatch,
    new_secret,
)

Outcomes = tuple[tuple[str, Fraction], ...]


def evenly(*names: str) -> Outcomes:
    chance = Fraction(1, len(names))
    return tuple((name, chance) for name in names)


RAPIDO = evenly(*(a + b for a in "12347X" for b in "12356X"))
CHAIN = evenly(*"123456")
OUTCOMES = {"rapido": RAPIDO, "chain": CHAIN}

SECRET = bytes(range(32))
FAIR = FairDice(SECRET, "demo-1", ("a1b2", "3c4d"))

HERE = Path(__file__).parents[1]
VECTORS: list[dict[str, Any]] = json.loads((HERE / "fair_dice_vectors.json").read_text("utf-8"))
PAGE = (HERE.parent / "docs" / "fair-dice.md").read_text("utf-8")


def fair(vector: dict[str, Any]) -> FairDice:
    return FairDice(bytes.fromhex(vector["secret"]), vector["match"], tuple(vector["entropy"]))


def blocks(language: str) -> list[str]:
    """The page's code blocks in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


# The fair dice against the published test vectors


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['game']}-{len(vector['entropy'])}")
def test_fair_dice_match_the_test_vectors(vector: dict[str, Any]) -> None:
    outcomes = OUTCOMES[vector["game"]]
    for roll in vector["rolls"]:
        assert outcomes[roll["number"]][0] == roll["dice"]
        assert fair(vector).roll(outcomes, roll["index"]) == roll["dice"]
    assert commitment(bytes.fromhex(vector["secret"])) == vector["commitment"]


def test_the_page_has_the_same_vectors_and_a_right_example() -> None:
    assert [json.loads(block) for block in blocks("json")] == [VECTORS]
    assert {(v["game"], len(v["entropy"])) for v in VECTORS} == set(product(OUTCOMES, (2, 6)))
    assert any(not any(v["entropy"]) for v in VECTORS)
    assert all({r["passed_over"] for r in v["rolls"]} == {0, 1, 2} for v in VECTORS)
    message, digest = blocks("text")
    assert hmac.new(SECRET, message.removesuffix("\n").encode(), "sha256").hexdigest() == digest.strip()
    assert FAIR.roll(CHAIN, 42) == "3"


def test_the_verifier_on_the_page_works() -> None:
    (source,) = blocks("python")
    page: dict[str, Callable[..., Any]] = {}
    exec(source, page)
    for vector in VECTORS:
        secret = bytes.fromhex(vector["secret"])
        for roll in vector["rolls"]:
            dice = page["dice"](vector["game"], secret, vector["match"], vector["entropy"], roll["index"])
            assert dice == roll["dice"]
        rolls = [fair(vector).roll(OUTCOMES[vector["game"]], index) for index in range(100)]
        match = (vector["match"], vector["entropy"], rolls)
        assert page["verify"](vector["game"], secret, vector["commitment"], *match) == "yes"
        assert page["verify"](vector["game"], secret, "0" * 64, *match).startswith("no: the secret")
        rolls[70] = "no dice"
        assert page["verify"](vector["game"], secret, vector["commitment"], *match) == "no: roll 70 is wrong"


def test_the_games_list_their_dice_in_the_order_of_the_page() -> None:
    rapido = escadaria.load("rapido", players=3)
    assert [(str(o), p) for o, p in rapido.chance_outcomes(rapido.initial_state())] == list(RAPIDO)
    chain = escadaria.load("chain", players=3)
    start = chain.initial_state()
    rolling = chain.apply(start, chain.legal_actions(start)[-1])
    assert [(str(o), p) for o, p in chain.chance_outcomes(rolling)] == list(CHAIN)


hexadecimal = st.text("0123456789abcdef", max_size=64)
names = st.text("abcxyzABCXYZ0189_-", min_size=1, max_size=64)


@given(
    secret=st.binary(min_size=32, max_size=32),
    match=names,
    entropy=st.lists(hexadecimal, max_size=6).map(tuple),
    index=st.integers(0, 10**6),
    sides=st.integers(1, 256),
)
def test_fair_dice_agree_with_a_second_derivation(
    secret: bytes, match: str, entropy: tuple[str, ...], index: int, sides: int
) -> None:
    """HMAC from its definition (RFC 2104), all bytes of three blocks at once, faces by division."""
    inner = bytes(byte ^ 0x36 for byte in secret.ljust(64, b"\0"))
    outer = bytes(byte ^ 0x5C for byte in secret.ljust(64, b"\0"))
    head = f"escadaria-dice-1\n{match}\n" + "".join(f"{text}\n" for text in entropy) + f"{index}\n"
    stream = b"".join(
        hashlib.sha256(outer + hashlib.sha256(inner + f"{head}{block}".encode()).digest()).digest()
        for block in range(3)
    )
    even = [byte for byte in stream if byte < 256 // sides * sides]
    outcomes = evenly(*map(str, range(sides)))
    assert FairDice(secret, match, entropy).roll(outcomes, index) == str(even[0] % sides)


def test_after_a_block_the_next_one_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    def digest(key: bytes, message: bytes, name: str) -> bytes:
        asked.append(message)
        return bytes([252] * 32) if len(asked) < 3 else bytes([255] * 31 + [251])

    monkeypatch.setattr(hmac, "digest", digest)
    assert FAIR.roll(CHAIN, 7) == CHAIN[251 % 6][0]
    assert [message.decode().split("\n")[-2:] for message in asked] == [["7", "0"], ["7", "1"], ["7", "2"]]


# What each roll depends on


def rolls(dice: Dice, outcomes: Sequence[tuple[str, Fraction]] = RAPIDO, number: int = 50) -> list[str]:
    return [dice.roll(outcomes, index) for index in range(number)]


def test_secret_match_and_entropy_change_the_dice() -> None:
    same = ("a1b2", "3c4d", "")
    entropies = [same, ("3c4d", "a1b2", ""), same[:2], ("a1b23c4d", "", ""), ("a1b2", "3c4d", "0")]
    variants = [FairDice(SECRET, "demo-1", entropy) for entropy in entropies]
    variants += [FairDice(bytes(32), "demo-1", same), FairDice(SECRET, "demo-2", same)]
    assert len({tuple(rolls(dice)) for dice in variants}) == len(variants)


@pytest.mark.parametrize("dice", [SeededDice(7), FAIR, ScriptedDice(*["7X", "26"] * 25)])
def test_a_roll_depends_on_its_index_only(dice: Dice) -> None:
    assert [dice.roll(RAPIDO, index) for index in reversed(range(50))] == rolls(dice)[::-1]


def test_seeded_dice_are_the_same_everywhere_and_differ_by_seed() -> None:
    assert " ".join(rolls(SeededDice(1), number=12)) == "XX 3X 71 4X 33 7X 73 23 72 33 25 73"
    assert "".join(rolls(SeededDice(2**64 - 1), CHAIN, 24)) == "434555661462526443653423"
    assert len({tuple(rolls(SeededDice(seed))) for seed in range(100)}) == 100


def test_system_dice_show_every_face_and_secrets_are_new() -> None:
    # The probability that a face is missing by chance is below 1e-50.
    assert set(rolls(SystemDice(), CHAIN, 1000)) == set("123456")
    assert len({new_secret() for _ in range(100)}) == 100 and len(new_secret()) == 32


# No bias


def chi_square(fallen: Sequence[object], cells: int) -> float:
    expected = len(fallen) / cells
    counts = Counter(fallen)
    return sum((n - expected) ** 2 / expected for n in counts.values()) + (cells - len(counts)) * expected


# The seeds are fixed, so these never fail by chance. The bounds are the 99.9 % points of chi-square.
@pytest.mark.parametrize(
    "dice", [SeededDice(1), SeededDice(2), FAIR, FairDice(bytes(32), "x", ("",) * 6)], ids=repr
)
def test_faces_and_successions_are_equally_likely(dice: Dice) -> None:
    pairs, singles = rolls(dice, RAPIDO, 18_000), rolls(dice, CHAIN, 18_000)
    assert chi_square(pairs, 36) < 66.6
    assert chi_square(singles, 6) < 20.5
    assert chi_square(list(zip(singles[::2], singles[1::2], strict=True)), 36) < 66.6


def test_every_number_has_the_same_count_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    for sides in (2, 6, 36, 129, 255, 256):
        outcomes = evenly(*map(str, range(sides)))
        counts: Counter[str] = Counter()
        for byte in range(256 // sides * sides):
            monkeypatch.setattr(hmac, "digest", lambda *_, byte=byte: bytes([byte] * 32))
            counts[FAIR.roll(outcomes, 0)] += 1
        assert counts == {name: 256 // sides for name, _ in outcomes}


# Unequal probabilities


def test_unequal_outcomes_get_their_exact_share() -> None:
    odd = (("a", Fraction(1, 2)), ("b", Fraction(0)), ("c", Fraction(1, 3)), ("d", Fraction(1, 6)))
    assert [name for name, _ in equal_shares(odd)] == ["a", "a", "a", "c", "c", "d"]
    alike = {"1": "a", "2": "a", "3": "a", "4": "c", "5": "c", "6": "d"}
    for index in range(100):
        assert FAIR.roll(odd, index) == alike[FAIR.roll(CHAIN, index)]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12).filter(any))
def test_shares_are_in_proportion_to_probabilities(weights: list[int]) -> None:
    outcomes = tuple((str(i), Fraction(weight, sum(weights))) for i, weight in enumerate(weights))
    shares = equal_shares(outcomes)
    counts = Counter(name for name, _ in shares)
    assert all(Fraction(counts[name], len(shares)) == chance for name, chance in outcomes)
    assert [name for name, _ in shares] == sorted((name for name, _ in shares), key=int)


@pytest.mark.parametrize("dice", [SystemDice(), SeededDice(1), FAIR], ids=repr)
def test_what_cannot_be_rolled_is_refused(dice: Dice) -> None:
    wrong_sums = [((1, 2), (1, 3)), ((5, 2), (5, 2)), ((3, 2), (-1, 2))]
    wrong = [(("a", Fraction(*one)), ("b", Fraction(*other))) for one, other in wrong_sums]
    for outcomes in ((), evenly(*map(str, range(257))), *wrong):
        with pytest.raises(BadDice) as error:
            dice.roll(outcomes, 0)
        check_hidden(str(error.value))


# Checking a match


def test_first_mismatch_says_where() -> None:
    fallen = [(outcomes, FAIR.roll(outcomes, i)) for i, outcomes in enumerate([RAPIDO, CHAIN] * 20)]
    assert first_mismatch(FAIR, fallen) is None
    assert first_mismatch(FAIR, []) is None
    for wrong in (0, 17, 39):
        outcomes, right = fallen[wrong]
        other = next(name for name, _ in outcomes if name != right)
        assert first_mismatch(FAIR, [*fallen[:wrong], (outcomes, other), *fallen[wrong + 1 :]]) == wrong


# Scripted dice


def test_scripted_dice_follow_the_script() -> None:
    assert rolls(ScriptedDice("7X", "11", "XX"), number=3) == ["7X", "11", "XX"]
    assert rolls(ScriptedDice(4, 6, 1), CHAIN, 3) == ["4", "6", "1"]
    assert repr(ScriptedDice("7X", 4)) == "ScriptedDice('7X', '4')"
    game = escadaria.load("rapido")
    outcomes, roll = game.chance_outcomes(game.initial_state()), game.parse("7X")
    assert ScriptedDice("7X").roll(outcomes, 0) == ScriptedDice(roll).roll(outcomes, 0) == roll
    for index in (2, -1):
        with pytest.raises(BadDice, match=f"the script has 2 rolls and no roll {index}"):
            ScriptedDice("1", "2").roll(CHAIN, index)
    never = (("1", Fraction(1)), ("2", Fraction(0)))
    for face, possible, shown in [("7", CHAIN, "1 2 3 4 5 6"), ("2", never, "1"), ("7", (), "nothing")]:
        with pytest.raises(BadDice, match=f"roll 0 of the script is '{face}'; possible here: {shown}$"):
            ScriptedDice(face).roll(possible, 0)


# Bad input


BAD_MATCHES = ["", "a b", "a\n", "é", "x" * 65, "a.b", None, 7]
BAD_ENTROPY = ["AB", "0x1", "a\n", "\n", " ", "0" * 65, "٣", None, b"00"]


@pytest.mark.parametrize(
    "make, values, why",
    [
        (lambda match: FairDice(SECRET, match, ("", "")), BAD_MATCHES, "id must be 1 to 64"),
        (lambda text: FairDice(SECRET, "m", ("", text)), BAD_ENTROPY, "seat 1 must be 0 to 64 of 0-9 a-f"),
        (lambda entropy: FairDice(SECRET, "m", entropy), ["abc", ["", ""], None], "a text for each seat"),
        (SeededDice, [-1, 2**64, 1.0, "1", True, None], "a seed must be a whole number"),
    ],
    ids=["match", "entropy", "seats", "seed"],
)
def test_bad_input_is_refused(make: Callable[[Any], object], values: list[Any], why: str) -> None:
    for value in values:
        with pytest.raises(BadDice, match=why) as error:
            make(value)
        assert error.value.code == "bad_dice"
        check_hidden(str(error.value))


def check_hidden(text: str) -> None:
    """Check that the secret is not in this text."""
    assert SECRET.hex()[:8] not in text and repr(SECRET)[2:10] not in text


@pytest.mark.parametrize("use", [commitment, lambda secret: FairDice(secret, "m", ("", ""))])
def test_a_wrong_secret_is_refused_and_not_shown(use: Callable[[Any], object]) -> None:
    for secret in (SECRET[:31], SECRET + b"x", SECRET.hex(), bytearray(SECRET), None):
        with pytest.raises(BadDice, match=r"^a secret must be 32 bytes, not (\d+ bytes|\w+)$"):
            use(secret)


def test_a_secret_is_not_shown_with_its_dice() -> None:
    assert repr(FAIR) == f"{FAIR}" == "FairDice(match='demo-1', entropy=('a1b2', '3c4d'))"
