"""Sources of dice: the operating system, a seed, a script, or a secret that can be verified afterwards.

A game lists the possible outcomes (``chance_outcomes``), and a source picks one of them. A source has no
state: it answers for roll number ``index`` of the match, so undoing, resuming and replaying a match need
only that number. ``docs/fair-dice.md`` describes the fair dice and how to verify them.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from escadaria.game import A, GameError

VERSION = "escadaria-dice-1"
"""The first line of every message that dice are derived from; it changes with the derivation."""

SECRET_BYTES = 32
"""The length of a secret."""


class BadDice(GameError):
    """Invalid dice, or an impossible roll."""

    code = "bad_dice"


class Dice(Protocol):
    """A source of dice."""

    def roll(self, outcomes: Sequence[tuple[A, Fraction]], index: int) -> A:
        """The outcome of the match's roll number ``index`` (from 0), one of ``outcomes``.

        :raises BadDice: if there is nothing to roll.
        """


@dataclass(frozen=True, slots=True)
class SystemDice:
    """Random numbers of the operating system. They do not depend on the index."""

    def roll(self, outcomes: Sequence[tuple[A, Fraction]], index: int) -> A:
        shares = equal_shares(outcomes)
        return shares[secrets.randbelow(len(shares))][0]


@dataclass(frozen=True, slots=True)
class SeededDice:
    """The same dice for the same seed, on every machine. Whoever knows the seed can predict them.

    They are derived like fair dice, with the seed as the key.
    """

    seed: int
    """From 0 to 2**64 - 1."""

    def __post_init__(self) -> None:
        if type(self.seed) is not int or not 0 <= self.seed < 2**64:
            raise BadDice(f"a seed must be a whole number from 0 to 2**64 - 1, not {self.seed!r:.40}")

    def roll(self, outcomes: Sequence[tuple[A, Fraction]], index: int) -> A:
        shares = equal_shares(outcomes)
        key = self.seed.to_bytes(SECRET_BYTES, "big")
        return shares[derive(key, "seeded", (), index, len(shares))][0]


@dataclass(frozen=True, slots=True)
class FairDice:
    """Dice that no one can choose: they depend on the server's secret and on the entropy of all seats.

    The commitment to the secret is published before the seats send their entropy, the secret itself after
    the game. The secret never appears in ``repr`` or in an error.
    """

    secret: bytes = field(repr=False)
    """32 bytes."""
    match: str
    """The id of the match: 1 to 64 ASCII letters, digits, ``_`` and ``-``."""
    entropy: tuple[str, ...]
    """By seat: 0 to 64 hexadecimal digits, in lower case."""

    def __post_init__(self) -> None:
        check_secret(self.secret)
        if not fits(r"[A-Za-z0-9_-]{1,64}", self.match):
            raise BadDice(f"a match id must be 1 to 64 of A-Z a-z 0-9 _ -, not {self.match!r:.80}")
        if not isinstance(self.entropy, tuple):
            raise BadDice(f"entropy must be a tuple with a text for each seat, not {self.entropy!r:.80}")
        for seat, text in enumerate(self.entropy):
            if not fits(r"[0-9a-f]{0,64}", text):
                raise BadDice(f"the entropy of seat {seat} must be 0 to 64 of 0-9 a-f, not {text!r:.80}")

    def roll(self, outcomes: Sequence[tuple[A, Fraction]], index: int) -> A:
        shares = equal_shares(outcomes)
        return shares[derive(self.secret, self.match, self.entropy, index, len(shares))][0]


class ScriptedDice:
    """Scripted dice, for tests: ``ScriptedDice("7X", "26")`` or ``ScriptedDice(4, 6, 1)``.

    Roll number ``index`` is the outcome whose text is entry ``index`` of the script.
    """

    def __init__(self, *script: object) -> None:
        self.script = tuple(map(str, script))

    def __repr__(self) -> str:
        return f"ScriptedDice({', '.join(map(repr, self.script))})"

    def roll(self, outcomes: Sequence[tuple[A, Fraction]], index: int) -> A:
        """:raises BadDice: also if the script has ended, or its entry is not a possible outcome."""
        if not 0 <= index < len(self.script):
            raise BadDice(f"the script has {len(self.script)} rolls and no roll {index}")
        text = self.script[index]
        possible = {str(outcome): outcome for outcome, chance in outcomes if chance}
        if text not in possible:
            allowed = " ".join(possible) or "nothing"
            raise BadDice(f"roll {index} of the script is {text!r}; possible here: {allowed}")
        return possible[text]


def new_secret() -> bytes:
    """A new secret for the fair dice of one match. Never reuse it."""
    return secrets.token_bytes(SECRET_BYTES)


def commitment(secret: bytes) -> str:
    """The commitment that is published before the first roll: the SHA-256 of the secret, in hexadecimal."""
    check_secret(secret)
    return hashlib.sha256(secret).hexdigest()


def first_mismatch(dice: Dice, rolls: Iterable[tuple[Sequence[tuple[A, Fraction]], A]]) -> int | None:
    """The index of the first roll that differs from ``dice``, or None if all agree.

    ``rolls`` has all rolls of a match in order: the possible outcomes, and the actual one.
    """
    for index, (outcomes, outcome) in enumerate(rolls):
        if dice.roll(outcomes, index) != outcome:
            return index
    return None


def derive(key: bytes, match: str, entropy: tuple[str, ...], index: int, sides: int) -> int:
    """A number from 0 to ``sides - 1``, uniformly distributed for anyone who does not know the key."""
    limit = 256 - 256 % sides  # larger bytes are rejected, so that all numbers are equally likely
    block = 0
    while True:
        message = "\n".join((VERSION, match, *entropy, str(index), str(block)))
        for byte in hmac.digest(key, message.encode(), "sha256"):
            if byte < limit:
                return byte % sides
        block += 1


def equal_shares(outcomes: Sequence[tuple[A, Fraction]]) -> Sequence[tuple[A, Fraction]]:
    """The outcomes in order, each repeated so that all entries are equally likely.

    :raises BadDice: if that takes more than 256 entries, or the probabilities do not sum to 1.
    """
    chances = [chance for _, chance in outcomes]
    if not chances:
        raise BadDice("there are no dice to roll here")
    # Fast if all faces share one Fraction object: `count` compares identity before equality.
    size = len(chances)
    if size <= 256 and chances.count(chances[0]) == size and chances[0].as_integer_ratio() == (1, size):
        return outcomes
    size = math.lcm(*(chance.denominator for chance in chances))
    if size > 256 or min(chances) < 0 or sum(chances) != 1:
        raise BadDice(f"{size} equal shares cannot be rolled: at most 256, and probabilities that sum to 1")
    return [entry for entry in outcomes for _ in range(int(entry[1] * size))]


def check_secret(secret: object) -> None:
    """:raises BadDice: if this is not a valid secret; the message does not contain it."""
    if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
        size = f"{len(secret)} bytes" if isinstance(secret, bytes) else type(secret).__name__
        raise BadDice(f"a secret must be {SECRET_BYTES} bytes, not {size}")


def fits(pattern: str, text: object) -> bool:
    """Whether this is a string and matches the whole pattern."""
    return isinstance(text, str) and re.fullmatch(pattern, text) is not None
